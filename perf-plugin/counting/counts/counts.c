/* SPDX-License-Identifier: GPL-2.0-only */
/* counts.c - counts ranges and branches per binary, from the library's counters and from elements. */
#include "counting/counts/counts.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "counting/calls/places.h"
#include "counting/counts/measure.h"
#include "machine/images/dso.h"
#include "session/decode/branch.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/parts.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Size of a shard whose calls are applied in order: what it keeps of them grows with its trace. */
#define CALLS_SHARD	(4u << 20)

/* State per stream: the open branch, by the offset of its instruction in its binary. */
struct counted_stream {
	struct branch_state br;
	struct binary *bin;	/* binary of the last range */
	uint32_t last;		/* offset of the last range's last instruction */
	/* not next to `last`: a 64-bit load of both would wait for two stores */
	uint64_t end;		/* address after it */
	uint32_t start;		/* begin of the open range */
	bool open;		/* [start, last] is not counted yet */
	bool inside;		/* `last` is not a branch: the range continues */
	/* With COUNTS_ALL: */
	bool arrived;		/* a return, or a branch from another binary, led to the open range */
	bool untaken;		/* `last` is a branch that was not taken */
	bool known;		/* the last range is known, and nothing was lost since */
	struct calls_lane *calls;	/* with contexts */
	/* kind of a branch whose target was interrupted by an exception; BRANCH_NONE: none */
	uint8_t landing_kind;
};

/* The binaries of a file: itself, or, with generated code, its methods. */
struct file {
	struct dso *dso;
	struct binary *whole;		/* NULL: divided */
	struct binary **methods;	/* indexed as dso.syms */
};

struct counts {
	struct session *ss;
	bool joined;
	bool all;			/* COUNTS_ALL, COUNTS_CALLS */
	struct calls *calls;		/* COUNTS_CALLS; else NULL */
	bool calls_of_whole;		/* they are not the shard's own */
	struct binary **bins;
	size_t nr_bins, cap_bins;
	struct file **files;		/* indexed by dso.number */
	size_t nr_files;
	struct binary **by_section;	/* indexed by section number; NULL: unknown, or not one binary */
	uint32_t nr_sections;
	uint64_t elsewhere, nopath;
	struct measure measure;
};

static struct counts *new_counts(struct session *ss, enum counts_mode mode)
{
	struct counts *c = mem_zeroed(1, sizeof(*c));

	c->ss = ss;
	c->joined = mode != COUNTS_SPLIT;
	c->all = mode >= COUNTS_ALL;
	return c;
}

struct counts *counts_new(struct session *ss, enum counts_mode mode, uint32_t depth)
{
	const struct calls_limits limits = { .depth = depth };
	const struct calls_code code = calls_places_code(ss);
	struct counts *c = new_counts(ss, mode);

	if (mode == COUNTS_CALLS)
		c->calls = calls_new(&limits, &code, session_max_streams(ss));
	return c;
}

void counts_by_thread(struct counts *c)
{
	if (c->calls)
		calls_by_thread(c->calls);
}

void counts_measure(struct counts *c, enum metric metric)
{
	c->measure.metric = metric;
}

const struct metric_rest *counts_unmeasured(const struct counts *c)
{
	return &c->measure.rest;
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
		cst_pairs_free(&c->bins[i]->untaken);
		cst_pairs_free(&c->bins[i]->spent);
		jumps_free(&c->bins[i]->jumps);
		free(c->bins[i]);
	}
	for (i = 0; i < c->nr_files; i++) {
		if (c->files[i])
			free(c->files[i]->methods);
		free(c->files[i]);
	}
	if (!c->calls_of_whole)
		calls_free(c->calls);
	measure_free(&c->measure);
	free(c->bins);
	free(c->files);
	free(c->by_section);
	free(c);
}

/* Extends a table of pointers, so that it has index `i`. */
static void extend(void *pv, size_t *nr, size_t i)
{
	size_t more = i + 64;
	void **v;

	if (i < *nr)
		return;
	memcpy(&v, pv, sizeof(v));
	v = mem_more(v, more, sizeof(*v));
	memset(v + *nr, 0, (more - *nr) * sizeof(*v));
	memcpy(pv, &v, sizeof(v));
	*nr = more;
}

static struct binary *new_binary(struct counts *c, struct dso *dso, uint32_t method)
{
	struct binary *b = mem_zeroed(1, sizeof(*b));

