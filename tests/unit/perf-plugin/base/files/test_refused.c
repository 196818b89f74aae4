/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Outputs on a system that refuses: calls that are interrupted, that a file system does not have, or that fail. What is
 * reported, and that neither a part of an output nor a temporary name is left. The Makefile lets the calls go through here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/outdir.h"
#include "base/files/output.h"
#include "base/format.h"
#include "unit/temp_dir.h"

/* Calls that fail with `error` instead of being made: `times` of them behind the next `skip`. */
struct refusal {
	int error;
	unsigned int skip, times, calls;
};

static struct refusal no_write, no_pwrite, no_read, no_link, no_exchange, no_rename, no_mkdir, no_chown, no_chmod, no_close,
	no_nameless, no_open;
static bool other_owner, long_link;
static uid_t owner;	/* of the latest fchown() */
static gid_t group;

static bool is_refused(struct refusal *r)
{
	if (!r->times)
		return false;
	r->calls++;
	if (r->skip) {
		r->skip--;
		return false;
	}
	r->times--;
	errno = r->error;
	return true;
}

#define WRAP(type, name, args) \
	type __real_##name args; type __wrap_##name args; type __wrap_##name args
#define REFUSE(type, name, refusal, params, args) \
	WRAP(type, name, params) { return is_refused(&refusal) ? -1 : __real_##name args; }

/* ---- calls of files -------------------------------------------------------------------------------- */

WRAP(ssize_t, write, (int fd, const void *p, size_t n))
{
	/* error 0: nothing was written, and no reason is given */
	return fd > 2 && is_refused(&no_write) ? no_write.error ? -1 : 0 : __real_write(fd, p, n);
}

WRAP(ssize_t, pwrite64, (int fd, const void *p, size_t n, off_t at))
{
	if (is_refused(&no_pwrite))
		return no_pwrite.error ? -1 : 0;
	return __real_pwrite64(fd, p, n > 2 ? 2 : n, at);
}

REFUSE(ssize_t, read, no_read, (int fd, void *p, size_t n), (fd, p, n))
REFUSE(int, linkat, no_link, (int from_dir, const char *from, int to_dir, const char *to,
       int flags), (from_dir, from, to_dir, to, flags))
REFUSE(int, guard_exchange, no_exchange, (const char *a, const char *b), (a, b))
REFUSE(int, rename, no_rename, (const char *from, const char *to), (from, to))
REFUSE(int, mkdir, no_mkdir, (const char *path, mode_t mode), (path, mode))

int __wrap_fchown(int fd, uid_t uid, gid_t gid);
int __wrap_fchown(int fd, uid_t uid, gid_t gid)
{
	(void)fd;
	owner = uid;
	group = gid;
	return is_refused(&no_chown) ? -1 : 0;
}

REFUSE(int, chmod, no_chmod, (const char *path, mode_t mode), (path, mode))

WRAP(int, close, (int fd))
{
	int rc = __real_close(fd);

	return is_refused(&no_close) ? -1 : rc;
}

WRAP(int, open64, (const char *path, int flags, ...))
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	if ((flags & O_TMPFILE) == O_TMPFILE ? is_refused(&no_nameless) : flags & O_WRONLY && is_refused(&no_open))
		return -1;
	return __real_open64(path, flags, mode);
}

WRAP(int, stat64, (const char *path, struct stat *st))
{
	int rc = __real_stat64(path, st);

	st->st_uid += other_owner && !rc;
	return rc;
}

WRAP(ssize_t, readlink, (const char *path, char *target, size_t size))
{
	ssize_t n = __real_readlink(path, target, size);

	return n > 0 && long_link ? (ssize_t)size : n;
}

static char dir[64];
static struct error err;
static unsigned int open_before;

static const char *at(const char *name)
{
	return temp_path(dir, name);
}

