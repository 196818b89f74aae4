/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_software_fields.c - all fields of what ITM, STM and ETMv4 data trace make, what is counted of losses, and that
 * nothing of a trace is left after a reset.
 */
#include "protocols/protocol/ready.h"
#include "unit/lib/element_text.h"

#define ITM_ASYNC 0, 0, 0, 0, 0, 0x80
#define STM_START 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0f, 0x30
#define DATA_START ASYNC, 0x00, 0x01, 0x00

static struct cst_config itm(void)
{
	struct cst_itm_regs regs = { .tcr = 0x00140001 };
	struct cst_config cfg;

	assert_int_equal(cst_config_itm(&cfg, &regs), 0);
	cfg.itm_sync = CST_ITM_SYNC_PACKET;
	return cfg;
}

static struct cst_config stm(void)
{
	struct cst_stm_regs regs = { .tcsr = 0x00100001 };
	struct cst_config cfg;

	assert_int_equal(cst_config_stm(&cfg, &regs), 0);
	return cfg;
}

static struct cst_config data(void)
{
	struct cst_etmv4_regs regs = {
		.configr = 3 << 16 | 3 << 1, .traceidr = 0x10, .idr0 = 3 << 3 | 3 << 1, .idr1 = 4 << 8, .idr2 = 4,
	};
	struct cst_config cfg;

	assert_int_equal(cst_config_etmv4_data(&cfg, &regs, CST_PROFILE_R), 0);
	return cfg;
}

static void test_itm(void **state)
{
	struct cst_config cfg = itm();

	(void)state;
	/* software on the second page of ports, hardware, a local timestamp with its delay, an overflow before the next one */
	expect_elements(&cst_protocol_itm, &cfg, BYTES(ITM_ASYNC, 0x18, 0xfb, 4, 3, 2, 1, 0x0e, 0x04, 0x10, 0xe0, 0xc2, 0x26, 0x70, 0x09,
						       0xaa, 0x30),
	       "0:nosync(1 error0 f0) 7:ready(kind18 type0 num0 value1020304 size4 channel3f master0 ts0 f0 "
	       "rest0 at7) 12:ready(kind18 type1 num0 value1004 size2 channel1 master0 ts0 f0 rest0 at12) "
	       "15:ready(kind18 type4 num0 value1342 size2 channel0 master0 ts1342 f4000 rest0 at15) "
	       "18:finding(7) 19:ready(kind18 type0 num40 valueaa size1 channel21 master0 ts0 f0 rest0 at19) "
	       "21:ready(kind18 type2 num0 value3 size1 channel0 master0 ts3 f4000 rest0 at21) 21:end(7) "
	       "overflows=1");
	/* a global timestamp of both parts, after a change of the clock, and after its upper part wrapped */
	expect_elements(&cst_protocol_itm, &cfg, BYTES(ITM_ASYNC, 0x94, 0x82, 0xcf, 0xfa, 0x37, 0xb4, 0x93, 0x98, 0xa0, 0x00, 0x94, 0x05,
						       0x94, 0x82, 0xcf, 0xfa, 0x57, 0x94, 0x06),
	       "0:nosync(1 error0 f0) 11:ready(kind18 type6 num80 value0 size0 channel0 master0 ts20304efea782 "
	       "f4000 rest0 at11) 16:ready(kind18 type6 num0 value0 size0 channel0 master0 ts20304efea785 f4000 "
	       "rest0 at16) 23:end(7)");
	/* before synchronisation, a reserved header, and a cut packet */
	expect_elements(&cst_protocol_itm, &cfg, BYTES(0x09, 0xaa, ITM_ASYNC, 0x09, 0xaa, 0x04, 0x09, ITM_ASYNC, 0x0a, 0x01),
	       "0:nosync(1 error0 f0) 8:ready(kind18 type0 num0 valueaa size1 channel1 master0 ts0 f0 rest0 "
	       "at8) 10:nosync(5 error7 f0) 18:end(7) bad=2 resyncs=1 unsynced=6");
	expect_elements(&cst_protocol_itm, &cfg, BYTES(0x09), "0:nosync(1 error0 f0) 0:end(7) unsynced=1");
	/* the same with packets where they are plausible: at the first byte, and behind the reserved header */
	cfg.itm_sync = CST_ITM_SYNC_TRY;
	expect_elements(&cst_protocol_itm, &cfg, BYTES(0x09, 0xaa, ITM_ASYNC, 0x09, 0xaa, 0x04, 0x70, ITM_ASYNC, 0x0a, 0x01),
	       "0:nosync(1 error0 f0) 0:finding(56) 0:ready(kind18 type0 num0 valueaa size1 channel1 master0 ts0 f0 rest0 at0) "
	       "8:ready(kind18 type0 num0 valueaa size1 channel1 master0 ts0 f0 rest0 at8) 10:nosync(5 error7 f0) 11:finding(56) "
	       "11:finding(7) 18:end(7) overflows=1 bad=2 resyncs=1 unsynced=3 tried=2");
}

