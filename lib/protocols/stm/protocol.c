/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - STPv2 of a System Trace Macrocell as a protocol of the decode tree.
 */
#include "protocols/stm/stm.h"

PARSER_FLAG(parser_synced, stm_parser, synced)

static const struct ready_protocol rules = {
	.parse = cst_stm_parse, .roles = cst_stm_roles, .element = cst_stm_element, .reserved = CST_STM_PKT_RESERVED, .own_losses = 1,
};

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	cst_ready_packet(stage, pkt, &rules);
}

static enum fast_end stm_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	return ready_run(x, &rules, out, n, cap);
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
		READY_STAGE(stage_packet),
	},
	.run = stm_run,
	.stage_digest = cst_ready_digest,
};
