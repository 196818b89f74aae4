/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * archive.c - reads the central directory of a zip archive (APPNOTE.TXT 4.3 and 4.5.3 of PKWARE).
 * All numbers are taken to be hostile: an entry counts only if its header and its bytes lie in the
 * archive.
 */
#include "base/files/archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/files/input.h"
#include "base/ordered.h"

#define END_SIGNATURE		0x06054b50u
#define END_SIZE		22u
#define END_MAX_COMMENT		0xffffu
#define END64_SIGNATURE		0x06064b50u
#define END64_SIZE		56u
#define LOCATOR64_SIGNATURE	0x07064b50u
#define LOCATOR64_SIZE		20u
#define ENTRY_SIGNATURE		0x02014b50u
#define ENTRY_SIZE		46u
#define LOCAL_SIGNATURE		0x04034b50u
#define LOCAL_SIZE		30u
#define EXTRA_ZIP64		1u
#define STORED			0u
#define IN_EXTRA		UINT32_MAX	/* the number is in the extra field of zip64 */

struct bytes {
	const uint8_t *p;
	size_t size;
};

static uint64_t number(const uint8_t *p, unsigned int width)
{
	return ordered_number(p, width, false);
}

/* Returns `len` bytes at `offset`, NULL if they are not all there. */
static const uint8_t *part(struct bytes b, uint64_t offset, uint64_t len)
{
	return offset <= b.size && len <= b.size - offset ? b.p + offset : NULL;
}

static const uint8_t *record(struct bytes b, uint64_t offset, uint64_t len, uint32_t signature)
{
	const uint8_t *p = part(b, offset, len);

	return p && number(p, 4) == signature ? p : NULL;
}

/*
 * Finds the directory: by the record at the end of the archive, or that of zip64 before it. False:
 * this is no archive.
 */
static bool find_directory(struct bytes all, struct bytes *dir)
{
	const uint8_t *end = NULL, *p;
	uint64_t at = all.size >= END_SIZE ? all.size - END_SIZE : 0, first, offset, size;

	first = at > END_MAX_COMMENT ? at - END_MAX_COMMENT : 0;
	while (!(end = record(all, at, END_SIZE, END_SIGNATURE)) && at > first)
		at--;
	if (!end)
		return false;
	size = number(end + 12, 4);
	offset = number(end + 16, 4);
	p = NULL;
	if (at >= LOCATOR64_SIZE)
		p = record(all, at - LOCATOR64_SIZE, LOCATOR64_SIZE, LOCATOR64_SIGNATURE);
	p = p ? record(all, number(p + 8, 8), END64_SIZE, END64_SIGNATURE) : NULL;
	if (p) {
		size = number(p + 40, 8);
		offset = number(p + 48, 8);
	}
	*dir = (struct bytes){ part(all, offset, size), (size_t)size };
	return dir->p;
}

/*
 * Takes sizes and place of an entry from its extra field, in the order of the standard, where the
 * entry says so.
 */
static bool read_extra(struct bytes extra, uint64_t values[3])
{
	const uint8_t *p;
	uint64_t at, id, len, i, from;

	for (at = 0; (p = part(extra, at, 4)); at += 4 + len) {
		id = number(p, 2);
		len = number(p + 2, 2);
		if (!part(extra, at + 4, len))
			return false;
		if (id != EXTRA_ZIP64)
			continue;
		for (i = from = 0; i < 3; i++) {
			if (values[i] != IN_EXTRA)
				continue;
			if (from + 8 > len)
				return false;
			values[i] = number(p + 4 + from, 8);
			from += 8;
		}
		return true;
	}
	return values[0] != IN_EXTRA && values[1] != IN_EXTRA && values[2] != IN_EXTRA;
}

/*
 * Reads the entry `e`, whose header is whole, with `extra` behind the name. False: it is not in the
 * archive.
 */
static bool read_entry(struct bytes all, const uint8_t *e, struct bytes extra,
		       struct archive_member *m)
{
	/* in the order of the extra field: size, size in the archive, offset of the local header */
	uint64_t values[3] = { number(e + 24, 4), number(e + 20, 4), number(e + 42, 4) };
	const uint8_t *local;

	if (!read_extra(extra, values))
		return false;
	local = record(all, values[2], LOCAL_SIZE, LOCAL_SIGNATURE);
	if (!local)
		return false;
	m->start = values[2] + LOCAL_SIZE + number(local + 26, 2) + number(local + 28, 2);
	m->size = values[1];
	m->mappable = number(e + 10, 2) == STORED && values[0] == values[1] &&
		m->start % ARCHIVE_PAGE == 0;
	return part(all, m->start, m->size);
}

