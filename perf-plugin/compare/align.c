/* SPDX-License-Identifier: GPL-2.0-only */
/* align.c - decides what of two sequences of instructions is equal, in a gap, or a difference. */
#include "compare/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compare/seq.h"

/* Instructions that must match where two sequences are aligned again. */
#define GRAM 16u

/*
 * Instructions that are looked at: of each side in a difference; of the other side behind a gap, before what
 * was left behind so far counts as missing; behind, which must match too where a gap turns out to be longer.
 */
#define LOOK (1u << 16)
#define FAR (1u << 20)
#define BEHIND (1u << 16)

/* A difference of at most EDIT instructions, behind which ENOUGH match, is accepted without looking for a longer gap. */
#define EDIT 2u
#define ENOUGH 1024u

/* Places that are tried for a longer gap. */
#define PLACES 64u

enum { TRACE, OTHER };

struct side {
	struct seq q;
	bool ended;
	bool gap_done;		/* the gap before the next instruction was dealt with */
	/*
	 * A piece: all instructions since a gap of this side have matched one by one. `piece`: number of its first one;
	 * `cause`: of the gap. GAP_NONE: a difference was in between.
	 */
	uint64_t piece;
	enum align_gap cause;
};

struct align {
	struct align_ops ops;
	struct side side[2];
	struct grams grams;
	struct align_counts counts;
};

struct align *align_new(const struct align_ops *ops)
{
	struct align *al = calloc(1, sizeof(*al));

	if (!al)
		return NULL;
	al->ops = *ops;
	if (!seq_init(&al->side[TRACE].q, BEHIND) && !seq_init(&al->side[OTHER].q, BEHIND) && !grams_init(&al->grams, LOOK))
		return al;
	align_free(al);
	return NULL;
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

/* The instruction `n` behind the next one of a side, which has to be there. */
static const struct align_insn *at(const struct align *al, unsigned int side, uint64_t n)
{
	return seq_at(&al->side[side].q, al->side[side].q.next + n);
}

static uint64_t left(const struct align *al, unsigned int side)
{
	return al->side[side].q.end - al->side[side].q.next;
}

/*
 * Up to `n` instructions of a side from the next one on: the other side is read, the trace has what was put in. Returns how
 * many there are, or negative.
 */
static int64_t want(struct align *al, unsigned int side, uint64_t n)
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
		if (rc && seq_add(&s->q, &insn))
			return ERR_NOMEM;
	}
	return (int64_t)left(al, side);
}

static void skip(struct align *al, unsigned int side, uint64_t n)
{
	al->side[side].q.next += n;
	if (n)
		al->side[side].gap_done = false;
}

/* The next instructions of a side are in a gap of the other one; they end the side's own piece. */
static void skip_in_gap(struct align *al, unsigned int side, enum align_gap cause, uint64_t n)
{
	uint64_t i;
	uint8_t el;

	if (side == TRACE)
		al->counts.extra[cause] += n;
	for (i = 0; side == OTHER && i < n; i++) {
		el = at(al, side, i)->el;
		al->counts.missing[cause][el < 4 ? el : 4]++;
	}
	if (n)
		al->side[side].cause = GAP_NONE;
	skip(al, side, n);
}

/* Ends the pieces of both sides at a difference. */
static void end_pieces(struct align *al)
{
	al->side[TRACE].cause = al->side[OTHER].cause = GAP_NONE;
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

/* Instructions are left out on both sides, which is a difference. */
static int leave_out(struct align *al, uint64_t only_trace, uint64_t only_other)
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
	skip(al, TRACE, only_trace);
	skip(al, OTHER, only_other);
	end_pieces(al);
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
	skip(al, TRACE, 1);
	skip(al, OTHER, 1);
	return rc;
}

/* ---- where two sequences match again ----------------------------------------------------------- */

/* Instructions of a side, from the one `from` behind the next one on, up to its next gap; no more than `most`. */
static uint64_t piece_length(const struct align *al, unsigned int side, uint64_t from, uint64_t most)
{
	uint64_t n = 0;

	while (n < most && from + n < left(al, side) && (!n || !at(al, side, from + n)->gap))
		n++;
	return n;
}

/* True if `n` instructions match, beginning x and y instructions behind the next ones; x and y may be negative. */
static bool same_run(const struct align *al, unsigned int side, int64_t x, int64_t y, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		if (!seq_same(at(al, side, (uint64_t)x + i), at(al, !side, (uint64_t)y + i)))
			return false;
	return true;
}

