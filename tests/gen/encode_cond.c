/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * encode_cond.c - tracing of conditional non-branch instructions: which were met since the last P0 element,
 * with a key each, and later what came of those with a key.
 */
#include <string.h>

#include "encode_int.h"

#define SPECIAL_KEYS 4

enum { N = 8, Z = 4, C = 2, V = 1 };

/* by the names of the conditions */
static int passes(unsigned int cond, unsigned int f)
{
	switch (cond) {
	case 0: return (f & Z) != 0;			/* EQ */
	case 1: return !(f & Z);			/* NE */
	case 2: return (f & C) != 0;			/* CS */
	case 3: return !(f & C);			/* CC */
	case 4: return (f & N) != 0;			/* MI */
	case 5: return !(f & N);			/* PL */
	case 6: return (f & V) != 0;			/* VS */
	case 7: return !(f & V);			/* VC */
	case 8: return f & C && !(f & Z);		/* HI */
	case 9: return !(f & C) || f & Z;		/* LS */
	case 10: return !(f & N) == !(f & V);		/* GE */
	case 11: return !(f & N) != !(f & V);		/* LT */
	case 12: return !(f & Z) && !(f & N) == !(f & V); /* GT */
	case 13: return f & Z || !(f & N) != !(f & V);	/* LE */
	}
	return 1;
}

static uint32_t plus(const struct tu *t, uint32_t key, uint32_t n)
{
	return (key + n) % t->o.cond_keys;
}

static int outstanding(const struct tu *t, uint32_t key)
{
	uint32_t i;

	for (i = 0; i < t->nco; i++)
		if (t->co[i].key == key)
			return 1;
	return 0;
}

static void push_insn(struct tu *t, const struct tu_cond *c)
{
	struct tu_item it;

	tu_item_new(&it, GEN_COND_I);
	it.ev.start = t->cp_torn ? 0 : c->pc;
	it.ev.num = c->pass ? 1 : 2;
	it.ev.value = c->key;
	tu_push(t, &it);
}

/* the result of all with this key is on its way */
static void push_result(struct tu *t, uint32_t key, int unknown)
{
	struct tu_item it;
	uint32_t i, n = 0;

	tu_item_new(&it, GEN_COND_R);
	it.ev.value = key;
	it.ev.num = (uint16_t)unknown;
	tu_push(t, &it);
	for (i = 0; i < t->nco; i++)
		if (t->co[i].key != key)
			t->co[n++] = t->co[i];
	t->nco = n;
}

static void format1_payload(struct tu *t, const struct tu_cond *c)
{
	unsigned int bits = t->o.cond_flags ? c->flags : (unsigned int)c->pass;

	gbuf_u8(&t->out, bits | (c->key & 7) << 4 | (c->key > 7 ? 0x80 : 0));
	if (c->key > 7)
		tu_uleb(t, c->key >> 3);
}

static void move_r(struct tu *t, uint32_t key)
{
	t->rk = key < t->o.cond_keys ? key : plus(t, t->rk, 1);
}

static void result_format1(struct tu *t, uint32_t i)
{
	struct tu_cond c = t->co[i], d;
	uint32_t j;

	tu_begin(t);
	for (j = 0; j < t->nco && t->co[j].key == c.key; j++)
		;
	if (j < t->nco && rng_below(&t->rng, 3) == 0) {
		d = t->co[j];
		gbuf_u8(&t->out, 0x68);
		format1_payload(t, &c);
		format1_payload(t, &d);
		move_r(t, c.key);
		push_result(t, c.key, 0);
		move_r(t, d.key);
		push_result(t, d.key, 0);
		return;
	}
	gbuf_u8(&t->out, 0x6e);
	format1_payload(t, &c);
	move_r(t, c.key);
	push_result(t, c.key, 0);
}

/* 2-bit token, or 4 bits of it, -1: there is none; *bits is its size */
static int token(const struct tu *t, const struct tu_cond *c, int *bits)
{
	*bits = 2;
	if (!t->o.cond_flags)
		return c->pass;
	switch (c->flags) {
	case C: return 0;
	case N: return 1;
	case Z | C: return 2;
	}
	*bits = 4;
	switch (c->flags) {
	case N | C: return 0x3;
	case 0: return 0x7;
	case Z: return 0xb;
	}
	return -1;
}

static int find(const struct tu *t, uint32_t key)
{
	uint32_t i;

	for (i = 0; i < t->nco; i++)
		if (t->co[i].key == key)
			return (int)i;
	return -1;
}

