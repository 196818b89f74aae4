/* SPDX-License-Identifier: BSD-3-Clause */
/* Headers, records and compressed records that are wrong: what is reported of each, and what is read all the same. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parts.h"
#include "perfdata/decode.h"
#include "perfdata/layout.h"
#include "perfdata/reader.h"
#include "unit/perf-plugin/perfdata_open.h"

#define ST	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define ATTR_AT	(104 + 8)		/* of the only event in a file */
#define DATA_AT	(ATTR_AT + 144)

static const struct pdb_attr attr = {
	.type = 8, .size = 128, .sample_type = ST, .sample_id_all = true, .ids = { 100 }, .nr_ids = 1,
};
static const struct pdb_sid sid = { .pid = 5, .tid = 6, .time = 111, .id = 100, .cpu = 3 };

static struct perfdata *open_ok(const struct pdb *b)
{
	struct error err;
	struct perfdata *pd = perfdata_open_memory(b->p, b->len, "mem", &err);

	if (!pd)
		fail_msg("%s", err.msg);
	return pd;
}

/* The next result is an error with this code and text. */
static void expect_error(struct perfdata *pd, int code, const char *text)
{
	struct pd_record r;

	assert_int_equal(perfdata_next(pd, &r), code);
	assert_string_equal(perfdata_error(pd)->msg, text);
	assert_int_equal(perfdata_error(pd)->code, code);
}

static void expect_comm(struct perfdata *pd, const char *name)
{
	struct pd_record r;

	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_int_equal(r.ev->header.type, PERF_RECORD_COMM);
	assert_string_equal(r.ev->comm.comm, name);
}

static void expect_end(struct perfdata *pd)
{
	struct pd_record r;

	assert_int_equal(perfdata_next(pd, &r), 0);
}

static void put64(struct pdb *b, size_t at, uint64_t v)
{
	memcpy(b->p + at, &v, 8);
}

