/* SPDX-License-Identifier: GPL-2.0-only */
/* kept.c - decides which records of a pipe are kept for its pieces, and for how long. */
#include "session/pieces/kept.h"

#include <string.h>

#include "base/array.h"
#include "base/time.h"

/*
 * Switches of a CPU that are kept before its next trace: a thread stops and the next one starts,
 * and one more.
 */
#define LAST_SWITCHES 4u

struct kept_cpu {
	int cpu;
	uint64_t since;	/* trace that comes is not older */
	bool started, ran;	/* its first records of these kinds are kept always */
	unsigned int last;	/* switches before the next trace that kept_drop() has seen */
};

/* A sample of sched:sched_switch, or of a tracepoint without a name. */
static bool is_sched_switch(const struct pd_record *rec)
{
	return rec->attr && rec->attr->attr.type == PERF_TYPE_TRACEPOINT &&
	       (!rec->attr->name || !strcmp(rec->attr->name, "sched:sched_switch"));
}

enum keep kept_how(const struct pd_record *rec)
{
	switch (rec->ev->header.type) {
	case PERF_RECORD_AUX:
		return KEEP_AUX;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_ITRACE_START:
		return KEEP_SWITCH;
	case PERF_RECORD_SAMPLE:
		return is_sched_switch(rec) ? KEEP_SWITCH : KEEP_NOT;
	case PERF_RECORD_LOST:
		return KEEP_ONCE;
	case PERF_RECORD_AUXTRACE:
	case PERF_RECORD_AUXTRACE_ERROR:
	case PERF_RECORD_FINISHED_ROUND:
	case PERF_RECORD_FINISHED_INIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_READ:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_CGROUP:
		return KEEP_NOT;
	}
	return KEEP_ALWAYS;
}

static struct kept_cpu *cpu_of(struct kept_list *l, int cpu)
{
	struct kept_cpu *c = intmap_get(&l->cpus, cpu);

	if (c)
		return c;
	c = intmap_add(&l->cpus, cpu, sizeof(*c));
	c->cpu = cpu;
	return c;
}

static bool set_once(bool *what)
{
	const bool was = *what;

	*what = true;
	return !was;
}

/* True if no record before said which process the thread belongs to. */
static bool is_new_thread(struct kept_list *l, const struct pd_record *rec)
{
	const uint32_t type = rec->ev->header.type;
	const int tid = type == PERF_RECORD_ITRACE_START ? (int)rec->ev->itrace_start.tid :
			rec->sid.valid & PERF_SAMPLE_TID ? (int)rec->sid.tid :
							   -1;

	if (tid <= 0 || type == PERF_RECORD_SAMPLE || intmap_get(&l->threads, tid))
		return false;
	intmap_put(&l->threads, tid, l);
	return true;
}

/* True if one thread 0 follows another: the recorder was in a PID namespace. */
static bool is_outside(const struct pd_record *rec)
{
	return rec->ev->header.type == PERF_RECORD_SWITCH_CPU_WIDE &&
	       rec->sid.valid & PERF_SAMPLE_TID && !rec->sid.tid &&
	       !rec->ev->context_switch.next_prev_tid;
}

/*
 * The first record of a CPU says when its trace began at the earliest, and the first one of a
 * thread may be the only one that names its process.
 */
static enum keep switch_kept(struct kept_list *l, const struct pd_record *rec)
{
	const struct pd_sample_id *sid = pd_record_sid(rec);
	const uint32_t type = rec->ev->header.type;
	bool first = is_new_thread(l, rec);
	struct kept_cpu *c;

	if (sid->valid & PERF_SAMPLE_CPU) {
		c = cpu_of(l, (int)sid->cpu);
		if (type == PERF_RECORD_ITRACE_START)
			first |= set_once(&c->started);
		else if (!(rec->ev->header.misc & PERF_RECORD_MISC_SWITCH_OUT))
			first |= set_once(&c->ran);
	}
	if (is_outside(rec))
		first |= set_once(&l->outsiders);
	return first ? KEEP_ALWAYS : KEEP_SWITCH;
}

/* The thread whose process a record names, beside a switch; 0: none. */
static int described(const union perf_event *ev)
{
	switch (ev->header.type) {
	case PERF_RECORD_COMM:
		return (int)ev->comm.tid;
	case PERF_RECORD_FORK:
		return (int)ev->fork.tid;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return (int)ev->mmap.tid;
	}
	return 0;
}

