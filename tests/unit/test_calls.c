/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks and calling contexts of elements made by hand. Each case is taken as one batch and element by element, with segments
 * applied at once and kept until the end; the tree is always the same, and the case says which.
 *
 * Addresses are offsets: below 0x9000 of the program (binary 0), from there on of a library (1). A tree is written as
 * KIND ENTRY @SITE CALLS/INSNS {children}.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calls/calls.h"
#include "calls/slices.h"
#include "calls/internal.h"
#include "decode/decode.h"
#include "failing_alloc.h"
#include "synth_elements.h"

enum { SETJMP = 0x3000, START = 0x4f00, NO_CALL = 0x8000, NOWHERE = 0x20000 };

/* ---- code ---------------------------------------------------------------------------------------- */

static uint32_t binary(void *data, const struct stream *s, uint32_t section)
{
	(void)data;
	(void)s;
	return section == 3 ? CST_COUNT_NO_BINARY : section - 1;
}

/* Functions have 0x100 bytes; those from 0x5000 to 0x5fff are parts of others, those from 0x7000 to 0x8fff are unknown. */
static void where(void *data, const struct stream *s, uint64_t addr, struct calls_where *w)
{
	(void)data;
	(void)s;
	*w = (struct calls_where){ .place = CALLS_NO_PLACE };
	if (addr >= NOWHERE)
		return;
	w->place = calls_place_of(addr >= 0x9000 ? 1 : 0, (uint32_t)addr);
	if (addr >= 0x7000 && addr < 0x9000)
		return;
	w->start = (uint32_t)addr & ~0xffu;
	w->end = w->start + 0x100;
	w->part = addr >= 0x5000 && addr < 0x6000;
	w->sets_jump = addr == SETJMP;
	w->begins_program = addr == START;
}

static unsigned int call_before(void *data, const struct stream *s, uint64_t addr, unsigned int isa)
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

static calls_place landing_pad(void *data, calls_place site)
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

static calls_place same(void *data, calls_place p)
{
	(void)data;
	return p;
}

static void show(struct calls *c, char *out, size_t size)
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
static void show_slices(struct calls *c, bool all, char *out, size_t size)
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

static int take(struct calls *c, const struct feed *feed, bool single, bool *replaced)
{
	const struct cst_config config = { .protocol = (uint8_t)(feed->protocol ? feed->protocol : CST_PROTO_ETMV4) };
	struct calls_lane *ln[2] = { NULL, NULL };
	struct stream s = { .config = &config };
	size_t i, k;
	int rc = 0;

	for (i = 0; i < feed->n && !rc; i++) {
		const struct batch *b = &feed->v[i];

		s.tid = b->tid;
		s.cpu = b->cpu;
		s.place = b->stream;
		s.aux_time = b->aux_time;
		s.aux_seq = b->seq;
		s.unwanted = b->unwanted;
		s.time = b->time;
		s.time_end = b->end;
		s.before = b->before;
		s.time_known = b->time != 0;
		s.n_insn = 0;
		for (k = 0; k < b->n; k++)
			s.n_insn += b->g[k].kind == CST_GEN_RANGE ? b->g[k].n_insn : 0;
		if (!ln[b->stream])
			ln[b->stream] = calls_lane_new(c);
		if (!ln[b->stream])
			rc = -1;
		for (k = 0; k < b->n && !rc; k += single ? 1 : b->n) {
			s.fragment_start = b->fragment && !k;
			rc = calls_batch(c, ln[b->stream], &s, b->g + k, single ? 1 : b->n);
		}
		if (!rc && feed->slices && feed->slices->max)
			assert_in_range(c->slices->nr + c->slices->nr_parts, 0, 2 * feed->slices->max);
		*replaced = feed->replaced;
	}
	for (i = 0; i < 2; i++)
		if (ln[i]) {
			int end = calls_lane_end(c, ln[i]);

			rc = rc ? rc : end;
		}
	return rc;
}

/* Returns 0 with the tree, or an error. */
static int make(const struct feed *feed, bool single, unsigned int streams, char *out, size_t size)
{
	bool replaced = false;
	const struct calls_code code = { .data = &replaced, .binary = binary, .where = where, .call_before = call_before, .program = program,
					 .landing_pad = landing_pad };
	struct calls *c = calls_new(&feed->limits, &code, streams);
	int rc = -1;

	if (c && (!feed->slices || calls_record_slices(c, feed->slices))) {
		rc = take(c, feed, single, &replaced);
		if (!rc)
			rc = calls_finish(c, feed->place ? feed->place : same, NULL);
		if (!rc && feed->longest && !calls_limit_slices(c, feed->longest))
			rc = -1;
		if (!rc && feed->slices)
			show_slices(c, feed->all_of_slices, out, size);
		else if (!rc)
			show(c, out, size);
		totals = *calls_totals(c);
	}
	calls_free(c);
	return rc;
}

static void fed(const struct feed *feed, const char *want)
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

static struct cst_generic in_library(struct cst_generic g)
{
	g.section = 2;
	return g;
}

static struct cst_generic at_el(unsigned int el, struct cst_generic g)
{
	g.el = (uint8_t)el;
	g.flags |= CST_GF_EL;
	return g;
}

static struct cst_generic overflow(struct cst_generic g)
{
	g.num = CST_ON_OVERFLOW;
	return g;
}

static struct cst_generic el_eret(uint64_t addr, unsigned int n)
{
	return at_el(1, el_range(addr, n, CST_INSN_INDIRECT, CST_INSN_ERET, EL_TAKEN));
}

#define OFF	el_plain(CST_GEN_TRACE_ON)
#define IRQ(a)	el_exception(14, a), OFF
#define SVC(a)	el_exception(2, a), OFF

/* ---- calls and returns --------------------------------------------------------------------------- */

static void calls(void **state)
{
	const struct cst_generic simple[] = { EL_BL(0x1000, 2), EL_BCC(0x2000, 3), EL_B(0x2020, 1), EL_RET(0x2010, 2),
					      EL_BL(0x1008, 1), EL_RET(0x2000, 4), EL_CUT(0x100c, 5) };
	const struct cst_generic recursion[] = { EL_BL(0x1000, 1), EL_BL(0x1000, 1), EL_BL(0x1000, 1), EL_RET(0x2000, 1),
						 EL_RET(0x1004, 1), EL_RET(0x1004, 1), EL_CUT(0x1004, 1) };
	/* frames in between are abandoned */
	const struct cst_generic outer[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_BL(0x2100, 1), EL_RET(0x2200, 1), EL_CUT(0x1004, 9) };
	const struct cst_generic other[] = { EL_BL(0x1000, 1), in_library(EL_BL(0x9000, 1)), EL_RET(0x2000, 1), in_library(EL_RET(0x9004, 1)),
					     EL_CUT(0x1004, 1) };
	const struct cst_generic nowhere[] = { EL_BL(0x1000, 1), el_range(NOWHERE, 2, CST_INSN_INDIRECT, CST_INSN_RET, EL_TAKEN),
					       EL_CUT(0x1004, 1) };

	(void)state;
	TREE(simple, "R1000 1/8 {C2000@1004 1/6 C2000@1008 1/4}");
	TREE(recursion, "R1000 1/2 {C1000@1000 1/2 {C1000@1000 1/2 {C2000@1000 1/1}}}");
	TREE(outer, "R1000 1/10 {C2000@1000 1/1 {C2100@2000 1/1 {C2200@2100 1/1}}}");
	TREE(other, "R1000 1/2 {C9000@1000 1/2 {C2000@9000 1/1}}");
	((struct cst_generic *)&nowhere[1])->section = 0;
	TREE(nowhere, "R1000 1/2 {C@1000 1/2}");
}

/* Returns to callers from before the trace. */
static void climbs(void **state)
{
	const struct cst_generic one[] = { EL_BL(0x2010, 1), EL_RET(0x3100, 1), EL_RET(0x2014, 1), EL_BL(0x1024, 2), EL_RET(0x2000, 1),
					   EL_RET(0x102c, 1), EL_CUT(0x4044, 1) };
	const struct cst_generic self[] = { EL_RET(0x2010, 1), EL_RET(0x2020, 1), EL_RET(0x2020, 1), EL_CUT(0x1044, 1) };
	const struct cst_generic tails[] = { EL_B(0x2010, 1), EL_RET(0x3100, 2), EL_CUT(0x1010, 4) };
	const struct cst_generic no_call[] = { EL_RET(0x2010, 1), EL_CUT(NO_CALL + 8, 4) };
	const struct cst_generic open[] = { EL_BL(0x2010, 1), EL_RET(0x3100, 2), EL_BL(0x2014, 1), EL_RET(0x3200, 2), EL_CUT(0x1010, 4) };

	(void)state;
	TREE(one, "R4000 1/1 {C1000@4040 1/3 {C2000@1020 1/2 {C3100@2010 1/1} C2000@1028 1/1}}");
	TREE(self, "R1000 1/1 {C2000@1040 1/1 {C2000@201c 1/1 {C2000@201c 1/1}}}");
	TREE(tails, "R1000 1/4 {C2000@100c 1/1 {T3100@2010 1/2}}");
	TREE(no_call, "R2000 1/1 R8008 1/4");
	assert_int_equal(totals.lost, 1);
	/* a known call is open: the return does not lead to its caller */
	TREE(open, "R1000 1/4 R2000 1/2 {C3100@2010 1/2 C3200@2014 1/2}");
	assert_int_equal(totals.lost, 1);
	{
		const struct batch b = { .tid = 7, .g = one, .n = sizeof(one) / sizeof(one[0]) };
		const struct feed two = { .v = &b, .n = 1, .limits.depth = 2 };

		/* the depth is that below the last caller */
		fed(&two, "R4000 1/1 {C1000@4040 1/3 {c 3/4}}");
	}
}

