/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seq.h - inside compare: a sequence of instructions of which those around the next one are kept, and a table of
 * the places at which runs of instructions stand.
 */
#ifndef CSTRACE_OUTPUTS_COMPARE_SEQ_H
#define CSTRACE_OUTPUTS_COMPARE_SEQ_H

#include "outputs/compare/align.h"

/* Instructions are numbered from 0; [first, end) are kept, in a ring that grows with them. */
struct seq {
	struct align_insn *v;
	size_t cap;		/* a power of two */
	uint64_t first, next, end;
	uint64_t behind;	/* number of instructions before `next` that are kept */
	uint64_t *shown;	/* a bit per hash of an address, of all instructions so far */
};

void seq_init(struct seq *q, uint64_t behind);
void seq_free(struct seq *q);
void seq_add(struct seq *q, const struct align_insn *insn);

static inline const struct align_insn *seq_at(const struct seq *q, uint64_t number)
{
	return &q->v[number & (q->cap - 1)];
}

/* What is missing before an instruction that is kept. */
static inline void seq_set_gap(struct seq *q, uint64_t number, enum align_gap gap)
{
	q->v[number & (q->cap - 1)].gap = (uint8_t)gap;
}

/* The bit in `shown` of an address. */
#define SEQ_SHOWN_BITS 20
static inline uint32_t seq_shown_bit(uint64_t addr)
{
	return (uint32_t)(addr * 0x9e3779b97f4a7c15u >> (64 - SEQ_SHOWN_BITS));
}

/* False if no instruction so far had the address; true if one had, or one with the same hash. */
static inline bool seq_shows(const struct seq *q, uint64_t addr)
{
	const uint32_t bit = seq_shown_bit(addr);

	return q->shown[bit / 64] >> (bit & 63) & 1;
}

static inline bool seq_has(const struct seq *q, uint64_t number)
{
	return number >= q->first && number < q->end;
}

/* What is too far behind is given up. */
static inline void seq_forget(struct seq *q)
{
	if (q->next - q->first > q->behind)
		q->first = q->next - q->behind;
}

/* True for the same instruction of the program with the same result, if both sides know the result. */
static inline bool seq_same(const struct align_insn *x, const struct align_insn *y)
{
	return x->addr == y->addr && x->isa == y->isa &&
	       (x->result == y->result || x->result == ALIGN_UNKNOWN || y->result == ALIGN_UNKNOWN);
}

/* The runs of `gram` instructions in a part of a sequence, none across a gap. Of equal ones the first. */
struct grams {
	uint32_t *slot;		/* place from `at` on, plus 1 */
	uint64_t *may;		/* a bit per hash of a run's first address */
	uint32_t mask;
	uint64_t at;
	unsigned int gram;
};

/* Room for parts of up to `most` instructions, a power of two above 31. */
void grams_init(struct grams *t, uint32_t most);
void grams_free(struct grams *t);
/* Of q's instructions [at, at + n). */
void grams_fill(struct grams *t, const struct seq *q, uint64_t at, uint64_t n, unsigned int gram);
/* The run of `other` that begins at `number` and has to be there: true and *hit, counted from `at`. */
bool grams_find(const struct grams *t, const struct seq *q, const struct seq *other, uint64_t number, uint32_t *hit);

#endif
