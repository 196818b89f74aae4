/* SPDX-License-Identifier: BSD-3-Clause */
#include "code.h"

#include <stdlib.h>
#include <string.h>

#define NOP 0xd503201fu
#define ERET 0xd69f03e0u
#define ISB 0xd5033fdfu
#define RET 0xd65f03c0u

static void store(struct code *c, uint32_t i)
{
	uint32_t op = c->in[i].op;
	int b;

	for (b = 0; b < 4; b++)
		c->bytes[4 * i + b] = (uint8_t)(op >> (8 * b));
}

static void put(struct code *c, uint32_t i, uint32_t op, uint8_t klass, uint8_t flags, uint8_t what)
{
	c->in[i] = (struct prog_insn){ .pc = 4ull * i, .op = op, .size = 4, .isa = FLOW_A64,
				       .tisa = FLOW_A64, .klass = klass, .flags = flags,
				       .what = what };
	store(c, i);
}

void code_put_nop(struct code *c, uint32_t i)
{
	put(c, i, NOP, FLOW_OTHER, 0, PROG_PLAIN);
}

void code_put_branch(struct code *c, uint32_t i, uint32_t to)
{
	put(c, i, 0x14000000u | ((to - i) & 0x3ffffffu), FLOW_DIRECT, 0, PROG_PLAIN);
	c->in[i].target = 4ull * to;
}

void code_put_call(struct code *c, uint32_t i, int64_t to)
{
	put(c, i, 0x94000000u | ((uint32_t)((to - 4ll * i) >> 2) & 0x3ffffffu), FLOW_DIRECT,
	    FLOW_LINK, PROG_PLAIN);
	c->in[i].target = (uint64_t)to;
}

static int usable(const struct prog_kind *k, int kernel)
{
	if (k->need & (PROG_NEW | PROG_TX) || k->klass > FLOW_ISB)
		return 0;
	if (k->what == PROG_SVC)
		return !kernel;
	return k->what == PROG_PLAIN && !(k->need & PROG_KERNEL);
}

static const struct prog_kind *pick(struct rng *r, int kernel)
{
	uint32_t total = 0, x;
	int i;

	for (i = 0; i < prog_a64.nkinds; i++)
		if (usable(&prog_a64.kinds[i], kernel))
			total += prog_a64.kinds[i].weight;
	x = rng_below(r, total);
	for (i = 0; i < prog_a64.nkinds; i++) {
		const struct prog_kind *k = &prog_a64.kinds[i];

		if (!usable(k, kernel))
			continue;
		if (x < k->weight)
			return k;
		x -= k->weight;
	}
	gen_bug("no instruction kind fits", __FILE__, __LINE__);
}

/* an instruction that a direct branch at i may go to; 0: none */
static uint32_t target(struct rng *r, const struct prog_kind *k, uint32_t i, uint32_t first,
		       uint32_t n)
{
	int64_t lo, hi, from, to;
	int other;

	prog_a64.reach(k, 0, &lo, &hi, &other);
	from = k->flags & FLOW_COND ? (int64_t)i + lo / 4 : (int64_t)i + 1;
	to = (int64_t)i + hi / 4;
	if (from < first)
		from = first;
	if (to >= n)
		to = (int64_t)n - 1;
	if (from > to)
		return 0;
	return (uint32_t)from + rng_below(r, (uint32_t)(to - from + 1));
}

struct code *code_new(struct rng *r, uint32_t insns, int kernel)
{
	struct code *c = gen_realloc(NULL, sizeof(*c));
	uint32_t i = 0, first = kernel ? CODE_FREE : 0, t;

	c->n = insns;
	c->in = gen_realloc(NULL, insns * sizeof(*c->in));
	c->bytes = gen_realloc(NULL, insns * 4);
	if (kernel) {
		put(c, CODE_ERET, ERET, FLOW_INDIRECT, FLOW_ERET, PROG_ERET);
		put(c, CODE_ISB, ISB, FLOW_ISB, 0, PROG_PLAIN);
		put(c, CODE_RET, RET, FLOW_INDIRECT, FLOW_RET, PROG_PLAIN);
		i = CODE_FREE;
	}
	for (; i + 1 < insns; i++) {
		const struct prog_kind *k = pick(r, kernel);

		t = k->klass == FLOW_DIRECT ? target(r, k, i, first, insns) : 0;
		if (k->klass == FLOW_DIRECT && !t) {
			code_put_nop(c, i);
			continue;
		}
		put(c, i, prog_a64.encode(k, r, 4ull * i, 4ull * t), k->klass, k->flags, k->what);
		c->in[i].target = 4ull * t;
	}
	put(c, i, RET, FLOW_INDIRECT, FLOW_RET, PROG_PLAIN);
	return c;
}

struct code *code_copy(const struct code *c)
{
	struct code *d = gen_realloc(NULL, sizeof(*d));

	d->n = c->n;
	d->in = gen_realloc(NULL, c->n * sizeof(*d->in));
	memcpy(d->in, c->in, c->n * sizeof(*d->in));
	d->bytes = gen_realloc(NULL, c->n * 4);
	memcpy(d->bytes, c->bytes, c->n * 4);
	return d;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	free(c->in);
	free(c->bytes);
	free(c);
}
