/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backlog.h - batches that a shard of the trace keeps while the state at its begin is not known:
 * which of its instructions are samples depends on those before. Ranges are kept in few bytes,
 * without what samples of instructions do not use. A backlog belongs to one thread.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_BACKLOG_H
#define CSTRACE_OUTPUTS_SYNTH_BACKLOG_H

#include "session/decode/stream.h"

/* Memory for the backlogs of several threads, which is used again. */
struct backlog_room;

struct backlog_room *backlog_room_new(void);
/* After its backlogs. */
void backlog_room_free(struct backlog_room *room);

struct backlog;

struct backlog *backlog_new(struct backlog_room *room);
void backlog_free(struct backlog *b);
/* Keeps a batch. Returns false if the backlog is full. */
bool backlog_keep(struct backlog *b, const struct stream *s, const struct cst_generic *g, size_t n);

struct backlog_use {
	/*
	 * Before a batch: returns the number of instructions up to its first sample, at least 1;
	 * further(): from the last one found up to the next.
	 */
	uint64_t (*next)(void *data, const struct stream *s);
	uint64_t (*further)(void *data);
	/*
	 * As consumer.batch; ranges between those with samples and before the last one of a
	 * sequence are CST_GEN_SKIPPED.
	 */
	int (*batch)(void *data, const struct stream *s, const struct cst_generic *g, size_t n);
	void *data;
};

/* Passes all batches on, in their order, and frees them. Returns 0, or the value of batch(). */
int backlog_replay(struct backlog *b, const struct backlog_use *use);

#endif
