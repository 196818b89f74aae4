/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairing.c - when the file does not tell how timestamps become time: each AUX record, and the record that
 * started the trace, bound the time of the timestamps between them. The clock is fitted to these before
 * anything is decoded, so that times do not depend on what is decoded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "buffers/owners.h"
#include "session/internal.h"

/* AUX records of one buffer that are looked at, spread over all of it. */
#define MAX_FRAGMENTS	256u
/* Where a fragment's first and last timestamps are looked for. */
#define HEAD		(1u << 20)
#define TAIL		8192u

struct pairing {
	struct session *ss;
	struct joined joined;
	struct clock_window *w;
	size_t nr, cap;
};

/* The trace that begins in the fragment did not begin before this. */
static uint64_t start_time(const struct session *ss, const struct fragment *f, int cpu)
{
	const struct trace_start *start = intmap_get(&ss->starts, cpu);
	uint64_t time = fragment_floor(f);

	return start && start->time > time && start->time <= f->pub.time ? start->time : time;
}

static int add_window(struct pairing *p, const struct fragment *f, int cpu, uint64_t ticks)
{
	struct clock_window *w = ARRAY_ADD(p->w, p->nr, p->cap);

	if (!w)
		return -CST_ERR_NOMEM;
	w->ticks = ticks;
	w->from = start_time(p->ss, f, cpu);
	w->to = f->pub.time;
	w->cpu = cpu;
	return 0;
}

static struct trace_unit *unit_of(struct session *ss, struct queue *q, const struct fragment *f, uint8_t id)
{
	if (f->pub.raw)
		return units_of_raw(&ss->units, q, f);
	return units_of_owner(&ss->units, owners_at(&ss->units, q, id, f->pub.time, f->seq), id);
}

/* The first timestamp of each of `wanted` decoders, as far as they are before a barrier; 0: none. */
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

/* The first timestamp of each trace ID in a piece of a fragment. */
static int look_in(struct pairing *p, struct queue *q, const struct fragment *f, const uint8_t *data, size_t len)
{
	struct cst_decoder *dec[128] = { NULL };
	struct trace_unit *u[128];
	struct cst_tree *tree;
	unsigned int id, last = f->pub.raw ? 1 : 0x70;
	uint64_t ids[2] = { 0, 0 }, ticks[128];
	unsigned int n = 0;
	int rc;

	rc = cst_tree_new(&tree, f->pub.raw ? CST_TREE_RAW : CST_TREE_FRAMES, f->pub.raw ? 0 : CST_FRAME_RESET_4X);
	if (rc)
		return rc;
	if (!f->pub.raw) {
		session_queue_ids(q);
		ids[0] = q->ids[0];
		ids[1] = q->ids[1];
	}
	for (id = f->pub.raw ? 0 : 1; id < last && !rc; id++) {
		struct cst_config cfg;

		if (!f->pub.raw && !(ids[id >> 6] >> (id & 63) & 1))
			continue;
		u[id] = unit_of(p->ss, q, f, (uint8_t)id);
		if (!u[id] || u[id]->config_error || !u[id]->timestamps)
			continue;
		cfg = u[id]->config;
		if (!f->pub.raw)
			cfg.trace_id = (uint8_t)id;
		rc = cst_tree_add(tree, &cfg, &dec[id]);
		n++;
	}
	if (!rc)
		rc = cst_tree_feed(tree, data, len, f->pub.offset);
	if (!rc)
		first_times(tree, n, ticks);
	for (id = 0; id < last && !rc; id++)
		if (dec[id] && ticks[cst_decoder_config(dec[id])->trace_id])
			rc = add_window(p, f, (int)u[id]->aux->cpu, ticks[cst_decoder_config(dec[id])->trace_id]);
	cst_tree_free(tree);
	return rc;
}

static int look_at(struct pairing *p, struct queue *q, struct fragment *f)
{
	const uint8_t *data;
	uint64_t tail;
	int rc;

	/* A snapshot's data may be from any time before. */
	if (f->pub.time == NO_TIME || !f->nr_parts)
		return 0;
	data = fragment_bytes(&p->joined, q, f);
	if (!data)
		return -CST_ERR_NOMEM;
	rc = look_in(p, q, f, data, f->pub.size < HEAD ? f->pub.size : HEAD);
	if (rc || f->pub.size <= 2 * TAIL)
		return rc;
	tail = (f->pub.size - TAIL) & ~15ull;
	return look_in(p, q, f, data + tail, f->pub.size - tail);
}

