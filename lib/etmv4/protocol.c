/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - the ETMv4/ETE instruction stream as a protocol of the decode tree.
 */
#include <cstrace/tree.h>

#include "etmv4/etmv4.h"
#include "protocol/protocol.h"

static const uint8_t roles[CST_PKT_TYPES] = {
	[CST_PKT_NOT_SYNC] = CST_ROLE_NOT_SYNC,
	[CST_PKT_INCOMPLETE] = CST_ROLE_BAD,
	[CST_PKT_BAD_SEQUENCE] = CST_ROLE_BAD,
	[CST_PKT_RESERVED] = CST_ROLE_BAD,
	[CST_PKT_RESERVED_CFG] = CST_ROLE_BAD,
	[CST_PKT_ASYNC] = CST_ROLE_ASYNC,
	[CST_PKT_DISCARD] = CST_ROLE_DISCARD,
	[CST_PKT_OVERFLOW] = CST_ROLE_LOSS,
	[CST_PKT_TRACE_INFO] = CST_ROLE_SYNC,
	[CST_PKT_TIMESTAMP] = CST_ROLE_TIMESTAMP,
	[CST_PKT_TRACE_ON] = CST_ROLE_TRACE_ON,
	[CST_PKT_EXCEPTION] = CST_ROLE_EXCEPTION,
	[CST_PKT_PE_RESET] = CST_ROLE_EXCEPTION,
	[CST_PKT_CCNT_F1] = CST_ROLE_ASIDE,
	[CST_PKT_CCNT_F2] = CST_ROLE_ASIDE,
	[CST_PKT_CCNT_F3] = CST_ROLE_ASIDE,
	[CST_PKT_IGNORE] = CST_ROLE_ASIDE,
	[CST_PKT_TS_MARKER] = CST_ROLE_ASIDE,
	[CST_PKT_BF_FLUSH] = CST_ROLE_ASIDE,
	[CST_PKT_DATA_SYNC_NUM] = CST_ROLE_ASIDE,
	[CST_PKT_DATA_SYNC] = CST_ROLE_ASIDE,
	[CST_PKT_COND_I_F1] = CST_ROLE_ASIDE,
	[CST_PKT_COND_I_F2] = CST_ROLE_ASIDE,
	[CST_PKT_COND_I_F3] = CST_ROLE_ASIDE,
	[CST_PKT_COND_FLUSH] = CST_ROLE_ASIDE,
	[CST_PKT_COND_R_F1] = CST_ROLE_ASIDE,
	[CST_PKT_COND_R_F2] = CST_ROLE_ASIDE,
	[CST_PKT_COND_R_F3] = CST_ROLE_ASIDE,
	[CST_PKT_COND_R_F4] = CST_ROLE_ASIDE,
	[CST_PKT_EVENT] = CST_ROLE_EVENT,
	[CST_PKT_CONTEXT] = CST_ROLE_CONTEXT,
	[CST_PKT_ADDR_CTXT_32] = CST_ROLE_ADDRESS_CONTEXT,
	[CST_PKT_ADDR_CTXT_64] = CST_ROLE_ADDRESS_CONTEXT,
	[CST_PKT_ADDR_MATCH] = CST_ROLE_ADDRESS,
	[CST_PKT_ADDR_SHORT] = CST_ROLE_ADDRESS,
	[CST_PKT_ADDR_32] = CST_ROLE_ADDRESS,
	[CST_PKT_ADDR_64] = CST_ROLE_ADDRESS,
	[CST_PKT_Q] = CST_ROLE_FLOW,
	[CST_PKT_SRC_MATCH] = CST_ROLE_FLOW,
	[CST_PKT_SRC_SHORT] = CST_ROLE_FLOW,
	[CST_PKT_SRC_32] = CST_ROLE_FLOW,
	[CST_PKT_SRC_64] = CST_ROLE_FLOW,
	[CST_PKT_ATOM_F1] = CST_ROLE_FLOW,
	[CST_PKT_ATOM_F2] = CST_ROLE_FLOW,
	[CST_PKT_ATOM_F3] = CST_ROLE_FLOW,
	[CST_PKT_ATOM_F4] = CST_ROLE_FLOW,
	[CST_PKT_ATOM_F5] = CST_ROLE_FLOW,
	[CST_PKT_ATOM_F6] = CST_ROLE_FLOW,
};

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	(void)user;
	cst_etmv4_parser_init(parser, cfg);
}

static void parser_listing(void *parser)
{
	((struct etmv4_parser *)parser)->listing = 1;
}

static void parser_synced(void *parser)
{
	((struct etmv4_parser *)parser)->synced = 1;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	return cst_etmv4_parse(parser, p, end, pkt);
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	cst_etmv4_parse_rest(parser, p, end, pkt);
}

static int stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	(void)user;
	return cst_etmv4_queue_init(stage, cfg, stats);
}

static void stage_fini(void *stage)
{
	cst_etmv4_queue_free(stage);
}

static void stage_reset(void *stage, uint8_t reason, int config)
{
	struct etmv4_queue *q = stage;

	cst_etmv4_queue_reset(q, reason);
	q->config = config;
}

static void stage_restart(void *stage, uint64_t index)
{
	cst_etmv4_queue_restart(stage, index);
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	cst_etmv4_queue_packet(stage, pkt);
}

static void stage_end(void *stage)
{
	cst_etmv4_queue_end(stage);
}

static const struct cst_element *stage_take(void *stage)
{
	return cst_etmv4_queue_take(stage);
}

/* Atom packets. The first one after zeros is left to the parser, which forgets these. */
static size_t skip(const void *parser, const uint8_t *p, size_t len)
{
	const struct etmv4_parser *ps = parser;
	size_t n = 0;

	if (ps->synced && !ps->zeros)
		while (n < len && p[n] >= ETMV4_ATOMS)
			n++;
	return n;
}

static int queue_address(const void *stage, uint64_t *addr)
{
	return cst_etmv4_queue_address(stage, addr);
}

static int stage_same(const void *a, const void *b)
{
	return cst_etmv4_queue_same(a, b);
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
		.parser_init = parser_init,
		.parser_listing = parser_listing,
		.parse = parse,
		.parse_rest = parse_rest,
		.parser_synced = parser_synced,
		.roles = roles,
		.n_types = CST_PKT_TYPES,
		.packet_text = cst_etmv4_packet_text,
		.stage_size = sizeof(struct etmv4_queue),
		.stage_init = stage_init,
		.stage_fini = stage_fini,
		.stage_reset = stage_reset,
		.stage_restart = stage_restart,
		.stage_packet = stage_packet,
		.stage_end = stage_end,
		.stage_take = stage_take,
	},
	.run = cst_etmv4_run,
	.skip = skip,
	.queue_address = queue_address,
	.stage_same = stage_same,
	.queue_at = queue_at,
	.stage_idle = stage_idle,
};
