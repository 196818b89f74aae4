/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inputs of sums: what a file is that is no count file, errors with their places, descriptors, weights and lists of names; and
 * sums without memory.
 */
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

#include "counting/countfiles/count_input.h"
#include "counting/countfiles/merge.h"
#include "base/files/input.h"
#include "unit/failing_alloc.h"
#include "unit/countfile_build.h"
#include "unit/temp_dir.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Reads give one byte each, as those of a pipe may, and a signal interrupts the first one. */
static bool slow, interrupted;

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (interrupted) {
		interrupted = false;
		errno = EINTR;
		return -1;
	}
	return __real_read(fd, buf, slow && size ? 1 : size);
}

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

/* Reads a file to its end, or to an error. Returns that, with its message. */
static int read_file(const char *path, struct error *err)
{
	struct cst_count_record rec;
	struct count_input in;
	int fd = next_fd(), rc = count_input_open(&in, path, err);

	if (!rc) {
		while ((rc = cst_count_read(in.reader, &rec)) > 0)
			;
		if (rc)
			rc = count_input_fail(&in, rc, err);
		count_input_close(&in);
		assert_null(in.reader);
	}
	assert_int_equal(next_fd(), fd);
	return rc;
}

#define KIND(text, what)	{ text, sizeof(text) - 1, what }

/* Files that are none, by all of their first bytes. */
static void kinds(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *is;
	} row[] = {
		KIND("PERFILE2", "is a recording (perf.data); count it first"),
		KIND("2ELIFREP", "is a recording (perf.data) of a host of the other byte order; count it first"),
		KIND("CSTIDX", "is an index of a trace, which has no counts"), KIND("\x1f\x8b", "is packed by gzip; unpack it first (gunzip)"),
		KIND("\x28\xb5\x2f\xfd", "is packed by zstd; unpack it first (unzstd)"), KIND("\xfd" "7zXZ", "is packed by xz; unpack it first (unxz)"),
		KIND("\x7f" "ELF", "is a program; name count files"),
	};
	static const char *const none = "is no count file; name files that 'perf-cstrace profile --format=cstrace' wrote";
	char bytes[40], want[256];
	struct error err;
	const char *path;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(row); i++) {
		memset(bytes, 'x', sizeof(bytes));
		memcpy(bytes, row[i].bytes, row[i].len);
		path = put("kind", bytes, sizeof(bytes));
		assert_int_equal(read_file(path, &err), ERR_FORMAT);
		snprintf(want, sizeof(want), "%s: %s", path, row[i].is);
		err.msg[strlen(want)] = 0;
		assert_string_equal(err.msg, want);
		slow = interrupted = true;
		assert_int_equal(read_file(put("kind", bytes, row[i].len), &err), ERR_FORMAT);
		assert_false(interrupted);
		slow = false;
		assert_non_null(strstr(err.msg, row[i].is));
		/* the last byte counts */
		bytes[row[i].len - 1] ^= 1;
		assert_int_equal(read_file(put("kind", bytes, sizeof(bytes)), &err), ERR_FORMAT);
		snprintf(want, sizeof(want), "%s: %s", path, none);
		assert_string_equal(err.msg, want);
		assert_int_equal(read_file(put("kind", bytes, row[i].len - 1), &err), ERR_FORMAT);
		assert_string_equal(err.msg, want);
	}
}

/* Errors name the file and the place, and what was expected there. */
static void places(void **state)
{
	struct bytes b = random_file(5, 6, 50);
	struct count_input in;
	struct error err;
	char want[512];
	const char *path;
	uint8_t byte;
	int fd;

	(void)state;
	byte = b.p[8];
	b.p[8] = 2;
	b.p[9] ^= 1;
	path = put("bad", b.p, b.len);
	assert_int_equal(read_file(path, &err), -CST_ERR_VERSION);
	snprintf(want, sizeof(want), "%s: offset 8: version %u of the format, expected %u; take a perf-cstrace that reads it, or count the "
		 "recording again with this one", path, 0x102, CST_COUNT_VERSION);
	assert_string_equal(err.msg, want);
	b.p[8] = byte;
	b.p[9] ^= 1;
	assert_int_equal(read_file(put("bad", b.p, b.len), &err), 0);
	assert_int_equal(read_file(put("bad", b.p, b.len - 1), &err), -CST_ERR_INCOMPLETE);
	snprintf(want, sizeof(want), "%s: offset %zu: the file ends inside its end mark; its copy or its making was interrupted: copy it "
		 "again, or make it again", path, b.len - 1);
	assert_string_equal(err.msg, want);
	b.p[b.len / 2] ^= 1;
	assert_int_equal(read_file(put("bad", b.p, b.len), &err), -CST_ERR_DAMAGED);
	assert_non_null(strstr(err.msg, ": damaged: "));
	bytes_free(&b);
	/* what the system refuses */
	fd = open(dir, O_RDONLY);
	assert_int_equal(count_input_fd(&in, fd, "folder", &err), 0);
	assert_int_equal(count_input_fail(&in, cst_count_read(in.reader, &(struct cst_count_record){ 0 }), &err), ERR_IO);
	assert_string_equal(err.msg, "folder: offset 0: cannot be read: Is a directory");
	assert_int_equal(err.code, ERR_IO);
	assert_int_equal(count_input_fail(&in, ERR_NOMEM, &err), ERR_NOMEM);
	assert_string_equal(err.msg, "folder: offset 0: out of memory");
	count_input_close(&in);
	/* it is the caller's */
	assert_int_equal(close(fd), 0);
}

