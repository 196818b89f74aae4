/* SPDX-License-Identifier: GPL-2.0-only */
/* align_int.h - inside compare: the state of an alignment, and what its parts take from each other. */
#ifndef CSTRACE_OUTPUTS_COMPARE_ALIGN_INT_H
#define CSTRACE_OUTPUTS_COMPARE_ALIGN_INT_H

#include "outputs/compare/align.h"
#include "outputs/compare/seq.h"

/*
 * Thresholds. Each was measured with 40 gap-rich loops of tests/cli/compare_loops.py and 5 wrong lines in each, 100 random programs
 * whose traces have gaps, 97 of them without a difference, and the 24 cases of unit/perf-plugin/outputs/compare/test_compare and unit/perf-plugin/outputs/compare/test_places; the numbers are
 * what fails at other values. At these none does.
 */

/* Instructions that must match where two sequences are aligned again. 8: 4 cases; 32: 5; 64: 9. */
#define GRAM 16u

/*
 * Instructions that are looked at: of each side in a difference; of the other side behind a gap, before what
 * was left behind so far counts as missing; behind, which must match too where a gap turns out to be longer. LOOK of 1,024: 7 cases.
 */
#define LOOK (1u << 16)
#define FAR (1u << 20)
#define BEHIND (1u << 16)

/*
 * A difference of at most EDIT instructions, behind which ENOUGH match, is accepted without looking for a longer gap. 64: a case, and
 * differences in 6 of the 100 programs; 256: in one; 4096 is no better, and looks at four times as much.
 */
#define EDIT 2u
#define ENOUGH 1024u

/* Instructions that match at the right place of a piece and, in a long gap, at no wrong one: loops repeat many thousands. */
#define SURE (LOOK / 2)

/*
 * Instructions that match at a place that may be the right one, though the piece is longer. A 16th and four times of it do
 * the same in all that was measured: it bounds the search in long pieces that differ again and again.
 */
#define PLAUSIBLE (SURE / 4)

/* One number of matching instructions is clearly greater than another one. 1: 2 cases; 2: one; 16: one. */
#define CLEARLY 4u

/* An edit behind which the sequences continue together leaves out no more instructions. 2 and 1,024 do the same. */
#define FOLLOW_EDIT 64u

/* Sequences continue together but for one edit in SPARSE instructions. 8 and 16 do the same. */
#define SPARSE 64u

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
	uint64_t tight;		/* instructions that have matched since the last gap that was not tight (follow.c) */
	struct grams grams;
	struct align_counts counts;
};

/* The instruction `n` behind the next one of a side, which has to be there. */
static inline const struct align_insn *at(const struct align *al, unsigned int side, uint64_t n)
{
	return seq_at(&al->side[side].q, al->side[side].q.next + n);
}

static inline uint64_t left(const struct align *al, unsigned int side)
{
	return al->side[side].q.end - al->side[side].q.next;
}

/*
 * Up to `n` instructions of a side from the next one on: the other side is read, the trace has what was put in. Returns how
 * many there are, or negative.
 */
int64_t align_want(struct align *al, unsigned int side, uint64_t n);

/* Leaves out instructions on both sides, which is a difference. 0, or what the callback returned. */
int align_leave_out(struct align *al, uint64_t only_trace, uint64_t only_other);
/* Leaves out the next instructions of a side, which are in a gap of the other one; they end the side's own piece. */
void align_skip_in_gap(struct align *al, unsigned int side, enum align_gap cause, uint64_t n);
/* The next instruction of a side is the first one of a piece behind a gap. */
void align_begin_piece(struct align *al, unsigned int side, enum align_gap cause);
/* Nothing matches any more: leaves out the trace up to its next gap. */
int align_leave_piece(struct align *al);

/*
 * agree.c: how many instructions match from a place on. `i` and `j` are instructions of the trace and of the other side behind
 * the next ones.
 */

/* Instructions of a side, from the one `from` behind the next one on, up to its next gap; no more than `most`. */
uint64_t agree_length(const struct align *al, unsigned int side, uint64_t from, uint64_t most);
/* True if `n` instructions match, beginning x and y instructions behind the next ones; x and y may be negative. */
bool agree_run(const struct align *al, unsigned int side, int64_t x, int64_t y, uint64_t n);
/* How many instructions match, from i and j on, up to the next gap of the trace; at most ENOUGH. Or negative. */
int64_t agree(struct align *al, uint64_t i, uint64_t j);
/*
 * 1 if the pieces match, but for one edit in `every` instructions, from i and j on, up to the end of one of them or for SURE
 * instructions; *most: number of matching instructions.
 */
int agree_pieces(struct align *al, uint64_t i, uint64_t j, uint64_t every, uint64_t *most);
/* agree_pieces() with an edit in ENOUGH, from instruction `own` of a side and instruction k of the opposite one. */
int agree_side(struct align *al, unsigned int side, uint64_t own, uint64_t k, uint64_t *most);

/* Edits of at most EDIT instructions, in the order in which they are tried: instructions of the trace, and of the other side. */
#define AGREE_EDITS 5u
extern const uint8_t agree_edits[AGREE_EDITS][2];

/*
 * follow.c: how two sequences continue together over gaps. A gap is tight if nothing is missing in it that the side with the gap
 * shows anywhere else.
 */

/* True if instructions that the trace shows elsewhere are not lost in such a gap. */
bool follow_sound(enum align_gap cause);
/* True if the side shows the instruction's address, as far as it was read or put in. */
static inline bool align_shows(const struct align *al, unsigned int side, const struct align_insn *insn)
{
	return seq_shows(&al->side[side].q, insn->addr);
}
/*
 * Behind a gap of the trace: 1 if it is tight, and the sequences continue together behind it but for a few edits; *foreign: what
 * is missing of the other side; 0; negative.
 */
int follow_gap(struct align *al, enum align_gap cause, uint64_t *foreign);
/* 1 if the sequences continue together behind an edit that leaves out i and j instructions, but for a few more; 0; negative. */
int follow_edit(struct align *al, uint64_t i, uint64_t j);

/* gaps.c: what is behind a gap. */
int gap_of_trace(struct align *al, enum align_gap cause);
int gap_of_other(struct align *al, enum align_gap cause);

/* mismatch.c: the next instructions do not match, and there is no gap. */
int mismatch(struct align *al);

#endif
