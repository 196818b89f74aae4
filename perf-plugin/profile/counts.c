/* SPDX-License-Identifier: GPL-2.0-only */
/* counts.c - counts ranges and branches per binary, from the library's counters and from elements. */
#include "profile/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "decode/decode.h"
#include "decode/locate.h"
#include "images/dso.h"
#include "synth/branch.h"

/* State per stream: the open branch, by the offset of its instruction in its binary. */
struct lane {
	struct branch_state br;
	struct binary *bin;	/* binary of the last range */
	uint32_t last;		/* offset of the last range's last instruction */
	/* not next to `last`: a 64-bit load of both would wait for two stores */
	uint64_t end;		/* address after it */
	uint32_t start;		/* begin of the open range */
	bool open;		/* [start, last] is not counted yet */
	bool inside;		/* `last` is not a branch: the range continues */
	bool arrived;		/* a return, or a branch from another binary, led to the open range (counts.arrivals) */
	/* kind of a branch whose target was interrupted by an exception; BRANCH_NONE: none */
	uint8_t landing_kind;
	struct binary *landing_from;
};

struct counts {
	struct session *ss;
	bool joined;
	bool arrivals;
	struct binary **bins;
	size_t nr_bins;
	struct binary **by_section;	/* indexed by section number */
	uint32_t nr_sections;
	uint64_t elsewhere;
	bool nomem;
};

struct counts *counts_new(struct session *ss, bool joined, bool arrivals)
{
	struct counts *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->ss = ss;
	c->joined = joined;
	c->arrivals = arrivals;
	return c;
}

void counts_free(struct counts *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->nr_bins; i++) {
		cst_pairs_free(&c->bins[i]->ranges);
		cst_pairs_free(&c->bins[i]->edges);
		cst_pairs_free(&c->bins[i]->arrivals);
		cst_pairs_free(&c->bins[i]->entries);
		free(c->bins[i]);
	}
	free(c->bins);
	free(c->by_section);
	free(c);
}

static struct binary *binary_of_dso(struct counts *c, struct dso *dso)
{
	struct binary **p, *b;
	size_t i;

	for (i = 0; i < c->nr_bins; i++)
		if (c->bins[i]->dso == dso)
			return c->bins[i];
	p = realloc(c->bins, (c->nr_bins + 1) * sizeof(*p));
	if (!p)
		return NULL;
	c->bins = p;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->dso = dso;
	c->bins[c->nr_bins++] = b;
	return b;
}

static struct binary *binary_slow(struct counts *c, const struct stream *s, uint32_t section)
{
	uint32_t nr = section + 64;
	struct binary **p;
	struct dso *dso;

	if (section >= c->nr_sections) {
		p = realloc(c->by_section, nr * sizeof(*p));
		if (!p) {
			c->nomem = true;
			return NULL;
		}
		memset(p + c->nr_sections, 0, (nr - c->nr_sections) * sizeof(*p));
		c->by_section = p;
		c->nr_sections = nr;
	}
	dso = session_section_dso(c->ss, s, section);
	if (!dso)
		return NULL;
	c->by_section[section] = binary_of_dso(c, dso);
	c->nomem |= !c->by_section[section];
	return c->by_section[section];
}

static inline struct binary *binary_of(struct counts *c, const struct stream *s, uint32_t section)
{
	if (__builtin_expect(section < c->nr_sections && c->by_section[section], 1))
		return c->by_section[section];
	return section ? binary_slow(c, s, section) : NULL;
}

static inline struct cst_pairs *ranges_of(struct binary *bin, bool arrived)
{
	return __builtin_expect(arrived, 0) ? &bin->arrivals : &bin->ranges;
}

static inline void count_range(struct counts *c, struct lane *ln)
{
	if (ln->open && !cst_pairs_add(ranges_of(ln->bin, ln->arrived), ln->start, ln->last))
		c->nomem = true;
	ln->open = false;
}

