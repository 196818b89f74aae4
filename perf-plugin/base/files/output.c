/* SPDX-License-Identifier: GPL-2.0-only */
/* output.c - writes a file under a temporary name, and gives it its name when it is complete. */
#include "base/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/format.h"
#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/std.h"
#include "base/files/mapped.h"
#include "base/name.h"
#include "base/path.h"

#define MAX_LINKS	40	/* as the kernel */
#define MAX_TEMP	200u	/* bytes of an output's name that its temporary name has */

static void output_free(struct pd_output *o)
{
	free(o->path);
	free(o->name);
	free(o->temp);
	memset(o, 0, sizeof(*o));
	o->fd = -1;
}

static int fail_open(struct pd_output *o, struct error *err, const char *what, int error)
{
	const char *name = o->name ? o->name : "output";
	int rc = error_set(err, ERR_IO,
			   "%s: cannot %s for writing: %s; choose another place with -o", name,
			   what, strerror(error));

	output_free(o);
	return rc;
}

static int set_input_error(struct error *err, const char *name)
{
	return error_set(err, ERR_USAGE, "%s: is one of the files that are read; the output needs another "
			 "name: choose one with -o", name);
}

/* Refuses a regular file that is read: its bytes would be lost, or grow while they are read. */
static int fail_input(struct pd_output *o, struct error *err)
{
	int rc = set_input_error(err, o->name);

	pd_output_abort(o);
	return rc;
}

int output_check(const char *path, const char *name, struct error *err)
{
	struct stat st;

	return !stat(path, &st) && input_noted(&st) ? set_input_error(err, name) : 0;
}

static char *real_path(const char *path)
{
	char *full = realpath(path, NULL);

	if (!full)
		mem_check(errno);
	return full;
}

/* The same folder, with another name in it or a path from it. For the caller to free. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return format_text("%.*s%s", slash && *name != '/' ? (int)(slash + 1 - path) : 0, path, name);
}

/* What a path names whose last component is not there, nor a link. */
static char *new_target(const char *path)
{
	const char *name = path_base(path);
	char *folder, *dir, *out;

	if (!*name) {
		errno = *path ? EISDIR : ENOENT;
		return NULL;
	}
	folder = beside(path, ".");
	dir = real_path(folder);
	free(folder);
	if (!dir)
		return NULL;
	out = format_text("%s/%s", strcmp(dir, "/") ? dir : "", name);
	free(dir);
	return out;
}

char *output_target(const char *path)
{
	char *now = mem_text(path), *full, *next;
	char to[PATH_MAX];
	unsigned int links;
	ssize_t n = 0;

	for (links = 0; !(full = real_path(now)) && errno == ENOENT; links++) {
		/* a link whose file is not there yet */
		n = readlink(now, to, sizeof(to) - 1);
		if (n < 0 || links == MAX_LINKS)
			break;
		to[n] = 0;
		next = beside(now, to);
		free(now);
		now = next;
	}
	if (!full && n < 0)
		full = new_target(now);
	else if (!full && links == MAX_LINKS)
		errno = ELOOP;
	free(now);
	return full;
}

bool output_meets(const struct pd_output *o, const char *path)
{
	struct stat st, own = o->old;
	char *target;
	bool same;

	if (!(strcmp(path, "-") ? stat(path, &st) : fstat(STDOUT_FILENO, &st))) {
		if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
			return false;
		if (o->stream ? fstat(o->fd, &own) : !o->replaces)
			return false;
		return st.st_dev == own.st_dev && st.st_ino == own.st_ino;
	}
	target = o->path ? output_target(path) : NULL;
	same = target && !strcmp(target, o->path);
	free(target);
	return same;
}

char *output_temp_name(const char *path, const char *before, unsigned int n)
{
	const char *slash = strrchr(path, '/'), *name = slash + 1;
	size_t len = strlen(name);

	/* with what is put around it, it must still be a name; not within a character of several bytes */
	if (len > MAX_TEMP)
		for (len = MAX_TEMP; len && ((unsigned char)name[len] & 0xc0) == 0x80; len--)
			;
	return format_text("%.*s/%s%.*s.%ld-%u", (int)(slash - path), path, before, (int)len, name, (long)getpid(), n);
}

