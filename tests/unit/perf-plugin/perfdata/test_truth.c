/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of recorders: every record of them is delivered, in the numbers that perf counts. Skipped
 * where the files are not there.
 */
#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "parts.h"
#include "perfdata/auxinfo.h"
#include "perfdata/decode.h"
#include "perfdata/reader.h"

#define MAX_TYPES	128

static const struct {
	uint32_t type;
	const char *name;	/* as perf report --stats calls it */
} names[] = {
	{ PERF_RECORD_MMAP, "MMAP" }, { PERF_RECORD_LOST, "LOST" }, { PERF_RECORD_COMM, "COMM" },
	{ PERF_RECORD_EXIT, "EXIT" }, { PERF_RECORD_FORK, "FORK" }, { PERF_RECORD_SAMPLE, "SAMPLE" },
	{ PERF_RECORD_MMAP2, "MMAP2" }, { PERF_RECORD_AUX, "AUX" },
	{ PERF_RECORD_ITRACE_START, "ITRACE_START" }, { PERF_RECORD_SWITCH, "SWITCH" },
	{ PERF_RECORD_SWITCH_CPU_WIDE, "SWITCH_CPU_WIDE" }, { PERF_RECORD_TEXT_POKE, "TEXT_POKE" },
	{ PERF_RECORD_AUX_OUTPUT_HW_ID, "AUX_OUTPUT_HW_ID" },
	{ PERF_RECORD_FINISHED_ROUND, "FINISHED_ROUND" }, { PERF_RECORD_ID_INDEX, "ID_INDEX" },
	{ PERF_RECORD_AUXTRACE_INFO, "AUXTRACE_INFO" }, { PERF_RECORD_AUXTRACE, "AUXTRACE" },
	{ PERF_RECORD_TIME_CONV, "TIME_CONV" },
};

static const char *shared(void)
{
	const char *s = getenv("CSTRACE_SHARED");

	return s ? s : "../shared";
}

struct counts {
	uint64_t by_type[MAX_TYPES];
	unsigned int info_cpus;
};

static void count_record(struct perfdata *pd, const struct pd_record *r, struct counts *c)
{
	const uint32_t type = r->ev->header.type;
	struct pd_time_conv tc;
	struct auxinfo info;
	struct error err;

	assert_true(r->known);
	assert_true(type < MAX_TYPES);
	c->by_type[type]++;
	if (type < 64)
		assert_true(r->sid.valid & PERF_SAMPLE_TID);
	if (type == PERF_RECORD_AUXTRACE)
		assert_int_equal(r->aux.size, r->aux.avail);
	if (type == PERF_RECORD_AUXTRACE_INFO) {
		if (auxinfo_parse(&info, &r->ev->auxtrace_info, r->ev->header.size, "f", 0, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(info.missing, 0);
		c->info_cpus = info.nr_cpu;
		assert_int_equal(info.pmu_type, perfdata_attr(pd, 0)->attr.type);
		auxinfo_free(&info);
	}
	if (type == PERF_RECORD_TIME_CONV) {
		pd_time_conv_parse(&tc, r);
		/* One tick is one nanosecond from 10^9 on in these files. */
		assert_int_equal(pd_ticks_to_ns(&tc, 12345), 1000012345);
		assert_int_equal(pd_ns_to_ticks(&tc, 1000012345), 12345);
	}
}

static void read_file(const char *path, struct counts *c)
{
	struct error err;
	struct perfdata *pd = perfdata_open(path, &err);
	struct pd_record r;
	int rc;

	if (!pd)
		fail_msg("%s", err.msg);
	memset(c, 0, sizeof(*c));
	while ((rc = perfdata_next(pd, &r)) > 0)
		count_record(pd, &r, c);
	if (rc < 0)
		fail_msg("%s", perfdata_error(pd)->msg);
	assert_int_equal(perfdata_stats(pd)->bad_records, 0);
	assert_int_equal(perfdata_stats(pd)->lost_bytes, 0);
	assert_int_equal(perfdata_stats(pd)->unknown_ids, 0);
	assert_int_equal(perfdata_nr_warnings(pd), 0);
	perfdata_close(pd);
}

/* The same numbers as perf; both ways, so that nothing is added either. */
static void compare_with_perf(const char *path, const struct counts *c)
{
	uint64_t theirs[MAX_TYPES] = { 0 };
	char cmd[640], line[256], name[64];
	uint64_t n;
	size_t i;
	FILE *p;

	snprintf(cmd, sizeof(cmd), "perf report --stats --no-itrace -i '%s' 2>/dev/null </dev/null", path);
	p = popen(cmd, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		if (sscanf(line, " %63s events: %" SCNu64, name, &n) != 2)
			continue;
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(names[i].name, name))
				theirs[names[i].type] = n;
	}
	assert_int_equal(pclose(p), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (theirs[names[i].type] != c->by_type[names[i].type])
			fail_msg("%s: %s: perf has %" PRIu64 ", found %" PRIu64, path, names[i].name,
				 theirs[names[i].type], c->by_type[names[i].type]);
}

static void test_truth(void **state)
{
	char path[512];
	struct dirent *e;
	struct counts c;
	bool perf = system("perf version >/dev/null 2>&1") == 0;
	unsigned int sets = 0;
	DIR *d;

	(void)state;
	snprintf(path, sizeof(path), "%s/truth", shared());
	d = opendir(path);
	if (!d)
		skip();
	while ((e = readdir(d))) {
		if (snprintf(path, sizeof(path), "%s/truth/%s/perf.data", shared(), e->d_name) >=
		    (int)sizeof(path))
			continue;
		if (e->d_name[0] == '.' || access(path, R_OK))
			continue;
		read_file(path, &c);
		assert_true(c.by_type[PERF_RECORD_AUXTRACE] > 0 && c.info_cpus > 0);
		if (perf)
			compare_with_perf(path, &c);
		sets++;
	}
	closedir(d);
	assert_true(sets >= 26);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_truth) };

	return cmocka_run_group_tests_name("perfdata of recorders", tests, NULL, NULL);
}
