/* SPDX-License-Identifier: BSD-3-Clause */
/* Files as the program treats them: paths inside a root, which files are input, mappings, temporary names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/mapped.h"
#include "base/files/outdir.h"
#include "base/files/output.h"
#include "base/alloc.h"
#include "unit/temp_dir.h"

static char dir[64];
static unsigned int open_before;

static const char *at(const char *name)
{
	return temp_path(dir, name);
}

static void put_file(const char *name, const char *text)
{
	temp_write(dir, name, text, strlen(text));
}

static int set_up(void **state)
{
	(void)state;
	open_before = temp_descriptors();
	strcpy(dir, "/tmp/cstrace-files-XXXXXX");
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

static void in_root_is(const char *path, const char *want)
{
	char *got = input_in_root(at("root"), path);

	assert_non_null(got);
	assert_string_equal(got, at(want));
	free(got);
}

static void in_root(void **state)
{
	char *got, name[20], target[20];
	int i;

	(void)state;
	assert_int_equal(mkdir(at("root"), 0700), 0);
	assert_int_equal(mkdir(at("root/a"), 0700), 0);
	assert_int_equal(mkdir(at("root/a/b"), 0700), 0);
	put_file("root/a/b/file", "x");
	assert_int_equal(symlink("/a/b", at("root/absolute")), 0);
	assert_int_equal(symlink("../../../../../a", at("root/a/up")), 0);
	assert_int_equal(symlink("b/file", at("root/a/relative")), 0);
	assert_int_equal(symlink("/absolute/../../a/up/relative", at("root/chain")), 0);
	assert_int_equal(symlink("/etc/passwd", at("root/out")), 0);
	assert_int_equal(symlink("loop", at("root/loop")), 0);
	in_root_is("/a/b/file", "root/a/b/file");
	in_root_is("a//b/./file", "root/a/b/file");
	in_root_is("/../../a/../../a/b/file", "root/a/b/file");
	in_root_is("/absolute/file", "root/a/b/file");
	in_root_is("/a/up/b/file", "root/a/b/file");
	in_root_is("/a/relative", "root/a/b/file");
	in_root_is("/chain", "root/a/b/file");
	in_root_is("/out", "root/etc/passwd");
	in_root_is("/none/../a/x", "root/a/x");
	in_root_is("", "root");
	in_root_is("/..", "root");
	in_root_is("/a/b/..", "root/a");
	in_root_is("/a/b/file/../..", "root/a");
	in_root_is("/absolute/..", "root/a");
	/* links that lead to links: 40 are followed, as the kernel does */
	for (i = 0; i < 41; i++) {
		snprintf(name, sizeof(name), "root/link%d", i);
		snprintf(target, sizeof(target), i ? "link%d" : "a/b", i - 1);
		assert_int_equal(symlink(target, at(name)), 0);
	}
	in_root_is("/link39/file", "root/a/b/file");
	errno = 0;
	assert_null(input_in_root(at("root"), "/link40/file"));
	assert_int_equal(errno, ELOOP);
	for (i = 0; i < 3; i++) {
		got = input_in_root(at((const char *[]){ "root", "root/", "root///" }[i]), "/a/up/");
		assert_string_equal(got, at("root/a"));
		free(got);
	}
	errno = 0;
	assert_null(input_in_root(at("root"), "/loop"));
	assert_int_equal(errno, ELOOP);
	got = input_in_root("/", "/");
	assert_string_equal(got, "/");
	free(got);
	got = input_in_root("/", "/tmp/../x-not-there");
	assert_string_equal(got, "/x-not-there");
	free(got);
}

static bool noted(const char *name)
{
	struct stat st;

	assert_int_equal(stat(at(name), &st), 0);
	return input_noted(&st);
}

