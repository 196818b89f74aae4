/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * calls_feed.h - elements made by hand as calling contexts. Each case is taken as one batch and element by element, with
 * segments applied at once and kept until the end; the tree is always the same, and the case says which.
 *
 * Addresses are offsets: below 0x9000 of the program (binary 0), from there on of a library (1). A tree is written as
 * KIND ENTRY @SITE CALLS/INSNS {children}.
 */
#ifndef TESTS_CALLS_FEED_H
#define TESTS_CALLS_FEED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting/calls/calls.h"
#include "counting/calls/slices.h"
#include "counting/calls/internal.h"
#include "session/decode/decode.h"
#include "synth_elements.h"

enum { SETJMP = 0x3000, START = 0x4f00, NO_CALL = 0x8000, NOWHERE = 0x20000 };

/* ---- code ---------------------------------------------------------------------------------------- */

static uint32_t binary(void *data, uint32_t section)
{
	(void)data;
	return section == 3 ? CST_COUNT_NO_BINARY : section - 1;
}

/* Functions have 0x100 bytes, those from 0x6f00 to 0x6fff 0x20; those from 0x5000 to 0x5fff are parts of others, those from 0x7000 to 0x8fff are unknown. */
static inline void where(void *data, const struct stream *s, uint64_t addr, struct calls_where *w)
{
	(void)data;
	(void)s;
	*w = (struct calls_where){ .place = CALLS_NO_PLACE };
	if (addr >= NOWHERE)
		return;
	w->place = calls_place_of(addr >= 0x9000 ? 1 : 0, (uint32_t)addr);
	if (addr >= 0x7000 && addr < 0x9000)
		return;
	w->start = (uint32_t)addr & ~(addr >= 0x6f00 && addr < 0x7000 ? 0x1fu : 0xffu);
	w->end = w->start + (addr >= 0x6f00 && addr < 0x7000 ? 0x20 : 0x100);
	w->part = addr >= 0x5000 && addr < 0x6000;
	w->sets_jump = addr == SETJMP;
	w->begins_program = addr == START;
}

static inline unsigned int call_before(void *data, const struct stream *s, uint64_t addr, unsigned int isa)
{
	(void)data;
	(void)s;
	assert_int_equal(isa, CST_ISA_A64);
	return (addr >= NO_CALL && addr < 0x9000) || addr >= NOWHERE ? 0 : 4;
}

/* Calls at 0x10 to 0x1c in a function have a landing pad at 0x80 of it. */
static uint64_t program(void *data, const struct stream *s)
{
	const bool *replaced = data;

	(void)s;
	return *replaced ? 2 : 1;
}

static inline calls_place landing_pad(void *data, calls_place site)
{
	uint32_t off = (uint32_t)site & 0xff;

	(void)data;
	return off >= 0x10 && off < 0x20 ? (site & ~(calls_place)0xff) + 0x80 : CALLS_NO_PLACE;
}

/* ---- what is fed --------------------------------------------------------------------------------- */

struct batch {
	unsigned int stream;	/* 0 or 1 */
	int tid;
	uint64_t time, end, before;
	uint64_t aux_time, seq;
	int cpu;
	bool unwanted, fragment; /* fragment: an AUX fragment begins */
	const struct cst_generic *g;
	size_t n;
};

struct feed {
	const struct batch *v;
	size_t n;
	struct calls_limits limits;
	bool replaced;		/* another program runs behind the first batch */
	unsigned int protocol;	/* CST_PROTO_x; 0: ETMv4 */
	const struct calls_slice_opts *slices; /* shows the calls in time instead of the tree */
	size_t longest;		/* maximum number of calls shown, the longest ones; 0: all */
	bool all_of_slices;	/* shows also thread, tree, call site, flags, times and cycles */
	calls_place (*place)(void *data, calls_place p); /* final places; NULL: unchanged */
};

static struct calls_totals totals;

static inline calls_place same(void *data, calls_place p)
{
	(void)data;
	return p;
}

