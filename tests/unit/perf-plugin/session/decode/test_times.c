/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_session_times.c - the times that a consumer gets with each batch: known before it is delivered, however far behind
 * it the timestamp is, in the order in which batches were decoded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/decode/decode.h"
#include "session/decode/pending.h"
#include "unit/perf-plugin/who_build.h"

#define AUX_TIME 5000u

/* What a consumer was given. */
struct seen {
	uint64_t time, before, index;
	unsigned int ranges;
	int tid;
	bool known;
};

struct times {
	struct seen v[2 * PENDING_BATCHES + 64];	/* batches with ranges */
	unsigned int nr, ranges;
	uint64_t last[128];	/* index, by trace ID */
	uint64_t skipped;	/* bytes */
	unsigned int back;	/* batches that begin before the end of the stream's one before */
};

static int note(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct times *t = data;
	unsigned int ranges = 0;
	size_t i;

	t->back += g[0].index < t->last[s->trace_id];
	for (i = 0; i < n; i++) {
		ranges += g[i].kind == CST_GEN_RANGE;
		if (g[i].kind != CST_GEN_EO_TRACE)
			t->last[s->trace_id] = g[i].index;
	}
	t->ranges += ranges;
	if (!ranges)
		return 0;
	assert_true(t->nr < sizeof(t->v) / sizeof(t->v[0]));
	t->v[t->nr++] = (struct seen){ session_time(s, s->time), s->before, g[0].index, ranges, s->tid, s->time_known };
	assert_true(s->time_end >= s->time);
	return 0;
}

/* Raw trace of CPU 2, or, with `other`, frames of both CPUs in turn. */
static struct times *timed(struct pdb *trace, struct pdb *other, bool asked)
{
	static struct times t;
	struct consumer con = { .data = &t, .wants.times = asked, .batch = note };
	struct session_opts so = { .symfs = dir, .contextid = CONTEXTID_TID, .filter = wanted };
	struct pdb data = { 0 }, file = { 0 }, one = { 0 }, two = { 0 }, all = { 0 };
	struct pdb_sid s = at_time(AUX_TIME, 1, 2);
	struct perfdata *pd;
	struct error err;
	struct session *ss;
	size_t i;

	memset(&t, 0, sizeof(t));
	two_processes(&data, CID | TS, IDR2(4, 0));
	if (other) {
		assert_int_equal(trace->len, other->len);
		sb_frames(&one, trace, 0x14);
		sb_frames(&two, other, 0x16);
		for (i = 0; i < one.len; i += 16) {
			pdb_bytes(&all, one.p + i, 16);
			pdb_bytes(&all, two.p + i, 16);
		}
		pdb_free(&one);
		pdb_free(&two);
		pdb_free(other);
	} else {
		pdb_bytes(&all, trace->p, trace->len);
	}
	pdb_free(trace);
	pdb_aux(&data, 0, all.len, other ? 0 : 0x100, SB_ST, &s);
	pdb_auxtrace(&data, 0, all.p, all.len, 2, (uint32_t)-1);
	pdb_file(&file, attrs, 2, 0, &data, NULL, 0);
	pd = perfdata_open_memory(file.p, file.len, "test", &err);
	assert_non_null(pd);
	ss = session_open_perfdata(&so, pd);
	assert_non_null(ss);
	assert_int_equal(session_run(ss, &con), 0);
	/* all bytes were decoded or skipped */
	t.skipped = session_totals(ss)->filtered_bytes;
	assert_int_equal(session_totals(ss)->aux_bytes + t.skipped, all.len);
	assert_int_equal(ss->bytes_done, all.len);
	session_close(ss);
	pdb_free(&data);
	pdb_free(&all);
	pdb_free(&file);
	assert_int_equal(t.back, 0);
	return &t;
}

static void begin(struct pdb *trace, uint32_t cid)
{
	t_sync(trace);
	t_on(trace);
	t_context(trace, 0, cid, 4, 0, 0);
	t_run(trace);
}

static void check_seen(const struct times *t, unsigned int i, uint64_t time, int tid)
{
	assert_true(i < t->nr);
	assert_true(t->v[i].known);
	assert_int_equal(t->v[i].time, time);
	assert_int_equal(t->v[i].tid, tid);
}

