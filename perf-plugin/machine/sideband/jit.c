/* SPDX-License-Identifier: GPL-2.0-only */
/* jit.c - finds the jitdump files of a recording, named or mapped, and makes each a source of events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/messages.h"
#include "base/name.h"
#include "base/path.h"
#include "machine/images/jitdump.h"
#include "machine/sideband/jit.h"
#include "machine/sideband/jit_source.h"
#include "machine/sideband/side_events.h"

void jit_files_free(struct jit_files *jf)
{
	size_t i;

	for (i = 0; i < jf->nr; i++)
		free(jf->v[i].path);
	free(jf->v);
	memset(jf, 0, sizeof(*jf));
}

void jit_note(struct jit_files *jf, const char *path, int pid, uint64_t time, uint64_t seq)
{
	if (jitdump_path_pid(path) < 0)
		return;
	*ARRAY_ADD(jf->v, jf->nr, jf->cap) =
		(struct jit_marker){ .path = mem_text(path), .pid = pid, .time = time, .seq = seq };
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

	ARRAY_SORT(jf->v, jf->nr, compare_markers);
	for (i = 0; i < jf->nr; i++) {
		if (n && jf->v[n - 1].pid == jf->v[i].pid && !strcmp(jf->v[n - 1].path, jf->v[i].path))
			free(jf->v[i].path);
		else
			jf->v[n++] = jf->v[i];
	}
	jf->nr = n;
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
	const bool monotonic = clock_is_monotonic(se);

	if (jd->arch_time) {
		pl->use_times = se->conv && se->conv->usable;
		pl->convert = ticks_to_time;
		pl->data = (void *)se->conv;
	} else {
		pl->use_times = monotonic;
	}
	if (pl->use_times)
		return;
	why = "its times are of CLOCK_MONOTONIC, and those of the recording are not";
	/* perf refuses -k mono beside cs_etm: "Cannot use clockid" */
	cure = ": let the runtime write counter ticks (JITDUMP_FLAGS_ARCH_TIMESTAMP)";
	if (jd->arch_time) {
		why = "its times are counter ticks, and the recording does not say how to convert them";
		cure = monotonic ? ": let the runtime use CLOCK_MONOTONIC" : "";
	}
	fprintf(message_stream(), "cstrace: warning: %s: %s; its code is taken to have been there all the time, the last of "
		"several versions%s\n", name_shown(path), why, cure);
}

/* Reads a jitdump file, whose bytes it takes over. Returns NULL after a message. */
static struct jitdump *read_file(struct side_events *se, const char *file, const uint8_t *p,
				 size_t size)
{
	struct jitdump *jd = mem_zeroed(1, sizeof(*jd));
	int err = jitdump_read(jd, p, size);

	if (err) {
		free(jd);
		input_unmap(p, size);
		fprintf(message_stream(), "cstrace: %s: not used as a jitdump file: %s\n", name_shown(file), jitdump_error_text(err));
		se->jit.missing++;
		return NULL;
	}
	if (jd->bad_records)
		fprintf(message_stream(), "cstrace: %s: %llu unusable records, and %llu bytes at its end of which nothing is "
			"known: the code that they tell about is missing; was the file copied after its program had "
			"ended?\n", name_shown(file), (unsigned long long)jd->bad_records, (unsigned long long)jd->lost_bytes);
	se->jit.bad_records += jd->bad_records;
	return jd;
}

static void drop_file(struct jitdump *jd)
{
	input_unmap(jd->p, jd->size);
	jitdump_free(jd);
	free(jd);
}

/* Makes the code of a file, recorded as `path`, a source of events. Takes over `jd`. */
static void add_file(struct side_events *se, const char *path, const char *file,
		    struct jitdump *jd, struct jitdump_place *place)
{
	struct dso *d;

	jd->owner = place->pid;
	set_place(se, jd, file, place);
	d = jitdump_dso(se->dsos, path, file, jd);
	side_order_add(&se->order, jitdump_source(d, place));
}

