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
		cmocka_unit_test(long_names), cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests_name("inputs of sums", tests, make_dir, remove_dir);
}
