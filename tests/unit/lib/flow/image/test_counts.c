/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_counts.c - ranges and edges that the library counts, element by element or in its decoder, are those that this file
 * counts from element to element; and all other elements are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow/image/counts_int.h"
#include "unit/lib/roundtrip.h"
#include "unit/lib_decode.h"

#define SECTIONS 64
#define OTHERS 20000

/* Counts from element to element. Of a decoding with runs it checks where they stand, and keeps the other elements. */
struct counter {
	bool joined;
	bool runs_too;
	struct cst_pairs ranges[SECTIONS], edges[SECTIONS][SECTIONS];	/* edges: by the section of the branch, and of its target */
	uint64_t insns_in[SECTIONS];	/* of elements */
	struct cst_generic last;	/* the last range or run, if what comes goes on from it; else its kind is 0 */
	uint32_t start, end;		/* of the range that is open: offsets of the first and the last instruction */
	bool open;
	uint64_t elements, runs, across;
	struct cst_generic other[OTHERS]; /* all elements but these */
	size_t n_other;
};

static bool ends_with_branch(const struct cst_generic *g)
{
	return g->last_type == CST_INSN_BRANCH || g->last_type == CST_INSN_INDIRECT;
}

static bool taken(const struct cst_generic *g)
{
	return g->flags & CST_GF_EXEC && ends_with_branch(g);
}

static bool closes(const struct counter *c, const struct cst_generic *g)
{
	return c->joined ? taken(g) : ends_with_branch(g);
}

static void close_open(struct counter *c)
{
	if (c->open)
		assert_true(cst_pairs_add(&c->ranges[c->last.section], c->start, c->end));
	c->open = false;
}

static void seen(void *data, const struct cst_generic *g)
{
	struct counter *c = data;
	bool adjacent = c->last.kind && c->last.section == g->section;	/* a run may continue in another one */

	switch (g->kind) {
	case CST_GEN_COUNTED:
		/* right behind a range that ended one of the counts */
		assert_true(c->runs_too && c->open && closes(c, &c->last) && c->last.kind == CST_GEN_RANGE && g->runs);
		c->across += !adjacent;
		c->runs += g->runs;
		break;
	case CST_GEN_RANGE:
		if (!(adjacent && c->open && !closes(c, &c->last) && c->last.end == g->addr)) {
			close_open(c);
			if (c->last.kind && c->last.section && taken(&c->last) && g->section)
				assert_true(cst_pairs_add(&c->edges[c->last.section][g->section], c->end, g->sect_off));
			c->start = g->sect_off;
		}
		c->runs++;
		break;
	default:
		if (g->kind == CST_GEN_NO_SYNC || g->kind == CST_GEN_TRACE_ON || g->kind == CST_GEN_EO_TRACE ||
		    g->kind == CST_GEN_NOPATH || g->kind == CST_GEN_NACC || g->kind == CST_GEN_ADDR_UNKNOWN ||
		    g->kind == CST_GEN_EXCEPTION) {
			close_open(c);
			c->last.kind = 0;
		}
		assert_true(c->n_other < OTHERS);
		c->other[c->n_other++] = *g;
		return;
	}
	assert_true(g->section < SECTIONS);
	c->elements++;
	c->insns_in[g->section] += g->n_insn;
	c->last = *g;
	c->end = g->sect_off + (uint32_t)(g->end - g->addr) - g->last_size;
	c->open = g->section;
}

static void same_pairs(struct cst_pairs *a, struct cst_pairs *b)
{
	const struct cst_pair *x, *y;

	assert_int_equal(a->used, b->used);
	x = cst_pairs_sort(a);
	y = cst_pairs_sort(b);
	if (a->used)
		assert_memory_equal(x, y, a->used * sizeof(*x));
}

static void free_pairs(struct counter *c)
{
	unsigned int i, k;

	for (i = 0; i < SECTIONS; i++) {
		cst_pairs_free(&c->ranges[i]);
		for (k = 0; k < SECTIONS; k++)
			cst_pairs_free(&c->edges[i][k]);
	}
}