/*
 * Opens a file without a name; -1 if the file system has none, or if it could not be given a name
 * (no /proc).
 */
static int open_nameless(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash == path ? mem_text("/") : mem_text_part(path, (size_t)(slash - path)),
		link[64];
	int fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);

	free(dir);
	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!access(link, F_OK))
		return fd;
	close(fd);
	return -1;
}

/* The system applies the umask. What replaces a file is never open to more people than that file. */
static int open_file(struct pd_output *o)
{
	mode_t mode = o->replaces ? o->old.st_mode & 0666 : 0666;
	unsigned int n;

	o->fd = open_nameless(o->path, mode);
	for (n = 0; o->fd < 0 && n < 100; n++) {
		free(o->temp);
		o->temp = output_temp_name(o->path, ".", n);
		o->fd = guard_create(o->temp, mode);
		if (o->fd < 0 && errno != EEXIST)
			break;
	}
	return o->fd < 0 ? errno : 0;
}

/* The target is a terminal, a FIFO or a device. */
static int open_special(struct pd_output *o, const char *path, const struct stat *st, struct error *err)
{
	if (S_ISDIR(st->st_mode))
		return fail_open(o, err, "open a directory", EISDIR);
	o->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (o->fd < 0)
		return fail_open(o, err, "open it", errno);
	o->stream = true;
	o->own_fd = true;
	return 0;
}

static int open_stdout(struct pd_output *o, struct error *err)
{
	struct stat st;

	std_use_output();
	o->fd = STDOUT_FILENO;
	o->stream = true;
	return !fstat(o->fd, &st) && input_noted(&st) ? fail_input(o, err) : 0;
}

int pd_output_open(struct pd_output *o, const char *path, struct error *err)
{
	struct stat st;
	int error;

	memset(o, 0, sizeof(*o));
	o->fd = -1;
	o->name = mem_text(strcmp(path, "-") ? path : "standard output");
	if (!strcmp(path, "-"))
		return open_stdout(o, err);
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			return open_special(o, path, &st, err);
		if (input_noted(&st))
			return fail_input(o, err);
		/* a rename would not mind that the file is write-protected */
		if (access(path, W_OK))
			return fail_open(o, err, "open it", errno);
		o->replaces = true;
		o->old = st;
	}
	o->path = output_target(path);
	if (!o->path)
		return fail_open(o, err, "open it", errno);
	error = open_file(o);
	if (error)
		return fail_open(o, err, "create it", error);
	o->own_fd = true;
	return 0;
}

int pd_output_open_binary(struct pd_output *o, const char *path, struct error *err)
{
	int rc = pd_output_open(o, path, err);

	if (rc || !o->stream || !isatty(o->fd))
		return rc;
	rc = error_set(err, ERR_USAGE, "%s: is a terminal, and the output is not text; write it to a file with -o "
		       "FILE, or to a pipe", o->name);
	pd_output_abort(o);
	return rc;
}

void pd_output_fd(struct pd_output *o, int fd, const char *name)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
	o->name = mem_text(name);
}

/* The kernel answers EFAULT for bytes of a mapped file that are gone: an access says which file it is. */
static void touch(const uint8_t *p, size_t len)
{
	const volatile uint8_t *v = p;
	size_t i;

	for (i = 0; i < len; i++)
		(void)v[i];
}

int output_write_all(int fd, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EFAULT)
			touch(p, len);
		if (n <= 0)
			return n < 0 ? errno : ENOSPC;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

void pd_output_write(struct pd_output *o, const void *data, size_t len)
{
	if (o->error)
		return;
	o->error = output_write_all(o->fd, data, len);
	if (!o->error)
		o->written += len;
}

void pd_output_printf(struct pd_output *o, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = format_args(fmt, args);
	va_end(args);
	pd_output_write(o, text, strlen(text));
	free(text);
}

void pd_output_patch(struct pd_output *o, uint64_t offset, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len && !o->error) {
		ssize_t n = pwrite(o->fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			o->error = n < 0 ? errno : ENOSPC;
			return;
		}
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
}

