/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.c - PTM bytes to packets (Arm IHI 0035B section 4.5, "PFT packet formats").
 */
#include <string.h>

#include "base/log_int.h"
#include "base/quirks.h"
#include "bytes/reader/async.h"
#include "protocols/ptm/address.h"

/* Maximum unsynchronised bytes of one packet, whose size is a 16-bit number. */
#define MAX_SKIP 0xffff
/* Bytes of a full unsynchronised piece in a listing. */
#define UNSYNCED_PIECE 16

/* exception information bytes */
#define EXC_ALT_ISA 0x40
#define EXC_RESERVED 0x20
#define EXC_NS 0x01
#define EXC2_HYP 0x20
#define EXC2_RESERVED 0xc0
#define EXC_LAST 15		/* larger exception numbers are reserved */
#define EXC_RESERVED_6 6
#define EXC_RESERVED_7 7
/* waypoint update information byte */
#define WP_RESERVED 0xbf
/* I-sync information byte */
#define ISYNC_RESERVED 0x90
#define ISYNC_NS 0x08
#define ISYNC_ALT_ISA 0x04
#define ISYNC_HYP 0x02
#define ISYNC_ONE 0x01		/* always set */
/* header of one atom: bit 2 is reserved without a cycle count; bit 1 is the atom with one */
#define ATOM_ONE_MASK 0x7c
#define ATOM_ONE_UNUSED 0x04
#define ATOM_N 0x02
/* timestamp header */
#define TS_CLOCK 0x04

static uint8_t type_of(uint8_t header)
{
#define PKT(mask, value, type) \
	if ((header & (mask)) == (value)) \
		return CST_PTM_PKT_##type;
#include "protocols/ptm/packets.def"
	return CST_PTM_PKT_RESERVED;
}

/* enum cst_packet_role by type */
#define TYPE(t, role) [CST_PTM_PKT_##t] = CST_ROLE_##role,
const uint8_t cst_ptm_roles[CST_PTM_PKT_TYPES] = {
#include "protocols/ptm/packets.def"
};

/*
 * Atom packets without cycle counts (IHI 0035B 4.5.3). A 0 bit is an E atom. The newest atom is in bit 1 of the header,
 * while struct atom_code has the oldest one in bit 0.
 */
#define E(h, b) (1u & ~((h) >> (b)))
#define A(b, n) { (b) | 1u << (n), n, ((b) & 1) + ((b) >> 1 & 1) + ((b) >> 2 & 1) + ((b) >> 3 & 1) + ((b) >> 4 & 1) }
#define A1(h) A(E(h, 0), 1)
#define A2(h) A(E(h, 1) | E(h, 0) << 1, 2)
#define A3(h) A(E(h, 2) | E(h, 1) << 1 | E(h, 0) << 2, 3)
#define A4(h) A(E(h, 3) | E(h, 2) << 1 | E(h, 1) << 2 | E(h, 0) << 3, 4)
#define A5(h) A(E(h, 4) | E(h, 3) << 1 | E(h, 2) << 2 | E(h, 1) << 3 | E(h, 0) << 4, 5)
#define TWO(a, h) a(h), a((h) + 1)
#define FOUR(a, h) TWO(a, h), TWO(a, (h) + 2)
#define EIGHT(a, h) FOUR(a, h), FOUR(a, (h) + 4)
#define SIXTEEN(a, h) EIGHT(a, h), EIGHT(a, (h) + 8)

const struct atom_code cst_ptm_atoms[64] = {
	FOUR(A1, 0),		/* 80..86: one atom, bit 2 is not used */
	FOUR(A2, 4),		/* 88..8e */
	EIGHT(A3, 8),		/* 90..9e */
	SIXTEEN(A4, 16),	/* a0..be */
	SIXTEEN(A5, 32), SIXTEEN(A5, 48),	/* c0..fe */
};

void cst_ptm_parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	struct ptm_parser *ps = parser;

	(void)user;
	memset(ps, 0, sizeof(*ps));
	ps->cfg = cfg;
	ps->isa = CST_ISA_UNKNOWN;
}

/* Moves the reader to `p`. NULL: the input ends in the packet, and 0 is returned. */
static int read_up_to(struct reader *r, const uint8_t *p)
{
	r->more |= !p;
	if (p)
		r->p = p;
	return !r->more;
}

