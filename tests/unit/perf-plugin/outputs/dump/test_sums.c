/* SPDX-License-Identifier: BSD-3-Clause */
/* Headings of a listing with long names, and where a part of it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/log_int.h"
#include "outputs/dump/dump.h"
#include "unit/perf-plugin/dump_listing.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/texts.h"
#include "unit/temp_dir.h"

TEMP_DIR("dump-sums")

/* The lines that were written since the last call. */
static const char *lines(struct dump *d)
{
	d->out.buf[d->out.len] = 0;
	d->out.len = 0;
	return d->out.buf;
}

/* A heading is one line, however long its names are. */
static void test_headings(void **state)
{
	static char longest[5000], json[5000];
	struct dump d = listing(DUMP_TEXT);
	const char *line;
	size_t n;

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	dump_section(&d, "a\nb", "c\td");
	assert_string_equal(lines(&d), "# a\\x0ab: c\\x09d\n");
	dump_section(&d, longest, "detail");
	line = lines(&d);
	n = strlen(line);
	assert_in_range(n, DUMP_LINE_MAX / 2, DUMP_LINE_MAX);
	assert_int_equal(strspn(line + 2, "x"), DUMP_LINE_MAX - 64 - 2);
	assert_string_equal(line + DUMP_LINE_MAX - 64, ": \n");
	dump_section(&d, "name", longest);
	line = lines(&d);
	assert_memory_equal(line, "# name: ", 8);
	assert_int_equal(strlen(line), DUMP_LINE_MAX - 64 + 1);
	d.format = DUMP_OPENCSD;
	dump_section(&d, longest, "detail");
	line = lines(&d);
	assert_memory_equal(line, "Using ", 6);
	assert_int_equal(strspn(line + 6, "x"), DUMP_LINE_MAX - 64 - 6);
	assert_string_equal(line + DUMP_LINE_MAX - 64, " as trace source\n");
	d.format = DUMP_JSON;
	dump_section(&d, longest, longest);
	line = lines(&d);
	n = (size_t)snprintf(json, sizeof(json), "{\"record\":\"section\",\"name\":\"%.510s\",\"detail\":\"%.510s\"}\n", longest, longest);
	assert_int_equal(strlen(line), n);
	assert_memory_equal(line, json, n);
	d.format = DUMP_NONE;
	dump_section(&d, "name", "detail");
	assert_string_equal(lines(&d), "");
	free(d.out.buf);
}

/*
 * A part ends before the place that ends it. Where the same element begins it, a place in an order ends it, so that it is empty;
 * of events and contexts only the next one does.
 */
static void test_parts(void **state)
{
#define AT(kind_, value_) { true, kind_, value_ }
	static const struct {
		struct dump_place from, to;
		const char *listed;	/* of four elements, each an event 1 at place 10, 20, ... */
	} row[] = {
		{ { .set = false }, { .set = false }, "1234" },
		{ { .set = false }, AT(CST_INDEX_EVENT, 1), "" },
		{ { .set = false }, AT(CST_INDEX_KINDS, 30), "12" },
		{ { .set = false }, AT(CST_INDEX_KINDS, 31), "123" },
		{ AT(CST_INDEX_EVENT, 1), AT(CST_INDEX_EVENT, 1), "1" },
		{ AT(CST_INDEX_KINDS, 20), AT(CST_INDEX_EVENT, 1), "2" },
		{ AT(CST_INDEX_KINDS, 20), AT(CST_INDEX_KINDS, 20), "" },
		{ AT(CST_INDEX_KINDS, 20), AT(CST_INDEX_KINDS, 21), "2" },
		{ AT(CST_INDEX_KINDS, 20), AT(CST_INDEX_KINDS, 10), "" },
		{ AT(CST_INDEX_KINDS, 20), { .set = false }, "234" },
		{ AT(CST_INDEX_KINDS, 50), { .set = false }, "" },
	};
	struct dump_range *r = calloc(1, sizeof(*r));
	struct cst_generic g;
	char got[8];
	size_t i, n;
	unsigned int k, id;

	(void)state;
	assert_non_null(r);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		/* each trace ID has its own part */
		for (id = 0x10; id < 0x12; id++) {
			if (id == 0x10)
				dump_range_reset(r);
			r->from = row[i].from;
			r->to = row[i].to;
			r->found = false;
			for (k = 1, n = 0; k <= 4; k++) {
				g = (struct cst_generic){ .kind = CST_GEN_EVENT, .num = 1, .index = 10 * k, .trace_id = (uint8_t)id };
				if (dump_range_element(r, &g))
					got[n++] = (char)('0' + k);
			}
			got[n] = 0;
			if (strcmp(got, row[i].listed) || r->found != (!row[i].from.set || row[i].from.value < 50))
				fail_msg("row %zu, ID 0x%x: '%s', expected '%s'; found: %d", i, id, got, row[i].listed, r->found);
		}
	/* what is before the first valid element is not of the part */
	dump_range_reset(r);
	r->from = r->to = (struct dump_place){ .set = false };
	r->valid[0x10] = 20;
	for (k = 1; k <= 3; k++) {
		g = (struct cst_generic){ .kind = CST_GEN_EVENT, .index = 10 * k, .trace_id = 0x10 };
		assert_int_equal(dump_range_element(r, &g), k >= 2);
	}
	dump_range_reset(r);
	assert_int_equal(r->valid[0x10], 0);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headings), cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