static inline void count_edge(struct counts *c, struct lane *ln, uint32_t to)
{
	if (!ln->bin)
		return;
	if (!cst_pairs_add(&ln->bin->edges, ln->last, to))
		c->nomem = true;
	ln->bin->branches++;
	ln->bin->inside += to != COUNTS_OUTSIDE;
}

/* Finds a target that is known but was not executed next. */
static uint32_t locate(struct lane *ln, const struct stream *s, uint64_t to)
{
	struct session_loc loc;

	if (!to || !ln->bin || !session_locate(s, to, &loc) || loc.dso != ln->bin->dso ||
	    loc.offset >= COUNTS_OUTSIDE)
		return COUNTS_OUTSIDE;
	return (uint32_t)loc.offset;
}

/* True if execution continues at `addr`, where the exceptions since the last range return to. */
static bool resumes(const struct lane *ln, const struct stream *s, uint64_t addr)
{
	return ln->br.open >= BRANCH_EXCEPTION && ln->br.resume == addr && s->tid == ln->br.tid;
}

/*
 * Adds a CST_GEN_RUN: consecutive ranges in the section of the last range, which the library has counted except for the
 * open one. Counts the branch at the end of the last range.
 */
static void run(struct counts *c, const struct stream *s, struct lane *ln, const struct cst_generic *g)
{
	count_range(c, ln);
	ln->end = g->end;
	if (ln->bin) {
		ln->bin->insns += g->n_insn;
		ln->start = g->start;
		ln->last = g->sect_off + (uint32_t)(g->end - g->addr) - g->last_size;
		ln->open = true;
	} else {
		c->elsewhere += g->n_insn;
	}
	ln->inside = g->last_type == CST_INSN_OTHER;
	branch_range_end(&ln->br, s, g);
}

/* Begins a range of `bin` at `g`. Records whether a branch, a return of the kernel or nothing known led to it. */
static void arrive(struct counts *c, const struct stream *s, struct lane *ln, struct binary *bin,
		   const struct cst_generic *g)
{
	struct branch_state *br = &ln->br;
	uint8_t kind = br->open == BRANCH_TAKEN ? br->kind : BRANCH_NONE;
	struct binary *from = ln->bin;
	bool outside = false;

	if (resumes(ln, s, g->addr)) {
		kind = ln->landing_kind;
		from = ln->landing_from;
	} else {
		outside = br->open >= BRANCH_EXCEPTION && br->resume && s->tid == br->tid;
	}
	outside |= kind != BRANCH_NONE && from != bin;
	if (outside && bin && !cst_pairs_add(&bin->entries, g->sect_off, 0))
		c->nomem = true;
	ln->arrived = outside || branch_is_return(kind);
	ln->landing_kind = BRANCH_NONE;
}

static inline void range(struct counts *c, const struct stream *s, struct lane *ln,
			 const struct cst_generic *g)
{
	struct binary *bin = binary_of(c, s, g->section);
	bool goes_on = (ln->br.open == BRANCH_SEQ || (c->arrivals && resumes(ln, s, g->addr))) && bin == ln->bin &&
		       g->addr == ln->end;

	if (!((c->joined || ln->inside) && goes_on && ln->open)) {
		count_range(c, ln);
		if (ln->br.open == BRANCH_TAKEN)
			count_edge(c, ln, bin == ln->bin ? g->sect_off : COUNTS_OUTSIDE);
		ln->start = g->sect_off;
		if (c->arrivals)
			arrive(c, s, ln, bin, g);
	}
	ln->br.resume = 0;
	ln->bin = bin;
	ln->end = g->end;
	if (bin) {
		bin->insns += g->n_insn;
		ln->last = g->sect_off + (uint32_t)(g->end - g->addr) - g->last_size;
		ln->open = true;
	} else {
		c->elsewhere += g->n_insn;
	}
	branch_range_end(&ln->br, s, g);
}

