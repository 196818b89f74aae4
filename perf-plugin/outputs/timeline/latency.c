/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * latency.c - sums of durations by what took them: exceptions and functions of system calls out of
 * the calls of each thread, waits out of the switches of each CPU.
 */
#include "outputs/timeline/latency.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/intmap.h"
#include "counting/calls/places.h"
#include "counting/calls/slices.h"
#include "outputs/timeline/labels.h"
#include "outputs/timeline/slices_run.h"
#include "session/decode/branch.h"
#include "session/decode/decode.h"
#include "session/parts.h"

/* Rows; what is new beyond them is in one. */
#define MOST_ROWS	256u
/* Durations that wait for the end of a stretch: a bound for the memory. */
#define MOST_KEPT	200000u
/* Steps between a power of two and the next one, and all of them. */
#define STEPS_LOG	5u
#define STEPS		(1u << STEPS_LOG)
#define BUCKETS		((64 - STEPS_LOG) * STEPS + STEPS)

static const char system_call[] = "system call";

struct latency_run {
	struct latencies *v;
	struct labels *labels;
	struct intmap functions;	/* entry: struct function */
};

struct function {
	bool of_system_call;
};

/* ---- rows ----------------------------------------------------------------------------------- */

static unsigned int bucket_of(uint64_t ns)
{
	const unsigned int high = 63 - (unsigned int)__builtin_clzll(ns | 1);
	const unsigned int shift = high > STEPS_LOG ? high - STEPS_LOG : 0;

	return shift * STEPS + (unsigned int)(ns >> shift);
}

/* The longest duration in a bucket. */
static uint64_t end_of(unsigned int bucket)
{
	const unsigned int shift = bucket < 2 * STEPS ? 0 : bucket / STEPS - 1;

	return ((uint64_t)(bucket - shift * STEPS + 1) << shift) - 1;
}

static struct latency *row_of(struct latencies *v, const char *what, const char *function)
{
	struct latency *l;
	size_t i;

	for (i = 0; i < v->n; i++)
		if (!strcmp(v->v[i].what, what) && !strcmp(v->v[i].function, function))
			return &v->v[i];
	if (v->n == MOST_ROWS && strcmp(function, "[others]"))
		return row_of(v, what, "[others]");
	l = ARRAY_ADD(v->v, v->n, v->cap);
	*l = (struct latency){ .what = what, .function = mem_text(function) };
	l->buckets = mem_zeroed(BUCKETS, sizeof(*l->buckets));
	return l;
}

static void add(struct latencies *v, const char *what, const char *function, uint64_t ns)
{
	struct latency *l = row_of(v, what, function);

	l->count++;
	l->sum += ns;
	l->max = ns > l->max ? ns : l->max;
	l->buckets[bucket_of(ns)]++;
}

static void finish_row(struct latency *l)
{
	const uint64_t wanted = l->count - l->count / 100;
	uint64_t below = 0;
	unsigned int i;

	for (i = 0; i < BUCKETS - 1 && (below += l->buckets[i]) < wanted; i++)
		;
	l->p99 = end_of(i) < l->max ? end_of(i) : l->max;
}

static int longest_first(const void *pa, const void *pb)
{
	const struct latency *a = pa, *b = pb;
	int order;

	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	order = strcmp(a->what, b->what);
	return order ? order : strcmp(a->function, b->function);
}

void latencies_free(struct latencies *v)
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		free(v->v[i].function);
		free(v->v[i].buckets);
	}
	free(v->v);
}

/* ---- interrupts and system calls ------------------------------------------------------------ */

