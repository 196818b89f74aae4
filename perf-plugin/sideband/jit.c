/* SPDX-License-Identifier: GPL-2.0-only */
/* jit.c - finds the jitdump files of a recording, named or mapped, and makes each a source of events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/array.h"
#include "base/error.h"
#include "base/messages.h"
#include "base/name.h"
#include "files/input.h"
#include "images/jitdump.h"
#include "sideband/jit.h"
#include "sideband/jit_source.h"
#include "sideband/side_events.h"

void jit_files_free(struct jit_files *jf)
{
	size_t i;

	for (i = 0; i < jf->nr; i++)
		free(jf->v[i].path);
	free(jf->v);
	memset(jf, 0, sizeof(*jf));
}

int jit_note(struct jit_files *jf, const char *path, int pid, uint64_t time, uint64_t seq)
{
	struct jit_marker *m;

	if (jitdump_path_pid(path) < 0)
		return 0;
	m = ARRAY_ADD(jf->v, jf->nr, jf->cap);
	if (!m)
		return ERR_NOMEM;
	*m = (struct jit_marker){ .path = strdup(path), .pid = pid, .time = time, .seq = seq };
	if (m->path)
		return 0;
	jf->nr--;
	return ERR_NOMEM;
}

static int compare_markers(const void *a, const void *b)
{
	const struct jit_marker *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (strcmp(x->path, y->path))
		return strcmp(x->path, y->path);
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Drops duplicates: a process may map its file more than once. */
static void drop_doubles(struct jit_files *jf)
{
	size_t i, n = 0;

	if (jf->nr)
		qsort(jf->v, jf->nr, sizeof(*jf->v), compare_markers);
	for (i = 0; i < jf->nr; i++) {
		if (n && jf->v[n - 1].pid == jf->v[i].pid && !strcmp(jf->v[n - 1].path, jf->v[i].path))
			free(jf->v[i].path);
		else
			jf->v[n++] = jf->v[i];
	}
	jf->nr = n;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the bytes of a file, NULL with errno. */
static const uint8_t *map_file(const char *path, size_t *size)
{
	const uint8_t *p = input_map(path, PROT_READ, size);

	if (p && *size)
		return p;
	if (p)
		errno = ENODATA;
	return NULL;
}

/* True if the recording's clock is CLOCK_MONOTONIC, which jitdump files use. */
static bool clock_is_monotonic(struct side_events *se)
{
	unsigned int i, n = perfdata_nr_attrs(se->pd);

	for (i = 0; i < n; i++) {
		const struct perf_event_attr *a = &perfdata_attr(se->pd, i)->attr;

		if (!a->use_clockid || a->clockid != CLOCK_MONOTONIC || !(a->sample_type & PERF_SAMPLE_TIME))
			return false;
	}
	return n > 0;
}

static uint64_t ticks_to_time(void *data, uint64_t ticks)
{
	return pd_ticks_to_ns(data, ticks);
}

static void set_place(struct side_events *se, const struct jitdump *jd, const char *path, struct jitdump_place *pl)
{
	const char *why, *cure;

	if (jd->arch_time) {
		pl->use_times = se->conv && se->conv->usable;
		pl->convert = ticks_to_time;
		pl->data = (void *)se->conv;
	} else {
		pl->use_times = clock_is_monotonic(se);
	}
	if (pl->use_times)
		return;
	why = "its times are of CLOCK_MONOTONIC, and those of the recording are not";
	cure = "record with perf record -k mono";
	if (jd->arch_time) {
		why = "its times are counter ticks, and the recording does not say how to convert them";
		cure = "let the runtime use CLOCK_MONOTONIC";
	}
	fprintf(message_stream(), "cstrace: warning: %s: %s; its code is taken to have been there all the time, the last of "
		"several versions: %s\n", name_shown(path), why, cure);
}

/* Uses a jitdump file. `m` is NULL for a file that the user named and no record mentions. */
static int use_file(struct side_events *se, const char *file, const uint8_t *p, size_t size,
		    const struct jit_marker *m)
{
	struct jitdump_place place = { .pid = m ? m->pid : -1, .time = m ? m->time : 0, .seq = m ? m->seq : 0 };
	struct jitdump *jd = calloc(1, sizeof(*jd));
	struct side_source *src;
	struct dso *d;
	int err = jd ? jitdump_read(jd, p, size) : JITDUMP_NO_MEMORY;

	if (err) {
		free(jd);
		input_unmap(p, size);
		if (err == JITDUMP_NO_MEMORY)
			return ERR_NOMEM;
		fprintf(message_stream(), "cstrace: %s: not used as a jitdump file: %s\n", name_shown(file), jitdump_error_text(err));
		se->jit.missing++;
		return 0;
	}
	if (jd->bad_records)
		fprintf(message_stream(), "cstrace: %s: %llu unusable records, and %llu bytes at its end of which nothing is "
			"known: the code that they tell about is missing; was the file copied after its program had "
			"ended?\n", name_shown(file), (unsigned long long)jd->bad_records, (unsigned long long)jd->lost_bytes);
	se->jit.bad_records += jd->bad_records;
	if (!m)
		place.pid = (int)jd->pid;
	set_place(se, jd, file, &place);
	d = jitdump_dso(se->dsos, m ? m->path : file, file, jd);
	src = d ? jitdump_source(d, &place) : NULL;
	return src ? side_events_add(se, src) : ERR_NOMEM;
}

bool jit_next_given(const char **list, char *path, size_t size)
{
	size_t n;

	while (*list && **list) {
		n = strcspn(*list, ",");
		if (n && n < size) {
			memcpy(path, *list, n);
			path[n] = 0;
		}
		*list += n + ((*list)[n] == ',');
		if (n && n < size)
			return true;
	}
	return false;
}

static bool given_by_name(const struct side_events *se, const char *name, char *path, size_t size)
{
	const char *list = se->dsos->search.jitdump;

	while (jit_next_given(&list, path, size))
		if (!strcmp(base_name(path), name))
			return true;
	return false;
}

/* Finds a recorded file: named by the user, in the input, below --symfs by path or name, or at its recorded path. */
static const uint8_t *find_file(struct side_events *se, const struct jit_marker *m, char *path, size_t size,
				size_t *len)
{
	struct dso_place *place = dso_places_find(&se->dsos->search.bundle.jitdumps, m->path, 0);
	const char *symfs = se->dsos->search.symfs, *found;
	const uint8_t *p;
	char *whole;

	if (place)
		place->taken = true;
	if (given_by_name(se, base_name(m->path), path, size))
		return map_file(path, len);
	if (place) {
		snprintf(path, size, "%s", place->file);
		return map_file(path, len);
	}
	whole = symfs ? input_in_root(symfs, m->path) : NULL;
	if (symfs && !whole)
		return NULL;
	snprintf(path, size, "%s", whole ? whole : m->path);
	free(whole);
	p = map_file(path, len);
	if (p || !symfs)
		return p;
	found = symfs_by_name(&se->dsos->search, base_name(m->path), 0);
	return found ? map_file(strncpy(path, found, size - 1), len) : NULL;
}

static int use_marker(struct side_events *se, const struct jit_marker *m)
{
	char path[4096] = "";
	const uint8_t *p;
	size_t size;

	errno = 0;
	p = find_file(se, m, path, sizeof(path), &size);
	if (p)
		return use_file(se, path, p, size, m);
	fprintf(message_stream(), "cstrace: warning: process %d wrote its generated code to %s: %s: copy that file from the "
		"target below the directory of --symfs, or name it with --jitdump\n", m->pid, name_shown(m->path),
		errno ? input_error(errno) : "not found");
	se->jit.missing++;
	return 0;
}

static bool was_recorded(const struct side_events *se, const char *path)
{
	size_t i;

	for (i = 0; i < se->jit.nr; i++)
		if (!strcmp(base_name(se->jit.v[i].path), base_name(path)))
			return true;
	return false;
}

/* Uses a file that the user named and no record mentions. */
static int use_given(struct side_events *se, const char *path, const char *option)
{
	size_t size;
	const uint8_t *p = map_file(path, &size);

	if (p)
		return use_file(se, path, p, size, NULL);
	fprintf(message_stream(), "cstrace: %s%s: %s\n", option, name_shown(path), input_error(errno));
	return ERR_REPORTED;
}

int jit_finish(struct side_events *se)
{
	struct dso_places *bundled = &se->dsos->search.bundle.jitdumps;
	const char *list = se->dsos->search.jitdump;
	char path[4096];
	size_t i;
	int rc;

	drop_doubles(&se->jit);
	for (i = 0; i < se->jit.nr; i++)
		if (use_marker(se, &se->jit.v[i]))
			return ERR_NOMEM;
	while (jit_next_given(&list, path, sizeof(path))) {
		if (was_recorded(se, path))
			continue;
		rc = use_given(se, path, "--jitdump ");
		if (rc)
			return rc;
	}
	for (i = 0; i < bundled->nr; i++) {
		const char *recorded = bundled->v[i].path;

		if (dso_places_find(bundled, recorded, 0)->taken ||
		    given_by_name(se, base_name(recorded), path, sizeof(path)))
			continue;
		rc = use_given(se, bundled->v[i].file, "");
		if (rc)
			return rc;
	}
	return 0;
}