/* Data that end beyond the largest offset. */
static void test_data_section(void **state)
{
	struct pdb data = { 0 }, file = { 0 };
	struct perfdata *pd;
	struct error err;

	(void)state;
	pdb_comm(&data, 5, 6, "worker", ST, &sid);
	pdb_file(&file, &attr, 1, 0, &data, NULL, 0);
	put64(&file, 40, UINT64_MAX - 7);
	put64(&file, 48, 8);
	assert_null(perfdata_open_memory(file.p, file.len, "mem", &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_string_equal(err.msg, "mem: offset 0x28: found data at 0xfffffffffffffff8 of 0x8 bytes, which no file can hold; "
			    "the header is damaged");
	put64(&file, 40, DATA_AT);
	put64(&file, 48, UINT64_MAX - DATA_AT);
	pd = open_ok(&file);
	expect_comm(pd, "worker");
	expect_end(pd);
	perfdata_close(pd);
	pdb_free(&data);
	pdb_free(&file);
}

static void attr_of_size(struct pdb *b, uint32_t said, uint64_t id)
{
	struct pdb_attr a = attr;
	size_t at = b->len;

	a.size = 64;
	a.ids[0] = id;
	pdb_attr_record(b, &a);
	memcpy(b->p + at + 12, &said, 4);
}

/* The size in an event attribute says where its IDs begin. */
static void test_attr_records(void **state)
{
	static const uint32_t bad[] = { 63, 56, 68, 73, 80 };
	struct pdb b = { 0 };
	struct perfdata *pd;
	struct pd_record r;
	char text[160];
	size_t i;

	(void)state;
	pdb_pipe_header(&b);
	for (i = 0; i < 5; i++)
		attr_of_size(&b, bad[i], 100);
	attr_of_size(&b, 0, 101);	/* 64 bytes, as the first recorders had it */
	attr_of_size(&b, 72, 102);	/* the ID is a part of it */
	attr_of_size(&b, 64, 103);
	pd = open_ok(&b);
	for (i = 0; i < 8; i++) {
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(r.ev->header.type, PERF_RECORD_HEADER_ATTR);
		assert_int_equal(r.ev->header.size, 80);
	}
	expect_end(pd);
	assert_int_equal(perfdata_nr_warnings(pd), 5);
	for (i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "mem: offset %#zx: found an event attribute of %u bytes in a record of 80; it is "
			 "ignored", 16 + 80 * i, bad[i]);
		assert_string_equal(perfdata_warning(pd, (unsigned int)i), text);
	}
	assert_int_equal(perfdata_nr_attrs(pd), 3);
	assert_int_equal(perfdata_attr(pd, 0)->file_size, 64);
	assert_int_equal(perfdata_attr(pd, 0)->nr_ids, 1);
	assert_int_equal(perfdata_attr(pd, 0)->ids[0], 101);
	assert_int_equal(perfdata_attr(pd, 1)->file_size, 72);
	assert_int_equal(perfdata_attr(pd, 1)->nr_ids, 0);
	assert_int_equal(perfdata_attr(pd, 1)->attr.config2, 102);
	assert_int_equal(perfdata_attr(pd, 2)->ids[0], 103);
	perfdata_close(pd);
	pdb_free(&b);
}

/* Events that the header of a file has come again as records; those of a pipe are the only ones. */
static void test_attrs_again(void **state)
{
	struct pdb_attr other = attr, none = attr;
	struct pdb data = { 0 }, b = { 0 };
	struct perfdata *pd;
	struct pd_record r;
	int i;

	(void)state;
	other.ids[0] = 200;
	none.nr_ids = 0;
	pdb_attr_record(&data, &attr);
	pdb_attr_record(&data, &none);
	pdb_attr_record(&data, &other);
	pdb_pipe_header(&b);
	pdb_bytes(&b, data.p, data.len);
	pd = pdb_open(&attr, 1, &data, NULL, 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(perfdata_nr_attrs(pd), i < 2 ? 1 : 2);
	}
	assert_ptr_equal(perfdata_attr_by_id(pd, 200), perfdata_attr(pd, 1));
	perfdata_close(pd);
	pd = open_ok(&b);
	for (i = 0; i < 3; i++) {
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(perfdata_nr_attrs(pd), i + 1);
	}
	perfdata_close(pd);
	pdb_free(&b);
}

/* Strings of features that do not end, a number beyond the last feature, and more warnings than are kept. */
static void test_feature_records(void **state)
{
	static const unsigned int bits[] = {
		PD_FEAT_HOSTNAME, PD_FEAT_OSRELEASE, PD_FEAT_VERSION, PD_FEAT_ARCH, PD_FEAT_CPUDESC, PD_FEAT_CPUID,
	};
	struct pdb b = { 0 };
	struct perfdata *pd;
	struct pd_record r;
	char text[160];
	unsigned int i;
	size_t at;

	(void)state;
	pdb_pipe_header(&b);
	at = pdb_begin(&b, PERF_RECORD_HEADER_FEATURE, 0);
	pdb_u64(&b, 256);
	pdb_u64(&b, 4);
	pdb_end(&b, at);
	for (i = 0; i < 6; i++) {
		at = pdb_begin(&b, PERF_RECORD_HEADER_FEATURE, 0);
		pdb_u64(&b, bits[i]);
		pdb_u32(&b, 4);
		pdb_bytes(&b, "host", 4);
		pdb_end(&b, at);
	}
	for (i = 0; i < 11; i++)
		attr_of_size(&b, 80, i);
	pd = open_ok(&b);
	for (i = 0; i < 18; i++)
		assert_int_equal(perfdata_next(pd, &r), 1);
	expect_end(pd);
	assert_int_equal(perfdata_nr_warnings(pd), 16);
	for (i = 0; i < 6; i++) {
		snprintf(text, sizeof(text), "mem: offset %#x: feature %u ends before its last field; the rest of it is ignored",
			 40 + 24 * i, bits[i]);
		assert_string_equal(perfdata_warning(pd, i), text);
	}
	snprintf(text, sizeof(text), "mem: offset %#x: found an event attribute of 80 bytes in a record of 80; it is ignored",
		 40 + 24 * 6 + 80 * 9);
	assert_string_equal(perfdata_warning(pd, 15), text);
	assert_null(perfdata_warning(pd, 16));
	assert_null(perfdata_env(pd)->hostname);
	assert_true(perfdata_env(pd)->raw[PD_FEAT_CPUID].damaged);
	perfdata_close(pd);
	pdb_free(&b);
}

/* Swapping ends with the bytes of the record. */
static void test_swap_short(void **state)
{
	static const struct {
		uint32_t type;
		size_t body;
		const char *want;	/* of 1, 2, ... behind the header */
	} cases[] = {
		/* an attribute of less than type and size; one whose size is too small, and one that is cut */
		{ PERF_RECORD_HEADER_ATTR, 12, "\1\2\3\4\5\6\7\10" },
		{ PERF_RECORD_HEADER_ATTR, 16, "\4\3\2\1\10\7\6\5\11\12\13\14" },
		{ PERF_RECORD_HEADER_ATTR, 20, "\4\3\2\1\10\7\6\5\11\12\13\14" },
		{ PERF_RECORD_HEADER_ATTR, 24, "\4\3\2\1\10\7\6\5\20\17\16\15\14\13\12\11\21\22" },
		/* the device and inode of a mapping need 24 bytes */
		{ PERF_RECORD_MMAP2, 8 + 32 + 23, "\4\3\2\1\10\7\6\5\20\17\16\15\14\13\12\11\30\27\26\25\24\23\22\21"
		  "\40\37\36\35\34\33\32\31\41\42\43\44\45\46\47\50\51" },
		{ PERF_RECORD_MMAP2, 8 + 32 + 24, "\4\3\2\1\10\7\6\5\20\17\16\15\14\13\12\11\30\27\26\25\24\23\22\21"
		  "\40\37\36\35\34\33\32\31\44\43\42\41\50\47\46\45\60\57\56\55\54\53\52\51\70\67\66\65\64\63\62\61\71\72" },
		/* integers */
		{ PERF_RECORD_EXIT, 8 + 7, "\4\3\2\1\5\6\7\10" },
		{ PERF_RECORD_EXIT, 8 + 8, "\4\3\2\1\10\7\6\5\11\12" },
	};
	union {
		union perf_event ev;
		uint8_t byte[256];
	} r;
	size_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (k = 0; k < sizeof(r.byte); k++)
			r.byte[k] = (uint8_t)(k - 7);
		r.ev.header = (struct perf_event_header){ .type = cases[i].type, .size = (uint16_t)cases[i].body };
		pd_layout_swap(pd_layout_find(cases[i].type), &r.ev, cases[i].body);
		n = strlen(cases[i].want);
		assert_memory_equal(r.byte + 8, cases[i].want, n);
		for (k = 8 + n; k < sizeof(r.byte); k++)
			assert_int_equal(r.byte[k], (uint8_t)(k - 7));
	}
}