/* The functions of Linux that system calls lead to (arch/arm64/include/asm/syscall_wrapper.h). */
static bool names_system_call(const char *name)
{
	static const char *const begins[] = { "__arm64_sys_", "__arm64_compat_sys_", "sys_" };
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static bool is_wanted(void *data, uint8_t kind, calls_place entry)
{
	struct latency_run *f = data;
	struct function *known;

	if (kind == CST_COUNT_EXCEPTION)
		return true;
	if ((kind != CST_COUNT_CALL && kind != CST_COUNT_TAIL) || entry == CALLS_NO_PLACE)
		return false;
	known = intmap_get(&f->functions, (int64_t)entry);
	if (!known) {
		known = intmap_add(&f->functions, (int64_t)entry, sizeof(*known));
		known->of_system_call = names_system_call(labels_of(f->labels, entry));
	}
	return known->of_system_call;
}

static void on_slice(void *data, const struct calls_slice *s)
{
	struct latency_run *f = data;
	const char *what = system_call;

	if (s->flags || s->end.time < s->begin.time || !s->begin.time)
		return;
	if (s->kind == CST_COUNT_EXCEPTION)
		what = s->exception == BRANCH_IRQ     ? "interrupt" :
		       s->exception == BRANCH_SERROR  ? "SError" :
		       s->exception == BRANCH_SYSCALL ? system_call :
							"fault or trap";
	add(f->v, what, labels_of(f->labels, s->entry), s->end.time - s->begin.time);
}

static int find_calls(struct session *ss, struct latencies *v)
{
	struct latency_run f = { .v = v };
	const struct calls_slice_opts slices = {
		.max = MOST_KEPT, .wanted = is_wanted, .each = on_slice, .data = &f
	};
	struct calls_code code = calls_places_code(ss);
	struct calls *calls;
	struct function *p;
	size_t i = 0, nr;
	int rc;

	f.labels = labels_new(ss, &code, false);
	code = labels_code(f.labels);
	calls = slices_run(ss, &code, &slices, &rc);
	calls_slices(calls, &nr, &v->left_out);
	calls_free(calls);
	labels_free(f.labels);
	while ((p = intmap_next(&f.functions, &i)) != NULL)
		free(p);
	intmap_free(&f.functions);
	return rc;
}

/* ---- waits ---------------------------------------------------------------------------------- */

/* A thread stops, or begins to run. */
struct turn {
	uint64_t time;
	int tid;
	bool runs;
};

static int by_time(const void *pa, const void *pb)
{
	const struct turn *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->runs - b->runs;
}

/* Adds the turns of a CPU; the idle thread does not wait. */
static void add_turns(const struct run_cpu *cpu, struct turn **v, size_t *nr, size_t *cap)
{
	int now = cpu->first_prev;
	size_t i;

	for (i = 0; i < cpu->nr; i++) {
		const struct run_switch *s = &cpu->v[i];

		if (s->kind == RUN_START || s->tid == now)
			continue;
		if (now > 0)
			*ARRAY_ADD(*v, *nr, *cap) = (struct turn){ s->time, now, false };
		/* the next thread is only announced by a record of the end */
		now = s->kind == RUN_IN ? s->tid : -1;
		if (now > 0)
			*ARRAY_ADD(*v, *nr, *cap) = (struct turn){ s->time, now, true };
	}
}

static void find_waits(const struct session *ss, struct latencies *out)
{
	struct intmap since = { .used = 0 };
	const struct run_cpu *cpu;
	struct turn *v = NULL;
	size_t nr = 0, cap = 0, i = 0;
	uint64_t *at;

	while ((cpu = intmap_next(&session_tasks(ss)->running.cpus, &i)) != NULL)
		if (cpu->switches)
			add_turns(cpu, &v, &nr, &cap);
	ARRAY_SORT(v, nr, by_time);
	for (i = 0; i < nr; i++) {
		at = intmap_get(&since, v[i].tid);
		if (!at)
			at = intmap_add(&since, v[i].tid, sizeof(*at));
		if (v[i].runs && *at)
			add(out, "thread switched out", "", v[i].time - *at);
		*at = v[i].runs ? 0 : v[i].time;
	}
	for (i = 0; (at = intmap_next(&since, &i)) != NULL;)
		free(at);
	intmap_free(&since);
	free(v);
}

/* ---- all of them ---------------------------------------------------------------------------- */

int latencies_find(struct session *ss, bool handlers, struct latencies *v)
{
	size_t i;
	int rc = 0;

	*v = (struct latencies){ .n = 0 };
	find_waits(ss, v);
	if (handlers && session_timestamps(ss))
		rc = find_calls(ss, v);
	for (i = 0; i < v->n; i++)
		finish_row(&v->v[i]);
	ARRAY_SORT(v->v, v->n, longest_first);
	return rc;
}
