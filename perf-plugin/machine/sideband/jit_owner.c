/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jit_owner.c - collects the processes of a recording and their memory, and compares jitdump files
 * with them.
 */
#include "machine/sideband/jit_owner.h"

#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "machine/images/dso.h"
#include "machine/images/jitdump.h"
#include "machine/sideband/side.h"

/*
 * Index in the links of a NAMESPACES record, and inode number of the first PID namespace (the
 * kernel's proc_ns.h).
 */
#define PID_NAMESPACE	3u
#define FIRST_PID_NS	0xeffffffcu

void jit_processes_free(struct jit_processes *ps)
{
	size_t i;

	for (i = 0; i < ps->nr; i++) {
		maplist_unref(ps->v[i]->known);
		free(ps->v[i]->v);
		free(ps->v[i]);
	}
	free(ps->v);
	intmap_free(&ps->by_pid);
	memset(ps, 0, sizeof(*ps));
}

const struct jit_process *jit_process(const struct jit_processes *ps, int pid)
{
	return intmap_get(&ps->by_pid, pid);
}

static struct jit_process *get_process(struct jit_processes *ps, int pid)
{
	struct jit_process *p = intmap_get(&ps->by_pid, pid), **slot;

	if (p)
		return p;
	p = mem_zeroed(1, sizeof(*p));
	slot = ARRAY_ADD(ps->v, ps->nr, ps->cap);
	*slot = p;
	p->index = ps->nr - 1;
	p->pid = pid;
	p->end = UINT64_MAX;
	intmap_put(&ps->by_pid, pid, p);
	return p;
}

/* Drops a process that ended and had no memory for code: a recording may have any number of them. */
static void forget(struct jit_processes *ps, struct jit_process *p)
{
	intmap_remove(&ps->by_pid, p->pid);
	ps->v[p->index] = ps->v[--ps->nr];
	ps->v[p->index]->index = p->index;
	free(p);
}

/* The map of a place that is known already is its next protection. */
static void add_memory(struct jit_process *p, const struct side_event *e)
{
	/* any pointer does: all is memory */
	const struct map m = { .start = e->map.start, .end = e->map.end, .off = e->map.start,
			      .dso = (struct dso *)p };
	const struct map *x;
	struct jit_memory *to;

	if (!p->known)
		p->known = maplist_new();
	x = maplist_find(p->known, m.start);
	if (x && x->end >= m.end)
		return;
	to = ARRAY_ADD(p->v, p->nr, p->cap);
	maplist_set(p->known, &m);
	*to = (struct jit_memory){ m.start, m.end, e->time, e->seq };
}

static bool is_memory(const struct side_event *e)
{
	return e->kind == SIDE_MAP && e->map.dso && (e->map.dso->kind == DSO_ANON || e->written);
}

void jit_processes_event(struct jit_processes *ps, const struct side_event *e)
{
	const bool first = !jit_process(ps, e->pid);
	struct jit_process *p;

	if (e->kernel || e->pid <= 0)
		return;
	p = get_process(ps, e->pid);
	if (first)
		p->begin = e->time;
	if (e->kind == SIDE_EXIT && e->pid == e->tid && !p->nr) {
		forget(ps, p);
		return;
	}
	if (e->kind == SIDE_EXIT && e->pid == e->tid)
		p->end = e->time ? e->time : UINT64_MAX;
	else if (p->end != UINT64_MAX && e->time > p->end)
		p->end = UINT64_MAX;	/* the number was given to another process, too */
	if (is_memory(e))
		add_memory(p, e);
}

void jit_processes_record(struct jit_processes *ps, const struct pd_record *rec)
{
	const struct perf_record_namespaces *r = (const void *)rec->ev;
	struct jit_process *p;

	if (r->header.type != PERF_RECORD_NAMESPACES ||
	    r->header.size < offsetof(struct perf_record_namespaces, link_info) +
	    (PID_NAMESPACE + 1) * sizeof(r->link_info[0]) || r->nr_namespaces <= PID_NAMESPACE ||
	    (int)r->pid <= 0)
		return;
	p = get_process(ps, (int)r->pid);
	p->of_host = r->link_info[PID_NAMESPACE].ino == FIRST_PID_NS;
}

static const struct jit_memory *memory_at(const struct jit_process *p, uint64_t addr)
{
	const struct jit_memory *first = NULL;
	size_t i;

	for (i = 0; i < p->nr; i++)
		if (addr >= p->v[i].start && addr < p->v[i].end &&
		    (!first || p->v[i].seq < first->seq))
			first = &p->v[i];
	return first;
}

size_t jit_fits(const struct jit_process *p, const struct jitdump *jd)
{
	size_t i, n = 0;

	for (i = 0; i < jd->nr_ev && p->known; i++)
		n += maplist_find(p->known, jd->ev[i].addr) != NULL;
	return n;
}

const struct jit_memory *jit_memory_first(const struct jit_process *p, const struct jitdump *jd)
{
	const struct jit_memory *first = NULL, *m;
	size_t i;

	for (i = 0; i < jd->nr_ev; i++) {
		if (first && jd->ev[i].addr >= first->start && jd->ev[i].addr < first->end)
			continue;
		m = memory_at(p, jd->ev[i].addr);
		if (m && (!first || m->seq < first->seq))
			first = m;
	}
	return first;
}

/* True if the process lived when the file says that code was loaded. */
static bool lived(const struct jit_process *p, const struct jitdump *jd,
		  uint64_t (*convert)(void *, uint64_t), void *data)
{
	uint64_t first, last;

	if (!convert || !jd->nr_ev)
		return true;
	first = convert(data, jd->ev[0].time);
	last = convert(data, jd->ev[jd->nr_ev - 1].time);
	return last >= p->begin && first <= p->end;
}

struct jit_owner jit_owner(const struct jit_processes *ps, const struct jitdump *jd,
			   uint64_t (*convert)(void *data, uint64_t ticks), void *data)
{
	const struct jit_process *own = jit_process(ps, (int)jd->pid);
	struct jit_owner o = { .process = NULL };
	size_t i, n, most = 0;

	if (own && jit_fits(own, jd))
		return (struct jit_owner){ .process = own };
	for (i = 0; i < ps->nr; i++) {
		const struct jit_process *p = ps->v[i];

		n = p->of_host || !lived(p, jd, convert, data) ? 0 : jit_fits(p, jd);
		if (n && n == most && !o.other)
			o.other = p;
		if (n <= most)
			continue;
		most = n;
		o = (struct jit_owner){ .process = p };
	}
	return o.process ? o : (struct jit_owner){ .process = own };
}