static void not_opened(void **state)
{
	struct error err;
	char want[256];

	(void)state;
	assert_int_equal(read_file(dir, &err), ERR_USAGE);
	snprintf(want, sizeof(want), "%s: is a folder; name the count files in it, as %s/*.cst", dir, dir);
	assert_string_equal(err.msg, want);
	assert_int_equal(read_file("/dev/null", &err), ERR_USAGE);
	assert_string_equal(err.msg, "/dev/null: is neither a file nor a pipe; name a count file");
	assert_int_equal(read_file("/nonexistent/x.cst", &err), ERR_IO);
	assert_string_equal(err.msg, "/nonexistent/x.cst: cannot be opened: No such file or directory");
}

static void recognised(void **state)
{
	static const char mark[] = CST_COUNT_MARK "......";
	size_t len;

	(void)state;
	for (len = 0; len < sizeof(mark); len++) {
		assert_int_equal(count_file_begins(mark, len), len >= sizeof(CST_COUNT_MARK) - 1);
		assert_int_equal(count_file_is(put("mark", mark, len)), len >= sizeof(CST_COUNT_MARK) - 1);
	}
	assert_false(count_file_begins("x" CST_COUNT_MARK, sizeof(CST_COUNT_MARK)));
	assert_false(count_file_is(dir));
	assert_false(count_file_is("/nonexistent/x.cst"));
}

static void weights(void **state)
{
	static const struct {
		const char *text, *path;	/* path NULL: refused */
		uint64_t weight;
	} row[] = {
		{ "a.cst", "a.cst", 1 }, { "7,a.cst", "a.cst", 7 }, { "10,a", "a", 10 }, { "007,a", "a", 7 }, { "./7,a", "./7,a", 1 }, { ",a", ",a", 1 },
		{ "7a,b", "7a,b", 1 }, { "7", "7", 1 }, { "2,3,a", "3,a", 2 }, { "18446744073709551615,a", "a", UINT64_MAX },
		{ "18446744073709551616,a", NULL, 0 }, { "99999999999999999999,a", NULL, 0 }, { "0,a", NULL, 0 }, { "7,", NULL, 0 }, { "", NULL, 0 },
	};
	struct merge_list list = { .v = NULL };
	size_t i, n = 0;
	int rc;

	(void)state;
	for (i = 0; i < COUNT(row); i++) {
		rc = merge_list_add_text(&list, row[i].text, strlen(row[i].text));
		assert_int_equal(rc, row[i].path ? 0 : ERR_USAGE);
		n += row[i].path != NULL;
		assert_int_equal(list.nr, n);
		if (rc)
			continue;
		assert_string_equal(list.v[n - 1].path, row[i].path);
		assert_true(list.v[n - 1].weight == row[i].weight);
	}
	merge_list_free(&list);
}

static void lists(void **state)
{
	static const char good[] = "# two\n\na.cst\r\n3,b.cst\n\n#c.cst\nd.cst", zero[] = "a\n\nb\0c\nd\n", bad[] = "\n#\n0,a\nb\n";
	struct merge_list list = { .v = NULL };
	struct error err;
	const char *path;
	char want[256];
	int fd = next_fd();

	(void)state;
	path = put("list", good, sizeof(good) - 1);
	assert_int_equal(merge_list_read(&list, path, &err), 0);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.v[0].path, "a.cst");
	assert_string_equal(list.v[1].path, "b.cst");
	assert_string_equal(list.v[2].path, "d.cst");
	assert_true(list.v[0].weight == 1 && list.v[1].weight == 3 && list.v[2].weight == 1);
	assert_int_equal(merge_list_read(&list, put("list", zero, sizeof(zero) - 1), &err), ERR_USAGE);
	snprintf(want, sizeof(want), "%s: line 3: has a byte 0; expected a text with the name of a file in each line", path);
	assert_string_equal(err.msg, want);
	assert_int_equal(merge_list_read(&list, put("list", bad, sizeof(bad) - 1), &err), ERR_USAGE);
	snprintf(want, sizeof(want), "%s: line 3: '0,a' is not understood; expected FILE or WEIGHT,FILE with a weight from 1 to "
		 "18446744073709551615", path);
	assert_string_equal(err.msg, want);
	assert_int_equal(merge_list_read(&list, "/nonexistent/list", &err), ERR_IO);
	assert_string_equal(err.msg, "/nonexistent/list: cannot be opened: No such file or directory");
	assert_int_equal(merge_list_read(&list, dir, &err), ERR_IO);
	snprintf(want, sizeof(want), "%s: cannot be read: Is a directory", dir);
	assert_string_equal(err.msg, want);
	/* what precedes a wrong line is in the list */
	assert_int_equal(list.nr, 4);
	assert_int_equal(next_fd(), fd);
	merge_list_free(&list);
	list = (struct merge_list){ .v = NULL };
	path = put("list", good, sizeof(good) - 1);
	failing = 1;
	assert_int_equal(merge_list_read(&list, path, &err), ERR_NOMEM);
	snprintf(want, sizeof(want), "%s: line 3: out of memory", path);
	assert_string_equal(err.msg, want);
	merge_list_free(&list);
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

