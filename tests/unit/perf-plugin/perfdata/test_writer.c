/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the writer writes is read back by the reader; what cannot be written is refused and leaves
 * what is there.
 */
#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/input.h"
#include "perfdata/reader.h"
#include "perfdata/writer.h"
#include "unit/perf-plugin/perfdata_open.h"

#define ST	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static char dir[64];
static char path[96];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/perfdata-out-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/out.data", dir);
	return 0;
}

static unsigned int files_in_dir(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned int n = 0;

	while ((e = readdir(d)))
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static int teardown(void **state)
{
	char cmd[96];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -r %s", dir);
	return system(cmd);
}

static void check(int rc, const struct error *err)
{
	if (rc < 0)
		fail_msg("%s", err->msg);
}

static const struct perf_event_attr branches = {
	.type = PERF_TYPE_HARDWARE,
	.size = sizeof(struct perf_event_attr),
	.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	.sample_period = 1,
	.sample_type = ST,
	.sample_id_all = 1,
};

static void sample(struct perf_writer *w, uint64_t i)
{
	uint64_t *p = pw_reserve(w, 64);
	struct perf_event_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 64 };

	memcpy(p, &h, 8);
	p[1] = 7001;
	p[2] = 0x400000 + i * 4;
	p[3] = 42 | 42ULL << 32;
	p[4] = 1000 + i;
	p[5] = 0x500000 + i * 4;
	p[6] = i & 3;
	p[7] = 1;
	pw_commit(w, 64);
}

static void write_some(const char *name, uint64_t nr, bool build_ids_late)
{
	static const char *const cmdline[] = { "perf", "record", "-e", "cs_etm//u" };
	static const uint64_t ids[2][2] = { { 7001, 7002 }, { 8001, 0 } };
	struct perf_event_attr insns = branches;
	struct error err;
	struct perf_writer *w;
	uint64_t i;

	input_forget_all();	/* of the case before */
	w = pw_open(name, &err);
	if (!w)
		fail_msg("%s", err.msg);
	insns.config = PERF_COUNT_HW_INSTRUCTIONS;
	insns.sample_type = (ST & ~(uint64_t)PERF_SAMPLE_ADDR) | PERF_SAMPLE_BRANCH_STACK;
	insns.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
				   PERF_SAMPLE_BRANCH_TYPE_SAVE;
	assert_int_equal(pw_add_attr(w, &branches, ids[0], 2, "branches", &err), 0);
	assert_int_equal(pw_add_attr(w, &insns, ids[1], 1, "instructions", &err), 1);
	pw_set_string(w, PD_FEAT_HOSTNAME, "target");
	pw_set_string(w, PD_FEAT_ARCH, "aarch64");
	pw_set_nrcpus(w, 4, 3);
	pw_set_cmdline(w, cmdline, 4);
	if (!build_ids_late)
		assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 20, "/bin/a"), 0);
	check(pw_start(w, &err), &err);
	assert_int_equal(pw_add_attr(w, &branches, ids[0], 2, "late", &err), ERR_USAGE);
	for (i = 0; i < nr; i++)
		sample(w, i);
	if (build_ids_late)
		assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 20, "/bin/a"), 0);
	assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdef", 16, "/bin/b"), 0);
	pw_set_sample_time(w, 1000, 1000 + nr - 1);
	assert_false(pw_failed(w));
	check(pw_finish(w, &err), &err);
}

