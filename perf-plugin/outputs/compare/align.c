/* SPDX-License-Identifier: GPL-2.0-only */
/* align.c - decides what of two sequences of instructions is equal, in a gap, or a difference. */
#include "outputs/compare/align.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "outputs/compare/align_int.h"

struct align *align_new(const struct align_ops *ops)
{
	struct align *al = mem_zeroed(1, sizeof(*al));

	al->ops = *ops;
	seq_init(&al->side[TRACE].q, BEHIND);
	seq_init(&al->side[OTHER].q, BEHIND);
	grams_init(&al->grams, LOOK);
	return al;
}

void align_free(struct align *al)
{
	if (!al)
		return;
	seq_free(&al->side[TRACE].q);
	seq_free(&al->side[OTHER].q);
	grams_free(&al->grams);
	free(al);
}

const struct align_counts *align_counts(const struct align *al)
{
	return &al->counts;
}

static const struct align_insn *kept(const struct seq *q, uint64_t number)
{
	return seq_has(q, number) ? seq_at(q, number) : NULL;
}

const struct align_insn *align_trace(const struct align *al, uint64_t number)
{
	return kept(&al->side[TRACE].q, number);
}

const struct align_insn *align_other(const struct align *al, uint64_t number)
{
	return kept(&al->side[OTHER].q, number);
}

int64_t align_want(struct align *al, unsigned int side, uint64_t n)
{
	struct side *s = &al->side[side];
	struct align_insn insn;
	int rc;

	while (side == OTHER && !s->ended && left(al, side) < n) {
		rc = al->ops.next(al->ops.source, &insn);
		if (rc < 0)
			return rc;
		s->ended = !rc;
		if (al->ops.ignore & FIELD_RESULT)
			insn.result = ALIGN_UNKNOWN;
		if (rc)
			seq_add(&s->q, &insn);
	}
	return (int64_t)left(al, side);
}

static void skip(struct align *al, unsigned int side, uint64_t n)
{
	al->side[side].q.next += n;
	if (n)
		al->side[side].gap_done = al->side[side].gap_moved = false;
}

void align_skip_in_gap(struct align *al, unsigned int side, enum align_gap cause, uint64_t n)
{
	uint64_t i;
	uint8_t el;

	if (!follow_sound(cause))
		al->tight = 0;
	if (side == TRACE)
		al->counts.extra[cause] += n;
	for (i = 0; i < n; i++) {
		if (align_shows(al, !side, at(al, side, i)))
			al->tight = 0;
		el = at(al, side, i)->el;
		if (side == OTHER)
			al->counts.missing[cause][el < 4 ? el : 4]++;
	}
	if (n)
		al->side[side].cause = GAP_NONE;
	skip(al, side, n);
}

static int difference(struct align *al, struct align_diff *diff)
{
	diff->trace = al->side[TRACE].q.next;
	diff->other = al->side[OTHER].q.next;
	al->counts.differences++;
	return al->ops.difference(al->ops.data, diff);
}

/* Fields that both sides know and that differ. */
static unsigned int differing(const struct align *al, const struct align_insn *x, const struct align_insn *y)
{
	unsigned int fields = 0;

	if (x->flags & y->flags & ALIGN_HAS_OPCODE && (x->opcode != y->opcode || x->size != y->size))
		fields |= FIELD_OPCODE;
	if (x->result != y->result && x->result != ALIGN_UNKNOWN && y->result != ALIGN_UNKNOWN)
		fields |= FIELD_RESULT;
	if (x->el != y->el && x->el != ALIGN_UNKNOWN && y->el != ALIGN_UNKNOWN)
		fields |= FIELD_EL;
	if (x->security != y->security && x->security != ALIGN_UNKNOWN && y->security != ALIGN_UNKNOWN)
		fields |= FIELD_SECURITY;
	return fields & ~al->ops.ignore;
}