static uint64_t as_it_is(void *data, uint64_t time)
{
	(void)data;
	return time;
}

#define CONTAINER_CURE "if it ran in a container, name its process as the recording has it: " \
	"--jitdump PID:FILE"

/*
 * Finds the process of a file that no record mentions; `pid` is what the user says, or -1. Returns
 * -1 after a message if it is not known.
 */
static int find_owner(struct side_events *se, const char *file, const struct jitdump *jd, int pid)
{
	uint64_t (*convert)(void *, uint64_t) = clock_is_monotonic(se) ? as_it_is : NULL;
	struct jit_owner o;

	if (pid >= 0) {
		if (!jit_process(&se->processes, pid))
			fprintf(message_stream(), "cstrace: warning: %s: no process %d with memory "
				"for code is in the recording\n", name_shown(file), pid);
		return pid;
	}
	if (jd->arch_time)
		convert = se->conv && se->conv->usable ? ticks_to_time : NULL;
	o = jit_owner(&se->processes, jd, convert, (void *)se->conv);
	if (o.other) {
		fprintf(message_stream(), "cstrace: warning: %s: not used: process %d and "
			"process %d both have memory at its addresses, and "
			"neither has its number, %u; " CONTAINER_CURE "\n", name_shown(file),
				o.process->pid, o.other->pid, jd->pid);
		se->jit.missing++;
		return -1;
	}
	if (!o.process)
		fprintf(message_stream(), "cstrace: warning: %s: no process %u is in the "
			"recording, and no process has memory at its "
			"addresses; " CONTAINER_CURE "\n", name_shown(file), jd->pid);
	else if (o.process->pid != (int)jd->pid)
		fprintf(message_stream(), "cstrace: %s: written as process %u of a PID "
			"namespace, taken for that of process %d, the only "
			"one with memory at its addresses\n", name_shown(file), jd->pid,
				o.process->pid);
	return o.process ? o.process->pid : (int)jd->pid;
}

/* Uses a file that a record mentions. */
static void use_recorded(struct side_events *se, const char *file, const uint8_t *p, size_t size,
			const struct jit_marker *m)
{
	struct jitdump_place place = { .pid = m->pid, .time = m->time, .seq = m->seq };
	struct jitdump *jd = read_file(se, file, p, size);

	if (!jd)
		return;
	jd->recorded = true;
	add_file(se, m->path, file, jd, &place);
}

/* Uses a file that no record mentions. */
static void use_unrecorded(struct side_events *se, const char *file, const uint8_t *p,
			   size_t size, int pid)
{
	struct jitdump_place place = { .pid = -1 };
	const struct jit_process *owner;
	const struct jit_memory *memory;
	struct jitdump *jd = read_file(se, file, p, size);

	if (!jd)
		return;
	place.pid = find_owner(se, file, jd, pid);
	if (place.pid < 0) {
		drop_file(jd);
		return;
	}
	owner = jit_process(&se->processes, place.pid);
	memory = owner ? jit_memory_first(owner, jd) : NULL;
	if (memory) {
		place.time = memory->time;
		place.seq = memory->seq;
	}
	add_file(se, file, file, jd, &place);
}

