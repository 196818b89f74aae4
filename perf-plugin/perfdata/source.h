/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - the bytes of one input, always as a read-only mapping. A regular file is mapped directly; the bytes of a
 * pipe are copied to an unlinked temporary file as far as the reader needs them, and that file is mapped. So pointers stay valid until the source is closed, both kinds can be
 * read twice, and neither costs anonymous memory.
 */
#ifndef CSTRACE_PERFDATA_SOURCE_H
#define CSTRACE_PERFDATA_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pd_source {
	const uint8_t *base;	/* the byte at @start */
	uint64_t start;	/* of a pipe: bytes that were forgotten; else 0 */
	uint64_t size;	/* end of the bytes available so far; of all of them once @eof */
	bool eof;
	char *name;		/* for messages */
	uint64_t map_len;	/* 0: the memory belongs to the caller */
	int in_fd;		/* the pipe, -1 otherwise */
	int spool_fd;
	bool close_in;
	int stop_fd;	/* what is read of a pipe ends when this can be read; -1: none */
	int io_errno;		/* why reading the pipe ended early, 0 otherwise */
};

/* The bytes from @pos on, which must be available. */
static inline const uint8_t *pd_source_at(const struct pd_source *s, uint64_t pos)
{
	return s->base + (pos - s->start);
}

/* @path may be "-" for standard input. A directory is refused; see pd_source_is_dir(). */
int pd_source_open(struct pd_source *s, const char *path, struct error *err);
/* A file that the user did not name, in a perf.data directory: it must be a regular file. */
int pd_source_member(struct pd_source *s, const char *path, struct error *err);
void pd_source_memory(struct pd_source *s, const void *buf, size_t len, const char *name);
/* A regular file that is open; it may be closed afterwards. */
int pd_source_fd(struct pd_source *s, int fd, const char *name, struct error *err);
void pd_source_close(struct pd_source *s);

/*
 * Make the bytes up to @end available. False when the input ends before; s->size then says how
 * much there is.
 */
bool pd_source_fill(struct pd_source *s, uint64_t end);

/*
 * The bytes of a pipe before @pos are not needed any more: the temporary file gets their room.
 * Their addresses, and those of all other bytes, are not valid any more.
 */
void pd_source_forget(struct pd_source *s, uint64_t pos);

static inline bool pd_source_have(struct pd_source *s, uint64_t off, uint64_t len)
{
	uint64_t end;

	if (__builtin_add_overflow(off, len, &end))
		return false;
	return end <= s->size || pd_source_fill(s, end);
}

bool pd_source_is_dir(const char *path);

#endif