/* More batches, and then more elements, than there is memory for. */
static void far_timestamp(void **state)
{
	struct pdb trace = { 0 };
	struct times *t;
	unsigned int i;

	(void)state;
	begin(&trace, 1000);
	for (i = 0; i < PENDING_BATCHES + 50; i++) {
		t_context(&trace, 0, i & 1 ? 1000 : 2000, 4, 0, 0);
		t_run(&trace);
	}
	t_time(&trace, 2000);
	t = timed(&trace, NULL, true);
	assert_int_equal(t->nr, PENDING_BATCHES + 51);
	for (i = 0; i < t->nr; i++) {
		check_seen(t, i, 2000, i & 1 ? 2000 : 1000);
		assert_int_equal(t->v[i].before, 2000);
	}
	begin(&trace, 1000);
	for (i = 0; i < PENDING_ELEMENTS / 2; i++)
		t_run(&trace);
	t_time(&trace, 2000);
	t_run(&trace);
	t = timed(&trace, NULL, true);
	assert_int_equal(t->ranges, NR_LOOP * (PENDING_ELEMENTS / 2 + 2));
	assert_true(t->nr > PENDING_ELEMENTS / BATCH);
	for (i = 0; i + 1 < t->nr; i++) {
		check_seen(t, i, 2000, 1000);
		assert_int_equal(t->v[i].before, 2000);
	}
	assert_int_equal(t->v[i].before, 0);
}

/* One stream waits, the other one's batches stay behind it. */
static void two_streams(void **state)
{
	struct pdb one = { 0 }, two = { 0 };
	unsigned int i, turns = 0, n[2] = { 0, 0 };
	struct times *t;

	(void)state;
	begin(&one, 1000);
	begin(&two, 2000);
	for (i = 0; i < 40; i++) {
		t_time(&two, 1000 + 10 * i);
		t_run(&two);
		t_run(&one);
	}
	t_time(&one, 3000);
	while (one.len % 14 || one.len < two.len)
		pdb_bytes(&one, "\x71", 1);
	while (two.len < one.len)
		pdb_bytes(&two, "\x71", 1);
	t = timed(&one, &two, true);
	for (i = 0; i < t->nr; i++) {
		assert_true(t->v[i].known);
		turns += i && t->v[i].tid != t->v[i - 1].tid;
		if (t->v[i].tid == 1000) {
			assert_int_equal(t->v[i].time, 3000);
			n[0]++;
		} else {
			assert_int_equal(t->v[i].tid, 2000);
			assert_in_range(t->v[i].time, 1000 + 10 * (n[1] ? n[1] - 1 : 0), 1000 + 10 * (n[1] + 1));
			n[1]++;
		}
	}
	assert_true(n[0] > 1 && n[1] > 40 && turns > 2 * 8);
}

/*
 * A filter of times is applied to each element, whose time is its share of that between timestamps.
 */
static void a_part_of_a_stretch(void **state)
{
	struct pdb trace = { 0 };
	unsigned int i;
	struct times *t;

	(void)state;
	t_sync(&trace);
	t_on(&trace);
	t_time(&trace, 1000);
	t_context(&trace, 0, 1000, 4, 0, 0);
	for (i = 0; i < 512; i++)
		pdb_bytes(&trace, "\xf7", 1);
	for (i = 0; i < 100; i++) {
		t_time(&trace, 4840);
		t_run(&trace);
	}
	wanted.time = "0.000002000,0.000003000";
	t = timed(&trace, NULL, true);
	wanted.time = NULL;
	assert_int_equal(t->nr, 1);
	/* a range each 7.5 ns */
	check_seen(t, 0, 2005, 1000);
	assert_int_equal(t->v[0].ranges, 133);
	/* the trace behind the window, but for the stretch in which it ends */
	assert_in_range(t->skipped, 99 * (10 + NR_LOOP), 100 * (10 + NR_LOOP));
	/* all of the record is before the window */
	begin(&trace, 1000);
	wanted.time = "0.000006000,0.000007000";
	t = timed(&trace, NULL, true);
	wanted.time = NULL;
	assert_int_equal(t->nr, 0);
	assert_int_not_equal(t->skipped, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(far_timestamp),
		cmocka_unit_test(two_streams),
		cmocka_unit_test(a_part_of_a_stretch),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
