/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the trace of an Instrumentation Trace Macrocell as a protocol of the decode tree.
 */
#include "protocols/itm/itm.h"

PARSER_FLAG(parser_listing, itm_parser, listing)
PARSER_FLAG(parser_synced, itm_parser, synced)

static const struct ready_protocol rules = {
	.parse = cst_itm_parse, .roles = cst_itm_roles, .element = cst_itm_element, .reserved = CST_ITM_PKT_RESERVED,
	.tries = 1,
};

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	cst_ready_packet(stage, pkt, &rules);
}

static enum fast_end itm_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	return ready_run(x, &rules, out, n, cap);
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
		READY_STAGE(stage_packet),
	},
	.run = itm_run,
	.stage_digest = cst_ready_digest,
};
