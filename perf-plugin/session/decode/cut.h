/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cut.h - decodes a cut of an AUX fragment, so that several threads can decode one fragment. For a
 * cut that begins inside the fragment the decoder first decodes bytes before it, the lead, from an
 * alignment synchronisation on, and drops their results. Its state is right if it is the state at
 * the end of the cut before (Arm ARM K10.5.2.1 "Retained state"): the caller compares the digests
 * of both.
 */
#ifndef CSTRACE_SESSION_DECODE_CUT_H
#define CSTRACE_SESSION_DECODE_CUT_H

#include "session/decode/run.h"

/*
 * Cuts are at multiples of this trace offset: there a tree ends a batch of its frames anyway
 * (lib/decoder/tree/tree.c).
 */
#define CUT_STEP 0x4000u

/*
 * Bytes of a lead: Linux makes trace units synchronise every 4 KB. Without a synchronisation in
 * them: CUT_LEAD_MAX.
 */
#define CUT_LEAD 0x4000u
#define CUT_LEAD_MAX (8 * CUT_LEAD)

/* Minimum size of a cut. */
#define CUT_MIN (4 * CUT_LEAD)

struct cut {
	uint64_t from, to;	/* trace offsets: multiples of CUT_STEP, or the begin or the end of the fragment. to 0: not a cut */
	uint64_t begin, end;	/* digests of the state at `from` and `to`; 0: no cut is there, or none that is valid */
};

/*
 * True if the fragment, whose bytes are at f->pub.data, can be decoded in cuts: it has one stream,
 * which traces all its state again every few KB. May look for trace IDs in the buffer.
 */
bool cut_possible(struct session *ss, struct queue *q, const struct fragment *f);

/*
 * Decodes the cut `c` of fragment number `i`, and sets its digests. `con` is the consumer of the
 * whole run, of which r->con is one for this cut or thread. `whole`: the lead is the fragment up to
 * the cut, so that the state needs no comparison. SESSION_UNFIT: the lead has no synchronisation.
 */
int run_cut(struct run *r, struct queue *q, size_t i, struct cut *c, const struct consumer *con, bool whole);

#endif
