/* SPDX-License-Identifier: GPL-2.0-only */
/* stream.h - an instruction stream as the consumer of a batch sees it (decode.h): CPU, thread, times, code. */
#ifndef CSTRACE_SESSION_DECODE_STREAM_H
#define CSTRACE_SESSION_DECODE_STREAM_H

#include <cstrace/cstrace.h>

#include "base/wide.h"
#include "session/filter/filter.h"
#include "session/session.h"

struct guest;
struct threads;
struct version;

#define STREAM_GUEST UINT16_MAX

/* A thread of the host: the one that runs, or the one that runs a guest. */
struct host_thread {
	int pid, tid;		/* -1 unknown */
};

/*
 * One instruction stream: a trace ID in a buffer (queue), with its state in the batch that is delivered. A batch is cut
 * at every PE_CONTEXT, so all its ranges are of the same thread. Its times are final.
 */
struct stream {
	int cpu;		/* -1 unknown, or an STM: there are only messages then (CST_GEN_SWTRACE) */
	int pid, tid;		/* -1 unknown */
	struct host_thread host;	/* the same, except in a guest whose threads are known */
	/* number of the guest whose code it is, STREAM_GUEST: without files; 0: the host's code */
	uint16_t guest;
	uint16_t vm;		/* guest to which pid and tid belong; 0: they are the host's */
	uint64_t time;		/* perf time in ns of the batch's first element; see time_known */
	uint64_t time_end;	/* perf time of its last element; see clocks/pace.h */
	uint32_t n_insn;	/* instructions in the batch, over which time to time_end is distributed */
	/*
	 * The stretch over which times of instructions are distributed: the batch, or what it is a
	 * piece of, with `done` instructions before the piece.
	 */
	struct {
		uint64_t time, length;
		uint32_t n_insn, done;
	} stretch;
	bool time_known;	/* from a trace timestamp; else the AUX record's time */
	/*
	 * Minimum time for samples of this batch: that of the latest map or thread event that is in effect in the
	 * batch's address space. 0: none.
	 */
	uint64_t not_before;
	uint64_t before;	/* time of the next timestamp, the limit for session_time(); 0: not needed */
	struct {
		uint64_t aux_time;	/* perf time of the AUX record; 0 none */
		uint64_t aux_seq;	/* position of the AUX record in the file (pd_record.seq) */
		bool window;	/* an AUX window: all are those of its sample */
		int cpu;	/* that the record names; -1: none */
	} aux;
	uint8_t trace_id;
	unsigned int queue;	/* number of the buffer, from 0, in file order */
	uint64_t place;		/* order of streams at the same time, independent of what else is decoded */
	bool fragment_start;	/* first batch of an AUX fragment of this stream */
	struct {
		/*
		 * A filter excludes this batch: it is not to be shown, except for a branch that is
		 * open before it and ends here, if session_wants() selects that.
		 */
		bool excluded;
		bool lead;	/* the batch is of the lead of an AUX window, and so excluded */
		struct filter *filter;	/* NULL: all batches are selected */
	} selected;
	const struct cst_config *config;
	struct cst_decoder *decoder;
	const struct cst_branch *branches; /* wants.branches: list to which CST_GEN_LISTED refers */
	void **priv;		/* pointer for the consumer's use, initially NULL; valid until consumer.stream_end */
	struct {
		/* for the session's own use */
		struct version *code;	/* address space of the batch, or NULL */
		/*
		 * the thread's address space in the other mode, kernel or user, when it ran there
		 * last; NULL: not known
		 */
		struct version *other;
		bool kernel;		/* the mode of `code` */
		uint64_t moment;	/* moment for threads.h */
		struct guest *guest;	/* files of the guest; NULL: the host, or none are given */
		struct threads *threads;	/* to which pid, tid and `moment` belong */
		struct stream_state *state;
	} own;
};

/*
 * Limits a time inside the batch to the next timestamp: without limits for batches (consumer.step 0), interpolation may
 * exceed it.
 */
static inline uint64_t session_time(const struct stream *s, uint64_t time)
{
	if (!s->before || time < s->before)
		return time;
	return s->before > s->not_before ? s->before : s->not_before;
}

/* The batch is a whole stretch. */
static inline void stream_set_stretch(struct stream *s)
{
	s->stretch.time = s->time;
	s->stretch.length = s->time_end > s->time ? s->time_end - s->time : 0;
	s->stretch.n_insn = s->n_insn;
	s->stretch.done = 0;
}

/*
 * Returns the time of the batch's instruction with this number, from 1 on; 0: the begin. To be
 * limited by session_time().
 */
static inline uint64_t stream_insn_time(const struct stream *s, uint64_t number)
{
	const uint64_t n = s->stretch.done + number;

	if (!s->stretch.n_insn)
		return s->stretch.time;
	if (n >= s->stretch.n_insn)
		return s->stretch.time + s->stretch.length;
	return s->stretch.time + wide_mul_div(s->stretch.length, n, s->stretch.n_insn);
}

/*
 * Returns a number that differs between threads of the host and of guests; the arguments are fields
 * of struct stream.
 */
static inline uint64_t session_thread_key(int tid, bool guest, struct host_thread host)
{
	return (uint32_t)tid | (guest ? ((uint64_t)(uint32_t)host.pid << 32 | 1ull << 63) : 0);
}

/* Converts a trace timestamp of the stream to perf time. Returns false if the time is not known. */
bool session_trace_time(const struct stream *s, uint64_t ticks, uint64_t *time);

/*
 * True if the filter selects this thread of the host at that time, and the batch is not of a lead.
 */
static inline bool session_wants(const struct stream *s, struct host_thread t, uint64_t time)
{
	return !s->selected.lead &&
	       (!s->selected.filter ||
		filter_wants(s->selected.filter, s->cpu, t.pid, t.tid, time));
}

#endif
