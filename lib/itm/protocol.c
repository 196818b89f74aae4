/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the trace of an Instrumentation Trace Macrocell as a protocol of the decode tree.
 */
#include <string.h>

#include "itm/itm.h"

static void parser_listing(void *parser)
{
	((struct itm_parser *)parser)->listing = 1;
}

static void parser_synced(void *parser)
{
	((struct itm_parser *)parser)->synced = 1;
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

static int stage_same(const void *a, const void *b)
{
	const struct itm_stage *x = a, *y = b;

	return x->ready.synced == y->ready.synced && !memcmp(&x->st, &y->st, sizeof(x->st));
}

static enum fast_end run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	static const struct ready_protocol pr = { cst_itm_parse, cst_itm_roles, cst_itm_element, cst_itm_packet };

	return ready_run(x, &pr, out, n, cap);
}

const struct protocol cst_protocol_itm = {
	.ops = {
		.name = "ITM",
		.parser_size = sizeof(struct itm_parser),
		.max_packet = ITM_MAX_PACKET,
		.parser_init = cst_itm_parser_init,
		.parser_listing = parser_listing,
		.parse = cst_itm_parse,
		.parse_rest = cst_itm_parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_itm_roles,
		.n_types = CST_ITM_PKT_TYPES,
		.packet_text = cst_itm_packet_text,
		.stage_size = sizeof(struct itm_stage),
		.stage_init = cst_ready_init,
		.stage_fini = cst_stage_fini,
		.stage_reset = stage_reset,
		.stage_restart = stage_restart,
		.stage_packet = cst_itm_packet,
		.stage_end = cst_ready_end,
		.stage_take = cst_ready_take,
	},
	.run = run,
	.stage_same = stage_same,
};
