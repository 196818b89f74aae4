/* SPDX-License-Identifier: GPL-2.0-only */
#include "perfdata/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void output_free(struct pd_output *o)
{
	free(o->path);
	free(o->name);
	free(o->temp);
	memset(o, 0, sizeof(*o));
	o->fd = -1;
}

static int fail_open(struct pd_output *o, struct pd_error *err, const char *what, int error)
{
	int rc = pd_fail(err, error == ENOMEM ? PD_E_NOMEM : PD_E_IO, 0,
			 "%s: cannot %s for writing: %s; choose another place with -o",
			 o->name ? o->name : "output", what, strerror(error));

	output_free(o);
	return rc;
}

/*
 * The directory and the last component of the final name. A link to a file stays a link: the
 * file it points to is replaced.
 */
static char *resolve(const char *path)
{
	char *full = realpath(path, NULL), *copy, *dir, *out = NULL;

	if (full || errno != ENOENT)
		return full;
	copy = strdup(path);
	if (!copy)
		return NULL;
	dir = realpath(dirname(copy), NULL);
	free(copy);
	if (!dir)
		return NULL;
	copy = strdup(path);
	if (copy && asprintf(&out, "%s/%s", dir, basename(copy)) < 0)
		out = NULL;
	free(copy);
	free(dir);
	return out;
}

static char *temp_name(const char *path, unsigned int n)
{
	const char *slash = strrchr(path, '/');
	char *out;

	if (asprintf(&out, "%.*s/.%s.%ld-%u", (int)(slash - path), path, slash + 1, (long)getpid(),
		     n) < 0)
		return NULL;
	return out;
}

/* Without /proc a file without a name could not be given one. */
static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir, link[64];
	int fd;

	dir = slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
	if (!dir)
		return -1;
	fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(dir);
	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (access(link, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

static int open_file(struct pd_output *o)
{
	unsigned int n;

	o->fd = open_nameless(o->path);
	for (n = 0; o->fd < 0 && n < 100; n++) {
		free(o->temp);
		o->temp = temp_name(o->path, n);
		if (!o->temp)
			return ENOMEM;
		o->fd = open(o->temp, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
		if (o->fd < 0 && errno != EEXIST)
			break;
	}
	return o->fd < 0 ? errno : 0;
}

int pd_output_open(struct pd_output *o, const char *path, struct pd_error *err)
{
	struct stat st;
	int error;

	memset(o, 0, sizeof(*o));
	o->fd = -1;
	o->name = strdup(strcmp(path, "-") ? path : "standard output");
	if (!o->name)
		return fail_open(o, err, "open it", ENOMEM);
	if (!strcmp(path, "-")) {
		o->fd = STDOUT_FILENO;
		o->stream = true;
		return 0;
	}
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		if (S_ISDIR(st.st_mode))
			return fail_open(o, err, "open a directory", EISDIR);
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (o->fd < 0)
			return fail_open(o, err, "open it", errno);
		o->stream = true;
		o->own_fd = true;
		return 0;
	}
	o->path = resolve(path);
	if (!o->path)
		return fail_open(o, err, "open it", errno);
	error = open_file(o);
	if (error)
		return fail_open(o, err, "create it", error);
	o->own_fd = true;
	return 0;
}

int pd_output_fd(struct pd_output *o, int fd, const char *name, struct pd_error *err)
{
	memset(o, 0, sizeof(*o));
	o->fd = fd;
	o->name = strdup(name);
	return o->name ? 0 : fail_open(o, err, "open it", ENOMEM);
}

void pd_output_write(struct pd_output *o, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len && !o->error) {
		ssize_t n = write(o->fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			o->error = n < 0 ? errno : ENOSPC;
			return;
		}
		p += n;
		len -= (size_t)n;
		o->written += (uint64_t)n;
	}
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
	char link[64];
	unsigned int n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", o->fd);
	for (n = 0; n < 100; n++) {
		char *temp = temp_name(o->path, n);

		if (!temp)
			return ENOMEM;
		if (!linkat(AT_FDCWD, link, AT_FDCWD, temp, AT_SYMLINK_FOLLOW)) {
			o->temp = temp;
			return 0;
		}
		free(temp);
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

int pd_output_finish(struct pd_output *o, struct pd_error *err)
{
	const char *what = "write it";
	int rc = 0;

	if (!o->error && o->path && !o->temp) {
		o->error = name_file(o);
		what = "give it its name";
	}
	/* Some file systems report a full disk only now. */
	if (o->own_fd && close(o->fd) < 0 && !o->error)
		o->error = errno;
	o->own_fd = false;
	if (!o->error && o->path && rename(o->temp, o->path) < 0) {
		o->error = errno;
		what = "rename the temporary file to it";
	}
	if (o->error) {
		rc = pd_fail(err, PD_E_IO, o->written, "%s: cannot %s after %llu bytes: %s; "
			     "nothing was left under that name by this run", o->name, what,
			     (unsigned long long)o->written, strerror(o->error));
		if (o->temp)
			unlink(o->temp);
	}
	output_free(o);
	return rc;
}

void pd_output_abort(struct pd_output *o)
{
	if (o->own_fd)
		close(o->fd);
	if (o->temp)
		unlink(o->temp);
	output_free(o);
}
