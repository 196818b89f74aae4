/* SPDX-License-Identifier: GPL-2.0-only */
/* source.c - maps regular files, and copies pipes into an unlinked file that is mapped as it grows. */
#include "perfdata/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/files/guard.h"
#include "base/files/input.h"
#include "base/files/mapped.h"
#include "base/files/output.h"

/* One step of copying a pipe; also the granularity in which the temporary file grows. */
#define SPOOL_STEP	(1u << 20)

static void source_init(struct pd_source *s)
{
	memset(s, 0, sizeof(*s));
	s->in_fd = -1;
	s->spool_fd = -1;
	s->stop_fd = -1;
}

bool pd_source_is_dir(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int fail_errno(struct error *err, const char *name, const char *what)
{
	return error_set(err, ERR_IO, "%s: cannot %s: %s", name, what, strerror(errno));
}

static int map_file(struct pd_source *s, int fd, uint64_t size, struct error *err)
{
	void *p;

	s->eof = true;
	if (!size)
		return 0;
	if (size > SIZE_MAX / 2)
		return error_set(err, ERR_IO, "%s: %llu bytes are too many to map on this host",
				 s->name, (unsigned long long)size);
	p = mapped_new(fd, (size_t)size, PROT_READ, s->name);
	if (!p)
		return fail_errno(err, s->name, "map it into memory");
	s->base = p;
	s->size = size;
	s->map_len = size;
	return 0;
}

/*
 * The temporary file is mapped once, far beyond its end: pages become readable as the file
 * grows, and no pointer moves. Address space is all this takes; with little of it (ulimit -v)
 * a smaller mapping has to do.
 */
static int map_spool(struct pd_source *s, struct error *err)
{
	uint64_t len = sizeof(size_t) > 4 ? 1ULL << 42 : 1ULL << 30;
	void *p = NULL;

	s->spool_fd = guard_temp(NULL);
	if (s->spool_fd < 0)
		return error_set(err, ERR_IO, "%s: cannot create a temporary file for the piped data: %s; "
				 "set TMPDIR to a writable directory", s->name, strerror(errno));
	for (; len >= 16 * SPOOL_STEP; len /= 2) {
		p = mapped_growing(s->spool_fd, (size_t)len, s->name);
		if (p)
			break;
	}
	if (!p)
		return fail_errno(err, s->name, "map the temporary file of the piped data");
	s->base = p;
	s->map_len = len;
	return 0;
}

/* Records that the file is read; standard output must not go to it. */
static int take_input(struct pd_source *s, const struct stat *st, struct error *err)
{
	struct stat out;

	input_note(st);
	if (!fstat(STDOUT_FILENO, &out) && out.st_dev == st->st_dev && out.st_ino == st->st_ino)
		return error_set(err, ERR_USAGE, "%s: is also standard output; choose another place for that", s->name);
	return 0;
}

/* Takes over `fd`, unless it is standard input. */
static int open_fd(struct pd_source *s, int fd, bool is_stdin, struct error *err)
{
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_errno(err, s->name, "open it");
	if (S_ISDIR(st.st_mode))
		return error_set(err, ERR_USAGE, "%s: is a directory, expected a file", s->name);
	if (S_ISREG(st.st_mode)) {
		rc = take_input(s, &st, err);
		if (rc)
			return rc;
		/* Standard input that was read from already does not start at the file's start. */
		if (!is_stdin || lseek(fd, 0, SEEK_CUR) == 0) {
			rc = map_file(s, fd, (uint64_t)st.st_size, err);
			if (!rc && !is_stdin)
				close(fd);
			return rc;
		}
	}
	rc = map_spool(s, err);
	if (rc)
		return rc;
	s->in_fd = fd;
	s->close_in = !is_stdin;
	return 0;
}

int pd_source_open(struct pd_source *s, const char *path, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd, rc;

	source_init(s);
	s->name = mem_text(is_stdin ? "standard input" : path);
	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	rc = open_fd(s, fd, is_stdin, err);
	if (!rc)
		return 0;
	if (fd >= 0 && !is_stdin)
		close(fd);
	pd_source_close(s);
	return rc;
}

int pd_source_member(struct pd_source *s, const char *path, struct error *err)
{
	struct stat st;
	int fd, rc;

	source_init(s);
	s->name = mem_text(path);
	fd = input_open(path, &st);
	rc = fd < 0 ? error_set(err, ERR_IO, "%s: cannot open it: %s", path, input_error(errno)) :
		      open_fd(s, fd, false, err);
	if (!rc)
		return 0;
	if (fd >= 0)
		close(fd);
	pd_source_close(s);
	return rc;
}

void pd_source_memory(struct pd_source *s, const void *buf, size_t len, const char *name)
{
	source_init(s);
	s->name = mem_text(name);
	s->base = buf;
	s->size = len;
	s->eof = true;
}

int pd_source_fd(struct pd_source *s, int fd, const char *name, struct error *err)
{
	struct stat st;
	int rc;

	source_init(s);
	s->name = mem_text(name);
	rc = fstat(fd, &st) < 0 ? fail_errno(err, name, "open it") :
				  map_file(s, fd, (uint64_t)st.st_size, err);
	if (rc)
		pd_source_close(s);
	return rc;
}

void pd_source_close(struct pd_source *s)
{
	if (s->map_len)
		mapped_free(s->base, (size_t)s->map_len);
	if (s->close_in && s->in_fd >= 0)
		close(s->in_fd);
	if (s->spool_fd >= 0)
		close(s->spool_fd);
	free(s->name);
	source_init(s);
}

/* Waits until the pipe can be read: false if that is to stop. */
static bool wait_for_bytes(const struct pd_source *s)
{
	struct pollfd fds[2] = { { .fd = s->in_fd, .events = POLLIN },
				 { .fd = s->stop_fd, .events = POLLIN } };

	if (s->stop_fd < 0)
		return true;
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	return !fds[1].revents;
}

/* Moves the bytes from `from` on to the begin of the temporary file: 0 or errno. */
static int move_down(const struct pd_source *s, uint64_t from)
{
	const uint64_t len = s->size - s->start;
	uint8_t *buf = mem_new(SPOOL_STEP);
	uint64_t at, n;
	int rc = lseek(s->spool_fd, 0, SEEK_SET) < 0 ? errno : 0;

	for (at = from; at < len && !rc; at += n) {
		n = len - at < SPOOL_STEP ? len - at : SPOOL_STEP;
		memcpy(buf, s->base + at, n);
		rc = output_write_all(s->spool_fd, buf, n);
	}
	free(buf);
	return rc ? rc : ftruncate(s->spool_fd, (off_t)(len - from)) ? errno : 0;
}

void pd_source_forget(struct pd_source *s, uint64_t pos)
{
	uint64_t before = pos > s->start ? pos - s->start : 0;

	/*
	 * so that each byte is moved once at the most, and what is moved is not written over before
	 */
	if (s->spool_fd < 0 || before < SPOOL_STEP || before < s->size - pos)
		return;
	s->io_errno = move_down(s, before);
	if (s->io_errno) {
		s->eof = true;
		s->size = pos;
	}
	s->start = pos;
}

bool pd_source_fill(struct pd_source *s, uint64_t end)
{
	uint8_t *buf;

	if (end <= s->size)
		return true;
	if (s->eof)
		return false;
	buf = mem_new(SPOOL_STEP);
	while (s->size < end && !s->eof) {
		ssize_t n = wait_for_bytes(s) ? read(s->in_fd, buf, SPOOL_STEP) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0 && (uint64_t)n > s->map_len - (s->size - s->start)) {
			errno = EFBIG;
			n = -1;
		}
		if (n > 0) {
			errno = output_write_all(s->spool_fd, buf, (size_t)n);
			n = errno ? -1 : n;
		}
		if (n < 0)
			s->io_errno = errno;
		if (n <= 0)
			s->eof = true;
		else
			s->size += (uint64_t)n;
	}
	free(buf);
	return s->size >= end;
}