/*
 * Counts consecutive ranges in one section after the first one, which range() has counted. The state in `ln` is needed
 * only by the next range, which reads it from the element here. Returns the last range. `arrivals` is counts.arrivals
 * as a constant, so that the loop without them is an instance of its own.
 */
static inline __attribute__((always_inline)) const struct cst_generic *
ranges(struct counts *c, const struct stream *s, struct lane *ln, const struct cst_generic *g,
       const struct cst_generic *end, const bool arrivals)
{
	const uint32_t section = g->section;
	struct binary *bin = ln->bin;
	uint64_t insns = 0, edges = 0;
	uint32_t start = ln->start, last = ln->last;
	bool taken, arrived = arrivals && ln->arrived, nomem = false;

	for (g++; g < end && g->kind == CST_GEN_RANGE && g->section == section; g++) {
		taken = branch_taken(g - 1);
		if (taken || g->addr != g[-1].end || !(c->joined || g[-1].last_type == CST_INSN_OTHER)) {
			nomem |= !cst_pairs_add(ranges_of(bin, arrived), start, last);
			arrived = arrivals && taken && branch_is_return(branch_kind_of(g - 1));
			if (taken) {
				nomem |= !cst_pairs_add(&bin->edges, last, g->sect_off);
				edges++;
			}
			start = g->sect_off;
		}
		insns += g->n_insn;
		last = g->sect_off + (uint32_t)(g->end - g->addr) - g->last_size;
	}
	g--;
	c->nomem |= nomem;
	bin->insns += insns;
	bin->branches += edges;
	bin->inside += edges;
	ln->start = start;
	ln->arrived = arrived;
	ln->last = last;
	ln->end = g->end;
	ln->inside = g->last_type == CST_INSN_OTHER;
	branch_range_end(&ln->br, s, g);
	return g;
}

static void other(struct counts *c, const struct stream *s, struct lane *ln, const struct cst_generic *g)
{
	struct branch b;

	bool complete = branch_other(&ln->br, s, g, session_read_code, &b);

	if (ln->br.open == BRANCH_ENDED)
		complete = branch_finish(&ln->br, &b);
	if (complete && !branch_is_edge(b.kind)) {
		count_range(c, ln);
		count_edge(c, ln, locate(ln, s, b.to));
		ln->landing_kind = b.kind;
		ln->landing_from = ln->bin;
	}
	if (ln->br.open != BRANCH_SEQ && !(c->arrivals && ln->br.open >= BRANCH_EXCEPTION && ln->br.resume == ln->end))
		count_range(c, ln);
}

/* Handles elements that a filter excludes: only the target of the open branch is counted. */
static void pass(struct counts *c, const struct stream *s, struct lane *ln, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;
	struct binary *bin;

	for (; g < end && g->kind != CST_GEN_RANGE; g++)
		other(c, s, ln, g);
	if (g == end)
		return;
	count_range(c, ln);
	if (ln->br.open == BRANCH_TAKEN) {
		bin = binary_of(c, s, g->section);
		count_edge(c, ln, bin == ln->bin ? g->sect_off : COUNTS_OUTSIDE);
	}
	branch_init(&ln->br);
	ln->bin = NULL;
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;
	struct counts *c = data;
	struct lane *ln = *s->priv;

	if (!ln) {
		ln = calloc(1, sizeof(*ln));
		if (!ln)
			return ERR_NOMEM;
		branch_init(&ln->br);
		*s->priv = ln;
	}
	if (s->unwanted) {
		pass(c, s, ln, g, n);
		return c->nomem ? ERR_NOMEM : 0;
	}
	for (; g < end; g++) {
		if (g->kind == CST_GEN_RUN) {
			run(c, s, ln, g);
			continue;
		}
		if (g->kind != CST_GEN_RANGE) {
			other(c, s, ln, g);
			continue;
		}
		range(c, s, ln, g);
		if (ln->bin)
			g = c->arrivals ? ranges(c, s, ln, g, end, true) : ranges(c, s, ln, g, end, false);
	}
	return c->nomem ? ERR_NOMEM : 0;
}

