/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_HISTORY_BUILD_H
#define TESTS_HISTORY_BUILD_H

/* A history of threads and maps from a list of events; for cmocka tests. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "machine/tasks/threads.h"

/* Events in memory as a source of them. */
struct list_source {
	struct side_source src;
	struct side_event *e;
	size_t nr, cap, pos;
};

struct history {
	struct side_order side;
	struct threads ts;
	struct list_source list;
	uint64_t seq;
};

static inline bool list_next(struct side_source *src, struct side_event *e)
{
	struct list_source *ls = (struct list_source *)src;

	if (ls->pos == ls->nr)
		return false;
	*e = ls->e[ls->pos++];
	return true;
}

static inline void list_rewind(struct side_source *src)
{
	((struct list_source *)src)->pos = 0;
}

static inline void list_free(struct side_source *src)
{
	free(((struct list_source *)src)->e);
}

static inline void start(struct history *h)
{
	memset(h, 0, sizeof(*h));
	h->list.src = (struct side_source){ .next = list_next, .rewind = list_rewind,
					    .free = list_free };
	side_order_init(&h->side);
	threads_init(&h->ts, &h->side);
}

/* In file order; times may be out of it. */
static inline void add(struct history *h, struct side_event e)
{
	struct side_event *slot = ARRAY_ADD(h->list.e, h->list.nr, h->list.cap);

	assert_non_null(slot);
	e.seq = h->seq++;
	*slot = e;
}

/* The first pass over the list. */
static inline void note_all(struct history *h)
{
	struct side_reader *r = side_order_add(&h->side, &h->list.src);
	size_t i;

	assert_non_null(r);
	for (i = 0; i < h->list.nr; i++) {
		side_order_note(&h->side, r, &h->list.e[i]);
		threads_note(&h->ts, &h->list.e[i]);
	}
}

static inline void begin(struct history *h)
{
	side_order_finish(&h->side);
	threads_begin(&h->ts);
}

static inline void finish(struct history *h)
{
	note_all(h);
	begin(h);
}

static inline void end(struct history *h)
{
	threads_free(&h->ts);
	side_order_free(&h->side);
}

static inline struct side_event map_event(uint64_t time, int pid, uint64_t start, struct dso *d)
{
	struct side_event e = { .time = time, .pid = pid, .tid = pid, .kind = SIDE_MAP,
				.map = { start, start + 0x1000, 0, d } };

	return e;
}

static inline struct side_event fork_event(uint64_t time, int ppid, int pid, int tid)
{
	struct side_event e = { .time = time, .pid = pid, .tid = tid, .kind = SIDE_FORK,
				.fork = { ppid, ppid } };

	return e;
}

static inline struct side_event comm_event(uint64_t time, int pid, const char *comm, bool exec)
{
	struct side_event e = { .time = time, .pid = pid, .tid = pid,
				.kind = exec ? SIDE_EXEC : SIDE_COMM, .comm = comm };

	return e;
}

static inline struct side_event exit_event(uint64_t time, int pid, int tid)
{
	struct side_event e = { .time = time, .pid = pid, .tid = tid, .kind = SIDE_EXIT };

	return e;
}

#endif