/* Reads the rest of a cycle count whose first byte is `b`. */
static void more_cycles(struct reader *r, uint8_t b, struct cst_packet *pkt)
{
	int reserved = 0;

	if (r->more || !read_up_to(r, ptm_read_cycles(r->p, r->end, b, &pkt->cc, &reserved)))
		return;
	if (reserved)
		packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
	pkt->flags |= CST_PF_CC;
}

/* Reads a cycle count; `reserved` are the bits of its first byte that must be zero. */
static void get_cycles(struct reader *r, struct cst_packet *pkt, uint8_t reserved)
{
	uint8_t b = get8(r);

	if (b & reserved)
		packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
	more_cycles(r, b, pkt);
}

static void read_address(struct reader *r, const uint8_t *p, struct ptm_address *a, struct cst_packet *pkt)
{
	memset(a, 0, sizeof(*a));
	if (!read_up_to(r, ptm_read_address(p, r->end, a)) || !ptm_address_reserved(a))
		return;
	if (a->last & CONTINUE)
		packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
	if (a->isa == CST_ISA_A32 && (a->last & ISA_ARM_MASK) != ISA_ARM)
		packet_finding(pkt, CST_FIND_PTM_ISA);
}

/* Updates address and instruction set; bits that were not sent keep their value (IHI 0035B 4.5.4). */
static void update_address(struct ptm_parser *ps, const struct ptm_address *a, struct cst_packet *pkt)
{
	uint8_t isa = a->isa == CST_ISA_UNKNOWN ? ps->isa : a->isa;
	unsigned int bits;

	if (isa == CST_ISA_T32 || isa == CST_ISA_TEE)
		isa = ps->alt_isa ? CST_ISA_TEE : CST_ISA_T32;
	ps->addr = ptm_address(a, ps->addr, isa, &bits);
	if (bits > ps->addr_known)
		ps->addr_known = bits;
	if (isa != ps->isa)
		pkt->flags |= CST_PTM_PF_ISA;
	ps->isa = isa;
	pkt->addr = ps->addr;
	pkt->addr_bits = bits;
	pkt->info = ps->addr_known;
	pkt->isa = isa;
}

static void set_state(const struct ptm_parser *ps, struct cst_packet *pkt)
{
	pkt->flags |= CST_PF_CONTEXT | (ps->hyp ? CST_PTM_PF_HYP : 0);
	pkt->security = ps->ns ? CST_SEC_NONSECURE : CST_SEC_SECURE;
}

static void parse_branch(struct ptm_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	uint8_t alt = ps->alt_isa, ns = ps->ns, hyp = ps->hyp, b = 0, b2 = 0;
	unsigned int number = 0, exception = 0;
	struct ptm_address a;

	read_address(r, r->p - 1, &a, pkt);
	if (a.more) {
		b = get8(r);
		if (b & CONTINUE) {
			b2 = get8(r);
			hyp = !!(b2 & EXC2_HYP);
		}
		alt = !!(b & EXC_ALT_ISA);
		ns = b & EXC_NS;
		number = (b >> 1 & 15) | (b2 & 0x1fu) << 4;
		if (b & EXC_RESERVED || b2 & EXC2_RESERVED)
			packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
		if (number > EXC_LAST || number == EXC_RESERVED_6 || number == EXC_RESERVED_7)
			packet_finding(pkt, CST_FIND_PTM_EXCEPTION);
		/* only a number other than 0 makes it an exception (IHI 0035B 4.5.4) */
		exception = number || quirk(ps->cfg, QUIRK_PTM_EXCEPTION_0);
	}
	if (ps->cfg->cycle_count)
		get_cycles(r, pkt, CC_RESERVED);
	if (r->more)
		return;
	ps->alt_isa = alt;
	ps->ns = ns;
	ps->hyp = hyp;
	update_address(ps, &a, pkt);
	if (!a.more)
		return;
	set_state(ps, pkt);
	pkt->exc_type = number;
	pkt->flags |= CST_PTM_PF_EXCEPTION;
	if (exception)
		pkt->type = CST_PTM_PKT_EXCEPTION;
}

