/* SPDX-License-Identifier: GPL-2.0-only */
/* scan.c - decoders that find timestamps, and the time from the first to the last of them. */
#include "machine/clocks/scan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/time.h"
#include "machine/buffers/owners.h"
#include "machine/clocks/clocks.h"

static struct trace_unit *unit_of(const struct trace_units *tu, struct queue *q, const struct fragment *f,
				  uint8_t id)
{
	if (f->pub.raw)
		return units_of_raw(tu, q, f);
	return units_of_owner(tu, owners_at(tu, q, id, f->pub.time, f->seq), id);
}

int clock_scan_begin(struct clock_scan *s, const struct trace_units *tu, struct queue *q,
		     const struct fragment *f, const uint8_t *data, size_t len)
{
	unsigned int id, last = f->pub.raw ? 1 : 0x70;
	int rc;

	memset(s, 0, sizeof(*s));
	rc = mem_code(cst_tree_new(&s->tree, f->pub.raw ? CST_TREE_RAW : CST_TREE_FRAMES,
			  f->pub.raw ? 0 : CST_FRAME_RESET_4X));
	if (rc)
		return rc;
	if (!f->pub.raw)
		queue_find_ids(q);
	for (id = f->pub.raw ? 0 : 1; id < last && !rc; id++) {
		struct cst_config cfg = { 0 };

		if (!f->pub.raw && !(q->ids[id >> 6] >> (id & 63) & 1))
			continue;
		s->unit[id] = unit_of(tu, q, f, (uint8_t)id);
		if (!s->unit[id] || s->unit[id]->config_error || !s->unit[id]->timestamps)
			continue;
		cfg = s->unit[id]->config;
		if (!f->pub.raw)
			cfg.trace_id = (uint8_t)id;
		rc = mem_code(cst_tree_add(s->tree, &cfg, &s->dec[id]));
		s->nr++;
	}
	return rc || !s->nr ? rc : mem_code(cst_tree_feed(s->tree, data, len, f->pub.offset));
}

/* Extends [*first, *last] by the timestamps of a fragment. */
static int look_at(const struct clocks *c, struct queue *q, const struct fragment *f, const uint8_t *data,
		   uint64_t *first, uint64_t *last)
{
	const struct trace_clock *clock;
	struct clock_scan s;
	struct cst_scan m;
	uint64_t ns;
	int rc = clock_scan_begin(&s, c->units, q, f, data, f->pub.size);

	while (!rc && s.nr && cst_tree_scan(s.tree, &m)) {
		if (m.kind != CST_SCAN_TIMESTAMP)
			continue;
		clock = clocks_of_cpu(c, unit_cpu(s.unit[f->pub.raw ? 0 : m.trace_id]));
		if (!clock || !clock_ns(clock, m.ts, f->pub.time, &ns))
			continue;
		*first = ns < *first ? ns : *first;
		*last = ns > *last ? ns : *last;
	}
	cst_tree_free(s.tree);
	return rc;
}

int clocks_range(const struct clocks *c, const struct queues *qs, uint64_t *first, uint64_t *last)
{
	struct joined joined = { NULL, 0 };
	const uint8_t *data;
	size_t i, k;
	int rc = 0;

	*first = UINT64_MAX;
	*last = 0;
	for (i = 0; i < qs->nr; i++)
		for (k = 0; k < qs->q[i]->nr_frags && !rc; k++) {
			const struct fragment *f = &qs->q[i]->frags[k];

			if (!f->nr_parts)
				continue;
			data = fragment_bytes(&joined, qs->q[i], f);
			rc = look_at(c, qs->q[i], f, data, first, last);
		}
	joined_free(&joined);
	return rc;
}
