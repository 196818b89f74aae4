/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt.c - writes branches and fall-throughs of a binary in BOLT's pre-aggregated format. */
#include "outputs/profile/bolt.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "outputs/profile/bolt_int.h"

/* ---- counts for either kind of lines --------------------------------------------------- */

bool bolt_in_stub(const struct bolt_counts *c, uint64_t offset)
{
	size_t i;

	for (i = 0; i < c->nr_stubs; i++)
		if (offset >= c->stub[i].offset && offset - c->stub[i].offset < c->stub[i].size)
			return true;
	return false;
}

static void add_branch(struct bolt_counts *c, uint64_t from, uint64_t to, uint64_t count)
{
	c->branches[c->nr_branches++] = (struct bolt_branch){ to, from, count };
}

/* A stub counts as outside, but for calls of it. */
static void add_branches(struct bolt_counts *c)
{
	const struct model_binary *b = c->flat->binary;
	const struct cst_count_edge *e;
	size_t i;

	for (i = 0; i < b->nr_entries; i++)
		if (!bolt_in_stub(c, b->entries[i].offset))
			add_branch(c, 0, b->entries[i].offset, b->entries[i].count);
	for (i = 0; i < c->flat->nr_edges; i++) {
		e = &c->flat->edges[i];
		if (!bolt_in_stub(c, e->from))
			add_branch(c, profile_address(c->where, e->from), e->to, e->count);
		else if (e->to != CST_COUNT_OUTSIDE && !bolt_in_stub(c, e->to))
			add_branch(c, 0, e->to, e->count);
	}
}

void bolt_counts_init(struct bolt_counts *c, const struct flat *f, const struct profile_address *w)
{
	const size_t most = f->binary->nr_entries + f->nr_edges;

	*c = (struct bolt_counts){ .flat = f, .where = w };
	if (f->binary->dso)
		c->nr_stubs = dso_stubs(f->binary->dso, c->stub);
	c->branches = mem_array(most ? most : 1, sizeof(*c->branches));
	add_branches(c);
}

void bolt_counts_free(struct bolt_counts *c)
{
	free(c->branches);
	c->branches = NULL;
}

void bolt_put(struct lines *l, char kind, const uint64_t *addresses, size_t n, uint64_t times,
	      const char *behind)
{
	char *p = lines_next(l);
	size_t i;

	*p++ = kind;
	*p++ = ' ';
	for (i = 0; i < n; i++) {
		p = text_hex(p, addresses[i], 0);
		*p++ = ' ';
	}
	p = text_unsigned(p, model_signed(times));
	l->p = text_bytes(p, behind, strlen(behind));
}

/* ---- lines for any version ------------------------------------------------------------- */

static void put_branches(struct lines *l, const struct bolt_counts *c)
{
	size_t i;

	for (i = 0; i < c->nr_branches; i++) {
		const struct bolt_branch *b = &c->branches[i];

		bolt_put(l, 'B', (const uint64_t[]){ b->from, bolt_target(c, b) }, 2, b->count,
			 " 0\n");
	}
}

static void put_ranges(struct lines *l, const struct bolt_counts *c, char kind)
{
	const uint8_t flags = kind == 'f' ? CST_COUNT_ARRIVED : 0;
	size_t i;

	for (i = 0; i < c->flat->nr_ranges; i++) {
		const struct cst_count_range *r = &c->flat->ranges[i];

		if (r->flags == flags && !bolt_in_stub(c, r->start))
			bolt_put(l, kind,
				 (const uint64_t[]){ profile_address(c->where, r->start),
						     profile_address(c->where, r->last) },
				 2, r->count, "\n");
	}
}

void bolt_write(struct pd_output *out, const struct flat *f, const struct profile_address *w)
{
	struct bolt_counts c;
	struct lines l;

	bolt_counts_init(&c, f, w);
	lines_init(&l, out);
	put_branches(&l, &c);
	put_ranges(&l, &c, 'F');
	put_ranges(&l, &c, 'f');
	lines_flush(&l);
	bolt_counts_free(&c);
}