static void test_stm(void **state)
{
	const struct cst_config cfg = stm();

	(void)state;
	/* master, channel, and each kind of element: with marker and time, a trigger, a frequency, both errors */
	expect_elements(&cst_protocol_stm, &cfg, BYTES(STM_START, 0x41, 0x01, 0x13, 0x02, 0xa8, 0x25, 0xb4, 0x0f, 0xa7, 0x15, 0x03,
						       0x0f, 0x08, 0x21, 0xf4, 0x08, 0x00, 0xef),
	       "0:nosync(1 error0 f0) 17:ready(kind14 type0 num3 valuea5 size8 channel12 master41 ts4b f4000 "
	       "rest0 at17) 20:ready(kind14 type0 num5 valuea5 size8 channel12 master41 ts43 f4000 rest0 at20) "
	       "24:ready(kind14 type0 num9 value124f800 size32 channel12 master41 ts0 f0 rest0 at24) "
	       "30:ready(kind14 type0 num3 value0 size0 channel12 master41 ts0 f0 rest0 at30) 30:end(7)");
	expect_elements(&cst_protocol_stm, &cfg, BYTES(STM_START, 0x41, 0x01, 0xa2, 0x0b, 0x9c, 0x2f, 0xba, 0x9c, 0x0f, 0x00, 0xf0, 0x10, 0x04),
	       "0:nosync(1 error0 f0) 15:finding(54) 15:ready(kind14 type0 num11 valueab size8 channel0 "
	       "master41 ts0 f0 rest0 at15) 17:ready(kind14 type0 num1 value9 size4 channel0 master41 ts0 f0 "
	       "rest0 at17) 18:finding(55) 18:ready(kind14 type0 num20 valueab size8 channel0 master0 ts0 f0 "
	       "rest0 at18) 20:ready(kind14 type0 num0 value9 size4 channel0 master0 ts0 f0 rest0 at20) "
	       "21:nosync(5 error8 f0) 23:end(7) bad=1 resyncs=1 unsynced=5 masters=1 globals=1");
	/* before synchronisation, a reserved opcode, and a cut packet */
	expect_elements(&cst_protocol_stm, &cfg, BYTES(0x41, 0x01, STM_START, 0x9c, 0x0f, 0x02, 0x9c, STM_START, 0x9c, 0x17, 0x32),
	       "0:nosync(1 error0 f0) 15:ready(kind14 type0 num0 value9 size4 channel0 master0 ts0 f0 rest0 "
	       "at15) 16:nosync(5 error7 f0) 32:ready(kind14 type0 num0 value9 size4 channel0 master0 ts0 f0 "
	       "rest0 at32) 33:end(7) bad=2 resyncs=1 unsynced=7");
}

static void test_data(void **state)
{
	const struct cst_config cfg = data();

	(void)state;
	expect_elements(&cst_protocol_etmv4_data, &cfg, BYTES(DATA_START, 0x04, 0x03, 0x02, 0x85, 0x02, 0x03, 0x05),
	       "0:nosync(1 error0 f0) 15:ready(kind13 type0 num3 value0 size0 channel0 master0 ts0 f0 rest0 "
	       "at15) 17:ready(kind11 type0 num0 value105 size0 channel0 master0 ts0 f0 rest0 at17) "
	       "20:ready(kind64 type0 num80 value0 size0 channel0 master0 ts0 f0 rest0 at20) 21:nosync(5 error7 "
	       "f0) 21:end(7) bad=1 resyncs=1 unsynced=1 data=1");
	/* timestamps before a Trace Info are unknown; an extension that is none; a cut packet */
	expect_elements(&cst_protocol_etmv4_data, &cfg, BYTES(0x04, 0x03, ASYNC, 0x02, 0x85, 0x02, 0x00, 0x01, 0x00, 0x04, 0x03, 0x00, 0x77,
							      DATA_START, 0x04),
	       "0:nosync(1 error0 f0) 20:ready(kind13 type0 num3 value0 size0 channel0 master0 ts0 f0 rest0 "
	       "at20) 22:nosync(5 error7 f0) 39:end(7) bad=2 resyncs=1 unsynced=5");
	expect_elements(&cst_protocol_etmv4_data, &cfg, BYTES(DATA_START, 0x00, 0x05, 0x00, 0x03, 0x02, 0x05, DATA_START, 0x02, 0x05),
	       "0:nosync(1 error0 f0) 15:finding(7) 15:ready(kind64 type0 num80 value0 size0 channel0 master0 "
	       "ts0 f0 rest0 at15) 17:finding(8) 17:ready(kind64 type0 num80 value0 size0 channel0 master0 ts0 "
	       "f0 rest0 at17) 19:ready(kind11 type0 num0 value5 size0 channel0 master0 ts0 f0 rest0 at19) "
	       "36:ready(kind11 type0 num0 value5 size0 channel0 master0 ts0 f0 rest0 at36) 36:end(7) "
	       "overflows=1 discards=1");
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
		cmocka_unit_test(test_itm),
		cmocka_unit_test(test_stm),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
