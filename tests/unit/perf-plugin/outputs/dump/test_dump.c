/* SPDX-License-Identifier: BSD-3-Clause */
/* What dump writes for elements that recorded traces seldom have: of data trace, conditional instructions, ITM, STM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/dump/dump.h"
#include "outputs/dump/reference.h"

struct form {
	char *(*write)(char *p, const struct cst_generic *g);
	struct cst_generic g;
	const char *want;
};

static const struct form forms[] = {
	{ dump_text_condition, { .num = CST_COND_PASSED | CST_COND_INSN, .addr = 0x8000, .end = 7 },
	  " 0x8000 passed key=0x7" },
	{ dump_text_condition, { .num = CST_COND_FAILED | CST_COND_FLAGS | 0xa000, .end = 1 },
	  " failed nzcv=0xa key=0x1" },
	{ dump_text_condition, { .end = 0 }, " unknown key=0x0" },
	{ dump_json_condition, { .num = CST_COND_PASSED | CST_COND_INSN, .addr = 0x8000, .end = 7 },
	  ",\"address\":\"0x8000\",\"result\":\"passed\",\"key\":\"0x7\"" },
	{ dump_json_condition, { .num = CST_COND_FAILED | CST_COND_FLAGS | 0xa000, .end = 1 },
	  ",\"result\":\"failed\",\"nzcv\":\"0xa\",\"key\":\"0x1\"" },
	{ dump_json_condition, { .end = 0 }, ",\"result\":\"unknown\",\"key\":\"0x0\"" },
	{ dump_text_data, { .num = CST_DATA_ADDR | CST_DATA_VALUE | CST_DATA_INSN, .addr = 0x20000010, .value = 0x1234,
			    .size = 4, .insn = 0x8004 }, " 0x20000010 value=0x00001234 size=4 by 0x8004" },
	{ dump_text_data, { .num = CST_DATA_PENDING | CST_DATA_BIG_ENDIAN, .channel = 3 }, " pending=3 big-endian" },
	{ dump_json_data, { .num = CST_DATA_ADDR | CST_DATA_VALUE | CST_DATA_INSN, .addr = 0x20000010, .value = 0x1234,
			    .size = 4, .insn = 0x8004 }, ",\"address\":\"0x20000010\",\"value\":\"0x00001234\",\"size\":4,\"insn\":\"0x8004\"" },
	{ dump_json_data, { .num = CST_DATA_PENDING | CST_DATA_BIG_ENDIAN, .channel = 3 },
	  ",\"pending_tag\":3,\"big_endian\":true" },
	{ dump_text_itm, { .last_type = CST_ITM_TS_SYNC, .payload = 10 }, " local-timestamp delta=10 synchronous" },
	{ dump_text_itm, { .last_type = CST_ITM_TS_DELAY, .payload = 11 },
	  " local-timestamp delta=11 timestamp-delayed" },
	{ dump_text_itm, { .last_type = CST_ITM_TS_PKT_DELAY, .payload = 12 },
	  " local-timestamp delta=12 packet-delayed" },
	{ dump_text_itm, { .last_type = CST_ITM_TS_PKT_TS_DELAY, .payload = 13, .flags = CST_GF_TS, .ts = 0x99 },
	  " local-timestamp delta=13 both-delayed ts=0x99" },
	{ dump_text_itm, { .last_type = CST_ITM_TS_GLOBAL, .flags = CST_GF_TS, .ts = 0x1000 },
	  " global-timestamp ts=0x1000" },
	{ dump_text_itm, { .last_type = CST_ITM_SWIT, .channel = 5, .payload = 0x41, .size = 1 },
	  " stimulus port=5 0x41" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 0, .payload = 0x21, .size = 1 },
	  " hardware event-counters 0x21 CPI CYC" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 1, .payload = 0x1005, .size = 2 },
	  " hardware exception 5 entered 0x1005" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 1, .payload = 0x3010, .size = 2 },
	  " hardware exception 16 returned 0x3010" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 2, .payload = 0x8000, .size = 4 },
	  " hardware pc 0x00008000" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 2, .payload = 0, .size = 1 },
	  " hardware sleep 0x00" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 3, .payload = 0x81, .size = 1 },
	  " hardware pmu-overflow 0x81 0 7" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 10, .payload = 0x8000, .size = 4 },
	  " hardware data-pc comparator=1 0x00008000" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 11, .payload = 0x10, .size = 2 },
	  " hardware data-address comparator=1 0x0010" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 12, .payload = 1, .size = 1 },
	  " hardware match comparator=2 0x01" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 22, .payload = 9, .size = 1 },
	  " hardware data-read comparator=3 0x09" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 23, .payload = 9, .size = 1 },
	  " hardware data-write comparator=3 0x09" },
	{ dump_text_itm, { .last_type = CST_ITM_DWT, .channel = 24, .payload = 9, .size = 1 },
	  " hardware reserved 0x09 discriminator=24" },
	{ dump_json_itm, { .last_type = CST_ITM_TS_SYNC, .payload = 10 },
	  ",\"source\":\"local-timestamp\",\"delta\":10,\"relation\":\"synchronous\"" },
	{ dump_json_itm, { .last_type = CST_ITM_TS_PKT_TS_DELAY, .payload = 13, .flags = CST_GF_TS, .ts = 0x99 },
	  ",\"source\":\"local-timestamp\",\"delta\":13,\"relation\":\"both-delayed\",\"timestamp\":\"0x99\"" },
	{ dump_json_itm, { .last_type = CST_ITM_TS_GLOBAL, .flags = CST_GF_TS, .ts = 0x1000 },
	  ",\"source\":\"global-timestamp\",\"timestamp\":\"0x1000\"" },
	{ dump_json_itm, { .last_type = CST_ITM_SWIT, .channel = 5, .payload = 0x41, .size = 1 },
	  ",\"source\":\"stimulus\",\"port\":5,\"size\":1,\"value\":\"0x41\"" },
	{ dump_json_itm, { .last_type = CST_ITM_DWT, .channel = 0, .payload = 0x21, .size = 1 },
	  ",\"source\":\"hardware\",\"discriminator\":0,\"what\":\"event-counters\",\"counters\":\"CPI CYC\",\"size\":1,\"value\":\"0x21\"" },
	{ dump_json_itm, { .last_type = CST_ITM_DWT, .channel = 1, .payload = 0x2005, .size = 2 },
	  ",\"source\":\"hardware\",\"discriminator\":1,\"what\":\"exception\",\"exception\":5,\"action\":\"exited\",\"size\":2,\"value\":\"0x2005\"" },
	{ dump_json_itm, { .last_type = CST_ITM_DWT, .channel = 3, .payload = 0x81, .size = 1 },
	  ",\"source\":\"hardware\",\"discriminator\":3,\"what\":\"pmu-overflow\",\"counters\":\"0 7\",\"size\":1,\"value\":\"0x81\"" },
	{ dump_json_itm, { .last_type = CST_ITM_DWT, .channel = 22, .payload = 9, .size = 1 },
	  ",\"source\":\"hardware\",\"discriminator\":22,\"what\":\"data-read\",\"comparator\":3,\"size\":1,\"value\":\"0x09\"" },
	{ dump_text_sw, { .num = CST_SW_ID, .master = 0x80, .channel = 3, .size = 8, .payload = 0x5a },
	  " master=0x80 channel=0x3 0x5a" },
	{ dump_text_sw, { .size = 0 }, " master=? channel=?" },
	/* no more digits than a value has */
	{ dump_text_sw, { .size = 64, .payload = 0x5a }, " master=? channel=? 0x000000000000005a" },
	{ dump_text_sw, { .size = 68, .payload = 0x5a }, " master=? channel=? 0x000000000000005a" },
	{ dump_json_sw, { .size = 72, .payload = 0x5a }, ",\"bits\":72,\"value\":\"0x000000000000005a\"" },
	{ dump_json_sw, { .num = CST_SW_ID, .master = 0x80, .channel = 3, .size = 32, .payload = 0x5a },
	  ",\"master\":128,\"channel\":3,\"bits\":32,\"value\":\"0x0000005a\"" },
	{ dump_json_sw, { .size = 0, .flags = CST_GF_TS, .ts = 5 }, ",\"timestamp\":\"0x5\"" },
};