static inline void show(struct calls *c, char *out, size_t size)
{
	FILE *f = fmemopen(out, size, "w");
	struct cst_count_node n;
	uint32_t depth = 0;
	bool first = true;

	while (calls_next(c, &n)) {
		for (; depth > n.depth; depth--)
			fputs("}", f);
		if (!first)
			fputs(n.depth > depth ? " {" : " ", f);
		depth = n.depth;
		first = false;
		fputc("RCTEScut"[n.kind], f);
		/* a place in no file has no offset */
		assert_int_equal(n.binary == CST_COUNT_NO_BINARY, n.entry == CST_COUNT_OUTSIDE);
		assert_int_equal(n.from_binary == CST_COUNT_NO_BINARY, n.from == CST_COUNT_OUTSIDE);
		if (n.binary != CST_COUNT_NO_BINARY)
			fprintf(f, "%x", (unsigned int)n.entry);
		if (n.from_binary != CST_COUNT_NO_BINARY)
			fprintf(f, "@%x", (unsigned int)n.from);
		fprintf(f, " %u/%u", (unsigned int)n.calls, (unsigned int)n.insns);
	}
	while (depth--)
		fputs("}", f);
	fclose(f);
}

/* Of each call in time: depth, kind, entry, and the instructions from its begin to its end; with `all` the other fields. */
static inline void show_slices(struct calls *c, bool all, char *out, size_t size)
{
	FILE *f = fmemopen(out, size, "w");
	uint64_t left_out;
	size_t i, n;
	const struct calls_slice *v = calls_slices(c, &n, &left_out);

	for (i = 0; i < n; i++) {
		if (all)
			fprintf(f, "%x.%u ", (unsigned int)v[i].thread, v[i].tree);
		fprintf(f, "%d%c%x", (int)v[i].depth, "RCTEScut"[v[i].kind], (unsigned int)v[i].entry);
		if (all && v[i].from != CALLS_NO_PLACE)
			fprintf(f, "@%x", (unsigned int)v[i].from);
		fprintf(f, " %u-%u", (unsigned int)v[i].begin.insns, (unsigned int)v[i].end.insns);
		if (all)
			fprintf(f, " time %u-%u cycles %u-%u flags %u", (unsigned int)v[i].begin.time, (unsigned int)v[i].end.time,
				(unsigned int)v[i].begin.cycles, (unsigned int)v[i].end.cycles, v[i].flags);
		fputs(", ", f);
	}
	fprintf(f, "%u left out", (unsigned int)left_out);
	fclose(f);
}

/* The stream of a batch. */
static inline struct stream stream_of(const struct batch *b, const struct cst_config *config)
{
	struct stream s = { .config = config };
	size_t k;

	s.tid = b->tid;
	s.cpu = b->cpu;
	s.place = b->stream;
	s.aux.aux_time = b->aux_time;
	s.aux.aux_seq = b->seq;
	s.selected.excluded = b->unwanted;
	s.time = b->time;
	s.time_end = b->end;
	s.before = b->before;
	s.time_known = b->time != 0;
	for (k = 0; k < b->n; k++)
		s.n_insn += b->g[k].kind == CST_GEN_RANGE ? b->g[k].n_insn : 0;
	return s;
}

static inline struct cst_config config_of(const struct feed *feed)
{
	return (struct cst_config){ .protocol = (uint8_t)(feed->protocol ? feed->protocol :
									   CST_PROTO_ETMV4) };
}

static inline void take(struct calls *c, const struct feed *feed, bool single, bool *replaced)
{
	const struct cst_config config = config_of(feed);
	struct calls_lane *ln[2] = { NULL, NULL };
	struct stream s;
	size_t i, k;

	for (i = 0; i < feed->n; i++) {
		const struct batch *b = &feed->v[i];

		s = stream_of(b, &config);
		if (!ln[b->stream])
			ln[b->stream] = calls_lane_new(c);
		for (k = 0; k < b->n; k += single ? 1 : b->n) {
			s.fragment_start = b->fragment && !k;
			calls_batch(c, ln[b->stream], &s, b->g + k, single ? 1 : b->n);
		}
		if (feed->slices && feed->slices->max)
			assert_in_range(c->slices->nr + c->slices->nr_parts, 0, 2 * feed->slices->max);
		*replaced = feed->replaced;
	}
	for (i = 0; i < 2; i++)
		if (ln[i])
			calls_lane_end(c, ln[i]);
}

