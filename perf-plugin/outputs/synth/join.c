/* SPDX-License-Identifier: GPL-2.0-only */
/* join.c - the history of each thread, and samples with it. */
#include "outputs/synth/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "outputs/synth/callstack.h"
#include "outputs/synth/itrace.h"
#include "outputs/synth/recent.h"
#include "perfdata/records.h"

/* The history of a thread, followed by the entries of its ring. */
struct known {
	struct ring ring;
	uint64_t resume, at; /* of the last piece */
	struct callstack calls;
};

struct join {
	struct join_opts o;
	struct recent *threads;
	uint32_t ring; /* size of a thread's ring */
	struct join_counts counts;
	uint64_t chain[ITRACE_MAX_DEPTH + 2];
};

struct join *join_new(const struct join_opts *o)
{
	struct join *j = mem_zeroed(1, sizeof(*j));

	j->o = *o;
	j->ring = o->stack + HISTORY_LATE;
	j->threads = recent_new(sizeof(struct known) + j->ring * sizeof(struct ring_entry));
	return j;
}

void join_free(struct join *j)
{
	if (!j)
		return;
	recent_free(j->threads);
	free(j);
}

const struct join_counts *join_counts(const struct join *j)
{
	return &j->counts;
}

static struct known *known_of(struct join *j, uint64_t thread)
{
	bool fresh;
	struct known *k = recent_get(j->threads, thread, &fresh);

	if (!fresh)
		return k;
	memset(k, 0, sizeof(*k));
	k->ring.size = j->ring;
	k->ring.e = (struct ring_entry *)(k + 1);
	return k;
}

static void take_calls(struct callstack *c, const uint64_t *call, uint32_t n)
{
	for (; n; n--, call++) {
		if (*call & HISTORY_RETURN)
			callstack_unwind(c->ret, &c->depth, *call & ~HISTORY_RETURN);
		else
			callstack_call(c, *call);
	}
}

void join_piece(struct join *j, const struct history_piece *p)
{
	const struct ring_entry *e = (const struct ring_entry *)(p + 1);
	struct known *k = known_of(j, p->thread);
	uint32_t i;

	/* a thread that continues where it was interrupted keeps its history, on whatever CPU */
	if (p->header.misc & HISTORY_STRETCH && !(p->begin && p->begin == k->resume))
		ring_clear(&k->ring);
	for (i = p->nr_branches; i--;)
		ring_push_flags(&k->ring, e[i].from, e[i].to, e[i].flags);
	take_calls(&k->calls, (const uint64_t *)(e + p->nr_branches), p->nr_calls);
	if (p->header.misc & HISTORY_LOST)
		ring_clear(&k->ring);
	k->resume = p->resume;
	k->at = p->at;
}

/* ---- samples ------------------------------------------------------------------------------ */

/*
 * Appends the call chain to dst + n, of a sample of which `rest` bytes are to follow. Returns
 * the new size.
 */
static size_t put_chain(struct join *j, const struct known *k, uint64_t ip, uint8_t *dst, size_t n,
			size_t rest)
{
	static const struct callstack none;
	const size_t room = (PD_MAX_RECORD - n - rest - JOIN_EMPTY) / sizeof(uint64_t);
	const size_t max = j->o.chain + 1 < room ? j->o.chain + 1 : room;
	const uint64_t nr =
		ip ? callstack_late(k ? &k->calls : &none, ip, j->chain, (unsigned int)max) : 0;

	j->counts.chains++;
	j->counts.callers += nr > 2;
	memcpy(dst + n, &nr, sizeof(nr));
	memcpy(dst + n + sizeof(nr), j->chain, nr * sizeof(*j->chain));
	return n + (1 + nr) * sizeof(nr);
}

/* Appends the branch stack, to a sample of which `rest` bytes are to follow. */
static size_t put_stack(struct join *j, const struct known *k, uint64_t ip, uint8_t *dst, size_t n,
			size_t rest)
{
	const uint64_t no_index = UINT64_MAX;
	const size_t nr_at = n;
	const uint32_t late = k ? history_late(&k->ring, ip, k->at) : 0;
	uint64_t nr = k ? k->ring.count - late : 0, room, i;

	n += sizeof(nr);
	if (j->o.hw_index) {
		memcpy(dst + n, &no_index, sizeof(no_index));
		n += sizeof(no_index);
	}
	nr = nr < j->o.stack ? nr : j->o.stack;
	room = (PD_MAX_RECORD - n - rest) / sizeof(struct ring_entry);
	j->counts.cut += nr > room;
	nr = nr < room ? nr : room;
	j->counts.stacks++;
	j->counts.full += nr == j->o.stack;
	j->counts.empty += !nr;
	memcpy(dst + nr_at, &nr, sizeof(nr));
	for (i = 0; i < nr; i++, n += sizeof(struct ring_entry))
		memcpy(dst + n, ring_at(&k->ring, late + (uint32_t)i), sizeof(struct ring_entry));
	return n;
}

size_t join_sample(struct join *j, const struct join_mark *mark, const void *sample, void *dst)
{
	const struct known *k = mark->thread == JOIN_NO_THREAD ? NULL : known_of(j, mark->thread);
	struct perf_event_header h;
	const uint8_t *src = sample;
	size_t n = 0, at = 0;

	memcpy(&h, src, sizeof(h));
	j->counts.samples++;
	if (mark->chain_at) {
		at = n = mark->chain_at;
		memcpy(dst, src, n);
		n = put_chain(j, k, mark->ip, dst, n, h.size - at);
	}
	if (mark->stack_at) {
		memcpy((uint8_t *)dst + n, src + at, mark->stack_at - at);
		n += mark->stack_at - at;
		at = mark->stack_at;
		n = put_stack(j, k, mark->ip, dst, n, h.size - at);
	}
	memcpy((uint8_t *)dst + n, src + at, h.size - at);
	n += h.size - at;
	h.size = (uint16_t)n;
	memcpy(dst, &h, sizeof(h));
	return n;
}
