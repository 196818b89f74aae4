/* SPDX-License-Identifier: BSD-3-Clause */
/* counts.c - moves counts from the blocks to the tables of their sections, which outlive the blocks. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/isa.h>

#include "flow/image/counts_int.h"

int cst_counts_new(struct cst_counts **out, struct cst_image *img, unsigned int flags)
{
	struct cst_counts *c;

	if (img->counts)
		return -CST_ERR_BUSY;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -CST_ERR_NOMEM;
	if (!cst_crossings_new(img) || !cst_image_set_stride(img, BLK_STRIDE_COUNTS)) {
		free(c);
		return -CST_ERR_NOMEM;
	}
	c->img = img;
	c->joined = !!(flags & CST_COUNTS_JOINED);
	img->counts = c;
	*out = c;
	return 0;
}

static void free_exits(struct section_counts *s)
{
	uint32_t i;

	for (i = 0; i < s->nr_exits; i++)
		cst_pairs_free(&s->exits[i].edges);
	free(s->exits);
}

void cst_counts_free(struct cst_counts *c)
{
	uint32_t i;

	if (!c)
		return;
	c->img->counts = NULL;
	for (i = 0; i < c->nr_sec; i++) {
		cst_pairs_free(&c->sec[i].ranges);
		cst_pairs_free(&c->sec[i].edges);
		free_exits(&c->sec[i]);
	}
	free(c->sec);
	free(c);
}

/* Makes tables for all sections. Returns 0 without memory; the failure is recorded. */
static __attribute__((noinline)) int make_tables(struct cst_counts *c)
{
	struct section_counts *v;
	uint32_t nr = (uint32_t)c->img->sec_count;

	v = realloc(c->sec, nr * sizeof(*v));
	if (!v) {
		c->no_memory = 1;
		return 0;
	}
	memset(v + c->nr_sec, 0, (nr - c->nr_sec) * sizeof(*v));
	c->sec = v;
	c->nr_sec = nr;
	return 1;
}

/* Returns the tables of a section, NULL without memory. */
static inline struct section_counts *tables_of(struct cst_counts *c, uint32_t section)
{
	return section <= c->nr_sec || make_tables(c) ? &c->sec[section - 1] : NULL;
}

/* Section offset of a block's first, and of its last instruction. */
static uint32_t start_of(const struct cst_counts *c, uint32_t place)
{
	return (uint32_t)blk_off(BLK_AT(c->img->blocks.blk, place));
}

static uint32_t last_of(const struct cst_counts *c, uint32_t place)
{
	const struct blk *b = BLK_AT(c->img->blocks.blk, place);

	return (uint32_t)blk_off(b) + (uint32_t)b->step[0] - b->last_size;
}

static void add_edges(struct cst_counts *c, uint32_t section, uint32_t from, uint32_t to, uint64_t count)
{
	struct section_counts *s = tables_of(c, section);

	if (s && !cst_pairs_insert(&s->edges, last_of(c, from), start_of(c, to), count))
		c->no_memory = 1;
}

static void add_ranges(struct cst_counts *c, uint32_t section, uint32_t first, uint32_t last, uint64_t count)
{
	struct section_counts *s = tables_of(c, section);

	if (s && !cst_pairs_insert(&s->ranges, start_of(c, first), last_of(c, last), count))
		c->no_memory = 1;
}

/* Sets s->last_exit to the exits to a section, which it searches one by one. Returns 0 if there are none. */
static inline int find_exits(struct section_counts *s, uint32_t to)
{
	uint32_t i;

	if (s->nr_exits && s->exits[s->last_exit].section == to)
		return 1;
	for (i = 0; i < s->nr_exits && s->exits[i].section != to; i++)
		;
	if (i == s->nr_exits)
		return 0;
	s->last_exit = i;
	return 1;
}

/* Adds exits to a section, and sets s->last_exit to them. Returns 0 without memory; the failure is recorded. */
static __attribute__((noinline)) int add_exits(struct cst_counts *c, struct section_counts *s, uint32_t to)
{
	struct cst_exits *x = realloc(s->exits, (s->nr_exits + 1) * sizeof(*x));

	if (!x) {
		c->no_memory = 1;
		return 0;
	}
	s->exits = x;
	s->last_exit = s->nr_exits++;
	x[s->last_exit] = (struct cst_exits){ .section = to };
	return 1;
}

/* Section offset of the last instruction of a RANGE or RUN. */
static inline uint32_t last_insn(const struct cst_generic *g)
{
	return g->sect_off + (uint32_t)(g->end - g->addr) - g->last_size;
}

