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

/* Instructions that match at the right place of a piece and, in a long gap, at no wrong one: loops repeat many thousands. */
#define SURE (LOOK / 2)

/* Places that are tried for a longer gap. */
#define PLACES 64u

enum { TRACE, OTHER };

struct side {
	struct seq q;
	bool ended;
	bool gap_done;		/* the gap before the next instruction was dealt with */
	bool gap_moved;		/* gap_again() has put it there */
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
	bool in_loss;		/* a piece of the trace was not found since the gap before the other side's next instruction */
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
		al->side[side].gap_done = al->side[side].gap_moved = false;
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

/*
 * The instructions i of the trace and j of the other side differ: 1 if GRAM match behind an edit of at most EDIT instructions,
 * which is added to *i and *j; 0; negative.
 */
static int over_edit(struct align *al, uint64_t *i, uint64_t *j)
{
	static const uint8_t edits[][2] = { { 1, 1 }, { 0, 1 }, { 1, 0 }, { 0, 2 }, { 2, 0 } };
	const int64_t have = want(al, OTHER, *j + EDIT + GRAM);
	unsigned int k;

	if (have < 0)
		return (int)have;
	if (*i + EDIT + GRAM > left(al, TRACE) || *j + EDIT + GRAM > (uint64_t)have)
		return 0;
	for (k = 0; k < sizeof(edits) / sizeof(edits[0]); k++)
		if (same_run(al, TRACE, (int64_t)(*i + edits[k][0]), (int64_t)(*j + edits[k][1]), GRAM)) {
			*i += edits[k][0];
			*j += edits[k][1];
			return 1;
		}
	return 0;
}

/*
 * 1 if the pieces match, but for one edit in `every` instructions, from i and j instructions later on, up to the end of one
 * of them or for SURE instructions; *most: number of matching instructions.
 */
static int pieces_agree(struct align *al, uint64_t i, uint64_t j, uint64_t every, uint64_t *most)
{
	uint64_t edits = 0;
	int64_t have;
	int rc;

	for (*most = 0; *most < SURE; ++*most, i++, j++) {
		have = j < left(al, OTHER) ? (int64_t)(j + 1) : want(al, OTHER, j + 1);
		if (have < 0)
			return (int)have;
		/* what of the trace is not put in yet may differ */
		if (i >= left(al, TRACE) && !al->side[TRACE].ended)
			return 0;
		if (i >= left(al, TRACE) || j >= (uint64_t)have || (*most && (at(al, TRACE, i)->gap || at(al, OTHER, j)->gap)))
			break;
		if (seq_same(at(al, TRACE, i), at(al, OTHER, j)))
			continue;
		if (!*most || edits++ > *most / every)
			return 0;
		rc = over_edit(al, &i, &j);
		if (rc <= 0)
			return rc;
	}
	return *most >= GRAM;
}

static int pieces_match(struct align *al, uint64_t i, uint64_t j, uint64_t *most)
{
	return pieces_agree(al, i, j, ENOUGH, most);
}

/* Nothing matches any more: the trace is left out up to its next gap. */
static int leave_piece(struct align *al)
{
	return leave_out(al, piece_length(al, TRACE, 0, left(al, TRACE)), 0);
}

/*
 * True if the piece of a side is behind a loss and could be somewhere else: it matched for long enough to be taken as sure,
 * but a loop, or work that is done again and again, can match as long at several places.
 */
static bool place_unsure(const struct side *s)
{
	return s->cause > GAP_FILTERED && s->q.next - s->piece >= SURE && s->q.next - s->piece < FAR;
}

/*
 * The next instructions differ, few match behind an edit that leaves out i of the trace and j of the other side, and no near
 * place is better. 1 if the piece of *side began at a wrong place: it is unsure, and differs again and again; 0; negative.
 */
static int wrong_place(struct align *al, uint64_t i, uint64_t j, unsigned int *side)
{
	uint64_t most = 0;
	int rc = 0;

	*side = place_unsure(&al->side[TRACE]) ? TRACE : OTHER;
	if (!place_unsure(&al->side[*side]))
		return 0;
	if (i + j)
		rc = pieces_agree(al, i, j, GRAM, &most);
	if (rc < 0)
		return rc;
	return !(rc && most > i + j) && most < SURE / 4;
}

/* The gap before the piece of a side is longer: it is now before the next instruction. */
static int gap_again(struct align *al, unsigned int side)
{
	struct side *s = &al->side[side];

	seq_set_gap(&s->q, s->q.next, s->cause);
	s->gap_done = false;
	s->gap_moved = true;
	return 0;
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
	rc = edit == ENOUGH ? 0 : wrong_place(al, edit ? i : 0, edit ? j : 0, &side);
	if (rc)
		return rc < 0 ? rc : gap_again(al, side);
	return edit ? leave_out(al, i, j) : leave_piece(al);
}

/* ---- gaps -------------------------------------------------------------------------------------- */

static void begin_piece(struct align *al, unsigned int side, enum align_gap cause)
{
	struct side *s = &al->side[side];

	s->gap_done = true;
	s->gap_moved = false;
	s->piece = s->q.next;
	s->cause = cause;
	if (side == OTHER)
		al->in_loss = false;
}

/* What a search for the piece of a side behind a gap has found on the opposite side. */
struct search {
	/* Place where at least GRAM instructions from the first one on match, and how many do. 0: none. */
	uint64_t start, start_match;
	/* Instruction of this or a later piece from which on at least GRAM match, its place, and how many do. 0: none. */
	uint64_t later, later_at, later_match;
	uint64_t next;		/* place from which on a later instruction is looked for */
	/* Both sides have a gap: what is left out of the trace and of the other side so that at least GRAM match, and how many do. */
	uint64_t both_trace, both_other, both_match;
	enum align_gap both;	/* the gap of the other side */
};

static void leave_out_both(struct align *al, uint64_t i, uint64_t j, enum align_gap trace, enum align_gap other)
{
	skip_in_gap(al, OTHER, trace, j);
	skip_in_gap(al, TRACE, other, i);
	begin_piece(al, OTHER, other);
	begin_piece(al, TRACE, trace);
}

/*
 * Both sides have a gap, the other side `after` instructions later. Tracing resumed earlier on one of them, which has more
 * instructions: the fewest that make the pieces match are left out. 1; 0: there is no such place, or too few instructions match to
 * be sure; negative.
 */
static int both_gaps(struct align *al, uint64_t after, enum align_gap trace, enum align_gap other, struct search *s)
{
	uint64_t d, most = 0, i, j;
	unsigned int places = 0, dir;
	int64_t have;
	int rc;

	for (d = 0; d < LOOK && places < PLACES; d++)
		for (dir = d ? 0 : 1; dir < 2; dir++) {
			have = dir ? 0 : want(al, OTHER, after + d + 1);
			if (have < 0)
				return (int)have;
			if (dir ? d >= left(al, TRACE) : have <= (int64_t)(after + d))
				continue;
			i = dir ? d : 0;
			j = after + (dir ? 0 : d);
			if (!seq_same(at(al, TRACE, i), at(al, OTHER, j)))
				continue;
			rc = pieces_match(al, i, j, &most);
			if (rc < 0)
				return rc;
			places += most >= GRAM;
			if (rc && (most == SURE || (after < LOOK && most >= i && most > 4 * s->start_match))) {
				leave_out_both(al, i, j, trace, other);
				return 1;
			}
			if (most >= GRAM && most > s->both_match) {
				s->both_trace = i;
				s->both_other = j;
				s->both_match = most;
				s->both = other;
			}
		}
	return 0;
}

/* pieces_match(), from instruction `own` of a side and instruction k of the opposite one. */
static int side_match(struct align *al, unsigned int side, uint64_t own, uint64_t k, uint64_t *most)
{
	return side == TRACE ? pieces_match(al, own, k, most) : pieces_match(al, k, own, most);
}

/* Looks at place k of the opposite side, which has `have` instructions. 1: the piece begins there; 0; negative. */
static int search_at(struct align *al, unsigned int side, struct search *s, uint64_t k, uint64_t have)
{
	const struct seq *own = &al->side[side].q, *opposite = &al->side[!side].q;
	const uint64_t n = piece_length(al, side, 0, GRAM);
	uint64_t from, most;
	uint32_t hit;
	int rc;

	if (k + n > have) {
		/* at the end of the opposite side fewer will do */
		most = have - k;
		if (!s->start_match && most >= n / 4 && same_run(al, side, 0, (int64_t)k, most)) {
			s->start = k;
			s->start_match = most;
		}
		return 0;
	}
	if (same_run(al, side, 0, (int64_t)k, n)) {
		if (n < GRAM)
			return 1;
		rc = side_match(al, side, 0, k, &most);
		if (rc)
			return rc;
		/* of places near to each other the one at which most match; the one before a sure later instruction stays */
		if (most >= GRAM && (most > s->start_match || (k - s->start >= LOOK && s->start_match < SURE / 4)) &&
		    !(s->start_match && s->later_match == SURE)) {
			s->start = k;
			s->start_match = most;
		}
	}
	if (k + GRAM > have || s->later_match == SURE || k < s->next ||
	    !grams_find(&al->grams, own, opposite, opposite->next + k, &hit) || !hit)
		return 0;
	rc = side_match(al, side, hit, k, &most);
	if (rc < 0)
		return rc;
	s->next = k + most;
	if (rc && most > s->later_match) {
		for (from = hit; from > 1 && k && seq_same(at(al, side, from - 1), at(al, !side, k - 1)); from--)
			k--;
		s->later = from;
		s->later_at = k;
		s->later_match = most;
	}
	return 0;
}

/* The first `n` instructions of the opposite side are left out. */
static void search_moved(struct search *s, uint64_t n)
{
	if (s->start < n)
		s->start_match = 0;
	s->start -= s->start_match ? n : 0;
	if (s->later_at < n)
		s->later_match = 0;
	s->later_at -= s->later_match ? n : 0;
	if (s->both_other < n)
		s->both_match = 0;
	s->both_other -= s->both_match ? n : 0;
	s->next -= s->next < n ? s->next : n;
}

/*
 * The piece does not match from its first instruction up to a gap, or long enough: it begins where its first instructions match, if
 * what is behind the difference matches soon after, or not nearly as long. False: it does not begin at s->start.
 */
static bool search_begins(const struct search *s)
{
	return s->start_match && (s->start_match > 4 * s->later_match || (s->start <= s->later_at && s->later_at - s->start < LOOK));
}

/* True if `match` instructions of `n` are too few for a place, as the right one may be somewhere else. */
static bool too_few(uint64_t match, uint64_t n)
{
	return match < SURE && match < n / 2;
}

/* Fills al->grams with the next instructions of a side. */
static void fill_next(struct align *al, unsigned int side)
{
	grams_fill(&al->grams, &al->side[side].q, al->side[side].q.next, left(al, side) < SURE ? left(al, side) : SURE, GRAM);
}

/*
 * True if the piece of the trace, which is not found on the other side, can be in a loss of that side: it is behind a gap of
 * filters or between two AUX records, which is short beside a loss.
 */
static bool can_be_in_loss(const struct align *al, enum align_gap cause)
{
	const enum align_gap other = al->side[OTHER].gap_done ? GAP_NONE : (enum align_gap)at(al, OTHER, 0)->gap;

	return other > GAP_FILTERED && (cause == GAP_FILTERED || (cause == GAP_BUFFER && other != GAP_BUFFER));
}

/*
 * True if both sides have a gap here, and behind it the same GRAM instructions with the same gaps between them: pieces that
 * are too short to be looked for.
 */
static bool same_gaps(const struct align *al)
{
	uint64_t i;

	if (al->side[OTHER].gap_done || piece_length(al, TRACE, 0, GRAM) == GRAM || left(al, TRACE) < GRAM ||
	    left(al, OTHER) < GRAM || !same_run(al, TRACE, 0, 0, GRAM))
		return false;
	for (i = 0; i < GRAM && at(al, TRACE, i)->gap == at(al, OTHER, i)->gap; i++)
		;
	return i == GRAM;
}

/*
 * Behind a gap of the trace: leaves out what the other side executed in it. If the piece behind the gap is found nowhere, but
 * a later one is, instructions are left out on both sides.
 */
static int gap_of_trace(struct align *al, enum align_gap cause)
{
	struct search s = { .next = 0 };
	uint64_t k = 0, most, len, far;
	int64_t have = want(al, OTHER, GRAM);
	bool loss;
	int rc;

	begin_piece(al, TRACE, cause);
	if (have < 0)
		return (int)have;
	if (!have)
		return 0;
	if (same_gaps(al)) {
		leave_out_both(al, 0, 0, cause, cause);
		return 0;
	}
	rc = pieces_match(al, 0, 0, &most);
	if (rc)
		return rc < 0 ? rc : 0;
	loss = can_be_in_loss(al, cause);
	/* there can be many pieces in a loss */
	far = loss && al->in_loss ? LOOK : FAR;
	fill_next(al, TRACE);
	for (;;) {
		have = want(al, OTHER, k + GRAM);
		if (have < 0)
			return (int)have;
		if (k >= (uint64_t)have || (s.later_match == SURE && k - s.later_at >= LOOK))
			break;
		if (at(al, OTHER, k)->gap && (k || !al->side[OTHER].gap_done)) {
			rc = both_gaps(al, k, cause, (enum align_gap)at(al, OTHER, k)->gap, &s);
			if (rc)
				return rc < 0 ? rc : 0;
		}
		rc = search_at(al, TRACE, &s, k, (uint64_t)have);
		if (rc < 0)
			return rc;
		if (rc) {
			skip_in_gap(al, OTHER, cause, k);
			return 0;
		}
		if (++k == far) {
			/* the pieces can differ again and again */
			if (loss || s.start_match >= SURE / 4 || s.both_match >= SURE / 4)
				break;
			skip_in_gap(al, OTHER, cause, FAR / 2);
			seq_forget(&al->side[OTHER].q);
			search_moved(&s, FAR / 2);
			k -= FAR / 2;
		}
	}
	len = piece_length(al, TRACE, 0, left(al, TRACE));
	if (loss && too_few(s.start_match, len) && too_few(s.later_match, len) && too_few(s.both_match, len)) {
		al->in_loss = true;
		return 0;
	}
	if (search_begins(&s) && s.both_match <= 4 * s.start_match) {
		skip_in_gap(al, OTHER, cause, s.start);
		return 0;
	}
	if (s.both_match) {
		leave_out_both(al, s.both_trace, s.both_other, cause, s.both);
		return 0;
	}
	if (!s.later_match)
		return leave_piece(al);
	/* the trace may begin before the other side does */
	if (cause == GAP_BEGIN && !s.later_at) {
		skip_in_gap(al, TRACE, GAP_BEGIN, s.later);
		begin_piece(al, TRACE, GAP_BEGIN);
		return 0;
	}
	return leave_out(al, s.later, s.later_at);
}

/* Behind a gap of the other side: leaves out what the trace has there. */
static int gap_of_other(struct align *al, enum align_gap cause)
{
	const uint64_t n = left(al, TRACE);
	struct search s = { .next = 0 };
	uint64_t k, most;
	int64_t have;
	int rc = pieces_match(al, 0, 0, &most);

	if (rc < 0)
		return rc;
	if (rc) {
		begin_piece(al, OTHER, cause);
		return 0;
	}
	have = want(al, OTHER, LOOK);
	if (have < 0)
		return (int)have;
	fill_next(al, OTHER);
	for (k = 0; k < n; k++) {
		rc = search_at(al, OTHER, &s, k, n);
		if (rc < 0)
			return rc;
		if (rc) {
			skip_in_gap(al, TRACE, cause, k);
			begin_piece(al, OTHER, cause);
			return 0;
		}
		/* a gap of the trace: what is behind it is looked for on the other side */
		if (k && at(al, TRACE, k)->gap)
			break;
	}
	if (k == n && !al->side[TRACE].ended) {
		k = n / 2;	/* the rest may match together with the next instructions that are put in */
		if (s.later_match < SURE || s.later_at >= k)
			s = (struct search){ .next = 0 };
	} else if (k < n) {
		if (too_few(s.later_match, k))
			s.later_match = 0;
		if (!s.later_match && too_few(s.start_match, k))
			s.start_match = 0;
	}
	if (search_begins(&s)) {
		skip_in_gap(al, TRACE, cause, s.start);
		begin_piece(al, OTHER, cause);
		return 0;
	}
	if (s.later_match) {
		begin_piece(al, OTHER, cause);
		return leave_out(al, s.later_at, s.later);
	}
	/* the gap was not longer: what the sides executed behind it differs */
	if (al->side[OTHER].gap_moved && al->side[TRACE].ended && k == n)
		return leave_out(al, k, 0);
	skip_in_gap(al, TRACE, cause, k);
	return 0;
}

/* ---- one after the other ----------------------------------------------------------------------- */

static int step(struct align *al)
{
	const struct align_insn *x = at(al, TRACE, 0), *y;
	int64_t have;
	bool same;

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
