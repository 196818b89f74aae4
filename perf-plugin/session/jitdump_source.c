/* SPDX-License-Identifier: GPL-2.0-only */
/* jitdump_source.c - generated code as a dso, and its appearance in memory as side events. */
#include <stdlib.h>
#include <string.h>

#include "files/input.h"
#include "session/dso.h"
#include "session/jitdump.h"

struct dso *jitdump_dso(struct dso_table *t, const char *path, const char *file, struct jitdump *jd)
{
	struct dso *d = dso_table_add(t, path, DSO_JIT);
	size_t i;

	if (!d) {
		input_unmap(jd->p, jd->size);
		jitdump_free(jd);
		free(jd);
		return NULL;
	}
	d->jit = jd;
	d->machine = jd->machine;
	d->extent = jd->code_size < DSO_MAX_EXTENT ? jd->code_size : DSO_MAX_EXTENT;
	d->file = strdup(file);
	d->syms = calloc(jd->nr_code ? jd->nr_code : 1, sizeof(*d->syms));
	if (!d->file || !d->syms)
		return NULL;	/* the table frees it with the rest */
	for (i = 0; i < jd->nr_code; i++)
		d->syms[d->nr_syms++] = (struct dso_symbol_entry){
			.offset = jd->code[i].at, .vaddr = jd->code[i].addr, .size = jd->code[i].size,
			.name = jd->code[i].name,
		};
	d->symbols_read = true;
	return d;
}

bool jitdump_dso_load(struct dso *d)
{
	d->data = jitdump_code(d->jit);
	if (!d->data) {
		d->trouble = DSO_NO_MEMORY;
		return false;
	}
	d->own_data = true;
	d->size = d->jit->code_size;
	d->state = DSO_LOADED;
	d->trouble = DSO_FINE;
	return true;
}

void jitdump_dso_free(struct dso *d)
{
	if (!d->jit)
		return;
	input_unmap(d->jit->p, d->jit->size);
	jitdump_free(d->jit);
	free(d->jit);
	d->jit = NULL;
}

struct jit_source {
	struct side_source src;
	struct dso *d;
	struct jitdump_place place;
	size_t pos;
};

static int next_event(struct side_source *src, struct side_event *e)
{
	struct jit_source *js = (struct jit_source *)src;
	const struct jitdump_place *pl = &js->place;
	const struct jit_event *je;

	if (js->pos == js->d->jit->nr_ev)
		return 0;
	je = &js->d->jit->ev[js->pos++];
	memset(e, 0, sizeof(*e));
	e->kind = SIDE_MAP;
	e->pid = e->tid = pl->pid;
	e->time = pl->time;
	e->seq = pl->seq;
	if (pl->use_times)
		e->time = js->d->jit->arch_time ? pl->convert(pl->data, je->time) : je->time;
	e->map.start = je->addr;
	e->map.end = je->addr + je->len;
	e->map.off = je->at;
	e->map.dso = js->d;
	return 1;
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
	struct jit_source *js = calloc(1, sizeof(*js));

	if (!js)
		return NULL;
	js->src = (struct side_source){ next_event, rewind_events, free_source };
	js->d = d;
	js->place = *place;
	return &js->src;
}
