/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairing.c - fits the clocks of a file that does not define how timestamps convert to time. The records of an AUX
 * fragment and of the start of the trace bound the time of the timestamps between them. The clocks are fitted before
 * decoding, so that times do not depend on what is decoded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/time.h"
#include "machine/buffers/queues.h"
#include "machine/clocks/clocks.h"
#include "machine/clocks/scan.h"

/* maximum number of AUX records per buffer, evenly distributed */
#define MAX_FRAGMENTS	256u
/* bytes of a fragment searched for its first and for its last timestamps */
#define HEAD		(1u << 20)
#define TAIL		8192u

struct pairing {
	struct clocks *c;
	struct joined joined;
};

/* Returns a lower bound for the time of a fragment's first byte. */
static uint64_t start_time(const struct clocks *c, const struct fragment *f, int cpu)
{
	const struct trace_start *start = clocks_start(c, cpu);
	uint64_t time = fragment_floor(f);

	return start && start->time > time && start->time <= f->pub.time ? start->time : time;
}

static void add_bracket(struct pairing *p, const struct fragment *f, int cpu, uint64_t ticks)
{
	struct clock_bracket *w =
		ARRAY_ADD(p->c->brackets.v, p->c->brackets.nr, p->c->brackets.cap);

	w->ticks = ticks;
	w->from = start_time(p->c, f, cpu);
	w->to = f->pub.time;
	w->cpu = cpu;
}

/* Finds the first timestamp of each of `wanted` decoders before a barrier; 0: none. */
static void first_times(struct cst_tree *tree, unsigned int wanted, uint64_t ticks[128])
{
	struct cst_scan m;

	memset(ticks, 0, 128 * sizeof(*ticks));
	while (wanted && cst_tree_scan(tree, &m) && m.kind != CST_SCAN_BARRIER)
		if (m.kind == CST_SCAN_TIMESTAMP && !ticks[m.trace_id]) {
			ticks[m.trace_id] = m.ts;
			wanted--;
		}
}

/* Finds the first timestamp of each trace ID in a part of a fragment. */
static int look_in(struct pairing *p, struct queue *q, const struct fragment *f, const uint8_t *data, size_t len)
{
	struct clock_scan s;
	uint64_t ticks[128];
	unsigned int id;
	int rc = clock_scan_begin(&s, p->c->units, q, f, data, len);

	if (!rc)
		first_times(s.tree, s.nr, ticks);
	for (id = 0; id < 128 && !rc; id++)
		if (s.dec[id] && ticks[cst_decoder_config(s.dec[id])->trace_id])
			add_bracket(p, f, (int)s.unit[id]->aux->cpu,
				    ticks[cst_decoder_config(s.dec[id])->trace_id]);
	cst_tree_free(s.tree);
	return rc;
}

static int look_at(struct pairing *p, struct queue *q, struct fragment *f)
{
	const uint8_t *data;
	uint64_t tail;
	int rc;

	/* the data of a snapshot may be of any earlier time */
	if (f->pub.time == NO_TIME || !f->nr_parts)
		return 0;
	data = fragment_bytes(&p->joined, q, f);
	rc = look_in(p, q, f, data, f->pub.size < HEAD ? f->pub.size : HEAD);
	if (rc || f->pub.size <= 2 * TAIL)
		return rc;
	tail = (f->pub.size - TAIL) & ~15ull;
	return look_in(p, q, f, data + tail, f->pub.size - tail);
}

/* Fits the clock of a CPU, or of all CPUs, to the brackets w[0..n). */
static void fit(struct pairing *p, struct clock_bracket *w, size_t n, int cpu)
{
	const struct auxinfo *info = &p->c->units->info;
	struct trace_clock c;
	uint32_t i;

	for (i = 0; i < info->nr_cpu; i++) {
		if (cpu >= 0 && (int)info->cpu[i].cpu != cpu)
			continue;
		c = p->c->v[i];
		clock_fit(&c, w, n);
		p->c->v[i] = c;
	}
}

static int by_cpu(const void *pa, const void *pb)
{
	const struct clock_bracket *a = pa, *b = pb;

	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/* Fits one counter for all CPUs, as the architecture requires, or one per CPU if the records contradict that. */
static void fit_all(struct pairing *p)
{
	struct clock_bracket *w = p->c->brackets.v;
	const size_t nr = p->c->brackets.nr;
	bool contradicted = false;
	size_t i, k;

	if (!nr)
		return;
	fit(p, w, nr, -1);
	for (i = 0; i < p->c->units->info.nr_cpu; i++)
		contradicted |= p->c->v[i].contradicted;
	if (!contradicted)
		return;
	qsort(w, nr, sizeof(*w), by_cpu);
	for (i = 0; i < nr; i = k) {
		for (k = i; k < nr && w[k].cpu == w[i].cpu; k++)
			;
		fit(p, w + i, k - i, w[i].cpu);
	}
}

static unsigned int tsize_bits(const struct aux_cpu *a)
{
	return (a->reg[AUX_REG_TRCIDR0] >> 24 & 0x1f) == 6 ? 48 : 64;
}

int clocks_make(struct clocks *c, struct queues *qs)
{
	const struct auxinfo *info = &c->units->info;
	struct pairing p = { .c = c };
	bool estimate = false;
	size_t i, k, step;
	int rc = 0;

	c->v = mem_zeroed(info->nr_cpu ? info->nr_cpu : 1, sizeof(*c->v));
	for (i = 0; i < info->nr_cpu; i++) {
		const struct aux_cpu *a = &info->cpu[i];
		const struct clock_facts facts = {
			.conv = c->have_conv ? &c->conv : NULL,
			.timestamps = c->units->v[i].timestamps,
			.virtual_counter = c->kernel_time || (a->has_ts_source && a->ts_source == AUX_TS_VIRTUAL),
			.counter = c->kernel_time || (a->has_ts_source && a->ts_source != AUX_TS_UNKNOWN),
			.bits = tsize_bits(a),
			.freq = c->ts_freq,
		};

		clock_init(&c->v[i], &facts);
		estimate |= c->v[i].kind == CLOCK_ESTIMATED;
		c->timestamps |= facts.timestamps;
	}
	for (i = 0; estimate && i < qs->nr && !rc; i++) {
		struct queue *q = qs->q[i];

		step = q->nr_frags / MAX_FRAGMENTS + 1;
		for (k = 0; k < q->nr_frags && !rc; k += step)
			rc = look_at(&p, q, &q->frags[k]);
		/* the last fragment determines the rate best */
		if (!rc && (q->nr_frags - 1) % step)	/* step is 1 for few fragments or none */
			rc = look_at(&p, q, &q->frags[q->nr_frags - 1]);
	}
	if (!rc)
		fit_all(&p);
	for (i = 0; i < info->nr_cpu && c->alone; i++)
		clock_alone(&c->v[i]);
	joined_free(&p.joined);
	return rc;
}
