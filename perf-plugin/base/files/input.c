/* SPDX-License-Identifier: GPL-2.0-only */
/* input.c - opens, maps and reads regular files, and keeps in mind which they were. */
#include "base/files/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/archive.h"
#include "base/files/mapped.h"

#define FIRST_READ	(1u << 16)

static bool regular(const struct stat *st)
{
	if (S_ISREG(st->st_mode))
		return true;
	errno = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
	return false;
}

void input_close(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

static int open_file(const char *path, struct stat *st)
{
	int fd;

	/* a FIFO is not opened: its writer would continue, and find no reader when it is closed again */
	if (stat(path, st) || !regular(st))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && regular(st))
		return fd;
	close(fd);
	return -1;
}

/* True if `path` is no file, and names a member of an archive. */
static bool is_member(const char *path)
{
	return (errno == ENOENT || errno == ENOTDIR) && archive_separator(path);
}

int input_peek(const char *path, struct stat *st)
{
	int fd = open_file(path, st);

	return fd < 0 && is_member(path) ? archive_open(path, st) : fd;
}

static int note(int fd, const struct stat *st)
{
	if (fd >= 0)
		input_note(st);
	return fd;
}

int input_open(const char *path, struct stat *st)
{
	return note(input_peek(path, st), st);
}

/*
 * Opens a file to be mapped from *start on: a member of an archive in its place, if pages of this
 * machine begin there.
 */
static int open_part(const char *path, struct stat *st, uint64_t *start)
{
	int fd = note(open_file(path, st), st);

	*start = 0;
	if (fd >= 0 || !is_member(path))
		return fd;
	fd = archive_locate(path, st, start);
	if (fd < 0 || !(*start % (uint64_t)sysconf(_SC_PAGESIZE)))
		return fd;
	close(fd);
	*start = 0;
	return archive_open(path, st);
}

void *input_map(const char *path, int prot, size_t *size)
{
	struct stat st;
	uint64_t start;
	int fd = open_part(path, &st, &start);
	void *p = "";

	if (fd < 0)
		return NULL;
	if ((uintmax_t)st.st_size > SIZE_MAX / 2) {
		p = NULL;
		errno = EFBIG;
	} else if (st.st_size) {
		p = mapped_part(fd, start, (size_t)st.st_size, prot, path);
	}
	input_close(fd);
	*size = p ? (size_t)st.st_size : 0;
	return p;
}

void input_unmap(const void *p, size_t size)
{
	if (p && size)
		mapped_free(p, size);
}

/* Files of /proc have no size, so they are read until they end. 0 or errno. */
static int read_all(int fd, size_t max, char **text, size_t *size)
{
	size_t len = 0, cap = max < FIRST_READ ? max : FIRST_READ;
	ssize_t n;

	*text = mem_new(cap + 1);
	/* reading max + 1 bytes shows whether the file is larger */
	while ((n = read(fd, *text + len, cap + 1 - len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		len += (size_t)n;
		if (len > max)
			return EFBIG;
		if (len <= cap)
			continue;
		cap = cap > max / 2 ? max : 2 * cap;
		*text = mem_more(*text, cap + 1, 1);
	}
	(*text)[len] = 0;
	*size = len;
	return 0;
}

char *input_read(const char *path, size_t max, size_t *size)
{
	struct stat st;
	int fd = input_open(path, &st), error;
	char *text;

	if (fd < 0)
		return NULL;
	error = read_all(fd, max, &text, size);
	close(fd);
	if (!error)
		return text;
	free(text);
	errno = error;
	return NULL;
}

const char *input_error(int error)
{
	return error == EINVAL ? "not a regular file" : strerror(error);
}
