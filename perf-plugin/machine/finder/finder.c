/* SPDX-License-Identifier: GPL-2.0-only */
/* finder.c - the list of places, tried in its order, and what proves that a file is the right one. */
#include "machine/finder/finder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/files/input.h"
#include "base/files/mapped.h"
#include "base/format.h"
#include "base/name.h"
#include "base/path.h"
#include "machine/finder/elf_links.h"

/* The checksum is of the whole file. Debug files of the largest programs have about this size. */
#define MAX_SUM		(2ull << 30)
#define SUM_STEP	(16u << 20)

#define DEBUG_ROOT	"/usr/lib/debug"

struct search {
	const struct finder *f;
	const struct find_query *q;
	char id[2 * BUILD_ID_MAX + 1];	/* "": unknown */
	const char *target;		/* the path of `file` in the root */
	unsigned int nth;		/* among the consecutive places of one function */
};

/* ---- the places: each function returns a path to be freed, NULL if there is no such place ---------- */

/* The part of a path that is below --symfs; NULL: it is not. */
static const char *below_root(const struct finder *f, const char *file)
{
	size_t n = f->symfs ? strlen(f->symfs) : 0;

	while (n && f->symfs[n - 1] == '/')
		n--;
	return f->symfs && file && !strncmp(file, f->symfs, n) && file[n] == '/' ? file + n : NULL;
}

static int dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) : -1;
}

static char *of_root(const struct search *s, char *path)
{
	char *whole = path ? finder_path(s->f, path) : NULL;

	free(path);
	return whole;
}

/* `name` in the folder of a file, where links below --symfs stay there. */
static char *beside(const struct search *s, const char *file, const char *between, const char *name)
{
	const char *inside = below_root(s->f, file);
	const char *at = inside ? inside : file;
	int n = dir_len(at);
	char *path = n < 0 ? format_text("./%s%s", between, name) : format_text("%.*s/%s%s", n, at, between, name);

	return inside ? of_root(s, path) : path;
}

static char *by_id_of_root(const struct search *s)
{
	return s->id[0] ? of_root(s, format_text(DEBUG_ROOT "/.build-id/%.2s/%s.debug", s->id, s->id + 2)) : NULL;
}

/* A folder of debug files alone that was given as root. */
static char *by_id_of_folder(const struct search *s)
{
	return s->id[0] && s->f->symfs ? of_root(s, format_text("/.build-id/%.2s/%s.debug", s->id, s->id + 2)) : NULL;
}

static char *by_cache(const struct search *s)
{
	return finder_cache_path(s->f, &s->q->id, "/debug");
}

static char *by_link_beside(const struct search *s)
{
	return s->q->link ? beside(s, s->q->file, "", path_base(s->q->link)) : NULL;
}

static char *by_link_below(const struct search *s)
{
	return s->q->link ? beside(s, s->q->file, ".debug/", path_base(s->q->link)) : NULL;
}

static char *by_link_of_root(const struct search *s)
{
	int n = s->target && s->target[0] == '/' ? dir_len(s->target) : -1;

	return n < 0 || !s->q->link ? NULL :
	       of_root(s, format_text(DEBUG_ROOT "%.*s/%s", n, s->target, path_base(s->q->link)));
}

static char *by_path_of_root(const struct search *s)
{
	return s->target && s->target[0] == '/' ? of_root(s, format_text(DEBUG_ROOT "%s.debug", s->target)) : NULL;
}

static char *by_debuginfod(const struct search *s)
{
	return finder_debuginfod_path(s->nth, &s->q->id, "debuginfo");
}

static char *by_asking(const struct search *s)
{
	return finder_ask(s->f, &s->q->id, "debuginfo");
}

/* The name as it stands: from the root, or from the folder of the file that has it. */
static char *by_whole_name(const struct search *s)
{
	return s->q->link[0] == '/' ? finder_path(s->f, s->q->link) : beside(s, s->q->file, "", s->q->link);
}

static char *by_name_of_program(const struct search *s)
{
	return s->q->program && s->q->link[0] != '/' ? beside(s, s->q->program, "", s->q->link) : NULL;
}

static char *by_name_of_compilation(const struct search *s)
{
	return s->q->dir && s->q->dir[0] == '/' && s->q->link[0] != '/' ?
	       of_root(s, format_text("%s/%s", s->q->dir, s->q->link)) : NULL;
}

