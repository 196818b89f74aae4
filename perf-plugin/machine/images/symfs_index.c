/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symfs_index.c - index of the files below the --symfs directory by base name and build-id. It is built when a recorded
 * path is not found; build-ids are read when one is first searched.
 */
#include <elf.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/files/input.h"
#include "base/messages.h"
#include "machine/finder/elf_links.h"
#include "machine/images/dso_table.h"

/* limit of files, so that --symfs=/ on a large machine takes seconds */
#define MAX_FILES 200000

struct symfs_file {
	char *path;
	const char *name;
	struct build_id id;
};

struct symfs_index {
	struct symfs_file *files;
	size_t nr, cap;
	bool ids_read;
};

static int compare_files(const void *a, const void *b)
{
	const struct symfs_file *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : strcmp(x->path, y->path);
}

static void add_file(struct symfs_index *ix, const char *path, size_t name_len)
{
	char *copy = mem_text(path);
	struct symfs_file *f = ARRAY_ADD(ix->files, ix->nr, ix->cap);

	memset(f, 0, sizeof(*f));
	f->path = copy;
	f->name = copy + strlen(copy) - name_len;
}

static void walk(struct symfs_index *ix, const char *dir)
{
	char *roots[2] = { (char *)dir, NULL };
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	FTSENT *e = NULL;

	while (fts && ix->nr < MAX_FILES && (e = fts_read(fts)))
		if (e->fts_info == FTS_F && e->fts_statp->st_size)
			add_file(ix, e->fts_path, e->fts_namelen);
	/* fts_read() sets errno to 0 after the last file */
	if (!e)
		mem_check(errno);
	if (ix->nr == MAX_FILES)
		fprintf(message_stream(), "cstrace: warning: %s holds more than %d files; files are searched for by "
			"name and build-id in the first %d only\n", dir, MAX_FILES, MAX_FILES);
	if (fts)
		fts_close(fts);
	ARRAY_SORT(ix->files, ix->nr, compare_files);
}

static struct symfs_index *get_index(struct dso_search *s)
{
	if (!s->index && s->symfs) {
		s->index = mem_zeroed(1, sizeof(*s->index));
		walk(s->index, s->symfs);
	}
	return s->index;
}

static void read_ids(struct symfs_index *ix)
{
	char magic[SELFMAG];
	struct stat st;
	size_t i;
	int fd;

	ix->ids_read = true;
	for (i = 0; i < ix->nr; i++) {
		fd = input_peek(ix->files[i].path, &st);
		if (fd < 0)
			continue;
		if (pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
			elf_file_build_id(fd, (size_t)st.st_size, ix->files[i].path, &ix->files[i].id);
		close(fd);
	}
}

const char *symfs_by_build_id(struct dso_search *s, const struct build_id *id)
{
	struct symfs_index *ix = get_index(s);
	size_t i, n;

	if (!ix)
		return NULL;
	if (!ix->ids_read)
		read_ids(ix);
	for (i = 0; i < ix->nr; i++) {
		n = strlen(ix->files[i].name);
		/* a program and its debug file have the same build-id, and only the program has code */
		if (n > 6 && !strcmp(ix->files[i].name + n - 6, ".debug"))
			continue;
		if (build_id_equal(&ix->files[i].id, id))
			return ix->files[i].path;
	}
	return NULL;
}

const char *symfs_by_name(struct dso_search *s, const char *name, unsigned int nth)
{
	struct symfs_index *ix = get_index(s);
	size_t lo = 0, hi;

	if (!ix)
		return NULL;
	hi = ix->nr;
	BISECT(lo, hi, mid, strcmp(ix->files[mid].name, name) < 0);
	if (nth >= ix->nr - lo || strcmp(ix->files[lo + nth].name, name))
		return NULL;
	return ix->files[lo + nth].path;
}

void symfs_index_free(struct symfs_index *ix)
{
	size_t i;

	if (!ix)
		return;
	for (i = 0; i < ix->nr; i++)
		free(ix->files[i].path);
	free(ix->files);
	free(ix);
}
