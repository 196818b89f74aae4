/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sized.c - functions that take a struct which may grow, for callers that were compiled with a smaller one: what such a
 * caller does not have is 0 for the library, and is not written (cstrace.h, "Sizes of structs").
 */
#include <string.h>

#include <cstrace/cstrace.h>

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The library's struct, which is 0, from the caller's. What a function does not write the caller gets back. */
static const void *take(void *own, size_t own_size, const void *given, size_t size)
{
	if (!given)
		return NULL;
	memcpy(own, given, smaller(size, own_size));
	return own;
}

/* The caller's struct from the library's. A caller that has more than the library knows gets 0 there. */
static void give(void *given, size_t size, const void *own, size_t own_size)
{
	memcpy(given, own, smaller(size, own_size));
	if (size > own_size)
		memset((char *)given + own_size, 0, size - own_size);
}

#define TAKE(own, given, size) take(&(own), sizeof(own), given, size)
#define GIVE(given, size, own) give(given, size, &(own), sizeof(own))

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

int cst_snapshot_read_sized(struct cst_snapshot **ss, const struct cst_snap_io *io, size_t size, const char *index)
{
	struct cst_snap_io own_io = { 0 };

	return cst_snapshot_read(ss, TAKE(own_io, io, size), index);
}

int cst_snapshot_write_sized(const struct cst_snapshot *ss, const struct cst_snap_sink *sink, size_t size,
			     const char *index, const char *metadata)
{
	struct cst_snap_sink own_sink = { 0 };

	return cst_snapshot_write(ss, TAKE(own_sink, sink, size), index, metadata);
}

int cst_snap_etmv4_sized(const struct cst_snap_device *source, struct cst_etmv4_regs *regs, size_t size, int *ete,
			 unsigned int *assumed, const char **missing)
{
	struct cst_etmv4_regs own_regs = { 0 };
	int rc;

	TAKE(own_regs, regs, size);
	rc = cst_snap_etmv4(source, &own_regs, ete, assumed, missing);
	GIVE(regs, size, own_regs);
	return rc;
}

int cst_snap_config_sized(const struct cst_snap_device *source, const struct cst_snap_device *core,
			  unsigned int stream, struct cst_config *cfg, size_t size, unsigned int *assumed,
			  const char **missing)
{
	struct cst_config own_cfg = { 0 };
	int rc;

	TAKE(own_cfg, cfg, size);
	rc = cst_snap_config(source, core, stream, &own_cfg, assumed, missing);
	GIVE(cfg, size, own_cfg);
	return rc;
}

int cst_snap_memory_new_sized(struct cst_snap_memory **mem, const struct cst_snapshot *ss, struct cst_image *img,
			      const struct cst_snap_io *io, size_t size, size_t *missing)
{
	struct cst_snap_io own_io = { 0 };

	return cst_snap_memory_new(mem, ss, img, TAKE(own_io, io, size), missing);
}

int cst_meta_etmv4_sized(const struct cst_meta_source *src, struct cst_etmv4_regs *regs, size_t size, int *ete,
			 struct cst_problem *why)
{
	struct cst_etmv4_regs own_regs = { 0 };
	int rc;

	TAKE(own_regs, regs, size);
	rc = cst_meta_etmv4(src, &own_regs, ete, why);
	GIVE(regs, size, own_regs);
	return rc;
}

int cst_meta_set_etmv4_sized(struct cst_doc *doc, const char *section, const struct cst_etmv4_regs *regs, size_t size,
			     int ete)
{
	struct cst_etmv4_regs own_regs = { 0 };

	return cst_meta_set_etmv4(doc, section, TAKE(own_regs, regs, size), ete);
}

int cst_event_next_sized(struct cst_event_reader *r, struct cst_event *ev, size_t size, struct cst_problem *why)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_event_next(r, &own_ev, why);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_event_prev_sized(struct cst_event_reader *r, struct cst_event *ev, size_t size, struct cst_problem *why)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_event_prev(r, &own_ev, why);
	GIVE(ev, size, own_ev);
	return rc;
}

int64_t cst_event_write_sized(const struct cst_event *ev, size_t size, char *out, size_t cap)
{
	struct cst_event own_ev = { 0 };

	return cst_event_write(TAKE(own_ev, ev, size), out, cap);
}

int cst_state_new_sized(struct cst_state **st, const struct cst_state_limits *limits, size_t size)
{
	struct cst_state_limits own_limits = { 0 };

	return cst_state_new(st, TAKE(own_limits, limits, size));
}

int cst_state_apply_sized(struct cst_state *st, const struct cst_event *ev, size_t size, cst_state_fn emit, void *ctx)
{
	struct cst_event own_ev = { 0 };

	return cst_state_apply(st, TAKE(own_ev, ev, size), emit, ctx);
}

int cst_state_unapply_sized(struct cst_state *st, const struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };

	return cst_state_unapply(st, TAKE(own_ev, ev, size));
}

void cst_state_counts_sized(const struct cst_state *st, struct cst_state_counts *counts, size_t size)
{
	struct cst_state_counts own_counts = { 0 };

	TAKE(own_counts, counts, size);
	cst_state_counts(st, &own_counts);
	GIVE(counts, size, own_counts);
}

int cst_state_process_sized(const struct cst_state *st, int64_t pid, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_process(st, pid, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_thread_sized(const struct cst_state *st, int64_t tid, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_thread(st, tid, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_asid_sized(const struct cst_state *st, uint32_t asid, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_asid(st, asid, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_trace_sized(const struct cst_state *st, struct cst_str source, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_trace(st, source, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_state_code_sized(const struct cst_state *st, int64_t pid, uint64_t address, struct cst_event *ev, size_t size)
{
	struct cst_event own_ev = { 0 };
	int rc;

	TAKE(own_ev, ev, size);
	rc = cst_state_code(st, pid, address, &own_ev);
	GIVE(ev, size, own_ev);
	return rc;
}

int cst_package_read_sized(struct cst_package **pkg, const struct cst_snap_io *io, size_t size, const char *index)
{
	struct cst_snap_io own_io = { 0 };

	return cst_package_read(pkg, TAKE(own_io, io, size), index);
}

int cst_tarmac_reader_new_sized(struct cst_tarmac_reader **r, const struct cst_tarmac_opts *opts, size_t size)
{
	struct cst_tarmac_opts own_opts = { 0 };

	return cst_tarmac_reader_new(r, TAKE(own_opts, opts, size));
}

int64_t cst_tarmac_write_sized(const struct cst_tarmac_record *rec, size_t size, enum cst_tarmac_dialect dialect, char *out,
			       size_t cap)
{
	struct cst_tarmac_record own_rec = { 0 };

	return cst_tarmac_write(TAKE(own_rec, rec, size), dialect, out, cap);
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
