/* SPDX-License-Identifier: BSD-3-Clause */
/* etmv3_enc.c - the model of an ETMv3: what each record of a flow means to it, and its packets. */
#include "etmv3_enc.h"

#include <stdlib.h>
#include <string.h>

#define ATOMS_MAX 40
#define TAGS 4
#define LIVE_CYCLES 0x7ff	/* what a cycle count may be in a recording */

struct atom {
	struct etmv3_event ev;	/* its range */
	uint8_t e, phantom;
};

struct tu3 {
	struct etmv3_case *c;
	const struct etmv3_opts *o;
	struct rng rng;
	/* the processor */
	uint32_t tid, vmid, hidden;
	uint8_t sec, hyp, on, reason, started;
	uint64_t tick, ts, now;
	struct atom atoms[ATOMS_MAX];
	unsigned int natoms;
	/* compression */
	uint32_t addr, data;
	uint8_t addr_isa, data_full, ts_full, big_endian;
	uint64_t taken;		/* bytes that the caller has taken away */
	uint64_t synced;	/* bytes at the last synchronisation */
	uint8_t phantom;	/* an instruction was sent that will be cancelled */
	uint8_t gap_uncounted;	/* the count of cycles before the last I-sync means nothing (IHI 0014Q 7.3.4) */
	/* the last load or store */
	uint32_t insn;
	uint8_t insn_known, due;
	struct {
		struct etmv3_event ev;
		uint8_t open;
	} place[TAGS];
};

static int chance(struct tu3 *t, unsigned int p)
{
	return rng_pm(&t->rng, p);
}

static uint32_t below(struct tu3 *t, uint32_t n)
{
	return rng_below(&t->rng, n);
}

static void put(struct tu3 *t, unsigned int b)
{
	gbuf_u8(&t->c->trace, b & 0xff);
}

static uint64_t bytes_sent(const struct tu3 *t)
{
	return t->taken + t->c->trace.len;
}

static void mark(struct tu3 *t, struct v7_marks *m)
{
	if (t->phantom || t->o->live)
		return;
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 256;
		m->v = gen_realloc(m->v, m->cap * sizeof(*m->v));
	}
	m->v[m->n].off = (uint32_t)t->c->trace.len;
	m->v[m->n++].events = (uint32_t)t->c->nevents;
}

static void begin(struct tu3 *t)
{
	mark(t, &t->c->packets);
}

static struct etmv3_event *event(struct tu3 *t, int kind)
{
	struct etmv3_case *c = t->c;
	struct etmv3_event *e;

	if (c->nevents == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 256;
		c->events = gen_realloc(c->events, c->cap * sizeof(*c->events));
	}
	e = &c->events[c->nevents++];
	memset(e, 0, sizeof(*e));
	e->kind = (uint8_t)kind;
	return e;
}

static uint32_t told_tid(const struct tu3 *t)
{
	return t->o->cid_bytes == 4 ? t->tid : t->tid & ((1u << (8 * t->o->cid_bytes)) - 1);
}

static struct etmv3_event *context(struct tu3 *t)
{
	struct etmv3_event *e = event(t, EV3_CONTEXT);

	e->tid = told_tid(t);
	e->vmid = t->o->vmid ? t->vmid : 0;
	e->sec = t->sec;
	e->el = t->hyp ? 2 : 0;
	return e;
}

/* ---- P-headers --------------------------------------------------------------------------------- */

/* The oldest atom was sent with so many cycles. */
static void sent(struct tu3 *t, uint32_t cc)
{
	struct atom *a = &t->atoms[0];

	if (!a->phantom) {
		*event(t, EV3_RANGE) = a->ev;
		t->c->events[t->c->nevents - 1].cc = cc;
	} else {
		t->phantom = 1;
		/* its time has passed all the same */
		if (cc)
			event(t, EV3_CYCLES)->cc = cc;
	}
	memmove(a, a + 1, --t->natoms * sizeof(*a));
}

static unsigned int leading_e(const struct tu3 *t, unsigned int max)
{
	unsigned int n = 0;

	while (n < t->natoms && n < max && t->atoms[n].e)
		n++;
	return n;
}

