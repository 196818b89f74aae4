/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cmd_index.c - the index command on small recordings: what is made, and what --show prints of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/texts.h"
#include "unit/temp_dir.h"

TEMP_DIR("cmd-index")

#define TIMES 0x800u	/* TRCCONFIGR.TS */

static char out[8192], errors[4096];

/* Writes dir/name with this trace of CPU 2. */
static void write_data(const char *name, const struct pdb *trace, uint64_t configr, uint64_t flags)
{
	struct pdb data = { .p = NULL }, file = { .p = NULL };

	sb_aux_info(&data, 1, configr, 0x14);
	sb_stretch(&data, trace, 0, flags);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	temp_write(dir, name, file.p, file.len);
	pdb_free(&file);
	pdb_free(&data);
}

/* Runs the command with up to three more words. stdout is in `out`, stderr in `errors`. */
static int run(const char *name, const char *a, const char *b, const char *c)
{
	const char *argv[] = { "index", "-i", temp_path(dir, name), a, b, c, NULL };
	int argc = a ? b ? c ? 6 : 5 : 4 : 3, rc;
	static struct said listed, said;

	said_begin_of(&listed, stdout);
	said_begin(&said);
	rc = cmd_index(argc, argv);
	temp_hide(dir, said_end(&said), errors, sizeof(errors));
	temp_hide(dir, said_end(&listed), out, sizeof(out));
	return rc;
}

static void add_time(struct pdb *trace, uint8_t time)
{
	const uint8_t packet[] = { 0x02, time };	/* the lowest seven bits */

	pdb_bytes(trace, packet, sizeof(packet));
}

#define MADE(name, bytes) "cstrace index: DIR/" name ": 1 buffer, " bytes " bytes of trace\n"
#define SHOWN(format, bytes)						\
	"buffer 0, offset 0: " format ", offset 0, " bytes " bytes, indexed 0 to " bytes "\n" \
	"  1 blocks of the buffer; triggers 0, barriers 0, bad frames 0, frame synchronisations 0\n"

/* Trace without timestamps, without and with frames. */
static void without_times(void **state)
{
	static const char stream[] = "    timestamps 0, events 0, contexts 1, losses 1, trace on 1, synchronisations 1\n    context IDs 0x65\n";
	struct pdb trace = { .p = NULL }, frames = { .p = NULL };
	char want[1024];

	(void)state;
	sb_trace(&trace, SB_TID);
	sb_frames(&frames, &trace, 0x14);
	write_data("raw", &trace, SB_CONFIGR, SB_RAW);
	write_data("frames", &frames, SB_CONFIGR, 0);
	assert_int_equal(run("raw", "--show", NULL, NULL), CMD_ERROR);
	assert_text("none", errors, "cstrace index: DIR/raw.cstidx: there is no such index; without --show one is made\n");
	assert_int_equal(run("raw", NULL, NULL, NULL), CMD_OK);
	assert_text("raw", errors, MADE("raw.cstidx", "53"));
	assert_int_equal(run("raw", "--show", NULL, NULL), CMD_OK);
	snprintf(want, sizeof(want), SHOWN("raw", "53") "  trace ID 0x14: ETMv4, 53 bytes, 1 blocks of 131072 bytes\n%s", stream);
	assert_text("raw", out, want);
	assert_int_equal(run("frames", "--id=0x15", NULL, NULL), CMD_ERROR);
	assert_text("another ID", errors, "cstrace index: DIR/frames: no source has trace ID 0x15; 'perf-cstrace index' without --id takes all\n");
	assert_int_equal(run("frames", "--id=0x14", NULL, NULL), CMD_OK);
	assert_text("frames", errors, MADE("frames.cstidx", "64"));
	assert_int_equal(run("frames", "--show", NULL, NULL), CMD_OK);
	snprintf(want, sizeof(want), SHOWN("frames", "64") "  trace IDs 0x14\n"
		 "  trace ID 0x14: ETMv4, 53 bytes, 1 blocks of 131072 bytes\n%s", stream);
	assert_text("frames", out, want);
	pdb_free(&trace);
	pdb_free(&frames);
}