/* The attribute itself is swapped by its fields, and what follows it as IDs. */
static void test_swap_attr_size(void **state)
{
	static const uint32_t sizes[] = { 8, 64, 72 };
	union {
		union perf_event ev;
		uint8_t byte[88];
	} r;
	size_t i, k;

	(void)state;
	for (i = 0; i < 3; i++) {
		for (k = 0; k < sizeof(r.byte); k++)
			r.byte[k] = (uint8_t)k;
		memcpy(r.byte + 12, (const uint8_t[]){ 0, 0, 0, (uint8_t)sizes[i] }, 4);
		pd_layout_swap(pd_layout_find(PERF_RECORD_HEADER_ATTR), &r.ev, 80);
		assert_int_equal(r.ev.attr.attr.size, sizes[i]);
		/* bp_type, the last field but one of 64 bytes, is of 4 bytes, and the word after 64 bytes of 8 either way */
		assert_memory_equal(r.byte + 8 + 48, "\73\72\71\70\77\76\75\74", 8);
		assert_memory_equal(r.byte + 8 + 64, "\117\116\115\114\113\112\111\110", 8);
		assert_memory_equal(r.byte + 80, "\120\121", 2);
	}
}

/* A file whose compressed records expand to @raw, with an uncompressed record behind them. */
static struct perfdata *compressed(struct pdb *file, struct pdb *raw, size_t piece)
{
	struct pdb data = { 0 };

	pdb_compressed(&data, raw, piece, false);
	pdb_comm(&data, 5, 6, "behind", ST, &sid);
	pdb_file(file, &attr, 1, 0, &data, NULL, 0);
	pdb_free(&data);
	pdb_free(raw);
	return open_ok(file);
}

#define COMPRESSED_END	" in compressed records, expected one zstd stream of whole records; the compressed records from here on " \
			"are lost, record without -z to avoid it"