static inline void close_range(struct cst_counts *c, struct count_open *o)
{
	struct section_counts *s = o->open ? tables_of(c, o->section) : NULL;

	if (s && !cst_pairs_add(&s->ranges, o->start, o->last))
		c->no_memory = 1;
	o->open = 0;
}

/* Returns the table for a branch from a section to this one or another; NULL without memory. */
static struct cst_pairs *edges_to(struct cst_counts *c, uint32_t from, uint32_t to)
{
	struct section_counts *s = tables_of(c, from);

	if (!s || from == to)
		return s ? &s->edges : NULL;
	return find_exits(s, to) || add_exits(c, s, to) ? &s->exits[s->last_exit].edges : NULL;
}

/* Opens a range of the counts, and counts the branch to it if the last one was taken and both are in sections. */
static void open_range(struct cst_counts *c, struct count_open *o, const struct cst_generic *g)
{
	struct cst_pairs *edges;

	close_range(c, o);
	if (o->taken && o->section && g->section) {
		edges = edges_to(c, o->section, g->section);
		if (edges && !cst_pairs_add(edges, o->last, g->sect_off))
			c->no_memory = 1;
	}
	o->start = g->sect_off;
}

/* Moves what was counted of a crossing to its section. */
static void settle(struct cst_counts *c, struct crossing *x)
{
	struct cst_pairs *edges = x->count ? edges_to(c, x->section, x->to_section) : NULL;

	if (!edges)
		return;
	if (!cst_pairs_insert(edges, last_of(c, x->from), start_of(c, x->to), x->count))
		c->no_memory = 1;
	c->sec[x->section - 1].insns += x->insns;
	x->count = x->insns = 0;
}

static void settle_all(struct cst_counts *c)
{
	unsigned int i;

	for (i = 0; c->img->crossings->crossed && i < 1 << CROSSING_BITS; i++)
		settle(c, &c->img->crossings->x[i]);
	c->img->crossings->crossed = 0;
}

void cst_counts_enter(struct cst_counts *c, const struct crossing *x)
{
	struct crossing *at = crossing_at(c->img->crossings, x->from, x->addr);

	settle(c, at);
	*at = *x;
}

void cst_counts_elements(struct cst_counts *c, struct count_open *o, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;

	for (; g < end; g++) {
		switch (g->kind) {
		case CST_GEN_RANGE:
			if (!o->open || o->section != g->section || o->end != g->addr || (c->joined ? o->taken : o->branch))
				open_range(c, o, g);
			break;
		case CST_GEN_COUNTED:
			/* the decoder has counted up to the begin of its open range */
			close_range(c, o);
			o->start = g->start;
			break;
		default:
			/* the range is not the target of the last branch */
			if (cst_generic_loses_flow(g->kind) || g->kind == CST_GEN_EXCEPTION) {
				close_range(c, o);
				o->section = 0;
			}
			continue;
		}
		o->section = g->section;
		o->end = g->end;
		o->last = last_insn(g);
		o->open = g->section != 0;
		o->branch = cst_insn_is_branch(g->last_type);
		o->taken = o->branch && g->flags & CST_GF_EXEC;
	}
}

#define FULL ((uint64_t)1 << 32)

/* True if the counter of this pair was full and is 0 now. */
static int was_full(const struct pair_count *n, uint32_t place)
{
	return n->place == place && !n->count;
}

void cst_counts_edge_slow(struct cst_counts *c, uint32_t section, uint32_t from, uint32_t to)
{
	struct pair_count *out = &count_at(c, from)->to, *in = &count_at(c, to)->from;
	const int direct = BLK_AT(c->img->blocks.blk, from)->type == CST_INSN_BRANCH;

	if (was_full(out, to) || was_full(in, from)) {
		add_edges(c, section, from, to, FULL);
		return;
	}
	if (!out->count && (direct || in->count)) {
		*out = (struct pair_count){ to, 1 };
		return;
	}
	if (in->count)
		add_edges(c, section, in->place, to, in->count);
	*in = (struct pair_count){ from, 1 };
}

void cst_counts_range_slow(struct cst_counts *c, uint32_t section, uint32_t first, uint32_t last)
{
	struct pair_count *n = &count_at(c, first)->range;

	if (was_full(n, last)) {
		add_ranges(c, section, first, last, FULL);
		return;
	}
	if (n->count)
		add_ranges(c, section, first, n->place, n->count);
	*n = (struct pair_count){ last, 1 };
}

/* Adds `n` atoms of a block that is a range of its own. */
static void add_atoms(struct cst_counts *c, uint32_t section, uint32_t place, uint64_t n, uint64_t e)
{
	const struct blk *b = BLK_AT(c->img->blocks.blk, place);
	struct section_counts *s = tables_of(c, section);

	add_ranges(c, section, place, place, n);
	if (s && e && b->type == CST_INSN_BRANCH &&
	    !cst_pairs_insert(&s->edges, last_of(c, place), start_of(c, place) + (uint32_t)b->step[1], n))
		c->no_memory = 1;
}