static void inputs(void **state)
{
	struct stat st;
	size_t size;
	char *text;
	void *p;
	int fd;

	(void)state;
	put_file("read", "12345");
	put_file("other", "");
	put_file("empty", "");
	assert_false(noted("read"));
	text = input_read(at("read"), 5, &size);
	assert_string_equal(text, "12345");
	assert_int_equal(size, 5);
	free(text);
	assert_true(noted("read"));
	assert_null(input_read(at("read"), 4, &size));
	assert_int_equal(errno, EFBIG);
	input_forget(at("read"));
	assert_true(noted("read"));	/* the other time */
	input_forget(at("read"));
	assert_false(noted("read"));
	input_forget(at("read"));
	input_note_path(at("read"));
	assert_true(noted("read"));
	p = input_map(at("empty"), PROT_READ, &size);
	assert_non_null(p);
	assert_int_equal(size, 0);
	input_unmap(p, size);
	assert_int_equal(input_open(at("none"), &st), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(input_open(dir, &st), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
	assert_int_equal(input_open(at("fifo"), &st), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(input_open("/dev/zero", &st), -1);
	assert_string_equal(input_error(EINVAL), "not a regular file");
	assert_string_equal(input_error(EACCES), strerror(EACCES));
	fd = input_peek(at("other"), &st);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);	/* not for programs that are started */
	close(fd);
	assert_false(noted("other"));
	fd = input_open(at("other"), &st);
	assert_true(fd >= 0);
	close(fd);
	assert_true(noted("other"));
	input_forget(at("other"));
	input_note_path(at("none"));
	input_note_path(at("fifo"));
	assert_int_equal(stat(at("fifo"), &st), 0);
	assert_false(input_noted(&st));
	/* of a folder, what is in folders of it is not recorded, what its links lead to is */
	assert_int_equal(mkdir(at("many"), 0700), 0);
	put_file("many/below/file", "");
	put_file("linked", "");
	assert_int_equal(symlink("../linked", at("many/link")), 0);
	put_file("many/file", "");
	input_note_path(at("many"));
	assert_true(noted("many/file"));
	assert_false(noted("other"));
	assert_true(noted("read"));
	assert_false(noted("many/below/file"));
	assert_true(noted("linked"));
	input_forget_all();
	assert_false(noted("read"));
}

/* A mapping of a standard descriptor, whose name is no path: the open file tells its size. */
static void mapped_input(void)
{
	struct error err;
	const uint8_t *p;
	uint64_t offset;
	int fd = open(at("given"), O_RDWR);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 || close(fd))
		return;
	p = mapped_new(STDIN_FILENO, 10, PROT_READ, "the\ninput");
	if (!p || mapped_check(&err) || strcmp(mapped_name_at(p + 9, &offset), "the\\x0ainput") || offset != 9 ||
	    mapped_name_at(p + 10, &offset))
		_exit(2);
	if (truncate(at("given"), 9) || !mapped_shrunk() || strcmp(mapped_shrunk(), "the\ninput"))
		_exit(3);
	if (truncate(at("given"), 10) || mapped_shrunk())
		_exit(4);
	mapped_free(p, 10);
	_exit(mapped_shrunk() ? 5 : 6);
}

static void mappings(void **state)
{
	struct outdir folder;
	struct pd_output o;
	struct error err;
	uint64_t offset;
	const uint8_t *p, *q;
	size_t size, other;
	char want[300];

	(void)state;
	put_file("a", "0123456789");
	put_file("b", "x");
	p = input_map(at("a"), PROT_READ, &size);
	q = input_map(at("b"), PROT_READ, &other);
	assert_string_equal(mapped_name_at(p + 3, &offset), at("a"));
	assert_int_equal(offset, 3);
	assert_string_equal(mapped_name_at(q, &offset), at("b"));
	assert_null(mapped_name_at(&offset, &offset));
	assert_null(mapped_shrunk());
	/* replaced by another file: the mapped one is whole */
	put_file("new", "");
	assert_int_equal(rename(at("new"), at("b")), 0);
	assert_null(mapped_shrunk());
	input_unmap(q, other);
	assert_null(mapped_shrunk());
	/* removed: the mapped one is whole, too */
	put_file("c", "12");
	q = input_map(at("c"), PROT_READ, &other);
	assert_int_equal(unlink(at("c")), 0);
	assert_null(mapped_shrunk());
	assert_int_equal(mapped_check(&err), 0);
	input_unmap(q, other);
	assert_null(mapped_shrunk());
	assert_int_equal(truncate(at("a"), 9), 0);
	assert_string_equal(mapped_shrunk(), at("a"));
	input_unmap(p, size);
	assert_null(mapped_name_at(p + 3, &offset));
	assert_string_equal(mapped_shrunk(), at("a"));
	/* the first one is reported */
	put_file("d", "0123456789");
	p = input_map(at("d"), PROT_READ, &size);
	assert_int_equal(truncate(at("d"), 9), 0);
	input_unmap(p, size);
	assert_int_equal(mapped_check(&err), ERR_IO);
	snprintf(want, sizeof(want), "%s: became shorter while it was read; run again when nothing writes to it", at("a"));
	assert_string_equal(err.msg, want);
	/* no output gets its name then, and nothing of it is left */
	err = (struct error){ .code = 0 };
	assert_int_equal(pd_output_open(&o, at("late"), &err), 0);
	pd_output_write(&o, "text", 4);
	assert_int_equal(pd_output_finish(&o, &err), ERR_IO);
	assert_string_equal(err.msg, want);
	assert_true(o.fd == -1 && !o.name && !o.path);
	assert_int_equal(access(at("late"), F_OK), -1);
	err = (struct error){ .code = 0 };
	assert_int_equal(outdir_open(&folder, at("late"), &err), 0);
	assert_int_equal(outdir_file(&folder, "file", "text", 4, &err), 0);
	assert_int_equal(outdir_finish(&folder, &err), ERR_IO);
	assert_string_equal(err.msg, want);
	assert_null(folder.temp);
	assert_int_equal(access(at("late"), F_OK), -1);
}

/* How a child that runs `work` after guard_install() ends; its messages go to the file "messages". */
static int child(void (*work)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		int messages = open(at("messages"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(messages, STDERR_FILENO);
		/* a shell starts what runs in the background with these ignored, and the guard leaves that so */
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		/* cmocka's, which would go on with the next test */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		guard_install();
		work();
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static volatile uint8_t seen;

static void messages_are(const char *want)
{
	char text[600] = "";
	FILE *f = fopen(at("messages"), "r");

	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) <= sizeof(text));
	fclose(f);
	assert_string_equal(text, want);
}

/* The order in which folders for scratch files are tried: $TMPDIR, if it is set and is one, then /var/tmp. */
static void scratch_files(void)
{
	const char *const cases[][2] = { { at("scratch"), at("scratch") }, { "", "/var/tmp" }, { at("none"), "/var/tmp" },
					 { NULL, "/var/tmp" } };
	char link[64], target[300];
	unsigned int i;
	ssize_t n;
	int fd;

	for (i = 0; i < (access("/var/tmp", W_OK) ? 1 : 4); i++) {
		if (cases[i][0])
			setenv("TMPDIR", cases[i][0], 1);
		else
			unsetenv("TMPDIR");
		fd = guard_temp(NULL);
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof(target));
		if (n < 0 || strncmp(target, cases[i][1], strlen(cases[i][1])))
			_exit((int)i + 1);
	}
	_exit(7);
}

static int number;

static void raise_number(void)
{
	if (guard_create(at("temporary"), 0666) >= 0)
		raise(number);
}

static void access_nowhere(void)
{
	volatile uint8_t *nowhere = (volatile uint8_t *)(uintptr_t)number;

	seen = *nowhere;
}

static void access_far_unchecked(void)
{
	guard_unchecked(true);
	number = 1 << 20;
	access_nowhere();
}

static void access_nowhere_checked(void)
{
	guard_unchecked(true);
	guard_unchecked(false);
	access_nowhere();
}

static void refused_in_library(void)
{
	if (guard_create(at("temporary"), 0666) < 0)
		return;
	mem_doing("testing");
	guard_unchecked(true);
	access_nowhere();
}

/* SIGSEGV and SIGBUS: the program's own errors end it by the signal, whether they come of an access or of another process. */
static void own_errors(void **state)
{
	void (*const accesses[])(void) =
		{ access_nowhere, access_far_unchecked, access_nowhere_checked };
	int status;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		number = i ? SIGBUS : SIGSEGV;
		unlink(at("temporary"));
		status = child(raise_number);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == number);
		messages_are("");
	}
	number = 16;
	for (i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		status = child(accesses[i]);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
		messages_are("");
	}
	/* a library that does not check its allocations */
	unlink(at("temporary"));
	status = child(refused_in_library);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_int_equal(access(at("temporary"), F_OK), -1);
	messages_are("cstrace: out of memory: a library was refused memory while testing; an "
		     "output file that was not finished by then is not written. Raise the limit "
		     "(ulimit -v, the memory of the container), or decode less at a time (--time, "
		     "--cpu)\n");
}

