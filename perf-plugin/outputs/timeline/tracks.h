/* SPDX-License-Identifier: GPL-2.0-only */
/* tracks.h - threads that ran on each CPU, interruptions of the trace, and its messages, in time. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_TRACKS_H
#define CSTRACE_OUTPUTS_TIMELINE_TRACKS_H

#include <cstrace/flow.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"
#include "session/decode/stream.h"

/* A thread that was seen. */
struct track_thread {
	uint64_t key;		/* calls_slice.thread */
	int pid, tid;		/* -1: unknown; of a guest's thread the host's if `vm` is 0 */
	int machine;		/* the process that runs the guest of which it is; -1: the host's */
	uint16_t vm;		/* number of the guest that has its name; 0: the host has it */
	uint32_t guest;		/* after tracks_sort(): `machine` as a number from 1 on, or 0 */
	int cpu;		/* the last one */
	uint64_t time;		/* when it was seen first */
};

enum track_kind {
	TRACK_RUN,		/* a thread ran */
	TRACK_LOSS,		/* trace was lost, or could not be decoded */
	TRACK_NO_CODE,		/* code without an image was executed */
	TRACK_MESSAGE,		/* software wrote a value, or a hardware event: a moment */
};

/* Something on the track of a CPU. Times are ns or, without timestamps, instructions of the stream. */
struct track_span {
	uint64_t begin, end;
	uint64_t key;		/* TRACK_RUN: the thread; TRACK_MESSAGE of an STM: master and channel, or TRACK_NO_SENDER */
	uint64_t value;		/* TRACK_LOSS: enum track_loss; TRACK_NO_CODE: the address; TRACK_MESSAGE: the value */
	uint64_t order;		/* number of the span: the order of those with equal times */
	int cpu;		/* -1: an STM */
	uint8_t kind;		/* enum track_kind */
	uint8_t what;		/* TRACK_MESSAGE: enum cst_generic_kind */
	uint8_t flags;		/* TRACK_MESSAGE of an STM: enum cst_sw_flags */
};

/* Sender of an STM's message. */
#define TRACK_SENDER(master, channel)	((uint64_t)(master) << 16 | (channel))
#define TRACK_MASTER(key)		((key) >> 16)
#define TRACK_CHANNEL(key)		((key) & 0xffff)
#define TRACK_NO_SENDER			UINT64_MAX

enum track_loss {
	TRACK_LOST_OVERFLOW,		/* of the trace unit's FIFO */
	TRACK_LOST_DISCARD,		/* the trace unit discarded trace */
	TRACK_LOST_PACKET,		/* bytes that are no packets */
	TRACK_LOST_IMAGE,		/* code that contradicts the trace */
	TRACK_LOST_ADDRESS,		/* an address that the trace does not have */
};

struct tracks {
	struct track_thread *threads; /* sorted by key after tracks_sort() */
	struct slots by_key;
	size_t nr_threads, cap_threads;
	struct track_span *spans;
	size_t nr_spans, cap_spans, max;
	uint64_t order;		/* of the next span */
	uint64_t min;		/* shorter ones are left out, except messages */
	uint64_t left_out;
	size_t nr_messages;	/* of `spans`: at most `max` */
	uint64_t messages_left_out, messages_untimed;
	bool by_insns;
};

/* State of a stream: one for each, all zero at first but `key`, UINT64_MAX. */
struct track_stream {
	uint64_t key, begin, last; /* the thread that runs since `begin`, up to `last` */
	uint64_t insns;
	uint64_t lost_since;
	uint8_t loss;		/* enum track_loss */
	bool lost;
	bool stamped;		/* STM: a message had a timestamp, the time `last` */
	bool missing;		/* likewise for code without an image, at `addr` */
	uint64_t missing_since, addr;
};

/* Takes a batch. */
void tracks_batch(struct tracks *t, struct track_stream *ts, const struct stream *s,
		  const struct cst_generic *g, size_t n);
void tracks_stream_end(struct tracks *t, struct track_stream *ts, const struct stream *s);
/* Sorts the threads, and the spans by kind, CPU and begin; those of a kind and CPU do not overlap any more. */
void tracks_sort(struct tracks *t);
/* After tracks_sort(): true if thread `i` is the first one of a guest. */
static inline bool begins_guest(const struct tracks *t, size_t i)
{
	return t->threads[i].guest && (!i || t->threads[i - 1].guest != t->threads[i].guest);
}

const struct track_thread *tracks_thread(const struct tracks *t, uint64_t key);

/* What each thread ran on, by time. */
struct track_runs {
	const struct track_span **v;	/* TRACK_RUN, by thread and begin */
	size_t nr;
};

/*
 * After tracks_sort(). Without timestamps there is none: times of a thread and of a CPU have
 * nothing in common.
 */
void track_runs_init(struct track_runs *r, const struct tracks *t);
void track_runs_free(struct track_runs *r);
/* The CPU on which a thread ran; -1: not known. */
int track_runs_cpu(const struct track_runs *r, uint64_t key, uint64_t time);

const char *track_loss_text(uint64_t loss);
void tracks_free(struct tracks *t);

#endif
