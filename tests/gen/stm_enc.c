/* SPDX-License-Identifier: BSD-3-Clause */
#include "stm_enc.h"

#include <string.h>

static void nibble(struct stm_enc *e, unsigned int v)
{
	struct gbuf *b = &e->t->out;

	if (e->odd)
		b->p[b->len - 1] |= v << 4;
	else
		gbuf_u8(b, v);
	e->odd = !e->odd;
}

/* Most significant nibble first. */
static void nibbles(struct stm_enc *e, uint64_t v, unsigned int n)
{
	while (n--)
		nibble(e, v >> 4 * n & 0xf);
}

static uint64_t position(const struct stm_enc *e)
{
	return 2 * (uint64_t)e->t->out.len - e->odd;
}

/* A packet that begins in a byte's upper half is reported at the next byte. */
static uint64_t packet_index(const struct stm_enc *e)
{
	return e->t->out.len;
}

/* Values as programs write them: small ones, texts, all ones, anything. */
static uint64_t random_value(struct rng *r, unsigned int bits)
{
	uint64_t v = rng_next(r);

	switch (rng_below(r, 6)) {
	case 0:
		v = 0;
		break;
	case 1:
		v = ~(uint64_t)0;
		break;
	case 2:
		v &= 0xff;
		break;
	case 3:
		v |= v << 8 | 0xff;
		break;
	}
	return bits < 64 ? v & (((uint64_t)1 << bits) - 1) : v;
}

static uint64_t to_gray(uint64_t v)
{
	return v ^ v >> 1;
}

/* Length and bits of the next timestamp: all that changed, or more. */
static void timestamp(struct stm_enc *e, struct cst_generic *g)
{
	uint64_t old = e->gray ? to_gray(e->ts) : e->ts, new;
	unsigned int n = 0, least;

	switch (rng_below(&e->rng, 5)) {
	case 0:
		break;
	case 1:
		e->ts = rng_next(&e->rng);
		break;
	default:
		e->ts += rng_next(&e->rng) >> (1 + rng_below(&e->rng, 63));
	}
	new = e->gray ? to_gray(e->ts) : e->ts;
	for (least = 0; least < 16 && old >> 4 * least != new >> 4 * least; least++)
		;
	n = e->ts_full ? 16 : rng_pm(&e->rng, 300) ? rng_range(&e->rng, least, 16) : least;
	e->ts_full = 0;
	n = n == 13 ? 14 : n == 15 ? 16 : n;
	nibble(e, n == 14 ? 0xd : n == 16 ? 0xe : n);
	nibbles(e, new, n);
	g->ts = e->ts;
	g->flags = CST_GF_TS;
}

static struct cst_generic *element(struct stm_enc *e, uint64_t index, unsigned int num)
{
	struct cst_generic *g = sw_trace_element(e->t, CST_GEN_SWTRACE, index);

	g->num = num | (e->id_known ? CST_SW_ID : 0);
	g->master = e->master;
	g->channel = e->channel;
	return g;
}

static void data(struct stm_enc *e)
{
	/* opcodes by size: plain, with marker, with timestamp, with both; 0xF0 | n: F n */
	static const uint8_t ops[5][4] = {
		{ 0xc, 0xfd, 0xfc, 0xd },
		{ 0x4, 0xf8, 0xf4, 0x8 },
		{ 0x5, 0xf9, 0xf5, 0x9 },
		{ 0x6, 0xfa, 0xf6, 0xa },
		{ 0x7, 0xfb, 0xf7, 0xb },
	};
	unsigned int size = rng_below(&e->rng, 5), bits = 4u << size, form = rng_below(&e->rng, 4);
	struct cst_generic *g = element(e, packet_index(e), form & 1 ? CST_SW_MARKER : 0);

	g->size = bits;
	g->payload = random_value(&e->rng, bits);
	if (ops[size][form] > 0xf)
		nibble(e, 0xf);
	nibble(e, ops[size][form] & 0xf);
	nibbles(e, g->payload, bits / 4);
	if (form & 2)
		timestamp(e, g);
}

static void flag(struct stm_enc *e)
{
	int ts = rng_pm(&e->rng, 500);
	struct cst_generic *g = element(e, packet_index(e), CST_SW_MARKER);

	if (!ts)
		nibble(e, 0xf);
	nibble(e, 0xe);
	if (ts)
		timestamp(e, g);
}

