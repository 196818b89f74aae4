/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of a package's log whose values no record can hold, or that leave out what a record has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perfdata/auxinfo.h"
#include "session/import/events.h"
#include "session/import/header.h"

#define MAX_RECORDS	4
#define TRAILER		32	/* ID, process, time, CPU */

static union {
	uint8_t byte[PD_MAX_RECORD + 1];
	struct perf_event_header h;
	struct perf_record_mmap2 mmap2;
	struct perf_record_comm comm;
	struct perf_record_text_poke_event poke;
	struct pd_record_cst_code code;
	struct pd_record_cst_unmap unmap;
	struct perf_record_aux_output_hw_id hw_id;
} made[MAX_RECORDS];
static size_t nr_made;
static uint64_t drops[DROP__COUNT];

/* Code that patches name: 12 bytes, and 70000. */
static uint8_t code[70000];

static void take(void *data, const void *record, size_t size)
{
	struct perf_event_header h;

	(void)data;
	assert_true(size >= sizeof(h) && size <= PD_MAX_RECORD && nr_made < MAX_RECORDS);
	memcpy(&h, record, sizeof(h));
	assert_int_equal(h.size, size);
	memcpy(made[nr_made++].byte, record, size);
}

static bool find_code(void *data, struct cst_str id, const uint8_t **p, size_t *len)
{
	(void)data;
	*p = code;
	*len = *id.p == 's' ? 12 : sizeof(code);
	return id.n == 5 && (!memcmp(id.p, "small", 5) || !memcmp(id.p, "large", 5));
}

static bool segment(void *data, const struct cst_event *ev, unsigned int nth, uint64_t *start, uint64_t *size,
		    uint64_t *offset)
{
	(void)data;
	*start = ev->base + 0x10000u * nth;
	*size = 0x1000;
	*offset = 0x2000u * nth;
	return ev->has_base && nth < 2;
}

static void from_text(const char *line, bool own)
{
	static struct pd_attr attr;
	struct record_maker m = { .attr = &attr, .own = own, .emit = take, .code = find_code, .segment = segment };
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev = { 0 };

	memset(&attr, 0, sizeof(attr));
	header_default_attr(&attr, true);
	assert_int_equal(attr.nr_ids, 1);
	nr_made = 0;
	assert_int_equal(cst_event_reader_new(&r, line, strlen(line), 0), 0);
	assert_int_equal(cst_event_next(r, &ev, &why), 1);
	records_of_event(&m, &ev, ev.time);
	cst_event_reader_free(r);
	memcpy(drops, m.drops, sizeof(drops));
}

/* The event has no record, and is counted for one reason. */
static void none_for(enum event_drop why)
{
	unsigned int i;

	assert_int_equal(nr_made, 0);
	for (i = 0; i < DROP__COUNT; i++)
		assert_int_equal(drops[i], i == why);
}

/* Numbers of 64 bits are taken, and what is none counts as absent. */
static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		uint32_t prot;
		uint64_t ino;
	} cases[] = {
		{ "prot=3, ino=0xfEdCbA9876543210", 3, 0xfedcba9876543210 }, { "prot=0x3, ino=0X10", 3, 16 },
		{ "prot=0x, ino=0x0000000000000001", 5, 1 }, { "prot=0x10g, ino=0x00000000000000001", 5, 0 },
		{ "prot=0x1/, ino=0x1:", 5, 0 }, { "prot=x, ino=\"0x1`\"", 5, 0 }, { "prot=-1, ino=9223372036854775807", 0xffffffff,
		  INT64_MAX },
	};
	char line[160];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(line, sizeof(line), "1 declare_library(START, 9, 0x8000, \"/x\", size=16, %s)\n", cases[i].text);
		from_text(line, false);
		assert_int_equal(nr_made, 1);
		assert_int_equal(made[0].mmap2.prot, cases[i].prot);
		assert_int_equal(made[0].mmap2.ino, cases[i].ino);
	}
}

/* A uuid is a build-id if it is one in hexadecimal of at most 20 bytes. */
static void test_build_ids(void **state)
{
	static const struct {
		const char *uuid;
		uint8_t size, first, last;
	} cases[] = {
		{ "0aF9", 2, 0x0a, 0xf9 }, { "0aFg", 0, 0, 0 }, { "g0", 0, 0, 0 }, { "0a:9", 0, 0, 0 }, { "0a/9", 0, 0, 0 },
		{ "\"0a`9\"", 0, 0, 0 }, { "0a9", 0, 0, 0 }, { "\"\"", 0, 0, 0 },
		{ "1234567890123456789012345678901234567891", 20, 0x12, 0x91 },
		{ "123456789012345678901234567890123456789123", 0, 0, 0 },
	};
	const struct perf_record_mmap2 *r = &made[0].mmap2;
	char line[160];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(line, sizeof(line), "1 declare_library(START, 9, 0x8000, \"/x\", %s, size=16, maj=8)\n", cases[i].uuid);
		from_text(line, false);
		assert_int_equal(nr_made, 1);
		assert_int_equal(r->header.misc, PERF_RECORD_MISC_USER | (cases[i].size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));
		if (!cases[i].size) {
			assert_int_equal(r->maj, 8);
			continue;
		}
		assert_int_equal(r->build_id_size, cases[i].size);
		assert_int_equal(r->build_id[0], cases[i].first);
		assert_int_equal(r->build_id[cases[i].size - 1], cases[i].last);
	}
}

