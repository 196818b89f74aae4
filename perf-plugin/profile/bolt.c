/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt.c - writes branches and fall-throughs of a binary in BOLT's pre-aggregated format. */
#include "profile/bolt.h"

#include "images/elf_facts.h"
#include "profile/lines.h"

struct stubs {
	struct elf_part part[ELF_MAX_STUBS];
	size_t nr;
};

static bool in_stub(const struct stubs *s, uint32_t offset)
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
	p = text_dec(p, (int64_t)times, 0, ' ');
	if (kind == 'B')
		p = text_lit(p, " 0");
	*p++ = '\n';
	l->p = p;
}

static void put_branches(struct lines *l, struct binary *b, const struct profile_address *w, const struct stubs *s)
{
	const struct cst_pair *from = cst_pairs_sort(&b->entries), *e = cst_pairs_sort(&b->edges);
	bool leaves;
	size_t i;

	for (i = 0; i < b->entries.used; i++)
		if (!in_stub(s, from[i].a))
			put(l, 'B', 0, profile_address(w, from[i].a), from[i].count);
	for (i = 0; i < b->edges.used; i++) {
		leaves = e[i].b == COUNTS_OUTSIDE;
		if (!in_stub(s, e[i].a))
			put(l, 'B', profile_address(w, e[i].a), leaves ? 0 : profile_address(w, e[i].b),
			    e[i].count);
		else if (!leaves && !in_stub(s, e[i].b))
			put(l, 'B', 0, profile_address(w, e[i].b), e[i].count);
	}
}

static void put_ranges(struct lines *l, struct cst_pairs *ranges, char kind, const struct profile_address *w,
		       const struct stubs *s)
{
	const struct cst_pair *r = cst_pairs_sort(ranges);
	size_t i;

	for (i = 0; i < ranges->used; i++)
		if (!in_stub(s, r[i].a))
			put(l, kind, profile_address(w, r[i].a), profile_address(w, r[i].b), r[i].count);
}

void bolt_write(struct pd_output *out, struct binary *b, const struct profile_address *w)
{
	struct stubs s;
	struct lines l;

	s.nr = dso_stubs(b->dso, s.part);
	lines_init(&l, out);
	put_branches(&l, b, w, &s);
	put_ranges(&l, &b->ranges, 'F', w, &s);
	put_ranges(&l, &b->arrivals, 'f', w, &s);
	lines_flush(&l);
}
