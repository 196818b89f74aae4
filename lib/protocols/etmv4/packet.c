/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.c - ETMv4 and ETE bytes to packets (Arm ARM K10.5.2 "Stage 1, parsing the byte stream").
 */
#include <string.h>

#include "base/log_int.h"
#include "bytes/reader/async.h"
#include "bytes/reader/packet_bytes.h"
#include "protocols/etmv4/address_fields.h"

#define ASYNC_ZEROS (ETMV4_ASYNC_SIZE - 1)

/* Which trace units have a header: the `when` column of packets.def. */
enum hdr_when { ALWAYS, ETMV4, ETE, ETE13, V43, V8M, TSMARK, DATA, COND, Q };

static const struct {
	uint8_t first, last, type, when, address;
} headers[] = {
#define PKT(f, l, t, w, a) { f, l, CST_PKT_##t, w, ADDRESS_##a },
#include "protocols/etmv4/packets.def"
};

/* enum cst_packet_role by type */
#define TYPE(t, role) [CST_PKT_##t] = CST_ROLE_##role,
const uint8_t cst_etmv4_roles[CST_PKT_TYPES] = {
#include "protocols/etmv4/packets.def"
};

/* True for headers whose type is CST_PKT_RESERVED_CFG, not CST_PKT_RESERVED, in a trace unit that lacks them. */
static int is_configurable(enum hdr_when when)
{
	return when == DATA || when == COND || when == Q || when == ETMV4;
}

/* True for Target Address packets without a context. */
static int is_target(unsigned int type)
{
	return type == CST_PKT_ADDR_MATCH || type == CST_PKT_ADDR_SHORT || type == CST_PKT_ADDR_32 || type == CST_PKT_ADDR_64;
}

static void forget(struct etmv4_parser *ps)
{
	memset(ps->hist, 0, sizeof(ps->hist));
	memset(&ps->ctx, 0, sizeof(ps->ctx));
	ps->ts = 0;
}

void cst_etmv4_parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	const int ete = cfg->protocol == CST_PROTO_ETE;
	const uint8_t has[] = {
		[ALWAYS] = 1, [ETMV4] = !ete, [ETE] = ete,
		[ETE13] = ete && cfg->version >= 0x53, [V43] = cfg->version >= 0x43,
		[V8M] = !ete && cfg->profile == CST_PROFILE_M && cfg->version >= 0x42,
		[TSMARK] = cfg->version >= 0x46, [DATA] = cfg->data_trace != 0,
		[COND] = cfg->cond_trace != 0, [Q] = cfg->qsupp != 0,
	};
	struct etmv4_parser *ps = parser;
	unsigned int i, h;

	(void)user;
	memset(ps, 0, sizeof(*ps));
	ps->cfg = cfg;
	ps->padding = 1;
	memset(ps->type, CST_PKT_RESERVED, sizeof(ps->type));
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		for (h = headers[i].first; h <= headers[i].last; h++) {
			if (has[headers[i].when])
				ps->type[h] = headers[i].type;
			else if (is_configurable(headers[i].when))
				ps->type[h] = CST_PKT_RESERVED_CFG;
			ps->address[h] = (uint8_t)(headers[i].address << ADDRESS_FORM_SHIFT | ((h - headers[i].first) & 1) |
						   (is_target(headers[i].type) ? ADDRESS_TARGET : 0));
		}
	/* Q types 3, 4, 7, 8, 9, D, E are reserved, not absent: they are a bad Q packet */
	if (cfg->qsupp)
		for (h = 0xa0; h <= 0xaf; h++)
			if (ps->type[h] == CST_PKT_RESERVED)
				ps->type[h] = CST_PKT_BAD_SEQUENCE;
}

static void get_address(const struct etmv4_parser *ps, struct reader *r, const struct cst_packet *pkt, struct etmv4_address *a)
{
	const uint8_t *p = etmv4_read_address(ps, pkt->header, r->p, r->end, a);

	r->more |= !p;
	if (p)
		r->p = p;
}

