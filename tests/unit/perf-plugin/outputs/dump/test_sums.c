/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What dump has besides the lines of records: counts, losses and log records summed up, headings with long names, the places
 * where a part of a listing ends, and output in pieces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/error.h"
#include "base/log_int.h"
#include "outputs/dump/dump.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/texts.h"
#include "unit/temp_dir.h"

TEMP_DIR("dump-sums")

static struct dump listing(enum dump_format format)
{
	struct dump d = { .format = format, .frames = true, .packets = true, .elements = true, .only_id = -1, .cpu = -1, .pid = -1, .tid = -1 };

	d.out.buf = malloc(DUMP_OUT_SIZE);
	assert_non_null(d.out.buf);
	return d;
}

/* The lines that were written since the last call. */
static const char *lines(struct dump *d)
{
	d->out.buf[d->out.len] = 0;
	d->out.len = 0;
	return d->out.buf;
}

static void test_counts(void **state)
{
	struct dump d = listing(DUMP_TEXT);

	(void)state;
	d.stats = (struct cst_stats){ .bytes = 1, .packets = 20, .elements = 300, .ranges = 4000, .insns = 50000, .branches = UINT64_MAX };
	dump_counts(&d);
	assert_string_equal(lines(&d), "bytes 1\npackets 20\nelements 300\nranges 4000\ninstructions 50000\nbranches 18446744073709551615\n");
	free(d.out.buf);
}

/* One line with all that was lost; none, and no loss, without. */
static void test_losses(void **state)
{
	static const struct cst_stats none = { .bytes = 1, .packets = 1, .elements = 1, .ranges = 1, .insns = 1, .branches = 1,
					       .trans_failed = 1 };
	static const struct cst_frame_stats sound = { .frames = 1, .data = 1, .null = 1, .reserved = 1, .overhead = 1, .barriers = 1,
						      .triggers = 1 };
	struct dump d = { .stats = none, .frame_stats = sound };
	struct said said;

	(void)state;
	said_begin(&said);
	dump_losses(&d);
	assert_text("nothing", said_end(&said), "");
	assert_false(d.losses);
	d.stats.nacc = 7;
	said_begin(&said);
	dump_losses(&d);
	assert_text("one", said_end(&said), "cstrace dump: lost: 7 ranges without code\n");
	assert_true(d.losses);
	d = (struct dump){ .stats = { .unsynced = 1, .bad_packets = 2, .resyncs = 3, .overflows = 4, .discards = 5, .nacc = 6, .atoms_lost = 7,
				      .image_conflicts = 8, .stack_empty = 9, .nopath = 10, .uncommitted = 11, .data_lost = 12,
				      .times_unknown = 13, .master_errors = 14, .global_errors = 15 },
			   .frame_stats = { .errors = 16, .skipped = 17, .unknown = 18 }, .unrouted = 19 };
	said_begin(&said);
	dump_losses(&d);
	assert_text("all", said_end(&said), "cstrace dump: lost: 1 bytes before a synchronisation point, 2 bad packets, 3 restarts after errors, "
		    "4 trace unit overflows, 5 discards, 6 ranges without code, 7 atoms without an address or context, "
		    "8 atoms that contradict the program image, 9 returns without a return stack entry, "
		    "10 Q elements with unknown path, 11 uncommitted elements, 12 gaps in data trace, "
		    "13 timestamps without their upper bits, 14 times that a master's writes were dropped, "
		    "15 times that several masters' writes were dropped, 16 bad frames, 17 bytes of bad or cut frames, "
		    "18 bytes before the first trace ID, 19 bytes of trace IDs without a decoder\n");
}

/* The sum of the log's records, of one trace ID if one is listed; nothing without a log. */
static void test_log_sum(void **state)
{
	struct dump d = listing(DUMP_JSON);
	struct said said;
	unsigned int i;

	(void)state;
	said_begin(&said);
	dump_log_sum(&d);
	assert_text("no log", said_end(&said), "");
	assert_int_equal(dump_log_open(&d, CST_LOG_INFO), 0);
	for (i = 0; i < 3; i++)
		cst_log_finding(d.log, CST_LOG_PACKET, (uint8_t)(i ? 0x10 : 0x11), i, CST_FIND_ETM_BEFORE_INFO, 0);
	cst_log_finding(d.log, CST_LOG_TREE, CST_LOG_NO_ID, 0, CST_FIND_BARRIER, 0);
	said_begin(&said);
	dump_log_sum(&d);
	assert_text("all", said_end(&said), "cstrace dump: log: 0 errors, 3 warnings, 1 notes\n");
	said_begin(&said);
	d.only_id = 0x10;
	dump_log_sum(&d);
	d.only_id = 0;
	dump_log_sum(&d);
	/* what has no ID is printed with each */
	assert_text("of IDs", said_end(&said), "cstrace dump: log: 0 errors, 2 warnings, 1 notes\n"
		    "cstrace dump: log: 0 errors, 0 warnings, 1 notes\n");
	cst_log_free(d.log);
	free(d.out.buf);
}

