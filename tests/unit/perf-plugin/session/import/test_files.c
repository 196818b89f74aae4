/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a snapshot or package: where they are, what is said about them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "base/files/mapped.h"
#include "session/import/folder.h"
#include "unit/perf-plugin/said.h"
#include "unit/temp_dir.h"

TEMP_DIR("files")

static void check_file(struct folder *f, const char *name, const char *want)
{
	const uint8_t *data, *again;
	size_t len;

	assert_int_equal(folder_open(f, name, &data, &len), 0);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(data, want, len);
	assert_int_equal(folder_open(f, name, &again, &len), 0);
	assert_ptr_equal(again, data);
	assert_int_equal(len, strlen(want));
}

static void check_no_file(struct folder *f, const char *name, const char *why)
{
	const uint8_t *data;
	size_t len;

	assert_int_equal(folder_open(f, name, &data, &len), ERR_IO);
	assert_string_equal(folder_why(f), why);
}

/* Files are mapped once. Those that were added come before those of the folder. */
static void files(void **state)
{
	struct folder f = { .dir = dir };
	char name[32], text[32], *path;
	const uint8_t *first, *last;
	unsigned int i, round;
	uint64_t offset;
	size_t len;

	(void)state;
	temp_write(dir, "a", "text", 4);
	temp_write(dir, "b", "other", 5);
	temp_write(dir, "sub/c", "below", 5);
	temp_write(dir, "sub/back\\slash", "named so", 8);
	check_file(&f, "a", "text");
	check_file(&f, "b", "other");
	check_file(&f, "sub/c", "below");
	check_file(&f, "sub\\c", "below");
	check_file(&f, "sub/back\\slash", "named so");
	check_no_file(&f, "sub\\d", strerror(ENOENT));
	check_no_file(&f, "sub", strerror(EISDIR));
	/* a name with a backslash is of a folder only if nothing else has it, whatever was not found before */
	temp_write(dir, "sub\\folder/file", "", 0);
	temp_write(dir, "sub/folder", "below", 5);
	check_no_file(&f, "sub\\folder", strerror(EISDIR));
	check_no_file(&f, "sub/nowhere", strerror(ENOENT));
	check_no_file(&f, "sub\\folder", strerror(EISDIR));
	assert_int_equal(f.nr, 5);
	/* in memory, and elsewhere */
	folder_add_data(&f, "b", strdup("in memory"), 6);
	folder_add_path(&f, "d", temp_path(dir, "a"));
	folder_add_path(&f, "e\\f", temp_path(dir, "nowhere"));
	check_file(&f, "b", "in mem");
	check_file(&f, "d", "text");
	check_no_file(&f, "e\\f", strerror(ENOENT));
	assert_int_equal(f.nr, 6);
	path = folder_path(&f, "d");
	assert_string_equal(path, temp_path(dir, "a"));
	free(path);
	path = folder_path(&f, "sub/../a");
	assert_string_equal(path, temp_path(dir, "a"));
	free(path);
	path = folder_path(&f, "sub/../nowhere");
	assert_string_equal(path, temp_path(dir, "nowhere"));
	free(path);
	/* more names than the table has room for at first */
	for (round = 0; round < 2; round++)
		for (i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "many/%u", i);
			snprintf(text, sizeof(text), "file %u", i);
			if (!round)
				temp_write(dir, name, text, strlen(text));
			check_file(&f, name, text);
			assert_int_equal(f.nr, 6 + (round ? 100 : i + 1));
			assert_true(2 * f.nr <= f.nr_slots);
			if (!round)
				assert_int_equal(f.nr_slots, f.nr <= 32 ? 64 : f.nr <= 64 ? 128 : 256);
		}
	assert_int_equal(folder_open(&f, "sub/c", &first, &len), 0);
	assert_int_equal(folder_open(&f, "many/99", &last, &len), 0);
	assert_non_null(mapped_name_at(first, &offset));
	folder_free(&f);
	assert_null(mapped_name_at(first, &offset));
	assert_null(mapped_name_at(last, &offset));
}

/* Names and links that lead out of the folder are refused. */
static void check_inside(bool package)
{
	static const char refused[] = "not inside the folder, or not readable";
	struct folder f = { .dir = temp_path(dir, "sub"), .package = package };
	char inside[200];

	snprintf(inside, sizeof(inside), "%s", f.dir);
	f.dir = inside;
	check_file(&f, "c", "below");
	check_no_file(&f, "../a", refused);
	check_no_file(&f, "..\\a", refused);
	check_no_file(&f, "none/../../a", refused);
	/* in a snapshot the folder is the root of names */
	check_no_file(&f, "/a", package ? refused : strerror(ENOENT));
	check_no_file(&f, "a", strerror(ENOENT));
	check_file(&f, "near", "below");
	check_no_file(&f, "link", refused);
	check_no_file(&f, "up", refused);
	folder_free(&f);
}

static void files_inside(void **state)
{
	(void)state;
	assert_int_equal(symlink(temp_path(dir, "a"), temp_path(dir, "sub/link")), 0);
	assert_int_equal(symlink("../a", temp_path(dir, "sub/up")), 0);
	assert_int_equal(symlink("c", temp_path(dir, "sub/near")), 0);
	check_inside(true);
	check_inside(false);
}

/* What a reader says about a file, with what the system said if it could not be read. */
static void notes(void **state)
{
	struct folder f = { .dir = "dir\n", .who = "cstrace test", .error = ENOENT };
	const struct {
		struct cst_snap_note note;
		const char *want;
	} cases[] = {
		{ { .file = "a.ini", .text = "is odd" }, "cstrace test: dir\\x0a/a.ini: is odd\n" },
		{ { .file = "a.ini", .text = "is odd", .line = 7 }, "cstrace test: dir\\x0a/a.ini:7: is odd\n" },
		{ { .file = "a\t", .text = "is\001", .line = 1, .section = "s\002", .item = "i\003", .other = "o\004" },
		  "cstrace test: dir\\x0a/a\\x09:1: [s\\x02] i\\x03: is\\x01 (o\\x04)\n" },
		{ { .file = "a", .text = "b", .section = "", .item = "", .other = "" }, "cstrace test: dir\\x0a/a: b\n" },
		{ { .file = "a", .text = "b", .error = -CST_ERR_IO }, "cstrace test: dir\\x0a/a: b (No such file or directory)\n" },
		{ { .file = "a", .text = "b", .error = -CST_ERR_INVAL }, "cstrace test: dir\\x0a/a: b\n" },
	};
	struct said said;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f.error = ENOENT;
		said_begin(&said);
		folder_note(&f, &cases[i].note);
		assert_string_equal(said_end(&said), cases[i].want);
		assert_int_equal(f.error, 0);
	}
	said_begin(&said);
	folder_note(&f, &cases[4].note);
	assert_string_equal(said_end(&said), "cstrace test: dir\\x0a/a: b\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files), cmocka_unit_test(files_inside), cmocka_unit_test(notes),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
