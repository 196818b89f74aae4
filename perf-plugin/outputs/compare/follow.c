/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follow.c - how two sequences continue together over gaps.
 *
 * A piece in a loop matches at each iteration, so that an edit in it could always be explained by a longer gap before it, if
 * pieces were looked at one by one. But a gap where tracing was off has code that is not traced: if the side with the gap shows
 * what would be missing elsewhere, and the sequences continue together over the next gaps without that, then it is not missing.
 */
#include "outputs/compare/align_int.h"

/* Two sequences that continue together. */
struct pair {
	uint64_t i, j;		/* next instructions of the trace and of the other side, behind the next ones of the sides */
	uint64_t done_i, done_j; /* the gaps before these were dealt with */
	uint64_t matched;
	bool lossy;		/* behind a gap in which instructions may be lost */
};

/* Why two sequences do not continue together. */
enum stop {
	STOP_ENOUGH,		/* as many match as were asked for */
	STOP_LOSSY,		/* at the first gap in which instructions may be lost */
	STOP_END,		/* the trace ends */
	STOP_GAP,		/* they differ behind a gap, which is not tight */
	STOP_DIFFER,
};

bool follow_sound(enum align_gap cause)
{
	return cause == GAP_NONE || cause == GAP_BEGIN || cause == GAP_FILTERED || cause == GAP_NO_CODE;
}

/* Passes the gap of a side before instruction *own: what is foreign to it, from *opposite on, is missing there. */
static int pass_gap(struct align *al, unsigned int side, struct pair *p)
{
	uint64_t *const opposite = side == TRACE ? &p->j : &p->i;
	const uint64_t own = side == TRACE ? p->i : p->j, limit = *opposite + FAR;
	int64_t have;

	for (; *opposite < limit; ++*opposite) {
		have = align_want(al, !side, *opposite + 1);
		if (have <= (int64_t)*opposite)
			return have < 0 ? (int)have : 0;
		if (seq_same(at(al, side, own), at(al, !side, *opposite)) || align_shows(al, side, at(al, !side, *opposite)))
			return 0;
	}
	return 0;
}

/* The cause of a gap before an instruction that two sequences have reached; GAP_NONE: there is none. */
static enum align_gap gap_at(const struct align *al, unsigned int side, const struct pair *p)
{
	const uint64_t n = side == TRACE ? p->i : p->j, done = side == TRACE ? p->done_i : p->done_j;

	return n > done && n < left(al, side) ? (enum align_gap)at(al, side, n)->gap : GAP_NONE;
}

/* Passes the gaps of both sides. 1: one of them is the first in which instructions may be lost; 0; negative. */
static int pass_gaps(struct align *al, struct pair *p)
{
	const enum align_gap trace = gap_at(al, TRACE, p), other = gap_at(al, OTHER, p);
	const bool lossy = !follow_sound(trace) || !follow_sound(other), first = lossy && !p->lossy;
	int rc = 0;

	p->lossy |= lossy;
	if (trace)
		rc = pass_gap(al, TRACE, p);
	if (!rc && other)
		rc = pass_gap(al, OTHER, p);
	return rc ? rc : first;
}

/* Continues for up to `most` instructions. Returns enum stop, or negative. */
static int together(struct align *al, struct pair *p, uint64_t most)
{
	uint64_t n = 0;
	int64_t have;
	bool gap;
	int rc;

	while (n < most) {
		have = align_want(al, OTHER, p->j + 1);
		if (have < 0)
			return (int)have;
		if (p->i >= left(al, TRACE))
			return STOP_END;
		gap = gap_at(al, TRACE, p) || gap_at(al, OTHER, p);
		rc = gap ? pass_gaps(al, p) : 0;
		if (rc)
			return rc < 0 ? rc : STOP_LOSSY;
		if (p->i >= left(al, TRACE))
			return STOP_END;
		if (p->j >= left(al, OTHER))
			return gap ? STOP_GAP : STOP_DIFFER;
		if (seq_same(at(al, TRACE, p->i), at(al, OTHER, p->j))) {
			p->matched++;
			p->i++;
			n++;
		} else if (!(at(al, OTHER, p->j)->flags & ALIGN_STARTED)) {
			return gap ? STOP_GAP : STOP_DIFFER;
		}
		p->j++;
	}
	return STOP_ENOUGH;
}