bool jit_next_given(const char **list, char *path, size_t size, int *pid)
{
	size_t n, digits;

	while (*list && **list) {
		n = strcspn(*list, ",");
		digits = strspn(*list, "0123456789");
		*pid = -1;
		/* PID:FILE */
		if (digits && digits < 10 && digits + 1 < n && (*list)[digits] == ':') {
			*pid = atoi(*list);
			*list += digits + 1;
			n -= digits + 1;
		}
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

/*
 * Returns how many loads of code a file has at memory of a process; 0: none, or it cannot be read.
 */
static size_t fits_file(const struct side_events *se, const char *path, int pid)
{
	const struct jit_process *owner = jit_process(&se->processes, pid);
	struct jitdump jd;
	size_t size, n = 0;
	const uint8_t *p = owner ? map_file(path, &size) : NULL;

	if (p && !jitdump_read(&jd, p, size)) {
		n = jit_fits(owner, &jd);
		jitdump_free(&jd);
	}
	input_unmap(p, p ? size : 0);
	return n;
}

/*
 * Finds the file that the user named for a recorded one. Of several with its name, as processes of
 * two containers write, that with most code at memory of the process is it.
 */
static bool given_for(const struct side_events *se, const struct jit_marker *m, char *path,
		      size_t size)
{
	const char *list = se->dsos->search.jitdump, *name = path_base(m->path);
	char next[4096];
	size_t n, most = 0;
	bool found = false;
	int pid;

	while (jit_next_given(&list, next, sizeof(next), &pid)) {
		if (pid >= 0 ? pid != m->pid : strcmp(path_base(next), name) != 0)
			continue;
		n = pid >= 0 ? SIZE_MAX : fits_file(se, next, m->pid);
		if (found && n <= most)
			continue;
		snprintf(path, size, "%s", next);
		most = n;
		found = true;
	}
	return found;
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
	if (given_for(se, m, path, size))
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
	found = symfs_by_name(&se->dsos->search, path_base(m->path), 0);
	return found ? map_file(strncpy(path, found, size - 1), len) : NULL;
}

static void use_marker(struct side_events *se, const struct jit_marker *m)
{
	char path[4096] = "";
	const uint8_t *p;
	size_t size;

	errno = 0;
	p = find_file(se, m, path, sizeof(path), &size);
	if (p) {
		use_recorded(se, path, p, size, m);
		return;
	}
	fprintf(message_stream(), "cstrace: warning: process %d wrote its generated code to %s: %s: copy that file from the "
		"target below the directory of --symfs, or name it with --jitdump\n", m->pid, name_shown(m->path),
		errno ? input_error(errno) : "not found");
	se->jit.missing++;
}

/*
 * True if a record mentions the file: one of its name or, if the user says whose it is, one of that
 * process.
 */
static bool was_recorded(const struct side_events *se, const char *path, int pid)
{
	size_t i;

	for (i = 0; i < se->jit.nr; i++)
		if (pid >= 0 ? se->jit.v[i].pid == pid :
		    !strcmp(path_base(se->jit.v[i].path), path_base(path)))
			return true;
	return false;
}

/* Uses a file that the user named and no record mentions. */
static int use_given(struct side_events *se, const char *path, int pid, const char *option)
{
	size_t size;
	const uint8_t *p = map_file(path, &size);

	if (p) {
		use_unrecorded(se, path, p, size, pid);
		return 0;
	}
	fprintf(message_stream(), "cstrace: %s%s: %s\n", option, name_shown(path), input_error(errno));
	return ERR_REPORTED;
}

static bool given_by_name(const struct side_events *se, const char *name)
{
	const char *list = se->dsos->search.jitdump;
	char path[4096];
	int pid;

	while (jit_next_given(&list, path, sizeof(path), &pid))
		if (!strcmp(path_base(path), name))
			return true;
	return false;
}

int jit_finish(struct side_events *se)
{
	struct dso_places *bundled = &se->dsos->search.bundle.jitdumps;
	const char *list = se->dsos->search.jitdump;
	char path[4096];
	size_t i;
	int rc, pid;

	drop_doubles(&se->jit);
	for (i = 0; i < se->jit.nr; i++)
		use_marker(se, &se->jit.v[i]);
	while (jit_next_given(&list, path, sizeof(path), &pid)) {
		if (was_recorded(se, path, pid))
			continue;
		rc = use_given(se, path, pid, "--jitdump ");
		if (rc)
			return rc;
	}
	for (i = 0; i < bundled->nr; i++) {
		const char *recorded = bundled->v[i].path;

		if (dso_places_find(bundled, recorded, 0)->taken ||
		    given_by_name(se, path_base(recorded)))
			continue;
		rc = use_given(se, bundled->v[i].file, bundled->v[i].pid, "");
		if (rc)
			return rc;
	}
	return 0;
}