/* Returns 0 with the tree, or an error. */
static inline int make(const struct feed *feed, bool single, unsigned int streams, char *out, size_t size)
{
	bool replaced = false;
	const struct calls_code code = { .data = &replaced, .binary = binary, .where = where, .call_before = call_before, .program = program,
					 .landing_pad = landing_pad };
	struct calls *c = calls_new(&feed->limits, &code, streams);

	if (feed->slices)
		calls_record_slices(c, feed->slices);
	take(c, feed, single, &replaced);
	calls_finish(c, feed->place ? feed->place : same, NULL);
	if (feed->longest)
		calls_limit_slices(c, feed->longest);
	if (feed->slices)
		show_slices(c, feed->all_of_slices, out, size);
	else
		show(c, out, size);
	totals = *calls_totals(c);
	calls_free(c);
	return 0;
}

/* ---- cuts ------------------------------------------------------------------------------- */

/* Cuts that were decoded apart, and those that were decoded behind all elements before them. */
static struct {
	unsigned int apart, behind;
} cuts;

/*
 * Gives elements [from, to) of a feed with one stream to a lane. The stream of the last one, where
 * `to` is in the feed that of the next one, is in *s.
 */
static inline void take_part(struct calls *c, struct calls_lane *ln, const struct feed *feed,
			     const struct cst_config *config, size_t from, size_t to,
			     bool *replaced, struct stream *s)
{
	size_t i, k, at = 0;

	*replaced = false;
	for (i = 0; i < feed->n && at <= to; i++) {
		for (k = 0; k < feed->v[i].n && at <= to; k++, at++) {
			if (at == to && k)
				return;
			*s = stream_of(&feed->v[i], config);
			s->fragment_start = feed->v[i].fragment && !k;
			if (at >= from && at < to)
				calls_batch(c, ln, s, feed->v[i].g + k, 1);
		}
		*replaced = feed->replaced;
	}
}

/* A cut of a feed: elements [at, end), behind a lead from `lead` on. */
struct fed_cut {
	size_t lead, at, end;
};

/* Takes what is before the cut as a shard. Returns the digest at its end. */
static inline uint64_t take_before(struct calls *c, const struct calls_code *code,
				   const struct feed *feed, const struct fed_cut *cut)
{
	const struct cst_config config = config_of(feed);
	struct calls *before = calls_shard_new(c, code);
	struct calls_lane *ln = calls_lane_new(before);
	struct stream s;
	uint64_t digest;

	take_part(before, ln, feed, &config, 0, cut->at, code->data, &s);
	digest = calls_lane_digest(before, ln, 1);
	calls_lane_end(before, ln);
	assert_true(calls_shard_fits(c, before));
	calls_shard_take(c, before);
	calls_free(before);
	return digest;
}

/* Takes the cut behind its lead in a shard if that fits, else behind all that is before it. */
static inline void take_cut(struct calls *c, const struct calls_code *code, const struct feed *feed,
			    const struct fed_cut *cut)
{
	const uint64_t digest = take_before(c, code, feed, cut);
	const struct cst_config config = config_of(feed);
	struct calls *lead = calls_shard_new(c, code), *shard = calls_shard_new(c, code);
	struct calls_lane *ln = calls_lane_new(lead);
	struct stream s;
	bool fits;

	take_part(lead, ln, feed, &config, cut->lead, cut->at, code->data, &s);
	fits = calls_lane_digest(lead, ln, 1) == digest;
	calls_lane_move(shard, ln, &s);
	take_part(shard, ln, feed, &config, cut->at, cut->end, code->data, &s);
	calls_lane_end(shard, ln);
	if (fits && calls_shard_fits(c, shard)) {
		calls_shard_take(c, shard);
		cuts.apart++;
	} else {
		ln = calls_lane_new(lead);
		take_part(lead, ln, feed, &config, 0, cut->at, code->data, &s);
		calls_lane_move(c, ln, &s);
		take_part(c, ln, feed, &config, cut->at, cut->end, code->data, &s);
		calls_lane_end(c, ln);
		cuts.behind++;
	}
	calls_free(shard);
	calls_free(lead);
}