static void test_compressed_records(void **state)
{
	static const uint32_t inner[] = { 71, 66, 81, 83 };
	struct pdb raw = { 0 }, file = { 0 };
	struct perfdata *pd;
	struct pd_record r;
	size_t at, i;

	(void)state;
	NEEDS(ZSTD);
	/* A header alone is a record, and less is not. */
	pdb_comm(&raw, 5, 6, "worker", ST, &sid);
	pdb_end(&raw, pdb_begin(&raw, PERF_RECORD_FINISHED_ROUND, 0));
	at = pdb_begin(&raw, PERF_RECORD_FINISHED_ROUND, 0);
	raw.p[at + 6] = 7;
	pd = compressed(&file, &raw, 10000);
	expect_comm(pd, "worker");
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_int_equal(r.ev->header.type, PERF_RECORD_FINISHED_ROUND);
	expect_error(pd, ERR_RECORD, "mem: offset 0x100: found a record of less than 8 bytes" COMPRESSED_END);
	expect_comm(pd, "behind");
	expect_end(pd);
	perfdata_close(pd);
	pdb_free(&file);

	/* Records that have bytes behind them, or others in them. */
	for (i = 0; i < 4; i++) {
		at = pdb_begin(&raw, inner[i], 0);
		pdb_zero(&raw, 40);
		pdb_end(&raw, at);
		pdb_comm(&raw, 5, 6, "worker", ST, &sid);
		pd = compressed(&file, &raw, 48);
		expect_error(pd, ERR_RECORD, "mem: offset 0x100: found AUX, tracing or compressed data" COMPRESSED_END);
		expect_comm(pd, "behind");
		expect_end(pd);
		assert_int_equal(perfdata_stats(pd)->lost_compressed, 2);
		perfdata_close(pd);
		pdb_free(&file);
	}

	/* A record that is wrong by itself; no byte of the file is lost with it. */
	at = pdb_begin(&raw, PERF_RECORD_AUX, 0);
	pdb_u64(&raw, 0);
	pdb_end(&raw, at);
	pdb_comm(&raw, 5, 6, "worker", ST, &sid);
	pd = compressed(&file, &raw, 10000);
	expect_error(pd, ERR_RECORD, "mem: offset 0x100: found a record of type 11 and 16 bytes too small for its "
			     "sample_id; it is left out");
	expect_comm(pd, "worker");
	expect_comm(pd, "behind");
	expect_end(pd);
	assert_int_equal(perfdata_stats(pd)->bad_records, 1);
	assert_int_equal(perfdata_stats(pd)->lost_bytes, 0);
	perfdata_close(pd);
	pdb_free(&file);

	/* The last record has an end in no compressed record. */
	for (i = 0; i < 2; i++) {
		pdb_comm(&raw, 5, 6, "worker", ST, &sid);
		pdb_comm(&raw, 5, 6, "worker", ST, &sid);
		raw.len -= i ? 1 : raw.len / 2 - 1;
		pd = compressed(&file, &raw, 10000);
		expect_comm(pd, "worker");
		expect_comm(pd, "behind");
		expect_error(pd, ERR_CUT, "mem: offset 0x100: the last compressed record ends inside a record; "
			     "everything before was used");
		expect_end(pd);
		expect_end(pd);
		perfdata_close(pd);
		pdb_free(&file);
	}
}

/*
 * In the other byte order the raw bytes of a sample are not known, but their size is, and what
 * follows them.
 */
static void test_raw_swapped(void **state)
{
	struct pdb data = { .swap = true };
	struct pdb_attr a = attr;
	struct perfdata *pd;
	struct pd_record r;
	size_t at;

	(void)state;
	a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
	at = pdb_begin(&data, PERF_RECORD_SAMPLE, 2);
	pdb_u64(&data, 100);
	pdb_u64(&data, 1);
	pdb_u64(&data, 0x400123);
	pdb_u32(&data, 4);
	pdb_bytes(&data, "rawr", 4);
	pdb_u64(&data, 1);
	pdb_u64(&data, 0x400200);
	pdb_u64(&data, 0x400300);
	pdb_u64(&data, 0);
	pdb_end(&data, at);
	at = pdb_begin(&data, PERF_RECORD_SAMPLE, 2);
	pdb_u64(&data, 100);
	pdb_u64(&data, 0);
	pdb_u32(&data, 12);
	pdb_bytes(&data, "rawr", 4);
	pdb_end(&data, at);
	at = pdb_begin(&data, PERF_RECORD_SAMPLE, 2);
	pdb_u64(&data, 100);
	pdb_u64(&data, 2);
	pdb_u64(&data, 0x400123);
	pdb_end(&data, at);
	pd = pdb_open(&a, 1, &data, NULL, 0);
	assert_int_equal(perfdata_next(pd, &r), 1);
	assert_int_equal(r.sample.callchain[0], 0x400123);
	assert_null(r.sample.raw);
	assert_int_equal(r.sample.raw_size, 0);
	assert_int_equal(r.sample.nr_branches, 1);
	assert_int_equal(r.sample.branches[0].to, 0x400300);
	/* raw bytes beyond the record, and too short a callchain */
	assert_int_equal(perfdata_next(pd, &r), ERR_RECORD);
	assert_int_equal(perfdata_next(pd, &r), ERR_RECORD);
	expect_end(pd);
	perfdata_close(pd);
}