/*
 * True if an edit of the instructions i and j would be in a gap of the trace, or right behind one that explains the same if as
 * many instructions are missing in it, as those since the last branch, which a trace unit drops when tracing stops. Or negative.
 */
static int edit_is_in_gap(struct align *al, const struct pair *p, uint64_t i, uint64_t j)
{
	const uint64_t most = i > j ? i : j;
	struct pair q;
	uint64_t k;
	int stop;

	if (i > 1 && p->i + 1 < left(al, TRACE) && at(al, TRACE, p->i + 1)->gap)
		return 1;
	if (p->i >= left(al, TRACE) || !at(al, TRACE, p->i)->gap)
		return 0;
	for (k = 1; k <= most; k++) {
		q = *p;
		q.j += k;
		q.done_i = q.i;
		q.done_j = q.j;
		stop = together(al, &q, GRAM);
		if (stop < 0)
			return stop;
		if (stop == STOP_ENOUGH || stop == STOP_END || stop == STOP_LOSSY)
			return 1;
	}
	return !i;
}

/* The sequences differ: 1 if they continue behind an edit, which is passed; 0; negative. */
static int pass_edit(struct align *al, struct pair *p)
{
	unsigned int k;
	struct pair q;
	int rc;

	for (k = 0; k < AGREE_EDITS; k++) {
		rc = edit_is_in_gap(al, p, agree_edits[k][0], agree_edits[k][1]);
		if (rc < 0)
			return rc;
		if (rc)
			continue;
		q = *p;
		q.i += agree_edits[k][0];
		q.j += agree_edits[k][1];
		rc = together(al, &q, GRAM);
		if (rc < 0)
			return rc;
		if (rc == STOP_ENOUGH || rc == STOP_END || (rc == STOP_LOSSY && q.matched > p->matched)) {
			*p = q;
			return 1;
		}
	}
	return 0;
}

/* True if both sides end here, but for what is foreign to the trace. Or negative. */
static int both_end(struct align *al, const struct pair *p)
{
	uint64_t j;
	int64_t have;

	for (j = p->j; al->side[TRACE].ended && p->i >= left(al, TRACE) && j < p->j + FAR; j++) {
		have = align_want(al, OTHER, j + 1);
		if (have <= (int64_t)j)
			return have < 0 ? (int)have : 1;
		if (align_shows(al, TRACE, at(al, OTHER, j)))
			return 0;
	}
	return 0;
}

/* 1 if the sequences continue together but for a few edits, of which there were `edits` already; 0; negative. */
static int go_on(struct align *al, struct pair p, unsigned int edits)
{
	int stop, rc;

	for (;;) {
		stop = together(al, &p, p.lossy ? LOOK : ENOUGH - p.matched % ENOUGH);
		if (stop < 0)
			return stop;
		if ((stop == STOP_DIFFER || stop == STOP_GAP) && edits && p.matched < GRAM)
			return 0;
		if (stop != STOP_DIFFER && (!p.lossy || stop == STOP_LOSSY) && al->tight + p.matched >= ENOUGH)
			return 1;
		if (stop == STOP_END)
			return al->tight + p.matched >= GRAM ? both_end(al, &p) : 0;
		if (p.matched >= LOOK)
			return 0;
		if (stop == STOP_LOSSY || stop == STOP_ENOUGH)
			continue;
		if (edits++ > (al->tight + p.matched) / SPARSE)
			return 0;
		rc = pass_edit(al, &p);
		if (rc <= 0)
			return rc;
	}
}

int follow_edit(struct align *al, uint64_t i, uint64_t j)
{
	const struct pair here = { .i = 0 };
	const int rc = edit_is_in_gap(al, &here, i, j);

	return rc ? (rc < 0 ? rc : 0) : go_on(al, (struct pair){ .i = i, .j = j }, 1);
}

int follow_gap(struct align *al, enum align_gap cause, uint64_t *foreign)
{
	struct pair p = { .i = 0 };
	int rc;

	if (!follow_sound(cause))
		return 0;
	rc = pass_gap(al, TRACE, &p);
	*foreign = p.j;
	p.done_j = p.j;
	return rc ? rc : go_on(al, p, 0);
}
