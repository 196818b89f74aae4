/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How AUX records and AUXTRACE data fit together, where a buffer has several AUXTRACE records: in
 * texts (tests/data/recordings) it has one. And packets of what is decoded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/decode/decode.h"
#include "session/decode/locate.h"
#include "session/session.h"
#include "unit/perf-plugin/session_open.h"
#include "unit/temp_dir.h"

TEMP_DIR("session")

static int make_files(void **state)
{
	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	return 0;
}

struct result {
	unsigned int ranges, fragments, packets;
	uint64_t offset[2], size[2], sum[2];	/* of each fragment; sum: of its bytes */
};

static int on_batch(void *data, const struct stream *s, const struct cst_generic *g, size_t n)
{
	struct result *r = data;
	size_t i;

	assert_int_equal(s->cpu, 2);
	for (i = 0; i < n; i++) {
		if (g[i].kind != CST_GEN_RANGE)
			continue;
		assert_string_equal(session_comm(s), "loop");
		r->ranges++;
	}
	return 0;
}

static uint64_t sum_of(const uint8_t *p, uint64_t n)
{
	uint64_t sum = 0;

	while (n--)
		sum += *p++;
	return sum;
}

static int on_fragment(void *data, const struct fragment_event *e)
{
	struct result *r = data;

	if (e->ended)
		return 0;
	assert_true(r->fragments < 2);
	r->offset[r->fragments] = e->fragment->offset;
	r->size[r->fragments] = e->fragment->size;
	r->sum[r->fragments++] = sum_of(e->fragment->data, e->fragment->size);
	return 0;
}

static int on_packet(void *data, const struct stream *s, const struct cst_packet *pkt)
{
	(void)s;
	(void)pkt;
	((struct result *)data)->packets++;
	return 0;
}

static struct session *decode(struct pdb *data, struct result *r, bool packets)
{
	const struct session_opts so = { .symfs = dir };
	const struct consumer con = { .data = r, .wants.packet = packets ? on_packet : NULL,
				      .batch = on_batch, .fragment = on_fragment };
	struct session *ss = sb_open(data, &so, NULL);

	memset(r, 0, sizeof(*r));
	assert_int_equal(session_run(ss, &con), 0);
	return ss;
}

static void record_across_two_chunks(void **state)
{
	struct pdb data = { 0 }, trace = { 0 };
	struct session *ss;
	struct result r;

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_side_band(&data, "/two.bin");
	pdb_auxtrace(&data, 0, trace.p, 24, 2, (uint32_t)-1);
	sb_aux(&data, 0, trace.len, SB_RAW, 5000);
	pdb_auxtrace(&data, 24, trace.p + 24, trace.len - 24, 2, (uint32_t)-1);
	ss = decode(&data, &r, true);
	assert_int_equal(r.ranges, SB_ATOMS);
	assert_int_equal(r.fragments, 1);
	assert_int_equal(r.sum[0], sum_of(trace.p, trace.len));
	/* A-sync, Trace Info, Trace On, address with context, atoms */
	assert_int_equal(r.packets, 4 + SB_ATOMS);
	assert_false(session_has_losses(ss));
	session_close(ss);
	pdb_free(&trace);
}

/* The first of two snapshots has room for both: a record's trace is in the bytes saved for it. */
static void snapshots_one_after_the_other(void **state)
{
	struct pdb data = { 0 }, trace = { 0 }, other = { 0 };
	struct session *ss;
	struct result r;
	size_t i, one;

	(void)state;
	sb_trace(&trace, SB_TID);
	one = trace.len;
	for (i = 0; i < 3; i++)
		sb_trace(&trace, SB_TID);
	pdb_bytes(&other, "\x71\x71\x71\x71", 4);	/* events before the trace */
	sb_trace(&other, SB_TID);
	sb_side_band(&data, "/two.bin");
	sb_aux(&data, 0x10000 + trace.len, one, SB_RAW | 2, 5000);
	pdb_auxtrace(&data, 0x10000, trace.p, trace.len, 2, (uint32_t)-1);
	sb_aux(&data, 0x20000 + other.len, other.len, SB_RAW | 2, 6000);
	pdb_auxtrace(&data, 0x20000, other.p, other.len, 2, (uint32_t)-1);
	ss = decode(&data, &r, false);
	assert_int_equal(r.fragments, 2);
	assert_int_equal(r.ranges, 2 * SB_ATOMS);
	assert_int_equal(r.offset[0], 0x10000 + 3 * one);
	assert_int_equal(r.size[0], one);
	assert_int_equal(r.offset[1], 0x20000);
	assert_int_equal(r.sum[1], sum_of(other.p, other.len));
	assert_int_equal(session_totals(ss)->aux_unclaimed, 3 * one);
	assert_int_equal(session_totals(ss)->aux_missing, 0);
	session_close(ss);
	pdb_free(&trace);
	pdb_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_across_two_chunks),
		cmocka_unit_test(snapshots_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, make_files, remove_dir);
}
