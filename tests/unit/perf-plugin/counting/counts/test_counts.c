/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of elements made by hand, where a text (tests/data/recordings/counted-*) cannot say it:
 * branches that were not taken, wherever the elements are cut; order; no memory.
 * A file of addresses: 0x1000 to 0x8fff belong to the program, 0x9000 to 0xffff to a library.
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
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/synth_elements.h"

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
static struct dso program = { .path = (char *)"/bin/program" },
		  library = { .path = (char *)"/lib/library", .number = 1 },
		  jit = { .path = (char *)"jitted",
			  .number = 100,
			  .kind = DSO_JIT,
			  .symbols.syms = methods,
			  .symbols.nr_syms = 2 };
static struct {
	const struct batch *v;
	size_t n;
	size_t cut;	/* of the first batch; 0: whole, SIZE_MAX: element by element */
	bool pieces;	/* each batch in a piece of its own */
} feed;

struct dso *__wrap_session_section_dso(struct session *ss, uint32_t section);
struct dso *__wrap_session_same_dso(const struct session *ss, const struct dso *d);
const struct dso_table *__wrap_session_dsos(const struct session *ss);
bool __wrap_session_locate(const struct stream *s, uint64_t addr, struct session_loc *loc);
int __wrap_session_run(struct session *ss, const struct consumer *consumer);
bool __wrap_session_take_counts(struct session *ss, uint32_t section, struct dso **dso,
				struct cst_pairs *ranges, struct cst_pairs *edges);
void __wrap_session_exits(struct session *ss, uint32_t section, const struct cst_exits **exits,
			  uint32_t *n, uint64_t *insns);

struct dso *__wrap_session_section_dso(struct session *ss, uint32_t section)
{
	(void)ss;
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
	size_t cut = feed.cut == SIZE_MAX ? 1 : feed.cut && feed.cut < n ? feed.cut : n, i;
	int rc = 0;

	for (i = 0; i < n && !rc; i += cut, cut = feed.cut == SIZE_MAX ? 1 : n - i) {
		rc = con->batch(data, s, g + i, cut);
		assert_int_equal(rc, 0);
	}
	return rc;
}

/* Gives a batch to a piece, and takes that. */
static int give_piece(const struct consumer *con, struct stream *s, const struct cst_generic *g, size_t n)
{
	void *piece = con->shards->make(con->data, NULL);
	int rc = piece ? give(con, piece, s, g, n) : -CST_ERR_NOMEM;

	if (!piece)
		return rc;
	con->stream_end(piece, s);
	if (!rc) {
		con->shards->end(piece);
		rc = con->shards->take(con->data, piece);
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
		s[feed.v[i].stream].selected.excluded = feed.v[i].unwanted;
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

/* The library counts nothing. */
bool __wrap_session_take_counts(struct session *ss, uint32_t section, struct dso **dso,
				struct cst_pairs *ranges, struct cst_pairs *edges)
{
	(void)ss;
	(void)section;
	(void)dso;
	(void)ranges;
	(void)edges;
	return false;
}

void __wrap_session_exits(struct session *ss, uint32_t section, const struct cst_exits **x,
			  uint32_t *n, uint64_t *insns)
{
	(void)ss;
	(void)section;
	(void)x;
	*n = 0;
	*insns = 0;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(untaken),
		cmocka_unit_test(order),
	};

	return cmocka_run_group_tests_name("profile counts", tests, NULL, NULL);
}
