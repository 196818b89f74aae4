/* SPDX-License-Identifier: GPL-2.0-only */
/* gaps.c - finds the place of the opposite side at which the piece behind a gap begins. */
#include "outputs/compare/align_int.h"

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
	align_skip_in_gap(al, OTHER, trace, j);
	align_skip_in_gap(al, TRACE, other, i);
	align_begin_piece(al, OTHER, other);
	align_begin_piece(al, TRACE, trace);
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
			have = dir ? 0 : align_want(al, OTHER, after + d + 1);
			if (have < 0)
				return (int)have;
			if (dir ? d >= left(al, TRACE) : have <= (int64_t)(after + d))
				continue;
			i = dir ? d : 0;
			j = after + (dir ? 0 : d);
			if (!seq_same(at(al, TRACE, i), at(al, OTHER, j)))
				continue;
			rc = agree_pieces(al, i, j, ENOUGH, &most);
			if (rc < 0)
				return rc;
			places += most >= GRAM;
			if (rc && (most == SURE || (after < LOOK && most >= i && most > CLEARLY * s->start_match))) {
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

/* Looks at place k of the opposite side, which has `have` instructions. 1: the piece begins there; 0; negative. */
static int search_at(struct align *al, unsigned int side, struct search *s, uint64_t k, uint64_t have)
{
	const struct seq *own = &al->side[side].q, *opposite = &al->side[!side].q;
	const uint64_t n = agree_length(al, side, 0, GRAM);
	uint64_t from, most;
	uint32_t hit;
	int rc;

	if (k + n > have) {
		/* at the end of the opposite side fewer will do */
		most = have - k;
		if (!s->start_match && most >= n / CLEARLY && agree_run(al, side, 0, (int64_t)k, most)) {
			s->start = k;
			s->start_match = most;
		}
		return 0;
	}
	if (agree_run(al, side, 0, (int64_t)k, n)) {
		if (n < GRAM)
			return 1;
		rc = agree_side(al, side, 0, k, &most);
		if (rc)
			return rc;
		/* of places near to each other the one at which most match; the one before a sure later instruction stays */
		if (most >= GRAM && (most > s->start_match || (k - s->start >= LOOK && s->start_match < PLAUSIBLE)) &&
		    !(s->start_match && s->later_match == SURE)) {
			s->start = k;
			s->start_match = most;
		}
	}
	if (k + GRAM > have || s->later_match == SURE || k < s->next ||
	    !grams_find(&al->grams, own, opposite, opposite->next + k, &hit) || !hit)
		return 0;
	rc = agree_side(al, side, hit, k, &most);
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
	return s->start_match && (s->start_match > CLEARLY * s->later_match || (s->start <= s->later_at && s->later_at - s->start < LOOK));
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

	if (al->side[OTHER].gap_done || agree_length(al, TRACE, 0, GRAM) == GRAM || left(al, TRACE) < GRAM ||
	    left(al, OTHER) < GRAM || !agree_run(al, TRACE, 0, 0, GRAM))
		return false;
	for (i = 0; i < GRAM && at(al, TRACE, i)->gap == at(al, OTHER, i)->gap; i++)
		;
	return i == GRAM;
}

/* True if a piece that matched for long enough would begin at one of the places found: they are no accident. */
static bool search_is_sure(const struct search *s)
{
	return s->start_match >= PLAUSIBLE || s->both_match >= PLAUSIBLE;
}

/* Both sides have a gap at place k of the other one, or only the trace: both_gaps(). */
static int search_both(struct align *al, enum align_gap cause, uint64_t k, struct search *s)
{
	const enum align_gap other = (enum align_gap)at(al, OTHER, k)->gap;

	return other && (k || !al->side[OTHER].gap_done) ? both_gaps(al, k, cause, other, s) : 0;
}

/*
 * Looks for the piece of the trace at each place of the other side. 1: it was found, and what is before it was left out;
 * 0: s has what was found instead; negative. `loss`: can_be_in_loss().
 */
static int search_other(struct align *al, enum align_gap cause, bool loss, struct search *s)
{
	/* there can be many pieces in a loss */
	const uint64_t far = loss && al->in_loss ? LOOK : FAR;
	uint64_t k = 0;
	int64_t have;
	int rc;

	for (;;) {
		have = align_want(al, OTHER, k + GRAM);
		if (have < 0)
			return (int)have;
		if (k >= (uint64_t)have || (s->later_match == SURE && k - s->later_at >= LOOK))
			return 0;
		rc = search_both(al, cause, k, s);
		if (rc)
			return rc;
		rc = search_at(al, TRACE, s, k, (uint64_t)have);
		if (rc > 0)
			align_skip_in_gap(al, OTHER, cause, k);
		if (rc)
			return rc;
		if (++k == far) {
			/* the pieces can differ again and again */
			if (loss || search_is_sure(s))
				return 0;
			align_skip_in_gap(al, OTHER, cause, FAR / 2);
			seq_forget(&al->side[OTHER].q);
			search_moved(s, FAR / 2);
			k -= FAR / 2;
		}
	}
}

/* The piece of the trace is at none of the places: leaves out what the best of those that were found instead says. */
static int search_end(struct align *al, enum align_gap cause, bool loss, const struct search *s)
{
	const uint64_t len = agree_length(al, TRACE, 0, left(al, TRACE));

	if (loss && too_few(s->start_match, len) && too_few(s->later_match, len) && too_few(s->both_match, len)) {
		al->in_loss = true;
	} else if (search_begins(s) && s->both_match <= CLEARLY * s->start_match) {
		align_skip_in_gap(al, OTHER, cause, s->start);
	} else if (s->both_match) {
		leave_out_both(al, s->both_trace, s->both_other, cause, s->both);
	} else if (!s->later_match) {
		return align_leave_piece(al);
	} else if (cause == GAP_BEGIN && !s->later_at) {
		/* the trace may begin before the other side does */
		align_skip_in_gap(al, TRACE, GAP_BEGIN, s->later);
		align_begin_piece(al, TRACE, GAP_BEGIN);
	} else {
		return align_leave_out(al, s->later, s->later_at);
	}
	return 0;
}

/*
 * Behind a gap of the trace: leaves out what the other side executed in it. If the piece behind the gap is found nowhere, but
 * a later one is, instructions are left out on both sides.
 */
int gap_of_trace(struct align *al, enum align_gap cause)
{
	const bool moved = al->side[TRACE].gap_moved;
	struct search s = { .next = 0 };
	int64_t have = align_want(al, OTHER, GRAM);
	uint64_t most, foreign;
	bool loss;
	int rc;

	align_begin_piece(al, TRACE, cause);
	if (have <= 0)
		return (int)have;
	loss = can_be_in_loss(al, cause);
	if (same_gaps(al)) {
		leave_out_both(al, 0, 0, cause, cause);
		return 0;
	}
	rc = agree_pieces(al, 0, 0, ENOUGH, &most);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = moved ? 0 : follow_gap(al, cause, &foreign);
	if (rc > 0)
		align_skip_in_gap(al, OTHER, cause, foreign);
	if (rc)
		return rc < 0 ? rc : 0;
	fill_next(al, TRACE);
	rc = search_other(al, cause, loss, &s);
	if (rc)
		return rc < 0 ? rc : 0;
	return search_end(al, cause, loss, &s);
}

/* Behind a gap of the other side: leaves out what the trace has there. */
int gap_of_other(struct align *al, enum align_gap cause)
{
	const uint64_t n = left(al, TRACE);
	struct search s = { .next = 0 };
	uint64_t k, most;
	int64_t have;
	int rc = agree_pieces(al, 0, 0, ENOUGH, &most);

	if (rc < 0)
		return rc;
	if (rc) {
		align_begin_piece(al, OTHER, cause);
		return 0;
	}
	have = align_want(al, OTHER, LOOK);
	if (have < 0)
		return (int)have;
	fill_next(al, OTHER);
	for (k = 0; k < n; k++) {
		rc = search_at(al, OTHER, &s, k, n);
		if (rc < 0)
			return rc;
		if (rc) {
			align_skip_in_gap(al, TRACE, cause, k);
			align_begin_piece(al, OTHER, cause);
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
		align_skip_in_gap(al, TRACE, cause, s.start);
		align_begin_piece(al, OTHER, cause);
		return 0;
	}
	if (s.later_match) {
		align_begin_piece(al, OTHER, cause);
		return align_leave_out(al, s.later_at, s.later);
	}
	/* the gap was not longer: what the sides executed behind it differs */
	if (al->side[OTHER].gap_moved && al->side[TRACE].ended && k == n)
		return align_leave_out(al, k, 0);
	align_skip_in_gap(al, TRACE, cause, k);
	return 0;
}