static int ignore(void *data, const struct cst_count_record *rec)
{
	(void)data;
	(void)rec;
	return 0;
}

/* An error that is not that of an input names none. */
static void no_input_failed(void **state)
{
	struct cst_count_input in = { .weight = 1 };
	size_t failed = 0;

	(void)state;
	failing = 1;
	assert_int_equal(cst_count_merge(&in, 1, ignore, NULL, &failed, NULL, 0), -CST_ERR_NOMEM);
	assert_int_equal(failed, 1);
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
		assert_int_equal(merge_list_add(list, path, strlen(path), 1), 0);
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

/* In groups of groups, an input without counts has its own name, and a contradiction that of the inputs whose sum has it. */
static void names_in_groups(void **state)
{
#define GROUPED	7
	static const struct {
		uint16_t machines[GROUPED];
		const char *names;	/* @: the folder */
	} row[] = {
		{ { 1, 1, 1, 1, 1, 2, 1 }, "@/5.cst" }, { { 1, 1, 1, 1, 1, 1, 2 }, "@/6.cst" }, { { 1, 1, 2, 2, 1, 1, 1 }, "inputs 3 to 4, @/2.cst to @/3.cst" },
		{ { 1, 1, 1, 1, 2, 2, 2 }, "inputs 5 to 7, @/4.cst to @/6.cst" }, { { 1, 2, 1, 1, 1, 1, 1 }, "@/1.cst" },
	};
	static const uint16_t empty[GROUPED] = { 1, 1, 1, 1, 1, 0, 0 }, none[GROUPED] = { 1, 1, 1, 1, 1, 1, 1 };
	struct merge_list list;
	struct merge_sums sums;
	char output[128], want[512], *p;
	const char *from;
	struct rlimit limit = few_descriptors();
	struct error err;
	size_t i;

	(void)state;
	setenv("TMPDIR", dir, 1);
	snprintf(output, sizeof(output), "%s/sum", dir);
	for (i = 0; i < COUNT(row); i++) {
		list_of(&list, row[i].machines, GROUPED, "", "/bin/a");
		assert_int_equal(sum_of(&list, output, &sums, &err), -CST_ERR_CONFLICT);
		for (p = want, from = row[i].names; *from; from++)
			p += *from == '@' ? sprintf(p, "%s", dir) : sprintf(p, "%c", *from);
		strcpy(p, ": contradicts other inputs about the binary /bin/a: another machine, type, segments or instructions under the same "
		       "id; leave out the one that is wrong");
		assert_string_equal(err.msg, want);
		merge_sums_free(&sums);
		merge_list_free(&list);
	}
	list_of(&list, empty, GROUPED, "", "/bin/a");
	assert_int_equal(sum_of(&list, output, &sums, &err), 0);
	assert_int_equal(sums.empty, 2);
	snprintf(want, sizeof(want), "%s/5.cst", dir);
	assert_string_equal(sums.first_empty, want);
	assert_int_equal(sums.binaries, 1);
	merge_sums_free(&sums);
	merge_list_free(&list);
	list_of(&list, none, GROUPED, "", "/bin/a");
	assert_int_equal(sum_of(&list, output, &sums, &err), 0);
	assert_int_equal(sums.empty, 0);
	assert_null(sums.first_empty);
	merge_sums_free(&sums);
	merge_list_free(&list);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
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
		assert_int_equal(merge_list_add(&list, path, strlen(path), 1), 0);
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
		cmocka_unit_test(kinds), cmocka_unit_test(places), cmocka_unit_test(not_opened), cmocka_unit_test(recognised),
		cmocka_unit_test(weights), cmocka_unit_test(lists), cmocka_unit_test(no_memory), cmocka_unit_test(no_input_failed),
		cmocka_unit_test(names_in_groups), cmocka_unit_test(long_names), cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests_name("inputs of sums", tests, make_dir, remove_dir);
}
