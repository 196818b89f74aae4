/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot_maps.c - the memory dumps of a snapshot as maps. Program files that were added to it (bare.h) give symbols: no
 * map of theirs overlaps another, since all records of a snapshot have the same time.
 */
#include "session/import/snapshot_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "session/import/bare.h"

#define PAGE	4096u

static void write_map(struct snapshot_maps *m, int pid, const struct cst_snap_dump *d,
		      const char *path, uint64_t size)
{
	struct cst_event_param p = { { "record", 6 }, { "mmap", 4 } };
	struct cst_event ev = { .verb = CST_EVENT_LIBRARY, .state = CST_STATE_CURRENT, .pid = pid, .has_base = 1,
				.has_size = 1, .base = d->address, .size = size, .offset = d->offset,
				.name = { path, strlen(path) } };

	if (pid == CST_EVENT_KERNEL) {
		ev.params = &p;
		ev.n_params = 1;
	}
	records_of_event(m->maker, &ev, 0);
}

/*
 * Where a dump is. perf 6.1 takes a file for the kernel's or a program's by its name: of one that is both it gives a
 * program's map the room of a program's, and writes into it what only a kernel's has. So there are two names.
 */
static char *dump_path(const struct snapshot_maps *m, const struct cst_snap_dump *d, bool kernel)
{
	char *path = folder_path(m->files, d->file), *other, *base;

	if (!path || !kernel)
		return path;
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	other = format_text("%.*s./%s", (int)(base - path), path, base);
	free(path);
	return other;
}

/* Records the map of a dump and its file in the bundle. `report`: whether a dump that is dropped is reported. */
static void write_dump(struct snapshot_maps *m, const struct cst_snap_dump *d, bool kernel,
		       bool report, int pid)
{
	const uint8_t *data;
	uint64_t size;
	size_t len;
	char *path;

	if (!(d->space & (CST_MEM_EL1N | (kernel ? CST_MEM_EL2N : 0)))) {
		/* what only EL2 sees is mapped with the kernel, unless that is in the upper half of the addresses only */
		if (report && (m->split || !(d->space & CST_MEM_EL2N)))
			drops_add(m->drops, 1, "the dump %s at 0x%llx, of secure or other memory", d->file,
				  (unsigned long long)d->address);
		return;
	}
	if (folder_open(m->files, d->file, &data, &len) || d->offset >= len ||
	    !(path = dump_path(m, d, kernel))) {
		if (report)
			drops_add(m->drops, 1, "the dump %s, which cannot be read%s", d->file, folder_refused(m->files));
		return;
	}
	size = len - d->offset;
	if (d->length && d->length < size)
		size = d->length;
	if (m->bundle)
		dso_places_add(&m->bundle->images, path, path);
	write_map(m, kernel ? CST_EVENT_KERNEL : pid, d, path, size);
	free(path);
}

/* The bytes of a dump that can be read: NULL and *n 0, if there are none. */
static const uint8_t *dump_bytes(struct snapshot_maps *m, const struct cst_snap_dump *d, uint64_t *n)
{
	const uint8_t *data;
	size_t len;

	*n = 0;
	if (folder_open(m->files, d->file, &data, &len) || d->offset >= len)
		return NULL;
	*n = len - d->offset;
	if (d->length && d->length < *n)
		*n = d->length;
	return data + d->offset;
}

static void write_part(struct snapshot_maps *m, const struct cst_snap_dump *d, uint64_t begin,
		       uint64_t end, bool kernel, bool report, int pid)
{
	struct cst_snap_dump part = *d;

	part.offset += begin - d->address;
	part.address = begin;
	part.length = end - begin;
	if (begin < end)
		write_dump(m, &part, kernel, report, pid);
}