static void tails(void **state)
{
	const struct cst_generic sibling[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_BR(0x3100, 2), in_library(EL_RET(0x9000, 3)), EL_CUT(0x1004, 1) };
	const struct cst_generic stub[] = { EL_BL(0x1000, 1), EL_BR(0x7000, 4), in_library(EL_BR(0x9100, 1)), in_library(EL_RET(0x9200, 1)), EL_CUT(0x1004, 1) };
	/* the functions branch to each other again and again */
	const struct cst_generic loop[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_B(0x3100, 1), EL_B(0x2000, 1), EL_B(0x3100, 1), EL_B(0x2000, 1),
					    EL_RET(0x3100, 1), EL_CUT(0x1004, 1) };
	/* a branch to the begin of the same function is a loop; a part that is elsewhere belongs to its function */
	const struct cst_generic own[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_BCC(0x2000, 1), EL_B(0x5000, 1), EL_BL(0x5080, 1), EL_RET(0x3100, 1),
					   EL_B(0x5084, 1), EL_RET(0x2050, 1), EL_CUT(0x1004, 1) };
	/* without names the part is a function, which leads back to the middle of the one before */
	const struct cst_generic stripped[] = { EL_BL(0x1000, 1), EL_BCC(0x2000, 1), EL_B(0x4000, 1), EL_BL(0x2040, 1), EL_RET(0x3100, 1), EL_RET(0x2044, 1),
						EL_CUT(0x1004, 1) };
	const struct cst_generic middle[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), EL_B(0x4010, 1), EL_RET(0x4020, 1), EL_CUT(0x1004, 1) };
	const struct cst_generic unknown[] = { EL_BL(0x1000, 1), EL_B(0x7000, 1), EL_B(0x7800, 1), EL_RET(0x7400, 1), EL_CUT(0x1004, 1) };

	(void)state;
	TREE(sibling, "R1000 1/2 {C2000@1000 1/1 {T3100@2000 1/2 {T9000@3104 1/3}}}");
	TREE(stub, "R1000 1/2 {C7000@1000 1/4 {T9100@700c 1/1 {T9200@9100 1/1}}}");
	TREE(loop, "R1000 1/2 {C2000@1000 1/1 {T3100@2000 3/3 {T2000@3100 2/2}}}");
	TREE(own, "R1000 1/2 {C2000@1000 1/6 {C3100@5080 1/1}}");
	TREE(stripped, "R1000 1/2 {C2000@1000 1/3 {C3100@2040 1/1 T4000@2000 1/1}}");
	TREE(middle, "R1000 1/2 {C2000@1000 1/3}");
	TREE(unknown, "R1000 1/2 {C7000@1000 1/3}");
}

/* Of a chain of tail calls 32 are kept, and those behind them replace each other, also where the chain is interrupted. */
static void many_tails(void **state)
{
	enum { TAILS = 40 };
	struct cst_generic v[TAILS + 10] = { EL_BL(0x1000, 1) };
	char want[1024], *p = want;
	unsigned int i, at, n;

	(void)state;
	p += sprintf(p, "R1000 1/2 {C9000@1000 1/1");
	for (i = 0; i < TAILS; i++)
		p += sprintf(p, "%sT%x@%x 1/1", i < 32 ? " {" : " ", 0x9100 + 0x100 * i, 0x9000 + 0x100 * i);
	for (i = 0; i < 33; i++)
		*p++ = '}';
	*p = 0;
	for (at = 0; at < TAILS; at += 5) {
		for (i = 0, n = 1; i < TAILS; i++) {
			v[n++] = in_library(EL_B(0x9000 + 0x100 * i, 1));
			if (i == at) {
				v[n++] = el_exception(14, 0x9000 + 0x100 * (i + 1));
				v[n++] = OFF;
			}
		}
		v[n++] = in_library(EL_RET(0x9000 + 0x100 * i, 1));
		v[n++] = EL_CUT(0x1004, 1);
		{
			const struct batch batch = { .tid = 7, .g = v, .n = n };
			const struct feed feed = { .v = &batch, .n = 1 };

			fed(&feed, want);
		}
	}
}

/* Siblings are ordered by kind, call site and callee, whatever was executed first. */
static void order(void **state)
{
	const struct cst_generic v[] = { EL_CUT(0x4000, 1), EL_CUT(0x1000, 1), el_exception(14, 0x1004), el_plain(CST_GEN_TRACE_ON),
					 EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2), el_exception(2, NO_CALL + 8), el_plain(CST_GEN_TRACE_ON), EL_BL(0x1004, 2),
					 EL_RET(0x2100, 1), EL_B(0x100c, 1), EL_BL(0x1008, 1), EL_RET(0x2000, 1), EL_B(0x100c, 1), EL_BL(0x1000, 1),
					 EL_RET(0x3200, 1), EL_CUT(0x1004, 1) };

	(void)state;
	TREE(v, "R1000 1/8 {C3200@1000 1/1 C2000@1008 1/1 C2100@1008 1/1 S3100@1004 1/3} R4000 1/1");
	assert_int_equal(totals.calls, 3);
	assert_int_equal(totals.insns, 15);
	assert_int_equal(totals.roots, 2);
}

/* All of the program's code is at the begins of pages, and the library is in no file. */
static calls_place page_of(void *data, calls_place p)
{
	(void)data;
	return p >> 32 ? CALLS_NO_PLACE : p & ~(calls_place)0xfff;
}

/* Nodes whose final places are the same are one. */
static void final_places(void **state)
{
	const struct cst_generic v[] = { EL_BL(0x1000, 1), EL_RET(0x2000, 1), EL_BL(0x1004, 1), EL_RET(0x2100, 2), EL_BL(0x1008, 1),
					 in_library(EL_RET(0x9000, 3)), EL_BL(0x100c, 1), EL_RET(0x3100, 4), EL_CUT(0x1010, 5) };
	const struct batch b = { .tid = 7, .g = v, .n = sizeof(v) / sizeof(v[0]) };
	const struct feed feed = { .v = &b, .n = 1, .place = page_of };

	(void)state;
	fed(&feed, "R1000 1/9 {C2000@1000 2/3 C3000@1000 1/4 C@1000 1/3}");
	assert_int_equal(totals.calls, 4);
	assert_int_equal(totals.insns, 19);
}

/* Sections of any number, and code of no file: it is not known to be left for another function. */
static void sections(void **state)
{
	struct cst_generic v[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_BL(0x2100, 1), EL_RET(0x2200, 1), EL_RET(0x2104, 1), EL_RET(0x2004, 1),
				   EL_CUT(0x1004, 1) };
	struct cst_generic none[] = { EL_BL(0x1000, 1), EL_B(NOWHERE, 1), EL_B(0x7000, 1), EL_RET(0x9000, 1), EL_CUT(0x1004, 1) };
	unsigned int i;

	(void)state;
	for (i = 1; i < 6; i++)
		v[i].section = i & 1 ? 65 : 161;
	v[3].section = 1000;
	TREE(v, "R1000 1/2 {C2000@1000 1/2 {C2100@2000 1/2 {C2200@2100 1/1}}}");
	none[1].section = 3;
	none[3].section = 2;
	TREE(none, "R1000 1/2 {C@1000 1/2 {T9000@7000 1/1}}");
}

/* ---- longjmp and C++ exceptions ------------------------------------------------------------------ */

static void jumps(void **state)
{
	/* 0x1000 calls setjmp(), then two levels; the second one jumps back */
	const struct cst_generic set[] = { EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_BL(0x2000, 1), EL_BR(0x4000, 1), EL_BL(0x1004, 1),
					   EL_RET(0x2000, 1), EL_CUT(0x1008, 1) };
	/* each level of the recursion calls setjmp(): the innermost one is meant */
	const struct cst_generic levels[] = { EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1),
					      EL_BR(0x4000, 1), EL_RET(0x1004, 3), EL_CUT(0x1008, 5) };
	/* only the outer level has called it, through a stub */
	const struct cst_generic once[] = { EL_BL(0x1000, 1), EL_B(0x7000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_BL(0x1010, 1), EL_BL(0x1020, 1),
					    EL_BR(0x4000, 1), EL_CUT(0x1004, 5) };
	/* the thread is elsewhere between the call of setjmp() and its begin */
	const struct cst_generic lazy[] = { EL_BL(0x1000, 1), EL_CUT(0x7000, 1), IRQ(0x7004), EL_B(0x7004, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1),
					    EL_BL(0x1010, 1), EL_BL(0x1020, 1), EL_BR(0x4000, 1), EL_CUT(0x1004, 5) };
	/* without setjmp(): the innermost frame of the function */
	const struct cst_generic into[] = { EL_BL(0x1020, 1), EL_BL(0x2020, 1), EL_BR(0x4000, 1), EL_CUT(0x1060, 5) };
	const struct cst_generic nobody[] = { EL_BL(0x1020, 1), EL_BL(0x2020, 1), EL_BR(0x4000, 1), EL_RET(0x4150, 5), EL_CUT(0x2024, 1) };

	(void)state;
	TREE(set, "R1000 1/4 {C3000@1000 1/1 C2000@1004 2/2 {C4000@2000 1/1}}");
	TREE(levels, "R1000 1/7 {C3000@1000 1/1 C1000@1004 1/5 {C3000@1000 1/1 C4000@1004 1/1}}");
	TREE(once, "R1000 1/7 {C7000@1000 1/1 {T3000@7000 1/1} C1010@1004 1/1 {C1020@1010 1/1 {C4000@1020 1/1}}}");
	TREE(lazy, "R1000 1/7 {C7000@1000 1/2 {T3000@7004 1/1} C1010@1004 1/1 {C1020@1010 1/1 {C4000@1020 1/1}}}");
	TREE(into, "R1000 1/6 {C2020@1020 1/1 {C4000@2020 1/1}}");
	TREE(nobody, "R1000 1/1 {C2020@1020 1/2 {C4000@2020 1/6}}");
}

