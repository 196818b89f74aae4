/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and counts at their limits: attribute entries, ids, payloads, strings; and what a file that is something else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/input.h"
#include "perfdata/feature.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "unit/perf-plugin/session_build.h"

#define HEADER		104
#define ENTRY_SIZE_AT	16

static struct pdb data, file;

static int tear_down(void **state)
{
	(void)state;
	pdb_free(&data);
	pdb_free(&file);
	memset(&data, 0, sizeof(data));
	memset(&file, 0, sizeof(file));
	return 0;
}

static void put_comm(void)
{
	struct pdb_sid s = sb_sid(10);

	pdb_comm(&data, 7, 7, "it", SB_ST, &s);
}

static struct perfdata *open_file(struct error *err)
{
	return perfdata_open_memory(file.p, file.len, "test", err);
}

/* The first eight bytes are shown, those that cannot be printed as dots. */
static void something_else(void **state)
{
	static const struct {
		char bytes[17];
		const char *found;
	} rows[] = {
		{ "\x1f ~\x7f" "Ab8!????????", "found \". ~.Ab8!\", expected \"PERFILE2\": not a perf.data file" },
		{ "CSTCNT\r\n????????", "found a count file, expected \"PERFILE2\"" },
		{ "CSTCNT\r?????????", "found \"CSTCNT.?\", expected \"PERFILE2\": not a perf.data file" },
	};
	struct error err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_null(perfdata_open_memory(rows[i].bytes, 16, "test", &err));
		if (!strstr(err.msg, rows[i].found))
			fail_msg("%s", err.msg);
	}
}

/* An entry has an attribute of at least 64 bytes and the place of its ids, and is no longer than a record. */
static void attribute_entries(void **state)
{
	static const struct {
		uint64_t made, said;
		bool good;
	} rows[] = { { 80, 80, true }, { 80, 79, false }, { 65535, 65535, true }, { 65536, 65536, false } };
	struct pdb_attr attr = sb_attr;
	struct perfdata *pd;
	struct error err;
	char want[64];
	size_t i;

	(void)state;
	attr.size = 64;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_comm();
		pdb_file(&file, &attr, 1, rows[i].made, &data, NULL, 0);
		memcpy(file.p + ENTRY_SIZE_AT, &rows[i].said, 8);
		pd = open_file(&err);
		if (rows[i].good) {
			if (!pd)
				fail_msg("%s", err.msg);
			assert_int_equal(perfdata_attr(pd, 0)->nr_ids, 1);
			perfdata_close(pd);
		} else {
			assert_null(pd);
			snprintf(want, sizeof(want), "attribute entry size of %u, expected 80 to 65535", (unsigned int)rows[i].said);
			if (!strstr(err.msg, want))
				fail_msg("%s", err.msg);
		}
		tear_down(NULL);
	}
}

/* The place of the ids is at the end of the entry, or behind a shorter attribute; if neither is in the file, it is damaged. */
static void place_of_ids(void **state)
{
	static const uint64_t nowhere[2] = { UINT64_MAX / 2, 8 };
	const size_t entry = HEADER + 8;	/* behind one id */
	struct pdb_attr attr = sb_attr;
	const struct pd_attr *a;
	struct perfdata *pd;
	struct error err;
	unsigned int round;

	(void)state;
	attr.size = 64;
	for (round = 0; round < 3; round++) {
		put_comm();
		pdb_file(&file, &attr, 1, 144, &data, NULL, 0);
		if (round) {
			memcpy(file.p + entry + 64, round == 1 ? file.p + entry + 128 : (const uint8_t *)nowhere, 16);
			memcpy(file.p + entry + 128, nowhere, 16);
		}
		pd = open_file(&err);
		if (!pd)
			fail_msg("%s", err.msg);
		a = perfdata_attr(pd, 0);
		assert_int_equal(a->damaged, round == 2);
		assert_int_equal(a->nr_ids, round < 2);
		assert_int_equal(perfdata_nr_warnings(pd), round == 2);
		if (round < 2)
			assert_int_equal(a->ids[0], 50);
		perfdata_close(pd);
		tear_down(NULL);
	}
}

/* The bytes of tracing data are padded to eight, and the next record follows them. */
static void tracing_data(void **state)
{
	struct pd_record rec;
	struct perfdata *pd;
	struct error err;
	uint32_t size;
	size_t at;

	(void)state;
	for (size = 0; size <= 17; size++) {
		at = pdb_begin(&data, 66, 0);
		pdb_u32(&data, size);
		pdb_u32(&data, 0);
		pdb_end(&data, at);
		pdb_zero(&data, (size + 7) / 8 * 8);
		put_comm();
		pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
		pd = open_file(&err);
		assert_non_null(pd);
		assert_int_equal(perfdata_next(pd, &rec), 1);
		assert_int_equal(rec.payload_size, (size + 7) / 8 * 8);
		if (perfdata_next(pd, &rec) != 1 || strcmp(rec.ev->comm.comm, "it"))
			fail_msg("no record behind tracing data of %u bytes", size);
		assert_int_equal(perfdata_next(pd, &rec), 0);
		perfdata_close(pd);
		tear_down(NULL);
	}
}

