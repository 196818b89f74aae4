/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - ETMv3 as a protocol of the decode tree.
 */
#include <cstrace/decoder.h>

#include "protocols/etmv3/etmv3.h"
#include "protocols/protocol/protocol_int.h"

PARSER_FLAG(parser_listing, etmv3_parser, listing)
PARSER_FLAG(parser_synced, etmv3_parser, synced)

static size_t skip(const void *parser, const uint8_t *p, size_t len)
{
	const struct etmv3_parser *ps = parser;
	size_t n = 0;

	/* the first packet after zeros is left to the parser, which resets ps->zeros */
	if (ps->synced && !ps->zeros)
		while (n < len && ps->phdr[p[n]].fast)
			n++;
	return n;
}

const struct protocol cst_protocol_etmv3 = {
	.ops = {
		.name = "ETMv3",
		.parser_size = sizeof(struct etmv3_parser),
		.max_packet = ETMV3_MAX_PACKET,
		.piece_by_run = 1,
		.piece_max = ETMV3_UNSYNCED_PIECE,
		.parser_init = cst_etmv3_parser_init,
		.parser_listing = parser_listing,
		.parse = cst_etmv3_parse,
		.parse_rest = cst_etmv3_parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_etmv3_roles,
		.n_types = CST_ETMV3_PKT_TYPES,
		.packet_text = cst_etmv3_packet_text,
		.stage_size = sizeof(struct etmv3_stage),
		.stage_init = cst_etmv3_stage_init,
		.stage_fini = cst_stage_fini,
		.stage_reset = cst_etmv3_stage_reset,
		.stage_restart = cst_etmv3_stage_restart,
		.stage_packet = cst_etmv3_stage_packet,
		.stage_end = cst_etmv3_stage_end,
		.stage_take = cst_etmv3_stage_take,
	},
	.is_flow = 1,
	.run = cst_etmv3_run,
	.skip = skip,
	.queue_address = cst_etmv3_stage_address,
	.stage_digest = cst_etmv3_stage_digest,
	.stage_leave = cst_etmv3_stage_leave,
};
