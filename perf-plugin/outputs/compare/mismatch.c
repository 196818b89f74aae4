/* SPDX-License-Identifier: GPL-2.0-only */
/* mismatch.c - the next instructions differ, and there is no gap: an edit, or a gap that was longer. */
#include "outputs/compare/align_int.h"

/*
 * The fewest instructions to leave out, *i of the trace and *j of the other side, so that `gram` instructions match
 * behind them: 1, or 0; negative. At most `look` of each side are looked at.
 */
static int fewest(struct align *al, uint64_t look, unsigned int gram, uint64_t *i, uint64_t *j)
{
	const struct seq *trace = &al->side[TRACE].q, *other = &al->side[OTHER].q;
	uint64_t best = UINT64_MAX, k, n = left(al, TRACE) < look ? left(al, TRACE) : look;
	int64_t have = align_want(al, OTHER, look + gram);
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

/* True if the piece of a side matches up to the next instruction as well with a gap that is `longer` instructions longer. */
static bool gap_fits(const struct align *al, unsigned int side, uint64_t longer)
{
	const struct side *s = &al->side[side];
	uint64_t matched = s->q.next - s->piece;

	/* the end of a long piece stands for all of it */
	if (matched > BEHIND / 2)
		matched = BEHIND / 2;
	return s->cause != GAP_NONE && agree_run(al, side, -(int64_t)matched, (int64_t)(longer - matched), matched);
}

/*
 * Looks for a longer gap before a side's piece: a place of the opposite side, *j instructions later, at which the piece and the
 * instructions behind it match. Returns how many instructions match from there on, as agree(), of the place with most; 0: there is none.
 */
static int64_t longer_gap(struct align *al, unsigned int side, uint64_t *j)
{
	const uint64_t n = agree_length(al, side, 0, GRAM);
	unsigned int places = 0;
	int64_t have, most = 0, match;
	uint64_t k;

	for (k = 1; al->side[side].cause != GAP_NONE && n && k < FAR && places < PLACES && most < ENOUGH; k++) {
		have = align_want(al, !side, k + n);
		if (have < 0)
			return have;
		if (k + n > (uint64_t)have)
			break;
		if (!seq_same(at(al, side, 0), at(al, !side, k)) || !agree_run(al, side, 0, (int64_t)k, n) ||
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
		rc = agree_pieces(al, i, j, GRAM, &most);
	if (rc < 0)
		return rc;
	return !(rc && most > i + j) && most < PLAUSIBLE;
}

/* The gap before the piece of a side is longer: it is now before the next instruction. */
static void gap_again(struct align *al, unsigned int side)
{
	struct side *s = &al->side[side];

	seq_set_gap(&s->q, s->q.next, s->cause);
	s->gap_done = false;
	s->gap_moved = true;
}

/* The fewest instructions to leave out so that both sides match again: what is tried, one after the other. */
static int try_fewest(struct align *al, uint64_t *i, uint64_t *j)
{
	static const struct {
		uint32_t look, gram;
	} tries[] = { { 64, GRAM }, { 1024, GRAM }, { LOOK, GRAM }, { 1024, 4 } };
	unsigned int k;
	int rc = 0;

	for (k = 0; k < sizeof(tries) / sizeof(tries[0]) && !rc; k++)
		rc = fewest(al, tries[k].look, tries[k].gram, i, j);
	return rc;
}

/* A difference: what is left out of both sides, and how many instructions match behind it. 0: there is none. */
struct edit {
	uint64_t i, j;
	int64_t match;
};

/* Leaves out instructions of the side whose gap is longer, or what an edit leaves out. `e`: the best edit. */
static int longer_or_edit(struct align *al, const struct edit *e)
{
	uint64_t longer[2] = { 0, 0 };
	int64_t gap[2];
	unsigned int side;
	int rc;

	for (side = TRACE; side <= OTHER; side++) {
		gap[side] = longer_gap(al, side, &longer[side]);
		if (gap[side] < 0)
			return (int)gap[side];
	}
	side = gap[OTHER] > gap[TRACE];
	if (gap[side] && gap[side] >= e->match) {
		align_skip_in_gap(al, !side, al->side[side].cause, longer[side]);
		return 0;
	}
	rc = e->match == ENOUGH ? 0 : wrong_place(al, e->match ? e->i : 0, e->match ? e->j : 0, &side);
	if (rc < 0)
		return rc;
	if (rc) {
		gap_again(al, side);
		return 0;
	}
	return e->match ? align_leave_out(al, e->i, e->j) : align_leave_piece(al);
}

/* True if a gap that is longer by what the edit leaves out of one side would explain the piece as well. */
static bool edit_is_gap(const struct align *al, uint64_t i, uint64_t j)
{
	return (!i && gap_fits(al, TRACE, j)) || (!j && gap_fits(al, OTHER, i));
}

/* 1 if the edit leaves out few instructions, and enough match behind it, over gaps, too; 0; negative. */
static int edit_is_sure(struct align *al, const struct edit *e, uint64_t i, uint64_t j)
{
	if (edit_is_gap(al, i, j))
		return 0;
	if (e->match == ENOUGH && e->i == i && e->j == j && i + j <= EDIT)
		return 1;
	return follow_edit(al, i, j);
}

/* Looks for a sure edit: small ones, then `e`. 1: *e is it; 0; negative. */
static int sure_edit(struct align *al, struct edit *e)
{
	unsigned int k;
	int rc = 0;

	if (e->match && e->i + e->j <= EDIT)
		rc = edit_is_sure(al, e, e->i, e->j);
	for (k = 0; k < AGREE_EDITS && !rc; k++) {
		rc = edit_is_sure(al, e, agree_edits[k][0], agree_edits[k][1]);
		if (rc > 0)
			*e = (struct edit){ .i = agree_edits[k][0], .j = agree_edits[k][1], .match = ENOUGH };
	}
	if (!rc && e->match && e->i + e->j <= FOLLOW_EDIT)
		rc = edit_is_sure(al, e, e->i, e->j);
	return rc;
}

int mismatch(struct align *al)
{
	const uint64_t to_gap = agree_length(al, TRACE, 0, LOOK);
	struct edit e = { .match = 0 };
	uint64_t others;
	bool plausible;
	int rc = try_fewest(al, &e.i, &e.j);

	if (rc > 0 && e.i < to_gap)
		e.match = agree(al, e.i, e.j);
	if (rc < 0 || e.match < 0)
		return rc < 0 ? rc : (int)e.match;
	plausible = e.match > 0;
	/* what is left of the piece is wrong rather than an edit that leaves out more than then matches */
	if (to_gap < left(al, TRACE) && (uint64_t)e.match < e.i + e.j)
		e.match = 0;
	rc = sure_edit(al, &e);
	if (rc)
		return rc < 0 ? rc : align_leave_out(al, e.i, e.j);
	/* the other side is wrong up to its gap */
	others = agree_length(al, OTHER, 0, e.j + 1);
	if (plausible && !e.i && others <= e.j)
		return align_leave_out(al, 0, others);
	return longer_or_edit(al, &e);
}
