/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - STPv2 of a System Trace Macrocell as a protocol of the decode tree.
 */
#include "stm/stm.h"

static void parser_synced(void *parser)
{
	((struct stm_parser *)parser)->synced = 1;
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

static int stage_same(const void *a, const void *b)
{
	const struct stm_stage *x = a, *y = b;

	return x->ready.synced == y->ready.synced && x->id_known == y->id_known;
}

static enum fast_end run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	static const struct ready_protocol pr = { cst_stm_parse, cst_stm_roles, cst_stm_element, cst_stm_packet };

	return ready_run(x, &pr, out, n, cap);
}

const struct protocol cst_protocol_stm = {
	.ops = {
		.name = "STM",
		.parser_size = sizeof(struct stm_parser),
		.max_packet = STM_MAX_PACKET,
		.sub_byte = 1,
		.parser_init = cst_stm_parser_init,
		.parse = cst_stm_parse,
		.parse_rest = cst_stm_parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_stm_roles,
		.n_types = CST_STM_PKT_TYPES,
		.packet_text = cst_stm_packet_text,
		.stage_size = sizeof(struct stm_stage),
		.stage_init = cst_ready_init,
		.stage_fini = cst_stage_fini,
		.stage_reset = stage_reset,
		.stage_restart = stage_restart,
		.stage_packet = cst_stm_packet,
		.stage_end = cst_ready_end,
		.stage_take = cst_ready_take,
	},
	.run = run,
	.stage_same = stage_same,
};