static void test_forms(void **state)
{
	char line[DUMP_LINE_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		*forms[i].write(line, &forms[i].g) = 0;
		if (strcmp(line, forms[i].want))
			fail_msg("form %zu: '%s', expected '%s'", i, line, forms[i].want);
	}
}

/* What the reference lists instead. */
static void test_reference(void **state)
{
	static const struct {
		unsigned int protocol;
		struct cst_generic g;
		bool listed;
		uint16_t flags;
		uint64_t addr;
	} elements[] = {
		{ CST_PROTO_ETE, { .kind = CST_GEN_ADDR_UNKNOWN }, false, 0, 0 },
		{ CST_PROTO_PTM, { .kind = CST_GEN_ADDR_UNKNOWN, .error = CST_ERR_BAD_IMAGE }, false, 0, 0 },
		{ CST_PROTO_ETMV3, { .kind = CST_GEN_ADDR_UNKNOWN, .error = CST_ERR_BAD_IMAGE }, false, 0, 0 },
		{ CST_PROTO_ETMV3, { .kind = CST_GEN_ADDR_UNKNOWN, .flags = CST_GF_CC }, true, CST_GF_CC, 0 },
		{ CST_PROTO_ETMV3, { .kind = CST_GEN_TIMESTAMP, .addr = 0, .value = 0x81 }, true, 0, 0x81 },
		{ CST_PROTO_PTM, { .kind = CST_GEN_TIMESTAMP, .addr = 8, .value = 12 }, true, 0, 12 },
		{ CST_PROTO_ETE, { .kind = CST_GEN_TIMESTAMP, .addr = 8 }, true, 0, 8 },
		{ CST_PROTO_ETMV3, { .kind = CST_GEN_EXCEPTION, .flags = CST_GF_RET_ADDR | CST_GF_NEXT }, true, CST_GF_NEXT, 0 },
		{ CST_PROTO_PTM, { .kind = CST_GEN_EXCEPTION, .flags = CST_GF_RET_ADDR }, true, CST_GF_RET_ADDR, 0 },
		{ CST_PROTO_ETMV3, { .kind = CST_GEN_RANGE, .flags = CST_GF_COND, .num = CST_RANGE_IT }, true, 0, 0 },
		{ CST_PROTO_ETMV3, { .kind = CST_GEN_RANGE, .flags = CST_GF_COND }, true, CST_GF_COND, 0 },
		{ CST_PROTO_PTM, { .kind = CST_GEN_RANGE, .flags = CST_GF_COND, .num = CST_RANGE_IT }, true, CST_GF_COND, 0 },
	};
	struct cst_packet pkt = { .protocol = CST_PROTO_PTM, .type = CST_PTM_PKT_TIMESTAMP, .value = 12, .ts = 8 };
	struct cst_generic g;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
		g = elements[i].g;
		assert_int_equal(reference_element(&g, elements[i].protocol), elements[i].listed);
		if (elements[i].listed)
			assert_true(g.flags == elements[i].flags && g.addr == elements[i].addr);
	}
	reference_packet(&pkt);
	assert_int_equal(pkt.ts, 12);
	pkt = (struct cst_packet){ .protocol = CST_PROTO_ETE, .type = CST_PKT_TIMESTAMP, .ts = 8 };
	reference_packet(&pkt);
	assert_int_equal(pkt.ts, 8);
}

/* The reference does not count timestamps without their upper bits, and counts all else. */
static void test_reference_losses(void **state)
{
	struct cst_stats stats = { .times_unknown = 5, .nacc = 3, .global_errors = 2 }, want = { .nacc = 3, .global_errors = 2 };

	(void)state;
	reference_stats(&stats);
	assert_memory_equal(&stats, &want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_reference_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