static char *by_base_of_program(const struct search *s)
{
	return s->q->program ? beside(s, s->q->program, "", path_base(s->q->link)) : NULL;
}

static char *package_of(const struct search *s, const char *file)
{
	char *name = file ? format_text("%s.dwp", path_base(file)) : NULL;
	char *path = name ? beside(s, file, "", name) : NULL;

	free(name);
	return path;
}

static char *by_package(const struct search *s)
{
	return package_of(s, s->q->file);
}

static char *by_package_of_program(const struct search *s)
{
	return package_of(s, s->q->program);
}

static char *by_package_of_root(const struct search *s)
{
	return s->target && s->target[0] == '/' ? of_root(s, format_text(DEBUG_ROOT "%s.dwp", s->target)) : NULL;
}

#define BIT(what) (1u << (what))

#define CACHES	"in the build-id cache and debuginfod's"

static const struct {
	unsigned int what;		/* bits of enum find_what */
	char *(*path)(const struct search *s);
	const char *name;		/* for messages; NULL: the path is the name */
} places[] = {
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_id_of_root, "in " DEBUG_ROOT "/.build-id" },
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_id_of_folder, "in .build-id of --symfs" },
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_cache, CACHES },
	{ BIT(FIND_DEBUG), by_link_beside, "beside it" },
	{ BIT(FIND_DEBUG), by_link_below, "in .debug beside it" },
	{ BIT(FIND_DEBUG), by_link_of_root, "by path in " DEBUG_ROOT },
	{ BIT(FIND_DEBUG), by_path_of_root, "by path in " DEBUG_ROOT },
	{ BIT(FIND_ALT) | BIT(FIND_DWO), by_whole_name, NULL },
	{ BIT(FIND_DWO), by_name_of_program, NULL },
	{ BIT(FIND_DWO), by_name_of_compilation, NULL },
	{ BIT(FIND_DWO), by_link_beside, NULL },
	{ BIT(FIND_DWO), by_base_of_program, NULL },
	{ BIT(FIND_DWP), by_package, NULL },
	{ BIT(FIND_DWP), by_package_of_program, NULL },
	{ BIT(FIND_DWP), by_package_of_root, NULL },
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_debuginfod, CACHES },
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_debuginfod, CACHES },
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_debuginfod, CACHES },
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_debuginfod, CACHES },
	{ BIT(FIND_DEBUG) | BIT(FIND_ALT), by_asking, "at debuginfod's servers" },
};

/* ---- what proves a file ------------------------------------------------------------------------------- */

static uint32_t sum_of(const uint8_t *p, size_t size)
{
	uLong sum = crc32(0, NULL, 0);
	size_t at, n;

	for (at = 0; at < size; at += n) {
		n = size - at < SUM_STEP ? size - at : SUM_STEP;
		sum = crc32(sum, p + at, (uInt)n);
	}
	return (uint32_t)sum;
}

/* Compares the segments of the file that has the link with those of the candidate. */
static enum find_verdict by_layout(const struct search *s, const void *data, size_t size)
{
	size_t own_size;
	const void *own = input_map(s->q->file, PROT_READ, &own_size);
	Elf *a = own ? elf_links_open(own, own_size) : NULL, *b = elf_links_open(data, size);
	bool same = a && b && elf_links_same_layout(a, b);

	elf_links_close(a);
	elf_links_close(b);
	input_unmap(own, own_size);
	return same ? FIND_USED : FIND_OTHER_CODE;
}

static enum find_verdict prove(const struct search *s, const void *data, size_t size, bool *assumed)
{
	const struct find_query *q = s->q;
	struct elf_links l;

	if (!elf_links_read(data, size, &l))
		return FIND_NOT_ELF;
	if (q->what >= FIND_DWO)
		return FIND_USED;	/* its units have numbers, which the caller compares */
	if (q->id.len)
		return build_id_equal(&q->id, &l.id) ? FIND_USED : FIND_OTHER_ID;
	if (q->what == FIND_DEBUG && q->link) {
		if (size > MAX_SUM)
			return FIND_LARGE;
		return sum_of(data, size) == q->crc ? FIND_USED : FIND_OTHER_SUM;
	}
	*assumed = true;
	return by_layout(s, data, size);
}

static enum find_verdict of_errno(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return FIND_ABSENT;
	case EISDIR:
	case EINVAL:
		return FIND_NOT_REGULAR;
	case ENOMEM:
		mem_refused(0);
	}
	return FIND_UNREADABLE;
}

