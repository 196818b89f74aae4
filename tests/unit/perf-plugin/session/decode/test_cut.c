/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An AUX fragment in parts (decode/cut.h): threads that begin inside it give the results of one thread, and a part that
 * began in another state than the part before ended in is decoded again.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/listing/listing.h"
#include "session/decode/cut.h"
#include "session/decode/decode.h"
#include "session/session.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("cut")

static pthread_t caller;

static int make_files(void **state)
{
	caller = pthread_self();
	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	return 0;
}

/* ---- recordings --------------------------------------------------------------------------------- */

enum shape {
	DENSE,			/* a synchronisation every 53 bytes */
	LOSSY,			/* the same, now and then with an overflow after which trace is lost */
	GAP,			/* the same, and a stretch of atoms that is longer than the lead */
	ONCE,			/* one synchronisation, at the begin */
	MIDDLE,			/* synchronisations at the begin and in the middle, where a buffer is tried */
};

#define TRACE_SIZE (40 * CUT_LEAD)

/* In frames, the rest of a frame after each stretch of this length is padding. */
#define STRETCH 701u

static void make_trace(struct pdb *b, enum shape shape)
{
	unsigned int i;

	for (i = 0; b->len < TRACE_SIZE; i++) {
		if (!i || shape < ONCE || (shape == MIDDLE && b->len > TRACE_SIZE / 2 && b->len < TRACE_SIZE / 2 + CUT_LEAD))
			sb_trace(b, SB_TID);
		if (shape == LOSSY && i % 40 == 39)
			pdb_bytes(b, "\x05\xf7\xf7\xf7\xf7", 5);
		while (shape == GAP && b->len > 25 * CUT_LEAD && b->len < 35 * CUT_LEAD)
			pdb_bytes(b, "\xf7", 1);
		if (shape >= ONCE)
			pdb_bytes(b, "\xf7", 1);
	}
	while (b->len % STRETCH)
		pdb_bytes(b, "\xf7", 1);
}

static void make_frames(struct pdb *out, const struct pdb *raw, uint8_t id)
{
	struct pdb some = *raw;

	some.len = STRETCH;
	for (; some.p < raw->p + raw->len; some.p += STRETCH)
		sb_frames(out, &some, id);
}

/* A buffer with this trace `times` times, each in an AUX record of its own. */
static struct session *open_trace(unsigned int jobs, enum shape shape, bool frames, unsigned int times)
{
	struct session_opts so = { .symfs = dir, .jobs = jobs, .jobs_asked = true };
	struct pdb raw = { .p = NULL }, trace = { .p = NULL }, data = { .p = NULL };
	uint64_t at = 0;

	make_trace(&raw, shape);
	if (frames)
		make_frames(&trace, &raw, 0x14);
	sb_side_band(&data, "/two.bin");
	for (; times; times--) {
		sb_stretch(&data, frames ? &trace : &raw, at, frames ? 0 : SB_RAW);
		at += 2 * TRACE_SIZE;
	}
	pdb_free(&raw);
	pdb_free(&trace);
	return sb_open(&data, &so, NULL);
}

static struct session *open_one(unsigned int jobs, enum shape shape, bool frames)
{
	return open_trace(jobs, shape, frames, 1);
}

/* ---- a consumer with state ---------------------------------------------------------------------- */

/* Sum of the numbers of ranges since Trace On: what a part would not know without the trace before it. */
struct sum {
	uint64_t weight, ranges;
	bool endless;		/* the number does not begin anew at Trace On, so that states differ */
};

struct lane {
	uint64_t number;
	const struct sum *of;
};

static _Atomic unsigned int moved, pieces;
static _Atomic bool refuse;	/* threads other than the caller cannot keep their results */

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct lane *ln = *s->priv;
	struct sum *sum = data;
	size_t i;

	if (!ln) {
		ln = calloc(1, sizeof(*ln));
		assert_non_null(ln);
		*s->priv = ln;
	}
	ln->of = sum;
	for (i = 0; i < n; i++) {
		if (g[i].kind == CST_GEN_TRACE_ON && !sum->endless)
			ln->number = 0;
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		sum->weight += sum->endless ? 1 : ++ln->number;
		ln->number += sum->endless;
		sum->ranges++;
	}
	return refuse && !pthread_equal(pthread_self(), caller) ? SESSION_UNFIT : 0;
}

static void on_stream_end(void *data, const struct stream *s)
{
	(void)data;
	free(*s->priv);
	*s->priv = NULL;
}

static uint64_t digest(void *data, const struct stream *s, uint64_t before)
{
	const struct lane *ln = *s->priv;

	(void)data;
	return cst_index_digest(before, &ln->number, sizeof(ln->number));
}

static void move(void *data, const struct stream *s)
{
	struct lane *ln = *s->priv;

	assert_ptr_not_equal(data, ln->of);
	ln->of = data;
	moved++;
}

static void *shard_make(void *data, struct session *ss)
{
	struct sum *piece = calloc(1, sizeof(*piece));

	(void)ss;
	assert_non_null(piece);
	piece->endless = ((const struct sum *)data)->endless;
	pieces++;
	return piece;
}