/* results of the keys that follow, as many as fit */
static int result_format3(struct tu *t)
{
	unsigned int all = 0, at = 0;
	int i, tok, bits, n = 0;
	uint32_t key = t->rk, done[6];

	while (at < 12 && n < 6) {
		key = plus(t, key, 1);
		i = find(t, key);
		tok = i < 0 ? -1 : token(t, &t->co[i], &bits);
		if (tok < 0 || at + (unsigned int)bits > 12)
			break;
		all |= (unsigned int)tok << at;
		at += (unsigned int)bits;
		done[n++] = key;
	}
	if (!n)
		return 0;
	/* what is left says that there is no more */
	all |= 0xfffu << at & 0xfff;
	tu_begin(t);
	gbuf_u8(&t->out, 0x50 | all >> 8);
	gbuf_u8(&t->out, all & 0xff);
	for (i = 0; i < n; i++)
		push_result(t, done[i], 0);
	t->rk = done[n - 1];
	return 1;
}

static void one_result(struct tu *t)
{
	uint32_t i = rng_below(&t->rng, 4) ? 0 : rng_below(&t->rng, t->nco);
	uint32_t key = t->co[i].key, delta = (key + t->o.cond_keys - t->rk) % t->o.cond_keys;
	int bits, tok = token(t, &t->co[i], &bits);

	if (rng_below(&t->rng, 3) == 0 && result_format3(t))
		return;
	if (key >= t->o.cond_keys || tok < 0 || bits != 2 || rng_below(&t->rng, 4) == 0)
		delta = 0;
	if (!t->o.cond_flags && rng_below(&t->rng, 10) == 0)
		tok = 2;	/* unknown */
	if (delta == 1 || delta == 2) {
		tu_begin(t);
		gbuf_u8(&t->out, 0x48 | (delta == 2 ? 4 : 0) | (unsigned int)tok);
	} else if (delta && delta == t->o.cond_keys - 1) {
		tu_begin(t);
		gbuf_u8(&t->out, 0x44 | (unsigned int)tok);
	} else {
		result_format1(t, i);
		return;
	}
	t->rk = key;
	push_result(t, key, !t->o.cond_flags && tok == 2);
}

void tu_cond_results(struct tu *t)
{
	if (!t->o.cond_mode || t->wrong)
		return;
	while (t->nco && (t->nco > 24 || rng_below(&t->rng, 3) == 0))
		one_result(t);
	if (t->nco && rng_pm(&t->rng, t->o.p_cond_flush)) {
		tu_begin(t);
		gbuf_u8(&t->out, 0x43);
		tu_cond_flush(t);
	}
}

/* the analyzer gives up what is outstanding; by a packet, or what another one implies */
void tu_cond_flush(struct tu *t)
{
	struct tu_item it;

	if (!t->o.cond_mode)
		return;
	t->nco = 0;
	t->rk = t->ck;
	tu_item_new(&it, GEN_COND_F);
	tu_push(t, &it);
}

static int is_traced(const struct tu *t, const struct flow_rec *r)
{
	if (!(r->flags & FLOW_COND) || r->klass == FLOW_DIRECT || r->klass == FLOW_INDIRECT)
		return 0;
	return t->o.cond_mode == 7 || (r->klass == FLOW_LOAD && t->o.cond_mode & 1) ||
	       (r->klass == FLOW_STORE && t->o.cond_mode & 2);
}

/* the instruction is part of the range */
void tu_cond_insn(struct tu *t, const struct flow_rec *r)
{
	struct tu_cond *c;

	if (t->range_n == 1) {
		t->it_torn = r->isa == FLOW_T32 && !t->it_seen;
		t->cp_torn = 0;
	}
	if (!(r->flags & FLOW_COND))
		t->it_torn = 0;
	if (!t->o.cond_mode || !is_traced(t, r) || t->ncp == TU_CONDS)
		return;
	t->cp_torn |= t->it_torn;
	c = &t->cp[t->ncp++];
	c->pc = r->pc;
	c->cond = (uint8_t)r->num;
	c->pass = (r->flags & FLOW_TAKEN) != 0;
	do
		c->flags = (uint8_t)rng_below(&t->rng, 16);
	while (passes(c->cond, c->flags) != c->pass);
}

static void use_key(struct tu *t, struct tu_cond *c, uint32_t key)
{
	c->key = key;
	t->ck = key < t->o.cond_keys ? key : plus(t, t->ck, 1);
	push_insn(t, c);
	t->co[t->nco++] = *c;
}

static int same_flags(const struct tu *t, const struct tu_cond *a, struct tu_cond *b)
{
	if (t->o.cond_flags ? passes(b->cond, a->flags) != b->pass : a->pass != b->pass)
		return 0;
	b->flags = a->flags;
	return 1;
}

/* with an explicit key that nobody has; its result may come along */
static void explicit_key(struct tu *t, struct tu_cond *c)
{
	uint32_t key;

	do
		key = rng_below(&t->rng, t->o.cond_keys + SPECIAL_KEYS);
	while (outstanding(t, key));
	tu_begin(t);
	if (rng_below(&t->rng, 2)) {
		gbuf_u8(&t->out, 0x6c);
		tu_uleb(t, key);
		use_key(t, c, key);
		return;
	}
	c->key = key;
	gbuf_u8(&t->out, 0x6f);
	format1_payload(t, c);
	use_key(t, c, key);
	move_r(t, key);
	push_result(t, key, 0);
}