static void on_stream_end(void *data, const struct stream *s)
{
	(void)data;
	free(*s->priv);
	*s->priv = NULL;
}

/* Total of all branches taken. */
static uint64_t sum(const struct cst_pairs *edges)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; edges->mask && i <= edges->mask; i++)
		n += edges->slot[i].count;
	return n;
}

/* Adds the library's counts to the binaries. */
static int add_counted(struct counts *c)
{
	const struct cst_pairs *ranges, *edges;
	uint64_t taken;
	struct binary *bin;
	struct dso *dso;
	uint32_t i = 0;
	int rc;

	while ((rc = session_counted(c->ss, ++i, &dso, &ranges, &edges)) > 0) {
		if (!dso || !(ranges->used | edges->used))
			continue;
		bin = binary_of_dso(c, dso);
		if (!bin || !cst_pairs_merge(&bin->ranges, ranges) || !cst_pairs_merge(&bin->edges, edges))
			return ERR_NOMEM;
		taken = sum(edges);
		bin->branches += taken;
		bin->inside += taken;
	}
	return rc;
}

/* ---- parts that are decoded in other threads ---------------------------------------------------- */

static void *piece_new(void *data, struct session *ss)
{
	const struct counts *c = data;

	return counts_new(ss, c->joined, c->arrivals);
}

static int piece_end(void *piece)
{
	return add_counted(piece);
}

/* Adds `more`, which may be empty then. */
static bool take_pairs(struct cst_pairs *to, struct cst_pairs *more)
{
	if (to->used)
		return cst_pairs_merge(to, more);
	cst_pairs_free(to);
	*to = *more;
	memset(more, 0, sizeof(*more));
	return true;
}

static bool take_binary(struct counts *c, struct binary *more)
{
	struct binary *b = binary_of_dso(c, session_same_dso(c->ss, more->dso));

	if (!b || !take_pairs(&b->ranges, &more->ranges) || !take_pairs(&b->edges, &more->edges) ||
	    !take_pairs(&b->arrivals, &more->arrivals) || !take_pairs(&b->entries, &more->entries))
		return false;
	b->insns += more->insns;
	b->branches += more->branches;
	b->inside += more->inside;
	return true;
}

static int piece_take(void *data, void *piece)
{
	struct counts *more = piece, *c = data;
	size_t i;

	for (i = 0; i < more->nr_bins; i++)
		if (!take_binary(c, more->bins[i]))
			return ERR_NOMEM;
	c->elsewhere += more->elsewhere;
	return 0;
}

static void piece_free(void *piece)
{
	counts_free(piece);
}

int counts_run(struct counts *c)
{
	struct session_consumer consumer = { .data = c, .batch = on_batch, .unwanted = true, .stream_end = on_stream_end,
					     .counts = !c->arrivals, .joined = c->joined, .piece_new = piece_new,
					     .piece_end = piece_end, .piece_take = piece_take, .piece_free = piece_free, .sums = true };
	int rc;

	/* an exception at the begin of a fragment is compared with the end of the previous fragment */
	consumer.by_fragment = !c->arrivals;
	rc = session_run(c->ss, &consumer);
	if (!rc)
		rc = add_counted(c);
	if (rc == ERR_NOMEM)
		fprintf(stderr, "cstrace profile: out of memory\n");
	return rc;
}

static int busiest(const void *pa, const void *pb)
{
	const struct binary *a = *(struct binary *const *)pa, *b = *(struct binary *const *)pb;

	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	return dso_compare(a->dso, b->dso);
}

size_t counts_binaries(struct counts *c, struct binary ***v)
{
	if (c->nr_bins)
		qsort(c->bins, c->nr_bins, sizeof(*c->bins), busiest);
	*v = c->bins;
	return c->nr_bins;
}

uint64_t counts_elsewhere(const struct counts *c)
{
	return c->elsewhere;
}