static void pads(void **state)
{
	/* the second of three levels has a landing pad; the innermost one is of the same function */
	const struct cst_generic recursion[] = { EL_BL(0x1000, 5), EL_BL(0x1000, 2), EL_BL(0x1000, 9), EL_BR(0x4000, 1), EL_CUT(0x1080, 3) };
	/* the unwinder returns to the landing pad */
	const struct cst_generic by_return[] = { EL_BL(0x1000, 5), EL_BL(0x2000, 1), EL_RET(0x4000, 1), EL_CUT(0x1080, 3) };

	(void)state;
	TREE(recursion, "R1000 1/8 {C1000@1010 1/2 {C1000@1004 1/9 {C4000@1020 1/1}}}");
	TREE(by_return, "R1000 1/8 {C2000@1010 1/1 {C4000@2000 1/1}}");
}

/* ---- exceptions ---------------------------------------------------------------------------------- */

static void interrupts(void **state)
{
	const struct cst_generic back[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_CUT(0x2004, 1), SVC(0x2008), EL_RET(0x2008, 1),
					    EL_CUT(0x1004, 1) };
	/* between a branch and its target */
	const struct cst_generic target[] = { EL_BL(0x1000, 1), IRQ(0x2000), EL_RET(0x2000, 1), IRQ(0x1004), EL_B(0x1004, 1), IRQ(0x1040),
					      EL_CUT(0x1040, 1) };
	const struct cst_generic handled[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_BL(0x3100, 1), EL_RET(0x3200, 1), EL_RET(0x3104, 1),
					       EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_RET(0x2004, 1), EL_CUT(0x1004, 1) };
	/* the second handler begins when the first one ends */
	const struct cst_generic pending[] = { EL_CUT(0x1000, 1), SVC(0x1004), EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_RET(0x3200, 1),
					       EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_CUT(0x1004, 1) };
	/* a signal in a handler */
	const struct cst_generic nested[] = { EL_CUT(0x1000, 1), IRQ(0x1004), EL_CUT(0x3100, 1), IRQ(0x3104), EL_RET(0x3200, 1), EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8),
					      EL_RET(0x3104, 1), EL_CUT(NO_CALL, 2), SVC(NO_CALL + 8), EL_CUT(0x1004, 1) };
	/* the handler jumps to where setjmp() returned */
	const struct cst_generic jump[] = { EL_BL(0x1000, 1), EL_RET(SETJMP, 1), EL_BL(0x1004, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_BL(0x3100, 1), EL_BR(0x4000, 1),
					    EL_CUT(0x1004, 1) };
	/* the handler changes where execution continues: behind the instruction, and in the caller */
	const struct cst_generic skip[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), el_exception(11, 0x2004), OFF, EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2),
					    SVC(NO_CALL + 8), EL_CUT(0x2008, 1), el_exception(11, 0x200c), OFF, EL_RET(0x3100, 1), EL_CUT(NO_CALL, 2),
					    SVC(NO_CALL + 8), EL_CUT(0x1040, 1) };
	/* what the handler returns to has no image */
	const struct cst_generic nacc = { .kind = CST_GEN_NACC, .addr = NOWHERE };
	const struct cst_generic vdso[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_RET(0x3100, 1), nacc, SVC(NOWHERE + 8),
					    EL_RET(0x2004, 1), EL_CUT(0x1004, 1) };
	/* what began without an exception is no handler: it returns to a caller */
	const struct cst_generic called[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004), EL_RET(0x3100, 1), EL_CUT(0x4014, 1) };
	const struct cst_generic start[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), SVC(0x2004), EL_CUT(START, 1) };
	const struct cst_generic restart[] = { EL_CUT(0x1000, 1), IRQ(0x1004), EL_CUT(0x1080, 1) };

	(void)state;
	TREE(back, "R1000 1/2 {C2000@1000 1/3}");
	TREE(target, "R1000 1/3 {C2000@1000 1/1}");
	TREE(handled, "R1000 1/2 {C2000@1000 1/2 {S3100@2004 1/4 {C3200@3100 1/1}}}");
	TREE(pending, "R1000 1/2 {S3100@1000 1/3 S3200@1000 1/3}");
	TREE(nested, "R1000 1/2 {S3100@1004 1/4 {S3200@3104 1/3}}");
	TREE(jump, "R1000 1/3 {C3000@1000 1/1 C2000@1004 1/1 {S3100@2004 1/1 {C4000@3100 1/1}}}");
	TREE(skip, "R1000 1/2 {C2000@1000 1/2 {S3100@2004 1/3 S3100@200c 1/3}}");
	TREE(vdso, "R1000 1/2 {C2000@1000 1/2 {S3100@2004 1/1}}");
	TREE(called, "R1000 1/1 {C2000@1000 1/1 {S3100@2004 1/1}} R4000 1/1");
	TREE(start, "R1000 1/1 {C2000@1000 1/1} R4f00 1/1");
	TREE(restart, "R1000 1/2");
}

/* A signal is taken behind an SVC, which was executed; what any other exception interrupted was not. */
static void system_calls(void **state)
{
	static const struct {
		unsigned int protocol, number;
		uint64_t ret;
		const char *site;
	} row[] = {
		{ CST_PROTO_ETMV4, 2, 0x1004, "1000" }, { CST_PROTO_ETMV4, 10, 0x1004, "1004" }, { CST_PROTO_ETE, 2, 0x1004, "1000" },
		{ CST_PROTO_ETMV3, 10, 0x1004, "1000" }, { CST_PROTO_ETMV3, 2, 0x1004, "1004" },
		{ CST_PROTO_PTM, 10, 0x1004, "1000" }, { CST_PROTO_PTM, 2, 0x1004, "1004" }, { CST_PROTO_ETMV4, 2, 0x1008, "1008" },
	};
	struct cst_generic v[] = { EL_CUT(0x1000, 1), SVC(0), EL_CUT(0x3100, 1) };
	const struct batch b = { .tid = 7, .g = v, .n = 4 };
	char want[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct feed feed = { .v = &b, .n = 1, .protocol = row[i].protocol };

		v[1] = el_exception(row[i].number, row[i].ret);
		sprintf(want, "R1000 1/1 {S3100@%s 1/1}", row[i].site);
		fed(&feed, want);
	}
}