static int compare_members(const void *a, const void *b)
{
	const struct archive_member *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->size < y->size ? -1 : x->size > y->size;
}

int archive_read(struct archive *a, const uint8_t *p, size_t size)
{
	const struct bytes all = { p, size };
	struct archive_member m;
	struct bytes dir, extra;
	uint64_t at, next, name_len;
	const uint8_t *e;

	memset(a, 0, sizeof(*a));
	if (!find_directory(all, &dir))
		return EINVAL;
	for (at = 0; (e = record(dir, at, ENTRY_SIZE, ENTRY_SIGNATURE)); at = next) {
		name_len = number(e + 28, 2);
		extra.size = number(e + 30, 2);
		extra.p = part(dir, at + ENTRY_SIZE + name_len, extra.size);
		if (!extra.p)
			break;
		next = at + ENTRY_SIZE + name_len + extra.size + number(e + 32, 2);
		if (!read_entry(all, e, extra, &m) || !m.size)
			continue;
		m.name = (const char *)e + ENTRY_SIZE;
		m.name_len = name_len;
		*ARRAY_ADD(a->v, a->nr, a->cap) = m;
	}
	ARRAY_SORT(a->v, a->nr, compare_members);
	return 0;
}

void archive_free(struct archive *a)
{
	free(a->v);
	memset(a, 0, sizeof(*a));
}

const struct archive_member *archive_at(const struct archive *a, uint64_t offset)
{
	size_t lo = 0, hi = a->nr;
	const struct archive_member *m;

	BISECT(lo, hi, mid, a->v[mid].start <= offset);
	m = lo ? &a->v[lo - 1] : NULL;
	/* m->size is not 0 */
	return m && (offset - m->start) / ARCHIVE_PAGE <= (m->size - 1) / ARCHIVE_PAGE ? m : NULL;
}

const struct archive_member *archive_find(const struct archive *a, const char *name)
{
	size_t i, len = strlen(name);

	for (i = 0; i < a->nr; i++)
		if (a->v[i].name_len == len && !memcmp(a->v[i].name, name, len))
			return &a->v[i];
	return NULL;
}

const char *archive_separator(const char *path)
{
	const char *at = strstr(path, ARCHIVE_SEPARATOR);

	return at && at > path && at[strlen(ARCHIVE_SEPARATOR)] ? at : NULL;
}

/* Finds the member `name` of an archive, whose path is `archive`. Returns 0 or an errno. */
static int locate(const char *archive, const char *name, uint64_t *start, uint64_t *len)
{
	const struct archive_member *m;
	struct archive a;
	size_t size;
	void *p = input_map(archive, PROT_READ, &size);
	int rc = p ? archive_read(&a, p, size) : errno;

	if (!rc) {
		m = archive_find(&a, name);
		rc = !m || !m->mappable ? ENOTSUP : 0;
		*start = rc ? 0 : m->start;
		*len = rc ? 0 : m->size;
		archive_free(&a);
	}
	input_unmap(p, size);
	return rc;
}

int archive_locate(const char *path, struct stat *st, uint64_t *start)
{
	const char *separator = archive_separator(path);
	char *archive;
	uint64_t size;
	int fd, rc;

	if (!separator) {
		errno = ENOENT;
		return -1;
	}
	archive = mem_text_part(path, (size_t)(separator - path));
	rc = locate(archive, separator + strlen(ARCHIVE_SEPARATOR), start, &size);
	fd = rc ? -1 : input_open(archive, st);
	free(archive);
	if (rc)
		errno = rc;
	if (fd >= 0)
		st->st_size = (off_t)size;
	return fd;
}

/* Copies `size` bytes of `fd` to another descriptor. Returns 0, or -1 with errno. */
static int copy_bytes(int to, int fd, uint64_t start, uint64_t size)
{
	static const size_t step = 1u << 16;
	char *buf = mem_new(step);
	uint64_t done;
	ssize_t n = 0;

	for (done = 0; done < size; done += (uint64_t)n) {
		n = pread(fd, buf, size - done < step ? size - done : step, (off_t)(start + done));
		if (n <= 0 || write(to, buf, (size_t)n) != n)
			break;
	}
	free(buf);
	if (done < size && !n)
		errno = EIO;
	return done == size && !lseek(to, 0, SEEK_SET) ? 0 : -1;
}

int archive_open(const char *path, struct stat *st)
{
	uint64_t start;
	int from = archive_locate(path, st, &start), fd;

	if (from < 0)
		return -1;
	fd = memfd_create("member", MFD_CLOEXEC);
	if (fd >= 0 && (copy_bytes(fd, from, start, (uint64_t)st->st_size) || fstat(fd, st))) {
		input_close(fd);
		fd = -1;
	}
	input_close(from);
	return fd;
}