/* Sets the address of a packet, and adds it to the history, if the packet is complete. */
static void set_address(struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt, const struct etmv4_address *a)
{
	if (r->more || r->bad)
		return;
	etmv4_push_history(ps, a);
	if (ps->address[pkt->header] >> ADDRESS_FORM_SHIFT == ADDRESS_MATCH)
		pkt->match = a->match;
	pkt->addr_bits = a->bits;
	pkt->addr = a->value;
	pkt->is = a->is;
	pkt->flags |= CST_PF_ADDR;
}

static void put_context(const struct cst_context *ctx, struct cst_packet *pkt)
{
	pkt->el = ctx->el;
	pkt->sf = ctx->bits64;
	pkt->security = ctx->security;
	pkt->vmid = ctx->vmid;
	pkt->cid = ctx->context_id;
}

/* Reads context information, VMID and context ID (K10.5.2.14.9). Only a complete packet changes the parser's context. */
static void get_context(struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	struct cst_context ctx = ps->ctx;
	uint8_t info = get8(r);
	unsigned int ns = info >> 5 & 1, nse = info >> 3 & 1;

	ctx.el = info & 3;
	ctx.bits64 = info >> 4 & 1;
	if (nse && ps->cfg->protocol == CST_PROTO_ETE)
		ctx.security = ns ? CST_SEC_REALM : CST_SEC_ROOT;
	else
		ctx.security = ns ? CST_SEC_NONSECURE : CST_SEC_SECURE;
	pkt->flags |= CST_PF_CONTEXT;
	if (info & 0x40) {
		ctx.vmid = get_le(r, ps->cfg->vmid_bytes);
		pkt->flags |= CST_PF_VMID;
	}
	if (info & 0x80) {
		ctx.context_id = get_le(r, ps->cfg->cid_bytes);
		pkt->flags |= CST_PF_CID;
	}
	put_context(&ctx, pkt);
	if (!r->more && !r->bad)
		ps->ctx = ctx;
}

static void parse_trace_info(struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	if (!get_trace_info(r, pkt))
		return;
	forget(ps);
	ps->cc_threshold = pkt->cyct;
	if (!ps->seen_info)
		pkt->flags |= CST_PF_SYNC_POINT;
	ps->seen_info = 1;
}

static uint32_t cc_mask(const struct etmv4_parser *ps, struct reader *r, uint32_t v)
{
	unsigned int bits = ps->cfg->cc_bits;

	if (bits >= 32)
		return v;
	if (v >> bits)
		r->wide = 1;
	return v & ((1u << bits) - 1);
}

static void parse_timestamp(struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	uint64_t ts = ps->ts;

	pkt->ts_bits = get_timestamp(r, 64, &ts);
	pkt->ts = ts;
	if (pkt->header & 1) {
		pkt->cc = cc_mask(ps, r, get_uleb(r, 3));
		pkt->flags |= CST_PF_CC;
	}
	if (!r->more && !r->bad)
		ps->ts = ts;
}

static void parse_cycle_count(struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	int commit = !ps->cfg->commopt;
	uint8_t b;

	switch (pkt->type) {
	case CST_PKT_CCNT_F1:
		if (commit)
			pkt->commit = get_uleb(r, 5);
		if (pkt->header & 1) {
			pkt->cc = 0;
			pkt->flags |= CST_PF_CC_UNKNOWN;
		} else {
			pkt->cc = ps->cc_threshold + cc_mask(ps, r, get_uleb(r, 3));
			pkt->flags |= CST_PF_CC;
		}
		break;
	case CST_PKT_CCNT_F2:
		b = get8(r);
		/* F = 1: AAAA counts back from the maximum depth, modulo 2^32 (K10.5.2.16.5) */
		pkt->commit = pkt->header & 1 ? ps->cfg->max_spec + (b >> 4) - 15 : (b >> 4) + 1u;
		pkt->cc = ps->cc_threshold + (b & 15);
		pkt->flags |= CST_PF_CC;
		break;
	default:
		pkt->commit = (pkt->header >> 2 & 3) + 1;
		pkt->cc = ps->cc_threshold + (pkt->header & 3);
		pkt->flags |= CST_PF_CC;
	}
	if (commit)
		pkt->flags |= CST_PF_COMMIT;
	else
		pkt->commit = 0;
}