static void read_back(struct perfdata *pd, uint64_t nr)
{
	const struct pd_env *env = perfdata_env(pd);
	struct pd_record r;
	uint64_t i = 0;
	int rc;

	while ((rc = perfdata_next(pd, &r))) {
		if (rc < 0)
			fail_msg("%s", perfdata_error(pd)->msg);
		if (r.ev->header.type != PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(r.attr->index, 0);
		assert_int_equal(r.sample.ip, 0x400000 + i * 4);
		assert_int_equal(r.sample.addr, 0x500000 + i * 4);
		assert_int_equal(r.sid.time, 1000 + i);
		i++;
	}
	assert_int_equal(i, nr);
	assert_int_equal(perfdata_nr_warnings(pd), 0);
	assert_int_equal(perfdata_nr_attrs(pd), 2);
	assert_int_equal(perfdata_attr(pd, 0)->file_size, 128);
	assert_string_equal(perfdata_attr(pd, 0)->name, "branches");
	assert_string_equal(perfdata_attr(pd, 1)->name, "instructions");
	assert_int_equal(perfdata_attr(pd, 0)->ids[1], 7002);
	assert_string_equal(env->hostname, "target");
	assert_string_equal(env->arch, "aarch64");
	assert_int_equal(env->nrcpus_avail, 4);
	assert_int_equal(env->nrcpus_online, 3);
	assert_int_equal(env->nr_cmdline, 4);
	assert_string_equal(env->cmdline[3], "cs_etm//u");
	assert_int_equal(env->nr_build_ids, 2);
	assert_string_equal(env->build_ids[0].filename, "/bin/a");
	assert_int_equal(env->build_ids[0].size, 20);
	assert_string_equal(env->build_ids[1].filename, "/bin/b");
	assert_int_equal(env->build_ids[1].size, 16);
	assert_int_equal(env->sample_time_last, 1000 + nr - 1);
	assert_null(env->raw[PD_FEAT_BRANCH_STACK].ptr);
	perfdata_close(pd);
}

static void test_file(void **state)
{
	static const uint64_t counts[] = { 1, 2, 4095, 4096, 4097, 100000 };
	struct error err;
	mode_t mask = umask(0);
	struct stat st;
	size_t i;

	(void)state;
	umask(mask);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct perfdata *pd;

		write_some(path, counts[i], false);
		assert_int_equal(files_in_dir(), 1);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, i ? 0600 : 0666 & ~mask);
		/* what is replaced keeps its mode */
		assert_int_equal(chmod(path, 0600), 0);
		pd = perfdata_open(path, &err);
		assert_non_null(pd);
		assert_false(perfdata_is_pipe(pd));
		read_back(pd, counts[i]);
	}
}

static struct perf_writer *begin(const char *name)
{
	static const uint64_t id = 7001;
	struct error err;
	struct perf_writer *w;

	input_forget_all();	/* of the case before */
	w = pw_open(name, &err);
	if (!w)
		fail_msg("%s", err.msg);
	assert_int_equal(pw_add_attr(w, &branches, &id, 1, "branches", &err), 0);
	check(pw_start(w, &err), &err);
	return w;
}