/* The exits of a section are what `c` has. Returns the instructions that are in no element. */
static uint64_t same_exits(const struct run *r, struct counter *c, uint32_t section)
{
	const struct cst_exits *x;
	size_t different = 0;
	uint64_t insns;
	uint32_t n, k;

	assert_int_equal(cst_counts_exits(r->counts, section, &x, &n, &insns), 0);
	for (k = 0; k < SECTIONS; k++)
		different += k != section && c->edges[section][k].used;
	for (; n; n--, x++) {
		struct cst_pairs copy = { .slot = NULL };

		assert_true(x->section != section && cst_pairs_merge(&copy, &x->edges));
		same_pairs(&c->edges[section][x->section], &copy);
		different -= copy.used != 0;
		cst_pairs_free(&copy);
	}
	assert_int_equal(different, 0);
	return insns;
}

/*
 * What the library has counted is what `c` has, copied and taken. `counted` has what is in elements.
 */
static void same_counts(const struct run *r, struct counter *c, const struct counter *counted)
{
	const struct cst_pairs *ranges, *edges;
	uint32_t i;

	for (i = 1; cst_image_section(r->img, i); i++) {
		struct cst_pairs copy[2] = { { .slot = NULL }, { .slot = NULL } };

		assert_int_equal(cst_counts_section(r->counts, i, &ranges, &edges), 0);
		assert_true(cst_pairs_merge(&copy[0], ranges) && cst_pairs_merge(&copy[1], edges));
		same_pairs(&c->ranges[i], &copy[0]);
		same_pairs(&c->edges[i][i], &copy[1]);
		assert_int_equal(same_exits(r, c, i) + counted->insns_in[i], c->insns_in[i]);
		cst_pairs_free(&copy[0]);
		cst_pairs_free(&copy[1]);
		assert_int_equal(cst_counts_take(r->counts, i, &copy[0], &copy[1]), 0);
		same_pairs(&c->ranges[i], &copy[0]);
		same_pairs(&c->edges[i][i], &copy[1]);
		cst_pairs_free(&copy[0]);
		cst_pairs_free(&copy[1]);
		assert_int_equal(cst_counts_section(r->counts, i, &ranges, &edges), 0);
		assert_int_equal(ranges->used + edges->used, 0);
	}
	assert_int_equal(cst_counts_section(r->counts, i, &ranges, &edges), -CST_ERR_INVAL);
	assert_int_equal(cst_counts_take(r->counts, i, NULL, NULL), -CST_ERR_INVAL);
	assert_int_equal(cst_counts_exits(r->counts, i, NULL, NULL, NULL), -CST_ERR_INVAL);
}

/* Both decodings of a case. Returns the ranges that were no elements; *across: runs that end in another section. */
static uint64_t one_case(uint64_t seed, bool joined, bool framed, uint64_t *across)
{
	static struct counter each, counted;
	const struct cst_stats none = { .bytes = 0 };
	struct cst_stats stats[2] = { none, none };
	struct gen_case c;
	struct run r;
	unsigned int i;
	size_t k;

	gen_case_opts(seed, GEN_X_SPEC, &c);
	gen_case_build(&c);
	rt_begin(&r, &c, seed % 7 ? 1 << 20 : 1);
	r.seen = seen;
	memset(&each, 0, sizeof(each));
	memset(&counted, 0, sizeof(counted));
	each.joined = counted.joined = joined;
	counted.runs_too = true;
	for (i = 0; i < 2; i++) {
		r.seen_data = i ? &counted : &each;
		r.decoder_counts = i;
		r.rnd = seed;
		assert_int_equal(cst_counts_new(&r.counts, r.img, joined ? CST_COUNTS_JOINED : 0), 0);
		rt_decode(&r, framed ? c.framed : c.trace, framed ? c.framed_len : c.len, framed, true, &stats[i]);
		close_open(r.seen_data);
		same_counts(&r, &each, r.seen_data);
		cst_counts_free(r.counts);
		r.counts = NULL;
	}
	assert_int_equal(each.runs, counted.runs);
	assert_int_equal(each.n_other, counted.n_other);
	for (k = 0; k < each.n_other; k++)
		assert_memory_equal(&each.other[k], &counted.other[k], sizeof(each.other[k]));
	stats[1].elements = stats[0].elements;
	assert_memory_equal(&stats[0], &stats[1], sizeof(stats[0]));
	rt_end(&r);
	gen_case_free(&c);
	free_pairs(&each);
	free_pairs(&counted);
	*across += counted.across;
	return each.elements - counted.elements;
}