static enum find_verdict try_path(const struct search *s, const char *path, bool *assumed)
{
	enum find_verdict verdict;
	struct stat st;
	int fd = input_peek(path, &st);
	void *p;

	*assumed = false;
	if (fd < 0)
		return of_errno(errno);
	if (!st.st_size) {	/* debuginfod's clients note so that there is no such file */
		close(fd);
		return FIND_ABSENT;
	}
	errno = EFBIG;
	p = (uintmax_t)st.st_size > SIZE_MAX / 2 ? NULL :
	    mapped_new(fd, (size_t)st.st_size, PROT_READ, path);
	verdict = p ? prove(s, p, (size_t)st.st_size, assumed) : of_errno(errno == EINVAL ? EIO : errno);
	if (p)
		mapped_free(p, (size_t)st.st_size);
	close(fd);
	return verdict;
}

static bool tried(const struct finding *found, const char *path)
{
	size_t i;

	for (i = 0; i < found->nr; i++)
		if (!strcmp(found->v[i].path, path))
			return true;
	return false;
}

bool finder_search(const struct finder *f, const struct find_query *q, struct finding *found)
{
	struct search s = { .f = f, .q = q, .target = below_root(f, q->file) };
	struct find_try *t;
	size_t i;

	*found = (struct finding){ .path = NULL };
	if (!s.target)
		s.target = f->symfs || !q->file || q->file[0] != '/' ? q->path : q->file;
	build_id_text(&q->id, s.id);
	for (i = 0; i < sizeof(places) / sizeof(places[0]) && !found->path; i++) {
		char *path;

		s.nth = i && places[i].path == places[i - 1].path ? s.nth + 1 : 0;
		path = places[i].what & BIT(q->what) ? places[i].path(&s) : NULL;
		/* a program may be its own debug file by its links, which was looked at before */
		t = path && !tried(found, path) && strcmp(path, q->file) ? ARRAY_ADD(found->v, found->nr, found->cap) : NULL;
		if (!t) {
			free(path);
			continue;
		}
		*t = (struct find_try){ .path = path, .place = places[i].name,
					.verdict = try_path(&s, path, &found->assumed) };
		if (t->verdict == FIND_USED)
			found->path = mem_text(path);
	}
	return found->path;
}

void finding_free(struct finding *found)
{
	size_t i;

	for (i = 0; i < found->nr; i++)
		free(found->v[i].path);
	free(found->v);
	free(found->path);
	*found = (struct finding){ .path = NULL };
}

static const char *const verdicts[] = {
	[FIND_USED] = "is used", [FIND_ABSENT] = "is not there", [FIND_NOT_REGULAR] = "is not a regular file",
	[FIND_UNREADABLE] = "cannot be read", [FIND_NOT_ELF] = "is not an ELF file",
	[FIND_OTHER_ID] = "has another build-id", [FIND_OTHER_SUM] = "has another checksum (.gnu_debuglink)",
	[FIND_OTHER_CODE] = "has other segments", [FIND_LARGE] = "is too large for a checksum",
};

static void put_refused(FILE *out, const struct finding *found)
{
	size_t i;

	for (i = 0; i < found->nr; i++)
		if (found->v[i].verdict != FIND_ABSENT)
			fprintf(out, "%s %s; ", name_shown(found->v[i].path), verdicts[found->v[i].verdict]);
}

/* Places that have no file: each name once, those of one name are not far from each other. */
static void put_absent(FILE *out, const struct finding *found)
{
	const char *between = "it is not ";
	size_t i, k;

	for (i = 0; i < found->nr; i++) {
		const char *place = found->v[i].place;

		for (k = 0; place && k < i && (!found->v[k].place || strcmp(found->v[k].place, place)); k++)
			;
		if (found->v[i].verdict != FIND_ABSENT || (place && k < i))
			continue;
		if (place)
			fprintf(out, "%s%s", between, place);
		else
			fprintf(out, "%sat %s", between, name_shown(found->v[i].path));
		between = ", ";
	}
}

char *finding_text(const struct finding *found)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		mem_refused(0);
	put_refused(out, found);
	put_absent(out, found);
	if (!found->nr)
		fprintf(out, "nothing says where it is");
	if (fclose(out) || !text)
		mem_refused(0);
	return text;
}