static void put_text(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void expect_text(const char *name, const char *text)
{
	char buf[64] = { 0 };
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	assert_int_equal(fread(buf, 1, sizeof(buf) - 1, f), strlen(text));
	assert_string_equal(buf, text);
	fclose(f);
}

static void test_bad_places(void **state)
{
	char name[128];
	struct error err;

	(void)state;
	snprintf(name, sizeof(name), "%s/no/such/out.data", dir);
	assert_null(pw_open(name, &err));
	assert_int_equal(err.code, ERR_IO);
	assert_non_null(strstr(err.msg, name));
	assert_null(pw_open(dir, &err));
	assert_non_null(strstr(err.msg, "directory"));
	/* A device is written to, not replaced. */
	write_some("/dev/null", 10, false);
	assert_int_equal(access("/dev/null", W_OK), 0);
}

/* What a machine of the other byte order says of itself is written in ours. */
static void test_copy_swapped(void **state)
{
	static const struct pdb_attr attr = { .size = 136, .sample_type = ST, .ids = { 5 }, .nr_ids = 1 };
	static const uint64_t id = 7001;
	static const char *const words[] = { "perf", "record" };
	struct pdb body[6], data = { .swap = true };
	struct pdb_feature feat[6] = {
		{ PD_FEAT_HOSTNAME, &body[0] }, { PD_FEAT_OSRELEASE, &body[1] }, { PD_FEAT_VERSION, &body[2] },
		{ PD_FEAT_ARCH, &body[3] }, { PD_FEAT_NRCPUS, &body[4] }, { PD_FEAT_CMDLINE, &body[5] },
	};
	struct perf_writer *w;
	const struct pd_env *env;
	struct perfdata *pd;
	struct error err;
	unsigned int i;

	(void)state;
	for (i = 0; i < 6; i++)
		body[i] = (struct pdb){ .swap = true };
	pdb_feat_str(&body[0], "target");
	pdb_feat_str(&body[1], "6.1");
	pdb_feat_str(&body[2], "6.2");
	pdb_feat_str(&body[3], "aarch64_be");
	pdb_u32(&body[4], 8);
	pdb_u32(&body[4], 6);
	pdb_u32(&body[5], 2);
	for (i = 0; i < 2; i++)
		pdb_feat_str(&body[5], words[i]);
	pdb_comm(&data, 9, 9, "name", ST, &(const struct pdb_sid){ .id = 5 });
	pd = pdb_open(&attr, 1, &data, feat, 6);
	assert_true(perfdata_is_swapped(pd));
	assert_int_equal(perfdata_env(pd)->nrcpus_avail, 8);
	input_forget_all();
	w = pw_open(path, &err);
	assert_non_null(w);
	assert_int_equal(pw_add_attr(w, &branches, &id, 1, "branches", &err), 0);
	pw_copy_env(w, pd);
	check(pw_start(w, &err), &err);
	sample(w, 0);
	perfdata_close(pd);
	check(pw_finish(w, &err), &err);
	pd = perfdata_open(path, &err);
	assert_non_null(pd);
	assert_false(perfdata_is_swapped(pd));
	env = perfdata_env(pd);
	assert_string_equal(env->hostname, "target");
	assert_string_equal(env->osrelease, "6.1");
	assert_string_equal(env->version, "6.2");
	assert_string_equal(env->arch, "aarch64_be");
	assert_int_equal(env->nrcpus_avail, 8);
	assert_int_equal(env->nrcpus_online, 6);
	assert_int_equal(env->nr_cmdline, 2);
	for (i = 0; i < 2; i++)
		assert_string_equal(env->cmdline[i], words[i]);
	perfdata_close(pd);
	for (i = 0; i < 6; i++)
		pdb_free(&body[i]);
}

/* Calls in an order that they do not have leave what is there. */
static void test_order(void **state)
{
	struct perf_writer *w;
	struct error err;
	char text[160];

	(void)state;
	put_text(path, "older");
	input_forget_all();
	w = pw_open(path, &err);
	assert_non_null(w);
	assert_int_equal(pw_start(w, &err), ERR_USAGE);
	snprintf(text, sizeof(text), "%s: perf.data without an event cannot be written", path);
	assert_string_equal(err.msg, text);
	assert_int_equal(pw_finish(w, &err), ERR_USAGE);
	snprintf(text, sizeof(text), "%s: finished before it was started", path);
	assert_string_equal(err.msg, text);
	expect_text(path, "older");
	assert_int_equal(files_in_dir(), 1);
	pw_abort(NULL);
}

/* Features that neither perf nor simpleperf has, and build-ids of other sizes than an ID has. */
static void test_refused_features(void **state)
{
	static const unsigned int good[] = { 1, PD_FEAT_PERF_LAST - 1, PD_FEAT_PRIVATE, PD_FEATURE_BITS - 1 };
	char name[PATH_MAX + 64];
	struct perf_writer *w;
	struct perfdata *pd;
	struct error err;
	unsigned int i;

	(void)state;
	w = begin(path);
	for (i = 0; i < 4; i++)
		pw_set_raw(w, (enum pd_feature)good[i], "12345678", 8);
	memset(name, 'x', sizeof(name));
	name[PATH_MAX] = 0;
	assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 0, "/bin/a"), ERR_USAGE);
	assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 21, "/bin/a"), ERR_USAGE);
	assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 20, name), ERR_USAGE);
	name[PATH_MAX - 1] = 0;
	assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 20, name), 0);
	sample(w, 0);	/* features are those of data */
	assert_int_equal(pw_add_build_id(w, 2, ~0u, "0123456789abcdefghij", 1, "/bin/b"), 0);
	check(pw_finish(w, &err), &err);
	pd = perfdata_open(path, &err);
	assert_non_null(pd);
	assert_int_equal(perfdata_env(pd)->nr_build_ids, 2);
	assert_string_equal(perfdata_env(pd)->build_ids[0].filename, name);
	assert_int_equal(perfdata_env(pd)->build_ids[1].size, 1);
	for (i = 0; i < 4; i++)
		assert_int_equal(perfdata_env(pd)->raw[good[i]].len, 8);
	perfdata_close(pd);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_file), TEST(test_bad_places), TEST(test_copy_swapped),
		TEST(test_order), TEST(test_refused_features),
	};

	return cmocka_run_group_tests_name("perfdata writer", tests, NULL, NULL);
}
