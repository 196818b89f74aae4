/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * buffers.h - the trace of a pipe that is in no piece yet: of each AUX buffer the chunks, which
 * stay in the pipe's temporary file, and the AUX records, by which a piece ends where a fragment
 * ends.
 */
#ifndef CSTRACE_SESSION_PIECES_BUFFERS_H
#define CSTRACE_SESSION_PIECES_BUFFERS_H

#include "session/pieces/kept.h"

/* Trace in the temporary file. */
struct piece_chunk {
	struct perf_record_auxtrace head;	/* size and offset: of the rest of it */
	uint64_t at;	/* offset in the pipe */
	bool rest;	/* padding, unless the next chunk shows that it is trace */
};

/* An AUX buffer. */
struct piece_buffer {
	uint32_t idx;
	int cpu, tid;
	struct piece_chunk *chunks;	/* in the order of the pipe */
	size_t nr, cap;
	struct kept *before;	/* its last AUX record that is in a piece; NULL: none is */
	bool ended;	/* its thread has ended */
	/* of buffers_ready() */
	bool awaited;	/* AUX records of it wait */
	bool lacks;	/* trace of the last AUX records has not come */
	size_t chosen;	/* AUX records, of all by time, up to its last one for the piece */
	size_t whole;	/* chunks for the piece, and of the one after them ... */
	uint64_t part;	/* ... this many bytes */
};

struct piece_aux {
	struct kept *record;
	struct piece_buffer *of;	/* NULL: no trace of it has come */
	uint64_t offset, size, flags;
	int cpu, tid;
	bool ready;
};

struct piece_buffers {
	struct piece_buffer **v;
	size_t nr, cap;
	struct intmap by_owner;
	struct piece_aux *aux;	/* in the order of the pipe */
	size_t nr_aux, cap_aux;
	bool ambiguous;	/* a CPU or a thread has several buffers: AUX records do not say which */
	uint64_t old;	/* bytes of the last choice without a record */
	uint64_t reach;	/* AUX records whose trace may be older than switches that were dropped */
};

void buffers_add_chunk(struct piece_buffers *bs, const struct pd_record *rec);
/* `k` is what is kept of the record. */
void buffers_add_aux(struct piece_buffers *bs, const struct pd_record *rec, struct kept *k);
/* A thread has ended: its buffer gets no more trace once that is in a piece. */
void buffers_end_thread(struct piece_buffers *bs, int tid);

/*
 * Chooses the AUX records up to a time whose trace has come, and that trace; NO_TIME: all there is.
 * Trace of before the offset `old` of the pipe is chosen where no record waits, as unclaimed.
 * Returns the bytes of trace, and the greatest time of these AUX records in *last (0: none).
 */
uint64_t buffers_ready(struct piece_buffers *bs, uint64_t until, uint64_t old, uint64_t *last);
/*
 * Passes what was chosen, in the order of the pipe: `size` bytes from the offset `at` of the pipe
 * on, behind their header.
 */
void buffers_pass(const struct piece_buffers *bs,
		  void (*pass)(void *data, const struct perf_record_auxtrace *head, uint64_t at,
			       uint64_t size),
		  void *data);
/* Removes what was chosen, and turns the AUX records into PD_RECORD_CST_AUX_BEFORE. */
void buffers_take(struct piece_buffers *bs, struct kept_list *l);

/* The first offset of the pipe that is needed; `end`: none before it is. */
uint64_t buffers_lowest(const struct piece_buffers *bs, uint64_t end);
/* Trace of a CPU that comes is not older; for kept_drop(). */
uint64_t buffers_since(const void *bs, int cpu);
/* The same of all CPUs that have a buffer. */
uint64_t buffers_floor(const struct piece_buffers *bs);
void buffers_free(struct piece_buffers *bs);

#endif