/* The handlers of exceptions are traced. */
static void kernel(void **state)
{
	const struct cst_generic simple[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(14, 0x1004), at_el(1, EL_BL(0x6000, 1)), at_el(1, EL_RET(0x6100, 1)),
					      el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	const struct cst_generic nested[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), at_el(1, EL_CUT(0x6000, 1)), el_exception(14, 0x6004),
					      at_el(1, EL_B(0x6200, 1)), el_eret(0x6300, 1), el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* the handler is interrupted before its first instruction */
	const struct cst_generic at_once[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), el_exception(14, 0x6000), el_eret(0x6200, 1),
					       el_eret(0x6000, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* a second exception at the same place, and one without a return address: the handler is that of the first one */
	const struct cst_generic twice[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), el_exception(14, 0x1004), at_el(1, EL_CUT(0x6000, 1)),
					     el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	struct cst_generic no_address[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(2, 0x1004), el_exception(14, 0x6000), at_el(1, EL_CUT(0x6000, 1)),
					    el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* the kernel starts a signal handler, and ends it */
	const struct cst_generic signal[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(14, 0x1004), el_eret(0x6000, 1), at_el(0, EL_RET(0x3100, 1)),
					      at_el(0, EL_CUT(NO_CALL, 2)), el_exception(2, NO_CALL + 8), el_eret(0x6000, 1), at_el(0, EL_CUT(0x1004, 1)) };
	const struct cst_generic user[] = { at_el(0, EL_CUT(0x1000, 1)), el_exception(14, 0x1004), at_el(0, EL_CUT(0x1004, 1)), el_exception(14, 0x1008),
					    at_el(0, EL_RET(0x3100, 1)), at_el(0, EL_CUT(NO_CALL, 2)), el_exception(2, NO_CALL + 8), at_el(0, EL_CUT(0x1008, 1)) };
	const struct cst_generic begun[] = { at_el(1, EL_CUT(0x6000, 1)), el_eret(0x6004, 1), at_el(0, EL_CUT(0x1004, 1)) };
	/* the begin of the handler is not traced; the kernel continues elsewhere; and the user, at the begin of the same function */
	const struct cst_generic late[] = { at_el(0, EL_CUT(0x1000, 1)), IRQ(0x1004), at_el(1, EL_CUT(0x6010, 1)), el_eret(0x6014, 1),
					    at_el(0, EL_CUT(0x1004, 1)) };
	const struct cst_generic elsewhere[] = { at_el(1, EL_CUT(0x6000, 1)), IRQ(0x6004), at_el(1, EL_CUT(0x6310, 1)) };
	const struct cst_generic again[] = { at_el(0, EL_CUT(0x1000, 1)), IRQ(0x1004), at_el(0, EL_CUT(0x1000, 1)) };
	/* where the handler returns to is not known before it does */
	struct cst_generic unknown[] = { at_el(0, EL_BL(0x1000, 1)), el_exception(14, 0), at_el(1, EL_CUT(0x6000, 1)), el_eret(0x6004, 1),
					 at_el(0, EL_CUT(0x1010, 1)) };

	(void)state;
	TREE(late, "R1000 1/2 {E6010@1004 1/2}");
	TREE(elsewhere, "R6000 1/1 R6300 1/1");
	assert_int_equal(totals.lost, 1);
	TREE(again, "R1000 1/1 {S1000@1004 1/1}");
	unknown[1].flags &= (uint16_t)~CST_GF_RET_ADDR;
	TREE(unknown, "R1000 1/2 {E6000@1000 1/2}");
	TREE(simple, "R1000 1/2 {E6000@1004 1/2 {C6100@6000 1/1}}");
	TREE(nested, "R1000 1/2 {E6000@1000 1/2 {E6200@6004 1/1 {T6300@6200 1/1}}}");
	TREE(at_once, "R1000 1/2 {E6000@1000 1/1 {E6200@6000 1/1}}");
	TREE(twice, "R1000 1/2 {E6000@1000 1/2}");
	no_address[2].flags &= (uint16_t)~CST_GF_RET_ADDR;
	TREE(no_address, "R1000 1/2 {E6000@1000 1/2}");
	TREE(signal, "R1000 1/2 {E6000@1004 1/1 S3100@1004 1/3 {E6000@8004 1/1}}");
	/* what the kernel interrupted is not known */
	TREE(begun, "R1000 1/1 R6000 1/2");
	/* the kernel is traced in part: execution continues at EL0 where it was, in a handler of a signal, and where it was again */
	TREE(user, "R1000 1/3 {S3100@1008 1/3}");
}

/* ---- threads ------------------------------------------------------------------------------------- */

#define N(v)	.g = v, .n = sizeof(v) / sizeof(*(v))

static void threads(void **state)
{
	const struct cst_generic a[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004) }, b[] = { EL_BL(0x1000, 2), EL_CUT(0x2000, 5), IRQ(0x2014) };
	const struct cst_generic a2[] = { EL_RET(0x2004, 1), EL_CUT(0x1004, 1), IRQ(0x1008) }, b2[] = { EL_RET(0x2014, 1), EL_CUT(0x1008, 1) };
	const struct cst_generic a3[] = { EL_CUT(0x4100, 1) };
	const struct batch v[] = { { .tid = 7, N(a) }, { .tid = 8, N(b) }, { .tid = 7, N(a2) }, { .tid = 8, N(b2) }, { .tid = 7, N(a3) } };
	const struct batch unwanted[] = { { .tid = 7, N(a) }, { .tid = 8, .unwanted = true, N(b) }, { .tid = 7, N(a2) } };
	const struct batch window[] = { { .tid = 7, N(a) }, { .tid = 7, .unwanted = true, N(a2) }, { .tid = 7, N(a2) } };
	/* it executed code of no file */
	const struct cst_generic nacc[] = { { .kind = CST_GEN_NACC, .addr = NOWHERE } };
	const struct batch missing[] = { { .tid = 7, N(a) }, { .tid = 7, .unwanted = true, N(nacc) }, { .tid = 7, N(a2) } };
	const struct batch other[] = { { .tid = 7, N(a) }, { .tid = 8, .unwanted = true, N(nacc) }, { .tid = 7, N(a2) } };
	/* another thread did, without an exception before it: the first thread may have executed such code, too */
	const struct batch no_exception[] = { { .tid = 7, .g = a, .n = 2 }, { .tid = 8, N(nacc) }, { .tid = 7, N(a2) } };
	const struct batch after_irq[] = { { .tid = 7, N(a) }, { .tid = 8, N(nacc) }, { .tid = 7, N(a2) } };
	const struct feed doubtful = { .v = no_exception, .n = 3 }, switched = { .v = after_irq, .n = 3 };
	const struct feed hidden = { .v = missing, .n = 3 }, elsewhere = { .v = other, .n = 3 };
	const struct batch idle[] = { { .tid = 0, N(a) }, { .tid = -1, N(a2) } };
	const struct feed all = { .v = v, .n = 5 }, part = { .v = unwanted, .n = 3 }, cut = { .v = window, .n = 3 }, none = { .v = idle, .n = 2 };
	const struct feed exec = { .v = (struct batch[]){ { .tid = 7, N(a) }, { .tid = 7, N(a3) } }, .n = 2, .replaced = true };

	(void)state;
	fed(&all, "R1000 2/5 {C2000@1000 1/2 C2000@1004 1/6 S4100@1008 1/1}");
	fed(&part, "R1000 1/2 {C2000@1000 1/2}");
	/* the thread executed what the filter excludes */
	fed(&cut, "R1000 2/2 {C2000@1000 2/2}");
	fed(&hidden, "R1000 2/2 {C2000@1000 2/2}");
	assert_int_equal(totals.lost, 1);
	fed(&elsewhere, "R1000 1/2 {C2000@1000 1/2}");
	assert_int_equal(totals.lost, 0);
	fed(&doubtful, "R1000 2/2 {C2000@1000 2/2}");
	assert_int_equal(totals.lost, 1);
	fed(&switched, "R1000 1/2 {C2000@1000 1/2}");
	assert_int_equal(totals.lost, 0);
	fed(&none, "R1000 2/2 {C2000@1000 2/2}");
	/* another program runs from then on */
	fed(&exec, "R1000 1/1 {C2000@1000 1/1} R4100 1/1");
}

/* Each idle thread, and each stream whose thread is unknown, is a thread of its own. */
static void thread_keys(void **state)
{
	static const struct {
		int tid, cpu;
		uint64_t place, key;
	} row[] = {
		{ 7, 3, 5, 7 }, { INT32_MAX, 3, 5, INT32_MAX }, { 0, 3, 5, CALLS_THREAD_IDLE | 3 }, { 0, 4, 5, CALLS_THREAD_IDLE | 4 },
		{ 0, -1, 5, CALLS_THREAD_IDLE | UINT32_MAX }, { -1, 3, 5, CALLS_THREAD_UNKNOWN | 5 }, { -1, 3, 6, CALLS_THREAD_UNKNOWN | 6 },
	};
	struct stream s = { .tid = 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		s.tid = row[i].tid;
		s.cpu = row[i].cpu;
		s.place = row[i].place;
		assert_true(calls_thread_of(&s) == row[i].key);
	}
}

/* ---- calls in time ------------------------------------------------------------------------------- */

static void slices(void **state)
{
	static const struct calls_slice_opts all = { .by_insns = true }, third = { .depth = 3, .min = 3, .by_insns = true };
	static const struct calls_slice_opts one = { .max = 1, .by_insns = true };
	const struct cst_generic simple[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 2), IRQ(0x2100), EL_RET(0x2100, 3), EL_RET(0x2008, 4), EL_BL(0x1004, 5),
					      EL_RET(0x2000, 6), EL_CUT(0x1018, 7) };
	/* functions that branch to each other again and again are frames of one chain, also if the thread is elsewhere in between */
	const struct cst_generic loop[] = { EL_BL(0x1000, 1), EL_B(0x2000, 2), EL_B(0x3100, 2), EL_CUT(0x2000, 1), IRQ(0x2004), EL_B(0x2004, 1),
					    EL_B(0x3100, 2), EL_B(0x2000, 2), EL_B(0x3100, 2), EL_BL(0x2000, 1), EL_RET(0x4000, 3), EL_RET(0x2004, 1),
					    EL_CUT(0x1004, 1) };
	/* a return leaves several frames */
	const struct cst_generic deep[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_RET(0x2100, 1), EL_BL(0x2004, 2), EL_RET(0x2200, 2), EL_BL(0x200c, 3),
					    EL_BL(0x2300, 3), EL_BL(0x2400, 4), EL_RET(0x2500, 5), EL_BL(0x1004, 1), EL_RET(0x2000, 1), EL_CUT(0x1008, 30) };

	(void)state;
	SLICES(simple, &all, "0R1000 0-28, 1C2000 1-10, 2C2100 3-6, 1C2000 15-21, 0 left out");
	SLICES(loop, &all, "0R1000 0-19, 1C2000 1-18, 2T3100 3-18, 3T2000 5-7, 3T2000 9-11, 3T2000 13-18, 4C4000 14-17, 0 left out");
	SLICES(deep, &all, "0R1000 0-54, 1C2000 1-22, 2C2100 2-3, 2C2200 5-7, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 1C2000 23-24, 0 left out");
	SLICES(deep, &third, "0R1000 0-54, 1C2000 1-22, 2C2300 10-22, 5 left out");
	/* no more than twice as many are held on the way */
	LONGEST(deep, &one, 1, "0R1000 0-54, 7 left out");
	LONGEST(deep, &all, 1, "0R1000 0-54, 7 left out");
	LONGEST(deep, &all, 3, "0R1000 0-54, 1C2000 1-22, 2C2300 10-22, 5 left out");
	LONGEST(deep, &all, 5, "0R1000 0-54, 1C2000 1-22, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 3 left out");
	LONGEST(deep, &all, 7, "0R1000 0-54, 1C2000 1-22, 2C2100 2-3, 2C2200 5-7, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 1 left out");
	LONGEST(deep, &all, 8, "0R1000 0-54, 1C2000 1-22, 2C2100 2-3, 2C2200 5-7, 2C2300 10-22, 3C2400 13-22, 4C2500 17-22, 1C2000 23-24, 0 left out");
}

/* A function that is cut by a loss, calls of two threads, a caller from before the trace: when they began and ended. */
static void slice_fields(void **state)
{
	static const struct calls_slice_opts all = { .max = 0 };
	const struct cst_generic a[] = { EL_BL(0x1010, 1) }, b[] = { el_cycles(5), EL_RET(0x2000, 2) }, c[] = { EL_RET(0x1014, 1) };
	const struct cst_generic d[] = { el_cycles(7), EL_BL(0x4014, 1) }, e[] = { EL_CUT(0x3100, 4) }, f[] = { overflow(OFF) }, g[] = { EL_CUT(0x1000, 1) };
	const struct cst_generic h[] = { EL_BL(0x1004, 1) }, k[] = { EL_CUT(0x2000, 3) };
	/* a path that is not known is executed in the callee */
	const struct cst_generic q[] = { EL_BL(0x1000, 1), { .kind = CST_GEN_NOPATH, .addr = 0x2000, .end = 0x2040, .n_insn = 9, .section = 1, .sect_off = 0x2000 } };
	const struct batch v[] = {
		{ .tid = 7, .time = 100, .end = 110, N(a) }, { .tid = 7, .time = 120, .end = 130, N(b) }, { .tid = 7, .time = 140, .end = 150, N(c) },
		{ .tid = 7, .time = 160, .end = 170, N(d) }, { .tid = 7, .time = 180, .end = 190, N(e) }, { .tid = 7, .time = 200, .end = 200, N(f) },
		{ .tid = 7, .time = 210, .end = 220, N(g) }, { .tid = 7, .time = 230, .end = 240, N(h) }, { .tid = 7, .time = 250, .end = 260, N(k) },
		{ .tid = 6, .time = 270, .end = 280, N(g) }, { .tid = 9, .time = 300, .end = 310, N(q) },
	};
	const struct feed feed = { .v = v, .n = sizeof(v) / sizeof(v[0]), .slices = &all, .all_of_slices = true };
	char out[2048];
	unsigned int streams;

	(void)state;
	for (streams = 1; streams <= 2; streams++) {
		assert_int_equal(make(&feed, false, streams, out, sizeof(out)), 0);
		assert_string_equal(out, "6.1 0R1000 0-1 time 270-300 cycles 0-0 flags 5, "
				    "7.1 -1R4000 0-9 time 100-210 cycles 0-12 flags 3, 7.1 0C1000@4010 0-4 time 100-160 cycles 0-12 flags 1, "
				    "7.1 1C2000@1010 1-3 time 120-140 cycles 5-5 flags 0, 7.1 0C3100@4014 5-9 time 180-210 cycles 12-12 flags 2, "
				    "7.2 0R1000 9-14 time 210-270 cycles 12-12 flags 5, 7.2 1C2000@1004 11-14 time 250-270 cycles 12-12 flags 4, "
				    "9.1 0R1000 0-10 time 300-310 cycles 0-0 flags 5, 9.1 1C2000@1000 1-10 time 310-310 cycles 0-0 flags 4, 0 left out");
	}
}

/* ---- losses -------------------------------------------------------------------------------------- */

static struct cst_generic error(struct cst_generic g)
{
	g.error = 1;
	return g;
}

#define KNOWN	"R1000 1/2 {C2000@1000 1/1}"

/* Between the return from 0x2000 and the next range at 0x1004, or behind a range that ends at 0x2004. */
static void losses(void **state)
{
	const struct cst_generic begin[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1) };
	const struct {
		struct cst_generic g[3];
		bool lost;
	} gaps[] = {
		{ { OFF }, false },
		{ { el_plain(CST_GEN_EO_TRACE), el_no_sync(CST_UNSYNC_INIT, 0), OFF }, false },
		{ { el_plain(CST_GEN_EO_TRACE), el_no_sync(CST_UNSYNC_RESET, 0), OFF }, false },
		{ { el_plain(CST_GEN_EO_TRACE), el_no_sync(CST_UNSYNC_END, 0), OFF }, false },
		{ { IRQ(0x2004), el_plain(CST_GEN_EO_TRACE) }, false },
		{ { overflow(OFF) }, true },
		{ { el_doubtful(OFF) }, true },
		{ { el_no_sync(CST_UNSYNC_OVERFLOW, 0) }, true },
		{ { el_no_sync(CST_UNSYNC_BAD_PACKET, 0), OFF }, true },
		{ { error(el_no_sync(CST_UNSYNC_RESET, 0)) }, true },
		{ { el_plain(CST_GEN_ADDR_UNKNOWN) }, true },
		{ { IRQ(0x2004), overflow(OFF) }, true },
	};
	struct cst_generic v[6];
	struct batch b = { .tid = 7, .g = v, .n = 6 };
	const struct feed feed = { .v = &b, .n = 1 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		memcpy(v, begin, sizeof(begin));
		memcpy(v + 2, gaps[i].g, sizeof(gaps[i].g));
		/* an element of kind 0 changes nothing */
		v[5] = EL_CUT(0x2004, 1);
		fed(&feed, gaps[i].lost ? "R1000 1/1 {C2000@1000 1/1} R2000 1/1" : "R1000 1/1 {C2000@1000 1/2}");
		assert_int_equal(totals.lost, gaps[i].lost);
	}
}

