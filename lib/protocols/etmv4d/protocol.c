/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the ETMv4 data trace stream as a protocol of the decode tree.
 */
#include "protocols/etmv4d/etmv4d.h"

PARSER_FLAG(parser_synced, etmv4d_parser, synced)

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	static const struct ready_protocol rules = {
		.roles = cst_etmv4d_roles, .element = cst_etmv4d_element, .reserved = CST_ETMV4D_PKT_RESERVED,
	};

	cst_ready_packet(stage, pkt, &rules);
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
		READY_STAGE(stage_packet),
	},
	.stage_digest = cst_ready_digest,
};
