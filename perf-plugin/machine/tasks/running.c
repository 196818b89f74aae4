/* SPDX-License-Identifier: GPL-2.0-only */
/* running.c - lists of context switches per CPU, sorted by time. */
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "machine/tasks/running.h"

/* maximum number of switches searched per query */
#define MAX_LOOK 256

static struct run_cpu *get_cpu(struct running *r, int cpu)
{
	struct run_cpu *c = intmap_get(&r->cpus, cpu);

	if (c)
		return c;
	c = intmap_add(&r->cpus, cpu, sizeof(*c));
	c->first_time = UINT64_MAX;
	c->first_prev = -1;
	return c;
}

static void add(struct running *r, int cpu, const struct run_switch *what, int prev)
{
	struct run_cpu *c = get_cpu(r, cpu);
	struct run_switch *s = ARRAY_ADD(c->v, c->nr, c->cap);

	*s = *what;
	c->switches |= s->kind != RUN_START;
	r->outsiders |= !s->tid && !prev && !s->of_machine;
	if (s->time < c->first_time) {
		c->first_time = s->time;
		c->first_prev = prev;
		c->prev_of_machine = s->of_machine;
	}
}

void running_add(struct running *r, int cpu, uint64_t time, enum run_kind kind, int tid, int prev)
{
	const struct run_switch s = { .time = time, .tid = tid, .kind = kind };

	add(r, cpu, &s, prev);
}

void running_add_sample(struct running *r, int cpu, uint64_t time, int tid, int prev)
{
	const struct run_switch s = { .time = time, .tid = tid, .kind = RUN_IN, .of_machine = true };

	add(r, cpu, &s, prev);
}

void running_translate(struct running *r, int (*thread)(const void *data, int tid), const void *data)
{
	struct run_cpu *c;
	size_t i, k;

	for (i = 0; (c = intmap_next(&r->cpus, &i));) {
		if (c->prev_of_machine && c->first_prev > 0)
			c->first_prev = thread(data, c->first_prev);
		for (k = 0; k < c->nr; k++)
			if (c->v[k].of_machine && c->v[k].tid > 0)
				c->v[k].tid = thread(data, c->v[k].tid);
	}
}

/* at the same time, switch-out records precede switch-in records */
static int compare(const void *a, const void *b)
{
	const struct run_switch *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind == RUN_OUT ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

void running_finish(struct running *r)
{
	struct run_cpu *c;
	size_t i;

	for (i = 0; (c = intmap_next(&r->cpus, &i));)
		qsort(c->v, c->nr, sizeof(*c->v), compare);
}

void running_free(struct running *r)
{
	struct run_cpu *c;
	size_t i;

	for (i = 0; (c = intmap_next(&r->cpus, &i)); free(c))
		free(c->v);
	intmap_free(&r->cpus);
	memset(r, 0, sizeof(*r));
}

static const struct run_cpu *find_cpu(const struct running *r, int cpu)
{
	const struct run_cpu *c = intmap_get(&r->cpus, cpu);

	return c && c->switches ? c : NULL;
}

/* Returns the index of the first switch after `time`. */
static size_t after(const struct run_cpu *c, uint64_t time)
{
	size_t lo = 0, hi = c->nr;

	BISECT(lo, hi, mid, c->v[mid].time <= time);
	return lo;
}

size_t running_cpus(const struct running *r)
{
	const struct run_cpu *c;
	size_t i, n = 0;

	for (i = 0; (c = intmap_next(&r->cpus, &i));)
		n += c->switches;
	return n;
}

bool running_known(const struct running *r, int cpu)
{
	return find_cpu(r, cpu) != NULL;
}

int running_thread(const struct running *r, int cpu, uint64_t time)
{
	const struct run_cpu *c = find_cpu(r, cpu);
	size_t i = c ? after(c, time) : 0;

	if (!c)
		return -1;
	return i ? c->v[i - 1].tid : c->first_prev;
}

bool running_changes(const struct running *r, int cpu, uint64_t from, uint64_t to)
{
	const struct run_cpu *c = find_cpu(r, cpu);
	size_t i = c ? after(c, from) : 0;
	int tid = c && i ? c->v[i - 1].tid : c ? c->first_prev : -1;

	for (; c && i < c->nr && c->v[i].time <= to; i++)
		if (c->v[i].tid != tid)
			return true;
	return false;
}

bool running_other(const struct running *r, int cpu, uint64_t from, uint64_t to, int tid, enum run_zero zero)
{
	const struct run_cpu *c = find_cpu(r, cpu);
	size_t i = c ? after(c, from) : 0;

	for (; c && i < c->nr && c->v[i].time <= to; i++)
		if (c->v[i].kind != RUN_OUT && c->v[i].tid != tid && (c->v[i].tid || zero))
			return true;
	return false;
}

static size_t add_tid(int tid, enum run_zero zero, int *tids, size_t n, size_t max, bool *all)
{
	size_t i;

	if (tid < 0 || (!tid && zero))
		*all = false;
	if (tid <= 0)
		return n;
	for (i = 0; i < n; i++)
		if (tids[i] == tid)
			return n;
	if (n >= max) {
		*all = false;
		return n;
	}
	tids[n] = tid;
	return n + 1;
}

size_t running_between(const struct running *r, int cpu, uint64_t from, uint64_t to, enum run_zero zero, int *tids,
		       size_t max, bool *all)
{
	const struct run_cpu *c = find_cpu(r, cpu);
	size_t i, first, n;

	*all = c != NULL;
	if (!c)
		return 0;
	first = i = after(c, from);
	n = add_tid(i ? c->v[i - 1].tid : c->first_prev, zero, tids, 0, max, all);
	for (; i < c->nr && c->v[i].time <= to; i++) {
		if (i - first >= MAX_LOOK) {
			*all = false;
			break;
		}
		/* an "out" record is redundant if an "in" record follows */
		if (c->v[i].kind == RUN_OUT && i + 1 < c->nr && c->v[i + 1].kind != RUN_OUT)
			continue;
		n = add_tid(c->v[i].tid, zero, tids, n, max, all);
	}
	return n;
}