static void test_levels(void **state)
{
	static const struct {
		const char *name;
		enum cst_severity level;
	} known[] = { { "", CST_LOG_INFO }, { "error", CST_LOG_ERROR }, { "warning", CST_LOG_WARNING }, { "info", CST_LOG_INFO } };
	static const char *const unknown[] = { "none", "errors", "Error", " ", "debug" };
	enum cst_severity level;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		level = (enum cst_severity)100;
		assert_true(dump_log_level(known[i].name, &level));
		assert_int_equal(level, known[i].level);
	}
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		if (dump_log_level(unknown[i], &level))
			fail_msg("'%s' is a level", unknown[i]);
}

/* Trace ID 0 is one that can be chosen: there is nothing of others. */
static void test_id_0(void **state)
{
	static const struct cst_fragment f[2] = { { .offset = 5, .len = 1, .id = 0x10 }, { .offset = 6, .len = 1, .id = 0 } };
	const struct cst_packet pkt = { .protocol = CST_PROTO_PTM, .type = CST_PTM_PKT_ASYNC, .size = 1, .nbytes = 1 };
	const struct cst_etmv3_regs ptm = { .idr = 0x411cf312, .traceidr = 0x10 };
	struct cst_generic g = { .kind = CST_GEN_TRACE_ON, .trace_id = 0x10 };
	struct dump d = listing(DUMP_TEXT);
	struct cst_decoder *dec;
	struct cst_config cfg;

	(void)state;
	assert_int_equal(cst_config_ptm(&cfg, &ptm), 0);
	assert_int_equal(cst_decoder_new(&dec, &cfg), 0);
	d.only_id = 0;
	dump_packet(&d, dec, &pkt);
	dump_element(&d, dec, &g);
	dump_fragment(&d, &f[0], (const uint8_t *)"\x12");
	assert_string_equal(lines(&d), "");
	dump_fragment(&d, &f[1], (const uint8_t *)"\x12");
	assert_string_equal(lines(&d), "6          00 12\n");
	g.trace_id = 0;
	dump_element(&d, dec, &g);
	assert_string_equal(lines(&d), "0          00 * trace-on begin\n");
	cst_decoder_free(dec);
	free(d.out.buf);
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

/* Lines are written in pieces as large as the buffer; all are there at the end. */
static void test_output(void **state)
{
	enum { LINES = 1000 };
	static char text[LINES * 1001 + 2];
	char *path = strdup(temp_path(dir, "out")), *p;
	struct dump_out o = { .len = 5 };
	struct said said;
	unsigned int i;

	(void)state;
	assert_int_equal(dump_out_open(&o, path), 0);
	for (i = 0; i < LINES; i++) {
		p = dump_out_line(&o);
		assert_true(p >= o.buf && p + DUMP_LINE_MAX <= o.buf + DUMP_OUT_SIZE);
		memset(p, 'a' + (int)(i % 26), 1000);
		p[1000] = '\n';
		dump_out_done(&o, p + 1001);
	}
	assert_int_equal(dump_out_close(&o), 0);
	temp_read(path, text, sizeof(text));
	assert_int_equal(strlen(text), LINES * 1001);
	for (i = 0; i < LINES; i++)
		assert_true(text[1001 * i] == (char)('a' + i % 26) && text[1001 * i + 1000] == '\n');
	/* after an error a file is not there; what goes to a reader at once ends with the last line */
	assert_int_equal(dump_out_open(&o, temp_path(dir, "aborted")), 0);
	dump_out_done(&o, dump_str(dump_out_line(&o), "line\n"));
	dump_out_abort(&o);
	assert_int_equal(access(temp_path(dir, "aborted"), F_OK), -1);
	said_begin_of(&said, stdout);
	assert_int_equal(dump_out_open(&o, "-"), 0);
	dump_out_done(&o, dump_str(dump_out_line(&o), "line\n"));
	dump_out_abort(&o);
	assert_text("aborted", said_end(&said), "line\n");
	said_begin(&said);
	assert_int_equal(dump_out_open(&o, "/nowhere/out"), ERR_REPORTED);
	assert_text("folder", said_end(&said), "cstrace dump: /nowhere/out: cannot open it for writing: No such file or directory; choose "
		    "another place with -o\n");
	if (!access("/dev/full", W_OK)) {
		said_begin(&said);
		assert_int_equal(dump_out_open(&o, "/dev/full"), 0);
		dump_out_done(&o, dump_str(dump_out_line(&o), "line\n"));
		assert_int_equal(dump_out_close(&o), ERR_REPORTED);
		assert_text_begins("full", said_end(&said), "cstrace dump: /dev/full: cannot write it");
	}
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_losses), cmocka_unit_test(test_log_sum), cmocka_unit_test(test_levels),
		cmocka_unit_test(test_id_0), cmocka_unit_test(test_headings), cmocka_unit_test(test_parts), cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