static void phdr_plain(struct tu3 *t)
{
	unsigned int e, n, i;

	if (t->natoms >= 2 && chance(t, 300)) {
		put(t, 0x82 | (t->atoms[0].e ? 0 : 8) | (t->atoms[1].e ? 0 : 4));
		n = 2;
	} else {
		e = leading_e(t, 15);
		if (e && chance(t, t->o->p_flush))
			e = 1 + below(t, e);
		n = e + (e < t->natoms && !t->atoms[e].e && (!e || below(t, 8)));
		put(t, 0x80 | e << 2 | (n > e ? 0x40 : 0));
	}
	for (i = 0; i < n; i++)
		sent(t, 0);
}

static void phdr_cycles(struct tu3 *t)
{
	unsigned int e, n, w, i;

	switch (below(t, 5)) {
	case 0:
		if (t->natoms < 2)
			break;
		put(t, 0x82 | (t->atoms[0].e ? 0 : 8) | (t->atoms[1].e ? 0 : 4));
		sent(t, 1);
		sent(t, 0);
		return;
	case 1:
		put(t, 0x92 | (t->atoms[0].e ? 0 : 4));
		sent(t, 0);
		return;
	case 2:
		if (!t->atoms[0].e)
			break;
		w = 1 + below(t, 8);
		put(t, 0xe0 | (w - 1) << 2);
		sent(t, w);
		return;
	}
	e = leading_e(t, 7);
	if (e && chance(t, t->o->p_flush))
		e = 1 + below(t, e);
	n = e + (e < t->natoms && !t->atoms[e].e);
	put(t, 0x80 | e << 2 | (n > e ? 0x40 : 0));
	for (i = 0; i < n; i++)
		sent(t, 1);
}

static void wait_cycles(struct tu3 *t)
{
	unsigned int w = 1 + below(t, 8);

	begin(t);
	put(t, 0xa0 | (w - 1) << 2);
	event(t, EV3_CYCLES)->cc = w;
}

static void flush(struct tu3 *t)
{
	while (t->natoms) {
		if (t->o->cycles && chance(t, 200))
			wait_cycles(t);
		begin(t);
		if (t->o->cycles)
			phdr_cycles(t);
		else
			phdr_plain(t);
	}
}

/* ---- time and other asides --------------------------------------------------------------------- */

/* Sends a count of the cycles before the last I-sync. Returns it, or 0 if they are unknown. */
static uint32_t put_cycles(struct tu3 *t)
{
	uint32_t cc = ((uint32_t)rng_next(&t->rng) >> below(t, 32)) | 1, rest;
	int i, more = 1;

	if (t->o->live)
		cc &= LIVE_CYCLES;
	rest = cc;
	for (i = 0; more; i++) {
		unsigned int b = rest & (i == 4 ? 0x0f : 0x7f);

		rest >>= 7;
		more = i < 4 && (rest || chance(t, t->o->p_long));
		put(t, b | (more ? 0x80 : 0));
	}
	return t->gap_uncounted ? 0 : cc;
}

static void timestamp(struct tu3 *t)
{
	unsigned int max = t->o->ts64 ? 9 : 7, bits = t->o->ts64 ? 64 : 48, i;
	uint64_t v, changed;

	if (t->o->live)
		t->tick = t->now;
	else
		t->tick += rng_next(&t->rng) >> (16 + below(t, 46));
	if (bits == 48)
		t->tick &= 0xffffffffffffull;
	v = t->o->ts_gray ? t->tick ^ t->tick >> 1 : t->tick;
	changed = v ^ t->ts;
	begin(t);
	put(t, 0x42 | (chance(t, 100) ? 4 : 0));
	for (i = 0; i < max; i++) {
		unsigned int width = i == max - 1 ? bits - 7 * i : 7;
		unsigned int b = v >> (7 * i) & ((1u << width) - 1);
		int more = i < max - 1 && (t->ts_full || changed >> (7 * (i + 1)) || chance(t, t->o->p_long));

		put(t, b | (more ? 0x80 : 0));
		if (!more)
			break;
	}
	t->ts = v;
	t->ts_full = 0;
	event(t, EV3_TIMESTAMP)->a = t->tick;
}

static void vmid(struct tu3 *t)
{
	begin(t);
	t->vmid = below(t, 256);
	put(t, 0x3c);
	put(t, t->vmid);
	context(t);
}