int align_leave_out(struct align *al, uint64_t only_trace, uint64_t only_other)
{
	struct align_diff diff = { .only_trace = only_trace, .only_other = only_other };
	const struct align_insn *x, *y;
	int rc;

	if (only_trace == 1 && only_other == 1) {
		x = at(al, TRACE, 0);
		y = at(al, OTHER, 0);
		if (x->addr == y->addr && x->isa == y->isa)
			diff.fields = differing(al, x, y);
	}
	if (diff.fields) {
		al->counts.changed++;
	} else {
		al->counts.only_trace += only_trace;
		al->counts.only_other += only_other;
	}
	rc = difference(al, &diff);
	al->tight -= only_trace + only_other > FOLLOW_EDIT || al->tight < SPARSE ? al->tight : SPARSE;
	skip(al, TRACE, only_trace);
	skip(al, OTHER, only_other);
	/* the pieces of both sides end here */
	al->side[TRACE].cause = al->side[OTHER].cause = GAP_NONE;
	return rc;
}

/* The next instructions match. */
static int take_both(struct align *al)
{
	const struct align_insn *x = at(al, TRACE, 0), *y = at(al, OTHER, 0);
	struct align_diff diff = { .fields = differing(al, x, y) };
	int rc = 0;

	if (x->el < 4)
		al->counts.els |= (uint8_t)(1u << x->el);
	if (diff.fields) {
		al->counts.changed++;
		rc = difference(al, &diff);
	} else {
		al->counts.equal++;
	}
	al->tight++;
	skip(al, TRACE, 1);
	skip(al, OTHER, 1);
	return rc;
}

int align_leave_piece(struct align *al)
{
	return align_leave_out(al, agree_length(al, TRACE, 0, left(al, TRACE)), 0);
}

void align_begin_piece(struct align *al, unsigned int side, enum align_gap cause)
{
	struct side *s = &al->side[side];

	s->gap_done = true;
	s->gap_moved = false;
	s->piece = s->q.next;
	s->cause = cause;
	if (!follow_sound(cause))
		al->tight = 0;
	if (side == OTHER)
		al->in_loss = false;
}

/* ---- one after the other ----------------------------------------------------------------------- */

static int step(struct align *al)
{
	const struct align_insn *x = at(al, TRACE, 0), *y;
	int64_t have;
	bool same;

	if (x->gap && !al->side[TRACE].gap_done)
		return gap_of_trace(al, (enum align_gap)x->gap);
	have = align_want(al, OTHER, 1);
	if (have < 0)
		return (int)have;
	if (!have) {
		align_skip_in_gap(al, TRACE, GAP_END, 1);
		return 0;
	}
	y = at(al, OTHER, 0);
	same = seq_same(x, y);
	if (!same && y->flags & ALIGN_STARTED) {
		al->counts.started++;
		skip(al, OTHER, 1);
		return 0;
	}
	if (y->gap && !al->side[OTHER].gap_done)
		return gap_of_other(al, (enum align_gap)y->gap);
	return same ? take_both(al) : mismatch(al);
}

static int align_run(struct align *al, uint64_t keep)
{
	int rc = 0;

	while (!rc && left(al, TRACE) > keep) {
		rc = step(al);
		seq_forget(&al->side[TRACE].q);
		seq_forget(&al->side[OTHER].q);
	}
	return rc;
}

int align_put(struct align *al, const struct align_insn *insn)
{
	seq_add(&al->side[TRACE].q, insn);
	/* in batches: what is looked at stays in the cache */
	return left(al, TRACE) < LOOK + LOOK / 2 ? 0 : align_run(al, LOOK);
}

int align_end(struct align *al)
{
	int64_t have;
	int rc;

	al->side[TRACE].ended = true;
	rc = align_run(al, 0);
	while (!rc && (have = align_want(al, OTHER, 1)) != 0) {
		if (have < 0)
			return (int)have;
		align_skip_in_gap(al, OTHER, GAP_END, (uint64_t)have);
		seq_forget(&al->side[OTHER].q);
	}
	return rc;
}
