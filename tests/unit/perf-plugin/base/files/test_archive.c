/* SPDX-License-Identifier: BSD-3-Clause */
/* Zip archives: which members a program can have mapped, members opened as files, and directories that are damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/archive.h"
#include "base/files/input.h"
#include "zip_w.h"
#include "unit/temp_dir.h"

TEMP_DIR("archive")

#define LIB	5000u	/* bytes of a library: a page and a part */

static uint8_t lib[LIB];

static const struct zipw_member members[] = {
	{ .name = "manifest", .p = (const uint8_t *)"packed", .len = 6, .compressed = 1 },
	{ .name = "lib/a.so", .p = lib, .len = LIB, .align = 4096 },
	{ .name = "lib/packed.so", .p = lib, .len = LIB, .align = 4096, .compressed = 1 },
	{ .name = "lib/odd.so", .p = lib, .len = LIB, .align = 1024 },
	{ .name = "empty", .p = lib, .align = 4096 },
	{ .name = "lib/b.so", .p = lib + 1, .len = LIB - 1, .align = 16384 },
};

#define NR (sizeof(members) / sizeof(members[0]))

/* Makes the archive; made[i].at is the place of its member i. */
static struct gbuf archive(struct zipw_member made[NR], int zip64)
{
	struct gbuf b = { 0 };
	size_t i;

	for (i = 0; i < LIB; i++)
		lib[i] = (uint8_t)(i * 7);
	memcpy(made, members, sizeof(members));
	zipw_write(&b, made, NR, zip64);
	return b;
}

/* Only what is stored as it is, and at a multiple of a page, can have been mapped. */
static void what_can_be_mapped(void **state)
{
	static const bool mappable[NR] = { false, true, false, false, false, true };
	struct zipw_member made[NR];
	const struct archive_member *m;
	struct archive a;
	struct gbuf b;
	size_t i;
	int zip64;

	(void)state;
	for (zip64 = 0; zip64 < 2; zip64++) {
		b = archive(made, zip64);
		assert_int_equal(archive_read(&a, b.p, b.len), 0);
		assert_int_equal(a.nr, NR - 1);
		for (i = 0; i < NR; i++) {
			m = archive_find(&a, members[i].name);
			assert_int_equal(m != NULL, members[i].len != 0);
			if (!m)
				continue;
			assert_int_equal(m->start, made[i].at);
			assert_int_equal(m->size, members[i].len);
			assert_int_equal(m->mappable, mappable[i]);
			assert_ptr_equal(archive_at(&a, m->start), m);
			assert_ptr_equal(archive_at(&a, m->start + m->size - 1), m);
		}
		/* the rest of the last page belongs to a map; a page more does not */
		m = archive_find(&a, "lib/b.so");
		assert_ptr_equal(archive_at(&a, m->start + 8191), m);
		assert_null(archive_at(&a, m->start + 8192));
		assert_null(archive_at(&a, 0));
		assert_null(archive_find(&a, "lib/a"));
		assert_null(archive_find(&a, "lib/a.so2"));
		archive_free(&a);
		gbuf_free(&b);
	}
}

