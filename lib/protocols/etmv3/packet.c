/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.c - ETMv3 bytes to packets (IHI 0014Q chapter 7, "ETMv3 Signal Protocol").
 */
#include <string.h>

#include "base/bits.h"
#include "base/log_int.h"
#include "base/quirks.h"
#include "bytes/reader/async.h"
#include "protocols/etmv3/etmv3.h"

/* Maximum unsynchronised bytes of one packet, whose size is a 16-bit number. */
#define MAX_SKIP 0xffff

/* Maximum zeros of an A-sync; with more it is a bad sequence. */
#define MAX_ZEROS 48

/* When a trace unit sends a packet: the `when` column of packets.def. */
enum hdr_when { ALWAYS, DATA, VALUE, V35 };

static const struct {
	uint8_t mask, match, type, when;
} headers[] = {
#define PKT(m, v, t, w) { m, v, CST_ETMV3_PKT_##t, w },
#include "protocols/etmv3/packets.def"
};

/* enum cst_packet_role by type */
#define TYPE(t, role) [CST_ETMV3_PKT_##t] = CST_ROLE_##role,
const uint8_t cst_etmv3_roles[CST_ETMV3_PKT_TYPES] = {
#include "protocols/etmv3/packets.def"
};

#define VERSION_3_5 0x35

static uint8_t type_of(const struct cst_config *cfg, unsigned int row)
{
	unsigned int when = headers[row].when;

	if ((when == DATA && !cfg->data_trace) || (when == VALUE && !cfg->data_value))
		return CST_ETMV3_PKT_BAD_TRACEMODE;
	return headers[row].type;
}

/* Sets the types of all headers; of the rows that match one, the first holds. */
static void fill_types(uint8_t type[256], const struct cst_config *cfg)
{
	unsigned int row = sizeof(headers) / sizeof(headers[0]), h, open;
	uint8_t t;

	memset(type, CST_ETMV3_PKT_RESERVED, 256);
	while (row--) {
		t = type_of(cfg, row);
		open = ~headers[row].mask & 0xffu;
		/* every header that the row matches, by all values of the bits that are not in the mask */
		for (h = open; ; h = (h - 1) & open) {
			type[headers[row].match | h] = t;
			if (!h)
				break;
		}
	}
}

/* Returns the type of a header in a configuration that traces data addresses and values. */
static uint8_t type_in_any(unsigned int h)
{
	static const struct cst_config all = { .data_trace = 1, .data_addr = 1, .data_value = 1 };
	uint8_t type[256];

	fill_types(type, &all);
	return type[h];
}

void cst_etmv3_parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	struct etmv3_parser *ps = parser;

	(void)user;
	memset(ps, 0, sizeof(*ps));
	ps->cfg = cfg;
	ps->isa = CST_ISA_UNKNOWN;
	fill_types(ps->type, cfg);
	cst_etmv3_phdrs(ps);
}

/* Searches for an A-sync. Returns the size of the piece of bytes before it, or the A-sync if p is its beginning. */
static unsigned int search_async(struct etmv3_parser *ps, const uint8_t *p, const uint8_t *end,
				 struct cst_packet *pkt)
{
	/* an A-sync that begins in a piece ends in these bytes; all that follow would be searched for each piece */
	const ptrdiff_t most = ps->listing ? ETMV3_UNSYNCED_PIECE + ETMV3_ASYNC_ZEROS + 1 : MAX_SKIP;
	struct async_place at;
	const uint8_t *q, *zero;

	if (end - p > most)
		end = p + most;
	at = cst_async_find(p, end, 0, ETMV3_ASYNC_ZEROS, ETMV3_ASYNC_ZEROS);
	if (!at.skip) {
		pkt->type = CST_ETMV3_PKT_ASYNC;
		ps->synced = at.size != 0;
		return at.size;
	}
	pkt->type = CST_ETMV3_PKT_NOT_SYNC;
	if (ps->listing) {
		/* a piece ends before a zero in the reference's listings */
		if (at.skip > ETMV3_UNSYNCED_PIECE)
			at.skip = ETMV3_UNSYNCED_PIECE;
		for (q = p; q < p + at.skip && !*q; q++)
			;
		zero = memchr(q, 0, p + at.skip - q);
		if (zero)
			at.skip = zero - p;
	}
	return at.skip;
}

