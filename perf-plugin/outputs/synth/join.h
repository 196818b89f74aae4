/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * join.h - adds branch stacks and call chains to existing samples: takes the pieces of history
 * (history.h) and the samples in order of time.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_JOIN_H
#define CSTRACE_OUTPUTS_SYNTH_JOIN_H

#include <stdbool.h>

#include "outputs/synth/history.h"

/*
 * Type of the record that precedes a sample to which fields are to be added; only lanes have
 * such records.
 */
#define JOIN_RECORD	0xfff1u

struct join_mark {
	struct perf_event_header header;
	uint64_t thread;	/* as in history_piece; JOIN_NO_THREAD: no history */
	uint64_t ip;		/* 0: the sample has none */
	/* where in the sample the fields are to be; 0: the event has the field itself */
	uint32_t chain_at, stack_at;
};

#define JOIN_NO_THREAD	0u

struct join_opts {
	unsigned int stack, chain;	/* maximum numbers of entries; 0: not to be added */
	bool hw_index;			/* the index field of branch stacks */
};

struct join_counts {
	uint64_t samples;
	/* samples with a stack added: all, with as many branches as asked for, with none */
	uint64_t stacks, full, empty;
	uint64_t cut;			/* samples whose records have no room for all branches */
	/* samples with a chain added: all, with at least one caller */
	uint64_t chains, callers;
};

/* Largest growth of a sample without history. */
#define JOIN_EMPTY	24u

struct join;

struct join *join_new(const struct join_opts *o);
void join_free(struct join *j);
void join_piece(struct join *j, const struct history_piece *p);
/*
 * Writes the sample with the added fields to `dst`, which has room for 65536 bytes. Returns its
 * size.
 */
size_t join_sample(struct join *j, const struct join_mark *mark, const void *sample, void *dst);
const struct join_counts *join_counts(const struct join *j);

#endif
