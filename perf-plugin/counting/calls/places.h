/* SPDX-License-Identifier: GPL-2.0-only */
/* places.h - places and functions of a session's code, for calls.h. */
#ifndef CSTRACE_COUNTING_CALLS_PLACES_H
#define CSTRACE_COUNTING_CALLS_PLACES_H

#include "counting/calls/calls.h"

struct dso;
struct session;
struct calls_places;

/*
 * `number` gives the caller's number of a file, the same at each call, or CST_COUNT_NO_BINARY; `file` gives the file of a
 * number, also of one that calls_shard_take() converted. calls_places_code() gives what
 * calls_new() takes; the places must be freed after the calls.
 */
struct calls_places *calls_places_new(struct session *ss, uint32_t (*number)(void *data, struct dso *dso),
				      struct dso *(*file)(void *data, uint32_t number), void *data);
void calls_places_free(struct calls_places *p);
struct calls_code calls_places_code(struct calls_places *p);

#endif
