/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of a recording with many processes: its first page has the short lists of info, of what was recorded and of what was lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

#define PROCESSES	20u

TEMP_DIR("cmd-report")

static struct said said;
static char page[200000];

/* One process that is decoded, and others with a map, which run where nothing is mapped. */
static void record(void)
{
	static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };
	struct pdb data = { .p = NULL }, trace = { .p = NULL }, file = { .p = NULL };
	struct pdb_sid s = sb_sid(1000);
	unsigned int i;

	sb_side_band(&data, "/program");
	sb_trace(&trace, SB_TID);
	for (i = 0; i < PROCESSES; i++) {
		pdb_comm(&data, 1000 + i, 1000 + i, "lost", SB_ST, &s);
		pdb_mmap2(&data, 1000 + i, SB_BASE, 0x1000, 0, "/program", SB_ST, &s);
		sb_trace_at(&trace, 1000 + i, 0x7000, 0);
	}
	sb_stretch(&data, &trace, 0, SB_RAW);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	temp_write(dir, "perf.data", file.p, file.len);
	temp_write(dir, "images/program", loop, sizeof(loop));
	pdb_free(&data);
	pdb_free(&trace);
	pdb_free(&file);
}

static unsigned int times(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

static void short_lists(void **state)
{
	const char *args[] = { "report", "-i", temp_path(dir, "perf.data"), "--symfs", temp_path(dir, "images"), "-o",
			       temp_path(dir, "pages"), "--jobs=1", NULL };
	const char *losses;

	(void)state;
	record();
	said_begin(&said);
	assert_int_equal(cmd_report(8, args), CMD_LOSSES);
	said_end(&said);
	temp_read(temp_path(dir, "pages/index.html"), page, sizeof(page));
	assert_int_equal(times(page, "Trace units: metadata version 1"), 1);
	assert_int_equal(times(page, "\nLosses:\n"), 1);
	losses = strstr(page, "\nLosses by process:\n");
	assert_non_null(losses);
	assert_int_equal(times(losses, "\n  process 1"), 16);
	assert_int_equal(times(losses, "\n  and 4 more (--all lists them)\n"), 1);
	*strstr(page, "\nLosses:\n") = 0;
	assert_int_equal(times(page, "\n  and 5 more (--all lists them)\n"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_lists),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
