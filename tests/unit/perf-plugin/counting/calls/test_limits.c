/* SPDX-License-Identifier: BSD-3-Clause */
/* Stacks and calling contexts: their limits, threads that change the CPU, pieces of a trace, and allocations that fail. */
#include "unit/perf-plugin/calls_feed.h"

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
	/* both begin where the thread was interrupted */
	const struct cst_generic first[] = { EL_CUT(0x1000, 1), IRQ(0x1004) }, next[] = { EL_CUT(0x1004, 1), IRQ(0x1008) };
	const struct batch alike[] = { { .stream = 0, .tid = 7, N(first) }, { .stream = 0, .tid = 7, N(next) }, { .stream = 1, .tid = 7, N(next) } };
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
	const struct feed four = { .v = sparse, .n = 4 }, five = { .v = wrong, .n = 3 }, six = { .v = alike, .n = 3 };

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
	fed(&six, "R1000 2/3");
	assert_int_equal(totals.unordered, 1);
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

static struct calls *piece_of(const struct calls *c, const struct calls_code *code, const struct batch *b)
{
	const struct feed feed = { .v = b, .n = 1 };
	struct calls *piece = calls_shard_new(c, code);
	bool replaced = false;

	assert_non_null(piece);
	take(piece, &feed, false, &replaced);
	return piece;
}

/*
 * Fragments that are decoded in pieces: of several streams in any order; those of an only stream in
 * order, if each is within its limit.
 */
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
		{ 0, "R4000 1/1 R8008 1/1 {T1000@8008 1/1 {C2000@1000 1/1 {S3100@2004 1/3 "
		  "{C9000@3100 1/3 {C2000@9004 1/3} C2100@3104 1/2 C2200@3108 1/1}}}}",
		  0, 2, 1, 6 },
		{ 1, "R3100 2/3 {C9000@3100 1/3 {C2000@9004 1/3} C2100@3104 2/2 C2200@3108 1/1} "
		  "R4000 1/1 R8008 1/1 {T1000@8008 1/1 {C2000@1000 1/1}}",
		  3, 4, 1, 7 },
	};
	static const size_t in_order[] = { 1, 2, 0 };
	struct calls *c, *piece;
	char out[512];
	struct cst_count_node n;
	size_t i, k, nodes;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		for (nodes = 0; nodes < 2; nodes++) {
			const struct calls_limits limits = { .kept = row[i].kept };

			c = calls_new(&limits, &code, 2);
			assert_non_null(c);
			for (k = 0; k < 3; k++) {
				piece = piece_of(c, &code, &v[k]);
				calls_shard_take(c, piece);
				calls_free(piece);
			}
			calls_finish(c, same, NULL);
			totals = *calls_totals(c);
			if (nodes)
				while (calls_next(c, &n)) {
					assert_int_equal(n.binary == CST_COUNT_NO_BINARY,
							 n.entry == CST_COUNT_OUTSIDE);
					assert_int_equal(n.from_binary == CST_COUNT_NO_BINARY,
							 n.from == CST_COUNT_OUTSIDE);
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
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct calls_limits limits = { .kept = row[i].kept };

		c = calls_new(&limits, &code, 1);
		for (k = 0; k < 3; k++) {
			const struct feed feed = { .v = &v[in_order[k]], .n = 1 };

			piece = piece_of(c, &code, &v[in_order[k]]);
			assert_int_equal(calls_shard_fits(c, piece), !row[i].kept);
			if (!row[i].kept)
				calls_shard_take(c, piece);
			else
				take(c, &feed, false, &replaced);
			calls_free(piece);
		}
		calls_finish(c, same, NULL);
		show(c, out, sizeof(out));
		assert_string_equal(out, row[0].want);
		assert_int_equal(calls_totals(c)->unjoined, 0);
		assert_int_equal(calls_totals(c)->roots, row[0].roots);
		assert_int_equal(calls_totals(c)->lost, row[0].lost);
		calls_free(c);
	}
}

/* ---- memory -------------------------------------------------------------------------------------- */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(endless), cmocka_unit_test(migration), cmocka_unit_test(followers),
		cmocka_unit_test(times_around), cmocka_unit_test(pieces),
	};

	return cmocka_run_group_tests_name("limits of calls", tests, NULL, NULL);
}
