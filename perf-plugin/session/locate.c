/* SPDX-License-Identifier: GPL-2.0-only */
/* locate.c - addresses as a stream's thread sees them: file, offset, name. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "files/input.h"
#include "images/dso.h"
#include "images/perfmap.h"
#include "session/internal.h"

/* Patched text belongs to the file that it is a patch of: look at what is mapped before and behind it. */
static const struct map *patched_file(const struct maplist *ml, const struct map *m)
{
	const struct map *x = m;

	while (x && x->dso->kind == DSO_PATCH && x->start)
		x = maplist_find(ml, x->start - 1);
	if (x && x->dso->kind != DSO_PATCH)
		return x;
	for (x = m; x && x->dso->kind == DSO_PATCH;)
		x = maplist_find(ml, x->end);
	return x;
}

bool session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	const struct map *m = s->code ? maplist_find(s->code->maps, addr) : NULL, *file;

	memset(loc, 0, sizeof(*loc));
	loc->kernel = s->kernel;
	if (!m)
		return false;
	loc->map_start = m->start;
	loc->map_end = m->end;
	if (m->dso->kind == DSO_PATCH) {
		file = patched_file(s->code->maps, m);
		if (file)
			m = file;
	}
	loc->dso = m->dso;
	loc->offset = m->off + (addr - m->start);
	return true;
}

/* Names in /tmp are of this machine unless --symfs tells where the other one's are. */
static struct perf_map *read_perf_map(struct session *ss, int pid)
{
	const char *symfs = ss->dsos.search.symfs, *host = perfdata_env(ss->pd)->hostname;
	struct utsname here;
	char name[32], *path = NULL, *text;
	size_t size;

	if (!symfs && (!host || uname(&here) || strcmp(host, here.nodename)))
		return NULL;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	if (symfs)
		path = input_in_root(symfs, name);
	text = symfs && !path ? NULL : input_read(path ? path : name, INPUT_MAX_TEXT, &size);
	free(path);
	return text ? perf_map_read(text) : NULL;
}

static const struct perf_map *perf_map_of(struct session *ss, int pid)
{
	struct perf_map *pm = intmap_get(&ss->perf_maps, pid);
	char *nothing;

	if (pm)
		return pm;
	pm = read_perf_map(ss, pid);
	if (!pm) {	/* that there is none is remembered as well */
		nothing = strdup("");
		pm = nothing ? perf_map_read(nothing) : NULL;
	}
	if (pm && !intmap_put(&ss->perf_maps, pid, pm)) {
		perf_map_free(pm);
		return NULL;
	}
	return pm;
}

void session_free_perf_maps(struct session *ss)
{
	size_t i;

	for (i = 0; i < ss->perf_maps.size; i++)
		perf_map_free(ss->perf_maps.slot[i].value);
	intmap_free(&ss->perf_maps);
}

bool session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
		    uint64_t *offset)
{
	struct session *ss = s->state->ss;
	const struct perf_map *pm;
	struct kallsyms *ks;
	uint64_t start, size;

	if (loc->dso && dso_symbol(loc->dso, loc->offset, name, &start, &size)) {
		*offset = loc->offset - start;
		return true;
	}
	if (loc->kernel) {
		ks = kernel_kallsyms(&ss->kernel);
		if (!ks || !kallsyms_find(ks, addr, name, &start, &size))
			return false;
	} else {
		pm = loc->dso && loc->dso->kind == DSO_ANON && s->pid > 0 ? perf_map_of(ss, s->pid) : NULL;
		if (!pm || !perf_map_find(pm, addr, name, &start, &size))
			return false;
	}
	*offset = addr - start;
	return true;
}
