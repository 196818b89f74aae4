/* SPDX-License-Identifier: GPL-2.0-only */
/* contexts.h - calls in their contexts (calls/calls.h), for the files of a session. Places are by dso.number. */
#ifndef CSTRACE_COUNTING_COUNTS_CONTEXTS_H
#define CSTRACE_COUNTING_COUNTS_CONTEXTS_H

#include "counting/calls/calls.h"
#include "session/decode/decode.h"

struct contexts;

/* `depth`: nodes below it are added up; 0: default. */
struct contexts *contexts_new(struct session *ss, uint32_t depth);
/* The same for a shard of the trace that `ss`, a replica, decodes. */
struct contexts *contexts_shard(const struct contexts *whole, struct session *ss);
void contexts_free(struct contexts *x);
/* Sets what a consumer with contexts needs: times, and batches that end at timestamps, if there are several streams. */
void contexts_wants(const struct contexts *x, struct wants *w);
/* The stacks and the tree, for calls.h. */
struct calls *contexts_calls(struct contexts *x);
/* Adds a shard. */
void contexts_take(struct contexts *x, struct contexts *shard);

#endif
