/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the Program Flow Trace protocol of the decode tree.
 */
#include "protocols/protocol/protocol_int.h"
#include "protocols/ptm/ptm.h"

PARSER_FLAG(parser_listing, ptm_parser, listing)
PARSER_FLAG(parser_synced, ptm_parser, synced)

const struct protocol cst_protocol_ptm = {
	.ops = {
		.name = "PTM",
		.parser_size = sizeof(struct ptm_parser),
		.max_packet = PTM_MAX_PACKET,
		.piece_by_run = 1,
		.parser_init = cst_ptm_parser_init,
		.parser_listing = parser_listing,
		.parse = cst_ptm_parse,
		.parse_rest = cst_ptm_parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_ptm_roles,
		.n_types = CST_PTM_PKT_TYPES,
		.packet_text = cst_ptm_packet_text,
		.stage_size = sizeof(struct ptm_stage),
		.stage_init = cst_ptm_stage_init,
		.stage_fini = cst_stage_fini,
		.stage_reset = cst_ptm_stage_reset,
		.stage_restart = cst_ptm_stage_restart,
		.stage_packet = cst_ptm_stage_packet,
		.stage_end = cst_ptm_stage_end,
		.stage_take = cst_ptm_stage_take,
	},
	.is_flow = 1,
	.run = cst_ptm_run,
	.queue_address = cst_ptm_stage_address,
	.stage_digest = cst_ptm_stage_digest,
};