/* Behind an interrupt, the thread continues at another place: where it was interrupted again, in a handler, or anywhere. */
static void fragments(void **state)
{
	const struct cst_generic begin[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), el_exception(14, 0x2004) }, entry[] = { EL_CUT(0x3100, 1) };
	const struct cst_generic middle[] = { EL_CUT(0x3110, 1) }, same[] = { EL_CUT(0x2004, 1) };
	const struct cst_generic off[] = { OFF }, end[] = { el_plain(CST_GEN_EO_TRACE) }, reset[] = { el_no_sync(CST_UNSYNC_RESET, 0), OFF };
	const struct {
		const struct cst_generic *gap, *next;
		size_t n;
		bool fragment;
		const char *want;
	} row[] = {
		{ off, same, 1, false, "R1000 1/1 {C2000@1000 1/2}" }, { off, same, 1, true, "R1000 1/1 {C2000@1000 1/2}" },
		{ off, entry, 1, false, "R1000 1/1 {C2000@1000 1/1 {S3100@2004 1/1}}" },
		{ off, entry, 1, true, "R1000 1/1 {C2000@1000 1/1 {S3100@2004 1/1}}" },
		{ off, middle, 1, false, "R1000 1/1 {C2000@1000 1/1 {S3110@2004 1/1}}" },
		{ off, middle, 1, true, "R1000 1/1 {C2000@1000 1/1} R3100 1/1" },
		{ end, middle, 1, false, "R1000 1/1 {C2000@1000 1/1} R3100 1/1" },
		{ reset, middle, 2, false, "R1000 1/1 {C2000@1000 1/1} R3100 1/1" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct batch v[] = { { .tid = 7, .fragment = true, N(begin) }, { .tid = 7, .g = row[i].gap, .n = row[i].n },
					   { .tid = 7, .fragment = row[i].fragment, .g = row[i].next, .n = 1 } };
		const struct feed feed = { .v = v, .n = 3 };

		fed(&feed, row[i].want);
		assert_int_equal(totals.lost, strstr(row[i].want, "R3100") != NULL);
	}
}

static void gaps(void **state)
{
	/* execution continues elsewhere without reason */
	const struct cst_generic leap[] = { EL_CUT(0x1000, 1), EL_CUT(0x1010, 1) };
	const struct cst_generic off[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), OFF, EL_CUT(0x2010, 1) };
	/* the opcode gives the target of the last branch */
	const struct cst_generic next[] = { EL_BL(0x1000, 1), el_next(CST_GEN_TRACE_ON, 0x2000), EL_RET(0x2000, 1), el_next(CST_GEN_TRACE_ON, 0x1004), EL_CUT(0x1004, 1) };
	const struct cst_generic unknown[] = { EL_BL(0x1000, 1), OFF, EL_CUT(0x2000, 1) };
	/* a function without an image, which returns, and one that calls back */
	const struct cst_generic nacc = { .kind = CST_GEN_NACC, .addr = 0x9100 };
	const struct cst_generic inside = { .kind = CST_GEN_NACC, .addr = 0x9110 };
	const struct cst_generic missing[] = { EL_BL(0x1000, 1), nacc, nacc, EL_CUT(0x1004, 1) };
	const struct cst_generic tail[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), nacc, EL_CUT(0x1004, 1) };
	const struct cst_generic callback[] = { EL_BL(0x1000, 1), nacc, EL_RET(0x2000, 1), inside, EL_CUT(0x1004, 1) };
	const struct cst_generic kernel_missing[] = { EL_CUT(0x1000, 1), el_exception(14, 0x1004), nacc, EL_CUT(0x1004, 1) };
	/* a Q element: the path is not known */
	const struct cst_generic q[] = { EL_BL(0x1000, 1), { .kind = CST_GEN_NOPATH, .addr = 0x2000, .end = 0x2040, .n_insn = 9, .section = 1, .sect_off = 0x2000 },
					 EL_CUT(0x2040, 1) };
	/* the trace begins with one */
	const struct cst_generic q_first[] = { { .kind = CST_GEN_NOPATH, .addr = 0x2000, .end = 0x2040, .n_insn = 9, .section = 1, .sect_off = 0x2000 },
					       EL_BL(0x2040, 1), EL_RET(0x3100, 4), EL_CUT(0x2044, 1) };

	(void)state;
	TREE(q_first, "R2000 2/11 {C3100@2040 1/4}");
	assert_int_equal(totals.insns, 15);
	TREE(leap, "R1000 2/2");
	TREE(off, "R1000 1/1 {C2000@1000 1/1} R2000 1/1");
	TREE(next, KNOWN);
	TREE(unknown, "R1000 1/1 R2000 1/1");
	TREE(missing, "R1000 1/2 {C9100@1000 1/0}");
	TREE(tail, "R1000 1/2 {C2000@1000 1/1 {T9100@2000 1/0}}");
	TREE(callback, "R1000 2/2 {C9100@1000 1/0} R9100 1/0 {C2000@910c 1/1}");
	TREE(kernel_missing, "R1000 1/2");
	TREE(q, "R1000 1/1 {C2000@1000 1/9} R2000 1/1");
}