static void test_random_streams(void **state)
{
	uint64_t seed, left_out = 0, across = 0;

	(void)state;
	for (seed = 1; seed <= 1500; seed++)
		left_out += one_case(seed, seed & 1, seed & 2, &across);
	/* the fast loop is what counts, through several sections */
	assert_true(left_out > 100 * seed);
	assert_true(across > seed / 2);
}

static void take_edge(struct cst_counts *c, uint32_t from, uint32_t to)
{
	if (!count_pair(&count_at(c, to)->from, from) && !count_pair(&count_at(c, from)->to, to))
		cst_counts_edge_slow(c, 1, from, to);
}

static void take_range(struct cst_counts *c, uint32_t first, uint32_t last)
{
	if (!count_pair(&count_at(c, first)->range, last))
		cst_counts_range_slow(c, 1, first, last);
}

/* A list takes equal pairs one by one; sorted, or merged into a hash table, it is what that is. */
static void test_lists(void **state)
{
	enum { ADDS = 20000 };
	struct cst_pairs hash = { .slot = NULL }, list = hash, twice = hash;
	uint64_t seed = 3;
	unsigned int i;

	(void)state;
	assert_true(cst_pairs_list(&list));
	for (i = 0; i < ADDS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		assert_true(cst_pairs_add(&hash, (uint32_t)(seed >> 33) % 3000, seed >> 50 & 3));
		assert_true(cst_pairs_add(&list, (uint32_t)(seed >> 33) % 3000, seed >> 50 & 3));
	}
	assert_int_equal(list.used, ADDS);
	for (i = 0; i < 2; i++)
		assert_true(cst_pairs_merge(&twice, &list));
	cst_pairs_sort(&list);
	same_pairs(&hash, &list);
	cst_pairs_sort(&twice);
	assert_int_equal(twice.used, hash.used);
	for (i = 0; i < hash.used; i++)
		assert_int_equal(twice.slot[i].count, 2 * hash.slot[i].count);
	cst_pairs_free(&hash);
	cst_pairs_free(&list);
	cst_pairs_free(&twice);
}

/* Counters behind blocks that are full: 2^32 of them are in the tables, and they begin anew. */
static void test_full_counters(void **state)
{
	static const uint32_t code[] = { 0xd61f0000, 0xd61f0000, 0x14000002 };	/* br, br, b .+8 */
	const uint64_t full = (uint64_t)1 << 32;
	struct cst_counts *c, *second;
	struct cst_pairs ranges, edges;
	struct cst_section *sec;
	struct cst_image *img;
	uint32_t place[3];
	unsigned int i;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_section_new(&sec, img, code, sizeof(code), NULL), 0);
	assert_int_equal(cst_counts_new(&c, img, 0), 0);
	assert_int_equal(cst_counts_new(&second, img, 0), -CST_ERR_BUSY);
	for (i = 0; i < 3; i++)
		place[i] = blk_place(img, cst_block(sec, 4 * i, CST_ISA_A64, 0x1000, 0));
	count_at(c, place[1])->to = (struct pair_count){ place[0], UINT32_MAX };
	count_at(c, place[0])->range = (struct pair_count){ place[1], UINT32_MAX };
	for (i = 0; i < 2; i++) {
		take_edge(c, place[1], place[0]);
		take_range(c, place[0], place[1]);
	}
	/* of a direct branch it is a range, and leads where the opcode says */
	count_at(c, place[2])->atoms[1] = 5;
	cst_counts_atoms_full(c, 1, place[2], 1);
	assert_int_equal(cst_counts_take(c, 1, &ranges, &edges), 0);
	assert_true(ranges.used == 2 && ranges.slot[0].b == 4 && ranges.slot[0].count == full + 1);
	assert_true(ranges.slot[1].a == 8 && ranges.slot[1].count == full + 5);
	assert_true(edges.used == 2 && edges.slot[0].a == 4 && edges.slot[0].count == full + 1);
	assert_true(edges.slot[1].b == 16 && edges.slot[1].count == full + 5);
	cst_pairs_free(&ranges);
	cst_pairs_free(&edges);
	cst_counts_free(c);
	cst_image_free(img);
}

