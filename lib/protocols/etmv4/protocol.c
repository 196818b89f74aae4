/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the ETMv4/ETE instruction stream as a protocol of the decode tree.
 */
#include <cstrace/decoder.h>

#include "protocols/etmv4/etmv4.h"
#include "protocols/protocol/protocol_int.h"

PARSER_FLAG(parser_listing, etmv4_parser, listing)

static void parser_synced(void *parser)
{
	struct etmv4_parser *ps = parser;

	ps->synced = 1;
	ps->padding = 0;
}

/* struct protocol.skip: atom packets. The first packet after zeros is left to the parser, which resets ps->zeros. */
static size_t skip(const void *parser, const uint8_t *p, size_t len)
{
	const struct etmv4_parser *ps = parser;
	size_t n = 0;

	if (ps->synced && !ps->zeros)
		while (n < len && p[n] >= ETMV4_ATOMS)
			n++;
	return n;
}

static const struct cst_element *queue_at(const void *stage, uint32_t i)
{
	const struct etmv4_queue *q = stage;

	return i < q->count ? &q->ring[(q->head + i) & (q->cap - 1)] : NULL;
}

static int stage_idle(const void *stage)
{
	return cst_etmv4_queue_direct(stage);
}

const struct protocol cst_protocol_etmv4 = {
	.ops = {
		.name = "ETMv4",
		.parser_size = sizeof(struct etmv4_parser),
		.max_packet = ETMV4_MAX_PACKET,
		.parser_init = cst_etmv4_parser_init,
		.parser_listing = parser_listing,
		.parse = cst_etmv4_parse,
		.parse_rest = cst_etmv4_parse_rest,
		.parser_synced = parser_synced,
		.roles = cst_etmv4_roles,
		.n_types = CST_PKT_TYPES,
		.packet_text = cst_etmv4_packet_text,
		.stage_size = sizeof(struct etmv4_queue),
		.stage_init = cst_etmv4_queue_init,
		.stage_fini = cst_etmv4_queue_free,
		.stage_reset = cst_etmv4_queue_reset,
		.stage_restart = cst_etmv4_queue_restart,
		.stage_packet = cst_etmv4_queue_packet,
		.stage_end = cst_etmv4_queue_end,
		.stage_take = cst_etmv4_queue_take,
	},
	.is_flow = 1,
	.run = cst_etmv4_run,
	.skip = skip,
	.queue_address = cst_etmv4_queue_address,
	.stage_digest = cst_etmv4_queue_digest,
	.queue_at = queue_at,
	.stage_idle = stage_idle,
};