/* many in one packet, with consecutive keys; the last one may share its key with the one before */
static uint32_t format3(struct tu *t, struct tu_cond *c, uint32_t left)
{
	uint32_t n = 0, i;
	int z = 0;

	while (n < left && n < 63 && !outstanding(t, plus(t, t->ck, n + 1)) && n + 1 < t->o.cond_keys)
		n++;
	if (n > 1 && rng_below(&t->rng, 2))
		n = rng_range(&t->rng, 1, n);
	if (!n)
		return 0;
	if (n < left && same_flags(t, &c[n - 1], &c[n]))
		z = 1;
	tu_begin(t);
	gbuf_u8(&t->out, 0x6d);
	gbuf_u8(&t->out, n << 1 | (unsigned int)z);
	for (i = 0; i < n; i++)
		use_key(t, &c[i], plus(t, t->ck, 1));
	if (z)
		use_key(t, &c[n], t->ck);
	return n + (uint32_t)z;
}

/* what was met goes out, before the P0 element of the range */
void tu_cond_send(struct tu *t)
{
	struct tu_cond *c = t->cp;
	uint32_t left = t->ncp, n;

	t->ncp = 0;
	if (!t->o.cond_mode || t->wrong || left + t->nco >= TU_CONDS)
		return;
	for (; left; left -= n, c += n) {
		n = 1;
		if (rng_below(&t->rng, 4) == 0) {
			explicit_key(t, c);
		} else if (outstanding(t, plus(t, t->ck, 1))) {
			one_result(t);
			n = 0;
		} else if (rng_below(&t->rng, 2)) {
			n = format3(t, c, left);
		} else {
			tu_begin(t);
			if (left > 1 && same_flags(t, &c[0], &c[1]) && rng_below(&t->rng, 2)) {
				gbuf_u8(&t->out, 0x42);
				use_key(t, &c[0], plus(t, t->ck, 1));
				use_key(t, &c[1], t->ck);
				n = 2;
			} else {
				gbuf_u8(&t->out, 0x40);
				use_key(t, &c[0], plus(t, t->ck, 1));
				if (left > 1 && same_flags(t, &c[0], &c[1])) {
					tu_begin(t);
					gbuf_u8(&t->out, 0x41);
					use_key(t, &c[1], t->ck);
					n = 2;
				}
			}
		}
	}
	tu_cond_results(t);
}

static void report_one(struct tu *t, uint32_t i, int unknown, int known)
{
	struct gen_event ev = t->cl[i].ev;

	ev.kind = GEN_COND;
	if (unknown)
		ev.num = 0;
	if (!known || !ev.start) {
		/* without the instruction, flags do not tell whether it passed */
		ev.start = 0;
		if (t->o.cond_flags)
			ev.num = 0;
	}
	t->sink.event(t->sink.ctx, &ev);
	memmove(&t->cl[i], &t->cl[i + 1], (--t->ncl - i) * sizeof(t->cl[0]));
}

/* as the analyzer sees them: 1 when the event is one of these and stays inside */
int tu_cond_report(struct tu *t, const struct gen_event *ev)
{
	uint32_t i;

	switch (ev->kind) {
	case GEN_COND_I:
		GEN_BUG_ON(t->ncl == TU_CONDS);
		t->cl[t->ncl].ev = *ev;
		t->cl[t->ncl].fresh = 1;
		t->cl[t->ncl++].done = 0;
		return 1;
	case GEN_COND_R:
	case GEN_COND_F:
		for (i = 0; i < t->ncl;) {
			int unknown = ev->kind == GEN_COND_F || ev->num;

			if (t->cl[i].done || (ev->kind == GEN_COND_R && t->cl[i].ev.value != ev->value)) {
				i++;
			} else if (t->cl[i].fresh) {
				t->cl[i].done = 1;
				t->cl[i++].unknown = (uint8_t)unknown;
			} else {
				report_one(t, i, unknown, 1);
			}
		}
		return 1;
	}
	return 0;
}

/* a range is reported: those that belong to it have their place, and may have their result already */
void tu_cond_range(struct tu *t)
{
	uint32_t i;

	for (i = 0; i < t->ncl; i++)
		t->cl[i].fresh = 0;
	for (i = 0; i < t->ncl;)
		if (t->cl[i].done)
			report_one(t, i, t->cl[i].unknown, 1);
		else
			i++;
}

/* nothing of them will come any more */
void tu_cond_lose(struct tu *t)
{
	while (t->ncl)
		report_one(t, 0, !t->cl[0].done || t->cl[0].unknown, !t->cl[0].fresh);
	t->nco = t->ncp = 0;
}
