/* SPDX-License-Identifier: BSD-3-Clause */
#include "itm_enc.h"

#include <string.h>

#define LOW_BITS 26

static void byte(struct itm_enc *e, unsigned int v)
{
	gbuf_u8(&e->t->out, v & 0xff);
}

static uint64_t position(const struct itm_enc *e)
{
	return e->t->out.len;
}

/* Seven bits a byte in n bytes, the last one without the bit that says "more". */
static void parts(struct itm_enc *e, uint64_t v, unsigned int n)
{
	while (n--) {
		byte(e, (v & 0x7f) | (n ? 0x80 : 0));
		v >>= 7;
	}
}

static struct cst_generic *element(struct itm_enc *e, uint64_t index, enum cst_itm_kind kind)
{
	struct cst_generic *g = sw_trace_element(e->t, CST_GEN_ITMTRACE, index);

	g->last_type = kind;
	g->num = e->overflow ? CST_SW_OVERFLOW : 0;
	e->overflow = 0;
	return g;
}

static uint32_t random_value(struct rng *r, unsigned int size)
{
	uint32_t v = rng_next(r);

	v = rng_pm(r, 250) ? 0 : rng_pm(r, 300) ? v & 0xff : rng_pm(r, 100) ? 0x80000000 : v;
	return size < 4 ? v & ((1u << 8 * size) - 1) : v;
}

static void source(struct itm_enc *e, int hardware, unsigned int number, unsigned int size, uint32_t value)
{
	struct cst_generic *g = element(e, position(e), hardware ? CST_ITM_DWT : CST_ITM_SWIT);
	unsigned int i;

	g->channel = hardware ? number : e->page * 32u + number;
	g->size = size;
	g->payload = value;
	byte(e, number << 3 | (hardware ? 4 : 0) | (size == 4 ? 3 : size));
	for (i = 0; i < size; i++)
		byte(e, value >> 8 * i);
}

static void software(struct itm_enc *e)
{
	unsigned int size = 1u << rng_below(&e->rng, 3);

	source(e, 0, rng_below(&e->rng, 32), size, random_value(&e->rng, size));
}

static void hardware(struct itm_enc *e)
{
	unsigned int cmp = rng_below(&e->rng, 4), size = 1u << rng_below(&e->rng, 3);
	uint32_t v = rng_next(&e->rng);

	switch (rng_below(&e->rng, 7)) {
	case 0:
		source(e, 1, 0, 1, 1 + v % 63);
		break;
	case 1:
		source(e, 1, 1, 2, (1 + v % 3) << 12 | (v >> 8 & 0x1ff));
		break;
	case 2:
		source(e, 1, 2, 4, random_value(&e->rng, 4) & ~1u);
		break;
	case 3:
		source(e, 1, 2, 1, v & 1 ? 0xff : 0);
		break;
	case 4:
		source(e, 1, 8 + 2 * cmp, 4, random_value(&e->rng, 4));
		break;
	case 5:
		source(e, 1, 9 + 2 * cmp, 2, random_value(&e->rng, 2));
		break;
	default:
		source(e, 1, 16 + 2 * cmp + (v & 1), size, random_value(&e->rng, size));
	}
}

static void local_ts(struct itm_enc *e)
{
	uint32_t delta = rng_next(&e->rng) >> (36 + rng_below(&e->rng, 28));
	unsigned int tc = rng_below(&e->rng, 4), n = 1;
	struct cst_generic *g;

	delta &= 0xfffffff;
	g = element(e, position(e), CST_ITM_TS_SYNC + tc);
	g->payload = delta;
	e->local += (uint64_t)delta * e->prescale;
	g->ts = e->local;
	g->flags = CST_GF_TS;
	if (!tc && delta >= 1 && delta <= 6 && rng_pm(&e->rng, 800)) {
		byte(e, delta << 4);
	} else {
		while (n < 4 && delta >> 7 * n)
			n++;
		byte(e, 0xc0 | tc << 4);
		parts(e, delta, n);
	}
	g->size = n;
}

