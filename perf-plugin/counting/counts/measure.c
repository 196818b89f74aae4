/* SPDX-License-Identifier: GPL-2.0-only */
/* measure.c - replaces numbers of instructions by cycles or by time. */
#include "counting/counts/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/wide.h"
#include "session/decode/cycle_counts.h"

static void put_cycles(struct measure *m, size_t n)
{
	struct cst_generic *g;

	for (g = m->v; g < m->v + n; g++) {
		if (!cycle_count_covers(g))
			continue;
		m->rest.insns += g->flags & CST_GF_CC ? 0 : g->n_insn;
		g->n_insn = g->flags & CST_GF_CC ? g->cc : 0;
	}
}

static uint64_t count_insns(const struct cst_generic *g, size_t n)
{
	uint64_t insns = 0;

	for (; n; n--, g++)
		insns += cycle_count_covers(g) ? g->n_insn : 0;
	return insns;
}

/*
 * Divides the time of the batch in proportion to instructions. A range has 32 bits for it, the next
 * one of the batch has the rest.
 */
static void put_time(struct measure *m, const struct stream *s, size_t n)
{
	const uint64_t all = count_insns(m->v, n), time = s->time_end - s->time;
	uint64_t done = 0, given = 0, due;
	struct cst_generic *g;

	for (g = m->v; g < m->v + n; g++) {
		if (!cycle_count_covers(g))
			continue;
		done += g->n_insn;
		due = all ? wide_mul_div(time, done, all) - given : 0;
		g->n_insn = due < UINT32_MAX ? (uint32_t)due : UINT32_MAX;
		given += g->n_insn;
	}
	m->rest.time += all ? time - given : 0;
}

const struct cst_generic *measure_batch(struct measure *m, const struct stream *s,
					const struct cst_generic *g, size_t n)
{
	if (s->selected.excluded)
		return g;
	array_room(&m->v, 0, n, &m->cap, sizeof(*m->v));
	memcpy(m->v, g, n * sizeof(*g));
	if (m->metric == METRIC_CYCLES) {
		put_cycles(m, n);
	} else {
		m->rest.insns += s->time_known ? 0 : count_insns(g, n);
		put_time(m, s, n);
	}
	return m->v;
}

void measure_free(struct measure *m)
{
	free(m->v);
	*m = (struct measure){ .v = NULL };
}