/* The dump of a program file that has these bytes at this address; NULL: none. */
static const struct cst_snap_dump *same_program(struct snapshot_maps *m, const struct cst_snap_device *prog, uint64_t address,
						const uint8_t *bytes, uint64_t len, bool *differs)
{
	const struct cst_snap_dump *p;
	const uint8_t *code;
	uint64_t n, at;

	for (p = prog->dumps; p < prog->dumps + prog->n_dumps; p++) {
		code = dump_bytes(m, p, &n);
		at = address - p->address;
		if (!code || at >= n)
			continue;
		if (n - at >= len && !memcmp(code + at, bytes, len))
			return p;
		*differs = true;
	}
	return NULL;
}

/*
 * Maps a dump of the snapshot, or, page by page, a program file that was added to it and has the same bytes: the code is
 * what the snapshot has, symbols and lines are those of the program. `report` as for write_dump().
 */
static void write_beside(struct snapshot_maps *m, const struct cst_snap_device *prog,
			 const struct cst_snap_dump *d, bool kernel, bool report, int pid)
{
	const struct cst_snap_dump *now = d, *p;
	uint64_t n, at = d->address, begin = at, len;
	const uint8_t *bytes = dump_bytes(m, d, &n);

	if (!bytes) {
		write_dump(m, d, kernel, report, pid);
		return;
	}
	for (; n; n -= len, at += len, bytes += len) {
		bool differs = false;

		len = PAGE - at % PAGE < n ? PAGE - at % PAGE : n;
		p = same_program(m, prog, at, bytes, len, &differs);
		m->pages_differ += !p && differs && report;
		p = p ? p : d;
		if (p == now)
			continue;
		write_part(m, now, begin, at, kernel, report, pid);
		now = p;
		begin = at;
	}
	write_part(m, now, begin, at, kernel, report, pid);
}

/* Maps a dump of a program file where no dump before it is, `before` of its own device and all of the others. */
static void write_gaps(struct snapshot_maps *m, const struct cst_snap_device *prog, size_t before,
		       bool kernel, bool report, int pid)
{
	const struct cst_snap_dump *p = &prog->dumps[before], *d;
	uint64_t n, at = p->address, end, stop;
	size_t i, k;

	dump_bytes(m, p, &n);
	for (end = at + n; at < end; at = stop) {
		bool covered = false;

		stop = end;
		for (i = 0; i < m->ss->n_devices && !covered; i++)
			for (k = 0; k < m->ss->devices[i].n_dumps && !covered; k++) {
				d = &m->ss->devices[i].dumps[k];
				if (&m->ss->devices[i] == prog && k >= before)
					break;
				dump_bytes(m, d, &n);
				covered = at - d->address < n;
				if (covered)
					stop = d->address + n;
				else if (n && d->address > at && d->address < stop)
					stop = d->address;
			}
		if (!covered)
			write_part(m, p, at, stop, kernel, report, pid);
	}
}

/* With memory in the upper half of the addresses that is the kernel's when it ran, and the rest that of programs. */
static bool has_upper_half(const struct cst_snapshot *ss)
{
	size_t i, k;

	for (i = 0; i < ss->n_devices; i++)
		for (k = 0; k < ss->devices[i].n_dumps; k++)
			if (ss->devices[i].dumps[k].address >> 63)
				return true;
	return false;
}

/* Of dumps that overlap the first counts, of maps the last; those of program files overlap nothing. */
void snapshot_maps_write(struct snapshot_maps *m, bool kernel, int pid)
{
	const struct cst_snap_device *prog = cst_snapshot_device(m->ss, BARE_PROGRAM), *dev;
	bool report;
	size_t k;

	m->split = m->high_el && has_upper_half(m->ss);
	report = m->split || !kernel;
	for (dev = m->ss->devices + m->ss->n_devices; dev-- > m->ss->devices;)
		for (k = dev->n_dumps; k-- > 0;) {
			if (m->split && dev->dumps[k].address >> 63 != kernel)
				continue;
			if (dev == prog)
				write_gaps(m, prog, k, kernel, report, pid);
			else if (prog)
				write_beside(m, prog, &dev->dumps[k], kernel, report, pid);
			else
				write_dump(m, &dev->dumps[k], kernel, report, pid);
		}
}