/* Counts are taken from the blocks and from the tables at once, sorted; then they begin again. */
static void test_take(void **state)
{
	static const uint32_t code[] = { 0xd61f0000, 0xd61f0000, 0xd61f0000 };
	struct cst_pairs ranges, edges;
	struct cst_counts *c;
	struct cst_section *sec;
	struct cst_image *img;
	uint32_t place[3];
	unsigned int i, k, round;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_section_new(&sec, img, code, sizeof(code), NULL), 0);
	assert_int_equal(cst_counts_new(&c, img, 0), 0);
	for (i = 0; i < 3; i++)
		place[i] = blk_place(img, cst_block(sec, 4 * i, CST_ISA_A64, 0x1000, 0));
	for (round = 0; round < 2; round++) {
		/* the counters of block 0 change to the next pair each time */
		for (k = 0; k < 2; k++)
			for (i = 3; i--;) {
				take_range(c, place[0], place[i]);
				take_edge(c, place[i], place[0]);
			}
		assert_int_equal(cst_counts_take(c, 0, &ranges, &edges), -CST_ERR_INVAL);
		assert_int_equal(cst_counts_take(c, 1, &ranges, &edges), 0);
		assert_int_equal(ranges.used, 3);
		assert_int_equal(edges.used, 3);
		for (i = 0; i < 3; i++) {
			assert_true(ranges.slot[i].a == 0 && ranges.slot[i].b == 4 * i && ranges.slot[i].count == 2);
			assert_true(edges.slot[i].a == 4 * i && edges.slot[i].b == 0 && edges.slot[i].count == 2);
		}
		cst_pairs_free(&ranges);
		cst_pairs_free(&edges);
	}
	cst_counts_free(c);
	cst_image_free(img);
}

/* A loop at 0x1000 in section 1, and code at 0x8000 in section 2, which are counted. */
struct two {
	struct program pr;
	struct cst_decoder *dec;
	struct cst_counts *c;
	uint64_t insns, runs, conflicts; /* of elements */
};

/* The address packet of A64 code at an address below 64 KiB. */
#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, 0, 0

static void map_code(struct two *t, uint64_t at, const void *code, size_t len)
{
	struct cst_section *sec;

	assert_int_equal(cst_section_new(&sec, t->pr.img, code, len, NULL), 0);
	assert_int_equal(cst_space_map(t->pr.space, at, len, sec, 0), 0);
}

static void begin_two(struct two *t, bool joined, const void *loop, size_t loop_len, const void *code, size_t len)
{
	const struct cst_config cfg = etm_config(4, 0);

	memset(t, 0, sizeof(*t));
	program_map(&t->pr, 0x1000, loop, loop_len);
	map_code(t, 0x8000, code, len);
	assert_int_equal(cst_counts_new(&t->c, t->pr.img, joined ? CST_COUNTS_JOINED : 0), 0);
	assert_int_equal(cst_decoder_new(&t->dec, &cfg), 0);
	cst_decoder_set_space(t->dec, t->pr.space);
	assert_int_equal(cst_decoder_emit(t->dec, CST_EMIT_COUNTS,
					  &(struct cst_emit_opts){ .counts = t->c }), 0);
}

static void end_two(struct two *t)
{
	cst_decoder_free(t->dec);
	cst_counts_free(t->c);
	cst_image_free(t->pr.img);
}

/* Decodes these bytes, or with len 0 the end of the trace. */
static void feed_two(struct two *t, const uint8_t *p, size_t len)
{
	struct cst_generic out[64];
	int n, i;

	if (len)
		assert_int_equal(cst_decoder_feed(t->dec, p, len, 0), 0);
	else
		cst_decoder_end(t->dec);
	while ((n = cst_decoder_pull(t->dec, out, 64, NULL)) > 0) {
		assert_int_equal(cst_counts_add(t->c, t->dec, out, (size_t)n), 0);
		for (i = 0; i < n; i++) {
			if (out[i].kind != CST_GEN_COUNTED && out[i].kind != CST_GEN_RANGE)
				continue;
			t->insns += out[i].n_insn;
			t->runs += out[i].kind == CST_GEN_COUNTED;
			/* only the loop has branches that are never N */
			assert_true(!cst_generic_conflicts(&out[i]) || out[i].section == 1);
			t->conflicts += cst_generic_conflicts(&out[i]);
		}
	}
}

/* Decodes `rounds` times these bytes at once: a run does not continue from one feed to the next. */
static void feed_rounds(struct two *t, const uint8_t *p, size_t len, unsigned int rounds)
{
	static uint8_t trace[1 << 18];
	unsigned int i;

	assert_true(rounds * len <= sizeof(trace));
	for (i = 0; i < rounds; i++)
		memcpy(trace + i * len, p, len);
	feed_two(t, trace, rounds * len);
}

