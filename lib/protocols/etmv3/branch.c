/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * branch.c - branch packets with their exception information (IHI 0014Q 7.3.5), and I-sync packets (7.10.5).
 */
#include "base/bits.h"
#include "base/log_int.h"
#include "protocols/etmv3/etmv3.h"

/* Number of low address bits that are not sent, since they are 0 in the instruction set. */
static unsigned int shift_of(unsigned int isa)
{
	switch (isa) {
	case CST_ISA_T32:
	case CST_ISA_TEE:
		return 1;
	case CST_ISA_JAZELLE:
		return 0;
	default:
		return 2;
	}
}

/* Parses a fifth address byte of the deprecated form `1 C EEE AAA`, with an exception code of ARM state. */
static void old_fifth(struct etmv3_branch *br, uint8_t b, struct cst_packet *pkt)
{
	/* exception numbers by EEE: reset, IRQ, two reserved ones, Jazelle, FIQ, asynchronous data abort, debug halt */
	static const uint8_t today[8] = { 8, 14, 6, 7, 5, 15, 4, 1 };
	unsigned int e = BITS(b, 5, 3);

	br->old_exc = 1;
	br->exc = today[e];
	br->cancel = BIT(b, 6);
	br->isa = CST_ISA_A32;
	br->bits |= (uint32_t)(b & 7) << br->count;
	br->count += 3;
	packet_finding(pkt, e == 2 || e == 3 ? CST_FIND_ETMV3_EXCEPTION : CST_FIND_ETMV3_DEPRECATED);
}

static void fifth(struct etmv3_branch *br, uint8_t b, struct reader *r, struct cst_packet *pkt)
{
	unsigned int n;

	if (r->more)
		return;
	br->full = 1;
	if (BIT(b, 7)) {
		old_fifth(br, b, pkt);
		return;
	}
	br->info = BIT(b, 6);
	if (BIT(b, 5)) {
		br->isa = CST_ISA_JAZELLE;
		n = 5;
	} else if (BIT(b, 4)) {
		br->isa = CST_ISA_T32;
		n = 4;
	} else if (BIT(b, 3)) {
		br->isa = CST_ISA_A32;
		n = 3;
	} else {
		r->bad = 1;
		return;
	}
	br->bits |= (uint32_t)(b & ((1u << n) - 1)) << br->count;
	br->count += n;
}

/* Reads the address bytes, the first of which is `b`. */
static void get_branch(struct etmv3_branch *br, uint8_t b, struct reader *r, const struct cst_config *cfg,
		       struct cst_packet *pkt)
{
	unsigned int i, n;

	br->bits = BITS(b, 6, 1);
	br->count = 6;
	for (i = 1; i < 4 && BIT(b, 7); i++) {
		b = get8(r);
		n = 7;
		if (cfg->alt_branch && !BIT(b, 7)) {
			br->info = BIT(b, 6);
			n = 6;
		}
		br->bits |= (uint32_t)(b & ((1u << n) - 1)) << br->count;
		br->count += n;
	}
	if (BIT(b, 7))
		fifth(br, get8(r), r, pkt);
}

struct info {
	uint8_t ns, hyp, alt_isa, cancel, resume, has_hyp;
	uint16_t exc;
};

static void get_info(struct info *x, struct reader *r, const struct cst_config *cfg, struct cst_packet *pkt)
{
	uint8_t b = get8(r);

	x->ns = BIT(b, 0);
	x->exc = BITS(b, 4, 1);
	x->cancel = BIT(b, 5);
	x->alt_isa = BIT(b, 6);
	if (!BIT(b, 7))
		return;
	b = get8(r);
	if (!BIT(b, 6)) {
		x->hyp = BIT(b, 5);
		x->has_hyp = 1;
		if (cfg->profile == CST_PROFILE_M)
			x->exc |= BITS(b, 4, 0) << 4;
		else if (BITS(b, 4, 0))
			packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
		if (x->hyp && !cfg->virt_ext)
			packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
		if (!BIT(b, 7))
			return;
		b = get8(r);
		if (!BIT(b, 6) && !r->more)
			packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
	}
	x->resume = BITS(b, 3, 0);
	if (BIT(b, 7) | BITS(b, 5, 4))
		packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
}

static int is_reserved(unsigned int exc, const struct cst_config *cfg)
{
	if (cfg->profile == CST_PROFILE_M)
		return exc == 16 || exc == 18 || exc == 20 || exc == 22 || exc == 23;
	return exc == 6 || exc == 7;
}

/* Updates the address; bits that were not sent keep their value. Returns how many low bits the packet determines. */
static unsigned int set_address(struct etmv3_parser *ps, const struct etmv3_branch *br)
{
	unsigned int shift = shift_of(ps->isa), bits = br->count + shift;
	uint32_t mask = bits < 32 ? (1u << bits) - 1 : ~0u;

	ps->addr = (ps->addr & ~mask) | (br->bits << shift & mask);
	if (bits > 32)
		bits = 32;
	if (bits > ps->addr_known)
		ps->addr_known = bits;
	return bits;
}

static void set_isa(struct etmv3_parser *ps, uint8_t isa, struct cst_packet *pkt)
{
	if (ps->isa != isa)
		pkt->flags |= CST_ETMV3_PF_ISA;
	ps->isa = isa;
}