/* Maps without a name have the one that perf gives them. */
static void test_unnamed_maps(void **state)
{
	(void)state;
	from_text("1 declare_library(START, 9, 0x8000, None, size=16)\n", false);
	assert_int_equal(nr_made, 1);
	assert_string_equal(made[0].mmap2.filename, "//anon");
	assert_int_equal(made[0].mmap2.pid, 9);
	assert_int_equal(made[0].h.misc, PERF_RECORD_MISC_USER);
	from_text("1 declare_library(START, 0, 0x8000, None, size=16)\n", false);
	assert_int_equal(nr_made, 1);
	assert_string_equal(made[0].mmap2.filename, "[kernel.kallsyms]_text");
	assert_int_equal(made[0].mmap2.pid, (uint32_t)-1);
	assert_int_equal(made[0].mmap2.tid, 0);
	assert_int_equal(made[0].h.misc, PERF_RECORD_MISC_KERNEL);
}

/* A process that has its image from the start: a map for each part of it. */
static void test_forked_with_image(void **state)
{
	(void)state;
	from_text("1 declare_process(START, 9, 0x8000, \"/bin/x\", inherit=5)\n", false);
	assert_int_equal(nr_made, 3);
	assert_int_equal(made[0].h.type, PERF_RECORD_FORK);
	assert_int_equal(made[1].h.type, PERF_RECORD_MMAP2);
	assert_int_equal(made[1].mmap2.start, 0x8000);
	assert_int_equal(made[1].mmap2.pgoff, 0);
	assert_int_equal(made[2].mmap2.start, 0x18000);
	assert_int_equal(made[2].mmap2.pgoff, 0x2000);
	assert_string_equal(made[2].mmap2.filename, "/bin/x");
	/* the kernel is no process: it has maps only */
	from_text("1 declare_process(START, 0, 0x8000, vmlinux)\n", false);
	assert_int_equal(nr_made, 2);
	assert_int_equal(made[0].h.type, PERF_RECORD_MMAP2);
	assert_int_equal(made[0].h.misc, PERF_RECORD_MISC_KERNEL);
	from_text("1 declare_process(END, 9, 0x8000, \"/bin/x\")\n", false);
	assert_int_equal(nr_made, 1);
	assert_int_equal(made[0].h.type, PERF_RECORD_EXIT);
}

/* Names, and code, up to the size of a record. */
static void test_long_values(void **state)
{
	const size_t most = 65528 - 48 - 16 - 1;	/* of a name, behind the fields and before the longest trailer */
	char *line = malloc(2 * PD_MAX_RECORD + 200);
	size_t n, at;

	(void)state;
	assert_non_null(line);
	for (n = most; n <= most + 1; n++) {
		at = (size_t)sprintf(line, "1 declare_process(START, 9, None, None, comm=\"");
		memset(line + at, 'x', n);
		strcpy(line + at + n, "\")\n");
		from_text(line, false);
		if (n > most) {
			none_for(DROP_BAD);
			continue;
		}
		assert_int_equal(nr_made, 1);
		assert_int_equal(made[0].h.size, 16 + n + 1 + TRAILER);
		assert_int_equal(strlen(made[0].comm.comm), n);
	}
	free(line);
}

/* Code by its name: a part of it, or all. */
static void test_named_code(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(i * 7 >> 3);
	from_text("1 patch_code(9, 0x1000, 8, small, offset=8)\n", true);
	assert_int_equal(nr_made, 1);
	assert_int_equal(made[0].h.type, PD_RECORD_CST_CODE);
	assert_int_equal(made[0].code.size, 4);
	assert_memory_equal(made[0].code.bytes, code + 8, 4);
	from_text("1 patch_code(9, 0x1000, 8, small)\n", true);
	assert_int_equal(made[0].code.size, 8);
	assert_memory_equal(made[0].code.bytes, code, 8);
	/* nothing is left behind the offset: what is there is not known */
	for (i = 12; i < 14; i++) {
		from_text(i == 12 ? "1 patch_code(9, 0x1000, 8, small, offset=12)\n" :
				    "1 patch_code(9, 0x1000, 8, small, offset=13)\n", true);
		assert_int_equal(nr_made, 1);
		assert_int_equal(made[0].h.type, PD_RECORD_CST_UNMAP);
		assert_int_equal(made[0].unmap.start, 0x1000);
		assert_int_equal(made[0].unmap.len, 8);
	}
	from_text("1 patch_code(9, 0x1000, 8, small, offset=12)\n", false);
	none_for(DROP_CODE);
	from_text("1 patch_code(9, 0x1000, 8, other)\n", false);
	none_for(DROP_CODE);
	/* in records of 32768 bytes */
	from_text("1 patch_code(9, 0x1000, 70000, large, offset=2)\n", true);
	assert_int_equal(nr_made, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(made[i].code.addr, 0x1000 + 32768 * i);
		assert_int_equal(made[i].code.size, i < 2 ? 32768 : 69998 - 65536);
		assert_memory_equal(made[i].code.bytes, code + 2 + 32768 * i, made[i].code.size);
	}
	/* no code at all is one record */
	from_text("1 patch_code(9, 0x1000, 0, small)\n", true);
	assert_int_equal(nr_made, 1);
	assert_int_equal(made[0].code.size, 0);
}