/* Packets that may stand anywhere. */
static void asides(struct tu3 *t)
{
	struct etmv3_event *e;

	if (t->o->ts && chance(t, t->o->p_ts))
		timestamp(t);
	if (!chance(t, t->o->p_aside))
		return;
	switch (below(t, 4)) {
	case 0:
		begin(t);
		put(t, 0x0c);
		event(t, EV3_TRIGGER);
		break;
	case 1:
		begin(t);
		put(t, 0x66);
		break;
	case 2:
		if (!t->o->cycles)
			break;
		begin(t);
		put(t, 0x04);
		e = event(t, EV3_CYCLES);
		e->cc = put_cycles(t);
		e->gap = 1;
		break;
	default:
		if (t->o->cycles && !t->o->data_only)
			wait_cycles(t);
	}
}

/* ---- branches ---------------------------------------------------------------------------------- */

struct info {
	uint8_t any, exc_any, cancel;
	uint16_t exc;
};

static void put_info(struct tu3 *t, const struct info *x)
{
	int one = t->hyp || x->exc >> 4 || chance(t, 100), two = t->o->mprofile && chance(t, 100);

	put(t, (one || two ? 0x80 : 0) | (x->cancel ? 0x20 : 0) | (x->exc & 15) << 1 | (t->sec ? 1 : 0));
	if (one)
		put(t, (two ? 0x80 : 0) | (t->hyp ? 0x20 : 0) | (x->exc >> 4 & 0x1f));
	if (two)
		put(t, 0x40 | below(t, 16));
}

static void put_address(struct tu3 *t, uint32_t addr, unsigned int isa, const struct info *x)
{
	unsigned int low = isa == FLOW_A32 ? 2 : 1, n, i, shift = low + 6;
	uint32_t changed = addr ^ t->addr;

	for (n = 1; n < 5; n++) {
		unsigned int width = n == 1 ? low + 6 : low + 6 + 7 * (n - 1) - (t->o->alt ? 1 : 0);

		if (!(changed >> width) && isa == t->addr_isa && (!x->any || (t->o->alt && n > 1)))
			break;
	}
	while (n < 5 && chance(t, t->o->p_long))
		n++;
	put(t, 1 | (addr >> low & 0x3f) << 1 | (n > 1 ? 0x80 : 0));
	for (i = 1; i < n; i++) {
		uint32_t v = addr >> shift;
		int last = i == n - 1;

		shift += 7;
		if (i == 4)
			put(t, (x->any ? 0x40 : 0) | (isa == FLOW_A32 ? 0x08 | (v & 7) : 0x10 | (v & 15)));
		else if (!last)
			put(t, 0x80 | (v & 0x7f));
		else if (t->o->alt)
			put(t, (x->any ? 0x40 : 0) | (v & 0x3f));
		else
			put(t, v & 0x7f);
	}
	if (x->any)
		put_info(t, x);
	t->addr = addr;
	t->addr_isa = (uint8_t)isa;
}

static uint32_t any_address(struct tu3 *t, unsigned int isa)
{
	uint32_t a = (uint32_t)rng_next(&t->rng);

	return isa == FLOW_A32 ? a & ~3u : a & ~1u;
}

static void branch(struct tu3 *t, uint32_t addr, unsigned int isa, unsigned int exc, int cancel)
{
	struct info x = { exc || cancel, exc != 0, (uint8_t)cancel, (uint16_t)exc }, none = { 0 };
	int state = chance(t, t->o->p_state), told;
	uint8_t sec = t->sec, hyp = t->hyp;

	begin(t);
	/* before an exception it would be the target of the branch that the exception came after */
	if (chance(t, t->o->p_twice) && !cancel && !exc) {
		/* the last one holds */
		put_address(t, any_address(t, isa), isa, &none);
		begin(t);
	}
	told = x.any || state;
	x.any = (uint8_t)told;
	if (state) {
		t->sec = (uint8_t)below(t, 2);
		t->hyp = t->o->virt && t->sec && below(t, 2);
	}
	put_address(t, addr, isa, &x);
	t->phantom = 0;
	if (t->sec != sec || t->hyp != hyp)
		context(t);
	if (exc)
		event(t, EV3_EXCEPTION)->num = (uint16_t)exc;
}

/* ---- data -------------------------------------------------------------------------------------- */

static uint32_t size_code(uint32_t v, struct tu3 *t)
{
	unsigned int least = v >> 16 ? 3 : v >> 8 ? 2 : v ? 1 : 0;

	return least + below(t, 4 - least);
}

