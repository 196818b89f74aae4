/* SPDX-License-Identifier: BSD-3-Clause */
/* world_side.c - what perf's side band says of the machine, and the files on its disk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf_w.h"
#include "world.h"

#define INIT 1u	/* who is running when nobody is */

/* time passes before and after what happens now */
static struct perfw_at begin_near(struct world *w, int cpu, uint32_t slack)
{
	struct wcpu *c = &w->cpu[cpu];
	struct perfw_at at;
	uint64_t lost;
	int i;

	for (i = 0; w->o.cut_often && i < w->o.s.ncpus; i++)
		session_cut(w->s, i);
	c->now += rng_range(&w->rng, slack / 10, slack);
	session_wait(w->s, cpu, c->now);
	at = session_at(w->s, cpu, c->cur ? c->cur->tid : INIT);
	at.time = PERFW_TIME_BASE + c->now;
	if (!c->cur)
		at.pid = INIT;
	c->now += rng_range(&w->rng, slack / 10, slack);
	lost = c->lost;
	c->lost = 0;
	if (lost)
		perfw_lost(session_perf(w->s), &at, lost);
	return at;
}

static struct perfw_at begin(struct world *w, int cpu)
{
	return begin_near(w, cpu, w->o.slack ? w->o.slack : 40);
}

struct perfw_at world_at(struct world *w, int cpu)
{
	return begin(w, cpu);
}

static struct wmap *new_map(struct wproc *p, int at)
{
	GEN_BUG_ON(p->n == WORLD_MAPS);
	memmove(p->map + at + 1, p->map + at, (size_t)(p->n - at) * sizeof(p->map[0]));
	p->n++;
	return &p->map[at];
}

void world_unmap(struct wproc *p, uint64_t va, uint64_t end)
{
	int i;

	for (i = 0; i < p->n; i++) {
		struct wmap *m = &p->map[i], old = *m;

		if (m->end <= va || m->va >= end)
			continue;
		if (old.va < va && old.end > end) {
			m->end = va;
			m = new_map(p, i + 1);
			*m = old;
		}
		if (old.end > end) {
			m->first = old.first + (uint32_t)((end - old.va) / 4);
			m->va = end;
		} else if (old.va < va) {
			m->end = va;
		} else {
			memmove(m, m + 1, (size_t)(p->n - i - 1) * sizeof(*m));
			p->n--;
			i--;
		}
	}
}

void world_place(struct wproc *p, uint64_t va, const struct code *c, uint32_t first, uint32_t n)
{
	struct wmap *m;
	int i;

	GEN_BUG_ON(first + n > c->n);
	world_unmap(p, va, va + 4ull * n);
	for (i = 0; i < p->n && p->map[i].va < va; i++)
		;
	m = new_map(p, i);
	*m = (struct wmap){ va, va + 4ull * n, c, first, 0 };
}

/* the record is about the process that is running, except for what perf makes up at the start */
static struct perfw_at begin_map(struct world *w, int cpu, const struct wproc *p)
{
	struct perfw_at at = begin(w, cpu);

	at.pid = p->pid;
	if (!w->cpu[cpu].cur || w->cpu[cpu].cur->p != p)
		at.tid = p->pid;
	return at;
}

void world_mmap_record(struct world *w, int cpu, struct wproc *p, uint64_t va, uint64_t len,
		       uint64_t offset, const char *path)
{
	struct perfw_at at = begin_map(w, cpu, p);

	perfw_mmap(session_perf(w->s), &at, va, len, offset, path, p == &w->kernel);
}

void world_mmap2_record(struct world *w, int cpu, struct wproc *p, uint64_t va, uint64_t len,
			uint64_t offset,
			const char *path, const struct perfw_map *map)
{
	struct perfw_at at = begin_map(w, cpu, p);

	perfw_mmap2(session_perf(w->s), &at, va, len, offset, path, map);
}

void world_map(struct world *w, int cpu, struct wproc *p, uint64_t va, const struct code *c,
	       uint32_t first, uint32_t n, const char *path)
{
	world_mmap_record(w, cpu, p, va, 4ull * n, ELFW_TEXT + 4ull * first, path);
	world_place(p, va, c, first, n);
}

void world_lose(struct world *w, int cpu, uint64_t records)
{
	world_pause(w, cpu, 20);
	w->cpu[cpu].lost += records;
}

void world_map_lost(struct world *w, int cpu, struct wproc *p, uint64_t va, const struct code *c,
		    uint32_t first, uint32_t n)
{
	world_lose(w, cpu, 1);
	world_place(p, va, c, first, n);
}

