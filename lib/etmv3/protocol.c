/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.c - ETMv3 as a protocol of the decode tree, and its fast way.
 */
#include <cstrace/tree.h>

#include "etmv3/etmv3.h"
#include "protocol/protocol.h"

static const uint8_t roles[CST_ETMV3_PKT_TYPES] = {
	[CST_ETMV3_PKT_NOT_SYNC] = CST_ROLE_NOT_SYNC,
	[CST_ETMV3_PKT_INCOMPLETE] = CST_ROLE_BAD,
	[CST_ETMV3_PKT_BAD_SEQUENCE] = CST_ROLE_BAD,
	[CST_ETMV3_PKT_BAD_TRACEMODE] = CST_ROLE_BAD,
	[CST_ETMV3_PKT_RESERVED] = CST_ROLE_BAD,
	[CST_ETMV3_PKT_BRANCH] = CST_ROLE_ADDRESS,
	[CST_ETMV3_PKT_BRANCH_INFO] = CST_ROLE_EXCEPTION,
	[CST_ETMV3_PKT_ASYNC] = CST_ROLE_ASYNC,
	[CST_ETMV3_PKT_CYCLE_COUNT] = CST_ROLE_ASIDE,
	[CST_ETMV3_PKT_ISYNC] = CST_ROLE_SYNC,
	[CST_ETMV3_PKT_ISYNC_CYCLE] = CST_ROLE_SYNC,
	[CST_ETMV3_PKT_TRIGGER] = CST_ROLE_EVENT,
	[CST_ETMV3_PKT_PHDR] = CST_ROLE_FLOW,
	[CST_ETMV3_PKT_IGNORE] = CST_ROLE_ASIDE,
	[CST_ETMV3_PKT_CONTEXT_ID] = CST_ROLE_CONTEXT,
	[CST_ETMV3_PKT_VMID] = CST_ROLE_CONTEXT,
	[CST_ETMV3_PKT_TIMESTAMP] = CST_ROLE_TIMESTAMP,
};

static void parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	(void)user;
	cst_etmv3_parser_init(parser, cfg);
}

static void parser_listing(void *parser)
{
	((struct etmv3_parser *)parser)->listing = 1;
}

static void parser_synced(void *parser)
{
	((struct etmv3_parser *)parser)->synced = 1;
}

static unsigned int parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	return cst_etmv3_parse(parser, p, end, pkt);
}

static void parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	cst_etmv3_parse_rest(parser, p, end, pkt);
}

static int stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	(void)user;
	cst_etmv3_stage_init(stage, cfg, stats);
	return 0;
}

static void stage_fini(void *stage)
{
	(void)stage;
}

static void stage_reset(void *stage, uint8_t reason, int config)
{
	struct etmv3_stage *s = stage;

	cst_etmv3_stage_reset(s, reason);
	s->config = config;
}

static void stage_restart(void *stage, uint64_t index)
{
	cst_etmv3_stage_restart(stage, index);
}

static void stage_packet(void *stage, const struct cst_packet *pkt)
{
	cst_etmv3_stage_packet(stage, pkt);
}

static void stage_end(void *stage)
{
	cst_etmv3_stage_end(stage);
}

static const struct cst_element *stage_take(void *stage)
{
	return cst_etmv3_stage_take(stage);
}

static int queue_timestamp(const void *stage, int stretch, uint64_t *ts)
{
	return cst_etmv3_stage_timestamp(stage, stretch, ts);
}

static int queue_address(const void *stage, uint64_t *addr)
{
	return cst_etmv3_stage_address(stage, addr);
}

/* Of a timestamp packet, after the header: 48 bits, or 64. */
#define TIMESTAMP_BYTES 7
#define TIMESTAMP_BYTES_64 9

static int is_phdr(uint8_t h)
{
	return (h & 0x81) == 0x80;
}

static size_t skip(const void *parser, const uint8_t *p, size_t len)
{
	const struct etmv3_parser *ps = parser;
	size_t n = 0;

	if (ps->synced)
		while (n < len && is_phdr(p[n]) && ps->phdr[(p[n] & 0x7f) >> 1].fast)
			n++;
	return n;
}

static int has_atoms(const struct etmv3_parser *ps, uint8_t h)
{
	return is_phdr(h) && ps->phdr[(h & 0x7f) >> 1].n;
}

/* Begins a packet that shows that the last instruction ran: I-sync, context ID, VMID. */
static int settles(uint8_t h)
{
	return h == 0x08 || h == 0x70 || h == 0x6e || h == 0x3c;
}

/* What comes in the input, but for cycles, shows that the last instruction ran. */
static int will_settle(const struct etmv3_parser *ps, const struct cursor *c)
{
	size_t i = c->pos;

	while (i < c->len && is_phdr(c->data[i]) && !has_atoms(ps, c->data[i]))
		i++;
	return i < c->len && (has_atoms(ps, c->data[i]) || settles(c->data[i]));
}

