/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the ETMv4 data trace stream as a protocol of the decode tree.
 */
#include "etmv4d/etmv4d.h"

static void parser_synced(void *parser)
{
	((struct etmv4d_parser *)parser)->synced = 1;
}

static void stage_reset(void *stage, uint8_t reason, int config)
{
	struct etmv4d_stage *s = stage;

	cst_ready_reset(&s->ready, reason, config);
	s->info = 0;
}

static void stage_restart(void *stage, uint64_t index)
{
	struct etmv4d_stage *s = stage;

	cst_ready_restart(&s->ready, index);
	s->info = 0;
}

static int stage_same(const void *a, const void *b)
{
	const struct etmv4d_stage *x = a, *y = b;

	return x->ready.synced == y->ready.synced && x->info == y->info;
}

const struct protocol cst_protocol_etmv4_data = {
	.ops = {
		.name = "ETMv4 data",
		.parser_size = sizeof(struct etmv4d_parser),
		.max_packet = ETMV4D_MAX_PACKET,
		.parser_init = cst_etmv4d_parser_init,
		.parse = cst_etmv4d_parse,
		.parse_rest = cst_etmv4d_parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_etmv4d_roles,
		.n_types = CST_ETMV4D_PKT_TYPES,
		.packet_text = cst_etmv4d_packet_text,
		.stage_size = sizeof(struct etmv4d_stage),
		.stage_init = cst_ready_init,
		.stage_fini = cst_stage_fini,
		.stage_reset = stage_reset,
		.stage_restart = stage_restart,
		.stage_packet = cst_etmv4d_packet,
		.stage_end = cst_ready_end,
		.stage_take = cst_ready_take,
	},
	.stage_same = stage_same,
};