/* Code of the kernel is a record of its own as long as it fits into one. */
static void test_kernel_code(void **state)
{
	(void)state;
	from_text("1 patch_code(0, 0x1000, 12, small)\n", false);
	assert_int_equal(nr_made, 1);
	assert_int_equal(made[0].h.type, PERF_RECORD_TEXT_POKE);
	assert_int_equal(made[0].poke.new_len, 12);
	from_text("1 patch_code(0, 0x1000, 65023, large)\n", false);
	assert_int_equal(nr_made, 1);
	assert_int_equal(made[0].poke.new_len, 65023);
	from_text("1 patch_code(0, 0x1000, 65024, large)\n", false);
	none_for(DROP_CODE);
	from_text("1 patch_code(0, 0x1000, 65024, large)\n", true);
	assert_int_equal(nr_made, 2);
	assert_int_equal(made[0].h.type, PD_RECORD_CST_CODE);
	/* with what was there before it is that record or none */
	from_text("1 patch_code(0, 0x1000, 65536, large, old=<01>)\n", true);
	none_for(DROP_BAD);
	from_text("1 patch_code(0, 0x1000, 65535, large, old=<01>)\n", true);
	none_for(DROP_BAD);
	from_text("1 patch_code(0, 0x1000, 65024, large, old=<01>)\n", true);
	assert_int_equal(nr_made, 1);
	assert_int_equal(made[0].h.type, PERF_RECORD_TEXT_POKE);
	assert_int_equal(made[0].poke.old_len, 1);
	assert_int_equal(made[0].poke.new_len, 65024);
}

/* An event with as many parameters as there can be has no room for its CPU. */
static void test_many_parameters(void **state)
{
	char line[2000];
	unsigned int n, i;
	size_t at;
	uint32_t cpu;

	(void)state;
	for (n = CST_EVENT_PARAMS - 2; n < CST_EVENT_PARAMS; n++) {
		at = (size_t)sprintf(line, "1 define_trace(START, 0x11, etm, cpu=3");
		for (i = 0; i < n; i++)
			at += (size_t)sprintf(line + at, ", p%u=1", i);
		strcpy(line + at, ")\n");
		from_text(line, false);
		assert_int_equal(nr_made, 1);
		assert_int_equal(made[0].h.type, PERF_RECORD_AUX_OUTPUT_HW_ID);
		assert_int_equal(made[0].h.size, 16 + TRAILER);
		memcpy(&cpu, made[0].byte + 16 + 16, sizeof(cpu));
		assert_int_equal(cpu, n + 1 < CST_EVENT_PARAMS ? 3 : 0);
	}
}

/* Whole records: private ones are for this program only, and none that others follow or that holds others. */
static void test_whole_records(void **state)
{
	static const uint32_t types[] = { 71, 81, 83, 66, PD_RECORD_CST_UNMAP, PD_RECORD_CST_FIRST, PD_RECORD_CST_END - 1 };
	char line[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		snprintf(line, sizeof(line), "1 x_perf(<%02x%02x%02x%02x00000800>)\n", types[i] & 255, types[i] >> 8 & 255,
			 types[i] >> 16 & 255, types[i] >> 24);
		from_text(line, false);
		none_for(DROP_BAD);
		from_text(line, true);
		if (i < 4) {
			none_for(DROP_BAD);
			continue;
		}
		assert_int_equal(nr_made, 1);
		assert_int_equal(made[0].h.type, types[i]);
	}
	from_text("1 x_perf(<4400000000000800>)\n", false);
	assert_int_equal(nr_made, 1);
	from_text("1 x_perf(<4400000000000900>)\n", false);
	none_for(DROP_BAD);
	from_text("1 x_perf(a=<4400000000000800>)\n", false);
	none_for(DROP_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_unnamed_maps),
		cmocka_unit_test(test_forked_with_image),
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_named_code),
		cmocka_unit_test(test_kernel_code),
		cmocka_unit_test(test_many_parameters),
		cmocka_unit_test(test_whole_records),
	};

	return cmocka_run_group_tests_name("import records", tests, NULL, NULL);
}
