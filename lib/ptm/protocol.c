/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the Program Flow Trace protocol of the decode tree.
 */
#include "protocol/protocol.h"
#include "ptm/ptm.h"

static const uint8_t roles[CST_PTM_PKT_TYPES] = {
	[CST_PTM_PKT_NOT_SYNC] = CST_ROLE_NOT_SYNC,
	[CST_PTM_PKT_INCOMPLETE] = CST_ROLE_BAD,
	[CST_PTM_PKT_BAD_SEQUENCE] = CST_ROLE_BAD,
	[CST_PTM_PKT_RESERVED] = CST_ROLE_BAD,
	[CST_PTM_PKT_ASYNC] = CST_ROLE_ASYNC,
	[CST_PTM_PKT_ISYNC] = CST_ROLE_SYNC,
	[CST_PTM_PKT_BRANCH] = CST_ROLE_FLOW,
	[CST_PTM_PKT_EXCEPTION] = CST_ROLE_EXCEPTION,
	[CST_PTM_PKT_ATOM] = CST_ROLE_FLOW,
	[CST_PTM_PKT_WAYPOINT] = CST_ROLE_FLOW,
	[CST_PTM_PKT_TRIGGER] = CST_ROLE_EVENT,
	[CST_PTM_PKT_CONTEXT_ID] = CST_ROLE_CONTEXT,
	[CST_PTM_PKT_VMID] = CST_ROLE_CONTEXT,
	[CST_PTM_PKT_TIMESTAMP] = CST_ROLE_TIMESTAMP,
	[CST_PTM_PKT_IGNORE] = CST_ROLE_ASIDE,
};

static void parser_listing(void *parser)
{
	((struct ptm_parser *)parser)->listing = 1;
}

static void parser_synced(void *parser)
{
	((struct ptm_parser *)parser)->synced = 1;
}

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
		.roles = roles,
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
	.run = cst_ptm_run,
	.stage_same = cst_ptm_stage_same,
};