/*
 * Returns how many of the packet's `size` bytes are before an A-sync in them, or `size`. Five zeros and 0x80 occur in an
 * A-sync only (IHI 0014Q 7.10): a packet that seems to contain them is damaged. Zeros at its end may begin an A-sync and
 * are counted.
 */
static unsigned int before_async(struct etmv3_parser *ps, const uint8_t *p, unsigned int size)
{
	struct async_place at;

	if (may_have_zeros(p, size, ETMV3_ASYNC_ZEROS)) {
		at = cst_async_find(p + 1, p + size, 0, ETMV3_ASYNC_ZEROS, size);
		if (at.size)
			return 1 + at.skip;
	}
	ps->zeros = zeros_before(p, p + size, size);
	return size;
}

static void parse_async(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	unsigned int zeros = 1;
	uint8_t b;

	while (!(b = get8(r)) && !r->more) {
		if (++zeros > MAX_ZEROS) {
			r->bad = 1;
			return;
		}
	}
	if (r->more)
		return;
	if (b == 0x80 && zeros < ETMV3_ASYNC_ZEROS && zeros + ps->zeros >= ETMV3_ASYNC_ZEROS) {
		/* damage made the packet before include the first zeros */
		packet_finding(pkt, CST_FIND_ETMV3_ZEROS);
		ps->ts.known = 0;
	} else if (b != 0x80 || zeros < ETMV3_ASYNC_ZEROS) {
		r->p--;		/* the byte may begin the next packet */
		r->bad = 1;
	} else if (zeros > ETMV3_ASYNC_ZEROS) {
		packet_finding(pkt, CST_FIND_ETMV3_ZEROS);
	}
}

static uint32_t get_cycles(struct reader *r, struct cst_packet *pkt)
{
	uint64_t v;

	get_groups(r, 32, &v);
	if (r->wide)
		packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
	return v;
}

static void parse_timestamp(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	struct times ts = ps->ts;
	int whole = get_time(r, ps->cfg, &ts, pkt);

	if (r->wide)
		packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
	if (r->more)
		return;
	ps->ts = ts;
	if (!whole)
		pkt->flags |= CST_ETMV3_PF_TIME_PART;
	if (BIT(pkt->header, 2))
		pkt->flags |= CST_ETMV3_PF_CLOCK;
}

static void parse_phdr(const struct etmv3_parser *ps, struct cst_packet *pkt)
{
	const struct insn_code *c = &ps->phdr[pkt->header];

	if (c->form & ETMV3_PHDR_BAD) {
		pkt->type = CST_ETMV3_PKT_BAD_SEQUENCE;
		pkt->bad_type = CST_ETMV3_PKT_PHDR;
		return;
	}
	if (c->form & ETMV3_PHDR_ODD)
		packet_finding(pkt, CST_FIND_ETMV3_PHDR);
	pkt->count = c->form & 7;
	pkt->atoms = c->bits;
	pkt->n_atoms = c->n;
	pkt->cc = c->total;
	if (ps->cfg->cycle_count)
		pkt->flags |= CST_PF_CC;
}

static void parse_cycles(struct reader *r, struct cst_packet *pkt)
{
	pkt->cc = get_cycles(r, pkt);
	pkt->flags |= CST_PF_CC;
	if (!pkt->cc)
		packet_finding(pkt, CST_FIND_ETMV3_CYCLES);
}

static unsigned int finish(struct etmv3_parser *ps, const struct reader *r, const uint8_t *p, struct cst_packet *pkt)
{
	unsigned int size = r->p - p;

	if (r->bad || (pkt->finding[0] && ps->cfg->strict)) {
		pkt->bad_type = pkt->type;
		pkt->type = CST_ETMV3_PKT_BAD_SEQUENCE;
	}
	if (size > 1 && pkt->type != CST_ETMV3_PKT_ASYNC) {
		size = before_async(ps, p, size);
		if (size < (size_t)(r->p - p)) {
			pkt->bad_type = pkt->type;
			pkt->type = CST_ETMV3_PKT_BAD_SEQUENCE;
		}
	} else {
		ps->zeros = 0;
	}
	switch (pkt->type) {
	case CST_ETMV3_PKT_BAD_SEQUENCE:
	case CST_ETMV3_PKT_BAD_TRACEMODE:
	case CST_ETMV3_PKT_RESERVED:
		/* zeros at the end of a damaged packet may belong to an A-sync, for which the search begins there */
		while (size > 1 && !p[size - 1])
			size--;
		ps->synced = quirk(ps->cfg, QUIRK_PARSES_ON);
		ps->ts.known = 0;
		break;
	}
	return size;
}

