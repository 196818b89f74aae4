/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges and edges of elements made by hand. Each case is counted as one batch, cut at each place, and element by
 * element; what comes out must be the same, and what the case says. A file of addresses: 0x1000 to 0x8fff belong to
 * the program, 0x9000 to 0xffff to a library.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting/counts/counts.h"
#include "machine/images/dso_table.h"
#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "unit/failing_alloc.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/synth_elements.h"

#define EL_ISB(a, n)	el_range(a, n, CST_INSN_ISB, CST_INSN_PLAIN, EL_TAKEN)

enum { ANON = 0, PROGRAM = 1, LIBRARY = 2, PROGRAM_TOO = 70, METHODS = 80 };	/* sections */
#define OUT	COUNTS_OUTSIDE

struct batch {
	unsigned int stream;
	bool unwanted;
	int tid;
	const struct cst_generic *g;
	size_t n;
};

static struct dso_symbol_entry methods[] = { { .offset = 0x100, .size = 0x100, .name = "one" },
					     { .offset = 0x200, .size = 0x100, .name = "two" } };
static struct dso program = { .path = (char *)"/bin/program" }, library = { .path = (char *)"/lib/library", .number = 1 },
		  jit = { .path = (char *)"jitted", .number = 100, .kind = DSO_JIT, .syms = methods, .nr_syms = 2 };
static struct {
	const struct batch *v;
	size_t n;
	size_t cut;	/* of the first batch; 0: whole, SIZE_MAX: element by element */
	bool pieces;	/* each batch in a piece of its own */
} feed;

struct dso *__wrap_session_section_dso(struct session *ss, const struct stream *s, uint32_t section);
struct dso *__wrap_session_same_dso(const struct session *ss, const struct dso *d);
const struct dso_table *__wrap_session_dsos(const struct session *ss);
bool __wrap_session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc);
int __wrap_session_run(struct session *ss, const struct consumer *consumer);
int __wrap_session_take_counts(struct session *ss, uint32_t section, struct dso **dso, struct cst_pairs *ranges,
			       struct cst_pairs *edges);
int __wrap_session_exits(struct session *ss, uint32_t section, const struct cst_exits **exits, uint32_t *n, uint64_t *insns);

struct dso *__wrap_session_section_dso(struct session *ss, const struct stream *s, uint32_t section)
{
	(void)ss;
	(void)s;
	assert_int_not_equal(section, ANON);
	return section == LIBRARY ? &library : section == METHODS ? &jit : section == 3 ? NULL : &program;
}

struct dso *__wrap_session_same_dso(const struct session *ss, const struct dso *d)
{
	(void)ss;
	return (struct dso *)d;
}

static bool any_jit, library_may_count;

const struct dso_table *__wrap_session_dsos(const struct session *ss)
{
	static struct dso *v[] = { &program, &library, &jit };
	static struct dso_table table = { .all = v };

	(void)ss;
	table.nr = any_jit ? 3 : 2;
	return &table;
}

/* What is mapped far above is the program again, at an offset that has no place in the counts. */
bool __wrap_session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	(void)s;
	if (addr < 0x1000 || (addr >= 0x10000 && addr < OUT))
		return false;
	*loc = (struct session_loc){ .dso = addr < 0x9000 || addr >= OUT ? &program : &library, .offset = addr };
	return true;
}

static int give(const struct consumer *con, void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	size_t cut = feed.cut == SIZE_MAX ? 1 : feed.cut && feed.cut < n ? feed.cut : n, i, refused;
	int rc = 0;

	for (i = 0; i < n && !rc; i += cut, cut = feed.cut == SIZE_MAX ? 1 : n - i) {
		refused = failing;
		rc = con->batch(data, s, g + i, cut);
		/* without memory, no more is decoded */
		refused = refused && !failing;
		assert_int_equal(rc, refused ? -CST_ERR_NOMEM : 0);
	}
	return rc;
}

/* Gives a batch to a piece, and takes that. */
static int give_piece(const struct consumer *con, struct stream *s, const struct cst_generic *g, size_t n)
{
	void *piece = con->shards->make(con->data, NULL);
	int rc = piece ? give(con, piece, s, g, n) : -CST_ERR_NOMEM, end;

	if (!piece)
		return rc;
	con->stream_end(piece, s);
	if (!rc) {
		end = con->shards->end(piece);
		rc = con->shards->take(con->data, piece);
		rc = end ? end : rc;
	}
	con->shards->free(piece);
	return rc;
}

int __wrap_session_run(struct session *ss, const struct consumer *con)
{
	static const struct cst_config config = { .protocol = CST_PROTO_ETMV4 };
	void *word[2] = { NULL };
	struct stream s[2] = { { .config = &config, .priv = &word[0] }, { .config = &config, .priv = &word[1] } };
	size_t i;
	int rc = 0;

	(void)ss;
	assert_true(con->wants.excluded);
	/* generated code is divided between methods here, and arrivals are in elements only */
	assert_int_equal(con->wants.counts, library_may_count);
	for (i = 0; i < feed.n && !rc; i++) {
		s[feed.v[i].stream].unwanted = feed.v[i].unwanted;
		s[feed.v[i].stream].tid = feed.v[i].tid;
		if (feed.pieces)
			rc = give_piece(con, &s[feed.v[i].stream], feed.v[i].g, feed.v[i].n);
		else
			rc = give(con, con->data, &s[feed.v[i].stream], feed.v[i].g, feed.v[i].n);
	}
	for (i = 0; i < 2; i++)
		con->stream_end(con->data, &s[i]);
	assert_null(word[0]);
	return rc;
}

