/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - branches and calls before existing samples (--itrace letters L and G), out of the
 * trace of one stream.
 *
 * A thread's history is in all streams that it ran in, and streams are decoded one after the other
 * or at once. So each stream writes the history of a thread in pieces, up to each of the thread's
 * samples and up to where another thread runs, with the time of that, into a lane (merge.h). Where
 * the lanes come together in order of time, join.h makes the history of each thread of its pieces
 * and adds it to the samples. A piece has at most what the samples after it can show.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_HISTORY_H
#define CSTRACE_OUTPUTS_SYNTH_HISTORY_H

#include <linux/perf_event.h>

#include "outputs/synth/merge.h"
#include "outputs/synth/ring.h"
#include "session/decode/branch.h"
#include "session/decode/stream.h"

/*
 * Branches after a sample was taken and before it was written, by the kernel: perf measured 200
 * (its intel-pt decoder), and has room for as many as this.
 */
#define HISTORY_LATE	1024u
/* maximum number of calls in a piece */
#define HISTORY_CALLS	1024u

/* Type of a piece; only lanes have such records. */
#define HISTORY_RECORD	0xfff0u

/* Bits of header.misc. */
enum {
	/* begins a traced stretch: what the thread executed before is unknown, see `begin` */
	HISTORY_STRETCH = 1 << 0,
	/* trace was lost at the end: there is no history after it */
	HISTORY_LOST = 1 << 1,
};

/* A piece, followed by branches, newest first, and calls, oldest first. */
struct history_piece {
	struct perf_event_header header;
	uint64_t thread;	/* history_thread() or history_window() */
	uint64_t begin;		/* of a stretch: its address; 0: trace was lost before it */
	uint64_t resume;	/* return address of an exception that ends the stretch; 0: none */
	uint64_t at;		/* last instruction executed; 0: unknown */
	uint32_t nr_branches, nr_calls;
};

/*
 * Calls are the addresses to which they return; this bit marks a return to the address, whose
 * call is in none of them.
 */
#define HISTORY_RETURN	1ull

/* Names a thread. Each CPU has an idle thread, whose number is 0. */
static inline uint64_t history_thread(int tid, int cpu)
{
	return tid ? (uint32_t)tid : 1ull << 32 | (uint32_t)cpu;
}

/*
 * Names a sample with an AUX window (PERF_SAMPLE_AUX), whose history is in that, by
 * pd_record.seq.
 */
static inline uint64_t history_window(uint64_t record)
{
	return 1ull << 63 | record;
}

/*
 * Returns the number of the newest entries that were executed after a sample at `ip` was taken, as
 * perf does. A sample of user code follows a branch to user code. One of the kernel was in the
 * block up to the branch after an entry, `at` being the last instruction of the newest block, or
 * in user code.
 */
uint32_t history_late(const struct ring *r, uint64_t ip, uint64_t at);

/*
 * The samples that are to get their history. Shared by all threads once history_sort() was
 * called.
 */
struct history;

/* `stack`: branches per sample, 0: none. */
struct history *history_new(unsigned int stack, bool calls, branch_read_fn read);
void history_free(struct history *h);
void history_add(struct history *h, uint64_t thread, uint64_t time, uint64_t ip);
void history_sort(struct history *h);

/* The history in one stream. */
struct history_stream;

struct history_stream *history_stream_new(const struct history *h, struct merge_lane *lane);
void history_stream_free(struct history_stream *t);
struct merge_lane *history_lane(const struct history_stream *t);

/* Takes a batch with times, of whatever thread. */
void history_batch(struct history_stream *t, const struct stream *s, const struct cst_generic *g,
		   size_t n);
/* Takes the end of an AUX fragment; the next one begins with nothing from this one. */
void history_fragment_end(struct history_stream *t, const struct stream *s);
/*
 * The same for a fragment that is the AUX window of a sample: what the thread that ran last
 * executed in it is the history of that sample alone. `record`: pd_record.seq of the sample;
 * `time`: by which the lanes are merged.
 */
void history_window_end(struct history_stream *t, const struct stream *s, uint64_t record,
			uint64_t time);

#endif
