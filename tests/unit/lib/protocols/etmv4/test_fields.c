/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_etmv4_fields.c - all fields of the elements that ETMv4 and ETE packets make, and what is counted of them.
 */
#include "protocols/etmv4/etmv4.h"
#include "unit/lib/element_text.h"

#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, (a) >> 24 & 0xff

static void expect(const struct cst_config *cfg, const uint8_t *p, size_t len, const char *want)
{
	expect_elements(&cst_protocol_etmv4, cfg, p, len, want);
}

static void test_addresses(void **state)
{
	struct cst_config cfg = etm_config(4, 0), ete = ete_config(3, 0);

	(void)state;
	expect(&cfg, BYTES(SYNC, AT(0x1000), 0x9b, 0x01, 0x10, 0x00, 0x00, 0x90, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(1000 is0) 19:addr(1002 is1) 24:addr(1002 is1) "
	       "25:atoms(1 1 1) 25:end(7)");
	/* a context with and without an address, with each ID, and one that repeats the last one */
	expect(&cfg, BYTES(SYNC, 0x81, 0x31, 0x83, 0x01, 0x10, 0x00, 0x00, 0x01, 0x81, 0xd2, 1, 2, 3, 4, 5, 6, 7, 8,
			   0x80, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:ctx(el1 sec0 a32 "
	       "cid0 vmid0 has4 f4 is1) 16:addr(1002 is1) 22:ctx(el2 sec0 a64 cid8070605 vmid4030201 has7 f0) "
	       "32:ctx(el2 sec0 a64 cid8070605 vmid4030201 has7 f40) 33:atoms(1 1 1) 33:end(7)");
	expect(&cfg, BYTES(SYNC, 0x81, 0x50, 9, 0, 0, 0, 0x81, 0x91, 7, 0, 0, 0, 0x01, 0x00, 0x81, 0x31, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el0 sec0 a64 cid0 vmid9 has6 f0) 20:ctx(el1 sec0 a64 "
	       "cid7 vmid9 has7 f0) 26:info(0) 28:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 30:atoms(1 1 1) 30:end(7)");
	expect(&ete, BYTES(SYNC, 0x81, 0x28, 0xb6, 4, 0, 0, 0, 0xb7, 4, 0, 0, 0, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el0 sec3 a32 cid0 vmid0 has4 f0) 16:src(10 is0) "
	       "21:src(8 is1) 26:atoms(1 1 1) 26:end(7)");
	ete.qsupp = 3;
	expect(&ete, BYTES(SYNC, 0xaa, 4, 0, 5, 0, 0x83, 0x01, 0xab, 8, 0, 5, 0, 0x03, 0xac, 0x05, 0xaf),
	       "0:nosync(1 error0 f0) 12:info(0) 14:q(f6 n131 @50010 is0) 21:q(f6 n3 @50010 is1) 27:q(f2 n5) "
	       "29:q(f0 n0) 29:end(7)");
}

static void test_exceptions(void **state)
{
	struct cst_config cfg = etm_config(4, 0), m = etm_config(4, 0), ete = ete_config(1, 0);

	(void)state;
	m.profile = CST_PROFILE_M;
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, 0x9b, 0x01, 0x10, 0x00, 0x00),
	       "0:nosync(1 error0 f0) 12:info(0) 14:exc(e @1002 is1 f4) 16:end(7)");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, 0x9b, 0x01, 0x10, 0x00, 0x00),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(1002 is1) 14:exc(e @1002 is1 fc) 16:end(7)");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, 0x82, 4, 0, 0, 0, 0x31),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ctx(el1 sec1 a64 cid0 vmid0 has4 f4 is0) 14:addr(10 is0) "
	       "14:exc(e @10 is0 fc) 16:end(7)");
	/* in place of an address, the value of a tail chain: of the M profile alone */
	expect(&m, BYTES(SYNC, 0x06, 0x1d, 0x9b, 0x7f, 0xff, 0xff, 0xff, 0x06, 0x5c, 0x9b, 0x7f, 0xff, 0xff, 0xff),
	       "0:nosync(1 error0 f0) 12:info(0) 14:exc(e @fffffffe is1 f24) 21:exc(e @fffffffe is1 f2c) "
	       "23:end(7)");
	expect(&cfg, BYTES(SYNC, 0x06, 0x5c, 0x9b, 0x7f, 0xff, 0xff, 0xff),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(fffffffe is1) 14:exc(e @fffffffe is1 fc) 16:end(7)");
	/* without an address: a PE reset, and a failed transaction in both of its forms */
	expect(&ete, BYTES(SYNC, 0x06, 0x5c, 0x9b, 0x01, 0x10, 0x00, 0x00, 0x06, 0x01, 0x70, 0x06, 0x31, 0x70, 0x06, 0x31,
			   AT(0x10)),
	       "0:nosync(1 error0 f0) 12:info(0) 14:addr(1002 is1) 14:exc(e @1002 is1 fc) 21:exc(0 @0 is0 f0) "
	       "24:fail(0) 27:fail(0) 29:end(7)");
}

static void test_values(void **state)
{
	struct cst_config cfg = etm_config(6, 0), ete = ete_config(3, 0);

	(void)state;
	cfg.data_trace = 1;
	expect(&cfg, BYTES(SYNC, 0x03, 0x85, 0x01, 0x07, 0x0e, 0x00, 0x09, 0x0f, 0x00, 0x75, 0x88, 0x23, 0x29, 0x02, 0x06),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ts(0 85 cc7 f1) 18:cc(0 cc9 f1) 21:cc(0 f0) 23:event(5 "
	       "f0) 24:marker(0 0 f0) 25:marker(1 3 f0) 26:marker(2 1 f0) 27:ts(0 86 f0) "
	       "27:end(7)");
	expect(&ete, BYTES(SYNC, 0x02, 0x05, 0x09, 0x02, 1, 2, 3, 4, 5, 6, 7, 8, 0x75),
	       "0:nosync(1 error0 f0) 12:info(0) 14:ts(0 5 f0) 16:ite(2 807060504030201 f0) 26:event(5 "
	       "f0) 26:end(7)");
	/* before a Trace Info, ETE has events and both have instrumentation */
	expect(&ete, BYTES(ASYNC, 0x75, 0x09, 0x02, 1, 2, 3, 4, 5, 6, 7, 8, 0x70, 0x01, 0x00),
	       "0:nosync(1 error0 f0) 12:event(5 f0) 13:ite(2 807060504030201 f0) 24:info(0) 24:end(7)");
	expect(&cfg, BYTES(ASYNC, 0x75, 0x70, 0x01, 0x00),
	       "0:nosync(1 error0 f0) 12:finding(42) 14:info(0) 14:end(7) unsynced=1");
}

static void test_interruptions(void **state)
{
	struct cst_config cfg = etm_config(4, 0), spec = ete_config(1, 8), cond = etm_config(4, 0);

	(void)state;
	cond.cond_trace = 1;
	cond.cond_keys = 4;
	expect(&cfg, BYTES(SYNC, 0xf7, 0x00, 0x05, SYNC, 0x04, 0x04, 0x00, 0x05),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:nosync(3 error0 f10) 29:info(0) 33:nosync(3 "
	       "error0 f10) 33:end(3) overflows=2");
	expect(&cfg, BYTES(SYNC, 0xf7, 0x00, 0x03, SYNC, 0x04),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:nosync(4 error0 f10) 29:info(0) 31:end(7) "
	       "discards=1");
	expect(&cfg, BYTES(SYNC, 0x08, 0x01, 0x02),
	       "0:nosync(1 error0 f0) 12:info(0) 14:nosync(5 error7 f10) 15:end(7) bad=1 resyncs=1 unsynced=2");
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, 0xf7, SYNC, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:nosync(5 error13 f10) 29:info(0) 31:atoms(1 1 1) 31:end(7) "
	       "resyncs=1 unsynced=1");
	/* the packet that shows the lost address begins synchronisation */
	expect(&cfg, BYTES(SYNC, 0x06, 0x1d, SYNC, 0xf7),
	       "0:nosync(1 error0 f0) 12:info(0) 14:nosync(5 error13 f10) 28:info(0) 30:atoms(1 1 1) 30:end(7) "
	       "resyncs=1");
	/* the last packet is cut, or the first one */
	expect(&cfg, BYTES(SYNC, 0xf7, 0x02), "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:end(7) bad=1 unsynced=1");
	expect(&cfg, BYTES(0xf7, 0xf7, SYNC, 0xf7), "0:nosync(1 error0 f0) 14:info(0) 16:atoms(1 1 1) 16:end(7) unsynced=2");
	/* committed atoms of a packet whose other ones are not */
	expect(&spec, BYTES(SYNC, 0xff, 0x2d, 0x01),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 15:end(7) uncommitted=2");
	expect(&spec, BYTES(SYNC, 0xff, 0x2d, 0x01, 0x00, 0x03),
	       "0:nosync(1 error0 f0) 12:info(0) 14:atoms(1 1 1) 17:nosync(4 error0 f10) 17:end(7) discards=1 "
	       "uncommitted=2");
	/* results are outstanding */
	expect(&cond, BYTES(SYNC, 0x40, 0x00, 0x05, SYNC, 0x40),
	       "0:nosync(1 error0 f0) 12:info(0) 15:flush(1) 15:nosync(3 error0 f10) 29:info(0) 31:flush(1) "
	       "31:end(3) overflows=1");
	expect(&cond, BYTES(SYNC, 0x6c, 0x02, 0x06, 0x1d, AT(0x10), 0x40),
	       "0:nosync(1 error0 f0) 12:flush(0) 12:info(0) 14:insn(2) 16:exc(e @10 is0 f4) 23:flush(1) "
	       "23:end(7)");
	/* more is speculative at the start than may be */
	expect(&spec, BYTES(ASYNC, 0x01, 0x05, 0x41, 0x0a, 0xdb, 0x2d, 0x08),
	       "0:nosync(1 error0 f0) 12:start(0) 12:info(0) 17:end(7) uncommitted=2 failed=1");
	expect(&spec, BYTES(ASYNC, 0x01, 0x01, 0x01, 0xf7, 0x2d, 0x01),
	       "0:nosync(1 error0 f0) 12:info(0) 15:atoms(1 1 1) 16:end(7)");
}

/* Nothing of the trace before is left after a reset, nor after a restart. */
static void test_reset(void **state)
{
	static const uint8_t before[] = { SYNC, 0x81, 0xd2, 1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0x2d, 0x01, 0x00, 0x05,
					  SYNC, 0xf7, 0x06, 0x1d };
	static const uint8_t after[] = { SYNC, 0x81, 0x31, 0x04, 0xf7, 0x2d, 0x01, 0xf7 };
	static const char *const want[] = {
		"0:nosync(2 error0 f0) 12:info(0) "
		"14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:on(0) 17:atoms(1 1 1) 20:end(7) overflows=1 uncommitted=4",
		"0:nosync(2 error0 f80) 12:info(0) "
		"14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:on(0) 17:atoms(1 1 1) 20:end(7) overflows=1 uncommitted=4",
		"41:info(0) 100:nosync(2 error0 f90) 12:info(0) "
		"14:ctx(el1 sec1 a64 cid0 vmid0 has4 f0) 16:on(0) 17:atoms(1 1 1) 20:end(7) overflows=1 uncommitted=4",
	};
	struct cst_config cfg = etm_config(4, 8);
	struct element_feed f;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		element_feed_new(&f, &cst_protocol_etmv4, &cfg);
		element_feed_bytes(&f, before, sizeof(before));
		*f.text = 0;
		f.ops->parser_init(f.parser, &cfg, NULL);
		if (i < 2)
			f.ops->stage_reset(f.stage, CST_UNSYNC_RESET, (int)i);
		else
			f.ops->stage_restart(f.stage, 100);
		element_feed_bytes(&f, after, sizeof(after));
		element_feed_end(&f);
		element_feed_free(&f);
		assert_string_equal(f.text, want[i]);
	}
}

/* The first Target Address among the elements that wait, unless execution or a loss comes before it. */
static void test_queued_address(void **state)
{
	static const struct {
		int result;
		uint64_t addr;
		uint8_t p[40];
		size_t len;
	} rows[] = {
#define ROW(result, addr, ...) { result, addr, { SYNC, __VA_ARGS__ }, sizeof((const uint8_t[]){ SYNC, __VA_ARGS__ }) }
		ROW(0, 0, 0x71), ROW(0, 0, 0x81, 0x31), ROW(1, 0x1000, AT(0x1000)),
		ROW(1, 0x1000, 0x71, 0x81, 0x31, AT(0x1000), AT(0x2000)),
		ROW(-1, 0, 0xf7), ROW(-1, 0, 0xf7, AT(0x1000)), ROW(1, 0x1000, AT(0x1000), 0xf7), ROW(-1, 0, 0x04, AT(0x1000)),
		ROW(-1, 0, 0x06, 0x1d), ROW(1, 0x1000, AT(0x1000), 0x06, 0x1d), ROW(-1, 0, 0xb4, 0x04),
		/* the NO_SYNC of a Discard is taken at once, and nothing waits then */
		ROW(0, 0, 0x00, 0x03),
	};
	struct cst_config cfg = ete_config(1, 8);
	struct element_feed f;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t addr = 0;
		int result;

		element_feed_new(&f, &cst_protocol_etmv4, &cfg);
		element_feed_bytes(&f, rows[i].p, rows[i].len);
		result = cst_etmv4_queue_address(f.stage, &addr);
		if (result != rows[i].result || addr != rows[i].addr)
			fail_msg("row %u: %d, 0x%llx", i, result, (unsigned long long)addr);
		element_feed_free(&f);
	}
}

/* The elements that wait, oldest first. */
static void test_queue_at(void **state)
{
	const struct protocol *pr = &cst_protocol_etmv4;
	struct cst_config cfg = ete_config(1, 8);
	struct element_feed f;

	(void)state;
	element_feed_new(&f, pr, &cfg);
	element_feed_bytes(&f, BYTES(SYNC, 0xf7, AT(0x1000), 0x71));
	assert_int_equal(pr->queue_at(f.stage, 0)->kind, CST_EL_TRACE_INFO);
	assert_int_equal(pr->queue_at(f.stage, 1)->kind, CST_EL_ATOMS);
	assert_int_equal(pr->queue_at(f.stage, 2)->kind, CST_EL_ADDRESS);
	assert_int_equal(pr->queue_at(f.stage, 3)->kind, CST_EL_EVENT);
	assert_null(pr->queue_at(f.stage, 4));
	assert_false(pr->stage_idle(f.stage));
	element_feed_free(&f);
	cfg.max_spec = 0;
	element_feed_new(&f, pr, &cfg);
	assert_false(pr->stage_idle(f.stage));
	element_feed_bytes(&f, BYTES(SYNC, 0xf7));
	assert_true(pr->stage_idle(f.stage));
	element_feed_bytes(&f, BYTES(AT(0x1000)));
	assert_false(pr->stage_idle(f.stage));
	element_feed_free(&f);
}

/* Atom packets that an index skips: in synchronisation, within the bytes given, and not right behind zeros. */
static void test_skip(void **state)
{
	const struct protocol *pr = &cst_protocol_etmv4;
	static const uint8_t bytes[] = { 0xf7, 0xc0, 0xff, 0x71, 0xf7 };
	struct cst_config cfg = ete_config(1, 0);
	struct element_feed f;

	(void)state;
	element_feed_new(&f, pr, &cfg);
	assert_int_equal((pr->skip)(f.parser, bytes, 5), 0);
	element_feed_bytes(&f, BYTES(SYNC));
	/* Trace Info ended with a zero */
	assert_int_equal((pr->skip)(f.parser, bytes, 5), 0);
	element_feed_bytes(&f, BYTES(0xf7));
	assert_int_equal((pr->skip)(f.parser, bytes, 5), 3);
	assert_int_equal((pr->skip)(f.parser, bytes, 2), 2);
	assert_int_equal((pr->skip)(f.parser, bytes, 0), 0);
	assert_int_equal((pr->skip)(f.parser, bytes + 3, 2), 0);
	element_feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_interruptions),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_queued_address),
		cmocka_unit_test(test_queue_at),
		cmocka_unit_test(test_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