	b->dso = dso;
	b->method = method;
	*ARRAY_ADD(c->bins, c->nr_bins, c->cap_bins) = b;
	return b;
}

static struct file *file_of(struct counts *c, struct dso *dso)
{
	struct file *f;

	extend(&c->files, &c->nr_files, dso->number);
	f = c->files[dso->number];
	if (f)
		return f;
	f = mem_zeroed(1, sizeof(*f));
	f->dso = dso;
	if (dso->kind == DSO_JIT && dso->symbols.nr_syms)
		f->methods = mem_zeroed(dso->symbols.nr_syms, sizeof(*f->methods));
	else
		f->whole = new_binary(c, dso, COUNTS_WHOLE);
	c->files[dso->number] = f;
	return f;
}

static struct binary *binary_in(struct counts *c, struct file *f, uint32_t method)
{
	if (method == COUNTS_WHOLE)
		return f->whole;
	if (!f->methods[method])
		f->methods[method] = new_binary(c, f->dso, method);
	return f->methods[method];
}

uint32_t counts_method(const struct dso *d, uint64_t offset)
{
	size_t lo = 1, hi = d->symbols.nr_syms;

	BISECT(lo, hi, mid, d->symbols.syms[mid].offset <= offset);
	return (uint32_t)(lo - 1);
}

/* Returns the binary of the method at an offset. */
static struct binary *method_at(struct counts *c, struct file *f, uint32_t offset)
{
	return binary_in(c, f, counts_method(f->dso, offset));
}

/* Notes the instruction set of a binary's first range, for the classification of its branches at the end. */
static void note_isa(struct binary *bin, const struct stream *s, const struct cst_generic *g)
{
	if (!bin || bin->insns)
		return;
	bin->isa = g->isa;
	bin->isa_flags = s->config->profile == CST_PROFILE_M ? CST_ISA_M_PROFILE : 0;
}

static struct binary *binary_slow(struct counts *c, const struct stream *s, const struct cst_generic *g)
{
	size_t nr = c->nr_sections;
	struct binary *b;
	struct file *f;
	struct dso *dso;

	extend(&c->by_section, &nr, g->section);
	c->nr_sections = (uint32_t)nr;
	dso = session_section_dso(c->ss, g->section);
	f = dso ? file_of(c, dso) : NULL;
	if (!f)
		return NULL;
	c->by_section[g->section] = f->whole;
	b = f->whole ? f->whole : method_at(c, f, g->sect_off);
	note_isa(b, s, g);
	return b;
}

/* Returns the binary of a range; NULL: it is in no file. */
static inline struct binary *binary_of(struct counts *c, const struct stream *s, const struct cst_generic *g)
{
	const uint32_t section = g->section;

	if (__builtin_expect(section < c->nr_sections && c->by_section[section], 1))
		return c->by_section[section];
	return section ? binary_slow(c, s, g) : NULL;
}

static inline struct cst_pairs *ranges_of(struct binary *bin, bool arrived)
{
	return __builtin_expect(arrived, 0) ? &bin->arrivals : &bin->ranges;
}

static ALWAYS_INLINE void pairs_add(struct cst_pairs *p, uint32_t a, uint32_t b)
{
	if (__builtin_expect(!cst_pairs_add(p, a, b), 0))
		mem_refused(0);
}

/* Counts a branch that was not taken, at the end of a range from `start` to `last`. */
static void count_untaken(struct binary *bin, uint32_t start, uint32_t last)
{
	pairs_add(&bin->untaken, last | (start & COUNTS_T32), 0);
}

/* Here and below, `all` is counts.all: a constant in the loops over elements, each of which is an instance of its own. */
static inline void count_range(struct counted_stream *ln, const bool all)
{
	if (ln->open)
		pairs_add(ranges_of(ln->bin, all && ln->arrived), ln->start, ln->last);
	if (all && ln->open && ln->untaken)
		count_untaken(ln->bin, ln->start, ln->last);
	ln->open = false;
}

static inline void count_edge(struct counted_stream *ln, uint32_t to)
{
	if (!ln->bin)
		return;
	pairs_add(&ln->bin->edges, ln->last, to);
	ln->bin->branches++;
	ln->bin->inside += to != COUNTS_OUTSIDE;
}