/* An id that no event has is counted, unless there is only one event that it can belong to. */
static void unknown_ids(void **state)
{
	const struct pdb_attr attrs[2] = { { .type = 8, .size = 128, .sample_type = SB_ST, .sample_id_all = true, .ids = { 60 },
					     .nr_ids = 1 }, { .type = 8, .size = 128, .sample_type = SB_ST, .sample_id_all = true,
					     .ids = { 61 }, .nr_ids = 1 } };
	struct pd_record rec;
	struct perfdata *pd;
	struct error err;
	unsigned int nr;

	(void)state;
	for (nr = 1; nr <= 2; nr++) {
		put_comm();
		pdb_file(&file, attrs, nr, 0, &data, NULL, 0);
		pd = open_file(&err);
		assert_non_null(pd);
		assert_int_equal(perfdata_next(pd, &rec), 1);
		assert_int_equal(rec.sid.id, 50);
		assert_int_equal(perfdata_stats(pd)->unknown_ids, nr - 1);
		perfdata_close(pd);
		tear_down(NULL);
	}
}

/* Behind a record without a size nothing is read; the message says how much that is. */
static void record_without_a_size(void **state)
{
	struct pd_record rec;
	struct perfdata *pd;
	struct error err;
	char want[100];

	(void)state;
	put_comm();
	pdb_u32(&data, 3);
	pdb_zero(&data, 36);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	pd = open_file(&err);
	assert_non_null(pd);
	assert_int_equal(perfdata_next(pd, &rec), 1);
	assert_true(perfdata_next(pd, &rec) < 0);
	snprintf(want, sizeof(want), "test: offset 0x%zx: found a record of type 3 and size 0, expected a size of at least 8; ",
		 file.len - 40);
	assert_int_equal(strncmp(perfdata_error(pd)->msg, want, strlen(want)), 0);
	assert_string_equal(perfdata_error(pd)->msg + strlen(want),
			    "the next 40 bytes of the file cannot be read, everything before was used");
	assert_int_equal(perfdata_next(pd, &rec), 0);
	assert_int_equal(perfdata_stats(pd)->lost_bytes, 40);
	perfdata_close(pd);
}

/* Features have the numbers 0 to 255. */
static void number_of_a_feature(void **state)
{
	static const uint8_t bytes[8];
	struct pd_attrs attrs;
	struct pd_env env, before;

	(void)state;
	pd_attrs_init(&attrs);
	memset(&env, 0, sizeof(env));
	assert_null(pd_feature_read(&env, &attrs, 255, bytes, 8, 0, false));
	assert_ptr_equal(env.raw[255].ptr, bytes);
	before = env;
	assert_null(pd_feature_read(&env, &attrs, 256, bytes, 8, 0, false));
	assert_memory_equal(&env, &before, sizeof(env));
	pd_env_free(&env);
	pd_attrs_free(&attrs);
}

/* An entry that is nothing but its fixed part. */
static void build_id_without_a_name(void **state)
{
	const size_t fixed = sizeof(struct perf_record_header_build_id);
	const char *bad;
	struct pd_attrs attrs;
	struct pd_env env;

	(void)state;
	pd_attrs_init(&attrs);
	memset(&env, 0, sizeof(env));
	pdb_u32(&data, 67);
	pdb_u16(&data, 0);
	pdb_u16(&data, (uint16_t)fixed);
	pdb_zero(&data, fixed - 8);
	bad = pd_feature_read(&env, &attrs, PD_FEAT_BUILD_ID, data.p, data.len, 0, false);
	assert_non_null(bad);
	assert_string_equal(bad, "has an entry without a file name");
	pd_env_free(&env);
	pd_attrs_free(&attrs);
}

/* Strings of features are padded to 64 bytes with their end; of a feature that is set twice the second value is written. */
static void strings_that_are_written(void **state)
{
	static const struct {
		size_t len, padded;
	} rows[] = { { 0, 64 }, { 1, 64 }, { 61, 64 }, { 62, 64 }, { 63, 64 }, { 64, 128 }, { 127, 128 }, { 128, 192 } };
	const struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .sample_type = SB_ST, .sample_id_all = 1 };
	const struct pd_feature_bytes *raw;
	char path[] = "/tmp/perfdata-limits-XXXXXX", name[200];
	struct perf_writer *w;
	struct perfdata *pd;
	struct error err;
	size_t i;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	put_comm();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(name, 'n', sizeof(name));
		name[rows[i].len] = 0;
		input_forget_all();	/* of the case before */
		unlink(path);
		w = pw_open(path, &err);
		assert_non_null(w);
		assert_int_equal(pw_add_attr(w, &attr, NULL, 0, "event", &err), 0);
		assert_int_equal(pw_set_string(w, PD_FEAT_HOSTNAME, "before"), 0);
		assert_int_equal(pw_set_string(w, PD_FEAT_HOSTNAME, name), 0);
		assert_int_equal(pw_start(w, &err), 0);
		pw_write(w, data.p, data.len);
		assert_int_equal(pw_finish(w, &err), 0);
		pd = perfdata_open(path, &err);
		assert_non_null(pd);
		raw = &perfdata_env(pd)->raw[PD_FEAT_HOSTNAME];
		assert_string_equal(perfdata_env(pd)->hostname, name);
		assert_int_equal(raw->len, 4 + rows[i].padded);
		perfdata_close(pd);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(something_else, tear_down),
		cmocka_unit_test_teardown(attribute_entries, tear_down),
		cmocka_unit_test_teardown(place_of_ids, tear_down),
		cmocka_unit_test_teardown(tracing_data, tear_down),
		cmocka_unit_test_teardown(unknown_ids, tear_down),
		cmocka_unit_test_teardown(record_without_a_size, tear_down),
		cmocka_unit_test_teardown(number_of_a_feature, tear_down),
		cmocka_unit_test_teardown(build_id_without_a_name, tear_down),
		cmocka_unit_test_teardown(strings_that_are_written, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