/* Low bits: those that changed, or all; the upper ones in a second packet when they changed. */
static void global_ts(struct itm_enc *e, int all)
{
	uint64_t top = e->ts64 ? ~(uint64_t)0 : ((uint64_t)1 << 48) - 1, low, index;
	unsigned int n = 1, clock = rng_pm(&e->rng, 100), wrap;
	struct cst_generic *g;

	e->global = rng_pm(&e->rng, 100) ? rng_next(&e->rng) :
		    e->global + (rng_next(&e->rng) >> (20 + rng_below(&e->rng, 44)));
	e->global &= top;
	clock |= all;
	e->clock |= clock;
	wrap = all || !e->sent_all || e->global >> LOW_BITS != e->sent >> LOW_BITS;
	low = e->global & ((1u << LOW_BITS) - 1);
	while (n < 4 && (e->global ^ e->sent) >> 7 * n & (((1u << LOW_BITS) - 1) >> 7 * n))
		n++;
	if (wrap || clock || !e->sent_all || rng_pm(&e->rng, 200))
		n = 4;
	index = position(e);
	byte(e, 0x94);
	if (n < 4)
		parts(e, low, n);
	else
		parts(e, low | (uint64_t)(clock | wrap << 1) << LOW_BITS, 4);
	if (wrap) {
		index = position(e);
		byte(e, 0xb4);
		parts(e, e->global >> LOW_BITS, e->ts64 ? 6 : 4);
	}
	e->sent = e->global;
	e->sent_all = 1;
	g = element(e, index, CST_ITM_TS_GLOBAL);
	g->ts = e->global;
	g->flags = CST_GF_TS;
	g->num |= e->clock ? CST_SW_CLOCK : 0;
	e->clock = 0;
}

static void overflow(struct itm_enc *e)
{
	byte(e, 0x70);
	e->local = 0;
	e->overflow = 1;
}

static void page(struct itm_enc *e)
{
	e->page = rng_below(&e->rng, 8);
	byte(e, e->page << 4 | 0x08);
}

/* Other extension packets mean nothing: software or hardware source, up to 32 bits. */
static void extension(struct itm_enc *e)
{
	uint32_t v = rng_next(&e->rng);
	unsigned int n = rng_range(&e->rng, 1, 4), hw = rng_below(&e->rng, 2);

	if (hw && rng_pm(&e->rng, 300)) {
		byte(e, (v & 7) << 4 | 0x0c);
		return;
	}
	byte(e, 0x80 | (v & 7) << 4 | 0x08 | hw << 2);
	if (n == 4) {
		parts(e, v >> 3 & 0x1fffff, 3);
		e->t->out.p[e->t->out.len - 1] |= 0x80;
		byte(e, v >> 24);	/* eight bits, no more follow */
	} else {
		parts(e, v >> 3, n);
	}
}

void itm_enc_init(struct itm_enc *e, struct sw_trace *t, uint64_t seed)
{
	memset(e, 0, sizeof(*e));
	e->t = t;
	rng_seed(&e->rng, seed);
	e->prescale = 1u << 2 * rng_below(&e->rng, 4);
	e->ts64 = rng_below(&e->rng, 2);
}

void itm_enc_sync(struct itm_enc *e, int all)
{
	struct sw_sync *s = sw_trace_sync(e->t, position(e));
	unsigned int i, n = rng_pm(&e->rng, 200) ? rng_range(&e->rng, 6, 20) : 5;

	for (i = 0; i < n; i++)
		byte(e, 0);
	s->least = position(e) - 5;
	byte(e, 0x80);
	if (all) {
		page(e);
		s->end = position(e);
		overflow(e);
		global_ts(e, 1);
	} else {
		s->end = position(e);
	}
}

void itm_enc_step(struct itm_enc *e)
{
	unsigned int what = rng_below(&e->rng, 100);

	if (what < 40)
		software(e);
	else if (what < 65)
		hardware(e);
	else if (what < 80)
		local_ts(e);
	else if (what < 90)
		global_ts(e, 0);
	else if (what < 94)
		page(e);
	else if (what < 97)
		overflow(e);
	else
		extension(e);
}
