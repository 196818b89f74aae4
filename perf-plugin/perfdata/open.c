/* SPDX-License-Identifier: GPL-2.0-only */
/* open.c - opens a file, a pipe, memory or a directory, and closes it. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/files/mapped.h"
#include "base/format.h"
#include "perfdata/internal.h"

void pd_warn(struct perfdata *pd, const char *fmt, ...)
{
	va_list ap;
	char *s;

	if (pd->nr_warnings == PD_MAX_WARNINGS)
		return;
	va_start(ap, fmt);
	s = format_args(fmt, ap);
	pd->warnings[pd->nr_warnings++] = s;
	va_end(ap);
}

static int by_number(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* The numbers N of the files data.N in @dir, ascending; *@v is for the caller to free. */
static int list_data_files(const char *dir, unsigned long **v, unsigned int *nr,
			   struct error *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t cap = 0;

	*v = NULL;
	*nr = 0;
	if (!d) {
		mem_check(errno);
		return error_set(err, ERR_IO, "%s: cannot list it: %s", dir, strerror(errno));
	}
	while ((e = readdir(d))) {
		unsigned long n;
		char *end;

		if (strncmp(e->d_name, "data.", 5) || e->d_name[5] < '0' || e->d_name[5] > '9')
			continue;
		n = strtoul(e->d_name + 5, &end, 10);
		if (*end)
			continue;	/* data.0.old and the like */
		*ARRAY_ADD(*v, *nr, cap) = n;
	}
	closedir(d);
	ARRAY_SORT(*v, *nr, by_number);
	return 0;
}

/* Sets the folder of a file "data" that the recorder wrote with a copy of kernel memory beside it. */
static void find_folder(struct perfdata *pd, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder, *kcore;

	if (strcmp(slash ? slash + 1 : path, "data"))
		return;
	folder = slash ? format_text("%.*s", (int)(slash == path ? 1 : slash - path), path) :
		mem_text(".");
	kcore = format_text("%s/kcore_dir", folder);
	if (pd_source_is_dir(kcore))
		pd->folder = folder;
	else
		free(folder);
	free(kcore);
}

static int open_sources(struct perfdata *pd, const char *path, struct error *err)
{
	unsigned long *v = NULL;
	unsigned int nr = 0, i;
	char *name;
	int rc = 0;

	if (pd_source_is_dir(path)) {
		pd->dir = mem_text(path);
		rc = list_data_files(path, &v, &nr, err);
	}
	if (!rc)
		pd->src = mem_zeroed(nr + 1, sizeof(*pd->src));
	if (!rc && !pd->dir) {
		rc = pd_source_open(&pd->src[0], path, err);
		if (!rc) {
			pd->nr_src = 1;
			find_folder(pd, path);
		}
	}
	for (i = 0; !rc && pd->dir && i <= nr; i++) {
		name = i ? format_text("%s/data.%lu", path, v[i - 1]) : format_text("%s/data", path);
		rc = pd_source_member(&pd->src[i], name, err);
		if (!rc)
			pd->nr_src++;
		free(name);
	}
	free(v);
	return rc;
}

static struct perfdata *begin(struct perfdata *pd, struct error *err)
{
	if (pd_header_read(pd, err)) {
		perfdata_close(pd);
		return NULL;
	}
	if (pd->env.dir_format && pd->env.dir_version && !pd->dir)
		pd_warn(pd, "%s: is the main file of a perf.data directory whose records are in "
			"data.N beside it; give the name of the directory", pd_main(pd)->name);
	perfdata_rewind(pd);
	return pd;
}

static struct perfdata *alloc_reader(void)
{
	struct perfdata *pd = mem_new(sizeof(*pd));

	/* few readers touch more of the buffer than its begin */
	memset(pd, 0, offsetof(struct perfdata, bounce));
	pd_attrs_init(&pd->attrs);
	return pd;
}

struct perfdata *perfdata_open(const char *path, struct error *err)
{
	struct perfdata *pd = alloc_reader();

	if (open_sources(pd, path, err)) {
		perfdata_close(pd);
		return NULL;
	}
	return begin(pd, err);
}

/* With @buf NULL the bytes are those of @fd. */
static struct perfdata *open_one(const void *buf, size_t len, int fd, const char *name, struct error *err)
{
	struct perfdata *pd = alloc_reader();
	int rc = 0;

	pd->src = mem_zeroed(1, sizeof(*pd->src));
	if (fd < 0)
		pd_source_memory(&pd->src[0], buf, len, name);
	else
		rc = pd_source_fd(&pd->src[0], fd, name, err);
	if (rc) {
		perfdata_close(pd);
		return NULL;
	}
	pd->nr_src = 1;
	return begin(pd, err);
}

struct perfdata *perfdata_cursor(const struct perfdata *pd)
{
	struct perfdata *c = mem_new(sizeof(*c));

	memcpy(c, pd, offsetof(struct perfdata, bounce));
	c->is_cursor = true;
	c->zstd.decomp = NULL;
	/* records about the file were evaluated on the first pass */
	c->at.meta_done = UINT64_MAX;
	perfdata_rewind(c);
	return c;
}

struct perfdata *perfdata_open_memory(const void *buf, size_t len, const char *name,
				      struct error *err)
{
	return open_one(buf, len, -1, name, err);
}

struct perfdata *perfdata_open_fd(int fd, const char *name, struct error *err)
{
	return open_one(NULL, 0, fd, name, err);
}

void perfdata_release(const struct perfdata *pd)
{
	unsigned int i;

	for (i = 0; i < pd->nr_src; i++)
		mapped_release(pd->src[i].base);
}

void perfdata_close(struct perfdata *pd)
{
	unsigned int i;

	if (!pd)
		return;
	if (pd->is_cursor) {
		pd_decomp_free(pd->zstd.decomp);
		free(pd);
		return;
	}
	for (i = 0; i < pd->nr_src; i++)
		pd_source_close(&pd->src[i]);
	free(pd->src);
	free(pd->dir);
	free(pd->folder);
	pd_attrs_free(&pd->attrs);
	pd_env_free(&pd->env);
	pd_decomp_free(pd->zstd.decomp);
	for (i = 0; i < pd->nr_warnings; i++)
		free(pd->warnings[i]);
	free(pd);
}