/* A sample with an AUX window: `bytes` of it, of `size`. */
static void put_window(struct pdb *data, uint64_t size, size_t bytes)
{
	size_t at = pdb_begin(data, PERF_RECORD_SAMPLE, 2), i;

	pdb_u64(data, 100);
	pdb_u64(data, size);
	for (i = 0; i < bytes; i++)
		pdb_bytes(data, &(uint8_t){ (uint8_t)(i + 1) }, 1);
	pdb_end(data, at);
}

/*
 * The bytes of an AUX window are those of the file in either byte order; one larger than its record
 * is no record.
 */
static void test_windows(void **state)
{
	struct pdb_attr a = attr;
	struct perfdata *pd;
	struct pd_record r;
	int swap;
	size_t i;

	(void)state;
	a.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_AUX;
	for (swap = 0; swap < 2; swap++) {
		struct pdb data = { .swap = swap };

		put_window(&data, 16, 16);
		put_window(&data, 0, 0);
		put_window(&data, 24, 16);
		put_window(&data, UINT64_MAX - 7, 16);
		put_window(&data, 8, 16);
		pd = pdb_open(&a, 1, &data, NULL, 0);
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(r.window.size, 16);
		assert_true(r.window.stable);
		for (i = 0; i < 16; i++)
			assert_int_equal(r.window.data[i], i + 1);
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(r.window.size, 0);
		assert_int_equal(perfdata_next(pd, &r), ERR_RECORD);
		assert_int_equal(perfdata_next(pd, &r), ERR_RECORD);
		assert_int_equal(perfdata_next(pd, &r), 1);
		assert_int_equal(r.window.size, 8);
		expect_end(pd);
		perfdata_close(pd);
	}
}

/* Shifts and factors that no clock has. */
static void test_clock(void **state)
{
	static const struct {
		uint16_t shift;
		uint32_t mult;
		uint64_t ns, ticks;	/* of 8 ticks after the zero at 1000, and of 1008 ns */
		bool usable;
	} cases[] = {
		{ 0, 1, 1008, 8, true }, { 63, 1, 1000, 0, true }, { 64, 1, 1000, 0, false }, { 2, 0, 1000, 0, false },
		{ 64, 0, 1000, 0, false },
	};
	struct perfdata *pd;
	struct pd_time_conv tc;
	struct pd_record r;
	size_t i, at;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pdb data = { 0 };

		at = pdb_begin(&data, PERF_RECORD_TIME_CONV, 0);
		pdb_u64(&data, cases[i].shift);
		pdb_u64(&data, cases[i].mult);
		pdb_u64(&data, 1000);
		pdb_end(&data, at);
		pd = pdb_open(&attr, 1, &data, NULL, 0);
		assert_int_equal(perfdata_next(pd, &r), 1);
		pd_time_conv_parse(&tc, &r);
		assert_int_equal(tc.usable, cases[i].usable);
		assert_int_equal(pd_ticks_to_ns(&tc, 8), cases[i].ns);
		assert_int_equal(pd_ns_to_ticks(&tc, 1008), cases[i].ticks);
		perfdata_close(pd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data_section), cmocka_unit_test(test_attr_records),
		cmocka_unit_test(test_attrs_again), cmocka_unit_test(test_feature_records),
		cmocka_unit_test(test_swap_short), cmocka_unit_test(test_swap_attr_size),
		cmocka_unit_test(test_compressed_records), cmocka_unit_test(test_raw_swapped),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests_name("perfdata damage", tests, NULL, NULL);
}