/* Finds a target that is known but was not executed next. */
static uint32_t locate(struct counts *c, struct counted_stream *ln, const struct stream *s, uint64_t to)
{
	struct session_loc loc;

	if (!to || !ln->bin || !session_locate(s, to, &loc) || loc.dso != ln->bin->dso ||
	    loc.offset >= COUNTS_OUTSIDE)
		return COUNTS_OUTSIDE;
	if (ln->bin->method != COUNTS_WHOLE &&
	    method_at(c, c->files[loc.dso->number], (uint32_t)loc.offset) != ln->bin)
		return COUNTS_OUTSIDE;
	return (uint32_t)loc.offset;
}

/* True if the range ends with a branch that was not taken. */
static inline bool not_taken(const struct cst_generic *g)
{
	return cst_insn_is_branch(g->last_type) && (g->flags & (CST_GF_EXEC | CST_GF_WAYPOINT)) == CST_GF_WAYPOINT;
}

/* False if the binary has no T32 instructions: an AArch64 file. */
static inline bool has_t32(const struct binary *bin)
{
	return !bin || bin->dso->image.machine != EM_AARCH64;
}

/* First offset of a range, with its instruction set if the binary has T32 instructions. */
static inline uint32_t start_of(const struct cst_generic *g, bool t32)
{
	return g->sect_off | (t32 && (g->isa == CST_ISA_T32 || g->isa == CST_ISA_TEE) ? COUNTS_T32 : 0);
}

/* Offset of a range's last instruction. */
static inline uint32_t last_of(const struct cst_generic *g)
{
	return g->sect_off + (uint32_t)(g->end - g->addr) - g->last_size;
}

/* True if exceptions were taken since the last range, and nothing was lost. */
static inline bool interrupted(const struct counted_stream *ln, const struct stream *s)
{
	return ln->br.open >= BRANCH_EXCEPTION && ln->known && ln->br.resume &&
	       branch_same_thread(&ln->br, s);
}

/* True if execution continues at `addr`, where the exceptions since the last range return to. */
static bool resumes(const struct counted_stream *ln, const struct stream *s, uint64_t addr)
{
	return interrupted(ln, s) && ln->br.resume == addr;
}

/*
 * Adds a CST_GEN_COUNTED: consecutive ranges, which the library has counted except for the open
 * one.
 */
static void count_run(struct counts *c, const struct stream *s, struct counted_stream *ln, const struct cst_generic *g)
{
	count_range(ln, false);
	ln->bin = binary_of(c, s, g);
	ln->end = g->end;
	if (ln->bin) {
		ln->bin->insns += g->n_insn;
		ln->start = g->start;
		ln->last = last_of(g);
		ln->open = true;
	} else {
		c->elsewhere += g->n_insn;
	}
	ln->inside = !cst_insn_is_branch(g->last_type);
	branch_range_end(&ln->br, s, g);
}

/* Begins a range of `bin` at `g`. Records whether a branch, a return of the kernel or nothing known led to it. */
static void arrive(const struct stream *s, struct counted_stream *ln, struct binary *bin,
		   const struct cst_generic *g)
{
	struct branch_state *br = &ln->br;
	uint8_t kind = br->open == BRANCH_TAKEN ? br->kind : BRANCH_NONE;
	bool outside = false;

	if (resumes(ln, s, g->addr))
		kind = ln->landing_kind;
	else
		outside = interrupted(ln, s);
	outside |= kind != BRANCH_NONE && ln->bin != bin;
	if (outside && bin)
		pairs_add(&bin->entries, g->sect_off, 0);
	ln->arrived = outside || branch_is_return(kind);
	ln->landing_kind = BRANCH_NONE;
}

static ALWAYS_INLINE void range(struct counts *c, const struct stream *s, struct counted_stream *ln, const struct cst_generic *g,
				const bool all)
{
	struct binary *bin = binary_of(c, s, g);
	bool goes_on = (ln->br.open == BRANCH_SEQ || resumes(ln, s, g->addr)) && bin == ln->bin && g->addr == ln->end;

	if (!((c->joined || ln->inside) && goes_on && ln->open)) {
		count_range(ln, all);
		if (ln->br.open == BRANCH_TAKEN)
			count_edge(ln, bin == ln->bin ? g->sect_off : COUNTS_OUTSIDE);
		ln->start = start_of(g, all && has_t32(bin));
		if (all)
			arrive(s, ln, bin, g);
	}
	ln->br.resume = 0;
	ln->bin = bin;
	ln->end = g->end;
	ln->inside = !cst_insn_is_branch(g->last_type);
	ln->known = true;
	if (bin) {
		bin->insns += g->n_insn;
		ln->last = last_of(g);
		ln->open = true;
		if (all)
			ln->untaken = not_taken(g);
	} else {
		c->elsewhere += g->n_insn;
	}
	branch_range_end(&ln->br, s, g);
}