static void parse_exception(struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	uint8_t b = get8(r), b2;

	if (ps->cfg->profile == CST_PROFILE_M)
		pkt->flags |= CST_PF_M_PROFILE;
	if (b & 1)
		pkt->flags |= CST_PF_E0;
	if (b & 0x40)
		pkt->flags |= CST_PF_E1;
	pkt->exc_type = b >> 1 & 0x1f;
	if (b & 0x80) {
		b2 = get8(r);
		pkt->exc_type |= (b2 & 0x1f) << 5;
		if (b2 & 0x20)
			pkt->flags |= CST_PF_P;
	}
	if (ps->cfg->protocol == CST_PROTO_ETE && !(b & 0x80) &&
	    (pkt->exc_type == 0 || pkt->exc_type == 0x18)) {
		if (r->p >= r->end) {
			r->more = 1;
			return;
		}
		/* "address unknown" form: PE reset, transaction failure */
		if (*r->p == 0x70) {
			const struct etmv4_address none = { .bits = ps->hist[0].bits };

			r->p++;
			etmv4_push_history(ps, &none);
			pkt->addr = pkt->is = 0;
			pkt->type = pkt->exc_type ? CST_PKT_TRANS_FAIL : CST_PKT_PE_RESET;
		}
	}
	/* E1:E0 of 00 and 11 are reserved, except that the form with 0x70 has its own rules */
	if (pkt->type == CST_PKT_EXCEPTION && !r->more &&
	    !(pkt->flags & CST_PF_E0) == !(pkt->flags & CST_PF_E1))
		r->bad = 1;
}

static void parse_q(struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	const int address = ps->address[pkt->header] >> ADDRESS_FORM_SHIFT != ADDRESS_NONE;
	struct etmv4_address a = { .value = 0 };

	pkt->q_type = pkt->header & 15;
	if (address)
		get_address(ps, r, pkt, &a);
	/* type 15 has neither a count nor an address */
	if (pkt->q_type != 15) {
		pkt->count = get_uleb(r, 5);
		pkt->flags |= CST_PF_COUNT;
	}
	if (address)
		set_address(ps, r, pkt, &a);
}

/* Reads one result of format 1: RESULT with the low bits of its key, then the other bits of the key. */
static uint32_t get_result(struct reader *r, uint16_t *bits)
{
	uint8_t b = get8(r);
	uint32_t key = b >> 4 & 7;

	*bits = b & 15;
	if (b & 0x80)
		key |= get_uleb(r, 4) << 3;
	return key;
}

static void parse_conditional(struct reader *r, struct cst_packet *pkt)
{
	uint16_t bits;

	switch (pkt->type) {
	case CST_PKT_COND_I_F1:
		pkt->count = get_uleb(r, 5);
		break;
	case CST_PKT_COND_I_F3:
		pkt->event = get8(r);
		break;
	case CST_PKT_COND_R_F3:
		pkt->event = (pkt->header & 15) << 8 | get8(r);
		break;
	case CST_PKT_COND_R_F1:
		pkt->count = get_result(r, &bits);
		pkt->event = bits | (pkt->header & 1 ? ETMV4_COND_CI0 : 0);
		if (pkt->header >= 0x6c)
			break;
		pkt->key = get_result(r, &bits);
		pkt->event |= bits << 4 | ETMV4_COND_TWO | (pkt->header & 2 ? ETMV4_COND_CI1 : 0);
		break;
	default:
		pkt->event = pkt->header & 3;
	}
}

