/* SPDX-License-Identifier: GPL-2.0-only */
/* seq.c - keeps the instructions around the next one of a sequence, and finds runs of instructions by hash. */
#include "outputs/compare/seq.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_CAP 4096u
#define MAY_BITS (1u << 16)

void seq_init(struct seq *q, uint64_t behind)
{
	memset(q, 0, sizeof(*q));
	q->behind = behind;
	q->cap = FIRST_CAP;
	q->v = mem_array(q->cap, sizeof(*q->v));
	q->shown = mem_zeroed((1u << SEQ_SHOWN_BITS) / 64, sizeof(*q->shown));
}

void seq_free(struct seq *q)
{
	free(q->v);
	free(q->shown);
}

static void grow(struct seq *q)
{
	struct align_insn *v = mem_array(2 * q->cap, sizeof(*v));
	uint64_t i;

	for (i = q->first; i < q->end; i++)
		v[i & (2 * q->cap - 1)] = *seq_at(q, i);
	free(q->v);
	q->v = v;
	q->cap *= 2;
}

void seq_add(struct seq *q, const struct align_insn *insn)
{
	const uint32_t bit = seq_shown_bit(insn->addr);

	if (q->end - q->first == q->cap)
		grow(q);
	q->v[q->end++ & (q->cap - 1)] = *insn;
	q->shown[bit / 64] |= 1ull << (bit & 63);
}

void grams_init(struct grams *t, uint32_t most)
{
	t->slot = mem_array(4 * (size_t)most, sizeof(*t->slot));
	t->may = mem_new(MAY_BITS / 8);
}

void grams_free(struct grams *t)
{
	free(t->slot);
	free(t->may);
}

static uint64_t mix(uint64_t h, uint64_t addr)
{
	h = (h ^ addr) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t hash_run(const struct seq *q, uint64_t number, unsigned int n)
{
	uint64_t h = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		h = mix(h, seq_at(q, number + i)->addr);
	return h;
}

static bool same_run(const struct seq *q, uint64_t at, const struct seq *other, uint64_t number, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!seq_same(seq_at(q, at + i), seq_at(other, number + i)))
			return false;
	return true;
}

static void add(struct grams *t, const struct seq *q, uint64_t number)
{
	uint64_t may = mix(0, seq_at(q, number)->addr) % MAY_BITS;
	uint32_t k = (uint32_t)hash_run(q, number, t->gram) & t->mask;

	while (t->slot[k] && !same_run(q, t->at + t->slot[k] - 1, q, number, t->gram))
		k = (k + 1) & t->mask;
	if (!t->slot[k])
		t->slot[k] = (uint32_t)(number - t->at) + 1;
	t->may[may / 64] |= 1ull << (may & 63);
}

void grams_fill(struct grams *t, const struct seq *q, uint64_t at, uint64_t n, unsigned int gram)
{
	uint64_t i, since = 0;	/* the piece that instruction i is in began there */

	for (t->mask = 63; t->mask < 2 * n; t->mask = 2 * t->mask + 1)
		;
	memset(t->slot, 0, (t->mask + 1ull) * sizeof(*t->slot));
	memset(t->may, 0, MAY_BITS / 8);
	t->at = at;
	t->gram = gram;
	for (i = 0; i < n; i++) {
		if (seq_at(q, at + i)->gap)
			since = i;
		if (i + 1 >= since + gram)
			add(t, q, at + i + 1 - gram);
	}
}

bool grams_find(const struct grams *t, const struct seq *q, const struct seq *other, uint64_t number, uint32_t *hit)
{
	uint64_t may = mix(0, seq_at(other, number)->addr) % MAY_BITS;
	uint32_t k;

	if (!(t->may[may / 64] >> (may & 63) & 1))
		return false;
	for (k = (uint32_t)hash_run(other, number, t->gram) & t->mask; t->slot[k]; k = (k + 1) & t->mask)
		if (same_run(q, t->at + t->slot[k] - 1, other, number, t->gram)) {
			*hit = t->slot[k] - 1;
			return true;
		}
	return false;
}