static void put_file(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

static void holds(const char *name, const char *want)
{
	char text[100];
	FILE *f = fopen(at(name), "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	assert_string_equal(text, want);
}

/* How many names the folder of the test, or one in it, has. */
static unsigned int names_in(const char *name)
{
	DIR *d = opendir(at(name));
	struct dirent *e;
	unsigned int n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

static void reports(int rc, int code, const char *fmt, ...)
{
	char want[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(want, sizeof(want), fmt, args);
	va_end(args);
	assert_string_equal(err.msg, want);
	assert_int_equal(rc, code);
	assert_int_equal(err.code, code);
	err = (struct error){ .code = 0 };
}

/* An output that did not get its name: what cannot be done, and why. */
static void not_written(int rc, const char *name, const char *what, const char *why)
{
	reports(rc, ERR_IO, "%s: cannot %s: %s; nothing was left under that name by this run",
		at(name), what, why);
}

static int set_up(void **state)
{
	struct refusal *const all[] = { &no_write, &no_pwrite, &no_read, &no_link, &no_exchange, &no_rename, &no_mkdir, &no_chown,
					&no_chmod, &no_close, &no_nameless, &no_open };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		memset(all[i], 0, sizeof(*all[i]));
	other_owner = long_link = false;
	umask(022);
	open_before = temp_descriptors();
	strcpy(dir, "/tmp/cstrace-refused-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[100];

	(void)state;
	input_forget_all();
	assert_int_equal(temp_descriptors(), open_before);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Writes "abc" to a file. Returns pd_output_finish()'s result. */
static int write_abc(const char *name)
{
	struct pd_output o;
	int rc = pd_output_open(&o, at(name), &err);

	if (rc)
		return rc;
	pd_output_write(&o, "abc", 3);
	return pd_output_finish(&o, &err);
}

static void writes(void **state)
{
	struct pd_output o;

	(void)state;
	no_write = (struct refusal){ EINTR, 0, 2, 0 };
	assert_int_equal(write_abc("interrupted"), 0);
	assert_int_equal(no_write.times, 0);
	holds("interrupted", "abc");
	no_write = (struct refusal){ ENOSPC, 0, 1, 0 };
	not_written(write_abc("full"), "full", "write it after 0 bytes",
		    "No space left on device");
	no_write = (struct refusal){ 0, 1, 1, 0 };
	assert_int_equal(pd_output_open(&o, at("full"), &err), 0);
	pd_output_write(&o, "abc", 3);
	pd_output_write(&o, "def", 3);
	pd_output_write(&o, "ghi", 3);
	assert_int_equal(no_write.calls, 2);
	not_written(pd_output_finish(&o, &err), "full", "write it after 3 bytes",
		    "No space left on device");
	no_close = (struct refusal){ EDQUOT, 0, 1, 0 };
	not_written(write_abc("full"), "full", "write it after 3 bytes", "Disk quota exceeded");
	assert_int_equal(names_in(""), 1);
}

/* Bytes in the middle are written in parts (pwrite64() above writes two at most). */
static void patches(void **state)
{
	static const int errors[] = { EIO, 0 };
	struct pd_output o;
	int i;

	(void)state;
	assert_int_equal(pd_output_open(&o, at("patched"), &err), 0);
	pd_output_write(&o, "0123456789", 10);
	no_pwrite = (struct refusal){ EINTR, 1, 1, 0 };
	pd_output_patch(&o, 3, "abcde", 5);
	assert_int_equal(no_pwrite.times, 0);
	assert_int_equal(pd_output_finish(&o, &err), 0);
	holds("patched", "012abcde89");
	for (i = 0; i < 2; i++) {
		assert_int_equal(pd_output_open(&o, at("patched"), &err), 0);
		pd_output_write(&o, "0123456789", 10);
		no_pwrite = (struct refusal){ errors[i], 1, 5, 0 };
		pd_output_patch(&o, 3, "abcde", 5);
		pd_output_patch(&o, 0, "x", 1);
		assert_int_equal(no_pwrite.calls, 2);
		not_written(pd_output_finish(&o, &err), "patched", "write it after 10 bytes",
			    strerror(i ? ENOSPC : EIO));
		no_pwrite.times = 0;
	}
	holds("patched", "012abcde89");
	assert_int_equal(names_in(""), 1);
}

/* The file has no name until the end: it gets a temporary one, then the final one. */
static void nameless(void **state)
{
	(void)state;
	no_link = (struct refusal){ EEXIST, 0, 99, 0 };
	assert_int_equal(write_abc("file"), 0);
	assert_int_equal(no_link.times, 0);
	holds("file", "abc");
	no_link = (struct refusal){ EEXIST, 0, 1000, 0 };
	not_written(write_abc("none"), "none", "give it its name after 3 bytes", "File exists");
	assert_int_equal(no_link.calls, 100);
	no_link = (struct refusal){ EPERM, 0, 1000, 0 };
	not_written(write_abc("none"), "none", "give it its name after 3 bytes",
		    "Operation not permitted");
	assert_int_equal(no_link.calls, 1);
	no_link.times = 0;
	no_rename = (struct refusal){ EACCES, 0, 1, 0 };
	not_written(write_abc("none"), "none", "rename the temporary file to it after 3 bytes",
		    "Permission denied");
	assert_int_equal(names_in(""), 1);
}

/* A file system without O_TMPFILE: the file has a temporary name from the beginning. */
static void named(void **state)
{
	struct pd_output o;
	struct stat st;
	int fd;

	(void)state;
	no_nameless = (struct refusal){ EOPNOTSUPP, 0, 1000, 0 };
	no_open = (struct refusal){ EEXIST, 0, 99, 0 };
	assert_int_equal(write_abc("file"), 0);
	assert_int_equal(no_open.times, 0);
	holds("file", "abc");
	no_open = (struct refusal){ EEXIST, 0, 1000, 0 };
	reports(write_abc("none"), ERR_IO, "%s: cannot create it for writing: File exists; choose another place with -o", at("none"));
	assert_int_equal(no_open.calls, 100);
	no_open = (struct refusal){ EROFS, 0, 1000, 0 };
	reports(write_abc("none"), ERR_IO, "%s: cannot create it for writing: Read-only file system; choose another place with -o",
		at("none"));
	assert_int_equal(no_open.calls, 1);
	/* a target that is no regular file */
	reports(pd_output_open(&o, "/dev/null", &err), ERR_IO, "/dev/null: cannot open it for writing: Read-only file system; choose "
		"another place with -o");
	no_open.times = 0;
	assert_int_equal(pd_output_open(&o, at("gone"), &err), 0);
	assert_int_equal(names_in(""), 2);
	pd_output_abort(&o);
	assert_int_equal(names_in(""), 1);
	no_rename = (struct refusal){ EACCES, 0, 1, 0 };
	assert_int_equal(write_abc("gone"), ERR_IO);
	assert_int_equal(names_in(""), 1);
	/* scratch files */
	fd = guard_temp(dir);
	assert_true(fd >= 0);
	assert_int_equal(names_in(""), 1);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(st.st_size, 1);
	close(fd);
	assert_int_equal(guard_temp(at("none")), -1);
	assert_int_equal(errno, ENOENT);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(at(name), &st), 0);
	return st.st_mode & 07777;
}

/* A file of another user that is replaced: its mode is given to the new one if at least the group can be kept. */
static void owners(void **state)
{
	(void)state;
	put_file("file", "old");
	assert_int_equal(chmod(at("file"), 0666), 0);
	umask(077);
	no_chown = (struct refusal){ EPERM, 0, 2, 0 };
	other_owner = true;
	assert_int_equal(write_abc("file"), 0);
	assert_int_equal(no_chown.times, 0);
	holds("file", "abc");
	assert_int_equal(mode_of("file"), 0600);
	assert_int_equal(chmod(at("file"), 0664), 0);
	no_chown = (struct refusal){ EPERM, 0, 1, 0 };
	assert_int_equal(write_abc("file"), 0);
	assert_int_equal(no_chown.times, 0);
	assert_int_equal(mode_of("file"), 0664);
	/* the group alone: the owner stays the user */
	assert_true(owner == (uid_t)-1);
	assert_int_equal(group, getegid());
	/* the user's own */
	other_owner = false;
	no_chown = (struct refusal){ EPERM, 0, 2, 0 };
	assert_int_equal(write_abc("file"), 0);
	assert_int_equal(no_chown.calls, 0);
	assert_int_equal(mode_of("file"), 0664);
}

static void folder_files(void **state)
{
	static const char *const outside[] = { "", "/a", "a/", "a//b", ".", "..", "./a", "../a", "a/..", "a/./b", "a/../b" };
	static const char *const inside[] = { "a", "...", ".a", "..a", "b/...", "b/.c/..d" };
	struct outdir d;
	char path[300];
	size_t i;

	(void)state;
	assert_int_equal(outdir_open(&d, at("folder"), &err), 0);
	for (i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		assert_null(outdir_path(&d, outside[i], &err));
		reports(ERR_USAGE, ERR_USAGE, "%s: '%s' is no name of a file inside it", at("folder"), outside[i]);
	}
	for (i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
		assert_false(outdir_has(&d, inside[i]));
		assert_int_equal(outdir_append(&d, inside[i], "x", 1, &err), 0);
		assert_true(outdir_has(&d, inside[i]));
	}
	no_mkdir = (struct refusal){ ENOSPC, 0, 1, 0 };
	not_written(outdir_file(&d, "c/d", "x", 1, &err), "folder", "make the folder of c/d",
		    "No space left on device");
	no_open = (struct refusal){ ENOSPC, 0, 1, 0 };
	not_written(outdir_append(&d, "e", "x", 1, &err), "folder", "create e",
		    "No space left on device");
	no_open = (struct refusal){ ENOSPC, 0, 2, 0 };
	assert_int_equal(outdir_append(&d, "e", "x", 1, NULL), ERR_IO);
	assert_int_equal(outdir_file(&d, "e", "x", 1, NULL), ERR_IO);
	no_write = (struct refusal){ EIO, 0, 1, 0 };
	not_written(outdir_file(&d, "f", "x", 1, &err), "folder", "write f", "Input/output error");
	no_write = (struct refusal){ 0, 0, 1, 0 };
	not_written(outdir_file(&d, "f2", "x", 1, &err), "folder", "write f2",
		    "No space left on device");
	no_close = (struct refusal){ ENOSPC, 0, 1, 0 };
	not_written(outdir_file(&d, "g", "x", 1, &err), "folder", "write g",
		    "No space left on device");
	reports(outdir_copy(&d, "h", at("none"), &err), ERR_IO, "%s: cannot be read: No such file or directory", at("none"));
	reports(outdir_copy(&d, "h", "/dev/null", &err), ERR_IO, "/dev/null: cannot be read: not a regular file");
	put_file("source", "text");
	no_read = (struct refusal){ EIO, 0, 1, 0 };
	reports(outdir_copy(&d, "h", at("source"), &err), ERR_IO, "%s: cannot be read: Input/output error", at("source"));
	no_read = (struct refusal){ EINTR, 0, 1, 0 };
	assert_int_equal(outdir_copy(&d, "i", at("source"), &err), 0);
	assert_int_equal(no_read.times, 0);
	snprintf(path, sizeof(path), "%s", strrchr(d.temp, '/') + 1);
	strcat(path, "/i");
	holds(path, "text");
	outdir_abort(&d);
	assert_int_equal(names_in(""), 1);
}

static bool of_kind(const char *name)
{
	return !strcmp(name, "head") || !strcmp(name, "old") || !strcmp(name, "new");
}

/* Writes a folder of the kind, whose head begins with `begins`. Returns outdir_open_kind()'s or outdir_finish()'s result. */
static int write_kind(const char *begins, const char *file)
{
	const struct outdir_kind kind = { "list", "head", begins, of_kind };
	struct outdir d;
	int rc = outdir_open_kind(&d, at("kind"), &kind, &err);

	if (rc)
		return rc;
	assert_int_equal(outdir_file(&d, "head", begins, strlen(begins), &err), 0);
	assert_int_equal(outdir_file(&d, file, file, strlen(file), &err), 0);
	return outdir_finish(&d, &err);
}

/* Where two folders cannot be exchanged at once, the old one is moved away, and comes back if the new one cannot take its place. */
static void folder_replaced(void **state)
{
	static const int missing[] = { EINVAL, ENOSYS };
	char begins[130];
	int i;

	(void)state;
	assert_int_equal(write_kind("BEGIN", "old"), 0);
	for (i = 0; i < 2; i++) {
		no_exchange = (struct refusal){ missing[i], 0, 1, 0 };
		assert_int_equal(write_kind("BEGIN", "new"), 0);
		assert_int_equal(no_exchange.times, 0);
		assert_int_equal(access(at("kind/new"), F_OK), 0);
		assert_int_equal(names_in("kind"), 2);
		assert_int_equal(names_in(""), 1);
	}
	no_exchange = (struct refusal){ EIO, 0, 1, 0 };
	reports(write_kind("BEGIN", "old"), ERR_IO, "%s: cannot rename the temporary folder to %s: Input/output error; nothing was left "
		"under that name by this run", at("kind"), at("kind"));
	assert_int_equal(access(at("kind/new"), F_OK), 0);
	/* the old one cannot be moved, or the new one */
	for (i = 0; i < 2; i++) {
		no_exchange = (struct refusal){ ENOSYS, 0, 1, 0 };
		no_rename = (struct refusal){ EBUSY, (unsigned int)i, 1, 0 };
		reports(write_kind("BEGIN", "old"), ERR_IO, "%s: cannot rename the temporary folder to %s: Device or resource busy; "
			"nothing was left under that name by this run", at("kind"), at("kind"));
		assert_int_equal(no_rename.times, 0);
		holds("kind/new", "new");
		assert_int_equal(names_in("kind"), 2);
		assert_int_equal(names_in(""), 1);
	}
	no_chmod = (struct refusal){ EPERM, 0, 1, 0 };
	reports(write_kind("BEGIN", "old"), ERR_IO, "%s: cannot set the mode of the temporary folder for %s: Operation not permitted; "
		"nothing was left under that name by this run", at("kind"), at("kind"));
	holds("kind/new", "new");
	assert_int_equal(names_in(""), 1);
	/* heads of up to 128 bytes tell the kind */
	memset(begins, 'x', sizeof(begins));
	begins[128] = 0;
	put_file("kind/head", begins);
	assert_int_equal(write_kind(begins, "old"), 0);
	holds("kind/old", "old");
	begins[128] = 'x';
	begins[129] = 0;
	put_file("kind/head", begins);
	reports(write_kind(begins, "new"), ERR_IO, "%s: is a folder with something in it; give a folder that does not exist yet, or an "
		"empty one, or an earlier list", at("kind"));
}

static void reading(void **state)
{
	size_t size;
	char *text;

	(void)state;
	put_file("file", "12345");
	no_read = (struct refusal){ EINTR, 0, 2, 0 };
	text = input_read(at("file"), 10, &size);
	assert_non_null(text);
	assert_string_equal(text, "12345");
	assert_int_equal(size, 5);
	free(text);
	no_read = (struct refusal){ EIO, 0, 1, 0 };
	assert_null(input_read(at("file"), 10, &size));
	assert_int_equal(errno, EIO);
	/* a link whose target is as long as a path can be was cut */
	assert_int_equal(symlink("file", at("link")), 0);
	long_link = true;
	errno = 0;
	assert_null(input_in_root(dir, "/link"));
	assert_int_equal(errno, ENAMETOOLONG);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes), TEST(patches), TEST(nameless), TEST(named), TEST(owners),
		TEST(folder_files), TEST(folder_replaced), TEST(reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