static void parse_mispredict(struct cst_packet *pkt)
{
	static const struct { uint8_t n, bits; } before[4] = { { 0, 0 }, { 1, 1 }, { 2, 3 }, { 1, 0 } };
	unsigned int i = pkt->header & 3;

	switch (pkt->type) {
	case CST_PKT_CANCEL_F3:
		pkt->n_atoms = pkt->header & 1;
		pkt->atoms = 1;
		pkt->commit = (pkt->header >> 1 & 3) + 2;
		break;
	default:
		pkt->n_atoms = before[i].n;
		pkt->atoms = before[i].bits;
		pkt->commit = 1;
	}
	pkt->flags |= CST_PF_MISPREDICT;
}

/* Parses a packet with header 00: A-sync, Discard or Overflow (K10.5.2.3.1). */
static void parse_extension(const struct etmv4_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	const uint8_t *start = r->p;
	uint8_t b = get8(r);

	if (r->more)
		return;
	switch (b) {
	case 0x03:
		pkt->type = CST_PKT_DISCARD;
		return;
	case 0x05:
		pkt->type = CST_PKT_OVERFLOW;
		return;
	case 0x07:
		/* v8.1-M; only name and number of the packet are public */
		r->bad = ps->cfg->profile != CST_PROFILE_M || ps->cfg->protocol == CST_PROTO_ETE;
		if (!r->bad)
			pkt->type = CST_PKT_BF_FLUSH;
		return;
	case 0x00:
		while (!b && r->p - start < ETMV4_ASYNC_SIZE - 1) {
			b = get8(r);
			if (r->more)
				return;
		}
		if (b == ASYNC_END && r->p - start == ETMV4_ASYNC_SIZE - 1)
			return;
		break;
	}
	r->bad = 1;
	/* with zeros at the end of the packet before, the byte may end an A-sync */
	if (b == ASYNC_END)
		r->p--;
}

/*
 * Returns the size of a piece of unsynchronised bytes, as the reference lists them. A piece ends before a zero, which
 * may begin an A-sync, or at the first byte from the eighth on that is none; of more than eleven zeros the first ones are
 * pieces by themselves. Returns 0 until the byte after the one that ends the piece has arrived.
 */
static unsigned int unsynced_piece(struct etmv4_parser *ps, const uint8_t *p, const uint8_t *end,
				   struct cst_packet *pkt)
{
	enum { OTHER, ZERO, ZEROS } state = OTHER;
	unsigned int n;

	pkt->type = CST_PKT_NOT_SYNC;
	for (n = 1; p < end; n++, p++) {
		switch (state) {
		case OTHER:
			if (*p ? n >= ETMV4_UNSYNCED_PIECE : n > 1)
				return p + 1 == end ? 0 : *p ? n : n - 1;
			if (!*p)
				state = ZERO;
			break;
		case ZERO:
			state = *p ? OTHER : ZEROS;
			break;
		case ZEROS:
			if (n == ETMV4_ASYNC_SIZE && !*p)
				return p + 1 == end ? 0 : 1;
			if (n == ETMV4_ASYNC_SIZE) {
				pkt->type = *p == 0x80 ? CST_PKT_ASYNC : CST_PKT_BAD_SEQUENCE;
				pkt->bad_type = CST_PKT_ASYNC;
				ps->synced = *p == 0x80;
				return n;
			}
			if (*p)
				state = OTHER;
			break;
		}
	}
	return 0;
}

/* Searches for an A-sync. Returns the bytes before it, or the A-sync if p is in it. */
static unsigned int search_async(struct etmv4_parser *ps, const uint8_t *p, const uint8_t *end,
				 struct cst_packet *pkt)
{
	unsigned int size = cst_async_hunt(p, end, &ps->zeros, ASYNC_ZEROS, ASYNC_ZEROS,
					   &ps->synced);

	pkt->type = ps->synced ? CST_PKT_ASYNC : CST_PKT_NOT_SYNC;
	return size;
}