static void parse_waypoint(struct ptm_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	struct ptm_address a;
	uint8_t b = 0;

	read_address(r, r->p, &a, pkt);
	/* only in a fifth byte bit 6 means that an information byte follows (IHI 0035B 4.5.5) */
	if (a.n < PTM_MAX_ADDRESS && a.more) {
		packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
		a.more = 0;
	}
	if (a.more)
		b = get8(r);
	if (r->more)
		return;
	if (a.more) {
		ps->alt_isa = !!(b & EXC_ALT_ISA);
		if (b & WP_RESERVED)
			packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
	}
	update_address(ps, &a, pkt);
}

/* Returns 0 if the packet cannot be an I-sync. */
static int parse_isync(struct ptm_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	const uint8_t *start = r->p;
	uint32_t addr = get_le(r, 4);
	uint8_t info = get8(r), isa;

	pkt->event = info >> 5 & 3;
	if (info & ISYNC_RESERVED || !(info & ISYNC_ONE))
		packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
	if (ps->cfg->cycle_count && pkt->event != CST_PTM_ISYNC_PERIODIC)
		get_cycles(r, pkt, CC_ISYNC_RESERVED);
	if (ps->cfg->cid_bytes) {
		pkt->cid = get_le(r, ps->cfg->cid_bytes);
		pkt->flags |= CST_PF_CID;
	}
	if (r->more)
		return 1;
	/* a damaged packet ends after its header, since the bytes read as its payload may contain an A-sync */
	if (!(info & ISYNC_ONE)) {
		r->p = r->end = start;
		return 0;
	}
	if (pkt->event == CST_PTM_ISYNC_OVERFLOW)
		ps->ts.known = 0;
	if (!quirk(ps->cfg, QUIRK_PTM_ALT_ISA))
		ps->alt_isa = !!(info & ISYNC_ALT_ISA);
	ps->ns = !!(info & ISYNC_NS);
	ps->hyp = !!(info & ISYNC_HYP);
	isa = !(addr & 1) ? CST_ISA_A32 : info & ISYNC_ALT_ISA ? CST_ISA_TEE : CST_ISA_T32;
	if (isa != ps->isa)
		pkt->flags |= CST_PTM_PF_ISA;
	ps->isa = isa;
	ps->addr = addr & ~1u;
	ps->addr_known = 32;
	pkt->addr = ps->addr;
	pkt->addr_bits = pkt->info = 32;
	pkt->isa = isa;
	set_state(ps, pkt);
	return 1;
}

static void parse_atom(const struct ptm_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	unsigned int h = pkt->header;

	if (!ps->cfg->cycle_count) {
		pkt->n_atoms = cst_ptm_atoms[h >> 1 & 63].n;
		pkt->atoms = cst_ptm_atoms[h >> 1 & 63].bits & ~(1u << pkt->n_atoms);
		if ((h & ATOM_ONE_MASK) == ATOM_ONE_UNUSED)
			packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
		return;
	}
	pkt->atoms = !(h & ATOM_N);
	pkt->n_atoms = 1;
	more_cycles(r, h, pkt);
}

static void parse_timestamp(struct ptm_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	struct times ts = ps->ts;
	int whole = get_time(r, ps->cfg, &ts, pkt);

	if (r->wide)
		packet_finding(pkt, CST_FIND_PTM_RESERVED_BITS);
	if (ps->cfg->cycle_count)
		get_cycles(r, pkt, CC_RESERVED);
	if (r->more)
		return;
	ps->ts = ts;
	if (!whole)
		pkt->flags |= CST_PTM_PF_TIME_PART;
	if (pkt->header & TS_CLOCK)
		pkt->flags |= CST_PTM_PF_CLOCK;
}

/*
 * Parses zeros and 0x80. Returns 0 if they are no A-sync. The zeros at the end of the packet before count, too
 * (CST_PTM_PF_LATE), since damage may have made that packet longer than it was.
 */
static int parse_async(const struct ptm_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	unsigned int zeros = 1;
	uint8_t b;

	for (;;) {
		b = get8(r);
		if (r->more)
			return 1;
		if (b) {
			if (zeros < PTM_ASYNC_ZEROS)
				pkt->flags |= CST_PTM_PF_LATE;
			return b == 0x80 && zeros + ps->zeros >= PTM_ASYNC_ZEROS;
		}
		if (++zeros > PTM_MAX_ZEROS) {
			/* the last zeros may belong to an A-sync, which search_async() finds */
			r->p -= PTM_ASYNC_ZEROS;
			return 0;
		}
	}
}

