/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * archive.h - the members of a zip archive, of which programs map code: libraries of an APK, which
 * are stored as they are and aligned to pages. A member has the name "ARCHIVE!/MEMBER", as Android
 * writes it.
 */
#ifndef CSTRACE_BASE_FILES_ARCHIVE_H
#define CSTRACE_BASE_FILES_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define ARCHIVE_SEPARATOR "!/"

struct archive_member {
	const char *name;	/* in the archive's bytes, without a zero behind it */
	size_t name_len;
	uint64_t start, size;	/* of its bytes as they are in the archive */
	bool mappable;		/* not compressed, and at a multiple of ARCHIVE_PAGE */
};

/* The smallest page of an Arm processor: what is not at a multiple of it cannot be mapped. */
#define ARCHIVE_PAGE 4096u

struct archive {
	struct archive_member *v;	/* by start */
	size_t nr, cap;
};

/*
 * Reads the directory of an archive of `size` bytes at `p`, which the caller keeps. Entries that
 * lie outside of the archive are left out. Returns 0, or EINVAL: no zip archive.
 */
int archive_read(struct archive *a, const uint8_t *p, size_t size);
void archive_free(struct archive *a);
/* Returns the member with the byte at `offset`, or in the rest of its last page; NULL: none has. */
const struct archive_member *archive_at(const struct archive *a, uint64_t offset);
/* Returns the member of this name, NULL if there is none. */
const struct archive_member *archive_find(const struct archive *a, const char *name);

/* Returns the part of "ARCHIVE!/MEMBER" from the separator on, NULL: `path` names no member. */
const char *archive_separator(const char *path);
/*
 * Opens the archive of the member that `path` names, whose first byte is at *start, and which has
 * st->st_size bytes. Returns as archive_open().
 */
int archive_locate(const char *path, struct stat *st, uint64_t *start);
/*
 * Opens the member that `path` names, as a file of its own: a copy. Returns a descriptor, or -1
 * with errno; ENOTSUP: there is none, or it is compressed or not aligned, so that no program can
 * have mapped it.
 */
int archive_open(const char *path, struct stat *st);

#endif