/* Times are those of the blocks that have some, and records are counted where they were asked for. */
static void blocks_with_times(void **state)
{
	static const char shown[] = SHOWN("raw", "2126") "  trace ID 0x14: ETMv4, 2126 bytes, 5 blocks of 512 bytes\n"
		"    timestamps 3, events 0, contexts 40, losses 1, trace on 40, synchronisations 40\n"
		"    time 90 to 101\n    context IDs 0x5 0x6\n";
	struct pdb trace = { .p = NULL };
	char want[1024], output[200];
	unsigned int i;

	(void)state;
	/* none in the first and in the last block; the earliest ones are not the first */
	for (i = 0; i < 40; i++) {
		sb_trace_at(&trace, 5 + i % 2, SB_BASE, 0);
		if (i == 14) {
			add_time(&trace, 100);
			add_time(&trace, 101);
		} else if (i == 24) {
			add_time(&trace, 90);
		}
	}
	write_data("timed", &trace, SB_CONFIGR | TIMES, SB_RAW);
	assert_int_equal(run("timed", "--granularity=512", NULL, NULL), CMD_OK);
	assert_text("timed", errors, MADE("timed.cstidx", "2126"));
	assert_int_equal(run("timed", "--show", NULL, NULL), CMD_OK);
	assert_text("timed", out, shown);
	snprintf(output, sizeof(output), "-o%s/full", dir);
	assert_int_equal(run("timed", "--granularity=512", "--full", output), CMD_OK);
	assert_text("full", errors, MADE("full", "2126"));
	assert_int_equal(run("timed", "--show", output, NULL), CMD_OK);
	snprintf(want, sizeof(want), "%s    records 124\n", shown);
	assert_text("full", out, want);
	pdb_free(&trace);
}

/* Trace IDs of all blocks of a buffer, also of those without a source. */
static void trace_ids(void **state)
{
	static const uint8_t ids[] = { 0x20, 0x50, 0x6f, 0x14 };
	struct pdb trace = { .p = NULL }, frames = { .p = NULL };
	unsigned int i, k;

	(void)state;
	for (i = 0; i < 4; i++) {
		sb_trace(&trace, SB_TID);
		for (k = 0; k < 100; k++)
			sb_frames(&frames, &trace, ids[i]);
		pdb_free(&trace);
		memset(&trace, 0, sizeof(trace));
	}
	write_data("ids", &frames, SB_CONFIGR, 0);
	assert_int_equal(run("ids", "--granularity=512", NULL, NULL), CMD_OK);
	assert_int_equal(run("ids", "--show", NULL, NULL), CMD_OK);
	if (!strstr(out, "  7 blocks of the buffer;") || !strstr(out, "\n  trace IDs 0x14 0x20 0x50 0x6f\n"))
		fail_msg("IDs: %s", out);
	pdb_free(&frames);
}

/* An index has room for 63 context IDs. */
static void many_contexts(void **state)
{
	struct pdb trace = { .p = NULL };
	char want[2048], *p = want;
	unsigned int i, n;

	(void)state;
	for (n = 62; n < 65; n++) {
		char name[20];

		for (i = 0; i < n; i++)
			sb_trace_at(&trace, 1 + i, SB_BASE, 0);
		snprintf(name, sizeof(name), "contexts%u", n);
		write_data(name, &trace, SB_CONFIGR, SB_RAW);
		assert_int_equal(run(name, NULL, NULL, NULL), CMD_OK);
		assert_int_equal(run(name, "--show", NULL, NULL), CMD_OK);
		p = want + sprintf(want, "    context IDs");
		for (i = 0; i < n && i < 63; i++)
			p += sprintf(p, " 0x%x", 1 + i);
		strcpy(p, n < 63 ? "\n" : " and perhaps others\n");
		if (!strstr(out, want))
			fail_msg("%u: no '%s' in '%s'", n, want, out);
		pdb_free(&trace);
		memset(&trace, 0, sizeof(trace));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_times),
		cmocka_unit_test(blocks_with_times),
		cmocka_unit_test(trace_ids),
		cmocka_unit_test(many_contexts),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