void world_comm(struct world *w, int cpu, struct wthread *t, const char *comm, int exec)
{
	struct perfw_at at = begin(w, cpu);

	at.pid = t->p->pid;
	at.tid = t->tid;
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
	perfw_comm(session_perf(w->s), &at, comm, exec);
}

struct wthread *world_fork_lost(struct world *w, int cpu, struct wthread *parent, uint32_t pid)
{
	struct wproc *p = world_proc(w, pid);
	struct wthread *t;
	uint32_t asid = p->asid;

	*p = *parent->p;
	p->pid = pid;
	p->asid = asid;
	t = world_thread(w, p, pid, parent->comm);
	t->pc = parent->pc;
	memcpy(t->shadow, parent->shadow, sizeof(t->shadow));
	t->depth = parent->depth;
	world_pause(w, cpu, 20);
	return t;
}

struct wthread *world_fork(struct world *w, int cpu, struct wthread *parent, uint32_t pid)
{
	struct perfw_at at = begin(w, cpu);

	at.pid = parent->p->pid;
	at.tid = parent->tid;
	perfw_task(session_perf(w->s), &at, pid, pid, parent->p->pid, parent->tid, 0);
	return world_fork_lost(w, cpu, parent, pid);
}

struct wthread *world_clone(struct world *w, int cpu, struct wthread *parent, uint32_t tid)
{
	struct perfw_at at = begin(w, cpu);
	struct wthread *t = world_thread(w, parent->p, tid, parent->comm);

	at.pid = parent->p->pid;
	at.tid = parent->tid;
	perfw_task(session_perf(w->s), &at, parent->p->pid, tid, parent->p->pid, parent->tid, 0);
	return t;
}

void world_exec(struct world *w, int cpu, struct wthread *t, const char *comm)
{
	world_comm(w, cpu, t, comm, 1);
	t->p->n = 0;
	t->pc = 0;
	t->depth = 0;
}

void world_exit(struct world *w, int cpu, struct wthread *t)
{
	struct perfw_at at = begin(w, cpu);

	at.pid = t->p->pid;
	at.tid = t->tid;
	perfw_task(session_perf(w->s), &at, t->p->pid, t->tid, INIT, INIT, 1);
}

void world_switch_records(struct world *w, int cpu, struct wthread *from, struct wthread *to)
{
	struct perfw *pw = session_perf(w->s);
	struct perfw_at out = begin_near(w, cpu, 40), in = out;
	const int own = w->o.s.perf.own_switches;

	if (from) {
		out.pid = from->outside ? 0 : from->p->pid;
		out.tid = from->outside ? 0 : from->tid;
	}
	in.pid = to->outside ? 0 : to->p->pid;
	in.tid = to->outside ? 0 : to->tid;
	in.time += 2;
	if (w->o.s.perf.sched_switch)
		perfw_sched_switch(pw, &out, from ? world_machine_tid(w, from->tid) : INIT, from ? from->comm : "init",
				   world_machine_tid(w, to->tid), to->comm);
	if (from && !w->o.s.perf.no_switch && !(own && !out.tid))
		perfw_switch(pw, &out, in.pid, in.tid, 1);
	if (!w->cpu[cpu].ran)
		perfw_itrace_start(pw, &in);
	w->cpu[cpu].ran = 1;
	if (!w->o.s.perf.no_switch && !(own && !in.tid))
		perfw_switch(pw, &in, out.pid, out.tid, 0);
}

void world_round(struct world *w)
{
	world_sync(w);
	perfw_finished_round(session_perf(w->s));
}

void world_cut(struct world *w, int cpu)
{
	session_wait(w->s, cpu, w->cpu[cpu].now);
	session_cut(w->s, cpu);
}

void world_write(struct world *w, const char *path, const void *p, size_t n)
{
	world_write_in(w, w->o.symfs, path, p, n);
}

void world_write_in(struct world *w, const char *dir, const char *path, const void *p, size_t n)
{
	char name[4096], *slash;
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", dir, path);
	for (slash = name + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(name, 0777);
	}
	f = fopen(name, "wb");
	if (!f || (n && fwrite(p, 1, n, f) != n))
		w->error = errno ? errno : EIO;
	if (f && fclose(f))
		w->error = errno;
}

void world_image(struct world *w, const char *path, const struct code *c)
{
	struct elfw e = { .vaddr = ELFW_TEXT, .text = c->bytes, .len = 4 * c->n };
	struct gbuf file = { 0 };

	elfw_write(&e, &file);
	world_write(w, path, file.p, file.len);
	gbuf_free(&file);
}