static void feed_start(struct two *t)
{
	feed_two(t, BYTES(SYNC, 0x81, 0x30, AT(0x1000)));
}

/* Count of the exit from `a` in section `from` to `b` in section `to`. */
static uint64_t exit_count(struct two *t, uint32_t from, uint32_t a, uint32_t to, uint32_t b)
{
	struct cst_pairs copy = { .slot = NULL };
	const struct cst_exits *x;
	uint64_t insns, count = 0;
	uint32_t n;
	size_t i;

	assert_int_equal(cst_counts_exits(t->c, from, &x, &n, &insns), 0);
	for (; n; n--, x++)
		if (x->section == to)
			assert_true(cst_pairs_merge(&copy, &x->edges) && cst_pairs_sort(&copy));
	for (i = 0; i < copy.used; i++)
		count += copy.slot[i].a == a && copy.slot[i].b == b ? copy.slot[i].count : 0;
	cst_pairs_free(&copy);
	return count;
}

/* Instructions of the elements of all sections, and of what is in no element. */
static uint64_t all_insns(struct two *t)
{
	const struct cst_exits *x;
	uint64_t sum = t->insns, insns;
	uint32_t i, n;

	for (i = 1; cst_image_section(t->pr.img, i); i++) {
		assert_int_equal(cst_counts_exits(t->c, i, &x, &n, &insns), 0);
		sum += insns;
	}
	return sum;
}

static const uint32_t calling[] = { 0xd63f0000 /* 1000 blr x0 */, 0x17ffffff /* 1004 b 1000 */ }, returning[] = { 0xd65f03c0 /* ret */ };
/* 1000: E, address 8000, E of the function, E of the branch at 1004 */
static const uint8_t one_round[] = { 0xf7, AT(0x8000), 0xf7, 0xf7 };

/*
 * A loop calls a function of another section. Each way is taken for the first time once, which ends a run; then one run
 * goes through all rounds. Byte by byte a run ends with the input, and the counts are the same.
 */
static void test_runs_cross(void **state)
{
	enum { ROUNDS = 300 };
	unsigned int i;
	struct two t;
	size_t at;

	(void)state;
	for (i = 0; i < 4; i++) {
		begin_two(&t, i & 1, calling, sizeof(calling), returning, sizeof(returning));
		feed_start(&t);
		if (i & 2)
			for (at = 0; at < ROUNDS * sizeof(one_round); at++)
				feed_two(&t, one_round + at % sizeof(one_round), 1);
		else
			feed_rounds(&t, one_round, sizeof(one_round), ROUNDS);
		feed_two(&t, NULL, 0);
		assert_int_equal(cst_decoder_stats(t.dec)->ranges, 3 * ROUNDS);
		assert_int_equal(cst_decoder_stats(t.dec)->insns, 3 * ROUNDS);
		assert_int_equal(exit_count(&t, 1, 0, 2, 0), ROUNDS);
		assert_int_equal(exit_count(&t, 2, 0, 1, 4), ROUNDS);
		assert_int_equal(all_insns(&t), 3 * ROUNDS);
		if (!(i & 2))
			assert_in_range(t.runs, 1, 3);
		end_two(&t);
	}
}

/* The target is mapped anew, to another section: the branch leads there from then on. */
static void test_crossing_remapped(void **state)
{
	enum { ROUNDS = 50 };
	struct two t;

	(void)state;
	begin_two(&t, false, calling, sizeof(calling), returning, sizeof(returning));
	feed_start(&t);
	feed_rounds(&t, one_round, sizeof(one_round), ROUNDS);
	map_code(&t, 0x8000, returning, sizeof(returning));
	feed_rounds(&t, one_round, sizeof(one_round), ROUNDS);
	feed_two(&t, NULL, 0);
	assert_int_equal(exit_count(&t, 1, 0, 2, 0), ROUNDS);
	assert_int_equal(exit_count(&t, 1, 0, 3, 0), ROUNDS);
	assert_int_equal(exit_count(&t, 3, 0, 1, 4), ROUNDS);
	assert_int_equal(all_insns(&t), 6 * ROUNDS);
	end_two(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_streams),
		cmocka_unit_test(test_full_counters),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_take),
		cmocka_unit_test(test_runs_cross),
		cmocka_unit_test(test_crossing_remapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