/*
 * Counts consecutive ranges in one section after the first one, which range() has counted. The state in `ln` is needed
 * only by the next range, which reads it from the element here. Returns the last range.
 */
static ALWAYS_INLINE const struct cst_generic *
ranges(struct counts *c, const struct stream *s, struct counted_stream *ln, const struct cst_generic *g,
       const struct cst_generic *end, const bool all)
{
	const uint32_t section = g->section;
	struct binary *bin = ln->bin;
	uint64_t insns = 0, edges = 0;
	uint32_t start = ln->start, last;
	/* COUNTS_ALL is joined, too */
	const bool t32 = all && has_t32(bin), joined = all || c->joined;
	bool taken, arrived = all && ln->arrived;

	for (g++; g < end && g->kind == CST_GEN_RANGE && g->section == section; g++) {
		insns += g->n_insn;
		taken = branch_taken(g - 1);
		if (!taken && g->addr == g[-1].end &&
		    (joined || !cst_insn_is_branch(g[-1].last_type)))
			continue;
		last = last_of(g - 1);
		if (taken) {
			jumps_add(&bin->jumps, start, last | (arrived ? JUMP_ARRIVED : 0),
				  g->sect_off);
			arrived = all && branch_returns(g - 1);
			edges++;
		} else {
			pairs_add(ranges_of(bin, arrived), start, last);
			arrived = false;
			if (all && not_taken(g - 1))
				count_untaken(bin, start, last);
		}
		start = start_of(g, t32);
	}
	g--;
	bin->insns += insns;
	bin->branches += edges;
	bin->inside += edges;
	ln->start = start;
	ln->arrived = arrived;
	ln->untaken = all && not_taken(g);
	ln->last = last_of(g);
	ln->end = g->end;
	ln->inside = !cst_insn_is_branch(g->last_type);
	branch_range_end(&ln->br, s, g);
	return g;
}

/* Handles an element after which it is not known how execution continues, or whether the last atom was right. */
static void lose(struct counted_stream *ln, const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
	case CST_GEN_NACC:
	case CST_GEN_NOPATH:
	case CST_GEN_ADDR_UNKNOWN:
		ln->known = false;
		ln->landing_kind = BRANCH_NONE;
		break;
	}
	if (g->kind != CST_GEN_EXCEPTION && g->flags & CST_GF_DOUBTFUL)
		ln->untaken = false;
}

static void other(struct counts *c, const struct stream *s, struct counted_stream *ln, const struct cst_generic *g)
{
	struct branch b;

	bool complete = branch_other(&ln->br, s, g, session_read_code, &b);

	if (ln->br.open == BRANCH_ENDED)
		complete = branch_finish(&ln->br, &b);
	lose(ln, g);
	if (complete && !branch_is_edge(b.kind)) {
		count_range(ln, c->all);
		count_edge(ln, locate(c, ln, s, b.to));
		if (ln->known)
			ln->landing_kind = b.kind;
	}
	if (ln->br.open != BRANCH_SEQ && !(ln->known && ln->br.open >= BRANCH_EXCEPTION && ln->br.resume == ln->end))
		count_range(ln, c->all);
	if (g->kind == CST_GEN_NOPATH && !s->selected.excluded)
		c->nopath += g->n_insn;
}

/* Handles elements that a filter excludes: only the target of the open branch is counted. */
static void pass(struct counts *c, const struct stream *s, struct counted_stream *ln, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;
	struct binary *bin;

	for (; g < end && g->kind != CST_GEN_RANGE; g++)
		other(c, s, ln, g);
	if (g == end)
		return;
	count_range(ln, c->all);
	if (ln->br.open == BRANCH_TAKEN) {
		bin = binary_of(c, s, g);
		count_edge(ln, bin == ln->bin ? g->sect_off : COUNTS_OUTSIDE);
	}
	branch_init(&ln->br);
	ln->bin = NULL;
	ln->known = false;
}

static struct counted_stream *state_of(const struct stream *s)
{
	struct counted_stream *ln = *s->priv;

