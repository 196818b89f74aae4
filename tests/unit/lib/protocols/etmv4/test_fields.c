/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_fields.c - all fields of ETMv4 elements after a reset; what the queue tells of elements that
 * wait, and what an index may skip.
 */
#include "protocols/etmv4/etmv4.h"
#include "unit/lib/element_text.h"

#define AT(a) 0x9a, (a) >> 2 & 0x7f, (a) >> 9 & 0x7f, (a) >> 16 & 0xff, (a) >> 24 & 0xff

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
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_queued_address),
		cmocka_unit_test(test_queue_at),
		cmocka_unit_test(test_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