/* Name a file that has none, next to the final name. */
static int name_file(struct pd_output *o)
{
	unsigned int n;

	for (n = 0; n < 100; n++) {
		char *temp = output_temp_name(o->path, ".", n);

		if (!guard_link(o->fd, temp)) {
			o->temp = temp;
			return 0;
		}
		free(temp);
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

int pd_output_open_named(struct pd_output *o, const char *path, struct error *err)
{
	int rc = pd_output_open(o, path, err);

	if (rc || o->temp)
		return rc;
	if (o->stream) {
		rc = error_set(
			err, ERR_USAGE,
			"%s: is no file, and the output is written in any order; name a file with "
			"-o FILE",
			o->name);
		pd_output_abort(o);
		return rc;
	}
	rc = name_file(o);
	if (!rc)
		return 0;
	close(o->fd);
	return fail_open(o, err, "give it a temporary name", rc);
}

/* As with "> FILE": what is replaced keeps its mode, and its owner where the user may set that. */
static void keep_mode(struct pd_output *o)
{
	struct stat st;

	if (!o->replaces || fstat(o->fd, &st))
		return;
	if ((st.st_uid != o->old.st_uid || st.st_gid != o->old.st_gid) &&
	    fchown(o->fd, o->old.st_uid, o->old.st_gid) && fchown(o->fd, (uid_t)-1, o->old.st_gid))
		return;	/* other people's: the mode is for them, and stays as narrow as it was opened */
	if (fchmod(o->fd, o->old.st_mode & 0777))
		return;
}

/* Checks that the target was not read since the output was opened, and that no input became shorter. */
static int check_inputs(struct pd_output *o, struct error *err)
{
	struct stat st;

	if (mapped_check(err)) {
		pd_output_abort(o);
		return ERR_IO;
	}
	return o->path && !stat(o->path, &st) && input_noted(&st) ? fail_input(o, err) : 0;
}

int pd_output_finish(struct pd_output *o, struct error *err)
{
	const char *what = "write it";
	int rc = o->error ? 0 : check_inputs(o, err);

	if (rc)
		return rc;
	mem_doing("finishing the output");
	keep_mode(o);
	if (!o->error && o->path && !o->temp) {
		o->error = name_file(o);
		if (o->error)
			what = "give it its name";
	}
	/* Some file systems report a full disk only now. */
	if (o->own_fd && close(o->fd) < 0 && !o->error)
		o->error = errno;
	if (!o->error && o->path && guard_rename(o->temp, o->path) < 0) {
		o->error = errno;
		what = "rename the temporary file to it";
	}
	if (o->error) {
		rc = error_set(err, ERR_IO, "%s: cannot %s after %llu bytes: %s; %s", o->name, what,
			       (unsigned long long)o->written, strerror(o->error),
			       o->stream ? "what is there is not whole" : "nothing was left under that name by this run");
		if (o->temp)
			guard_remove(o->temp);
	}
	output_free(o);
	return rc;
}

static int reported(int rc, const char *who, const struct error *err)
{
	if (!rc)
		return 0;
	fprintf(stderr, "%s: %s\n", who, err->msg);
	return ERR_REPORTED;
}

int pd_output_begin(struct pd_output *o, const char *who, const char *path, bool binary)
{
	struct error err = { .code = 0 };

	return reported(binary ? pd_output_open_binary(o, path, &err) :
				 pd_output_open(o, path, &err), who, &err);
}

int pd_output_begin_named(struct pd_output *o, const char *who, const char *path)
{
	struct error err = { .code = 0 };

	return reported(pd_output_open_named(o, path, &err), who, &err);
}

int pd_output_end(struct pd_output *o, const char *who)
{
	struct error err = { .code = 0 };

	return reported(pd_output_finish(o, &err), who, &err);
}

void pd_output_abort(struct pd_output *o)
{
	if (o->own_fd)
		close(o->fd);
	if (o->temp)
		guard_remove(o->temp);
	output_free(o);
}

int pd_output_drop(struct pd_output *o, struct error *err)
{
	if (o->stream)
		return pd_output_finish(o, err);
	pd_output_abort(o);
	return 0;
}

int pd_output_end_if(struct pd_output *o, const char *who, bool anything)
{
	if (anything || o->stream)
		return pd_output_end(o, who);
	fprintf(stderr, "%s: %s: not written: there would be nothing in it\n", who,
		name_shown(o->name));
	pd_output_abort(o);
	return 0;
}
