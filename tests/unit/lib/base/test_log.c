/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_log.c - the error log: what is kept, handed on and counted. Golden listings have what the
 * stages of the decoder report.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/cstrace.h>

#include "base/log_int.h"

static struct cst_log *new_log(size_t keep)
{
	struct cst_log *log = NULL;

	assert_int_equal(cst_log_new(&log, keep), 0);
	return log;
}

static void test_empty(void **state)
{
	struct cst_log *log = new_log(3);

	(void)state;
	assert_null(cst_log_last(log));
	assert_null(cst_log_at(log, 0));
	assert_int_equal(cst_log_kept(log), 0);
	assert_int_equal(cst_log_count(log, CST_LOG_ALL_IDS, CST_LOG_ERROR), 0);
	cst_log_error(NULL, CST_LOG_FRAME, 0, 0, CST_ERR_FRAME_ID, 0);
	cst_log_finding(log, CST_LOG_FRAME, 0, 0, CST_FIND_NONE, 0);
	cst_log_finding(log, CST_LOG_FRAME, 0, 0, CST_FINDINGS, 0);
	assert_null(cst_log_last(log));
	cst_log_free(log);
	cst_log_free(NULL);
}

/* The ring keeps the newest; counts go on. */
static void test_ring(void **state)
{
	struct cst_log *log = new_log(3);
	unsigned int i;

	(void)state;
	for (i = 0; i < 8; i++) {
		cst_log_error(log, CST_LOG_PACKET, 0x10 + (i & 1), 100 + i, -CST_ERR_BAD_HEADER, 0);
		assert_int_equal(cst_log_kept(log), i < 3 ? i + 1 : 3);
		assert_int_equal(cst_log_dropped(log), i < 3 ? 0 : i - 2);
		assert_int_equal(cst_log_last(log)->index, 100 + i);
		assert_int_equal(cst_log_at(log, 0)->index, i < 3 ? 100 : 100 + i - 2);
		assert_int_equal(cst_log_at(log, cst_log_kept(log) - 1)->index, 100 + i);
	}
	assert_null(cst_log_at(log, 3));
	assert_int_equal(cst_log_count_error(log, 0x10, CST_ERR_BAD_HEADER), 4);
	assert_int_equal(cst_log_count_error(log, 0x11, CST_ERR_BAD_HEADER), 4);
	assert_int_equal(cst_log_count_error(log, CST_LOG_ALL_IDS, CST_ERR_BAD_HEADER), 8);
	assert_int_equal(cst_log_count_error(log, CST_LOG_NO_ID, CST_ERR_BAD_HEADER), 0);
	assert_int_equal(cst_log_count_error(log, 0x10, CST_ERR_BAD_SEQUENCE), 0);
	assert_int_equal(cst_log_count(log, 0x11, CST_LOG_ERROR), 4);
	assert_int_equal(cst_log_count(log, 0x11, CST_LOG_WARNING), 0);
	cst_log_clear(log);
	assert_int_equal(cst_log_kept(log), 0);
	assert_int_equal(cst_log_dropped(log), 0);
	assert_null(cst_log_last(log));
	assert_int_equal(cst_log_count(log, CST_LOG_ALL_IDS, CST_LOG_ERROR), 0);
	cst_log_free(log);
}

static void sink(void *data, const struct cst_log_record *rec)
{
	uint64_t *sum = data;

	sum[0]++;
	sum[1] += rec->index;
}