unsigned int cst_etmv3_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct etmv3_parser *ps = parser;
	struct reader r = { p + 1, end, 0, 0, 0 };
	unsigned int h;

	if (p >= end)
		return 0;
	h = *p;
	packet_start(pkt, CST_PROTO_ETMV3, h, ps->type[h]);
	if (!ps->synced)
		return search_async(ps, p, end, pkt);
	switch (pkt->type) {
	case CST_ETMV3_PKT_PHDR:
		if (h == 0x80 && ps->zeros >= ETMV3_ASYNC_ZEROS) {
			/* damage made the packet before include all zeros of an A-sync */
			pkt->type = CST_ETMV3_PKT_ASYNC;
			packet_finding(pkt, CST_FIND_ETMV3_ZEROS);
			ps->ts.known = 0;
			break;
		}
		parse_phdr(ps, pkt);
		break;
	case CST_ETMV3_PKT_BRANCH:
		cst_etmv3_parse_branch(ps, &r, pkt);
		break;
	case CST_ETMV3_PKT_ASYNC:
		parse_async(ps, &r, pkt);
		break;
	case CST_ETMV3_PKT_CYCLE_COUNT:
		parse_cycles(&r, pkt);
		break;
	case CST_ETMV3_PKT_ISYNC_CYCLE:
		parse_cycles(&r, pkt);
		cst_etmv3_parse_isync(ps, &r, pkt);
		break;
	case CST_ETMV3_PKT_ISYNC:
		cst_etmv3_parse_isync(ps, &r, pkt);
		break;
	case CST_ETMV3_PKT_DATA:
	case CST_ETMV3_PKT_OOO_PLACE:
	case CST_ETMV3_PKT_NOT_TRACED:
	case CST_ETMV3_PKT_OOO_DATA:
		cst_etmv3_parse_data(ps, &r, pkt);
		break;
	case CST_ETMV3_PKT_CONTEXT_ID:
		pkt->cid = get_le(&r, ps->cfg->cid_bytes);
		pkt->flags |= CST_PF_CID;
		if (!ps->cfg->cid_bytes)
			packet_finding(pkt, CST_FIND_ETMV3_CONFIG);
		if (!r.more)
			ps->cid = pkt->cid;
		break;
	case CST_ETMV3_PKT_VMID:
		pkt->vmid = get8(&r);
		pkt->flags |= CST_PF_VMID;
		if (ps->cfg->version < VERSION_3_5)
			packet_finding(pkt, CST_FIND_ETMV3_CONFIG);
		if (!r.more)
			ps->vmid = pkt->vmid;
		break;
	case CST_ETMV3_PKT_TIMESTAMP:
		parse_timestamp(ps, &r, pkt);
		if (ps->cfg->version < VERSION_3_5)
			packet_finding(pkt, CST_FIND_ETMV3_CONFIG);
		break;
	case CST_ETMV3_PKT_EXC_ENTRY:
		if (ps->cfg->profile != CST_PROFILE_M)
			packet_finding(pkt, CST_FIND_ETMV3_CONFIG);
		break;
	case CST_ETMV3_PKT_BAD_TRACEMODE:
		pkt->bad_type = type_in_any(h);
		break;
	default:
		/* no payload, or reserved */
		break;
	}
	if (r.more && !r.bad)
		return 0;
	return finish(ps, &r, p, pkt);
}

void cst_etmv3_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct etmv3_parser *ps = parser;

	(void)end;
	packet_start(pkt, CST_PROTO_ETMV3, *p, 0);
	pkt->bad_type = ps->type[*p];
	pkt->type = ps->synced ? CST_ETMV3_PKT_INCOMPLETE : CST_ETMV3_PKT_NOT_SYNC;
}