/* Searches for an A-sync. Returns the size of the piece of bytes before it, or the A-sync if p is its beginning. */
static unsigned int search_async(struct ptm_parser *ps, const uint8_t *p, const uint8_t *end,
				 struct cst_packet *pkt)
{
	unsigned int piece = ps->listing ? UNSYNCED_PIECE : MAX_SKIP;
	/* an A-sync that begins in the piece ends in these bytes; all that follow would be searched for each piece */
	const ptrdiff_t most = ps->listing ? UNSYNCED_PIECE + PTM_MAX_ZEROS + 1 : MAX_SKIP;
	struct async_place at;

	if (end - p > most)
		end = p + most;
	at = cst_async_find(p, end, 0, PTM_ASYNC_ZEROS, PTM_MAX_ZEROS);
	if (!at.skip) {
		pkt->type = CST_PTM_PKT_ASYNC;
		ps->synced = at.size != 0;
		return at.size;
	}
	pkt->type = CST_PTM_PKT_NOT_SYNC;
	return at.skip < piece ? at.skip : piece;
}

static void start(const struct ptm_parser *ps, struct cst_packet *pkt, uint8_t header)
{
	packet_start(pkt, ps->cfg->protocol, header, type_of(header));
	pkt->isa = ps->isa;
}

static unsigned int bad(struct ptm_parser *ps, const struct reader *r, const uint8_t *p, struct cst_packet *pkt)
{
	if (pkt->type != CST_PTM_PKT_RESERVED) {
		pkt->bad_type = pkt->type;
		pkt->type = CST_PTM_PKT_BAD_SEQUENCE;
	}
	ps->synced = quirk(ps->cfg, QUIRK_PARSES_ON);
	ps->zeros = 0;
	ps->ts.known = 0;
	return r->p - p;
}

unsigned int cst_ptm_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct ptm_parser *ps = parser;
	struct reader r = { p + 1, end, 0, 0, 0 };
	int good = 1;

	if (p >= end)
		return 0;
	start(ps, pkt, *p);
	if (!ps->synced)
		return search_async(ps, p, end, pkt);
	switch (pkt->type) {
	case CST_PTM_PKT_ATOM:
		parse_atom(ps, &r, pkt);
		break;
	case CST_PTM_PKT_BRANCH:
		parse_branch(ps, &r, pkt);
		break;
	case CST_PTM_PKT_WAYPOINT:
		parse_waypoint(ps, &r, pkt);
		break;
	case CST_PTM_PKT_ISYNC:
		good = parse_isync(ps, &r, pkt);
		break;
	case CST_PTM_PKT_TIMESTAMP:
		parse_timestamp(ps, &r, pkt);
		break;
	case CST_PTM_PKT_CONTEXT_ID:
		pkt->cid = get_le(&r, ps->cfg->cid_bytes);
		pkt->flags |= CST_PF_CID;
		break;
	case CST_PTM_PKT_VMID:
		pkt->vmid = get8(&r);
		pkt->flags |= CST_PF_VMID;
		break;
	case CST_PTM_PKT_ASYNC:
		good = parse_async(ps, &r, pkt);
		break;
	case CST_PTM_PKT_RESERVED:
		good = 0;
		break;
	default:
		/* no payload */
		break;
	}
	if (r.more)
		return 0;
	if (!good || (pkt->finding[0] && ps->cfg->strict))
		return bad(ps, &r, p, pkt);
	if (pkt->flags & CST_PTM_PF_LATE)
		ps->ts.known = 0;
	ps->zeros = r.p[-1] ? 0 : zeros_before(p, r.p, PTM_ASYNC_ZEROS);
	return r.p - p;
}

void cst_ptm_parse_rest(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	struct ptm_parser *ps = parser;

	(void)end;
	start(ps, pkt, *p);
	pkt->bad_type = pkt->type;
	pkt->type = ps->synced ? CST_PTM_PKT_INCOMPLETE : CST_PTM_PKT_NOT_SYNC;
}