/* What the library counted: two sections of the program, nothing, the library, a section without a file. */
static struct cst_pairs lib_ranges[5], lib_edges[5];
static bool counted_any;

int __wrap_session_take_counts(struct session *ss, uint32_t section, struct dso **dso, struct cst_pairs *ranges,
			       struct cst_pairs *edges)
{
	(void)ss;
	if (!counted_any || section > 5)
		return 0;
	*dso = section == 5 ? NULL : section == 4 ? &library : &program;
	*ranges = *edges = (struct cst_pairs){ .slot = NULL };
	assert_true(cst_pairs_merge(ranges, &lib_ranges[section - 1]) && cst_pairs_merge(edges, &lib_edges[section - 1]));
	cst_pairs_sort(ranges);
	cst_pairs_sort(edges);
	return 1;
}

/* Exits of the first section: to the second one, to the library, to where no file is. Of the last one: to the program. */
static struct cst_exits exits[2][3] = { { { .section = PROGRAM_TOO }, { .section = LIBRARY }, { .section = 3 } },
					{ { .section = PROGRAM } } };

int __wrap_session_exits(struct session *ss, uint32_t section, const struct cst_exits **x, uint32_t *n, uint64_t *insns)
{
	(void)ss;
	*x = exits[section == 5];
	*n = section == 1 ? 3 : section == 5;
	*insns = section == 1 ? 300 : section == 5 ? 5000 : 0;
	return 0;
}

static struct cst_generic in(unsigned int section, struct cst_generic g)
{
	g.section = section;
	return g;
}

static struct cst_generic t32(struct cst_generic g)
{
	g.isa = CST_ISA_T32;
	return g;
}

struct want {
	const char *ranges[2];	/* without and with `joined`, of the program: "first-last:times ..." */
	const char *edges;	/* of the program: "from->to:times ...", to - : outside */
	const char *library;	/* its ranges, then its edges; NULL: nothing of it ran */
	uint64_t insns, branches, inside, elsewhere;
};

static const char *text(struct cst_pairs *p, const char *arrow, char *out)
{
	const struct cst_pair *v = cst_pairs_sort(p);
	size_t i;

	*out = 0;
	for (i = 0; i < p->used; i++) {
		char to[16] = "-";

		if (v[i].b != OUT)
			snprintf(to, sizeof(to), "%x", v[i].b);
		sprintf(out + strlen(out), "%s%x%s%s:%u", i ? " " : "", v[i].a, arrow, to, (unsigned int)v[i].count);
	}
	return out;
}

static void append(char *out, struct cst_pairs *p, const char *arrow)
{
	text(p, arrow, out + strlen(out));
	strcat(out, "|");
}

static const struct binary *find(struct binary **v, size_t n, const struct dso *dso)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i]->dso == dso)
			return v[i];
	return NULL;
}

static void count_as(const struct want *want, bool joined)
{
	struct counts *c = counts_new(NULL, joined ? COUNTS_JOINED : COUNTS_SPLIT, 0);
	struct binary **v, *b;
	char out[4096], more[2048];
	size_t n;

	assert_non_null(c);
	library_may_count = !any_jit;
	assert_int_equal(counts_run(c), 0);
	n = counts_binaries(c, &v);
	b = (struct binary *)find(v, n, &program);
	assert_string_equal(b ? text(&b->ranges, "-", out) : "", want->ranges[joined]);
	assert_string_equal(b ? text(&b->edges, "->", out) : "", want->edges);
	assert_int_equal(b ? b->insns : 0, want->insns);
	assert_int_equal(b ? b->branches : 0, want->branches);
	assert_int_equal(b ? b->inside : 0, want->inside);
	assert_int_equal(counts_elsewhere(c), want->elsewhere);
	b = (struct binary *)find(v, n, &library);
	assert_int_equal(!b, !want->library);
	if (b) {
		text(&b->ranges, "-", out);
		snprintf(out + strlen(out), sizeof(out) - strlen(out), " %s", text(&b->edges, "->", more));
		assert_string_equal(out, want->library);
	}
	counts_free(c);
}

static void counted(const struct batch *v, size_t n, const struct want *want)
{
	feed.v = v;
	feed.n = n;
	for (feed.cut = 0; feed.cut < v[0].n; feed.cut++) {
		count_as(want, false);
		count_as(want, true);
	}
	feed.cut = SIZE_MAX;
	count_as(want, false);
	count_as(want, true);
	feed.cut = 0;
}

#define COUNT(elements, ...) do {							\
	const struct want want_ = { __VA_ARGS__ };					\
	const struct batch batch_ = { .g = elements, .n = sizeof(elements) / sizeof(*(elements)) }; \
	counted(&batch_, 1, &want_);							\
} while (0)