static void ends_with(void (*work)(void), int code)
{
	int status = child(work);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static void children(void **state)
{
	(void)state;
	put_file("given", "0123456789");
	ends_with(mapped_input, 6);
	assert_int_equal(mkdir(at("scratch"), 0700), 0);
	ends_with(scratch_files, 7);
}

static void fails_with(int rc, const struct error *err, int code, const char *what, const char *why)
{
	char want[600];

	snprintf(want, sizeof(want), "%s: %s", what, why);
	assert_string_equal(err->msg, want);
	assert_int_equal(rc, code);
	assert_int_equal(err->code, code);
}

static void check_text(const char *name, const char *want)
{
	size_t size;
	char *text = input_read(at(name), 1u << 20, &size);

	assert_non_null(text);
	assert_string_equal(text, want);
	assert_int_equal(size, strlen(want));
	free(text);
	input_forget(at(name));
}

/* The output of the first name makes the file of the second one, and is a link as before if it was one. */
static void write_through(const char *name, const char *file)
{
	struct stat before, after;
	struct pd_output o;
	struct error err;
	bool is_link = !lstat(at(name), &before);

	assert_int_equal(pd_output_open(&o, at(name), &err), 0);
	pd_output_write(&o, "new", 3);
	if (pd_output_finish(&o, &err))
		fail_msg("%s", err.msg);
	check_text(file, "new");
	if (is_link)
		assert_true(!lstat(at(name), &after) && after.st_ino == before.st_ino && S_ISLNK(after.st_mode));
}

/* Which outputs are refused, and what is written. */
static void outputs(void **state)
{
	static const char input[] = "is one of the files that are read; the output needs another name: choose one with -o";
	char path[300], name[256], *target;
	struct pd_output o;
	struct outdir d;
	struct error err;
	int fd;

	(void)state;
	fails_with(pd_output_open(&o, at("none/file"), &err), &err, ERR_IO, at("none/file"),
		   "cannot open it for writing: No such file or directory; choose another place with -o");
	assert_int_equal(o.fd, -1);
	/* what is closed has nothing left that could be released or removed again */
	assert_null(o.name);
	pd_output_abort(&o);
	fails_with(pd_output_open(&o, dir, &err), &err, ERR_IO, dir,
		   "cannot open a directory for writing: Is a directory; choose another place with -o");
	put_file("read", "old");
	assert_int_equal(output_check(at("read"), "x", &err), 0);
	assert_int_equal(output_check(at("none"), "x", &err), 0);
	input_note_path(at("read"));
	fails_with(output_check(at("read"), "what -o says", &err), &err, ERR_USAGE, "what -o says", input);
	fails_with(pd_output_open(&o, at("read"), &err), &err, ERR_USAGE, at("read"), input);
	input_forget(at("read"));
	/* read while it is written */
	assert_int_equal(pd_output_open(&o, at("read"), &err), 0);
	pd_output_write(&o, "new", 3);
	input_note_path(at("read"));
	fails_with(pd_output_finish(&o, &err), &err, ERR_USAGE, at("read"), input);
	input_forget_all();
	check_text("read", "old");
	/* names that no file can have */
	fails_with(pd_output_open(&o, "", &err), &err, ERR_IO, "",
		   "cannot open it for writing: No such file or directory; choose another place with -o");
	fails_with(pd_output_open(&o, at("new/"), &err), &err, ERR_IO, at("new/"),
		   "cannot open it for writing: Is a directory; choose another place with -o");
	/* the longest name, whose temporary name is no longer */
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	write_through(name, name);
	unlink(at(name));
	assert_int_equal(outdir_open(&d, at(name), &err), 0);
	assert_int_equal(outdir_file(&d, "file", "text", 4, &err), 0);
	assert_int_equal(outdir_finish(&d, &err), 0);
	strcat(strcpy(path, name), "/file");
	check_text(path, "text");
	fails_with(outdir_open(&d, "-", &err), &err, ERR_USAGE, "-",
		   "standard output cannot be a folder; give the name of one, as ./-");
	/* links to what is not there yet */
	assert_int_equal(mkdir(at("links"), 0700), 0);
	assert_int_equal(symlink("../made", at("links/relative")), 0);
	assert_int_equal(symlink("links/relative", at("twice")), 0);
	write_through("twice", "made");
	assert_int_equal(symlink(at("made2"), at("links/absolute")), 0);
	write_through("links/absolute", "made2");
	assert_int_equal(symlink("none/file", at("lost")), 0);
	fails_with(pd_output_open(&o, at("lost"), &err), &err, ERR_IO, at("lost"),
		   "cannot open it for writing: No such file or directory; choose another place with -o");
	/* a descriptor that stays the caller's, here of a file that has something in it */
	put_file("open", "ab");
	fd = open(at("open"), O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	pd_output_fd(&o, fd, "the name");
	pd_output_write(&o, "cd", 2);
	assert_int_equal(pd_output_finish(&o, &err), 0);
	pd_output_fd(&o, fd, "the name");
	pd_output_write(&o, "ef", 2);
	pd_output_abort(&o);
	assert_int_equal(write(fd, "g", 1), 1);
	close(fd);
	check_text("open", "abcdefg");
	fd = open("/dev/full", O_WRONLY);
	assert_true(fd >= 0);
	pd_output_fd(&o, fd, "full");
	pd_output_write(&o, "ab", 2);
	fails_with(pd_output_finish(&o, &err), &err, ERR_IO, "full", "cannot write it after 0 bytes: No space left on device; "
		   "nothing was left under that name by this run");
	close(fd);
	/* where a name leads */
	assert_int_equal(symlink("read", at("link")), 0);
	target = output_target(at("link"));
	assert_string_equal(target, at("read"));
	free(target);
	target = output_target(at("./new"));
	assert_string_equal(target, at("new"));
	free(target);
	target = output_target("/cstrace-not-there");
	assert_string_equal(target, "/cstrace-not-there");
	free(target);
	errno = 0;
	assert_null(output_target(at("none/new")));
	assert_int_equal(errno, ENOENT);
	assert_null(output_target(at("read/new")));
	assert_int_equal(errno, ENOTDIR);
}

static bool of_kind(const char *name)
{
	return !strcmp(name, "head") || !strcmp(name, "more") || !strcmp(name, "log");
}

/* Writes a folder of the kind with one more file of this name. Returns outdir_open_kind()'s or outdir_finish()'s result. */
static int write_kind(const char *more, const char *between)
{
	static const struct outdir_kind kind = { "list", "head", "BEGIN", of_kind };
	struct outdir d;
	struct error err;
	int rc = outdir_open_kind(&d, at("kind"), &kind, &err);

	if (rc)
		return rc;
	assert_int_equal(outdir_file(&d, "head", "BEGIN 1", 7, &err), 0);
	assert_int_equal(outdir_file(&d, more, more, strlen(more), &err), 0);
	if (between)
		put_file(between, "mine");
	return outdir_finish(&d, &err);
}

/* Only a folder of the kind is replaced, as a whole, and nothing is left of either. */
static void replaced(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(write_kind("more", NULL), 0);
	assert_int_equal(write_kind("log", NULL), 0);
	assert_int_equal(access(at("kind/log"), F_OK), 0);
	assert_int_equal(access(at("kind/more"), F_OK), -1);
	/* a file that came while the new folder was written */
	assert_int_not_equal(write_kind("more", "kind/notes"), 0);
	assert_int_equal(access(at("kind/notes"), F_OK), 0);
	assert_int_equal(access(at("kind/log"), F_OK), 0);
	assert_int_not_equal(write_kind("more", NULL), 0);
	unlink(at("kind/notes"));
	/* a name of the kind that is no file */
	assert_int_equal(symlink("log", at("kind/more")), 0);
	assert_int_not_equal(write_kind("more", NULL), 0);
	unlink(at("kind/more"));
	/* another begin */
	put_file("kind/head", "BEGUN");
	assert_int_not_equal(write_kind("more", NULL), 0);
	put_file("kind/head", "BEGIN");
	assert_int_equal(chmod(at("kind"), 0750), 0);
	assert_int_equal(write_kind("more", NULL), 0);
	assert_int_equal(stat(at("kind"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	unlink(at("kind/head"));
	unlink(at("kind/more"));
	assert_int_equal(rmdir(at("kind")), 0);
	assert_int_equal(rmdir(dir), 0);	/* nothing is left */
	assert_int_equal(mkdir(dir, 0700), 0);
}

/* True if the page at `p` is in this process's memory. */
static bool has_page(const void *p, size_t page)
{
	const off_t at_page = (off_t)((uintptr_t)p / page * sizeof(uint64_t));
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &entry, sizeof(entry), at_page), sizeof(entry));
	close(fd);
	return entry >> 63;
}

/* Of a mapping for reading alone, the whole pages of the part leave memory. */
static void dropped(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
	uint8_t *p, *bytes = malloc(size);
	unsigned int sum = 0;
	size_t i, n;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', size);
	temp_write(dir, "file", bytes, size);
	p = (uint8_t *)(uintptr_t)input_map(at("file"), PROT_READ, &n);
	assert_true(p && n == size);
	for (i = 0; i < size; i++)
		sum += p[i];
	assert_int_equal(sum, size * 'x');
	mapped_drop(p + 1, 3 * page - 2);
	for (i = 0; i < 4; i++)
		assert_int_equal(has_page(p + i * page, page), i != 1);
	mapped_drop(p + 2 * page + 1, page - 2);
	assert_true(has_page(p + 2 * page, page));
	assert_int_equal(p[page], 'x');
	input_unmap(p, n);
	/* what was written stays: of a mapping, and of other memory */
	p = (uint8_t *)(uintptr_t)input_map(at("file"), PROT_READ | PROT_WRITE, &n);
	assert_non_null(p);
	p[page] = 'y';
	mapped_drop(p, size);
	assert_int_equal(p[page], 'y');
	input_unmap(p, n);
	mapped_drop(bytes, size);
	for (i = 0; i < size; i++)
		assert_int_equal(bytes[i], 'x');
	free(bytes);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(replaced), TEST(in_root), TEST(inputs), TEST(dropped), TEST(outputs),
		TEST(own_errors), TEST(children),
		/* last: what became shorter stays so for the process */
		TEST(mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