static unsigned int put_data_address(struct tu3 *t, uint32_t a)
{
	uint32_t changed = a ^ t->data;
	unsigned int i;
	int full = t->data_full || chance(t, 100);

	if (full)
		t->big_endian = (uint8_t)below(t, 2);
	for (i = 0; i < 4; i++) {
		int more = full || (i < 3 ? changed >> (7 * (i + 1)) : changed >> 28) || chance(t, t->o->p_long);

		put(t, (a >> (7 * i) & 0x7f) | (more ? 0x80 : 0));
		if (!more)
			break;
	}
	if (i == 4)
		put(t, a >> 28 | (t->big_endian ? 0x10 : 0));
	t->data = a;
	t->data_full = 0;
	return DT3_ADDR;
}

static struct etmv3_event *data_event(struct tu3 *t, unsigned int num)
{
	struct etmv3_event *e = event(t, EV3_DATA);

	e->num = (uint16_t)num;
	if (t->insn_known) {
		e->num |= DT3_INSN;
		e->insn = t->insn;
	}
	return e;
}

static void put_value(struct tu3 *t, struct etmv3_event *e, unsigned int code)
{
	static const uint8_t bytes[4] = { 0, 1, 2, 4 };
	unsigned int i;

	for (i = 0; i < bytes[code]; i++)
		put(t, e->b >> (8 * i));
	e->size = bytes[code];
	e->num |= DT3_VALUE;
}

static uint32_t some_value(struct tu3 *t)
{
	return below(t, 4) ? (uint32_t)rng_next(&t->rng) >> 8 * below(t, 4) : 0;
}

static void late(struct tu3 *t, unsigned int tag)
{
	uint32_t v = some_value(t);
	struct etmv3_event *e;
	unsigned int code = size_code(v, t);

	begin(t);
	put(t, tag << 5 | code << 2);
	e = event(t, EV3_DATA);
	*e = t->place[tag].ev;
	e->kind = EV3_DATA;
	e->tag = (uint8_t)tag;
	/* the byte order is that of the transfers now */
	e->num = (e->num & (DT3_ADDR | DT3_INSN | DT3_BIG_ENDIAN)) | DT3_LATE | (t->big_endian ? DT3_BIG_ENDIAN : 0);
	e->b = v;
	put_value(t, e, code);
	t->place[tag].open = 0;
}

static void all_late(struct tu3 *t)
{
	unsigned int tag;

	for (tag = 1; tag < TAGS; tag++)
		if (t->place[tag].open)
			late(t, tag);
}

/* One word; the first one of an instruction has the address. */
static void word(struct tu3 *t, uint32_t a, int first)
{
	int with = t->o->data_addr && first, tag = 1 + (int)below(t, 3);
	struct etmv3_event *e;
	unsigned int code, num = t->o->data_addr ? DT3_ADDR : 0;
	uint32_t v;

	begin(t);
	switch (below(t, 8)) {
	case 0:
		if (!t->o->data_value || t->place[tag].open)
			break;
		put(t, 0x50 | (first ? 0x20 : 0) | (unsigned int)tag << 2);
		if (with)
			put_data_address(t, a);
		e = data_event(t, num | DT3_PENDING | (t->big_endian ? DT3_BIG_ENDIAN : 0));
		e->a = num ? a : 0;
		e->tag = (uint8_t)tag;
		t->place[tag].ev = *e;
		t->place[tag].open = 1;
		return;
	case 1:
		put(t, first ? 0x7a : 0x6a);
		if (with)
			put_data_address(t, a);
		e = data_event(t, num | DT3_NOT_TRACED | (t->big_endian ? DT3_BIG_ENDIAN : 0));
		e->a = num ? a : 0;
		return;
	}
	v = some_value(t);
	code = t->o->data_value ? size_code(v, t) : below(t, 4);
	put(t, 0x02 | (first ? 0x20 : 0) | code << 2);
	if (with)
		put_data_address(t, a);
	e = data_event(t, num | (t->big_endian ? DT3_BIG_ENDIAN : 0));
	e->a = num ? a : 0;
	e->b = t->o->data_value ? v : 0;
	if (t->o->data_value)
		put_value(t, e, code);
}

static void data(struct tu3 *t)
{
	uint32_t a = below(t, 3) ? t->data + below(t, 256) : (uint32_t)rng_next(&t->rng);
	unsigned int i, n = 1 + (below(t, 3) ? 0 : below(t, 4));

	t->due = 0;
	flush(t);
	if (chance(t, 60)) {
		begin(t);
		put(t, 0x62);
		data_event(t, DT3_SUPPRESSED);
		return;
	}
	if (t->o->data_value && chance(t, 60)) {
		begin(t);
		put(t, 0x50);
		data_event(t, DT3_FAILED);
		return;
	}
	for (i = 0; i < n; i++)
		word(t, a + 4 * i, !i);
	for (i = 1; i < TAGS; i++)
		if (t->place[i].open && chance(t, 400))
			late(t, i);
}

