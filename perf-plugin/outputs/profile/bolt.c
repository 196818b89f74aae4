/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt.c - writes branches and fall-throughs of a binary in BOLT's pre-aggregated format. */
#include "outputs/profile/bolt.h"

#include "machine/images/elf_facts.h"
#include "outputs/profile/lines.h"

struct stubs {
	struct elf_part part[ELF_MAX_STUBS];
	size_t nr;
};

static bool in_stub(const struct stubs *s, uint64_t offset)
{
	size_t i;

	for (i = 0; i < s->nr; i++)
		if (offset >= s->part[i].offset && offset - s->part[i].offset < s->part[i].size)
			return true;
	return false;
}

static void put(struct lines *l, char kind, uint64_t a, uint64_t b, uint64_t times)
{
	char *p = lines_next(l);

	*p++ = kind;
	*p++ = ' ';
	p = text_hex(p, a, 0);
	*p++ = ' ';
	p = text_hex(p, b, 0);
	*p++ = ' ';
	/* perf2bolt refuses the whole file if a number has more than 63 bits */
	p = text_unsigned(p, model_signed(times));
	if (kind == 'B')
		p = text_lit(p, " 0");
	*p++ = '\n';
	l->p = p;
}

static void put_branches(struct lines *l, const struct flat *f, const struct profile_address *w, const struct stubs *s)
{
	const struct model_binary *b = f->binary;
	const struct cst_count_edge *e;
	bool leaves;
	size_t i;
	size_t left;

	for (i = 0; i < b->nr_entries; i++)
		if (!in_stub(s, b->entries[i].offset))
			put(l, 'B', 0, profile_address(w, b->entries[i].offset), b->entries[i].count);
	for (e = f->edges, left = f->nr_edges; left; left--, e++) {
		leaves = e->to == CST_COUNT_OUTSIDE;
		if (!in_stub(s, e->from))
			put(l, 'B', profile_address(w, e->from), leaves ? 0 : profile_address(w, e->to), e->count);
		else if (!leaves && !in_stub(s, e->to))
			put(l, 'B', 0, profile_address(w, e->to), e->count);
	}
}

static void put_ranges(struct lines *l, const struct flat *f, char kind, const struct profile_address *w,
		       const struct stubs *s)
{
	const uint8_t flags = kind == 'f' ? CST_COUNT_ARRIVED : 0;
	const struct cst_count_range *r;
	size_t left;

	for (r = f->ranges, left = f->nr_ranges; left; left--, r++)
		if (r->flags == flags && !in_stub(s, r->start))
			put(l, kind, profile_address(w, r->start), profile_address(w, r->last), r->count);
}

void bolt_write(struct pd_output *out, const struct flat *f, const struct profile_address *w)
{
	struct stubs s = { .nr = 0 };
	struct lines l;

	if (f->binary->dso)
		s.nr = dso_stubs(f->binary->dso, s.part);
	lines_init(&l, out);
	put_branches(&l, f, w, &s);
	put_ranges(&l, f, 'F', w, &s);
	put_ranges(&l, f, 'f', w, &s);
	lines_flush(&l);
}