	if (ln)
		return ln;
	ln = mem_zeroed(1, sizeof(*ln));
	branch_init(&ln->br);
	*s->priv = ln;
	return ln;
}

static ALWAYS_INLINE void count_batch(struct counts *c, const struct stream *s,
				      const struct cst_generic *g, size_t n,
				     const bool all)
{
	const struct cst_generic *end = g + n;
	struct counted_stream *ln = state_of(s);

	if (s->selected.excluded) {
		pass(c, s, ln, g, n);
		return;
	}
	for (; g < end; g++) {
		if (!all && g->kind == CST_GEN_COUNTED) {
			count_run(c, s, ln, g);
			continue;
		}
		if (g->kind != CST_GEN_RANGE) {
			other(c, s, ln, g);
			continue;
		}
		range(c, s, ln, g, all);
		/* the next range of generated code may be in another method */
		if (ln->bin && ln->bin->method == COUNTS_WHOLE)
			g = ranges(c, s, ln, g, end, all);
	}
}

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	count_batch(data, s, g, n, false);
	return 0;
}

static int on_batch_all(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct counts *c = data;
	struct counted_stream *ln;

	count_batch(c, s, g, n, true);
	if (!c->calls)
		return 0;
	ln = *s->priv;
	if (!ln->calls)
		ln->calls = calls_lane_new(c->calls);
	calls_batch(c->calls, ln->calls, s, g, n);
	return 0;
}

/* Adds the amounts of ranges. */
static void spend(struct counts *c, const struct stream *s, const struct cst_generic *g, size_t n)
{
	const struct cst_generic *end = g + n;
	struct binary *bin;

	for (; g < end; g++) {
		bin = g->kind == CST_GEN_RANGE && g->n_insn ? binary_of(c, s, g) : NULL;
		if (bin && !cst_pairs_insert(&bin->spent, start_of(g, has_t32(bin)), last_of(g),
					     g->n_insn))
			mem_refused(0);
	}
}

static int on_batch_measured(void *data, const struct stream *s, const struct cst_generic *g,
			     size_t n)
{
	struct counts *c = data;

	g = measure_batch(&c->measure, s, g, n);
	if (!s->selected.excluded)
		spend(c, s, g, n);
	return on_batch_all(c, s, g, n);
}

/* Without the fields that this kind of counts does not use, and those of a branch that is not open. */
static uint64_t stream_digest(void *data, const struct stream *s, uint64_t digest)
{
	const struct counts *c = data;
	const struct counted_stream *ln = *s->priv;
	const struct branch_state *br = &ln->br;
	const uint64_t v[] = {
		br->last, br->resume, (uint32_t)br->pid | (uint64_t)(uint32_t)br->tid << 32,
		br->open | br->size << 8 | br->isa << 16 | (uint64_t)br->el << 24 |
			(uint64_t)br->guest << 32,
		(uint32_t)br->host.pid | (uint64_t)(uint32_t)br->host.tid << 32,
		br->open == BRANCH_SEQ ? BRANCH_NONE : br->kind,
		ln->bin ? ln->bin->dso->number + 1ull : 0, ln->bin ? ln->bin->method : 0, ln->last, ln->end, ln->start,
		ln->open | ln->inside << 1 | ln->known << 2,
		c->all ? ln->arrived | ln->untaken << 1 | ln->landing_kind << 8 : 0,
	};

	digest = cst_index_digest(digest, v, sizeof(v));
	return ln->calls ? calls_lane_digest(c->calls, ln->calls, digest) : digest;
}

static void stream_move(void *data, const struct stream *s)
{
	struct counts *c = data;
	struct counted_stream *ln = *s->priv;

	if (ln->bin)
		ln->bin = binary_in(c, file_of(c, ln->bin->dso), ln->bin->method);
	if (ln->calls)
		calls_lane_move(c->calls, ln->calls, s);
}

static void on_stream_end(void *data, const struct stream *s)
{
	struct counts *c = data;
	struct counted_stream *ln = *s->priv;

	if (ln && ln->calls)
		calls_lane_end(c->calls, ln->calls);
	free(ln);
	*s->priv = NULL;
}

