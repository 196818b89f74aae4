/* SPDX-License-Identifier: GPL-2.0-only */
/* code.c - collects the code that ran, range by range, and notices where an address had two contents. */
#include "outputs/export/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "session/decode/stream.h"
#include "session/decode/locate.h"
#include "outputs/export/copying.h"

#define READ_STEP	65536u
#define FIRST_SLOTS	4096u

void code_init(struct code *c, uint64_t limit, const struct copy_origin *origin)
{
	memset(c, 0, sizeof(*c));
	c->limit = limit;
	c->origin = origin;
}

void code_free(struct code *c)
{
	size_t i;

	for (i = 0; i < c->nr_regions; i++)
		free(c->regions[i].bytes);
	free(c->regions);
	free(c->slots);
	memset(c, 0, sizeof(*c));
}

static struct code_granule *slot_of(struct code_granule *v, size_t nr, uint64_t number)
{
	size_t i = (number * 0x9e3779b97f4a7c15u >> 20) & (nr - 1);

	while (v[i].region && v[i].number != number)
		i = (i + 1) & (nr - 1);
	return &v[i];
}

static void grow(struct code *c)
{
	size_t nr = c->nr_slots ? c->nr_slots * 2 : FIRST_SLOTS, i;
	struct code_granule *v = mem_zeroed(nr, sizeof(*v));

	for (i = 0; i < c->nr_slots; i++)
		if (c->slots[i].region)
			*slot_of(v, nr, c->slots[i].number) = c->slots[i];
	free(c->slots);
	c->slots = v;
	c->nr_slots = nr;
}

/* The bytes of a map as the thread sees them now. */
static void read_region(struct code *c, const struct stream *s, struct code_region *r)
{
	uint64_t want = r->end - r->start;
	size_t cap = 0, n;

	while (r->len < want) {
		if (r->len == cap) {
			if (cap >= c->limit - c->bytes) {
				c->over_limit = true;
				break;
			}
			cap = cap ? cap * 2 : READ_STEP;
			if (cap > c->limit - c->bytes)
				cap = c->limit - c->bytes;
			r->bytes = mem_more(r->bytes, cap, 1);
		}
		n = want - r->len < cap - r->len ? want - r->len : cap - r->len;
		n = session_read_code(s, r->start + r->len, r->bytes + r->len, n);
		if (!n)
			break;
		r->len += n;
	}
	if (r->len)
		r->bytes = mem_more(r->bytes, r->len, 1);
	c->bytes += r->len;
}

/* The region that an address belongs to now; its index + 1, 0 when nothing is known there. */
static size_t region_at(struct code *c, const struct stream *s, uint64_t addr)
{
	struct code_region *r, *new;
	struct session_loc loc;
	uint64_t offset;
	size_t i;

	if (!session_locate(s, addr, &loc) || loc.map_end <= loc.map_start)
		return 0;
	offset = loc.offset - (addr - loc.map_start);
	for (i = 0; i < c->nr_regions; i++) {
		r = &c->regions[(c->last + i) % c->nr_regions];
		if (r->start == loc.map_start && r->end == loc.map_end && r->dso == loc.dso &&
		    r->offset == offset) {
			c->last = (size_t)(r - c->regions);
			return c->last + 1;
		}
	}
	if (c->nr_regions == CODE_REGIONS) {
		c->over_limit = true;
		return 0;
	}
	new = ARRAY_ADD(c->regions, c->nr_regions, c->cap_regions);
	*new = (struct code_region){ .start = loc.map_start, .end = loc.map_end, .offset = offset,
				     .dso = loc.dso, .kernel = loc.kernel };
	for (i = 0; i + 1 < c->nr_regions; i++) {
		r = &c->regions[i];
		if (r->start < new->end && new->start < r->end)
			r->shared = new->shared = true;
	}
	new->refused = loc.dso ? copy_refused(loc.dso, c->origin) : NULL;
	if (!new->refused)
		read_region(c, s, new);
	return c->nr_regions;
}

static void take_granule(struct code *c, const struct stream *s, uint64_t number, uint64_t addr,
			 uint32_t section,
			uint32_t offset)
{
	struct code_granule *g;
	size_t region;

	if (c->nr_slots) {
		g = slot_of(c->slots, c->nr_slots, number);
		if (g->region) {
			if (g->section == section && g->offset == offset)
				return;
			if (!c->conflicts++)
				c->conflict_addr = addr;
			return;
		}
	}
	region = region_at(c, s, addr);
	if (!region)
		return;
	if (2 * (c->used + 1) > c->nr_slots)
		grow(c);
	g = slot_of(c->slots, c->nr_slots, number);
	*g = (struct code_granule){ number, (uint32_t)region, section, offset };
	c->used++;
}

void code_range(struct code *c, const struct stream *s, const struct cst_generic *g)
{
	uint64_t number = g->addr / CODE_GRANULE, last;

	if (!g->section || g->end <= g->addr)
		return;
	for (last = (g->end - 1) / CODE_GRANULE; number <= last; number++) {
		uint64_t start = number * CODE_GRANULE;

		take_granule(c, s, number, start > g->addr ? start : g->addr, g->section,
			     g->sect_off + (uint32_t)(start - g->addr));
	}
}

/* ---- pieces ------------------------------------------------------------------------------------ */

/* Where regions overlap: runs of granules that ran, cut to their region. */
static void add_runs(struct code *c, struct code_piece **v, size_t *nr, size_t *cap)
{
	struct code_granule *g = mem_array(c->used + 1, sizeof(*g));
	size_t n = 0, i, k;

	for (i = 0; i < c->nr_slots; i++)
		if (c->slots[i].region && c->regions[c->slots[i].region - 1].shared)
			g[n++] = c->slots[i];
	ARRAY_SORT_BY(g, n, number);
	for (i = 0; i < n; i = k) {
		const struct code_region *r = &c->regions[g[i].region - 1];
		uint64_t from = g[i].number * CODE_GRANULE, to;

		for (k = i + 1; k < n && g[k].region == g[i].region && g[k].number == g[k - 1].number + 1; k++)
			;
		to = (g[k - 1].number + 1) * CODE_GRANULE;
		from = from > r->start ? from : r->start;
		to = to < r->start + r->len ? to : r->start + r->len;
		if (to <= from)
			continue;
		*ARRAY_ADD(*v, *nr, *cap) = (struct code_piece){
			from, r->bytes + (from - r->start), (size_t)(to - from), r->kernel };
	}
	free(g);
}

size_t code_pieces(struct code *c, struct code_piece **pieces)
{
	struct code_piece *v = NULL;
	size_t nr = 0, cap = 0, i;

	for (i = 0; i < c->nr_regions; i++) {
		const struct code_region *r = &c->regions[i];

		if (!r->shared && r->len)
			*ARRAY_ADD(v, nr, cap) =
				(struct code_piece){ r->start, r->bytes, r->len, r->kernel };
	}
	add_runs(c, &v, &nr, &cap);
	ARRAY_SORT_BY(v, nr, address);
	*pieces = v;
	return nr;
}
