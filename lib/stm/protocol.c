/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - STPv2 of a System Trace Macrocell as a protocol of the decode tree.
 */
#include "stm/stm.h"

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	(void)user;
	cst_stm_parser_init(parser, cfg);
}

static void parser_synced(void *parser)
{
	((struct stm_parser *)parser)->synced = 1;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	return cst_stm_parse(parser, p, end, pkt);
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	cst_stm_parse_rest(parser, p, end, pkt);
}

static int stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	(void)user;
	cst_ready_init(stage, cfg, stats);
	return 0;
}

static void stage_fini(void *stage)
{
	(void)stage;
}

static void stage_reset(void *stage, uint8_t reason, int config)
{
	struct stm_stage *s = stage;

	cst_ready_reset(&s->ready, reason, config);
	s->id_known = 0;
}

static void stage_restart(void *stage, uint64_t index)
{
	struct stm_stage *s = stage;

	cst_ready_restart(&s->ready, index);
	s->id_known = 0;
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	cst_stm_packet(stage, pkt);
}

static void stage_end(void *stage)
{
	cst_ready_end(stage);
}

static const struct cst_element *stage_take(void *stage)
{
	return cst_ready_take(stage);
}

static int stage_same(const void *a, const void *b)
{
	const struct stm_stage *x = a, *y = b;

	return x->ready.synced == y->ready.synced && x->id_known == y->id_known;
}

static int element(void *stage, const struct cst_packet *pkt, struct cst_generic *g)
{
	return cst_stm_element(stage, pkt, g);
}

static enum fast_end run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	static const struct ready_protocol pr = { parse, cst_stm_roles, element, stage_packet };

	return ready_run(x, &pr, out, n, cap);
}

const struct protocol cst_protocol_stm = {
	.ops = {
		.name = "STM",
		.parser_size = sizeof(struct stm_parser),
		.max_packet = STM_MAX_PACKET,
		.sub_byte = 1,
		.parser_init = parser_init,
		.parse = parse,
		.parse_rest = parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_stm_roles,
		.n_types = CST_STM_PKT_TYPES,
		.packet_text = cst_stm_packet_text,
		.stage_size = sizeof(struct stm_stage),
		.stage_init = stage_init,
		.stage_fini = stage_fini,
		.stage_reset = stage_reset,
		.stage_restart = stage_restart,
		.stage_packet = stage_packet,
		.stage_end = stage_end,
		.stage_take = stage_take,
	},
	.run = run,
	.stage_same = stage_same,
};