/* Reasons of I-syncs. */
#define OVERFLOWED 2
#define DEBUGGED 3

/* ---- synchronisation --------------------------------------------------------------------------- */

static int uncounted(const struct tu3 *t, unsigned int reason)
{
	return reason == OVERFLOWED ? t->o->minor == 0 || t->o->minor == 5 : reason == DEBUGGED && !t->o->minor;
}

static void isync(struct tu3 *t, uint32_t addr, unsigned int isa, unsigned int reason)
{
	int cc = t->o->cycles && below(t, 2), lsip = 0, i;
	uint32_t cycles = 0, at = addr;
	struct info none = { 0 };
	struct etmv3_event *e;

	flush(t);
	begin(t);
	if (reason && t->o->data_addr && !t->o->data_only && chance(t, 300)) {
		lsip = 1;
		at = any_address(t, isa);
	}
	if (reason)
		t->gap_uncounted = (uint8_t)uncounted(t, reason);
	put(t, cc ? 0x70 : 0x08);
	if (cc)
		cycles = put_cycles(t);
	for (i = 0; i < t->o->cid_bytes; i++)
		put(t, t->tid >> (8 * i));
	put(t, (lsip ? 0x80 : 0) | reason << 5 | (t->sec ? 8 : 0) | (t->hyp ? 2 : 0) | 1);
	if (!t->o->data_only)
		for (i = 0; i < 4; i++)
			put(t, (at | (isa == FLOW_T32)) >> (8 * i));
	t->addr = at;
	t->addr_isa = (uint8_t)isa;
	/* what the overflow swallowed may have held a time */
	if (reason == OVERFLOWED)
		t->ts_full = 1;
	/* the first synchronisation begins the trace whatever its reason */
	if (reason || !t->started) {
		t->started = 1;
		event(t, EV3_TRACE_ON)->num = reason == OVERFLOWED ? 1 : reason == DEBUGGED ? 2 : 0;
		t->insn_known = 0;
	}
	e = context(t);
	e->cc = cycles;
	e->gap = 1;
	if (lsip) {
		put_address(t, addr, isa, &none);
		t->insn = at;
		t->insn_known = 1;
	}
	if (!t->c->first)
		t->c->first = (uint32_t)t->c->trace.len;
}

static void async(struct tu3 *t)
{
	int i;

	flush(t);
	all_late(t);
	mark(t, &t->c->syncs);
	for (i = 0; i < 5; i++)
		put(t, 0);
	put(t, 0x80);
	t->synced = bytes_sent(t);
	t->data_full = t->ts_full = 1;
}

/* ---- the processor ----------------------------------------------------------------------------- */

/* Loads and stores among the instructions of random programs; of the indirect branches some load their target. */
static int is_transfer(struct tu3 *t, const struct flow_rec *r)
{
	const struct etmv3_case *c = t->c;
	const uint8_t *b = NULL;
	unsigned int h, h2;
	size_t i;

	if (r->klass != FLOW_INDIRECT)
		return r->klass == FLOW_LOAD || r->klass == FLOW_STORE;
	for (i = 0; i < c->nregions; i++)
		if ((r->el ? c->regions[i].el : !c->regions[i].el && c->regions[i].tid == r->tid) &&
		    r->pc >= c->regions[i].va && r->pc < c->regions[i].va + c->regions[i].len)
			b = c->regions[i].bytes + (r->pc - c->regions[i].va);
	if (!b)
		return 0;
	h = b[0] | (unsigned int)b[1] << 8;
	h2 = r->size == 4 ? b[2] | (unsigned int)b[3] << 8 : 0;
	if (r->isa == FLOW_A32) {
		unsigned int k = h2 >> 9 & 7;	/* bits 27:25 */

		if (h2 >> 12 == 15)	/* RFE */
			return k == 4 && (h2 & 0x50) == 0x10;
		return k == 2 || (k == 3 && !(h & 0x10)) || k == 4;
	}
	if (r->size == 2)
		return h >> 9 == 0x5e;	/* POP */
	return h >> 9 == 0x7c || h >> 9 == 0x74;
}