/* Divides the feed at each of its elements, with leads of each length. */
static inline void fed_in_cuts(const struct feed *feed, const char *want)
{
	bool replaced = false;
	const struct calls_code code = { .data = &replaced,
					 .binary = binary,
					 .where = where,
					 .call_before = call_before,
					 .program = program,
					 .landing_pad = landing_pad };
	struct fed_cut cut = { .end = 0 };
	struct calls *c;
	char out[2048];
	size_t i;

	for (i = 0; i < feed->n; i++)
		cut.end += feed->v[i].n;
	for (cut.at = 1; cut.at < cut.end; cut.at++) {
		for (cut.lead = 0; cut.lead < cut.at; cut.lead++) {
			c = calls_new(&feed->limits, &code, 1);
			take_cut(c, &code, feed, &cut);
			calls_finish(c, feed->place ? feed->place : same, NULL);
			show(c, out, sizeof(out));
			assert_string_equal(out, want);
			calls_free(c);
		}
	}
}

static inline bool can_be_cut(const struct feed *feed)
{
	size_t i, n = 0;

	for (i = 0; i < feed->n; i++) {
		if (feed->v[i].stream || feed->v[i].unwanted)
			return false;
		n += feed->v[i].n;
	}
	return !feed->slices && n < 100;
}

static inline void fed(const struct feed *feed, const char *want)
{
	unsigned int mode, streams = 1;
	char out[2048];
	size_t i;

	for (i = 0; i < feed->n; i++)
		if (feed->v[i].stream)
			streams = 2;
	for (mode = 0; mode < 4; mode++) {
		assert_int_equal(make(feed, mode & 1, mode & 2 ? 2 : streams, out, sizeof(out)), 0);
		assert_string_equal(out, want);
	}
	if (can_be_cut(feed)) {
		const struct calls_totals was = totals;

		fed_in_cuts(feed, want);
		totals = was;
	}
}

/* One thread on one stream. */
#define TREE(elements, want) do {								\
	const struct batch batch_ = { .tid = 7, .g = elements, .n = sizeof(elements) / sizeof(*(elements)) };	\
	const struct feed feed_ = { .v = &batch_, .n = 1 };					\
	fed(&feed_, want);									\
} while (0)

/* Its calls in time. */
#define LONGEST(elements, options, number, want) do {						\
	const struct batch batch_ = { .tid = 7, .g = elements, .n = sizeof(elements) / sizeof(*(elements)) };	\
	const struct feed feed_ = { .v = &batch_, .n = 1, .slices = options, .longest = number };	\
	fed(&feed_, want);									\
} while (0)

#define SLICES(elements, options, want) LONGEST(elements, options, 0, want)

static inline struct cst_generic in_library(struct cst_generic g)
{
	g.section = 2;
	return g;
}

static inline struct cst_generic at_el(unsigned int el, struct cst_generic g)
{
	g.el = (uint8_t)el;
	g.flags |= CST_GF_EL;
	return g;
}

static inline struct cst_generic overflow(struct cst_generic g)
{
	g.num = CST_ON_OVERFLOW;
	return g;
}

static inline struct cst_generic el_eret(uint64_t addr, unsigned int n)
{
	return at_el(1, el_range(addr, n, CST_INSN_INDIRECT, CST_INSN_ERET, EL_TAKEN));
}

#define OFF	el_plain(CST_GEN_TRACE_ON)
#define IRQ(a)	el_exception(14, a), OFF
#define SVC(a)	el_exception(2, a), OFF

/* Elements of a batch. */
#define N(v)	.g = v, .n = sizeof(v) / sizeof(*(v))

#endif
