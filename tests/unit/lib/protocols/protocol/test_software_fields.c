/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_software_fields.c - stages of software trace: what is left after a reset, which states go on
 * alike, and elements that the caller does not take.
 */
#include "protocols/protocol/ready.h"
#include "unit/lib/element_text.h"

#define ITM_ASYNC 0, 0, 0, 0, 0, 0x80

static struct cst_config itm(void)
{
	struct cst_itm_regs regs = { .tcr = 0x00140001 };
	struct cst_config cfg;

	assert_int_equal(cst_config_itm(&cfg, &regs), 0);
	cfg.itm_sync = CST_ITM_SYNC_PACKET;
	return cfg;
}

/* What follows a reset, with and without a new configuration, and a restart. */
static void test_reset(void **state)
{
	static const uint8_t before[] = { ITM_ASYNC, 0x18, 0x20, 0x94, 0x82, 0xcf, 0xfa, 0x37, 0xb4, 0x93, 0x98, 0xa0, 0x00, 0x70 };
	static const uint8_t after[] = { ITM_ASYNC, 0x09, 0xaa, 0x20, 0x94, 0x05 };
	static const char *const want[] = {
		"0:nosync(2 error0 f0) 6:ready(kind18 type0 num0 valueaa size1 channel1 master0 ts0 f0 rest0 at6) "
		"8:ready(kind18 type2 num0 value2 size1 channel0 master0 ts2 f4000 rest0 at8) 9:end(7) overflows=1",
		"0:nosync(2 error0 f80) 6:ready(kind18 type0 num0 valueaa size1 channel1 master0 ts0 f0 rest0 at6) "
		"8:ready(kind18 type2 num0 value2 size1 channel0 master0 ts2 f4000 rest0 at8) 9:end(7) overflows=1",
		"100:nosync(2 error0 f80) 6:ready(kind18 type0 num0 valueaa size1 channel1 master0 ts0 f0 rest0 "
		"at6) 8:ready(kind18 type2 num0 value2 size1 channel0 master0 ts2 f4000 rest0 at8) 9:end(7) "
		"overflows=1",
	};
	const struct cst_config cfg = itm();
	struct element_feed f;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		element_feed_new(&f, &cst_protocol_itm, &cfg);
		element_feed_bytes(&f, before, sizeof(before));
		*f.text = 0;
		if (i < 2) {
			f.ops->stage_reset(f.stage, CST_UNSYNC_RESET, (int)i);
		} else {
			f.ops->stage_restart(f.stage, 100);
			element_feed_take(&f);
		}
		element_feed_bytes(&f, after, sizeof(after));
		element_feed_end(&f);
		element_feed_free(&f);
		assert_string_equal(f.text, want[i]);
	}
}

static int is_same(const struct element_feed *a, const struct element_feed *b)
{
	return cst_ready_digest(a->stage, 0) == cst_ready_digest(b->stage, 0);
}

/* Stages that go on alike: in synchronisation, and with the same state of the protocol. */
static void test_same(void **state)
{
	static const struct {
		int same;
		uint8_t p[16];
		size_t len;
	} rows[] = {
		{ 1, { ITM_ASYNC, 0x20, 0x28 }, 8 }, { 1, { 0x09, ITM_ASYNC, 0x28, 0x20 }, 9 }, { 0, { ITM_ASYNC, 0x20, 0x38 }, 8 },
		{ 0, { ITM_ASYNC, 0x30, 0x28 }, 8 }, { 0, { ITM_ASYNC, 0x20, 0x28, 0x70 }, 9 }, { 0, { ITM_ASYNC, 0x20, 0x28, 0x04 }, 9 },
		{ 0, { 0x09 }, 1 },
	};
	const struct protocol *pr = &cst_protocol_itm;
	const struct cst_config cfg = itm();
	struct element_feed first, f;
	size_t i;

	(void)state;
	element_feed_new(&first, pr, &cfg);
	element_feed_bytes(&first, rows[0].p, rows[0].len);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		element_feed_new(&f, pr, &cfg);
		element_feed_bytes(&f, rows[i].p, rows[i].len);
		if (is_same(&first, &f) != rows[i].same)
			fail_msg("row %zu", i);
		element_feed_free(&f);
	}
	/* unsynchronised, with nothing known, is another state than synchronised with nothing known */
	element_feed_free(&first);
	element_feed_new(&first, pr, &cfg);
	element_feed_bytes(&first, BYTES(ITM_ASYNC));
	element_feed_new(&f, pr, &cfg);
	assert_int_equal(is_same(&first, &f), 0);
	element_feed_free(&f);
	element_feed_free(&first);
}

/* Elements that a caller does not take: the last one is replaced when there is no room. */
static void test_not_taken(void **state)
{
	const struct cst_config cfg = itm();
	const struct cst_element *e;
	struct element_feed f;
	uint64_t i, n = 0, last = 0;

	(void)state;
	element_feed_new(&f, &cst_protocol_itm, &cfg);
	for (i = 0; i < 3 * READY_ELEMENTS; i++)
		f.ops->stage_restart(f.stage, i);
	for (; (e = f.ops->stage_take(f.stage)); n++) {
		assert_int_equal(e->kind, CST_EL_NO_SYNC);
		last = e->index;
	}
	assert_int_equal(n, READY_ELEMENTS);
	assert_int_equal(last, 3 * READY_ELEMENTS - 1);
	element_feed_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