/* Moves all pairs of `from`, which is empty then, to `to`. If both have pairs, both are sorted. */
static void pairs_move(struct cst_pairs *to, struct cst_pairs *from)
{
	struct cst_pairs larger;

	if (!to->used) {
		cst_pairs_free(to);
		*to = *from;
		*from = (struct cst_pairs){ .slot = NULL };
	} else if (from->used) {
		cst_pairs_sort(to);
		cst_pairs_sort(from);
		/* the smaller one is merged into the larger one, which then grows by a little */
		if (from->used > to->used) {
			larger = *from;
			*from = *to;
			*to = larger;
		}
		if (!cst_pairs_merge(to, from))
			mem_refused(0);
	}
	cst_pairs_free(from);
}

/* Total of the counts of sorted pairs. */
static uint64_t sum(const struct cst_pairs *sorted)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < sorted->used; i++)
		n += sorted->slot[i].count;
	return n;
}

/* Adds the branches from a section of `bin` (NULL: of no binary) to other sections. */
static void add_exits(struct counts *c, uint32_t section, struct binary *bin)
{
	struct cst_pairs out = { .slot = NULL };
	const struct cst_pair *p, *end;
	const struct cst_exits *x;
	uint64_t insns;
	uint32_t n;
	bool inside;

	session_exits(c->ss, section, &x, &n, &insns);
	*(bin ? &bin->insns : &c->elsewhere) += insns;
	for (; bin && n; n--, x++) {
		inside = session_section_dso(c->ss, x->section) == bin->dso;
		end = x->edges.slot ? x->edges.slot + x->edges.mask + 1 : NULL;
		for (p = x->edges.slot; p < end; p++) {
			if (!p->count)
				continue;
			if (!cst_pairs_insert(&out, p->a, inside ? p->b : COUNTS_OUTSIDE, p->count))
				mem_refused(0);
			bin->branches += p->count;
			bin->inside += inside ? p->count : 0;
		}
	}
	if (bin)
		pairs_move(&bin->edges, &out);
	cst_pairs_free(&out);
}

/* Adds the library's counts to the binaries. */
static void add_counted(struct counts *c)
{
	struct cst_pairs ranges, edges;
	struct binary *bin;
	uint64_t taken;
	struct dso *dso;
	uint32_t i = 0;

	while (session_take_counts(c->ss, ++i, &dso, &ranges, &edges)) {
		bin = dso && (ranges.used || edges.used) ? file_of(c, dso)->whole : NULL;
		if (bin) {
			taken = sum(&edges);
			bin->branches += taken;
			bin->inside += taken;
			pairs_move(&bin->ranges, &ranges);
			pairs_move(&bin->edges, &edges);
		}
		cst_pairs_free(&ranges);
		cst_pairs_free(&edges);
		add_exits(c, i, bin);
	}
}

/* Adds the jumps of all binaries to their other tables. */
static void settle_jumps(struct counts *c)
{
	struct jump_counts to;
	struct binary *b;
	size_t i;

	for (i = 0; i < c->nr_bins; i++) {
		b = c->bins[i];
		to = (struct jump_counts){ &b->ranges, &b->arrivals, &b->edges };
		jumps_settle(&b->jumps, &to);
	}
}

/* ---- parts that are decoded in other threads ---------------------------------------------------- */

static void *shard_make(void *data, struct session *ss)
{
	const struct counts *c = data;
	const struct calls_code code = calls_places_code(ss);
	struct counts *shard = new_counts(ss, c->all ? COUNTS_ALL : c->joined ? COUNTS_JOINED : COUNTS_SPLIT);

	shard->measure.metric = c->measure.metric;
	if (c->calls)
		shard->calls = calls_shard_new(c->calls, &code);
	return shard;
}

/* Sorts the pairs, so that the calling thread only merges them. */
static void shard_end(void *shard)
{
	struct counts *c = shard;
	struct binary *b;
	size_t i;

	settle_jumps(c);
	add_counted(c);
	for (i = 0; i < c->nr_bins; i++) {
		b = c->bins[i];
		cst_pairs_sort(&b->ranges);
		cst_pairs_sort(&b->edges);
		cst_pairs_sort(&b->arrivals);
		cst_pairs_sort(&b->entries);
		cst_pairs_sort(&b->untaken);
		cst_pairs_sort(&b->spent);
	}
}

