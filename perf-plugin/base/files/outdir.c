/* SPDX-License-Identifier: GPL-2.0-only */
/* outdir.c - builds a folder under a temporary name and renames it when it is complete. */
#include "base/files/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/mapped.h"
#include "base/files/output.h"
#include "base/format.h"
#include "base/name.h"

#define COPY_STEP	(1u << 17)

static int failed(const struct outdir *d, struct error *err, const char *name, const char *what)
{
	return error_set(err, ERR_IO, "%s: cannot %s %s: %s; nothing was left under that name by this run",
			 d->path, what, name, strerror(errno));
}

static void release(struct outdir *d)
{
	free(d->path);
	free(d->target);
	free(d->temp);
	memset(d, 0, sizeof(*d));
}

/* True if the folder has the file that all folders of the kind have. */
static bool is_kind(DIR *dir, const struct outdir_kind *kind)
{
	const size_t want = strlen(kind->begins);
	char head[128];
	ssize_t n = -1;
	int fd;

	if (want > sizeof(head))
		return false;
	fd = openat(dirfd(dir), kind->file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, head, want);
		close(fd);
	}
	return n == (ssize_t)want && !memcmp(head, kind->begins, want);
}

static bool is_file(DIR *dir, const char *name)
{
	struct stat st;

	return !fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/* What is wrong with the target; NULL: nothing is there, or a folder that can be replaced, one of the kind if *replaces. */
static const char *occupied(const char *path, const struct outdir_kind *kind, bool *replaces)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t n = 0, foreign = 0;

	*replaces = false;
	if (!dir) {
		mem_check(errno);
		return errno == ENOENT ? NULL : errno == ENOTDIR ? "is there and no folder" : strerror(errno);
	}
	while ((e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		n++;
		foreign += !kind || !kind->has(e->d_name) || !is_file(dir, e->d_name);
	}
	*replaces = n && kind && is_kind(dir, kind);
	closedir(dir);
	if (!n || (*replaces && !foreign))
		return NULL;
	return *replaces ? "has other files in it, too" : "is a folder with something in it";
}

static int no_folder(const struct outdir *d, struct error *err)
{
	return error_set(err, ERR_IO,
			 "%s: cannot make the folder: %s; choose another place with -o", d->path,
			 strerror(errno));
}

int outdir_open(struct outdir *d, const char *path, struct error *err)
{
	return outdir_open_kind(d, path, NULL, err);
}

int outdir_open_kind(struct outdir *d, const char *path, const struct outdir_kind *kind, struct error *err)
{
	size_t n = strlen(path);
	const char *bad;
	unsigned int try;
	int rc;

	memset(d, 0, sizeof(*d));
	if (!strcmp(path, "-"))
		return error_set(err, ERR_USAGE, "-: standard output cannot be a folder; give the name of one, as ./-");
	d->kind = kind;
	while (n > 1 && path[n - 1] == '/')
		n--;
	d->path = mem_text_part(path, n);
	d->target = output_target(d->path);
	if (!d->target) {
		rc = no_folder(d, err);
		release(d);
		return rc;
	}
	bad = occupied(d->target, kind, &d->replaces);
	if (bad) {
		rc = error_set(err, ERR_IO, "%s: %s; give a folder that does not exist yet, or an empty one%s%s",
			       path, bad, kind ? ", or an earlier " : "", kind ? kind->name : "");
		release(d);
		return rc;
	}
	for (try = 0; try < 100; try++) {
		free(d->temp);
		d->temp = output_temp_name(d->target, "", try);
		if (!guard_mkdir(d->temp, 0777))
			return 0;
		if (errno != EEXIST)
			break;
	}
	rc = no_folder(d, err);
	release(d);
	return rc;
}

/* No empty component, no "." and "..": they would collide, or lead out. */
static bool stays_inside(const char *name)
{
	const char *p = name, *end;

	for (;;) {
		end = strchrnul(p, '/');
		if (end == p || (end - p == 1 && p[0] == '.') || (end - p == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		if (!*end)
			return true;
		p = end + 1;
	}
}

char *outdir_path(struct outdir *d, const char *name, struct error *err)
{
	char *path, *slash;

	if (!stays_inside(name)) {
		error_set(err, ERR_USAGE, "%s: '%s' is no name of a file inside it", d->path, name);
		return NULL;
	}
	path = format_text("%s/%s", d->temp, name);
	for (slash = strchr(path + strlen(d->temp) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (guard_mkdir(path, 0777) < 0 && errno != EEXIST) {
			failed(d, err, name, "make the folder of");
			free(path);
			return NULL;
		}
		*slash = '/';
	}
	guard_name(path);
	return path;
}

bool outdir_has(const struct outdir *d, const char *name)
{
	char *path = format_text("%s/%s", d->temp, name);
	struct stat st;
	bool has = !lstat(path, &st);

	free(path);
	return has;
}

static int open_file(struct outdir *d, const char *name, int flags, struct error *err)
{
	char *path = outdir_path(d, name, err);
	int fd;

	if (!path)
		return -1;
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC | flags, 0666);
	free(path);
	if (fd < 0)
		failed(d, err, name, "create");
	return fd;
}

int outdir_create(struct outdir *d, const char *name, struct error *err)
{
	return open_file(d, name, O_EXCL, err);
}

int outdir_write(struct outdir *d, int fd, const char *name, const void *data, size_t len,
		 struct error *err)
{
	int error = output_write_all(fd, data, len);

	if (!error)
		return 0;
	errno = error;
	return failed(d, err, name, "write");
}

static int close_file(struct outdir *d, int fd, const char *name, int rc, struct error *err)
{
	if (close(fd) < 0 && !rc)
		rc = failed(d, err, name, "write");
	return rc;
}

static int write_file(struct outdir *d, const char *name, int flags, const void *data, size_t len,
		      struct error *err)
{
	int fd = open_file(d, name, flags, err);

	if (fd < 0)
		return err ? err->code : ERR_IO;
	return close_file(d, fd, name, outdir_write(d, fd, name, data, len, err), err);
}

int outdir_file(struct outdir *d, const char *name, const void *data, size_t len, struct error *err)
{
	return write_file(d, name, O_EXCL, data, len, err);
}

int outdir_append(struct outdir *d, const char *name, const void *data, size_t len,
		  struct error *err)
{
	return write_file(d, name, O_APPEND, data, len, err);
}

int outdir_copy(struct outdir *d, const char *name, const char *from, struct error *err)
{
	struct stat st;
	int in = input_open(from, &st), out, rc = 0;
	char *buf;
	ssize_t n;

	if (in < 0)
		return error_set(err, ERR_IO, "%s: cannot be read: %s", from, input_error(errno));
	out = outdir_create(d, name, err);
	if (out < 0) {
		close(in);
		return err ? err->code : ERR_IO;
	}
	buf = mem_new(COPY_STEP);
	while (!rc && (n = read(in, buf, COPY_STEP)) != 0) {
		if (n < 0 && errno != EINTR)
			rc = error_set(err, ERR_IO, "%s: cannot be read: %s", from, strerror(errno));
		else if (n > 0)
			rc = outdir_write(d, out, name, buf, (size_t)n, err);
	}
	free(buf);
	close(in);
	return close_file(d, out, name, rc, err);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	guard_remove(path);
	return 0;
}

static void remove_temp(const char *temp)
{
	/* what this run made needs no descriptor, of which none may be left; a folder that was replaced does */
	guard_remove_below(temp);
	if (!access(temp, F_OK) && (nftw(temp, remove_entry, 1, FTW_DEPTH | FTW_PHYS) || !access(temp, F_OK)))
		fprintf(stderr, "cstrace: %s: the folder stays there, since it cannot be removed: %s\n", name_shown(temp),
			strerror(errno));
}

void outdir_abort(struct outdir *d)
{
	if (d->temp)
		remove_temp(d->temp);
	release(d);
}

/*
 * Gives the folder the name of the one that it replaces, which is removed then. Both names are exchanged at once; a signal
 * removes what has the temporary name. Not all file systems can do that: there the old one is moved away first.
 */
static int replace(struct outdir *d)
{
	bool still;
	char *old = NULL;
	int rc;

	if (occupied(d->target, d->kind, &still) || !still) {
		errno = ENOTEMPTY;	/* it was changed since outdir_open_kind() */
		return -1;
	}
	if (!guard_exchange(d->temp, d->target))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	old = format_text("%s-old", d->temp);
	rc = rename(d->target, old);
	if (!rc) {
		rc = guard_rename(d->temp, d->target);
		if (rc)
			rename(old, d->target);
	}
	if (!rc) {
		free(d->temp);
		d->temp = old;
		return 0;
	}
	free(old);
	return -1;
}

int outdir_finish(struct outdir *d, struct error *err)
{
	int rc = mapped_check(err);
	bool replaced = false;
	struct stat st;

	/* an empty folder that is replaced keeps its mode */
	if (!rc && !stat(d->target, &st) && chmod(d->temp, st.st_mode & 0777) < 0)
		rc = failed(d, err, d->target, "set the mode of the temporary folder for");
	else if (!rc && d->replaces && replace(d))
		rc = failed(d, err, d->target, "rename the temporary folder to");
	else if (!rc && d->replaces)
		replaced = true;
	else if (!rc && guard_rename(d->temp, d->target) < 0)
		rc = failed(d, err, d->target, "rename the temporary folder to");
	/* what has the temporary name when a folder was replaced is the old one */
	if (rc || replaced)
		outdir_abort(d);
	else
		release(d);
	return rc;
}
