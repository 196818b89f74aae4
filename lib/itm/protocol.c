/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the trace of an Instrumentation Trace Macrocell as a protocol of the decode tree.
 */
#include <string.h>

#include "itm/itm.h"

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	(void)user;
	cst_itm_parser_init(parser, cfg);
}

static void parser_listing(void *parser)
{
	((struct itm_parser *)parser)->listing = 1;
}

static void parser_synced(void *parser)
{
	((struct itm_parser *)parser)->synced = 1;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	return cst_itm_parse(parser, p, end, pkt);
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	cst_itm_parse_rest(parser, p, end, pkt);
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
	struct itm_stage *s = stage;

	cst_ready_reset(&s->ready, reason, config);
	memset(&s->st, 0, sizeof(s->st));
}

static void stage_restart(void *stage, uint64_t index)
{
	struct itm_stage *s = stage;

	cst_ready_restart(&s->ready, index);
	memset(&s->st, 0, sizeof(s->st));
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	cst_itm_packet(stage, pkt);
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
	const struct itm_stage *x = a, *y = b;

	return x->ready.synced == y->ready.synced && !memcmp(&x->st, &y->st, sizeof(x->st));
}

static int element(void *stage, const struct cst_packet *pkt, struct cst_generic *g)
{
	return cst_itm_element(stage, pkt, g);
}

static enum fast_end run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	static const struct ready_protocol pr = { parse, cst_itm_roles, element, stage_packet };

	return ready_run(x, &pr, out, n, cap);
}

const struct protocol cst_protocol_itm = {
	.ops = {
		.name = "ITM",
		.parser_size = sizeof(struct itm_parser),
		.max_packet = ITM_MAX_PACKET,
		.parser_init = parser_init,
		.parser_listing = parser_listing,
		.parse = parse,
		.parse_rest = parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_itm_roles,
		.n_types = CST_ITM_PKT_TYPES,
		.packet_text = cst_itm_packet_text,
		.stage_size = sizeof(struct itm_stage),
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