static void test_verbosity(void **state)
{
	struct cst_log *log = new_log(0);
	uint64_t sum[2] = { 0, 0 };

	(void)state;
	cst_log_set_sink(log, sink, sum);
	cst_log_set_verbosity(log, CST_LOG_COMPONENTS, CST_LOG_WARNING);
	cst_log_set_verbosity(log, CST_LOG_FLOW, CST_LOG_INFO);
	cst_log_set_verbosity(log, CST_LOG_TREE, CST_LOG_NONE);
	cst_log_finding(log, CST_LOG_PACKET, 1, 1, CST_FIND_RESERVED_BITS, 0);
	cst_log_finding(log, CST_LOG_PACKET, 1, 10, CST_FIND_OVERFLOW, 0);	/* information: does not pass */
	cst_log_finding(log, CST_LOG_FLOW, 1, 100, CST_FIND_OVERFLOW, 0);
	cst_log_error(log, CST_LOG_TREE, 1, 1000, CST_ERR_BAD_HEADER, 0);	/* nor anything of this one */
	cst_log_strict(log, CST_LOG_PACKET, 1, 10000, CST_FIND_OVERFLOW, 0);
	assert_int_equal(sum[0], 3);
	assert_int_equal(sum[1], 10101);
	assert_int_equal(cst_log_last(log)->index, 10000);
	assert_int_equal(cst_log_last(log)->severity, CST_LOG_ERROR);
	assert_int_equal(cst_log_kept(log), 0);
	assert_int_equal(cst_log_count_finding(log, 1, CST_FIND_OVERFLOW), 3);
	assert_int_equal(cst_log_count(log, 1, CST_LOG_ERROR), 2);
	assert_int_equal(cst_log_count(log, 1, CST_LOG_INFO), 2);
	assert_int_equal(cst_log_count(log, 1, CST_LOG_WARNING), 1);
	cst_log_free(log);
}

static void check_text(const struct cst_log *log, const char *want)
{
	char text[256];

	assert_int_equal(cst_log_text(cst_log_last(log), text, sizeof(text)), strlen(want));
	assert_string_equal(text, want);
	assert_int_equal(cst_log_text(cst_log_last(log), text, 8), strlen(want));
	assert_int_equal(strlen(text), 7);
}

/* A trace ID has 7 bits: any greater number is recorded and counted as none. */
static void test_ids(void **state)
{
	static const struct {
		unsigned int id, want;
	} cases[] = { { 0, 0 }, { 0x6f, 0x6f }, { 0x7f, 0x7f }, { 0x80, CST_LOG_NO_ID }, { CST_LOG_NO_ID, CST_LOG_NO_ID } };
	struct cst_log *log = new_log(1);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cst_log_clear(log);
		cst_log_error(log, CST_LOG_PACKET, cases[i].id, 0, -CST_ERR_BAD_HEADER, 0);
		assert_int_equal(cst_log_last(log)->trace_id, cases[i].want);
		assert_int_equal(cst_log_count_error(log, cases[i].want, CST_ERR_BAD_HEADER), 1);
		/* numbers behind the last severity, error and finding */
		assert_int_equal(cst_log_count(log, cases[i].want, (enum cst_severity)CST_LOG_SEVERITIES), 0);
		cst_log_error(log, CST_LOG_PACKET, cases[i].id, 0, 0, 0);
		assert_int_equal(cst_log_count(log, cases[i].want, (enum cst_severity)CST_LOG_SEVERITIES), 0);
	}
	cst_log_free(log);
}

static void test_text(void **state)
{
	struct cst_log *log = new_log(1);

	(void)state;
	cst_log_finding(log, CST_LOG_PACKET, 0x10, 16, CST_FIND_RESERVED_BITS, 0);
	check_text(log, "Idx:16; ID:10; packet; warning: reserved bits of a packet are not zero (K10.5.2)");
	cst_log_error(log, CST_LOG_FRAME, CST_LOG_NO_ID, 32, -CST_ERR_FRAME_ID, 16);
	check_text(log, "Idx:32; frame; error: trace ID 0x7F in a formatter frame: 16 bytes (IHI 0029 D4.2)");
	cst_log_finding(log, CST_LOG_FLOW, 3, 0, CST_FIND_NO_CODE, 0x8000);
	check_text(log, "Idx:0; ID:3; flow; info: no code at an address that the trace leads to: 0x8000 (K10.5.5)");
	cst_log_finding(log, CST_LOG_TREE, 3, 0, CST_FIND_UNROUTED, 0);
	check_text(log, "Idx:0; ID:3; tree; info: trace of an ID that no decoder was added for");
	cst_log_free(log);
}

