/* SPDX-License-Identifier: BSD-3-Clause */
/* encode_addr.c - address and context packets, and the history they are compressed against. */
#include <string.h>

#include "encode_int.h"

/* history entries that an analyzer may see differently are never referred to */
#define ISA_UNSURE 0xff

static uint8_t sub_isa(uint8_t isa)
{
	return isa == FLOW_T32 ? FLOW_T32 : FLOW_A64;
}

void tu_hist_push(struct tu *t, uint64_t addr, uint8_t isa)
{
	t->hist[2] = t->hist[1];
	t->hist[1] = t->hist[0];
	t->hist[0].addr = addr;
	t->hist[0].isa = sub_isa(isa);
}

int tu_hist_find(const struct tu *t, uint64_t addr, uint8_t isa)
{
	int i;

	for (i = 0; i < 3; i++)
		if (t->hist[i].addr == addr && t->hist[i].isa == sub_isa(isa))
			return i;
	return -1;
}

int tu_short_ok(const struct tu *t, uint64_t addr, uint8_t isa)
{
	int bits = isa == FLOW_T32 ? 16 : 17;

	return t->hist[0].isa != ISA_UNSURE && !((t->hist[0].addr ^ addr) >> bits);
}

int tu_long32_ok(const struct tu *t, uint64_t addr)
{
	if (t->hist[0].isa == ISA_UNSURE)
		return 0;
	/* whether the upper half is kept while the state is AArch32 is where analyzers differ */
	return t->hist[0].addr >> 32 == addr >> 32 && (!(addr >> 32) || t->pctx.sf);
}

void tu_short_payload(struct tu *t, uint64_t addr, uint8_t isa)
{
	int low = isa == FLOW_T32 ? 1 : 2;
	int two = (t->hist[0].addr ^ addr) >> (low + 7) != 0 || rng_pm(&t->rng, t->o.p_addr_form);

	gbuf_u8(&t->out, (addr >> low & 0x7f) | (two ? 0x80 : 0));
	if (two)
		gbuf_u8(&t->out, addr >> (low + 7) & 0xff);
}

void tu_long_payload(struct tu *t, uint64_t addr, uint8_t isa, int bytes)
{
	int i = 1;

	if (isa == FLOW_T32) {
		gbuf_u8(&t->out, addr >> 1 & 0x7f);
	} else {
		gbuf_u8(&t->out, addr >> 2 & 0x7f);
		gbuf_u8(&t->out, addr >> 9 & 0x7f);
		i = 2;
	}
	for (; i < bytes; i++)
		gbuf_u8(&t->out, addr >> (8 * i) & 0xff);
}

/* base: header of the first form of the family (0x90 target, 0xb0 source) */
static void address_packet(struct tu *t, uint64_t addr, uint8_t isa, int source)
{
	int t32 = isa == FLOW_T32, exact = tu_hist_find(t, addr, isa);
	int waste = rng_pm(&t->rng, t->o.p_addr_form);
	unsigned int h;

	if (exact >= 0 && !(waste && rng_below(&t->rng, 2))) {
		/* equal entries: any of them may be named */
		while (waste && exact < 2 && t->hist[exact + 1].addr == addr &&
		       t->hist[exact + 1].isa == sub_isa(isa))
			exact++;
		gbuf_u8(&t->out, (source ? 0xb0u : 0x90u) | (unsigned int)exact);
	} else if (tu_short_ok(t, addr, isa) && !(waste && rng_below(&t->rng, 2))) {
		h = source ? 0xb4 : 0x95;
		gbuf_u8(&t->out, h + (unsigned int)t32);
		tu_short_payload(t, addr, isa);
	} else if (t->o.ia32 || (tu_long32_ok(t, addr) && !(waste && rng_below(&t->rng, 2)))) {
		h = source ? 0xb6 : 0x9a;
		gbuf_u8(&t->out, h + (unsigned int)t32);
		tu_long_payload(t, addr, isa, 4);
	} else {
		h = source ? 0xb8 : 0x9d;
		gbuf_u8(&t->out, h + (unsigned int)t32);
		tu_long_payload(t, addr, isa, 8);
	}
	tu_hist_push(t, addr, isa);
}

void tu_address_bytes(struct tu *t, uint64_t addr, uint8_t isa)
{
	address_packet(t, addr, isa, 0);
}

void tu_source_bytes(struct tu *t, uint64_t addr, uint8_t isa)
{
	address_packet(t, addr, isa, 1);
}

/* the analyzer now has an address; what it would have popped stays on its return stack */
static void address_known(struct tu *t)
{
	t->v.addr_ok = 1;
	t->v.pop_pending = 0;
	t->v.rs_block = 0;
}

void tu_address(struct tu *t, uint64_t addr, uint8_t isa)
{
	tu_begin(t);
	tu_address_bytes(t, addr, isa);
	address_known(t);
}

