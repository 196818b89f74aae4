/* SPDX-License-Identifier: GPL-2.0-only */
/* jit_source.c - generated code appears in memory: each version of a function is an event of a map. */
#include "base/alloc.h"
#include "machine/images/dso.h"
#include "machine/images/jitdump.h"
#include "machine/sideband/jit_source.h"

struct jit_source {
	struct side_source src;
	struct dso *d;
	struct jitdump_place place;
};

static bool next_event(struct side_source *src, struct side_event *e)
{
	struct jit_source *js = (struct jit_source *)src;
	const struct jitdump_place *pl = &js->place;
	const struct jit_event *je;

	if (src->pos == js->d->made.jit->nr_ev)
		return false;
	je = &js->d->made.jit->ev[src->pos++];
	*e = (struct side_event){
		.kind = SIDE_MAP, .pid = pl->pid, .tid = pl->pid, .time = pl->time, .seq = pl->seq,
		.map = { .start = je->addr, .end = je->addr + je->len, .off = je->at,
			 .dso = js->d },
	};
	if (pl->use_times)
		e->time = js->d->made.jit->arch_time ? pl->convert(pl->data, je->time) : je->time;
	return true;
}

struct side_source *jitdump_source(struct dso *d, const struct jitdump_place *place)
{
	struct jit_source *js = mem_zeroed(1, sizeof(*js));

	js->src.next = next_event;
	js->d = d;
	js->place = *place;
	return &js->src;
}