static void branches(void **state)
{
	const struct cst_generic taken[] = { EL_B(0x1000, 2), EL_BCC(0x1010, 1), EL_B(0x1000, 2), EL_RET(0x1010, 3),
					     EL_CUT(0x1020, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic fallen[] = { EL_BCC_N(0x1000, 2), EL_BCC_N(0x1008, 1), EL_B(0x100c, 1),
					      EL_BCC_N(0x1000, 2), EL_B(0x1008, 1), el_next(CST_GEN_EO_TRACE, 0x1000) };
	const struct cst_generic next[] = { EL_B(0x1000, 1), EL_B(0x1004, 1), EL_B(0x1008, 1), EL_CUT(0x100c, 1) };

	(void)state;
	COUNT(taken, { "1000-1004:2 1010-1010:1 1010-1018:1 1020-1020:1", "1000-1004:2 1010-1010:1 1010-1018:1 1020-1020:1" },
	      "1004->1010:2 1010->1000:1 1018->1020:1", NULL, 9, 4, 4, 0);
	COUNT(fallen, { "1000-1004:2 1008-1008:2 100c-100c:1", "1000-1008:1 1000-100c:1" },
	      "1008->1000:1 100c->1000:1", NULL, 7, 2, 2, 0);
	/* a branch to the next instruction is one all the same; the end without a word loses the last range */
	COUNT(next, { "1000-1000:1 1004-1004:1 1008-1008:1", "1000-1000:1 1004-1004:1 1008-1008:1" },
	      "1000->1004:1 1004->1008:1 1008->100c:1", NULL, 4, 3, 3, 0);
}

/* Elements that tell of less than a range, and elements that do not end one. */
static void pieces(void **state)
{
	const struct cst_generic small[] = { EL_CUT(0x1000, 1), EL_CUT(0x1004, 1), el_cycles(3), EL_BCC_N(0x1008, 1),
					     el_plain(CST_GEN_TIMESTAMP), EL_CUT(0x100c, 2), EL_B(0x1014, 1),
					     EL_CUT(0x1000, 1), EL_CUT(0x2000, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic sections[] = { EL_CUT(0x1000, 1), in(PROGRAM_TOO, EL_B(0x1004, 1)), EL_B(0x1008, 1),
						in(PROGRAM_TOO, EL_CUT(0x1100, 1)), el_plain(CST_GEN_EO_TRACE) };

	(void)state;
	/* 2000 does not follow 1000, though no branch led there */
	COUNT(small, { "1000-1000:1 1000-1008:1 100c-1014:1 2000-2000:1", "1000-1000:1 1000-1014:1 2000-2000:1" },
	      "1014->1000:1", NULL, 8, 1, 1, 0);
	COUNT(sections, { "1000-1004:1 1008-1008:1 1100-1100:1", "1000-1004:1 1008-1008:1 1100-1100:1" },
	      "1004->1008:1 1008->1100:1", NULL, 4, 2, 2, 0);
}

/* Exceptions, and places where the trace goes off, or does not know. */
static void interrupted(void **state)
{
	const struct cst_generic at_target[] = { EL_B(0x1000, 1), el_exception(14, 0x1100), EL_CUT(0x9000, 1) };
	const struct cst_generic between[] = { EL_BCC_N(0x1000, 1), el_exception(14, 0x1004), EL_B(0x1004, 1),
					       el_next(CST_GEN_TRACE_ON, 0x1200), EL_CUT(0x1300, 1),
					       el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic off[] = { EL_B(0x1000, 1), el_next(CST_GEN_TRACE_ON, 0x1200), EL_B(0x1000, 1),
					   el_doubtful(el_next(CST_GEN_TRACE_ON, 0x1200)), EL_BR(0x1000, 1),
					   el_next(CST_GEN_TRACE_ON, 0x9000), EL_BR(0x1004, 1), el_next(CST_GEN_TRACE_ON, 0x500),
					   EL_BR(0x1004, 1), el_next(CST_GEN_TRACE_ON, 0x100001000ull), EL_BR(0x1008, 1),
					   el_next(CST_GEN_TRACE_ON, OUT), EL_BR(0x1008, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic lost[] = { EL_BR(0x1000, 1), el_no_sync(CST_UNSYNC_OVERFLOW, 0), EL_CUT(0x1100, 1),
					    el_plain(CST_GEN_ADDR_UNKNOWN), EL_B(0x1104, 1),
					    { .kind = CST_GEN_NACC, .addr = 0x1300 }, EL_B(0x1004, 1),
					    { .kind = CST_GEN_NOPATH, .addr = 0x1400, .end = 0x1408, .n_insn = 2 },
					    EL_CUT(0x1408, 1), el_plain(CST_GEN_EO_TRACE) };

	/* the address that an earlier exception returned to is where the last range ends again */
	const struct cst_generic again[] = { EL_BCC_N(0x1000, 1), el_exception(14, 0x1004), EL_B(0x1004, 1), EL_CUT(0x1000, 1),
					     el_plain(CST_GEN_TRACE_ON), EL_CUT(0x1004, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic inside[] = { EL_CUT(0x1000, 1), el_exception(14, 0x1004), el_plain(CST_GEN_TRACE_ON), EL_CUT(0x1004, 1),
					      EL_ISB(0x1008, 1), el_exception(14, 0x100c), EL_B(0x100c, 1),
					      el_plain(CST_GEN_EO_TRACE) };

	(void)state;
	COUNT(at_target, { "1000-1000:1", "1000-1000:1" }, "1000->1100:1", NULL, 2, 1, 1, 0);
	/* neither an exception that returns to the next instruction nor an ISB ends a range */
	COUNT(inside, { "1000-100c:1", "1000-100c:1" }, "100c->-:1", NULL, 4, 1, 0, 0);
	COUNT(again, { "1000-1000:2 1004-1004:2", "1000-1000:1 1000-1004:1 1004-1004:1" }, "1004->1000:1", NULL, 4, 1, 1, 0);
	COUNT(between, { "1000-1000:1 1004-1004:1 1300-1300:1", "1000-1004:1 1300-1300:1" },
	      "1004->1200:1", NULL, 3, 1, 1, 0);
	COUNT(off, { "1000-1000:3 1004-1004:2 1008-1008:2", "1000-1000:3 1004-1004:2 1008-1008:2" },
	      "1000->1200:1 1000->-:1 1004->-:2 1008->-:2", NULL, 7, 6, 1, 0);
	COUNT(lost, { "1000-1000:1 1004-1004:1 1100-1100:1 1104-1104:1 1408-1408:1",
		      "1000-1000:1 1004-1004:1 1100-1100:1 1104-1104:1 1408-1408:1" },
	      "1000->-:1 1004->1400:1 1104->1300:1", NULL, 5, 3, 2, 0);
}

static void files(void **state)
{
	const struct cst_generic calls[] = { EL_BL(0x1000, 2), in(LIBRARY, EL_CUT(0x9000, 4)), in(LIBRARY, EL_RET(0x9010, 1)),
					     EL_B(0x1008, 1), in(ANON, EL_B(0x20000, 5)), EL_B(0x1100, 1),
					     in(3, EL_BR(0x30000, 2)), in(LIBRARY, EL_RET(0x9010, 1)), EL_CUT(0x1008, 1),
					     el_plain(CST_GEN_EO_TRACE) };
	/* the same numbers in another file do not go on with what was before */
	const struct cst_generic beside[] = { EL_CUT(0x1000, 1), in(LIBRARY, EL_CUT(0x1004, 1)), in(ANON, EL_CUT(0x1008, 1)),
					      EL_CUT(0x100c, 1), el_plain(CST_GEN_EO_TRACE) };

	(void)state;
	COUNT(calls, { "1000-1004:1 1008-1008:2 1100-1100:1", "1000-1004:1 1008-1008:2 1100-1100:1" },
	      "1004->-:1 1008->-:1 1100->-:1", "9000-9010:1 9010-9010:1 9010->-:2", 5, 3, 0, 7);
	COUNT(beside, { "1000-1000:1 100c-100c:1", "1000-1000:1 100c-100c:1" }, "", "1004-1004:1 ", 2, 0, 0, 1);
}

/* What a filter leaves out tells where the last branch led, and nothing else. */
static void filtered(void **state)
{
	const struct cst_generic shown[] = { EL_B(0x1000, 2) }, more[] = { EL_B(0x1010, 1), el_cycles(1) };
	const struct cst_generic gone[] = { el_cycles(1), EL_BCC_N(0x1010, 1), EL_B(0x1014, 1) };
	const struct cst_generic gone_too[] = { { .kind = CST_GEN_NOPATH, .addr = 0x1400, .end = 0x1408, .n_insn = 2 }, EL_BCC_N(0x1010, 1) };
	const struct cst_generic time[] = { el_plain(CST_GEN_TIMESTAMP) }, far[] = { in(LIBRARY, EL_B(0x9000, 1)) };
	const struct batch v[] = { { 0, false, 0, shown, 1 }, { 0, true, 0, time, 1 }, { 0, true, 0, gone, 3 }, { 0, true, 0, gone_too, 2 },
				   { 0, false, 0, more, 2 }, { 0, true, 0, far, 1 }, { 0, false, 0, shown, 1 }, { 0, true, 0, time, 1 } };
	struct counts *c = counts_new(NULL, COUNTS_SPLIT, 0);
	struct binary **b;
	char out[256];

	(void)state;
	library_may_count = true;
	feed.v = v;
	feed.n = 8;
	assert_int_equal(counts_run(c), 0);
	/* the library has a name here, and no counts */
	assert_int_equal(counts_binaries(c, &b), 2);
	assert_int_equal(b[1]->insns, 0);
	assert_int_equal(b[1]->ranges.used + b[1]->edges.used, 0);
	assert_string_equal(text(&b[0]->ranges, "-", out), "1000-1004:2 1010-1010:1");
	assert_string_equal(text(&b[0]->edges, "->", out), "1004->1010:1 1010->-:1");
	assert_int_equal(b[0]->insns, 5);
	assert_int_equal(counts_nopath(c), 0);
	assert_int_equal(b[0]->branches, 2);
	assert_int_equal(b[0]->inside, 1);
	counts_free(c);
}

/* Streams do not continue one another. */
static void streams(void **state)
{
	const struct cst_generic a[] = { EL_B(0x1000, 1) }, b[] = { EL_BCC_N(0x1100, 1) };
	const struct cst_generic a2[] = { EL_CUT(0x1200, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic b2[] = { EL_CUT(0x1104, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct batch v[] = { { 0, false, 0, a, 1 }, { 1, false, 0, b, 1 }, { 0, false, 0, a2, 2 }, { 1, false, 0, b2, 2 } };
	const struct want want = { { "1000-1000:1 1100-1100:1 1104-1104:1 1200-1200:1", "1000-1000:1 1100-1104:1 1200-1200:1" },
				   "1000->1200:1", NULL, 4, 1, 1, 0 };

	(void)state;
	counted(v, 4, &want);
}

/* Ranges, arrivals, entries and edges of the program, joined. */
static void arrived_as(const char *ranges, const char *arrivals, const char *entries, const char *edges)
{
	struct counts *c = counts_new(NULL, COUNTS_ALL, 0);
	struct binary **v, *b;
	char out[4096];
	size_t n;

	library_may_count = false;

	assert_non_null(c);
	assert_int_equal(counts_run(c), 0);
	n = counts_binaries(c, &v);
	b = (struct binary *)find(v, n, &program);
	assert_non_null(b);
	assert_string_equal(text(&b->ranges, "-", out), ranges);
	assert_string_equal(text(&b->arrivals, "-", out), arrivals);
	assert_string_equal(text(&b->entries, ">", out), entries);
	assert_string_equal(text(&b->edges, "->", out), edges);
	counts_free(c);
}

static void arrived(const struct batch *v, size_t n, const char *ranges, const char *arrivals, const char *entries,
		    const char *edges)
{
	feed.v = v;
	feed.n = n;
	for (feed.cut = 0; feed.cut < v[0].n; feed.cut++)
		arrived_as(ranges, arrivals, entries, edges);
	feed.cut = SIZE_MAX;
	arrived_as(ranges, arrivals, entries, edges);
	feed.cut = 0;
}

#define ARRIVED(elements, ...) do {								\
	const struct batch batch_ = { .g = elements, .n = sizeof(elements) / sizeof(*(elements)) };	\
	arrived(&batch_, 1, __VA_ARGS__);							\
} while (0)

/* Fragments that are decoded apart, in any order, are counted as one after the other. */
static void apart(void **state)
{
	const struct cst_generic a[] = { t32(EL_BCC_N(0x4000, 2)), EL_BL(0x1000, 2), in(LIBRARY, EL_B(0x9000, 4)), EL_BL(0x1008, 1), EL_RET(0x1100, 2),
					 EL_B(0x100c, 1), in(ANON, EL_B(0x20000, 5)), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic b[] = { EL_BCC_N(0x1000, 1), EL_B(0x1004, 1), { .kind = CST_GEN_NOPATH, .addr = 0x1400, .end = 0x1408, .n_insn = 2 },
					 in(LIBRARY, EL_RET(0x9000, 1)), EL_CUT(0x1100, 2), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic c2[] = { EL_BCC_N(0x1000, 1), el_exception(14, 0x1004), EL_B(0x2000, 1), EL_B(0x2000, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct batch v[] = { { .g = a, .n = 8 }, { .g = b, .n = 6 }, { .g = c2, .n = 5 } };
	const struct want want = { { "1000-1000:2 1000-1004:1 1004-1004:1 1008-1008:1 100c-100c:1 1100-1104:2 2000-2000:2 4000-4004:1",
				     "1000-1000:1 1000-1004:2 1008-1008:1 100c-100c:1 1100-1104:2 2000-2000:2 4000-4004:1" },
				   "1004->1400:1 1004->-:1 1008->1100:1 100c->-:1 1104->100c:1 2000->2000:1 2000->-:1",
				   "9000-9000:1 9000-900c:1 9000->-:1 900c->-:1", 15, 7, 4, 5 };
	struct binary **bins, *bin;
	char out[2][1024];
	struct counts *c;
	unsigned int i;

	(void)state;
	counted(v, 3, &want);
	feed.pieces = true;
	counted(v, 3, &want);
	for (i = 0; i < 2; i++) {
		feed.pieces = i;
		library_may_count = false;
		c = counts_new(NULL, COUNTS_ALL, 0);
		assert_int_equal(counts_run(c), 0);
		assert_int_equal(counts_nopath(c), 2);
		assert_int_equal(counts_elsewhere(c), 5);
		bin = (struct binary *)find(bins, counts_binaries(c, &bins), &program);
		*out[i] = 0;
		append(out[i], &bin->ranges, "-");
		append(out[i], &bin->arrivals, "-");
		append(out[i], &bin->entries, ">");
		append(out[i], &bin->edges, "->");
		append(out[i], &bin->untaken, ">");
		/* that of the first range */
		assert_int_equal(bin->isa, CST_ISA_T32);
		assert_int_equal(bin->insns, 15);
		counts_free(c);
	}
	assert_string_equal(out[0], out[1]);
	assert_string_equal(out[0], "1000-1000:1 1000-1004:2 1100-1104:1 2000-2000:1 4001-4004:1|"
				    "1008-1008:1 100c-100c:1 1100-1104:1 2000-2000:1|1008>0:1 1100>0:1 2000>0:1|"
				    "1004->1400:1 1004->-:1 1008->1100:1 100c->-:1 1104->100c:1 2000->2000:1 2000->-:1|1000>0:1 4005>0:1|");
	feed.pieces = false;
}

/* What led to a range: a branch, a return, another file, the kernel. */
static void arrivals(void **state)
{
	const struct cst_generic calls[] = { EL_BL(0x1000, 2), in(LIBRARY, EL_B(0x9000, 4)), EL_BL(0x1008, 1), EL_RET(0x1100, 2),
					     EL_BCC_N(0x100c, 1), EL_B(0x1010, 1), in(ANON, EL_RET(0x20000, 1)), EL_CUT(0x1014, 1),
					     el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic kernel[] = { EL_BCC_N(0x1000, 1), el_exception(14, 0x1004), EL_CUT(0x1004, 1),
					      el_exception(14, 0x1008), el_plain(CST_GEN_TRACE_ON), EL_BCC_N(0x1008, 1),
					      el_exception(14, 0x100c), EL_BCC_N(0x2000, 1), el_exception(14, 0x2004),
					      EL_B(0x100c, 1), EL_CUT(0x1000, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic target[] = { EL_RET(0x1000, 1), el_exception(14, 0x1100), EL_B(0x1100, 1),
					      el_exception(14, 0x1200), EL_RET(0x1200, 1), el_exception(14, 0x1300),
					      EL_B(0x1400, 1), EL_RET(0x1500, 1), EL_CUT(0x1600, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic lost[] = { EL_BCC_N(0x1000, 1), el_no_sync(CST_UNSYNC_OVERFLOW, 0), EL_RET(0x1004, 1),
					    el_plain(CST_GEN_ADDR_UNKNOWN), EL_CUT(0x1100, 1), el_plain(CST_GEN_EO_TRACE) };
	/* what ran before an exception that follows a loss is not known */
	const struct cst_generic behind[] = { EL_RET(0x1000, 1), el_plain(CST_GEN_ADDR_UNKNOWN), el_exception(14, 0x1004),
					      el_plain(CST_GEN_TRACE_ON), EL_CUT(0x1100, 1), el_plain(CST_GEN_EO_TRACE) };
	/* an exception that returns elsewhere, as one that emulates an instruction; the return before it led to other code */
	const struct cst_generic skipped[] = { EL_RET(0x1000, 1), el_exception(14, 0x1100), EL_CUT(0x1100, 1), el_exception(14, 0x1200),
					       EL_CUT(0x1200, 1), el_plain(CST_GEN_EO_TRACE) };
	/* into another file, and what was interrupted at the target of a branch there */
	const struct cst_generic landed[] = { EL_B(0x1000, 1), el_exception(14, 0x9000), in(LIBRARY, EL_B(0x9000, 1)), el_exception(14, 0x1100),
					      EL_CUT(0x1100, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic first[] = { EL_BCC_N(0x1000, 1), el_exception(14, 0x1004) }, then[] = { EL_CUT(0x1004, 1) };
	const struct cst_generic end[] = { el_plain(CST_GEN_EO_TRACE) };
	/* how execution came to what follows the code that a filter leaves out is not known */
	const struct cst_generic shown[] = { EL_RET(0x1000, 2) }, gone[] = { EL_RET(0x1010, 1) }, more[] = { EL_CUT(0x1100, 1), el_plain(CST_GEN_EO_TRACE) };
	const struct batch filter[] = { { 0, false, 0, shown, 1 }, { 0, true, 0, gone, 1 }, { 0, false, 0, more, 2 } };
	const struct batch threads[] = { { 0, false, 7, first, 2 }, { 0, false, 8, then, 1 }, { 0, false, 8, end, 1 } };

	(void)state;
	ARRIVED(calls, "1000-1004:1 1100-1104:1", "1008-1008:1 100c-1010:1 1014-1014:1", "1008>0:1 1014>0:1",
		"1004->-:1 1008->1100:1 1010->-:1 1104->100c:1");
	ARRIVED(kernel, "1000-1000:1 1000-1008:1", "100c-100c:1 2000-2000:1", "100c>0:1 2000>0:1", "100c->1000:1");
	ARRIVED(target, "1000-1000:1 1200-1200:1 1500-1500:1", "1100-1100:1 1400-1400:1 1600-1600:1", "1400>0:1",
		"1000->1100:1 1100->1200:1 1200->1300:1 1400->1500:1 1500->1600:1");
	ARRIVED(lost, "1000-1000:1 1004-1004:1 1100-1100:1", "", "", "1004->-:1");
	ARRIVED(behind, "1000-1000:1 1100-1100:1", "", "", "1000->-:1");
	ARRIVED(skipped, "1000-1000:1 1200-1200:1", "1100-1100:1", "", "1000->1100:1");
	ARRIVED(landed, "1000-1000:1", "1100-1100:1", "1100>0:1", "1000->-:1");
	arrived(filter, 3, "1000-1004:1 1100-1100:1", "", "", "1004->1010:1");
	arrived(threads, 3, "1000-1000:1 1004-1004:1", "", "", "");
}

/* Ends of ranges at branches that were not taken, of the program: what ended the ranges, and whether the atom is sure. */
static void untaken(void **state)
{
	const struct cst_generic v[] = { EL_BCC_N(0x1000, 1), EL_BCC_N(0x1004, 1), el_exception(14, 0x1008), EL_BCC_N(0x2000, 1),
					 EL_BCC_N(0x3000, 1), el_no_sync(CST_UNSYNC_OVERFLOW, 0), EL_BCC_N(0x1000, 2),
					 el_no_sync(CST_UNSYNC_DISCARD, CST_GF_DOUBTFUL), EL_BCC_N(0x1000, 1), in(LIBRARY, EL_CUT(0x9000, 1)),
					 t32(EL_BCC_N(0x4000, 2)), el_plain(CST_GEN_EO_TRACE) };
	const struct batch batch = { .g = v, .n = sizeof(v) / sizeof(*v) };
	struct binary **b;
	struct counts *c;
	char out[256];

	(void)state;
	library_may_count = false;
	feed.v = &batch;
	feed.n = 1;
	for (feed.cut = 0; feed.cut < batch.n; feed.cut++) {
		c = counts_new(NULL, COUNTS_ALL, 0);
		assert_int_equal(counts_run(c), 0);
		assert_int_equal(counts_binaries(c, &b), 2);
		assert_string_equal(text(&b[0]->untaken, ">", out), "1000>0:1 1004>0:1 2000>0:1 3000>0:1 4005>0:1");
		assert_string_equal(text(&b[0]->ranges, "-", out), "1000-1000:1 1000-1004:2 3000-3000:1 4001-4004:1");
		assert_string_equal(text(&b[0]->arrivals, "-", out), "2000-2000:1");
		assert_int_equal(b[0]->isa, CST_ISA_A64);
		assert_int_equal(b[1]->untaken.used, 0);
		counts_free(c);
	}
	feed.cut = 0;
}

/* Methods are binaries: branches between them leave one and come into the other, as calls of another file do. */
static void methods_apart(void **state)
{
	const struct cst_generic v[] = { in(METHODS, EL_BL(0x100, 2)), in(METHODS, EL_CUT(0x200, 1)), in(METHODS, EL_RET(0x204, 1)),
					 in(METHODS, EL_BCC(0x108, 1)), in(METHODS, EL_B(0x104, 1)), in(METHODS, EL_CUT(0x200, 1)),
					 el_plain(CST_GEN_EO_TRACE) };
	static const char *const want[][2] = {
		{ "100-104:1 104-104:1 108-108:1|||104->-:2 108->104:1|", "200-200:1 200-204:1|||204->-:1|" },
		{ "100-104:1 104-104:1|108-108:1|108>0:1|104->-:2 108->104:1|", "|200-200:1 200-204:1|200>0:2|204->-:1|" },
	};
	const struct batch batch = { .g = v, .n = sizeof(v) / sizeof(*v) };
	struct binary **b;
	struct counts *c;
	unsigned int all, i;
	char out[512];

	(void)state;
	any_jit = true;
	library_may_count = false;
	feed.v = &batch;
	feed.n = 1;
	for (all = 0; all < 2; all++) {
		c = counts_new(NULL, all ? COUNTS_ALL : COUNTS_JOINED, 0);
		assert_int_equal(counts_run(c), 0);
		assert_int_equal(counts_binaries(c, &b), 2);
		for (i = 0; i < 2; i++) {
			assert_int_equal(b[i]->method, i);
			*out = 0;
			append(out, &b[i]->ranges, "-");
			append(out, &b[i]->arrivals, "-");
			append(out, &b[i]->entries, ">");
			append(out, &b[i]->edges, "->");
			assert_string_equal(out, want[all][i]);
		}
		counts_free(c);
	}
	any_jit = false;
	/* what is before the first method is taken for it */
	assert_int_equal(counts_method(&jit, 0x50), 0);
	assert_int_equal(counts_method(&jit, 0x1ff), 0);
	assert_int_equal(counts_method(&jit, 0x200), 1);
	assert_int_equal(counts_method(&jit, 0x400), 1);
}

/* The busiest first; files of equal share by name, methods of a file in its order. */
static void order(void **state)
{
	const struct cst_generic more[] = { in(LIBRARY, EL_B(0x9000, 3)), EL_B(0x1000, 2), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic same[] = { in(LIBRARY, EL_B(0x9000, 2)), EL_B(0x1000, 2), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic later[] = { EL_B(0x1000, 2), in(LIBRARY, EL_B(0x9000, 3)), el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic methods_in_turn[] = { in(METHODS, EL_B(0x200, 2)), in(METHODS, EL_B(0x100, 2)),
						       el_plain(CST_GEN_EO_TRACE) };
	const struct cst_generic *const runs[] = { more, later, same };
	struct batch batch = { .n = 3 };
	struct counts *c;
	struct binary **v;
	size_t i;

	(void)state;
	library_may_count = true;
	feed.v = &batch;
	feed.n = 1;
	for (i = 0; i < 3; i++) {
		batch.g = runs[i];
		c = counts_new(NULL, COUNTS_SPLIT, 0);
		assert_int_equal(counts_run(c), 0);
		assert_int_equal(counts_binaries(c, &v), 2);
		assert_ptr_equal(v[0]->dso, i == 2 ? &program : &library);
		counts_free(c);
	}
	any_jit = true;
	library_may_count = false;
	batch.g = methods_in_turn;
	c = counts_new(NULL, COUNTS_JOINED, 0);
	assert_int_equal(counts_run(c), 0);
	assert_int_equal(counts_binaries(c, &v), 2);
	assert_int_equal(v[0]->method, 0);
	assert_int_equal(v[1]->method, 1);
	assert_int_equal(v[0]->insns, v[1]->insns);
	counts_free(c);
	any_jit = false;
	library_may_count = true;
	feed.n = 0;
	c = counts_new(NULL, COUNTS_SPLIT, 0);
	assert_int_equal(counts_run(c), 0);
	assert_int_equal(counts_binaries(c, &v), 0);
	counts_free(c);
	counts_free(NULL);
}

static struct cst_generic run_of(unsigned int ranges, unsigned int insns, uint32_t start, struct cst_generic last)
{
	last.kind = CST_GEN_RUN;
	last.runs = ranges;
	last.n_insn = insns;
	last.start = start;
	return last;
}

static void count_pair_of(struct cst_pairs *p, uint32_t a, uint32_t b, uint64_t count)
{
	assert_true(cst_pairs_insert(p, a, b, count));
}

/* Ranges that the library counted, between those that it puts out. */
static void counted_runs(void **state)
{
	const struct cst_generic v[] = { EL_B(0x1000, 2), run_of(9, 40, 0x1100, EL_B(0x1110, 3)), EL_BCC(0x1000, 1),
					 run_of(3, 12, 0x1200, EL_CUT(0x1200, 2)), EL_CUT(0x1208, 1),
					 in(3, EL_B(0x8000, 1)), in(3, run_of(2, 5, 0x8100, EL_B(0x8100, 1))),
					 EL_B(0x1000, 2), in(LIBRARY, run_of(4, 11, 0x9000, EL_B(0x9010, 3))),
					 el_plain(CST_GEN_EO_TRACE) };
	unsigned int i;

	(void)state;
	counted_any = true;
	count_pair_of(&lib_ranges[0], 0x1000, 0x1004, 7);
	count_pair_of(&lib_edges[0], 0x1004, 0x1020, 5);
	count_pair_of(&lib_ranges[1], 0x1000, 0x1004, 1);
	count_pair_of(&lib_edges[3], 0x30, 0x40, 2);
	count_pair_of(&lib_ranges[4], 0x10, 0x20, 1000);
	count_pair_of(&exits[0][0].edges, 0x1004, 0x4000, 2);
	count_pair_of(&exits[0][1].edges, 0x1004, 0x9000, 3);
	count_pair_of(&exits[0][2].edges, 0x1008, 0x8000, 4);
	count_pair_of(&exits[1][0].edges, 0x20, 0x1000, 50);
	/* where a run began and where it led to is the library's; the range that is open at its end is not */
	COUNT(v, { "1000-1000:1 1000-1004:10 1100-1118:1 1200-1208:1", "1000-1000:1 1000-1004:10 1100-1118:1 1200-1208:1" },
	      "1004->1020:5 1004->4000:2 1004->-:3 1008->-:4 1118->1000:1", "9000-9018:1 30->40:2 9018->-:1", 358, 15, 8, 5006);
	counted_any = false;
	for (i = 0; i < 3; i++)
		cst_pairs_free(&exits[0][i].edges);
	cst_pairs_free(&exits[1][0].edges);
	for (i = 0; i < 5; i++) {
		cst_pairs_free(&lib_ranges[i]);
		cst_pairs_free(&lib_edges[i]);
	}
}

/* A sum that is another one if anything is not counted. */
static uint64_t all_counts(struct counts *c)
{
	struct binary **v;
	size_t i, k, n = counts_binaries(c, &v);
	uint64_t sum = counts_elsewhere(c);

	for (i = 0; i < n; i++) {
		struct cst_pairs *p[] = { &v[i]->ranges, &v[i]->edges, &v[i]->arrivals, &v[i]->entries, &v[i]->untaken };

		sum += v[i]->insns + v[i]->branches + v[i]->inside;
		for (k = 0; k < sizeof(p) / sizeof(p[0]); k++) {
			const struct cst_pair *at = cst_pairs_sort(p[k]), *end = at + p[k]->used;

			for (; at < end; at++)
				sum += at->count << 16;
		}
	}
	return sum;
}

/* Each allocation that fails is reported, and nothing is counted as if it had succeeded. */
static void no_memory(void **state)
{
	enum { N = 1500 };
	static struct cst_generic g[2 * N], in_turn[2 * N], untaken_too[2 * N], of_methods[2 * N];
	/* the first branch leads into what a filter leaves out */
	const struct batch v[] = { { 1, false, 0, g, 1 }, { 1, true, 0, g + 3, 1 }, { 0, false, 0, g, 2 * N } };
	const struct batch all[] = { { 0, false, 0, untaken_too, 2 * N } }, jitted[] = { { 0, false, 0, of_methods, 2 * N } };
	const struct batch loop[] = { { 0, false, 0, in_turn, 2 * N } };
	const struct {
		enum counts_mode mode;
		const struct batch *v;
		size_t n;
		bool jit, pieces, whole;
	} row[] = {
		{ COUNTS_SPLIT, v, 3, false, false, false }, { COUNTS_SPLIT, v, 3, false, false, true }, { COUNTS_JOINED, loop, 1, false, false, true },
		{ COUNTS_ALL, all, 1, false, false, false }, { COUNTS_ALL, all, 1, false, false, true }, { COUNTS_ALL, jitted, 1, true, false, false },
		{ COUNTS_ALL, all, 1, false, true, false }, { COUNTS_SPLIT, jitted, 1, true, true, true },
	};
	struct counts *c;
	static struct said said;
	size_t i, which, left;
	uint64_t want = 0;
	int rc;

	(void)state;
	for (i = 0; i < N; i++) {
		g[2 * i] = EL_B((uint32_t)(0x1000 + 8 * i), 1);
		g[2 * i + 1] = in(i & 1 ? LIBRARY : PROGRAM_TOO, EL_B((uint32_t)(0x9000 + 8 * i), 1));
		in_turn[2 * i] = EL_B((uint32_t)(0x1000 + 16 * i), 1);
		in_turn[2 * i + 1] = EL_BCC_N((uint32_t)(0x1008 + 16 * i), 1);
		untaken_too[2 * i] = in(LIBRARY, EL_RET((uint32_t)(0x9000 + 8 * i), 1));
		untaken_too[2 * i + 1] = EL_BCC_N((uint32_t)(0x1000 + 8 * i), 1);
		of_methods[2 * i] = in(METHODS, EL_B((uint32_t)(0x100 + 4 * (i % 64)), 1));
		of_methods[2 * i + 1] = in(METHODS, EL_BCC_N((uint32_t)(0x200 + 4 * (i / 64)), 1));
	}
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		feed.v = row[i].v;
		feed.n = row[i].n;
		feed.pieces = row[i].pieces;
		feed.cut = row[i].whole ? 0 : SIZE_MAX;
		any_jit = row[i].jit;
		library_may_count = row[i].mode < COUNTS_ALL && !any_jit;
		for (which = left = 0; !left; which++) {
			failing = which;
			c = counts_new(NULL, row[i].mode, 0);
			assert_int_equal(!c, which == 1);
			if (!c)
				continue;
			said_begin(&said);
			rc = counts_run(c);
			left = failing;
			failing = 0;
			said_end(&said);
			if (!which) {
				assert_int_equal(rc, 0);
				want = all_counts(c);
			} else if (!rc) {
				/* all was counted, or a table was sorted in another way */
				assert_true(all_counts(c) == want);
				assert_true(left || row[i].pieces);
			} else {
				assert_int_equal(left, 0);
				assert_int_equal(rc, -CST_ERR_NOMEM);
				assert_string_equal(said.text, "cstrace profile: out of memory\n");
			}
			counts_free(c);
			assert_true(which < 200);
		}
		/* at least: itself, streams, a table of sections, files, their names, and their counts */
		assert_true(which > 8);
	}
	feed.cut = 0;
	feed.pieces = any_jit = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches), cmocka_unit_test(pieces), cmocka_unit_test(interrupted), cmocka_unit_test(files),
		cmocka_unit_test(filtered), cmocka_unit_test(apart), cmocka_unit_test(arrivals), cmocka_unit_test(untaken),
		cmocka_unit_test(methods_apart), cmocka_unit_test(streams), cmocka_unit_test(order), cmocka_unit_test(counted_runs),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests_name("profile counts", tests, NULL, NULL);
}
