/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of count files: no memory, no room, long names. cli/merge has what is refused. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "counting/countfiles/merge.h"
#include "base/files/input.h"
#include "unit/countfile_build.h"
#include "unit/temp_dir.h"

TEMP_DIR("countfiles")

static const char *put(const char *name, const void *bytes, size_t len)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
	return path;
}

/* The number that the next descriptor gets: one more for each that is left open. */
static int next_fd(void)
{
	int fd = open("/dev/null", O_RDONLY);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

#define FILES	5

static int sum_of(const struct merge_list *list, const char *output, struct merge_sums *sums, struct error *err)
{
	int fd = next_fd(), rc;

	input_forget_all();
	*err = (struct error){ .code = 0 };
	rc = merge_files(list, output, sums, err);
	assert_int_equal(next_fd(), fd);
	return rc;
}

static void check_sum(const char *path, const struct bytes *want)
{
	FILE *f = fopen(path, "r");
	uint8_t *got = malloc(want->len + 1);

	assert_non_null(f);
	assert_int_equal(fread(got, 1, want->len + 1, f), want->len);
	assert_memory_equal(got, want->p, want->len);
	free(got);
	fclose(f);
}

/* Without memory for any one allocation there is an error, and no output. The files are added in groups of groups. */
static void no_memory(void **state)
{
	struct rlimit limit, few;
	struct merge_list list = { .v = NULL };
	struct merge_sums sums;
	char output[128], name[16];
	struct error err;
	size_t which, left, i;
	struct bytes want, files[FILES];
	const uint64_t weights[FILES] = { 1, 2, 3, 4, 5 };
	uint64_t empty = 0;
	size_t failed;
	unsigned int groups;
	int rc;

	(void)state;
	for (i = 0; i < FILES; i++) {
		const char *path;

		files[i] = random_file(5, (uint32_t)i, 10);
		snprintf(name, sizeof(name), "%zu.cst", i);
		path = put(name, files[i].p, files[i].len);
		assert_int_equal(merge_list_add(&list, path, strlen(path), weights[i]), 0);
	}
	assert_int_equal(merge(files, weights, FILES, &want, NULL, NULL, 0), 0);
	snprintf(output, sizeof(output), "%s/sum", dir);
	setenv("TMPDIR", dir, 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (groups = 0; groups < 2; groups++) {
		few = limit;
		few.rlim_cur = groups ? 28 : limit.rlim_cur;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		for (which = 1, left = failed = 0; !left; which++) {
			failing = which;
			rc = sum_of(&list, output, &sums, &err);
			left = failing;
			failing = 0;
			/* the output has a message of the system's, and can be made in two ways */
			if (rc && rc != ERR_NOMEM && rc != ERR_IO)
				fail_msg("allocation %zu fails, and the result is %d, %s", which, rc, err.msg);
			if (rc && !strstr(err.msg, "out of memory") && !strstr(err.msg, strerror(ENOMEM)))
				fail_msg("allocation %zu fails with the message: %s", which, err.msg);
			assert_int_equal(access(output, F_OK), rc ? -1 : 0);
			if (!rc) {
				check_sum(output, &want);
				assert_int_equal(unlink(output), 0);
			}
			failed += rc != 0;
			empty = sums.empty;
			merge_sums_free(&sums);
			assert_true(which < 3000);
		}
		assert_int_equal(rc, 0);
		assert_int_equal(empty, 1);
		/* all but one of the output's, and the name of an input without counts */
		if (failed <= (groups ? 40 : 10) || failed + 4 < which)
			fail_msg("%u: %zu of %zu allocations that fail are errors", groups, failed, which - 2);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	merge_list_free(&list);
	bytes_free(&want);
	for (i = 0; i < FILES; i++)
		bytes_free(&files[i]);
}

/* A list of files of one binary each, which has this machine in each; 0: the file is empty. The names have `prefix`. */
static void list_of(struct merge_list *list, const uint16_t *machines, size_t n, const char *prefix, const char *binary)
{
	struct cst_count_record rec[2] = { { .kind = CST_COUNT_BINARY }, { .kind = CST_COUNT_ENTRY, .entry = { .offset = 8, .count = 3 } } };
	struct bytes b;
	char path[512];
	size_t i;

	*list = (struct merge_list){ .v = NULL };
	for (i = 0; i < n; i++) {
		rec[0].binary = (struct cst_count_binary){ .id_len = 1, .id = { 7 }, .machine = machines[i], .name = binary };
		b = file_of(rec, machines[i] ? 2 : 0);
		snprintf(path, sizeof(path), "%zu.cst", i);
		put(path, b.p, b.len);
		snprintf(path, sizeof(path), "%s%s/%zu.cst", dir, prefix, i);
		merge_list_add(list, path, strlen(path), 1);
		bytes_free(&b);
	}
}

/* With the fewest descriptors: files are added by two, those sums by two, and these. Returns the limit of before. */
static struct rlimit few_descriptors(void)
{
	struct rlimit limit, few;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = 28;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	return limit;
}

/* Of long names, messages have the begin. */
static void long_names(void **state)
{
	static const uint16_t machines[] = { 1, 2 };
	static char prefix[301], binary[300];
	struct merge_list list;
	struct merge_sums sums;
	static const char end[] = ": another machine, type, segments or instructions under the same id; leave out the one that is wrong";
	char output[128];
	struct error err;
	size_t i;

	(void)state;
	for (i = 0; i + 1 < sizeof(prefix); i += 2)
		memcpy(prefix + i, "/.", 2);
	memset(binary, 'b', sizeof(binary) - 1);
	snprintf(output, sizeof(output), "%s/sum", dir);
	list_of(&list, machines, 2, prefix, binary);
	assert_int_equal(sum_of(&list, output, &sums, &err), -CST_ERR_CONFLICT);
	/* names of both ends of the message, whose middle is left out, and the reason */
	assert_memory_equal(err.msg, list.v[1].path, 200);
	assert_true(strlen(err.msg) > 400 && strstr(err.msg, " ... "));
	assert_string_equal(err.msg + strlen(err.msg) - strlen(end), end);
	merge_sums_free(&sums);
	merge_list_free(&list);
}

/* A part of the sum, or the sum, that cannot be written. */
static void no_room(void **state)
{
	struct rlimit limit, small, few;
	struct merge_list list = { .v = NULL };
	struct merge_sums sums;
	char output[128], name[16], want[256];
	struct error err;
	unsigned int i, groups;

	(void)state;
	setenv("TMPDIR", dir, 1);
	snprintf(output, sizeof(output), "%s/sum", dir);
	for (i = 0; i < FILES; i++) {
		struct bytes b = random_file(5, i, 2000);
		const char *path;

		snprintf(name, sizeof(name), "%u.cst", i);
		path = put(name, b.p, b.len);
		merge_list_add(&list, path, strlen(path), 1);
		bytes_free(&b);
	}
	unlink(output);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 1000;
	for (groups = 0; groups < 2; groups++) {
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		if (groups)
			few = few_descriptors();
		assert_int_equal(sum_of(&list, output, &sums, &err), ERR_IO);
		if (groups)
			assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		if (groups)
			snprintf(want, sizeof(want), "cannot write a temporary file: File too large; set TMPDIR to a folder with more room");
		else
			snprintf(want, sizeof(want), "%s: cannot write it after 16 bytes: File too large; nothing was left under that name by this run", output);
		assert_string_equal(err.msg, want);
		assert_int_equal(access(output, F_OK), -1);
		merge_sums_free(&sums);
	}
	signal(SIGXFSZ, SIG_DFL);
	merge_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_memory),
		cmocka_unit_test(long_names), cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests_name("inputs of sums", tests, make_dir, remove_dir);
}
