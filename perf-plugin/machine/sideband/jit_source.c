/* SPDX-License-Identifier: GPL-2.0-only */
/* jit_source.c - generated code appears in memory: each version of a function is an event of a map. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/images/dso.h"
#include "machine/images/jitdump.h"
#include "machine/sideband/jit_source.h"

struct jit_source {
	struct side_source src;
	struct dso *d;
	struct jitdump_place place;
	size_t pos;
};

static bool next_event(struct side_source *src, struct side_event *e)
{
	struct jit_source *js = (struct jit_source *)src;
	const struct jitdump_place *pl = &js->place;
	const struct jit_event *je;

	if (js->pos == js->d->made.jit->nr_ev)
		return false;
	je = &js->d->made.jit->ev[js->pos++];
	memset(e, 0, sizeof(*e));
	e->kind = SIDE_MAP;
	e->pid = e->tid = pl->pid;
	e->time = pl->time;
	e->seq = pl->seq;
	if (pl->use_times)
		e->time = js->d->made.jit->arch_time ? pl->convert(pl->data, je->time) : je->time;
	e->map.start = je->addr;
	e->map.end = je->addr + je->len;
	e->map.off = je->at;
	e->map.dso = js->d;
	return true;
}

static void rewind_events(struct side_source *src)
{
	((struct jit_source *)src)->pos = 0;
}

static void free_source(struct side_source *src)
{
	free(src);
}

struct side_source *jitdump_source(struct dso *d, const struct jitdump_place *place)
{
	struct jit_source *js = mem_zeroed(1, sizeof(*js));

	js->src = (struct side_source){ next_event, rewind_events, free_source };
	js->d = d;
	js->place = *place;
	return &js->src;
}