/*
 * The fewest instructions to leave out, *i of the trace and *j of the other side, so that `gram` instructions match
 * behind them: 1, or 0; negative. At most `look` of each side are looked at.
 */
static int fewest(struct align *al, uint64_t look, unsigned int gram, uint64_t *i, uint64_t *j)
{
	const struct seq *trace = &al->side[TRACE].q, *other = &al->side[OTHER].q;
	uint64_t best = UINT64_MAX, k, n = left(al, TRACE) < look ? left(al, TRACE) : look;
	int64_t have = want(al, OTHER, look + gram);
	uint32_t hit;

	if (have < 0)
		return (int)have;
	grams_fill(&al->grams, trace, trace->next, n, gram);
	for (k = 0; k < best && k < look && k + gram <= (uint64_t)have; k++)
		if (grams_find(&al->grams, trace, other, other->next + k, &hit) && k + hit < best) {
			best = k + hit;
			*i = hit;
			*j = k;
		}
	return best != UINT64_MAX;
}

/* How many instructions match, from i and j instructions later on, up to the next gap of the trace; at most ENOUGH. Or negative. */
static int64_t agree(struct align *al, uint64_t i, uint64_t j)
{
	const uint64_t n = piece_length(al, TRACE, i, ENOUGH);
	const int64_t have = want(al, OTHER, j + n);
	uint64_t k = 0;

	if (have < 0)
		return have;
	while (k < n && j + k < (uint64_t)have && seq_same(at(al, TRACE, i + k), at(al, OTHER, j + k)))
		k++;
	return (int64_t)k;
}

/* True if the piece of a side matches up to the next instruction as well with a gap that is `longer` instructions longer. */
static bool gap_fits(const struct align *al, unsigned int side, uint64_t longer)
{
	const struct side *s = &al->side[side];
	uint64_t matched = s->q.next - s->piece;

	/* the end of a long piece stands for all of it */
	if (matched > BEHIND / 2)
		matched = BEHIND / 2;
	return s->cause != GAP_NONE && same_run(al, side, -(int64_t)matched, (int64_t)(longer - matched), matched);
}

/*
 * Looks for a longer gap before a side's piece: a place of the opposite side, *j instructions later, at which the piece and the
 * instructions behind it match. Returns how many instructions match from there on, as agree(), of the place with most; 0: there is none.
 */
static int64_t longer_gap(struct align *al, unsigned int side, uint64_t *j)
{
	const uint64_t n = piece_length(al, side, 0, GRAM);
	unsigned int places = 0;
	int64_t have, most = 0, match;
	uint64_t k;

	for (k = 1; al->side[side].cause != GAP_NONE && n && k < FAR && places < PLACES && most < ENOUGH; k++) {
		have = want(al, !side, k + n);
		if (have < 0)
			return have;
		if (k + n > (uint64_t)have)
			break;
		if (!seq_same(at(al, side, 0), at(al, !side, k)) || !same_run(al, side, 0, (int64_t)k, n) ||
		    !gap_fits(al, side, k))
			continue;
		places++;
		match = side == TRACE ? agree(al, 0, k) : agree(al, k, 0);
		if (match < 0)
			return match;
		if (match > most) {
			most = match;
			*j = k;
		}
	}
	return most;
}

/* Nothing matches any more: the trace is left out up to its next gap. */
static int leave_piece(struct align *al)
{
	return leave_out(al, piece_length(al, TRACE, 0, left(al, TRACE)), 0);
}

/* The next instructions do not match, and there is no gap. */
static int mismatch(struct align *al)
{
	static const struct {
		uint32_t look, gram;
	} tries[] = { { 64, GRAM }, { 1024, GRAM }, { LOOK, GRAM }, { 1024, 4 } };
	const uint64_t to_gap = piece_length(al, TRACE, 0, LOOK);
	uint64_t i = 0, j = 0, others, longer[2] = { 0, 0 };
	int64_t edit = 0, gap[2];
	unsigned int k, side;
	int rc = 0;

	for (k = 0; k < sizeof(tries) / sizeof(tries[0]) && !rc; k++)
		rc = fewest(al, tries[k].look, tries[k].gram, &i, &j);
	if (rc > 0 && i < to_gap)
		edit = agree(al, i, j);
	if (rc < 0 || edit < 0)
		return rc < 0 ? rc : (int)edit;
	/* the other side is wrong up to its gap */
	others = piece_length(al, OTHER, 0, j + 1);
	if (edit && !i && others <= j)
		return leave_out(al, 0, others);
	/* what is left of the piece is wrong rather than an edit that leaves out more than then matches */
	if (to_gap < left(al, TRACE) && (uint64_t)edit < i + j)
		edit = 0;
	if (edit == ENOUGH && i + j <= EDIT && (i || !gap_fits(al, TRACE, j)) && (j || !gap_fits(al, OTHER, i)))
		return leave_out(al, i, j);
	for (side = TRACE; side <= OTHER; side++) {
		gap[side] = longer_gap(al, side, &longer[side]);
		if (gap[side] < 0)
			return (int)gap[side];
	}
	side = gap[OTHER] > gap[TRACE];
	if (gap[side] && gap[side] >= edit) {
		skip_in_gap(al, !side, al->side[side].cause, longer[side]);
		return 0;
	}
	return edit ? leave_out(al, i, j) : leave_piece(al);
}