/* The clocks of CPUs whose windows are in [first, last) of p->w. */
static void fit(struct pairing *p, struct clock_window *w, size_t n, int cpu)
{
	struct session *ss = p->ss;
	struct trace_clock c;
	uint32_t i;

	for (i = 0; i < ss->units.info.nr_cpu; i++) {
		if (cpu >= 0 && (int)ss->units.info.cpu[i].cpu != cpu)
			continue;
		c = ss->clocks[i];
		clock_fit(&c, w, n);
		ss->clocks[i] = c;
	}
}

static int by_cpu(const void *pa, const void *pb)
{
	const struct clock_window *a = pa, *b = pb;

	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/* One counter for all CPUs, as the architecture has it, if the records allow that; else one for each. */
static void fit_all(struct pairing *p)
{
	struct session *ss = p->ss;
	bool contradicted = false;
	size_t i, k;

	if (!p->nr)
		return;
	fit(p, p->w, p->nr, -1);
	for (i = 0; i < ss->units.info.nr_cpu; i++)
		contradicted |= ss->clocks[i].contradicted;
	if (!contradicted)
		return;
	qsort(p->w, p->nr, sizeof(*p->w), by_cpu);
	for (i = 0; i < p->nr; i = k) {
		for (k = i; k < p->nr && p->w[k].cpu == p->w[i].cpu; k++)
			;
		fit(p, p->w + i, k - i, p->w[i].cpu);
	}
}

static unsigned int tsize_bits(const struct aux_cpu *a)
{
	return (a->reg[AUX_REG_TRCIDR0] >> 24 & 0x1f) == 6 ? 48 : 64;
}

int session_make_clocks(struct session *ss)
{
	struct pairing p = { .ss = ss };
	bool estimate = false;
	size_t i, k, step;
	int rc = 0;

	ss->clocks = calloc(ss->units.info.nr_cpu ? ss->units.info.nr_cpu : 1, sizeof(*ss->clocks));
	if (!ss->clocks)
		return -CST_ERR_NOMEM;
	for (i = 0; i < ss->units.info.nr_cpu; i++) {
		const struct aux_cpu *a = &ss->units.info.cpu[i];
		const struct clock_facts facts = {
			.conv = ss->have_conv ? &ss->conv : NULL,
			.timestamps = ss->units.v[i].timestamps,
			.virtual_counter = a->has_ts_source && a->ts_source == AUX_TS_VIRTUAL,
			.counter = a->has_ts_source && a->ts_source != AUX_TS_UNKNOWN,
			.bits = tsize_bits(a),
			.freq = ss->opts.ts_freq,
		};

		clock_init(&ss->clocks[i], &facts);
		estimate |= ss->clocks[i].kind == CLOCK_ESTIMATED;
		ss->timestamps |= facts.timestamps;
	}
	if (ss->opts.ts_freq && !ss->timestamps)
		fprintf(stderr, "cstrace: %s: warning: --ts-freq has no effect: the trace has no timestamps\n", ss->name);
	for (i = 0; estimate && i < ss->queues.nr && !rc; i++) {
		struct queue *q = ss->queues.q[i];

		step = q->nr_frags / MAX_FRAGMENTS + 1;
		for (k = 0; k < q->nr_frags && !rc; k += step)
			rc = look_at(&p, q, &q->frags[k]);
		/* the last one tells most about the rate */
		if (!rc && q->nr_frags > 1 && (q->nr_frags - 1) % step)
			rc = look_at(&p, q, &q->frags[q->nr_frags - 1]);
	}
	if (!rc)
		fit_all(&p);
	free(p.w);
	joined_free(&p.joined);
	return rc;
}

const struct trace_clock *session_clock(const struct session *ss, int cpu)
{
	uint32_t i;

	for (i = 0; i < ss->units.info.nr_cpu; i++)
		if ((int)ss->units.info.cpu[i].cpu == cpu)
			return &ss->clocks[i];
	return NULL;
}