static void instruction(struct tu3 *t, const struct flow_rec *r)
{
	const struct etmv3_opts *o = t->o;
	int taken = r->klass == FLOW_OTHER || r->klass >= FLOW_ISB || r->flags & FLOW_TAKEN, moves, target;
	struct atom *a;

	/* conditional instructions that are no branches may fail */
	if (r->klass == FLOW_OTHER && r->flags & FLOW_COND)
		taken = (int)below(t, 2);
	if (r->klass >= FLOW_ISB && r->flags & FLOW_COND)
		taken = (int)below(t, 2);
	moves = taken && is_transfer(t, r) && (o->data_addr || o->data_value);
	if (t->due && (moves || chance(t, 500)))
		data(t);
	if (o->data_only) {
		if (moves)
			data(t);
		return;
	}
	a = &t->atoms[t->natoms++];
	memset(a, 0, sizeof(*a));
	a->e = (uint8_t)taken;
	a->ev = (struct etmv3_event){ .kind = EV3_RANGE, .a = r->pc, .b = r->pc + r->size, .isa = r->isa,
				      .atom = taken ? 'E' : 'N', .tid = told_tid(t), .sec = t->sec,
				      .el = t->hyp ? 2 : 0 };
	if (o->live) {
		a->ev.klass = r->klass;
		a->ev.iflags = r->flags;
		a->ev.next = r->next;
	}
	if (moves) {
		flush(t);
		t->insn = (uint32_t)r->pc;
		t->insn_known = 1;
		if (chance(t, o->p_data))
			t->due = 1;
	}
	if (t->natoms > ATOMS_MAX - 4 || chance(t, o->p_flush))
		flush(t);
	if (r->flags & FLOW_ERET && taken) {
		flush(t);
		begin(t);
		put(t, 0x76);
		event(t, EV3_EXC_RETURN);
		if (o->mprofile && (o->data_addr || o->data_value)) {
			event(t, EV3_DATA)->num = DT3_STACKING;
			t->insn_known = t->due = 0;
		}
	}
	if (!taken || (r->klass != FLOW_INDIRECT && r->klass != FLOW_DIRECT))
		return;
	/* where the target's instruction set is another one, a packet says so */
	target = (int)r->num;
	if (r->klass == FLOW_DIRECT && target == r->isa && !(o->broadcast && below(t, 2)))
		return;
	if (t->due && below(t, 2))
		data(t);
	flush(t);
	asides(t);
	branch(t, (uint32_t)r->next, (unsigned int)target, 0, 0);
}

/* An instruction that is sent, and then cancelled by the exception. */
static int phantom(struct tu3 *t)
{
	struct atom *a;

	if (!chance(t, t->o->p_cancel) || t->o->data_only)
		return 0;
	a = &t->atoms[t->natoms++];
	memset(a, 0, sizeof(*a));
	a->e = (uint8_t)below(t, 2);
	a->phantom = 1;
	flush(t);
	if (!t->o->mprofile && chance(t, 100))
		put(t, 0x76);
	while (chance(t, 500))
		asides(t);
	return 1;
}