/* Names of members, and what is opened by them. */
static void members_are_files(void **state)
{
	static const struct {
		const char *name;
		int error;
		const uint8_t *bytes;
		size_t size;
	} rows[] = {
		{ "a.apk!/lib/a.so", 0, lib, LIB }, { "a.apk!/lib/b.so", 0, lib + 1, LIB - 1 },
		{ "a.apk!/lib/packed.so", ENOTSUP, NULL, 0 }, { "a.apk!/lib/odd.so", ENOTSUP, NULL, 0 },
		{ "a.apk!/lib/none.so", ENOTSUP, NULL, 0 }, { "a.apk!/", ENOENT, NULL, 0 }, { "b.apk!/lib/a.so", ENOENT, NULL, 0 },
		{ "text!/lib/a.so", EINVAL, NULL, 0 }, { "real!/lib/a.so", 0, (const uint8_t *)"file", 4 },
	};
	struct zipw_member made[NR];
	struct gbuf b = archive(made, 0);
	char buf[LIB];
	struct stat st;
	const void *p;
	size_t i, size;
	int fd;

	(void)state;
	temp_write(dir, "a.apk", b.p, b.len);
	temp_write(dir, "text", "no archive", 10);
	temp_write(dir, "real!/lib/a.so", "file", 4);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		errno = 0;
		size = 0;
		p = input_map(temp_path(dir, rows[i].name), PROT_READ, &size);
		assert_int_equal(p ? 0 : errno, rows[i].error);
		assert_int_equal(size, rows[i].size);
		if (p)
			assert_memory_equal(p, rows[i].bytes, size);
		input_unmap(p, size);
		errno = 0;
		fd = input_open(temp_path(dir, rows[i].name), &st);
		assert_int_equal(fd >= 0 ? 0 : errno, rows[i].error);
		if (fd < 0)
			continue;
		assert_int_equal(st.st_size, rows[i].size);
		assert_int_equal(read(fd, buf, sizeof(buf)), rows[i].size);
		assert_memory_equal(buf, rows[i].bytes, rows[i].size);
		close(fd);
	}
	/* the archive is an input, which no output replaces */
	assert_int_equal(stat(temp_path(dir, "a.apk"), &st), 0);
	assert_true(input_noted(&st));
	gbuf_free(&b);
	assert_null(archive_separator("!/a"));
	assert_null(archive_separator("/a!b/c"));
	assert_string_equal(archive_separator("/a!/b!/c"), "!/b!/c");
}

/* Whatever a directory says, what is found lies in the archive, and its name does. */
static void check(const uint8_t *p, size_t size)
{
	struct archive a;
	size_t i;

	if (archive_read(&a, p, size))
		return;
	for (i = 0; i < a.nr; i++) {
		const struct archive_member *m = &a.v[i];

		assert_true(m->size && m->start <= size && m->size <= size - m->start);
		assert_true((const uint8_t *)m->name >= p && (const uint8_t *)m->name + m->name_len <= p + size);
		assert_true(!i || m[-1].start <= m->start);
		assert_true(!m->mappable || m->start % 4096 == 0);
	}
	archive_free(&a);
}

/* True for the bytes before those of a member. */
static bool in_header(const struct zipw_member made[NR], size_t at)
{
	size_t i;

	for (i = 0; i < NR; i++)
		if (at < made[i].at && at + 80 >= made[i].at)
			return true;
	return false;
}

static void damage(void **state)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct zipw_member made[NR];
	struct archive a;
	uint8_t *copy, was;
	struct gbuf b;
	size_t i, k, start;
	int zip64;

	(void)state;
	for (zip64 = 0; zip64 < 2; zip64++) {
		b = archive(made, zip64);
		start = (size_t)made[NR - 1].at + LIB - 1;	/* of the directory */
		copy = malloc(b.len);
		memcpy(copy, b.p, b.len);
		for (i = 0; i < b.len; i++) {
			if (!in_header(made, i) && i < start)
				continue;
			was = copy[i];
			for (k = 0; k < sizeof(values); k++) {
				copy[i] = values[k];
				check(copy, b.len);
			}
			copy[i] = was;
		}
		free(copy);
		/* cut at both ends: copies of the exact size, so that a read beyond is seen */
		for (i = start; i < b.len; i++) {
			copy = malloc(b.len - i);
			memcpy(copy, b.p + i, b.len - i);
			check(copy, b.len - i);
			free(copy);
			assert_int_equal(archive_read(&a, b.p, i), EINVAL);
		}
		gbuf_free(&b);
	}
	assert_int_equal(archive_read(&a, lib, 0), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_can_be_mapped), cmocka_unit_test(members_are_files),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
