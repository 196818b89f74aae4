/* SPDX-License-Identifier: GPL-2.0-only */
/* count_losses.h - counts the losses of a stream by CPU, process and file. */
#ifndef CSTRACE_SESSION_DECODE_COUNT_LOSSES_H
#define CSTRACE_SESSION_DECODE_COUNT_LOSSES_H

#include <cstrace/flow.h>

#include "session/losses/losses.h"

struct stream_state;

/* An open loss of a stream, which ends with the next range. */
struct loss_gap {
	uint64_t from;
	int pid;
	char comm[LOSS_COMM];
	struct dso *dso;	/* file whose code is missing */
	uint8_t cause;
	bool open;
};

/* Begins an AUX fragment. */
void count_losses_begin(struct stream_state *st);
/* At the end of an AUX window: counts it if no decoder found a synchronisation in it. */
void count_losses_window(struct stream_state *st);
/* Drops the losses since the last batch: they are counted elsewhere. */
void count_losses_drop(struct stream_state *st);
/* Counts the losses of a batch; fast if there are none. To be called before the stream's context changes. */
void count_losses_batch(struct stream_state *st, const struct cst_generic *g, size_t n);
/* True if the decoder had losses since the last batch, which the next one counts. */
bool count_losses_open(const struct stream_state *st);
/* Ends the AUX fragment or the stream. */
void count_losses_end(struct stream_state *st);

#endif