void cst_counts_atoms_full(struct cst_counts *c, uint32_t section, uint32_t place, uint64_t e)
{
	add_atoms(c, section, place, FULL, e);
}

static void drain_block(struct cst_counts *c, uint32_t section, uint32_t place)
{
	struct blk_count *n = count_at(c, place);
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (n->atoms[i])
			add_atoms(c, section, place, n->atoms[i], i);
	if (n->to.count)
		add_edges(c, section, place, n->to.place, n->to.count);
	if (n->from.count)
		add_edges(c, section, n->from.place, place, n->from.count);
	if (n->range.count)
		add_ranges(c, section, place, n->range.place, n->range.count);
	memset(n, 0, sizeof(*n));
}

/* Distances, in blocks, at which the cache lines of a block, and of the other blocks of its pairs, are fetched. */
#define FETCH_BLOCK	16u
#define FETCH_ENDS	8u

/* Adds the counters of n blocks. They, and the other blocks of their pairs, are anywhere in the block cache. */
static void drain_blocks(struct cst_counts *c, uint32_t section, const uint32_t *place, size_t n)
{
	const struct blk_count *ends;
	size_t i;

	for (i = 0; i < n + FETCH_BLOCK; i++) {
		if (i < n)
			__builtin_prefetch(BLK_AT(c->img->blocks.blk, place[i]), 1);
		if (i >= FETCH_ENDS && i - FETCH_ENDS < n) {
			ends = count_at(c, place[i - FETCH_ENDS]);
			__builtin_prefetch(BLK_AT(c->img->blocks.blk, ends->to.place));
			__builtin_prefetch(BLK_AT(c->img->blocks.blk, ends->from.place));
			__builtin_prefetch(BLK_AT(c->img->blocks.blk, ends->range.place));
		}
		if (i >= FETCH_BLOCK)
			drain_block(c, section, place[i - FETCH_BLOCK]);
	}
}

/* Adds the counters of the blocks that begin in a page. `part`: slots of a part of the page. */
static void drain_page(struct cst_counts *c, uint32_t section, uint32_t *places, unsigned int part)
{
	uint64_t used = table_with(places)->used;
	uint32_t found[CODE_PAGE / 2];
	const uint32_t *at;
	unsigned int k;
	size_t n = 0;

	for (; used; used &= used - 1) {
		at = places + __builtin_ctzll(used) * part;
		for (k = 0; k < part; k++)
			if (at[k])
				found[n++] = at[k];
	}
	drain_blocks(c, section, found, n);
}

/*
 * Adds the counters of a section's blocks, which are found through its page tables since blocks do not name their
 * section.
 */
static void drain_section(struct cst_counts *c, const struct cst_section *sec)
{
	const size_t pages = (sec->size + CODE_PAGE - 1) / CODE_PAGE;
	unsigned int t;
	size_t page;

	for (t = 0; t < BLK_TABLES; t++)
		for (page = 0; sec->pages[t] && page < pages; page++)
			if (sec->pages[t][page])
				drain_page(c, sec->id, sec->pages[t][page],
					   TABLE_PART >> blk_shift(blk_key_isa(t % BLK_KEYS)));
}

void cst_counts_drain(struct cst_counts *c)
{
	size_t i;

	settle_all(c);
	for (i = 0; i < c->img->sec_count; i++)
		drain_section(c, c->img->sec[i]);
}

int cst_counts_section(struct cst_counts *c, uint32_t section, const struct cst_pairs **ranges,
		       const struct cst_pairs **edges)
{
	struct section_counts *s;

	if (!section || section > c->img->sec_count)
		return -CST_ERR_INVAL;
	drain_section(c, c->img->sec[section - 1]);
	s = tables_of(c, section);
	if (!s || c->no_memory)
		return -CST_ERR_NOMEM;
	*ranges = &s->ranges;
	*edges = &s->edges;
	return 0;
}

int cst_counts_exits(struct cst_counts *c, uint32_t section, const struct cst_exits **exits, uint32_t *n, uint64_t *insns)
{
	const struct section_counts *s;

	if (!section || section > c->img->sec_count)
		return -CST_ERR_INVAL;
	settle_all(c);
	s = tables_of(c, section);
	if (!s || c->no_memory)
		return -CST_ERR_NOMEM;
	*exits = s->exits;
	*n = s->nr_exits;
	*insns = s->insns;
	return 0;
}