void tu_want_ctx(const struct tu *t, const struct flow_rec *r, struct tu_ctx *c)
{
	uint32_t mask = t->o.vmid_bytes >= 4 ? 0xffffffffu : (1u << 8 * t->o.vmid_bytes) - 1;
	uint32_t id = t->o.contextidr ? t->o.contextidr(t->o.ctx, r->tid) : r->tid;

	memset(c, 0, sizeof(*c));
	c->tid = t->o.cid ? id : 0;
	if (t->o.vmid)
		c->vmid = (t->o.vmidr ? t->o.vmidr(t->o.ctx, r->tid) :
			   t->o.vmid_is_tid ? id : t->o.vmid_value) & mask;
	c->el = r->el;
	c->sec = r->sec;
	c->sf = r->isa == FLOW_A64;
}

int tu_same_ctx(const struct tu_ctx *a, const struct tu_ctx *b)
{
	return a->tid == b->tid && a->vmid == b->vmid && a->el == b->el && a->sec == b->sec &&
	       a->sf == b->sf;
}

static void context_payload(struct tu *t, const struct tu_ctx *c, struct tu_item *it)
{
	unsigned int info =
		c->el | (c->sf ? 0x10u : 0) | (c->sec & 1 ? 0x20u : 0) | (c->sec & 2 ? 8u : 0);
	int i;

	tu_item_new(it, GEN_CONTEXT);
	if (t->o.vmid && (t->pctx.vmid != c->vmid || rng_below(&t->rng, 3))) {
		info |= 0x40;
		it->ev.flags |= GEN_F_HAS_VMID;
	}
	if (t->o.cid && (t->pctx.tid != c->tid || rng_below(&t->rng, 3))) {
		info |= 0x80;
		it->ev.flags |= GEN_F_HAS_CID;
	}
	gbuf_u8(&t->out, info);
	if (info & 0x40)
		for (i = 0; i < t->o.vmid_bytes; i++)
			gbuf_u8(&t->out, c->vmid >> (8 * i) & 0xff);
	if (info & 0x80)
		gbuf_u32(&t->out, c->tid);
	t->pctx = *c;
	t->v.ctx = *c;
	t->v.ctx_ok = 1;
	tu_context_of(t, &it->ev);
}

void tu_context(struct tu *t, const struct tu_ctx *c, int same_ok)
{
	struct tu_item it;

	tu_begin(t);
	if (same_ok && tu_same_ctx(&t->pctx, c)) {
		gbuf_u8(&t->out, 0x80);
		tu_item_new(&it, GEN_CONTEXT)->ev.flags = GEN_F_CTX_SAME;
		t->v.ctx = *c;
		t->v.ctx_ok = 1;
		tu_context_of(t, &it.ev);
	} else {
		gbuf_u8(&t->out, 0x81);
		context_payload(t, c, &it);
	}
	tu_push(t, &it);
}

void tu_address_context_bytes(struct tu *t, uint64_t addr, uint8_t isa, const struct tu_ctx *c,
			      struct tu_item *it)
{
	unsigned int t32 = isa == FLOW_T32;

	if (t->o.ia32 || (tu_long32_ok(t, addr) && !rng_pm(&t->rng, t->o.p_addr_form))) {
		gbuf_u8(&t->out, 0x82 + t32);
		tu_long_payload(t, addr, isa, 4);
	} else {
		gbuf_u8(&t->out, 0x85 + t32);
		tu_long_payload(t, addr, isa, 8);
	}
	tu_hist_push(t, addr, isa);
	context_payload(t, c, it);
	address_known(t);
}

void tu_address_context(struct tu *t, uint64_t addr, uint8_t isa, const struct tu_ctx *c)
{
	struct tu_item it;

	tu_begin(t);
	tu_address_context_bytes(t, addr, isa, c, &it);
	tu_push(t, &it);
}

/* everything the analyzer needs before the next P0 element at t->cur in context *want */
void tu_settle(struct tu *t, const struct tu_ctx *want)
{
	int ctx, addr, begins = t->owe_on;

	if (begins)
		tu_trace_on(t);
	if (t->o.ts && t->o.ts_context && (begins || !tu_same_ctx(&t->v.ctx, want)))
		tu_timestamp(t);
	ctx = !t->v.ctx_ok || !tu_same_ctx(&t->v.ctx, want) || rng_pm(&t->rng, t->o.p_ctx_more);
	addr = !t->v.addr_ok || rng_pm(&t->rng, t->o.p_addr_more);
	if (t->v.soft) {
		/* half of it would leave analyzers in different minds about where they are */
		if (!t->v.soft_left || !t->v.ctx_ok || !t->v.addr_ok ||
		    (t->v.blind && (ctx || addr)))
			ctx = addr = 1;
		else
			t->v.soft_left--;
	}
	if (ctx && addr) {
		t->v.soft = t->v.blind = 0;
		switch (rng_pm(&t->rng, t->o.p_addr_form) ? rng_below(&t->rng, 3) : 2) {
		case 0:
			tu_address(t, t->cur.addr, t->cur.isa);
			tu_context(t, want, 1);
			break;
		case 1:
			tu_context(t, want, 1);
			tu_address(t, t->cur.addr, t->cur.isa);
			break;
		default:
			tu_address_context(t, t->cur.addr, t->cur.isa, want);
			break;
		}
	} else if (ctx) {
		tu_context(t, want, 1);
	} else if (addr) {
		tu_address(t, t->cur.addr, t->cur.isa);
	}
}