/*
 * True for tracing data whose end is not there: in a piece, the records behind it would be taken
 * for that.
 */
static bool is_cut(const struct pd_record *rec)
{
	return rec->ev->header.type == PERF_RECORD_HEADER_TRACING_DATA &&
	       rec->payload_size < rec->ev->tracing_data.size;
}

struct kept *kept_add(struct kept_list *l, const struct pd_record *rec)
{
	const struct pd_sample_id *sid = pd_record_sid(rec);
	const size_t size = rec->ev->header.size, more = rec->payload ? rec->payload_size : 0;
	enum keep keep = kept_how(rec);
	struct kept *k;
	int tid;

	if (keep == KEEP_NOT || more > UINT32_MAX - size || is_cut(rec))
		return NULL;
	if (keep == KEEP_SWITCH)
		keep = switch_kept(l, rec);
	tid = described(rec->ev);
	if (tid > 0)
		intmap_put(&l->threads, tid, l);
	k = mem_new(sizeof(*k));
	*k = (struct kept){
		.bytes = mem_new(size + more),
		.size = (uint32_t)(size + more),
		.keep = (uint8_t)keep,
		.cpu = sid->valid & PERF_SAMPLE_CPU ? (int)sid->cpu : -1,
		.time = sid->valid & PERF_SAMPLE_TIME ? sid->time : NO_TIME,
	};
	memcpy(k->bytes, rec->ev, size);
	if (more)
		memcpy(k->bytes + size, rec->payload, more);
	*ARRAY_ADD(l->v, l->nr, l->cap) = k;
	l->bytes += k->size;
	l->switches += keep == KEEP_SWITCH;
	return k;
}

void kept_replace(struct kept_list *l, struct kept *k, const void *bytes, uint32_t size,
		  enum keep keep)
{
	l->bytes -= k->size - size;
	memcpy(k->bytes, bytes, size);
	k->size = size;
	k->keep = (uint8_t)keep;
}

/*
 * Marks switches that no trace needs any more, the newest first; all of one CPU are in the order of
 * time, or nearly so.
 */
static void mark_switches(struct kept_list *l, uint64_t (*since)(const void *data, int cpu),
			  const void *data)
{
	const size_t most = l->switches > KEPT_SWITCHES ? KEPT_SWITCHES / 2 : KEPT_SWITCHES;
	struct kept_cpu *c;
	size_t i, n = 0;

	for (i = 0; (c = intmap_next(&l->cpus, &i));) {
		c->last = 0;
		c->since = since(data, c->cpu);
	}
	for (i = l->nr; i--;) {
		struct kept *k = l->v[i];

		if (k->keep != KEEP_SWITCH)
			continue;
		if (k->time == NO_TIME || k->cpu < 0) {
			k->keep = KEEP_NOT;
			continue;
		}
		c = cpu_of(l, k->cpu);
		if (k->time >= c->since && n++ < most)
			continue;
		if (n > most && k->time > l->dropped)
			l->dropped = k->time;
		if (c->last++ >= LAST_SWITCHES)
			k->keep = KEEP_NOT;
	}
}

static void free_kept(struct kept *k)
{
	free(k->bytes);
	free(k);
}

void kept_drop(struct kept_list *l, uint64_t (*since)(const void *data, int cpu), const void *data)
{
	size_t i, n = 0;

	mark_switches(l, since, data);
	l->switches = 0;
	for (i = 0; i < l->nr; i++) {
		struct kept *k = l->v[i];

		if (k->keep == KEEP_NOT || k->keep == KEEP_ONCE) {
			l->bytes -= k->size;
			free_kept(k);
			continue;
		}
		l->switches += k->keep == KEEP_SWITCH;
		l->v[n++] = k;
	}
	l->nr = n;
}

void kept_free(struct kept_list *l)
{
	struct kept_cpu *c;
	size_t i;

	for (i = 0; i < l->nr; i++)
		free_kept(l->v[i]);
	free(l->v);
	for (i = 0; (c = intmap_next(&l->cpus, &i));)
		free(c);
	intmap_free(&l->cpus);
	intmap_free(&l->threads);
}
