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

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	(void)user;
	cst_ptm_parser_init(parser, cfg);
}

static void parser_listing(void *parser)
{
	((struct ptm_parser *)parser)->listing = 1;
}

static void parser_synced(void *parser)
{
	((struct ptm_parser *)parser)->synced = 1;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	return cst_ptm_parse(parser, p, end, pkt);
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	cst_ptm_parse_rest(parser, p, end, pkt);
}

static int stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	(void)user;
	cst_ptm_stage_init(stage, cfg, stats);
	return 0;
}

static void stage_fini(void *stage)
{
	(void)stage;
}

static void stage_reset(void *stage, uint8_t reason, int config)
{
	cst_ptm_stage_reset(stage, reason, config);
}

static void stage_restart(void *stage, uint64_t index)
{
	cst_ptm_stage_restart(stage, index);
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	cst_ptm_stage_packet(stage, pkt);
}

static void stage_end(void *stage)
{
	cst_ptm_stage_end(stage);
}

static const struct cst_element *stage_take(void *stage)
{
	return cst_ptm_stage_take(stage);
}

static int stage_same(const void *a, const void *b)
{
	return cst_ptm_stage_same(a, b);
}

const struct protocol cst_protocol_ptm = {
	.ops = {
		.name = "PTM",
		.parser_size = sizeof(struct ptm_parser),
		.max_packet = PTM_MAX_PACKET,
		.piece_by_run = 1,
		.parser_init = parser_init,
		.parser_listing = parser_listing,
		.parse = parse,
		.parse_rest = parse_rest,
		.parser_synced = parser_synced,
		.roles = roles,
		.n_types = CST_PTM_PKT_TYPES,
		.packet_text = cst_ptm_packet_text,
		.stage_size = sizeof(struct ptm_stage),
		.stage_init = stage_init,
		.stage_fini = stage_fini,
		.stage_reset = stage_reset,
		.stage_restart = stage_restart,
		.stage_packet = stage_packet,
		.stage_end = stage_end,
		.stage_take = stage_take,
	},
	.run = cst_ptm_run,
	.stage_same = stage_same,
};