/*
 * Returns how many of the `size` unsynchronised bytes at `p` are Ignore packets at the begin of the stream. The driver of
 * the TRBE writes 256 of them before the trace of each session where the hardware may overwrite these bytes.
 */
static unsigned int count_padding(const struct etmv4_parser *ps, const uint8_t *p, size_t size)
{
	unsigned int n = 0;

	while (ps->padding && n < size && ps->type[p[n]] == CST_PKT_IGNORE)
		n++;
	return n;
}

/* Parses unsynchronised bytes, for a listing in the reference's pieces. An A-sync that began in a packet ends here. */
static unsigned int search(struct etmv4_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	unsigned int size;

	if (!ps->listing)
		return search_async(ps, p, end, pkt);
	if (ps->zeros) {
		size = search_async(ps, p, end, pkt);
		if (!size || ps->synced)
			return size;
	}
	return unsynced_piece(ps, p, end, pkt);
}

static unsigned int unsynced(struct etmv4_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	const unsigned int size = search(ps, p, end, pkt);

	pkt->count = pkt->type == CST_PKT_NOT_SYNC ? count_padding(ps, p, size) : 0;
	ps->padding &= pkt->count == size;
	return size;
}

/*
 * Counts the zeros at the end of a packet, eleven at most: an A-sync may begin in them if damage made the packet longer
 * than it was.
 */
static inline void keep_zeros(struct etmv4_parser *ps, const uint8_t *p, const uint8_t *end)
{
	if (end[-1])
		ps->zeros = 0;
	else
		ps->zeros = zeros_after(p, end, ps->zeros, ASYNC_ZEROS);
}

/* Returns the type that header `h` has in the configurations that have it. */
static uint8_t configurable_type(uint8_t h)
{
	unsigned int i = 0;

	while (h < headers[i].first || h > headers[i].last || !is_configurable(headers[i].when))
		i++;
	return headers[i].type;
}

static unsigned int finish(struct etmv4_parser *ps, const struct reader *r, const uint8_t *p,
			   struct cst_packet *pkt)
{
	unsigned int size = r->p - p;

	if (r->bad) {
		pkt->bad_type = pkt->type;
		pkt->type = CST_PKT_BAD_SEQUENCE;
	}
	if (pkt->type == CST_PKT_RESERVED_CFG)
		pkt->bad_type = configurable_type(*p);
	if (pkt->type == CST_PKT_BAD_SEQUENCE || pkt->type == CST_PKT_RESERVED ||
	    pkt->type == CST_PKT_RESERVED_CFG) {
		ps->synced = 0;
		/* zeros at the end of a damaged packet may belong to an A-sync, for which the search begins there */
		while (size > 1 && !p[size - 1])
			size--;
	}
	keep_zeros(ps, p, p + size);
	return size;
}