/* TRIG, TRIG_TS, FREQ, and what only others send: FREQ_TS, NULL_TS. */
static void three(struct stm_enc *e, unsigned int op, unsigned int size, int ts, unsigned int num)
{
	struct cst_generic *g = element(e, packet_index(e), num);

	g->size = 4 * size;
	g->payload = random_value(&e->rng, 4 * size);
	nibbles(e, 0xf0, 2);
	nibble(e, op);
	nibbles(e, g->payload, size);
	if (ts)
		timestamp(e, g);
}

static void error(struct stm_enc *e, int global)
{
	uint64_t index = packet_index(e);
	struct cst_generic *g;

	e->channel = 0;
	if (global) {
		e->master = 0;
		e->id_known = 0;
		nibble(e, 0xf);
	}
	g = element(e, index, global ? CST_SW_GLOBAL_ERR : CST_SW_MASTER_ERR);
	g->size = 8;
	g->payload = random_value(&e->rng, 8);
	nibble(e, 0x2);
	nibbles(e, g->payload, 2);
}

static void set_master(struct stm_enc *e)
{
	int wide = e->foreign && rng_pm(&e->rng, 300);

	e->master = random_value(&e->rng, wide ? 16 : 8);
	e->channel = 0;
	e->id_known = 1;
	nibbles(e, wide ? 0xf1 : 0x1, wide ? 2 : 1);
	nibbles(e, e->master, wide ? 4 : 2);
}

static void set_channel(struct stm_enc *e)
{
	if (rng_pm(&e->rng, 500)) {
		e->channel = random_value(&e->rng, 16);
		nibbles(e, 0xf3, 2);
		nibbles(e, e->channel, 4);
	} else {
		e->channel = (e->channel & 0xff00) | random_value(&e->rng, 8);
		nibble(e, 0x3);
		nibbles(e, e->channel & 0xff, 2);
	}
}

static void foreign(struct stm_enc *e)
{
	size_t n = e->t->n_el;

	switch (rng_below(&e->rng, 4)) {
	case 0:
		three(e, 0x1, 0, 1, 0);
		break;
	case 1:
		three(e, 0x9, 8, 1, CST_SW_FREQ);
		break;
	case 2:
		three(e, 0xa, 2, 0, 0);
		e->t->n_el = n;	/* XSYNC tells of no software */
		break;
	default:
		three(e, 0xb, 2, 1, 0);
		e->t->n_el = n;
	}
}

void stm_enc_init(struct stm_enc *e, struct sw_trace *t, uint64_t seed)
{
	memset(e, 0, sizeof(*e));
	e->t = t;
	rng_seed(&e->rng, seed);
	e->gray = rng_below(&e->rng, 2);
}

void stm_enc_sync(struct stm_enc *e)
{
	struct sw_sync *s = sw_trace_sync(e->t, position(e));
	unsigned int i;

	for (i = 0; i < 21; i++)
		nibble(e, 0xf);
	nibble(e, 0);
	nibbles(e, e->gray ? 0xf004 : 0xf003, 4);
	e->master = e->channel = 0;
	set_master(e);
	s->end = packet_index(e);
	e->ts_full = 1;
	if (rng_pm(&e->rng, 500))
		three(e, 0x8, 8, 0, CST_SW_FREQ);
	if (rng_pm(&e->rng, 700))
		set_channel(e);
}

void stm_enc_step(struct stm_enc *e)
{
	unsigned int what = rng_below(&e->rng, 100);

	if (what < 55)
		data(e);
	else if (what < 65)
		flag(e);
	else if (what < 75)
		set_channel(e);
	else if (what < 82)
		set_master(e);
	else if (what < 86)
		three(e, what & 1 ? 0x7 : 0x6, 2, what & 1, CST_SW_TRIGGER);
	else if (what < 89)
		three(e, 0x8, 8, 0, CST_SW_FREQ);
	else if (what < 92)
		error(e, what & 1);
	else if (what < 97 || !e->foreign)
		nibble(e, 0);
	else
		foreign(e);
}

void stm_enc_end(struct stm_enc *e)
{
	if (e->odd)
		nibble(e, 0);
}