static void test_tables(void **state)
{
	struct cst_log *log = new_log(1);
	unsigned int i;

	(void)state;
	cst_log_error(log, CST_LOG_FLOW, 3, 0, -CST_ERR_BAD_IMAGE, 0);
	assert_string_equal(cst_log_last(log)->section, "K10.5.5.3");
	cst_log_free(log);
	for (i = 1; i < CST_FINDINGS; i++) {
		assert_true(strlen(cst_finding_text(i)) > 4);
		assert_in_range(cst_finding_severity(i), CST_LOG_ERROR, CST_LOG_INFO);
		assert_non_null(cst_finding_section(i));
	}
	assert_string_equal(cst_finding_text(CST_FINDINGS), "unknown finding");
	assert_string_equal(cst_finding_section(CST_FINDINGS), "");
	assert_string_equal(cst_component_name(CST_LOG_INDEX), "index");
	assert_string_equal(cst_component_name(CST_LOG_COMPONENTS), "unknown");
	assert_string_equal(cst_severity_name(CST_LOG_INFO), "info");
	assert_string_equal(cst_severity_name(CST_LOG_SEVERITIES), "unknown");
}

#define ASYNC 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80
#define INFO 0x01, 0x00
/* address with context: 0x1000, EL1 non-secure, AArch64 */
#define AT_1000 0x82, 0x00, 0x08, 0x00, 0x00, 0x31

static void config(struct cst_config *cfg, uint8_t id)
{
	const struct cst_etmv4_regs regs = {
		.configr = 1 << 12, .traceidr = id, .idr0 = 0x28000ea1, .idr1 = 0x4100f420, .idr2 = 0x488
	};

	assert_int_equal(cst_config_etmv4(cfg, &regs, 0, CST_PROFILE_A), 0);
}

static void check_record(const struct cst_log *log, size_t i, uint64_t index, enum cst_component component,
			 unsigned int error, unsigned int finding)
{
	const struct cst_log_record *rec = cst_log_at(log, i);

	assert_non_null(rec);
	assert_int_equal(rec->index, index);
	assert_int_equal(rec->component, component);
	assert_int_equal(rec->error, error);
	assert_int_equal(rec->finding, finding);
	assert_int_equal(rec->trace_id, 0x10);
	if (component != CST_LOG_FLOW)
		assert_int_equal(rec->value, 0);
}

/* The repetitions of a finding are one record, also if they come in pieces: once an instruction was executed, not before. */
static void test_lasting_pieces(void **state)
{
	static const uint8_t code[] = { 0x1f, 0x20, 0x03, 0xd5, 0x00, 0x00, 0x00, 0x14 };	/* nop; b . */
	static const uint8_t in[] = { ASYNC, INFO, 0xf7, 0xf7, 0xf7, AT_1000, 0xf7, 0xf7 };
	static const size_t first = sizeof((uint8_t[]){ ASYNC, INFO }), executed = sizeof((uint8_t[]){ ASYNC, INFO, 0xf7, 0xf7, 0xf7, AT_1000 });
	struct cst_log *log = new_log(16);
	struct cst_generic out[64];
	struct cst_section *sec;
	struct cst_decoder *dec;
	struct cst_space *space;
	struct cst_config cfg = { 0 };
	struct cst_image *img;
	size_t i;

	(void)state;
	assert_int_equal(cst_image_new(&img, 0), 0);
	assert_int_equal(cst_section_new(&sec, img, code, sizeof(code), NULL), 0);
	assert_int_equal(cst_space_new(&space, img), 0);
	assert_int_equal(cst_space_map(space, 0x1000, sizeof(code), sec, 0), 0);
	config(&cfg, 0x10);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	cst_decoder_set_space(dec, space);
	cst_decoder_set_log(dec, log);
	for (i = 0; i < sizeof(in); i++) {
		assert_int_equal(cst_decoder_feed(dec, in + i, 1, i), 0);
		while (cst_decoder_pull(dec, out, 64, NULL))
			;
		assert_int_equal(cst_log_kept(log), i < first ? 0 : i < executed ? 1 : 2);
	}
	check_record(log, 0, first, CST_LOG_FLOW, 0, CST_FIND_ATOMS_LOST);
	check_record(log, 1, first + 2, CST_LOG_FLOW, 0, CST_FIND_ATOMS_LOST);
	assert_int_equal(cst_log_at(log, 1)->count, 2);
	cst_decoder_free(dec);
	cst_image_free(img);
	cst_log_free(log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_verbosity),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_lasting_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