/* ---- gaps -------------------------------------------------------------------------------------- */

/* True if the piece of a side behind a gap matches `k` instructions later on the opposite side, which has `have`. */
static bool matches_at(const struct align *al, unsigned int side, uint64_t n, uint64_t k, uint64_t have)
{
	/* at the end of the opposite side fewer will do */
	if (k + n > have)
		n = have - k < n / 4 ? 0 : have - k;
	return n && same_run(al, side, 0, (int64_t)k, n);
}

static void begin_piece(struct align *al, unsigned int side, enum align_gap cause)
{
	struct side *s = &al->side[side];

	s->gap_done = true;
	s->piece = s->q.next;
	s->cause = cause;
}

/* 1 if the pieces match, from i and j instructions later on, up to the end of one of them; *most: number of matching instructions. */
static int pieces_match(struct align *al, uint64_t i, uint64_t j, uint64_t *most)
{
	uint64_t n = piece_length(al, TRACE, i, ENOUGH), m, k = 0;
	const int64_t have = want(al, OTHER, j + n);

	if (have < 0)
		return (int)have;
	m = piece_length(al, OTHER, j, n);
	n = m < n ? m : n;
	while (k < n && seq_same(at(al, TRACE, i + k), at(al, OTHER, j + k)))
		k++;
	*most = k;
	return k >= GRAM && k == n;
}

/*
 * Both sides have a gap, the other side `after` instructions later. Tracing resumed earlier on one of them, which has more
 * instructions: the fewest that make the pieces match are left out. 1; 0: there is no such place; negative.
 */
static int both_gaps(struct align *al, uint64_t after, enum align_gap trace, enum align_gap other)
{
	uint64_t d, best = 0, most = 0, i = 0, j = 0;
	unsigned int places = 0, dir;
	int64_t have;
	int rc = 0;

	for (d = 0; d < LOOK && places < PLACES && rc <= 0; d++)
		for (dir = d ? 0 : 1; dir < 2 && rc <= 0; dir++) {
			have = dir ? 0 : want(al, OTHER, after + d + 1);
			if (have < 0)
				return (int)have;
			if (dir ? d >= left(al, TRACE) : have <= (int64_t)(after + d))
				continue;
			if (!seq_same(at(al, TRACE, dir ? d : 0), at(al, OTHER, after + (dir ? 0 : d))))
				continue;
			rc = pieces_match(al, dir ? d : 0, after + (dir ? 0 : d), &most);
			if (rc < 0)
				return rc;
			places += most >= GRAM;
			if (rc || (most >= GRAM && most > best)) {
				best = most;
				i = dir ? d : 0;
				j = dir ? 0 : d;
			}
		}
	if (!best)
		return 0;
	skip_in_gap(al, OTHER, trace, after + j);
	skip_in_gap(al, TRACE, other, i);
	begin_piece(al, OTHER, other);
	begin_piece(al, TRACE, trace);
	return 1;
}

/*
 * Behind a gap of the trace: leaves out what the other side executed in it. If the piece behind the gap is found nowhere, but
 * a later one is, instructions are left out on both sides.
 */
