/* SPDX-License-Identifier: GPL-2.0-only */
/* kcore.c - finds the copy of kernel memory and the symbols that belong to a recording. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/files/input.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/name.h"
#include "machine/images/kernel.h"

/*
 * Returns `dir`/`name` if it exists; NULL: it does not, or an error in *rc. `inside`: the folder is part of a
 * recording, and links in it must not lead out of it.
 */
static char *file_in(const char *dir, const char *name, bool inside, int *rc)
{
	char *path = inside ? input_in_root(dir, name) : format_text("%s/%s", dir, name);

	if (!path || !access(path, R_OK))
		return path;
	if (errno != ENOENT && errno != ENOTDIR) {
		fprintf(message_stream(), "cstrace: %s: %s; make it readable, or name another copy with --kcore\n", name_shown(path),
			strerror(errno));
		*rc = ERR_REPORTED;
	}
	free(path);
	return NULL;
}

/* Uses a kcore and the kallsyms next to it. */
static int take_dir(struct kernel_images *k, const char *dir, bool inside)
{
	int rc = 0;

	k->kcore_path = file_in(dir, "kcore", inside, &rc);
	if (!k->kallsyms_path)
		k->kallsyms_path = file_in(dir, "kallsyms", inside, &rc);
	return rc;
}

/* Uses the argument of --kcore: the copy, or the directory that perf made for it. */
static int take_option(struct kernel_images *k, const char *path)
{
	struct stat st;
	char *dir, *slash;
	int rc;

	if (stat(path, &st)) {
		fprintf(message_stream(), "cstrace: --kcore %s: %s\n", path, strerror(errno));
		return ERR_REPORTED;
	}
	if (S_ISDIR(st.st_mode)) {
		rc = take_dir(k, path, false);
		if (!rc && !k->kcore_path) {
			fprintf(message_stream(), "cstrace: --kcore %s: no readable file kcore in this directory\n", path);
			rc = ERR_REPORTED;
		}
		return rc;
	}
	dir = mem_text(path);
	slash = strrchr(dir, '/');
	if (slash)
		*slash = 0;
	rc = take_dir(k, slash ? dir : ".", false);
	free(dir);
	free(k->kcore_path);
	k->kcore_path = mem_text(path);
	return rc;
}

/* True if the copy is of the boot that was recorded. */
static bool same_boot(const struct kernel_images *k, const char *dir)
{
	struct kallsyms *ks = NULL;
	uint64_t addr;
	int rc = 0;
	char *path = k->ref_addr ? file_in(dir, "kallsyms", false, &rc) : NULL;
	bool same;

	if (path)
		ks = kallsyms_open(path);
	same = ks && kallsyms_address(ks, k->ref_sym, NULL, &addr) && addr == k->ref_addr;
	kallsyms_free(ks);
	free(path);
	return same;
}

/* Searches the cache of perf buildid-cache --kcore: [kernel.kcore]/BUILD-ID/DATE/kcore. */
static int take_cached(struct kernel_images *k, const char *cache, const struct build_id *id)
{
	const char *home = getenv("HOME");
	char *base = NULL, *dir, hex[2 * BUILD_ID_MAX + 1];
	struct dirent **list = NULL;
	int i, n, rc = 0;

	build_id_text(id, hex);
	if (!id->len || (!cache && !home))
		return 0;
	base = format_text("%s%s/[kernel.kcore]/%s", cache ? cache : home, cache ? "" : "/.debug", hex);
	n = scandir(base, &list, NULL, alphasort);
	if (n < 0)
		mem_check(errno);
	for (i = n - 1; i >= 0 && !rc; i--) {	/* latest first */
		if (k->kcore_path || list[i]->d_name[0] == '.')
			continue;
		dir = format_text("%s/%s", base, list[i]->d_name);
		if (same_boot(k, dir))
			rc = take_dir(k, dir, false);
		free(dir);
	}
	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	free(base);
	return rc;
}

/* Returns the kernel as the records name it, which has its build-id and the address of a symbol. */
static const struct dso *recorded_kernel(struct kernel_images *k, const struct dso_table *t)
{
	const struct dso *d;
	size_t i;

	for (i = 0; i < t->nr; i++) {
		d = t->all[i];
		if (d->kind != DSO_VMLINUX || !d->kernel.ref_sym[0])
			continue;
		k->ref_addr = d->kernel.ref_addr;
		memcpy(k->ref_sym, d->kernel.ref_sym, sizeof(k->ref_sym));
		return d;
	}
	return NULL;
}

/* Uses the files of a package or snapshot. */
static void take_bundle(struct kernel_images *k, const struct dso_bundle *b)
{
	if (b->kallsyms && !k->kallsyms_path)
		k->kallsyms_path = mem_text(b->kallsyms);
	if (!b->kcore)
		return;
	k->kcore_path = mem_text(b->kcore);
	k->kcore_of_start = true;	/* as of the recording that was converted */
}

int kernel_find_kcore(struct kernel_images *k, struct dso_table *t, const char *data_dir)
{
	const struct dso *kernel = recorded_kernel(k, t);
	const struct dso_search *s = &t->search;
	char *dir = NULL;
	int rc = 0;

	if (s->kallsyms) {
		/* the file is read later, but a wrong name is an error now */
		if (access(s->kallsyms, R_OK)) {
			fprintf(message_stream(), "cstrace: --kallsyms %s: %s\n", s->kallsyms, strerror(errno));
			return ERR_REPORTED;
		}
		k->kallsyms_path = mem_text(s->kallsyms);
	}
	if (s->kcore) {
		rc = take_option(k, s->kcore);
	} else if (data_dir) {
		dir = format_text("%s/kcore_dir", data_dir);
		input_note_path(dir);
		rc = take_dir(k, dir, true);
		free(dir);
		k->kcore_of_start = true;
	} else {
		take_bundle(k, &s->bundle);
	}
	if (!rc && !k->kcore_path && !s->vmlinux && kernel)
		rc = take_cached(k, s->buildid_dir, &kernel->recorded);
	if (rc || !k->kcore_path)
		return rc;
	k->kcore = dso_table_add(t, k->kcore_path, DSO_KCORE);
	return 0;
}
