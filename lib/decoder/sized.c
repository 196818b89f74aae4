/* SPDX-License-Identifier: BSD-3-Clause */
/* sized.c - functions that take a struct which may grow, for callers that were compiled with a smaller one. */
#include <string.h>

#include <cstrace/cstrace.h>

#include "base/sized.h"

/* The configuration of a trace unit from its registers; PARAMS and ARGS are what else such a function takes. */
#define CONFIG(name, regs_type, PARAMS, ARGS)								\
	int name##_sized(struct cst_config *cfg, size_t cfg_size, const struct regs_type *regs,		\
			 size_t regs_size PARAMS)							\
	{												\
		struct cst_config own_cfg = { 0 };							\
		struct regs_type own_regs = { 0 };							\
		int rc;											\
													\
		TAKE(own_cfg, cfg, cfg_size);								\
		rc = name(&own_cfg, TAKE(own_regs, regs, regs_size) ARGS);				\
		GIVE(cfg, cfg_size, own_cfg);								\
		return rc;										\
	}
#define AND(...) , __VA_ARGS__

CONFIG(cst_config_etmv4, cst_etmv4_regs, AND(int ete, enum cst_profile profile), AND(ete, profile))
CONFIG(cst_config_etmv4_data, cst_etmv4_regs, AND(enum cst_profile profile), AND(profile))
CONFIG(cst_config_etmv3, cst_etmv3_regs, AND(enum cst_profile profile), AND(profile))
CONFIG(cst_config_ptm, cst_etmv3_regs, , )
CONFIG(cst_config_stm, cst_stm_regs, , )
CONFIG(cst_config_itm, cst_itm_regs, , )

int cst_unwrap_sized(struct cst_unwrapped *u, size_t u_size, uint64_t size, uint64_t write, int full, unsigned unit,
		     uint64_t after)
{
	struct cst_unwrapped own_u = { 0 };
	int rc;

	TAKE(own_u, u, u_size);
	rc = cst_unwrap(&own_u, size, write, full, unit, after);
	GIVE(u, u_size, own_u);
	return rc;
}

size_t cst_packet_text_sized(const struct cst_packet *pkt, size_t size, char *out, size_t cap)
{
	struct cst_packet own_pkt = { 0 };

	return cst_packet_text(TAKE(own_pkt, pkt, size), out, cap);
}

int cst_images_set_sized(struct cst_images *images, const struct cst_image_key *key, size_t size,
			 struct cst_space *space)
{
	struct cst_image_key own_key = { 0 };

	return cst_images_set(images, TAKE(own_key, key, size), space);
}

int cst_images_remove_sized(struct cst_images *images, const struct cst_image_key *key, size_t size)
{
	struct cst_image_key own_key = { 0 };

	return cst_images_remove(images, TAKE(own_key, key, size));
}

int cst_decoder_new_sized(struct cst_decoder **dec, const struct cst_config *cfg, size_t size)
{
	struct cst_config own_cfg = { 0 };

	return cst_decoder_new(dec, TAKE(own_cfg, cfg, size));
}

int cst_decoder_new_custom_sized(struct cst_decoder **dec, const struct cst_config *cfg, size_t cfg_size,
				 const struct cst_protocol_ops *ops, size_t ops_size, void *user)
{
	struct cst_config own_cfg = { 0 };
	struct cst_protocol_ops own_ops = { 0 };

	return cst_decoder_new_custom(dec, TAKE(own_cfg, cfg, cfg_size), TAKE(own_ops, ops, ops_size), user);
}

int cst_decoder_reconfigure_sized(struct cst_decoder *dec, const struct cst_config *cfg, size_t size)
{
	struct cst_config own_cfg = { 0 };

	return cst_decoder_reconfigure(dec, TAKE(own_cfg, cfg, size));
}

size_t cst_decoder_packet_text_sized(const struct cst_decoder *dec, const struct cst_packet *pkt, size_t size,
				     char *out, size_t cap)
{
	struct cst_packet own_pkt = { 0 };

	return cst_decoder_packet_text(dec, TAKE(own_pkt, pkt, size), out, cap);
}

int cst_tree_add_sized(struct cst_tree *tree, const struct cst_config *cfg, size_t size, struct cst_decoder **dec)
{
	struct cst_config own_cfg = { 0 };

	return cst_tree_add(tree, TAKE(own_cfg, cfg, size), dec);
}

int cst_tree_add_custom_sized(struct cst_tree *tree, const struct cst_config *cfg, size_t cfg_size,
			      const struct cst_protocol_ops *ops, size_t ops_size, void *user,
			      struct cst_decoder **dec)
{
	struct cst_config own_cfg = { 0 };
	struct cst_protocol_ops own_ops = { 0 };

	return cst_tree_add_custom(tree, TAKE(own_cfg, cfg, cfg_size), TAKE(own_ops, ops, ops_size), user, dec);
}

int cst_tree_reconfigure_sized(struct cst_tree *tree, uint8_t trace_id, const struct cst_config *cfg, size_t size)
{
	struct cst_config own_cfg = { 0 };

	return cst_tree_reconfigure(tree, trace_id, TAKE(own_cfg, cfg, size));
}

int cst_index_builder_new_sized(struct cst_index_builder **b, enum cst_tree_format format, unsigned flags,
				const struct cst_index_opts *opts, size_t size)
{
	struct cst_index_opts own_opts = { 0 };

	return cst_index_builder_new(b, format, flags, TAKE(own_opts, opts, size));
}

int cst_index_builder_add_sized(struct cst_index_builder *b, const struct cst_config *cfg, size_t size)
{
	struct cst_config own_cfg = { 0 };

	return cst_index_builder_add(b, TAKE(own_cfg, cfg, size));
}

void cst_index_search_sized(const struct cst_index *index, const struct cst_index_stream *stream,
			    const struct cst_index_query *query, size_t size, struct cst_index_place *place)
{
	struct cst_index_query own_query = { 0 };

	cst_index_search(index, stream, TAKE(own_query, query, size), place);
}

uint64_t cst_index_config_sized(const struct cst_config *cfg, size_t size)
{
	struct cst_config own_cfg = { 0 };

	return cst_index_config(TAKE(own_cfg, cfg, size));
}

/* What the caller has room for, without a copy when that is a whole packet. */
static struct cst_packet *room(struct cst_packet *own, struct cst_packet *pkt, size_t size)
{
	if (size < sizeof(*pkt))
		return own;
	memset((char *)pkt + sizeof(*pkt), 0, size - sizeof(*pkt));
	return pkt;
}

int cst_decoder_next_packet_sized(struct cst_decoder *dec, struct cst_packet *pkt, size_t size, struct cst_pull *pull)
{
	struct cst_packet own, *to = room(&own, pkt, size);
	int rc = cst_decoder_next_packet(dec, to, pull);

	if (to == &own && pull->why == CST_STOP_PACKET)
		memcpy(pkt, &own, size);
	return rc;
}

int cst_tree_next_packet_sized(struct cst_tree *tree, struct cst_packet *pkt, size_t size, struct cst_pull *pull)
{
	struct cst_packet own, *to = room(&own, pkt, size);
	int rc = cst_tree_next_packet(tree, to, pull);

	if (to == &own && pull->why == CST_STOP_PACKET)
		memcpy(pkt, &own, size);
	return rc;
}