static void shard_free(void *piece)
{
	pieces--;
	free(piece);
}

static int shard_take(void *data, void *piece)
{
	const struct sum *more = piece;
	struct sum *sum = data;

	sum->weight += more->weight;
	sum->ranges += more->ranges;
	return 0;
}

/* ---- runs --------------------------------------------------------------------------------------- */

struct result {
	struct sum sum;
	struct session_totals totals;
	char losses[4096];
};

static void run(struct result *r, struct session *ss, bool endless, bool sums)
{
	const struct consumer con = { .data = &r->sum, .batch = on_batch, .stream_end = on_stream_end,
				.shards = &(const struct shard_ops){ .make = shard_make, .take = shard_take,
				.free = shard_free, .by_fragment = true, .digest = digest, .move = move,
				.sums = sums } };

	memset(r, 0, sizeof(*r));
	r->sum.endless = endless;
	moved = 0;
	assert_int_equal(session_run(ss, &con), 0);
	assert_int_equal(pieces, 0);
	r->totals = *session_totals(ss);
	sb_losses(ss, r->losses, sizeof(r->losses));
	session_close(ss);
}

static void check_same(const struct result *a, const struct result *b)
{
	assert_int_equal(a->sum.ranges, b->sum.ranges);
	assert_int_equal(a->sum.weight, b->sum.weight);
	assert_int_equal(a->totals.dec.bytes, b->totals.dec.bytes);
	assert_memory_equal(&a->totals.dec, &b->totals.dec, sizeof(a->totals.dec));
	assert_memory_equal(&a->totals.frame, &b->totals.frame, sizeof(a->totals.frame));
	assert_int_equal(a->totals.aux_bytes, b->totals.aux_bytes);
	assert_int_equal(a->totals.filtered_bytes, b->totals.filtered_bytes);
	assert_string_equal(a->losses, b->losses);
}

static void same_results(void **state)
{
	struct result one, more;
	unsigned int jobs, frames, sums;
	enum shape shape;

	(void)state;
	for (shape = DENSE; shape <= MIDDLE; shape++)
		for (frames = 0; frames < 2; frames++) {
			run(&one, open_one(1, shape, frames), false, true);
			assert_true(one.sum.ranges > 100000);
			assert_int_equal(moved, 0);
			assert_int_equal(!*one.losses, shape != LOSSY);
			for (jobs = 2; jobs < 5; jobs++)
				for (sums = 0; sums < 2; sums++) {
					run(&more, open_one(jobs, shape, frames), false, sums);
					if (shape < MIDDLE)
						assert_int_equal(!moved, shape == ONCE);
					check_same(&more, &one);
				}
		}
}

/* Parts whose states differ: the part is decoded with the whole fragment before it or, of a sum, everything by one thread. */
static void other_states(void **state)
{
	struct result one, more;
	unsigned int frames, sums;

	(void)state;
	for (frames = 0; frames < 2; frames++) {
		run(&one, open_one(1, LOSSY, frames), true, true);
		for (sums = 0; sums < 2; sums++) {
			run(&more, open_one(3, LOSSY, frames), true, sums);
			assert_true(moved);
			check_same(&more, &one);
		}
	}
}

/* ---- lines of branches -------------------------------------------------------------------------- */

static char *listed(struct session *ss, unsigned int fields, size_t kept)
{
	struct listing_opts o = { .output = temp_path(dir, "out"),
				  .fields = LIST_TID | LIST_IP | LIST_ADDR | LIST_FLAGS | fields,
				  .itrace = { .branches = true },
				  .kept_lines = kept };
	struct listing *l = listing_open(ss, &o);
	size_t n;

	assert_non_null(l);
	assert_int_equal(listing_run(l), 0);
	listing_close(l);
	session_close(ss);
	return temp_content(temp_path(dir, "out"), &n);
}

static void same_lines(enum shape shape, unsigned int frames, unsigned int fields)
{
	static const size_t kept[] = { 0, 1, 300000, 600000, 1200000, 2400000 };
	char *want = listed(open_trace(1, shape, frames, 2), fields, 0), *have;
	unsigned int i;

	assert_true(strlen(want) > 1000000);
	for (i = 0; i < (shape == GAP ? sizeof(kept) / sizeof(kept[0]) : 1); i++) {
		have = listed(open_trace(4, shape, frames, 2), fields, kept[i]);
		if (strcmp(have, want))
			fail_msg(
				"shape %u, frames %u, fields %x, %zu bytes kept: other lines",
				shape, frames, fields, kept[i]);
		free(have);
	}
	free(want);
}

/*
 * Lines without times are those of one thread, also where a part is decoded again, with the whole fragment before it: its lead
 * has no synchronisation (GAP), or it may keep fewer lines than it has.
 */
static void lines(void **state)
{
	unsigned int frames;
	enum shape shape;

	(void)state;
	for (shape = DENSE; shape <= GAP; shape++)
		for (frames = 0; frames < 2; frames++) {
			same_lines(shape, frames, 0);
			same_lines(shape, frames, LIST_SYM | LIST_SYMOFF | LIST_DSO);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_results),
		cmocka_unit_test(other_states),
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