static int gap_of_trace(struct align *al, enum align_gap cause)
{
	const struct seq *trace = &al->side[TRACE].q, *other = &al->side[OTHER].q;
	const uint64_t n = piece_length(al, TRACE, 0, GRAM);
	uint64_t k = 0, later = UINT64_MAX, late_at = 0;
	int64_t have = want(al, OTHER, n);
	uint32_t hit;
	int rc;

	begin_piece(al, TRACE, cause);
	if (have < 0)
		return (int)have;
	if (!have || matches_at(al, TRACE, n, 0, (uint64_t)have))
		return 0;
	grams_fill(&al->grams, trace, trace->next, left(al, TRACE) < LOOK ? left(al, TRACE) : LOOK, GRAM);
	for (;;) {
		have = want(al, OTHER, k + GRAM);
		if (have < 0)
			return (int)have;
		if (k >= (uint64_t)have || (later != UINT64_MAX && k - late_at >= LOOK))
			break;
		if (at(al, OTHER, k)->gap && (k || !al->side[OTHER].gap_done)) {
			rc = both_gaps(al, k, cause, (enum align_gap)at(al, OTHER, k)->gap);
			if (rc)
				return rc < 0 ? rc : 0;
			grams_fill(&al->grams, trace, trace->next, left(al, TRACE) < LOOK ? left(al, TRACE) : LOOK, GRAM);
		}
		if (matches_at(al, TRACE, n, k, (uint64_t)have)) {
			skip_in_gap(al, OTHER, cause, k);
			return 0;
		}
		if (later == UINT64_MAX && k + GRAM <= (uint64_t)have &&
		    grams_find(&al->grams, trace, other, other->next + k, &hit)) {
			later = hit;
			late_at = k;
		}
		if (++k == FAR) {
			skip_in_gap(al, OTHER, cause, FAR / 2);
			seq_forget(&al->side[OTHER].q);
			k -= FAR / 2;
			late_at -= later != UINT64_MAX ? FAR / 2 : 0;
		}
	}
	if (later == UINT64_MAX)
		return leave_piece(al);
	/* the trace may begin before the other side does */
	if (cause == GAP_BEGIN && !late_at) {
		skip_in_gap(al, TRACE, GAP_BEGIN, later);
		begin_piece(al, TRACE, GAP_BEGIN);
		return 0;
	}
	return leave_out(al, later, late_at);
}

/* Behind a gap of the other side: leaves out what the trace has there. */
static int gap_of_other(struct align *al, enum align_gap cause)
{
	const int64_t have = want(al, OTHER, GRAM);
	const uint64_t n = left(al, TRACE);
	uint64_t len, k;

	if (have < 0)
		return (int)have;
	len = piece_length(al, OTHER, 0, GRAM);
	for (k = 0; k < n; k++) {
		if (matches_at(al, OTHER, len, k, n)) {
			skip_in_gap(al, TRACE, cause, k);
			begin_piece(al, OTHER, cause);
			return 0;
		}
		/* a gap of the trace: what is behind it is looked for on the other side */
		if (k && at(al, TRACE, k)->gap)
			break;
	}
	if (k == n && !al->side[TRACE].ended)
		k = n / 2;	/* the rest may match together with the next instructions that are put in */
	skip_in_gap(al, TRACE, cause, k);
	return 0;
}

/* ---- one after the other ----------------------------------------------------------------------- */

static int step(struct align *al)
{
	const struct align_insn *x = at(al, TRACE, 0), *y;
	int64_t have;

	if (x->gap && !al->side[TRACE].gap_done)
		return gap_of_trace(al, (enum align_gap)x->gap);
	have = want(al, OTHER, 1);
	if (have < 0)
		return (int)have;
	if (!have) {
		skip_in_gap(al, TRACE, GAP_END, 1);
		return 0;
	}
	y = at(al, OTHER, 0);
	if (y->gap && !al->side[OTHER].gap_done && seq_same(x, y)) {
		begin_piece(al, OTHER, (enum align_gap)y->gap);
		return take_both(al);
	}
	if (seq_same(x, y))
		return take_both(al);
	if (y->flags & ALIGN_STARTED) {
		al->counts.started++;
		skip(al, OTHER, 1);
		return 0;
	}
	if (y->gap && !al->side[OTHER].gap_done)
		return gap_of_other(al, (enum align_gap)y->gap);
	return mismatch(al);
}

static int run(struct align *al, uint64_t keep)
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
	if (seq_add(&al->side[TRACE].q, insn))
		return ERR_NOMEM;
	/* in batches: what is looked at stays in the cache */
	return left(al, TRACE) < LOOK + LOOK / 2 ? 0 : run(al, LOOK);
}

int align_end(struct align *al)
{
	int64_t have;
	int rc;

	al->side[TRACE].ended = true;
	rc = run(al, 0);
	while (!rc && (have = want(al, OTHER, 1)) != 0) {
		if (have < 0)
			return (int)have;
		skip_in_gap(al, OTHER, GAP_END, (uint64_t)have);
		seq_forget(&al->side[OTHER].q);
	}
	return rc;
}