void counts_move(struct binary *to, struct binary *from)
{
	to->insns += from->insns;
	to->branches += from->branches;
	to->inside += from->inside;
	pairs_move(&to->ranges, &from->ranges);
	pairs_move(&to->edges, &from->edges);
	pairs_move(&to->arrivals, &from->arrivals);
	pairs_move(&to->entries, &from->entries);
	pairs_move(&to->untaken, &from->untaken);
	pairs_move(&to->spent, &from->spent);
}

static void take_binary(struct counts *c, struct binary *more)
{
	struct file *f = file_of(c, session_same_dso(c->ss, more->dso));
	struct binary *b = binary_in(c, f, more->method);

	if (!b->insns) {
		b->isa = more->isa;
		b->isa_flags = more->isa_flags;
	}
	counts_move(b, more);
}

static bool shard_fits(void *data, void *shard)
{
	const struct counts *c = shard, *whole = data;

	return calls_shard_fits(whole->calls, c->calls);
}

/* In the calling thread, in order: segments of calls need not be kept. */
static void shard_resume(void *data, void *shard)
{
	struct counts *c = shard, *whole = data;

	calls_free(c->calls);
	c->calls = whole->calls;
	c->calls_of_whole = true;
}

static int shard_take(void *data, void *shard)
{
	struct counts *more = shard, *c = data;
	size_t i;

	settle_jumps(more);
	for (i = 0; i < more->nr_bins; i++)
		take_binary(c, more->bins[i]);
	c->elsewhere += more->elsewhere;
	c->nopath += more->nopath;
	c->measure.rest.insns += more->measure.rest.insns;
	c->measure.rest.time += more->measure.rest.time;
	if (c->calls && !more->calls_of_whole)
		calls_shard_take(c->calls, more->calls);
	return 0;
}

static void shard_free(void *shard)
{
	counts_free(shard);
}

/* True if the library may count: generated code is divided between its methods here. */
static bool library_counts(const struct counts *c)
{
	const struct dso_table *dsos = c->all ? NULL : session_dsos(c->ss);
	size_t i;

	for (i = 0; dsos && i < dsos->nr; i++)
		if (dsos->all[i]->kind == DSO_JIT)
			return false;
	return dsos;
}

int counts_run(struct counts *c)
{
	/*
	 * Segments of calls are kept to be joined by stream, up to a limit: they are not divided by
	 * fragment. Those of an only stream are applied in order, shard by shard.
	 */
	const bool ordered = c->calls && session_max_streams(c->ss) < 2;
	const struct shard_ops shards = {
		.make = shard_make, .end = shard_end, .take = shard_take, .free = shard_free,
		.digest = !c->calls || ordered ? stream_digest : NULL, .move = stream_move,
		.fits = ordered ? shard_fits : NULL, .resume = ordered ? shard_resume : NULL,
		.by_fragment = !c->calls || ordered, .sums = !ordered,
		.max_size = ordered ? CALLS_SHARD : 0,
	};
	struct consumer consumer = { .data = c, .batch = c->all ? on_batch_all : on_batch, .stream_end = on_stream_end,
				     .wants = { .excluded = true, .counts = library_counts(c), .joined = c->joined },
				     .shards = &shards };
	int rc;

	if (c->measure.metric) {
		consumer.batch = on_batch_measured;
		consumer.wants.cycles = c->measure.metric == METRIC_CYCLES;
		consumer.wants.times = true;
		consumer.wants.stop = CST_STOP_TIMESTAMP;
	}
	/* segments are joined by their times */
	if (c->calls && session_max_streams(c->ss) > 1) {
		consumer.wants.times = true;
		consumer.wants.stop = CST_STOP_TIMESTAMP;
	}
	rc = session_run(c->ss, &consumer);
	settle_jumps(c);
	if (!rc)
		add_counted(c);
	return rc;
}

static int busiest(const void *pa, const void *pb)
{
	const struct binary *a = *(struct binary *const *)pa, *b = *(struct binary *const *)pb;

	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	if (a->dso == b->dso)
		return a->method < b->method ? -1 : a->method > b->method;
	return dso_compare(a->dso, b->dso);
}

size_t counts_binaries(struct counts *c, struct binary ***v)
{
	ARRAY_SORT(c->bins, c->nr_bins, busiest);
	*v = c->bins;
	return c->nr_bins;
}

uint64_t counts_elsewhere(const struct counts *c)
{
	return c->elsewhere;
}

struct calls *counts_calls(struct counts *c)
{
	return c->calls;
}

uint64_t counts_nopath(const struct counts *c)
{
	return c->nopath;
}
