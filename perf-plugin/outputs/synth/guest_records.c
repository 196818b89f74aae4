/* SPDX-License-Identifier: GPL-2.0-only */
/* guest_records.c - records about virtual machines: ids, kernels, maps and threads. */
#include "outputs/synth/guest_records.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "machine/guests/guest.h"
#include "outputs/synth/sideband.h"
#include "perfdata/sample.h"
#include "session/parts.h"

/* A guest while its records are written. */
struct guest_writer {
	const struct guest *g;
	struct merge *m;
	struct merge_lane *ln;	/* the last one */
	uint64_t sample_type, id;
	uint32_t pid;		/* of the host, that runs it */
	bool timed;
};

unsigned int guest_records_guests(const struct session *ss)
{
	unsigned int n = 0;

	while (session_guest(ss, n + 1))
		n++;
	return n;
}

/* Returns the process that runs the guest; 0: unknown. */
static uint32_t pid_of(const struct session *ss, unsigned int number)
{
	const int pid = session_guest_pid(ss, session_guest(ss, number));

	return pid > 0 ? (uint32_t)pid : 0;
}

static size_t fill_index(const struct session *ss, union perf_event *ev,
			 const struct guest_ids *events, unsigned int nr_events,
			 unsigned int guests)
{
	struct id_index_entry *e = ev->id_index.entries;
	struct id_index_entry_2 *e2 = (struct id_index_entry_2 *)(e + (size_t)nr_events * guests);
	unsigned int number, k, n = 0;
	uint32_t pid;

	for (number = 1; session_guest(ss, number); number++) {
		pid = pid_of(ss, number);
		for (k = 0; pid && k < nr_events; k++, n++) {
			e[n] = (struct id_index_entry){ .id = guest_id_of(&events[k], number),
							.idx = k,
							.cpu = (uint64_t)-1,
							.tid = pid };
			e2[n] = (struct id_index_entry_2){ .machine_pid = pid };
		}
	}
	ev->id_index.nr = n;
	return offsetof(struct perf_record_id_index, entries) + n * (sizeof(*e) + sizeof(*e2));
}

void guest_records_ids(const struct session *ss, struct perf_writer *w,
		       const struct guest_ids *events, unsigned int n)
{
	unsigned int number, guests = 0;
	union perf_event *ev;
	size_t size;

	for (number = 1; session_guest(ss, number); number++)
		guests += pid_of(ss, number) != 0;
	if (!guests)
		return;
	ev = pw_reserve(w, PD_MAX_RECORD);
	size = fill_index(ss, ev, events, n, guests);
	ev->header =
		(struct perf_event_header){ .type = PERF_RECORD_ID_INDEX, .size = (uint16_t)size };
	pw_commit(w, size);
}

/* Adds a record of `n` bytes, without a trailer, at the host's `time`. */
static void put(struct guest_writer *gw, const void *rec, size_t n, struct pd_sample_id *sid,
		uint64_t time)
{
	uint16_t size;
	uint8_t *dst;

	if (n + PD_SAMPLE_ID_MAX > PD_MAX_RECORD)
		return;
	if (!gw->ln || gw->ln->time > time)
		gw->ln = merge_lane_new(gw->m, SIDEBAND_RANK_BEFORE, 0);
	dst = merge_reserve(gw->ln, time);
	memcpy(dst, rec, n);
	sid->id = gw->id;
	sid->time = time;
	n += pd_sample_id_write(dst + n, gw->sample_type, sid);
	size = (uint16_t)n;
	memcpy(dst + offsetof(struct perf_event_header, size), &size, sizeof(size));
	merge_commit(gw->ln, n);
}

/*
 * Writes a map of the guest's kernel or of a module as perf does for a kernel without a recording.
 */
static void put_map(struct guest_writer *gw, const struct map *m)
{
	const struct dso *d = m->dso;
	struct pd_sample_id sid = { .pid = gw->pid, .tid = gw->pid, .cpu = (uint32_t)-1 };
	struct perf_record_mmap r = {
		.header = { .type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_GUEST_KERNEL },
		.pid = gw->pid, .start = m->start, .len = m->end - m->start,
	};
	int n;

	if (d->kind == DSO_VMLINUX && !d->kernel.ref_addr)
		return;	/* its place is unknown */
	r.pgoff = d->kind == DSO_VMLINUX ? d->kernel.ref_addr : 0;
	n = snprintf(r.filename, sizeof(r.filename), "%s%s", dso_path(d),
		     d->kind == DSO_VMLINUX ? d->kernel.ref_sym : "");
	if (n < 0 || (size_t)n >= sizeof(r.filename))
		return;
	put(gw, &r, offsetof(struct perf_record_mmap, filename) + (((size_t)n + 8) & ~(size_t)7),
	    &sid, 0);
}

static void put_kernel(struct guest_writer *gw)
{
	const struct maplist *maps = gw->g->threads.known.kernel.cur;
	const struct map *m;

	for (m = maps ? maplist_next(maps, 0) : NULL; m; m = maplist_next(maps, m->end))
		put_map(gw, m);
}

static bool stays(const struct pd_record *rec)
{
	switch (rec->ev->header.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return true;
	}
	return false;
}

static void put_record(struct guest_writer *gw, const struct pd_record *rec)
{
	const bool user = rec->ev->header.misc & PERF_RECORD_MISC_USER;
	struct pd_sample_id sid = rec->sid;
	uint8_t bytes[PD_MAX_RECORD + 1];
	struct perf_event_header *h = (struct perf_event_header *)bytes;
	uint64_t time = 0;

	if (!(sid.valid & PERF_SAMPLE_TID))
		sid.pid = sid.tid = (uint32_t)-1;
	sid.cpu = (uint32_t)-1;	/* the guest's CPUs are not the host's */
	if (gw->timed && sid.valid & PERF_SAMPLE_TIME)
		time = guest_to_host(gw->g, sid.time);
	memcpy(bytes, rec->ev, rec->body_size);
	h->misc = (uint16_t)((h->misc & ~PERF_RECORD_MISC_CPUMODE_MASK) |
			     (user ? PERF_RECORD_MISC_GUEST_USER : PERF_RECORD_MISC_GUEST_KERNEL));
	put(gw, bytes, rec->body_size, &sid, time);
}

static void put_records(struct guest_writer *gw)
{
	struct pd_record rec;
	int rc;

	perfdata_rewind(gw->g->pd);
	while ((rc = perfdata_next(gw->g->pd, &rec)))
		if (rc > 0 && stays(&rec))
			put_record(gw, &rec);
}

void guest_records_collect(const struct session *ss, struct merge *m, const struct guest_ids *ids,
			   uint64_t sample_type, bool timed)
{
	struct guest_writer gw = { .m = m, .sample_type = sample_type, .timed = timed };
	unsigned int number;

	for (number = 1; (gw.g = session_guest(ss, number)); number++) {
		gw.pid = pid_of(ss, number);
		gw.id = guest_id_of(ids, number);
		if (!gw.pid)
			continue;
		if (gw.g->pd)
			put_records(&gw);
		else
			put_kernel(&gw);
	}
}