/* ---- limits -------------------------------------------------------------------------------------- */

static void limits(void **state)
{
	const struct cst_generic deep[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_BL(0x2100, 1), EL_BL(0x2200, 1), EL_RET(0x2300, 1), EL_RET(0x2204, 1),
					    EL_RET(0x2104, 1), EL_BL(0x2004, 1), EL_RET(0x2400, 1), EL_RET(0x2008, 1), EL_CUT(0x1004, 1) };
	const struct batch v = { .tid = 7, N(deep) };
	const struct feed two = { .v = &v, .n = 1, .limits.depth = 2 }, three = { .v = &v, .n = 1, .limits.depth = 3 };
	const struct feed nodes = { .v = &v, .n = 1, .limits.nodes = 4 };
	const struct feed kept = { .v = &v, .n = 1, .limits.kept = 1 };
	const struct cst_generic a[] = { EL_RET(0x2000, 1) }, b[] = { EL_RET(0x4000, 1) }, a2[] = { EL_CUT(0x1004, 1) }, b2[] = { EL_CUT(0x3004, 1) };
	const struct batch mixed[] = { { .stream = 0, .tid = 7, N(a) }, { .stream = 1, .tid = 7, N(b) }, { .stream = 0, .tid = 7, N(a2) },
				       { .stream = 1, .tid = 7, N(b2) } };
	const struct feed both = { .v = mixed, .n = 4, .limits.kept = 1 };
	static const struct {
		uint32_t nodes, depth;
		const char *want;
	} row[] = {
		{ 6, 0, "R1000 1/2 {C2000@1000 1/3 {C2100@2000 1/2 {C2200@2100 1/2 {C2300@2200 1/1}} C2400@2004 1/1}}" },
		{ 5, 0, "R1000 1/2 {C2000@1000 1/3 {c 4/6}}" }, { 3, 0, "R1000 1/2 {C2000@1000 1/3 {c 4/6}}" },
		{ 2, 0, "R1000 1/2 {c 5/9}" }, { 1, 0, "R1000 1/2 {c 5/9}" }, { 0, 1, "R1000 1/2 {c 5/9}" },
		{ 0, 4, "R1000 1/2 {C2000@1000 1/3 {C2100@2000 1/2 {C2200@2100 1/2 {c 1/1}} C2400@2004 1/1}}" },
	};
	char out[512];
	size_t i;

	(void)state;
	fed(&two, "R1000 1/2 {C2000@1000 1/3 {c 4/6}}");
	assert_int_equal(totals.cut_calls, 4);
	assert_int_equal(totals.cut_insns, 6);
	assert_int_equal(totals.insns, 11);
	assert_int_equal(totals.calls, 1);
	fed(&three, "R1000 1/2 {C2000@1000 1/3 {C2100@2000 1/2 {c 2/3} C2400@2004 1/1}}");
	fed(&nodes, "R1000 1/2 {C2000@1000 1/3 {c 4/6}}");
	/* each of the deepest nodes may have one more, of what was cut */
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct feed some = { .v = &v, .n = 1, .limits.nodes = row[i].nodes, .limits.depth = row[i].depth };

		fed(&some, row[i].want);
	}
	/* a segment without room has a tree of its own */
	assert_int_equal(make(&kept, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 1/2 {C2000@1000 1/3 {C2100@2000 1/2 {C2200@2100 1/2 {C2300@2200 1/1}} C2400@2004 1/1}}");
	assert_int_equal(totals.unjoined, 1);
	/* those of two streams do not meet */
	assert_int_equal(make(&both, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 1/1 {C2000@1000 1/1} R3000 1/1 {C4000@3000 1/1}");
	assert_int_equal(totals.unjoined, 2);
}

/* Stretches that are kept have the room of their stream; behind one that does not fit, none is kept. */
static void room(void **state)
{
	enum {
		FIRST = sizeof(struct segment) + 2 * sizeof(struct counted) + sizeof(struct frame),
		SECOND = sizeof(struct segment) + sizeof(struct counted),
	};
	const struct cst_generic a[] = { EL_BL(0x1000, 1), EL_RET(0x2000, 1) }, b[] = { EL_CUT(0x3004, 1) };
	const struct batch v[] = { { .stream = 0, .tid = 7, N(a) }, { .stream = 1, .tid = 8, N(a) }, { .stream = 0, .tid = 7, N(b) },
				   { .stream = 1, .tid = 8, N(b) } };
	static const struct {
		uint64_t kept;		/* of one stream */
		unsigned int unjoined, lost;
	} row[] = { { FIRST + SECOND, 0, 2 }, { FIRST + SECOND - 1, 2, 0 }, { FIRST, 2, 0 }, { FIRST - 1, 2, 2 } };
	char out[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct feed feed = { .v = v, .n = 4, .limits.kept = 2 * row[i].kept };

		assert_int_equal(make(&feed, false, 2, out, sizeof(out)), 0);
		assert_string_equal(out, "R1000 2/2 {C2000@1000 2/2} R3000 2/2");
		assert_int_equal(totals.unjoined, row[i].unjoined);
		assert_int_equal(totals.lost, row[i].lost);
		assert_int_equal(totals.roots, 4);
	}
}

/* Segments are kept if there is more than one stream. */
static void streams(void **state)
{
	const struct calls_code code = { .where = where };
	struct calls *c;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		c = calls_new(NULL, &code, i);
		assert_non_null(c);
		assert_int_equal(c->deferred, i == 2);
		assert_int_equal(c->streams, i ? i : 1);
		assert_int_equal(c->depth, CALLS_DEPTH);
		assert_int_equal(c->limits.nodes, CALLS_NODES);
		assert_true(c->limits.kept == CALLS_KEPT);
		calls_free(c);
	}
	calls_free(NULL);
}

/* A depth that a node cannot have is the greatest one. */
static void greatest_depth(void **state)
{
	static const struct {
		uint32_t depth, want;
	} row[] = { { 1, 1 }, { UINT16_MAX - 1, UINT16_MAX - 1 }, { UINT16_MAX, UINT16_MAX - 1 }, { 100000, UINT16_MAX - 1 } };
	const struct calls_code code = { .where = where };
	struct calls *c;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct calls_limits limits = { .depth = row[i].depth };

		c = calls_new(&limits, &code, 1);
		assert_non_null(c);
		assert_int_equal(c->limits.depth, row[i].want);
		assert_int_equal(c->depth, row[i].want);
		calls_free(c);
	}
}

/* A stack without an end is lost when it has a million frames, and begins anew. */
static void endless(void **state)
{
	enum { CALLS = 1 << 14, BATCHES = (1 << 20) / CALLS };
	static struct cst_generic v[CALLS + 2];
	static struct batch batches[BATCHES + 2];
	const struct cst_generic again[] = { EL_BL(0x1000, 1) }, begin[] = { EL_CUT(0x1000, 1), IRQ(0x1004), EL_B(0x1004, 1) };
	struct feed feed = { .v = batches, .limits.depth = 2 };
	char out[512];
	unsigned int i, single;

	(void)state;
	for (i = 0; i < CALLS; i++)
		v[i] = (struct cst_generic)EL_BL(0x1000, 1);
	v[i++] = el_exception(14, 0x1000);
	v[i++] = OFF;
	for (i = 0; i < BATCHES; i++)
		batches[i] = (struct batch){ .tid = 7, N(v) };
	batches[i] = (struct batch){ .tid = 7, N(again) };
	/* with its root, the stack has one frame more than there may be */
	feed.n = BATCHES;
	assert_int_equal(make(&feed, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 1/1 {C1000@1000 1/1 {c 1048575/1048574}}");
	assert_int_equal(totals.lost, 1);
	feed.n = BATCHES + 1;
	assert_int_equal(make(&feed, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 2/2 {C1000@1000 1/1 {c 1048575/1048574}}");
	assert_int_equal(totals.lost, 1);
	/* the target of the last call is not executed: it has all that there may be */
	batches[BATCHES - 1].n = CALLS;
	feed.n = BATCHES;
	for (single = 0; single < 2; single++) {
		assert_int_equal(make(&feed, false, 2 - single, out, sizeof(out)), 0);
		assert_string_equal(out, "R1000 1/1 {C1000@1000 1/1 {c 1048574/1048574}}");
		assert_int_equal(totals.lost, 0);
	}
	/* nothing interrupts it but at its begin: a further call is not followed */
	batches[0] = (struct batch){ .tid = 7, N(begin) };
	for (i = 1; i <= BATCHES; i++)
		batches[i] = (struct batch){ .tid = 7, .g = v, .n = CALLS };
	batches[i] = (struct batch){ .tid = 7, N(again) };
	for (feed.n = BATCHES + 1; feed.n <= BATCHES + 2; feed.n++) {
		for (i = 1; i <= 2; i++) {
			assert_int_equal(make(&feed, false, i, out, sizeof(out)), 0);
			assert_string_equal(out, feed.n == BATCHES + 1 ? "R1000 1/3 {C1000@1000 1/1 {c 1048574/1048574}}" :
							    "R1000 2/4 {C1000@1000 1/1 {c 1048574/1048574}}");
			assert_int_equal(totals.lost, feed.n - BATCHES - 1);
		}
	}
}

/* ---- several CPUs -------------------------------------------------------------------------------- */

static void migration(void **state)
{
	const struct cst_generic a[] = { EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004) }, b[] = { EL_BL(0x2004, 1), EL_CUT(0x2100, 1), IRQ(0x2104) };
	const struct cst_generic c[] = { EL_RET(0x2104, 1), EL_RET(0x2008, 1), IRQ(0x1004) }, d[] = { EL_CUT(0x1004, 1) };
	const struct cst_generic ts[] = { { .kind = CST_GEN_TIMESTAMP, .addr = 1 } };
	/* each CPU's trace in order, one after the other */
	const struct batch timed[] = {
		{ .stream = 0, .tid = 7, .time = 100, .end = 110, .before = 110, N(a) }, { .stream = 0, .tid = 7, .time = 110, .end = 110, .before = 110, N(ts) },
		{ .stream = 0, .tid = 7, .time = 300, .end = 310, .before = 310, N(c) },
		{ .stream = 1, .tid = 7, .time = 200, .end = 210, .before = 210, N(b) }, { .stream = 1, .tid = 7, .time = 210, .end = 210, .before = 210, N(ts) },
		{ .stream = 1, .tid = 7, .time = 400, .end = 410, .before = 410, N(d) },
	};
	/* without times the address at which the thread continues gives the order */
	const struct batch by_address[] = {
		{ .stream = 0, .tid = 7, N(a) }, { .stream = 0, .tid = 7, N(c) }, { .stream = 1, .tid = 7, N(b) }, { .stream = 1, .tid = 7, N(d) },
	};
	/* neither */
	const struct cst_generic e[] = { EL_CUT(0x4000, 1), IRQ(0x4004) }, f[] = { EL_CUT(0x4100, 1), IRQ(0x4104) };
	const struct batch unordered[] = { { .stream = 0, .tid = 7, N(a) }, { .stream = 0, .tid = 7, N(e) }, { .stream = 1, .tid = 7, N(f) } };
	/* too few timestamps: either of two stretches may follow; and neither can */
	const struct batch sparse[] = {
		{ .stream = 0, .tid = 7, .time = 100, .end = 150, .before = 500, N(a) }, { .stream = 0, .tid = 7, .time = 300, .end = 310, .before = 500, N(c) },
		{ .stream = 1, .tid = 7, .time = 200, .end = 210, .before = 500, N(b) }, { .stream = 1, .tid = 7, .time = 400, .end = 410, .before = 500, N(d) },
	};
	const struct cst_generic h[] = { EL_CUT(0x4008, 1), IRQ(0x400c) }, k[] = { EL_CUT(0x4108, 1), IRQ(0x410c) };
	const struct batch wrong[] = {
		{ .stream = 0, .tid = 7, .time = 100, .end = 150, .before = 500, N(a) }, { .stream = 0, .tid = 7, .time = 300, .end = 310, .before = 500, N(h) },
		{ .stream = 1, .tid = 7, .time = 200, .end = 210, .before = 500, N(k) },
	};
	const struct feed one = { .v = timed, .n = 6 }, two = { .v = by_address, .n = 4 }, three = { .v = unordered, .n = 3 };
	const struct feed four = { .v = sparse, .n = 4 }, five = { .v = wrong, .n = 3 };

	(void)state;
	fed(&one, "R1000 1/2 {C2000@1000 1/3 {C2100@2004 1/2}}");
	assert_int_equal(totals.roots, 1);
	fed(&two, "R1000 1/2 {C2000@1000 1/3 {C2100@2004 1/2}}");
	fed(&three, "R1000 1/1 {C2000@1000 1/1} R4000 1/1 {S4100@4004 1/1}");
	assert_int_equal(totals.unordered, 1);
	fed(&four, "R1000 1/2 {C2000@1000 1/3 {C2100@2004 1/2}}");
	assert_true(totals.estimated == 1 && !totals.unordered);
	fed(&five, "R1000 1/1 {C2000@1000 1/1} R4000 1/1 R4100 1/1");
	assert_true(totals.estimated == 1 && totals.unordered == 2 && !totals.lost);
}

/* A stretch on one CPU, and two on others that may follow it: which one does, by what the thread was executing. */
static void followers(void **state)
{
	const struct cst_generic nacc = { .kind = CST_GEN_NACC, .addr = 0x9100 }, ts[] = { { .kind = CST_GEN_TIMESTAMP, .addr = 1 } };
	const struct cst_generic q = { .kind = CST_GEN_NOPATH, .addr = 0x2000, .end = 0x2040, .n_insn = 9, .section = 1, .sect_off = 0x2000 };
	const struct cst_generic call[] = { EL_BL(0x1000, 1), nacc }, tail[] = { EL_BL(0x1000, 1), EL_B(0x2000, 1), nacc }, path[] = { EL_BL(0x1000, 1), q };
	const struct cst_generic leap[] = { EL_CUT(0x1000, 1) };
	const struct cst_generic irq[] = { EL_CUT(0x1000, 1), IRQ(0x1004) }, handler[] = { EL_CUT(0x1000, 1), IRQ(0x1004), EL_CUT(0x3100, 1), IRQ(0x3104) };
	/* by their estimated times, the order is wrong */
	const struct cst_generic first[] = { EL_CUT(0x4100, 1) }, inside[] = { EL_CUT(0x4110, 1) }, inside_irq[] = { EL_CUT(0x4110, 1), IRQ(0x4114) };
	const struct cst_generic back[] = { EL_CUT(0x1004, 2), IRQ(0x100c) }, entry[] = { EL_CUT(0x3100, 1) }, same[] = { EL_CUT(0x1080, 1) };
	const struct cst_generic other[] = { EL_CUT(0x4200, 1) };
	const struct {
		struct batch a, x, y;
		const char *want;
		unsigned int estimated, unordered, lost;
	} row[] = {
		/* returns from missing code, also from the tail of a call, and from a handler */
		{ { N(call) }, { N(first) }, { N(back) }, "R1000 1/3 {C9100@1000 1/0 S4100@100c 1/1}", 0, 0, 0 },
		{ { N(tail) }, { N(first) }, { N(back) }, "R1000 1/3 {C2000@1000 1/1 {T9100@2000 1/0} S4100@100c 1/1}", 0, 0, 0 },
		{ { N(handler) }, { N(first) }, { N(back) }, "R1000 1/3 {S3100@1004 1/1 S4100@100c 1/1}", 0, 0, 0 },
		/* a handler, or the function that was interrupted, rather than the middle of another one */
		{ { N(irq) }, { N(inside) }, { N(entry) }, "R1000 1/1 {S3100@1004 1/1} R4100 1/1", 1, 1, 0 },
		{ { N(irq) }, { N(inside) }, { N(same) }, "R1000 1/2 R4100 1/1", 1, 1, 0 },
		/* what is not known leads anywhere: the time is all there is */
		{ { N(leap) }, { N(inside_irq) }, { N(other) }, "R1000 1/1 R4100 1/1 {S4200@4114 1/1}", 1, 0, 1 },
		{ { N(path) }, { N(inside_irq) }, { N(other) }, "R1000 1/1 {C2000@1000 1/9} R4100 1/1 {S4200@4114 1/1}", 1, 0, 1 },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct batch v[] = {
			row[i].a, row[i].x, { .time = 190, .end = 190, N(ts) }, { .stream = 1, .time = 200, .end = 200, N(ts) }, row[i].y,
		};
		const struct feed feed = { .v = v, .n = 5 };
		char out[512];

		for (k = 0; k < 5; k++) {
			v[k].tid = 7;
			v[k].before = 1000;
		}
		/* a timestamp is between the first stretch and the others, and none between these */
		v[0].time = 100;
		v[0].end = 110;
		v[0].before = 150;
		v[1].time = v[1].end = 180;
		v[1].before = 190;
		v[4].stream = 1;
		v[4].time = v[4].end = 400;
		assert_int_equal(make(&feed, false, 2, out, sizeof(out)), 0);
		assert_string_equal(out, row[i].want);
		if (totals.estimated != row[i].estimated || totals.unordered != row[i].unordered || totals.lost != row[i].lost)
			fail_msg("row %zu: %u estimated, %u unordered, %u lost", i, (unsigned int)totals.estimated,
				 (unsigned int)totals.unordered, (unsigned int)totals.lost);
	}
}

/* Between which timestamps a stretch is, also if they are those of the fragments before it and behind it. */
static void times_around(void **state)
{
	const struct cst_generic a[] = { EL_CUT(0x1000, 1), IRQ(0x1004) }, b[] = { EL_CUT(0x1004, 2), IRQ(0x100c) }, ts[] = { { .kind = CST_GEN_TIMESTAMP, .addr = 1 } };
	/* both continue where the thread was interrupted */
	const struct cst_generic loop[] = { EL_B(0x1004, 1), IRQ(0x1004) };
	const struct cst_generic other[] = { EL_CUT(0x4000, 1), IRQ(0x4004) };
	/* the record's time is that of its end; a timestamp is before the next one, whatever its time was estimated to be */
	const struct batch record[] = { { .tid = 7, .time = 100, .end = 110, .aux_time = 150, N(a) }, { .tid = 7, .stream = 1, .time = 200, .end = 200, .before = 210, N(ts) },
					{ .tid = 7, .stream = 1, .time = 205, .end = 205, .before = 210, N(b) } };
	const struct batch late[] = { { .tid = 7, .time = 100, .end = 110, .aux_time = 230, N(a) }, { .tid = 7, .stream = 1, .time = 200, .end = 260, .before = 210, N(ts) },
				      { .tid = 7, .stream = 1, .time = 205, .end = 205, .before = 210, N(b) } };
	const struct batch next[] = { { .tid = 7, .time = 100, .end = 110, .before = 110, N(a) }, { .tid = 7, .time = 110, .end = 110, .before = 120, N(ts) },
				      { .tid = 8, .time = 111, .end = 111, .before = 120, N(other) }, { .tid = 7, .fragment = true, .seq = 1, N(b) },
				      { .tid = 7, .stream = 1, .time = 105, .end = 105, .before = 108, N(loop) } };
	const struct feed one = { .v = record, .n = 3 }, two = { .v = late, .n = 3 }, three = { .v = next, .n = 5 };
	/* neither handler is known to be the first one */
	const struct cst_generic one_handler[] = { EL_CUT(0x3100, 1), IRQ(0x3104) }, other_handler[] = { EL_CUT(0x3200, 1) };
	const struct batch handlers[] = { next[0], next[1], next[2], { .tid = 7, .fragment = true, .seq = 1, N(one_handler) },
					  { .tid = 7, .stream = 1, .time = 115, .end = 115, .before = 1000, N(other_handler) } };
	const struct feed four = { .v = handlers, .n = 5 };
	char out[512];

	(void)state;
	assert_int_equal(make(&one, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 1/3");
	assert_true(!totals.estimated && !totals.unordered);
	assert_int_equal(make(&two, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 1/3");
	assert_true(totals.estimated == 1 && !totals.unordered);
	assert_int_equal(make(&three, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 1/4 R4000 1/1");
	assert_true(totals.estimated == 1 && !totals.unordered);
	assert_int_equal(make(&four, false, 2, out, sizeof(out)), 0);
	assert_string_equal(out, "R1000 1/1 {S3100@1004 1/1 {S3200@3104 1/1}} R4000 1/1");
	assert_true(totals.estimated == 2 && !totals.unordered);
}

/* ---- pieces -------------------------------------------------------------------------------------- */

/* Of a piece, the program is number 0 and the library number 1; of all, the program is number 5, and the library has none. */
static uint32_t number_of_all(void *data, uint32_t piece_number)
{
	assert_ptr_equal(data, &totals);
	assert_in_range(piece_number, 0, 1);
	return piece_number ? CST_COUNT_NO_BINARY : 5;
}

static struct calls *piece_of(const struct calls *c, const struct calls_code *code, const struct batch *b)
{
	const struct feed feed = { .v = b, .n = 1 };
	struct calls *piece = calls_piece_new(c, code);
	bool replaced = false;

	assert_non_null(piece);
	assert_int_equal(take(piece, &feed, false, &replaced), 0);
	return piece;
}

/* Fragments that are decoded in pieces, whose order is not that of the trace. */
static void pieces(void **state)
{
	bool replaced = false;
	const struct calls_code code = { .data = &replaced, .binary = binary, .where = where, .call_before = call_before, .program = program };
	const struct cst_generic a[] = { EL_RET(0x4010, 1), EL_B(NO_CALL + 8, 1), EL_BL(0x1000, 1), EL_CUT(0x2000, 1), IRQ(0x2004) };
	const struct cst_generic b[] = { EL_BL(0x3100, 1), in_library(EL_BL(0x9000, 2)), EL_RET(0x2000, 3), in_library(EL_RET(0x9004, 1)),
					 EL_BL(0x3104, 1), EL_CUT(0x2100, 1), IRQ(0x2104) };
	const struct cst_generic c2[] = { EL_RET(0x2104, 1), EL_BL(0x3108, 1), EL_CUT(0x2200, 1) };
	const struct batch v[] = { { .tid = 7, .seq = 3, .fragment = true, N(c2) }, { .tid = 7, .seq = 1, .fragment = true, N(a) },
				   { .tid = 7, .seq = 2, .fragment = true, N(b) } };
	static const struct {
		uint64_t kept;
		const char *want;
		unsigned int unjoined, roots, lost, calls;
	} row[] = {
		{ 0, "R4000 1/1 R8008 1/1 {T1000@8008 1/1 {C2000@1000 1/1 {S3100@2004 1/3 {C@3100 1/3 {C2000 1/3} C2100@3104 1/2 C2200@3108 1/1}}}}",
		  0, 2, 1, 6 },
		{ 1, "R3100 2/3 {C@3100 1/3 {C2000 1/3} C2100@3104 2/2 C2200@3108 1/1} R4000 1/1 R8008 1/1 {T1000@8008 1/1 {C2000@1000 1/1}}",
		  3, 4, 1, 7 },
	};
	struct calls *c, *piece;
	char out[512];
	struct cst_count_node n;
	size_t i, k, nodes;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		for (nodes = 0; nodes < 2; nodes++) {
			const struct calls_limits limits = { .kept = row[i].kept };

			c = calls_new(&limits, &code, 1);
			assert_non_null(c);
			for (k = 0; k < 3; k++) {
				piece = piece_of(c, &code, &v[k]);
				assert_int_equal(calls_piece_take(c, piece, number_of_all, &totals), 0);
				calls_free(piece);
			}
			assert_int_equal(calls_finish(c, same, NULL), 0);
			totals = *calls_totals(c);
			if (nodes)
				while (calls_next(c, &n)) {
					assert_true(n.binary == (n.entry == CST_COUNT_OUTSIDE ? CST_COUNT_NO_BINARY : 5));
					assert_true(n.from_binary == (n.from == CST_COUNT_OUTSIDE ? CST_COUNT_NO_BINARY : 5));
				}
			else
				show(c, out, sizeof(out));
			calls_free(c);
		}
		assert_string_equal(out, row[i].want);
		assert_int_equal(totals.unjoined, row[i].unjoined);
		assert_int_equal(totals.roots, row[i].roots);
		assert_int_equal(totals.lost, row[i].lost);
		assert_int_equal(totals.calls, row[i].calls);
	}
	/* a piece that is not whole, because there was no memory, is refused */
	c = calls_new(NULL, &code, 1);
	piece = piece_of(c, &code, &v[0]);
	piece->nomem = true;
	assert_int_equal(calls_piece_take(c, piece, number_of_all, &totals), ERR_NOMEM);
	calls_free(piece);
	calls_free(c);
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* Without memory for any one allocation, there is an error, and no tree that is another one. */
static void no_memory(void **state)
{
	enum { DEPTH = 200 };
	static const struct calls_slice_opts some = { .max = 2, .by_insns = true };
	static struct cst_generic v[2 * DEPTH + 2];
	const struct cst_generic a[] = { EL_BL(0x1000, 1), EL_BL(0x2000, 1), EL_BL(0x2100, 1), EL_CUT(0x2200, 1), IRQ(0x2204) };
	const struct cst_generic c[] = { EL_RET(0x2204, 1), EL_RET(0x2104, 1), EL_RET(0x2004, 1), EL_BL(0x1004, 2), EL_CUT(0x2000, 1), IRQ(0x2004) };
	const struct batch b = { .tid = 7, .g = v, .n = 2 * DEPTH + 2 };
	const struct batch two[] = { { .tid = 7, .time = 100, .end = 110, N(a) }, { .stream = 1, .tid = 8, .time = 120, .end = 130, N(a) },
				     { .stream = 1, .tid = 7, .time = 200, .end = 210, N(c) } };
	const struct feed feeds[] = {
		{ .v = &b, .n = 1 }, { .v = &b, .n = 1, .limits.nodes = 40 }, { .v = two, .n = 3 }, { .v = two, .n = 3, .limits.nodes = 4 },
		{ .v = two, .n = 3, .limits.kept = 1 }, { .v = two, .n = 3, .slices = &some, .longest = 3 },
		{ .v = two, .n = 3, .limits.kept = 1, .slices = &some },
	};
	static char want[65536], out[65536];
	unsigned int mode, i;
	size_t which;
	int rc;

	(void)state;
	for (i = 0; i < DEPTH; i++)
		v[i] = EL_BL((0x1000 + 0x100 * (i % 16)), 1 + i % 3);
	for (; i < 2 * DEPTH + 2; i++)
		v[i] = EL_RET(0x4000 + 8 * (i & 1), 1);
	for (i = 0; i < 2 * sizeof(feeds) / sizeof(feeds[0]); i++) {
		const struct feed *feed = &feeds[i / 2];

		mode = 1 + i % 2;
		assert_int_equal(make(feed, false, mode, want, sizeof(want)), 0);
		for (which = 1;; which++) {
			failing = which;
			rc = make(feed, false, mode, out, sizeof(out));
			assert_true(which < 5000);
			if (failing)
				break;
			if (!rc)
				fail_msg("recording %u, %u streams: allocation %zu fails without an error", i / 2, mode, which);
		}
		failing = 0;
		assert_int_equal(rc, 0);
		assert_string_equal(out, want);
		assert_true(which > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls), cmocka_unit_test(climbs), cmocka_unit_test(tails), cmocka_unit_test(many_tails), cmocka_unit_test(order),
		cmocka_unit_test(final_places), cmocka_unit_test(sections), cmocka_unit_test(jumps),
		cmocka_unit_test(pads), cmocka_unit_test(interrupts), cmocka_unit_test(system_calls), cmocka_unit_test(kernel), cmocka_unit_test(threads),
		cmocka_unit_test(thread_keys), cmocka_unit_test(slices), cmocka_unit_test(slice_fields), cmocka_unit_test(losses), cmocka_unit_test(fragments),
		cmocka_unit_test(gaps), cmocka_unit_test(limits), cmocka_unit_test(room), cmocka_unit_test(streams), cmocka_unit_test(greatest_depth),
		cmocka_unit_test(endless), cmocka_unit_test(migration), cmocka_unit_test(followers), cmocka_unit_test(times_around), cmocka_unit_test(pieces),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