/* The size of a timestamp packet, 0 when it is cut: the header, then bytes of which all but the last go on. */
static size_t timestamp_size(const struct etmv3_parser *ps, const uint8_t *p, size_t len)
{
	const size_t most = ps->cfg->ts64 ? TIMESTAMP_BYTES_64 : TIMESTAMP_BYTES;
	size_t n = 1;

	while (n < len && n < most && p[n] & 0x80)
		n++;
	return n < len ? n + 1 : 0;
}

/* The same over timestamps, too, which show nothing: so that what is before them need not wait. */
static int settles_later(const struct etmv3_parser *ps, const struct cursor *c)
{
	size_t i = c->pos, size = 1;
	uint8_t h;

	for (; i < c->len && size; i += size) {
		h = c->data[i];
		if (has_atoms(ps, h) || settles(h))
			return 1;
		if (ps->type[h] == CST_ETMV3_PKT_TIMESTAMP)
			size = timestamp_size(ps, c->data + i, c->len - i);
		else if (!is_phdr(h))
			break;
		else
			size = 1;
	}
	return 0;
}

/*
 * P-headers and plain branch addresses. What the last atom packet made can still be cancelled when something else
 * comes: it is taken back and left to the element stage, which holds it.
 */
static void run_direct(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	struct etmv3_stage *s = x->stage;
	struct etmv3_parser *ps = x->c->ps;
	struct insn_mark mark = { .from = NULL };
	struct cursor *c = x->c;
	struct insn_input in = { c->data, c->pos, c->len, c->seg, c->seg_count, c->seg_i };
	uint64_t index = s->last_index, packets = 0;
	size_t used;

	while (c->pos < c->len) {
		uint64_t at = cst_cursor_index(c, c->pos);
		uint8_t h = c->data[c->pos];

		if (is_phdr(h)) {
			struct insn_mark m = { .from = NULL };

			in.pos = c->pos;
			in.seg_i = c->seg_i;
			used = cst_flow_fast_insns(x->f, ps->phdr, &in, out, n, cap, &m);
			if (m.from)
				mark = m;
			if (!used) {
				/* an atom packet comes next: what is before it ran */
				if (has_atoms(ps, h))
					mark.from = NULL;
				break;
			}
			c->pos = in.pos;
			ps->zeros = 0;
			packets += used;
			index = cst_cursor_index(c, c->pos - 1);
			continue;
		}
		if (!(h & 1)) {
			if (settles_later(ps, c))
				mark.from = NULL;
			break;
		}
		used = cst_etmv3_branch(ps, c->data + c->pos, c->data + c->len);
		if (!used)
			break;
		cst_flow_at(x->f, ps->addr, ps->isa);
		c->pos += used;
		packets++;
		index = at;
		mark.from = NULL;
	}
	if (mark.from) {
		/* nothing but P-headers came since */
		packets -= c->pos - mark.pos;
		c->pos = mark.pos;
		while (c->seg[c->seg_i].pos > c->pos)
			c->seg_i--;
		cst_flow_back(x->f, &mark, out, n);
	}
	x->stats->packets += packets;
	if (packets)
		s->last_index = index;
}

static int run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	const struct etmv3_parser *ps = x->c->ps;
	const struct cursor *c = x->c;

	/* which range the reference holds depends on those before it, packet by packet */
	if (ps->cfg->as_reference)
		return 0;
	if (cst_etmv3_stage_holds(x->stage) && ps->synced && will_settle(ps, c)) {
		cst_etmv3_stage_settle(x->stage);
		return 1;
	}
	if (cst_etmv3_stage_direct(x->stage) && ps->synced) {
		x->f->stopped = 0;
		run_direct(x, out, n, cap);
	}
	return 0;
}

const struct protocol cst_protocol_etmv3 = {
	.ops = {
		.name = "ETMv3",
		.parser_size = sizeof(struct etmv3_parser),
		.max_packet = ETMV3_MAX_PACKET,
		.piece_by_run = 1,
		.piece_max = ETMV3_UNSYNCED_PIECE,
		.parser_init = parser_init,
		.parser_listing = parser_listing,
		.parse = parse,
		.parse_rest = parse_rest,
		.parser_synced = parser_synced,
		.roles = roles,
		.n_types = CST_ETMV3_PKT_TYPES,
		.packet_text = cst_etmv3_packet_text,
		.stage_size = sizeof(struct etmv3_stage),
		.stage_init = stage_init,
		.stage_fini = stage_fini,
		.stage_reset = stage_reset,
		.stage_restart = stage_restart,
		.stage_packet = stage_packet,
		.stage_end = stage_end,
		.stage_take = stage_take,
	},
	.run = run,
	.skip = skip,
	.queue_timestamp = queue_timestamp,
	.queue_address = queue_address,
};