static unsigned int exception_number(struct tu3 *t)
{
	static const uint8_t a[] = { 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint16_t m[] = { 1, 7, 8, 9, 10, 11, 14, 15, 17, 19, 21, 24, 25, 300, 511 };

	return t->o->mprofile ? m[below(t, 15)] : a[below(t, 13)];
}

static void exception(struct tu3 *t, const struct flow_rec *r)
{
	const struct etmv3_opts *o = t->o;
	int cancel;

	if (t->due)
		data(t);
	if (o->data_only)
		return;
	flush(t);
	cancel = phantom(t);
	branch(t, r->next ? (uint32_t)r->next : 0xffff0018u, t->c->prog.kernel_isa,
	       o->live ? r->num : exception_number(t), cancel);
	t->c->events[t->c->nevents - 1].a = r->pc == FLOW_TAIL_CHAIN ? 0 : r->pc;
	if (o->mprofile && (o->data_addr || o->data_value) && below(t, 2)) {
		begin(t);
		put(t, 0x7e);
		event(t, EV3_DATA)->num = DT3_STACKING;
		t->insn_known = 0;
		if (below(t, 2))
			data(t);
	}
}

static void start(struct tu3 *t, const struct flow_rec *r)
{
	unsigned int reason = t->reason;

	t->on = 1;
	t->reason = 1;
	if (t->synced == 0) {
		async(t);
		while (t->o->cycles && !t->o->data_only && below(t, 2))
			wait_cycles(t);
		if (t->o->ts && below(t, 2))
			timestamp(t);
	}
	isync(t, (uint32_t)r->pc, r->isa, reason);
	if (t->o->ts && t->o->live)
		timestamp(t);
}

/* The instruction set where a branch goes. */
static uint8_t target_isa(struct tu3 *t, const struct flow_rec *r)
{
	struct prog *p = t->c->program;
	struct flow_rec code;

	if (t->o->live)
		return (uint8_t)r->num;
	if (r->klass == FLOW_DIRECT)
		return prog_insn_at(p, r->pc, r->isa, r->tid, r->el, &code) ? (uint8_t)code.num : r->isa;
	/* where an indirect branch goes, code of one instruction set stands */
	return t->o->mprofile || prog_insn_at(p, r->next, FLOW_T32, r->tid, r->flags & FLOW_ERET ? 0 : r->el, &code) ?
	       FLOW_T32 : FLOW_A32;
}

static void take(void *ctx, const struct flow_rec *r)
{
	struct tu3 *t = ctx;
	struct flow_rec in;
	int i;

	if (r->kind == FLOW_CONTEXT) {
		t->tid = r->tid;
		if (!t->on || !t->o->cid_bytes)
			return;
		if (t->due)
			data(t);
		flush(t);
		begin(t);
		put(t, 0x6e);
		for (i = 0; i < t->o->cid_bytes; i++)
			put(t, t->tid >> (8 * i));
		context(t);
		return;
	}
	if (r->kind == FLOW_OFF) {
		if (t->due)
			data(t);
		flush(t);
		t->on = 0;
		return;
	}
	if (r->kind == FLOW_EXC && t->on)
		exception(t, r);
	if (r->kind != FLOW_INSN)
		return;
	if (t->hidden) {
		t->hidden--;
		return;
	}
	if (!t->on) {
		start(t, r);
		if (t->o->vmid && below(t, 2))
			vmid(t);
	} else if (t->o->sync_every && bytes_sent(t) - t->synced > t->o->sync_every) {
		if (t->due)
			data(t);
		async(t);
		isync(t, (uint32_t)r->pc, r->isa, 0);
		if (t->o->vmid)
			vmid(t);
	}
	if (chance(t, t->o->p_ts + t->o->p_aside))
		flush(t);
	if (!t->natoms)
		asides(t);
	in = *r;
	in.num = target_isa(t, r);
	instruction(t, &in);
	if (chance(t, t->o->p_overflow)) {
		if (t->due)
			data(t);
		flush(t);
		all_late(t);
		t->hidden = below(t, 30);
		t->on = 0;
		t->reason = OVERFLOWED;
	}
}

static void set_regs(struct etmv3_case *c)
{
	const struct etmv3_opts *o = &c->opts;

	c->regs.cr = (uint32_t)o->data_value << 2 | (uint32_t)o->data_addr << 3 | (uint32_t)o->broadcast << 8 |
		     (uint32_t)o->cycles << 12 | (o->cid_bytes == 4 ? 3u : o->cid_bytes) << 14 |
		     (uint32_t)o->data_only << 20 | (uint32_t)o->ts << 28 | (uint32_t)o->vmid << 30;
	c->regs.ccer = (uint32_t)o->ts << 22 | (uint32_t)o->virt << 26 | (uint32_t)!o->ts_gray << 28 |
		       (uint32_t)o->ts64 << 29;
	c->regs.idr = 0x41000000u | 2u << 8 | (uint32_t)o->minor << 4 | (uint32_t)o->alt << 20;
}

static void draw(struct etmv3_case *c, struct rng *r)
{
	struct etmv3_opts *o = &c->opts;
	struct prog_opts *p = &c->prog;

	o->seed = c->seed;
	o->minor = (uint8_t)rng_below(r, 6);
	o->alt = o->minor >= 4 && rng_below(r, 2);
	o->cid_bytes = (uint8_t)(1u << rng_below(r, 4)) >> 1;
	o->mprofile = !rng_below(r, 4);
	o->virt = o->minor == 5 && !o->mprofile && rng_below(r, 2);
	o->vmid = o->virt && rng_below(r, 2);
	o->ts = o->minor == 5 && rng_below(r, 2);
	o->ts64 = o->minor == 5 && rng_below(r, 2);
	o->ts_gray = (uint8_t)rng_below(r, 2);
	o->cycles = (uint8_t)rng_below(r, 2);
	o->broadcast = (uint8_t)rng_below(r, 2);
	if (rng_below(r, 2)) {
		o->data_addr = (uint8_t)rng_below(r, 2);
		o->data_value = !o->data_addr || rng_below(r, 2);
		o->data_only = !rng_below(r, 6);
	}
	o->sync_every = rng_below(r, 3) ? 50 + rng_below(r, 1000) : 0;
	o->p_flush = (uint16_t)rng_below(r, 300);
	o->p_long = (uint16_t)rng_below(r, 100);
	o->p_state = rng_below(r, 2) ? (uint16_t)rng_below(r, 60) : 0;
	o->p_ts = (uint16_t)rng_below(r, 30);
	o->p_aside = (uint16_t)rng_below(r, 60);
	o->p_overflow = rng_below(r, 3) ? 0 : (uint16_t)rng_below(r, 5);
	o->p_cancel = (uint16_t)rng_below(r, 700);
	o->p_data = 400 + (uint16_t)rng_below(r, 600);
	o->p_twice = (uint16_t)rng_below(r, 40);

	prog_opts_init(p);
	p->seed = c->seed * 7 + 3;
	p->user_isas = o->mprofile ? 1 << FLOW_T32 : 1 + rng_below(r, 3);
	p->kernel_isa = o->mprofile || rng_below(r, 2) ? FLOW_T32 : FLOW_A32;
	p->kernel_traced = (uint8_t)rng_below(r, 2);
	p->mprofile = o->mprofile;
	p->threads = o->cid_bytes ? (uint8_t)(1 + rng_below(r, 3)) : 1;
	p->sections = (uint8_t)(1 + rng_below(r, 3));
	p->ia32 = 1;
	p->sec = 1;
	p->first_tid = 1 + rng_below(r, 100);
	p->p_irq = (uint16_t)rng_below(r, 20);
	p->p_trap = (uint16_t)rng_below(r, 10);
	p->p_off = (uint16_t)rng_below(r, 4);
	c->insns = 100 + rng_below(r, 1200);
	c->regs.traceidr = 1 + rng_below(r, 0x6f);
	set_regs(c);
}

void etmv3_case_new(uint64_t seed, struct etmv3_case *c)
{
	static const uint8_t reasons[] = { 0, 1, 1, 1, 3 };
	struct tu3 t;

	memset(c, 0, sizeof(*c));
	memset(&t, 0, sizeof(t));
	c->seed = seed;
	rng_seed(&t.rng, seed);
	draw(c, &t.rng);
	t.c = c;
	t.o = &c->opts;
	t.gap_uncounted = (uint8_t)uncounted(&t, OVERFLOWED);
	t.sec = 1;
	t.tick = rng_next(&t.rng) >> 20;
	t.reason = reasons[below(&t, 5)];
	c->program = prog_new(&c->prog);
	c->nregions = prog_regions(c->program, &c->regions);
	prog_run(c->program, c->insns, take, &t);
	if (t.due)
		data(&t);
	flush(&t);
	event(&t, EV3_END);
}

void etmv3_case_free(struct etmv3_case *c)
{
	prog_free(c->program);
	gbuf_free(&c->trace);
	free(c->events);
	free(c->packets.v);
	free(c->syncs.v);
	memset(c, 0, sizeof(*c));
}

/* ---- recordings ---------------------------------------------------------------------------------- */

struct tu3 *etmv3_unit_new(struct etmv3_case *c)
{
	struct tu3 *t = gen_realloc(NULL, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->c = c;
	t->o = &c->opts;
	t->sec = 1;
	t->reason = 1;
	t->gap_uncounted = (uint8_t)uncounted(t, OVERFLOWED);
	rng_seed(&t->rng, c->opts.seed);
	set_regs(c);
	return t;
}

void etmv3_unit_flow(struct tu3 *t, const struct flow_rec *r)
{
	if (r->kind == FLOW_INSN && r->aux)
		t->now = r->aux;
	take(t, r);
}

void etmv3_unit_stop(struct tu3 *t)
{
	flush(t);
	t->on = t->started = 0;
	t->hidden = 0;
	t->reason = 1;
	t->synced = 0;
}

void etmv3_unit_taken(struct tu3 *t)
{
	t->taken += t->c->trace.len;
	t->c->trace.len = 0;
	t->c->nevents = 0;
}