unsigned int cst_etmv4_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct etmv4_parser *ps = parser;
	struct reader r = { p + 1, end, 0, 0, 0 };
	struct etmv4_address a = { .value = 0 };
	unsigned int h;

	if (p >= end)
		return 0;
	h = *p;
	packet_start(pkt, ps->cfg->protocol, h, ps->type[h]);
	if (!ps->synced)
		return unsynced(ps, p, end, pkt);
	switch (pkt->type) {
	case CST_PKT_ATOM_F1: case CST_PKT_ATOM_F2: case CST_PKT_ATOM_F3:
	case CST_PKT_ATOM_F4: case CST_PKT_ATOM_F5: case CST_PKT_ATOM_F6:
		pkt->n_atoms = cst_etmv4_atoms[h - ETMV4_ATOMS].n;
		pkt->atoms = cst_etmv4_atoms[h - ETMV4_ATOMS].bits & ~(1u << pkt->n_atoms);
		ps->zeros = 0;
		return 1;
	case CST_PKT_ADDR_MATCH: case CST_PKT_ADDR_SHORT: case CST_PKT_ADDR_32: case CST_PKT_ADDR_64:
	case CST_PKT_SRC_MATCH: case CST_PKT_SRC_SHORT: case CST_PKT_SRC_32: case CST_PKT_SRC_64:
		get_address(ps, &r, pkt, &a);
		set_address(ps, &r, pkt, &a);
		if (!a.odd)
			goto clean;
		break;
	case CST_PKT_ADDR_CTXT_32: case CST_PKT_ADDR_CTXT_64:
		get_address(ps, &r, pkt, &a);
		get_context(ps, &r, pkt);
		set_address(ps, &r, pkt, &a);
		break;
	case CST_PKT_CONTEXT:
		if (h & 1)
			get_context(ps, &r, pkt);
		else
			put_context(&ps->ctx, pkt);	/* one byte: the last one */
		break;
	case CST_PKT_ASYNC:
		parse_extension(ps, &r, pkt);
		break;
	case CST_PKT_TRACE_INFO:
		parse_trace_info(ps, &r, pkt);
		break;
	case CST_PKT_TIMESTAMP:
		parse_timestamp(ps, &r, pkt);
		break;
	case CST_PKT_CCNT_F1: case CST_PKT_CCNT_F2: case CST_PKT_CCNT_F3:
		parse_cycle_count(ps, &r, pkt);
		break;
	case CST_PKT_EXCEPTION:
		parse_exception(ps, &r, pkt);
		break;
	case CST_PKT_Q:
		parse_q(ps, &r, pkt);
		break;
	case CST_PKT_COMMIT: case CST_PKT_CANCEL_F1: case CST_PKT_CANCEL_F1_MISP:
		pkt->commit = get_uleb(&r, 5);
		if (pkt->type == CST_PKT_CANCEL_F1_MISP)
			pkt->flags |= CST_PF_MISPREDICT;
		break;
	case CST_PKT_MISPREDICT: case CST_PKT_CANCEL_F2: case CST_PKT_CANCEL_F3:
		parse_mispredict(pkt);
		break;
	case CST_PKT_ITE:
		pkt->el = get8(&r);
		pkt->ts = get_le(&r, 4);
		pkt->ts |= (uint64_t)get_le(&r, 4) << 32;
		break;
	case CST_PKT_EVENT:
		pkt->event = h & 15;
		break;
	case CST_PKT_DATA_SYNC_NUM: case CST_PKT_DATA_SYNC:
		pkt->event = h & 7;
		break;
	case CST_PKT_COND_I_F1: case CST_PKT_COND_I_F2: case CST_PKT_COND_I_F3:
	case CST_PKT_COND_R_F1: case CST_PKT_COND_R_F2: case CST_PKT_COND_R_F3:
	case CST_PKT_COND_R_F4:
		parse_conditional(&r, pkt);
		break;
	case CST_PKT_BAD_SEQUENCE:
		pkt->bad_type = CST_PKT_Q;
		break;
	default:
		/* no payload, or reserved */
		break;
	}
	if (r.more && !r.bad)
		return 0;
	if (!r.bad) {
		cst_etmv4_check(ps, p, pkt);
		if (r.wide)
			packet_finding(pkt, CST_FIND_ETM_WIDE);
		r.bad = pkt->finding[0] && ps->cfg->strict;
	}
	return finish(ps, &r, p, pkt);
clean:
	/* an address without a reserved value cannot be bad */
	if (r.more)
		return 0;
	keep_zeros(ps, p, r.p);
	return r.p - p;
}

void cst_etmv4_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	const struct etmv4_parser *ps = parser;

	packet_start(pkt, ps->cfg->protocol, *p, 0);
	pkt->bad_type = ps->type[*p];
	pkt->type = ps->synced ? CST_PKT_INCOMPLETE : CST_PKT_NOT_SYNC;
	pkt->count = ps->synced ? 0 : count_padding(ps, p, (size_t)(end - p));
}
