/* SPDX-License-Identifier: GPL-2.0-only */
/* contexts.c - call stacks of a session's streams, also in shards. */
#include "counting/counts/contexts.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "counting/calls/places.h"
#include "machine/images/dso.h"
#include "machine/images/dso_table.h"
#include "session/parts.h"

struct contexts {
	struct session *ss;
	unsigned int streams;
	struct calls_places *places;
	struct calls_code code;
	struct calls *calls;
};

static uint32_t number_of(void *data, struct dso *dso)
{
	(void)data;
	return dso->number;
}

static struct dso *file_of(void *data, uint32_t number)
{
	struct contexts *x = data;

	return session_dsos(x->ss)->all[number];
}

/* Files have the same numbers in a replica. */
static uint32_t same_number(void *data, uint32_t number)
{
	(void)data;
	return number;
}

static struct contexts *new_contexts(struct session *ss)
{
	struct contexts *x = mem_zeroed(1, sizeof(*x));

	x->ss = ss;
	x->streams = session_max_streams(ss);
	x->places = calls_places_new(ss, number_of, file_of, x);
	x->code = calls_places_code(x->places);
	return x;
}

struct contexts *contexts_new(struct session *ss, uint32_t depth)
{
	const struct calls_limits limits = { .depth = depth };
	struct contexts *x = new_contexts(ss);

	x->calls = calls_new(&limits, &x->code, x->streams);
	return x;
}

struct contexts *contexts_shard(const struct contexts *whole, struct session *ss)
{
	struct contexts *x = new_contexts(ss);

	x->calls = calls_shard_new(whole->calls, &x->code);
	return x;
}

void contexts_free(struct contexts *x)
{
	if (!x)
		return;
	calls_free(x->calls);
	calls_places_free(x->places);
	free(x);
}

void contexts_wants(const struct contexts *x, struct wants *w)
{
	w->times = x->streams > 1;
	w->stop = x->streams > 1 ? CST_STOP_TIMESTAMP : 0;
}

struct calls *contexts_calls(struct contexts *x)
{
	return x->calls;
}

void contexts_take(struct contexts *x, struct contexts *shard)
{
	calls_shard_take(x->calls, shard->calls, same_number, NULL);
}