static void set_state(struct etmv3_parser *ps, unsigned int security, unsigned int el, struct cst_packet *pkt)
{
	pkt->flags |= CST_ETMV3_PF_STATE;
	if (!ps->state_known || ps->security != security || ps->el != el)
		pkt->flags |= CST_ETMV3_PF_STATE_NEWS;
	ps->security = security;
	ps->el = el;
	ps->state_known = 1;
}

static void put_state(const struct etmv3_parser *ps, struct cst_packet *pkt)
{
	pkt->flags |= CST_PF_ADDR;
	pkt->addr = ps->addr;
	pkt->match = ps->addr_known;
	pkt->isa = ps->isa;
	pkt->security = ps->security;
	pkt->el = ps->el;
}

void cst_etmv3_parse_branch(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	const struct cst_config *cfg = ps->cfg;
	struct etmv3_branch br = { 0 };
	struct info x = { 0 };

	get_branch(&br, pkt->header, r, cfg, pkt);
	if (br.info)
		get_info(&x, r, cfg, pkt);
	if (r->more | r->bad || (pkt->finding[0] && cfg->strict))
		return;
	if (br.full) {
		if (br.info)
			ps->alt_isa = x.alt_isa;
		set_isa(ps, br.isa == CST_ISA_T32 && ps->alt_isa ? CST_ISA_TEE : br.isa, pkt);
	}
	pkt->addr_bits = set_address(ps, &br);
	if (br.info) {
		pkt->type = CST_ETMV3_PKT_BRANCH_INFO;
		ps->alt_isa = x.alt_isa;
		set_state(ps, x.ns ? CST_SEC_NONSECURE : CST_SEC_SECURE, x.has_hyp && x.hyp && cfg->virt_ext ? 2 : 0, pkt);
	} else if (br.old_exc) {
		pkt->type = CST_ETMV3_PKT_BRANCH_INFO;
		x.exc = br.exc;
		x.cancel = br.cancel;
	}
	put_state(ps, pkt);
	if (pkt->type != CST_ETMV3_PKT_BRANCH_INFO)
		return;
	pkt->flags |= CST_ETMV3_PF_EXCEPTION | (x.cancel ? CST_ETMV3_PF_CANCEL : 0) |
		      (cfg->profile == CST_PROFILE_M ? CST_PF_M_PROFILE : 0);
	pkt->exc_type = x.exc;
	pkt->event = x.resume;
	if (is_reserved(x.exc, cfg))
		packet_finding(pkt, CST_FIND_ETMV3_EXCEPTION);
}

unsigned int cst_etmv3_read_branch(const struct etmv3_parser *ps, const uint8_t *p, const uint8_t *end,
				   struct etmv3_branch *br)
{
	struct reader r = { p + 1, end, 0, 0, 0 };

	/* the fifth byte can have findings, and is left to the parser */
	if (end - p > 4)
		r.end = p + 4;
	*br = (struct etmv3_branch){ .at = p };
	get_branch(br, *p, &r, ps->cfg, NULL);
	return r.more | br->info ? 0 : (unsigned int)(r.p - p);
}

void cst_etmv3_take_branch(struct etmv3_parser *ps, const struct etmv3_branch *br, unsigned int size)
{
	set_address(ps, br);
	ps->zeros = !br->at[size - 1];
}

#define INFO_REASON(b) BITS(b, 6, 5)

void cst_etmv3_parse_isync(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	const struct cst_config *cfg = ps->cfg;
	uint32_t cid = get_le(r, cfg->cid_bytes), addr = 0;
	struct etmv3_branch br = { 0 };
	unsigned int b = get8(r), alt = cfg->version >= 0x33 && BIT(b, 2), isa, lsip = BIT(b, 7);

	if (cfg->data_only)
		lsip = 0;
	else
		addr = get_le(r, 4);
	if (lsip)
		get_branch(&br, get8(r), r, cfg, pkt);
	if (r->more | r->bad)
		return;
	if (!BIT(b, 0) || (!cfg->virt_ext && BIT(b, 1)) || (cfg->version < 0x33 && BIT(b, 2)))
		packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
	if (lsip && (br.info || br.old_exc))
		packet_finding(pkt, CST_FIND_ETMV3_EXCEPTION);
	if (pkt->finding[0] && cfg->strict)
		return;
	pkt->count = INFO_REASON(b);
	if (pkt->count == ETMV3_OVERFLOW)
		ps->ts.known = 0;
	if (cfg->cid_bytes) {
		ps->cid = pkt->cid = cid;
		pkt->flags |= CST_PF_CID;
	}
	set_state(ps, BIT(b, 3) ? CST_SEC_NONSECURE : CST_SEC_SECURE, cfg->virt_ext && BIT(b, 1) ? 2 : 0, pkt);
	pkt->security = ps->security;
	pkt->el = ps->el;
	if (cfg->data_only)
		return;
	isa = BIT(b, 4) ? CST_ISA_JAZELLE : !BIT(addr, 0) ? CST_ISA_A32 : alt ? CST_ISA_TEE : CST_ISA_T32;
	ps->alt_isa = alt;
	set_isa(ps, isa, pkt);
	ps->addr = addr & ~1u;
	ps->addr_known = 32;
	pkt->addr_bits = 32;
	if (lsip) {
		pkt->flags |= CST_ETMV3_PF_LSIP;
		pkt->value = ps->addr;
		if (br.full)
			set_isa(ps, br.isa == CST_ISA_T32 && ps->alt_isa ? CST_ISA_TEE : br.isa, pkt);
		pkt->addr_bits = set_address(ps, &br);
	}
	put_state(ps, pkt);
}
