/* SPDX-License-Identifier: GPL-2.0-only */
/* count_losses.h - counts what a stream loses, by the CPU, process and file that it is lost of. */
#ifndef CSTRACE_DECODE_COUNT_LOSSES_H
#define CSTRACE_DECODE_COUNT_LOSSES_H

#include <cstrace/flow.h>

#include "losses/losses.h"

struct stream_state;

/* An open loss of a stream: from `from` on nothing is known, until the next range. */
struct loss_gap {
	uint64_t from;
	uint64_t unsynced;	/* statistics at that point */
	int pid;
	char comm[LOSS_COMM];
	struct dso *dso;	/* whose code is missing */
	uint8_t cause;
	bool open;
};

/* An AUX fragment begins. */
void count_losses_begin(struct stream_state *st);
/* A batch came out of a stream: cheap when it lost nothing. Before the stream's context moves on. */
void count_losses_batch(struct stream_state *st, const struct cst_generic *g, size_t n);
/* The AUX fragment is over, or the stream is. */
void count_losses_end(struct stream_state *st);

#endif
