/* SPDX-License-Identifier: GPL-2.0-only */
/* dso_find.c - lists the places where the file of a recorded map may be on this machine, best first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/files/input.h"
#include "base/path.h"
#include "machine/images/dso_table.h"
#include "machine/images/module.h"

static const char *const kernel_places[] = {
	"/boot/vmlinux-%s",
	"/usr/lib/debug/boot/vmlinux-%s",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/lib/modules/%s/vmlinux",
	"/lib/modules/%s/build/vmlinux",
};

/*
 * Places of `make vdso_install`, which have symbols, and of copies made by hand; the pages of
 * 32-bit programs have only these.
 */
static const struct vdso_place {
	const char *name, *place;
} vdso_places[] = {
	{ "[vdso]", "/[vdso]" },
	{ "[vdso]", "/lib/modules/%s/vdso/vdso.so" },
	{ "[vdso]", "/lib/modules/%s/vdso/vdso64.so" },
	{ "[vdso32]", "/[vdso32]" },
	{ "[vdso32]", "/lib/modules/%s/vdso/vdso32.so" },
	{ "[vectors]", "/[vectors]" },
	{ "[sigpage]", "/[sigpage]" },
};

static const char *const cache_names[] = { "/elf", "/vdso", "" };

#define NR(a) (sizeof(a) / sizeof((a)[0]))

static bool set_path(struct dso_candidates *c, const char *path, size_t len)
{
	if (!len || len >= sizeof(c->path))
		return false;
	memcpy(c->path, path, len);
	c->path[len] = 0;
	return true;
}

/* `path` may be NULL: there is none. */
static bool set_whole(struct dso_candidates *c, const char *path)
{
	return path && set_path(c, path, strlen(path));
}

/* Resolves `path` of the recorded machine: links in the copy of its file system are relative to that copy. */
static bool set_target_path(struct dso_candidates *c, const struct dso_search *s, const char *path, size_t len)
{
	char *name, *whole;
	bool fits;

	c->from_host = !s->symfs;
	if (c->from_host)
		return set_path(c, path, len);
	name = mem_text_part(path, len);
	whole = input_in_root(s->symfs, name);
	fits = set_whole(c, whole);
	free(name);
	free(whole);
	return fits;
}

void dso_places_add(struct dso_places *p, const char *path, const char *file)
{
	struct dso_place *to = ARRAY_ADD(p->v, p->nr, p->cap);

	to->path = mem_text(path);
	to->file = mem_text(file);
	to->number = p->nr;
	to->pid = -1;
	to->taken = false;
	p->sorted = false;
}

void dso_places_free(struct dso_places *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++) {
		free(p->v[i].path);
		free(p->v[i].file);
	}
	free(p->v);
	memset(p, 0, sizeof(*p));
}

void dso_bundle_free(struct dso_bundle *b)
{
	dso_places_free(&b->images);
	dso_places_free(&b->jitdumps);
	free(b->kcore);
	free(b->kallsyms);
	memset(b, 0, sizeof(*b));
}

static int compare_places(const void *a, const void *b)
{
	const struct dso_place *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

struct dso_place *dso_places_find(struct dso_places *p, const char *path, unsigned int nth)
{
	size_t lo = 0, hi = p->nr;

	if (p->nr && !p->sorted)
		qsort(p->v, p->nr, sizeof(*p->v), compare_places);
	/* sorted only once, since replicas read it (session/replica.c) */
	if (!p->sorted)
		p->sorted = true;
	BISECT(lo, hi, mid, strcmp(p->v[mid].path, path) < 0);
	lo += nth;
	return lo < p->nr && !strcmp(p->v[lo].path, path) ? &p->v[lo] : NULL;
}

static bool by_vmlinux_option(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	return d->kind == DSO_VMLINUX && set_whole(c, s->vmlinux);
}

/* Files of a bundle; the build-id distinguishes several files of one path. */
static bool by_place(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	const struct dso_place *p = dso_places_find(&s->bundle.images, d->path, c->sub);

	c->more = c->from_input = p != NULL;
	return p && set_whole(c, p->file);
}

/* A member lies in the file that was found for its archive. */
static bool by_archive(const struct dso *d, struct dso_candidates *c)
{
	const struct dso *a = d->zip.archive;
	int n;

	if (a->state != DSO_LOADED || !a->image.file)
		return false;
	n = snprintf(c->path, sizeof(c->path), "%s%s", a->image.file, d->path + strlen(a->path));
	c->by_name = a->where.by_name;
	c->from_host = a->where.from_host;
	c->from_input = a->where.from_input;
	return n > 0 && (size_t)n < sizeof(c->path);
}

static bool by_path(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	if (d->zip.archive)
		return by_archive(d, c);
	if (d->kind == DSO_VMLINUX || d->path[0] == '[')
		return false;
	return set_target_path(c, s, d->path, strlen(d->path));
}

static const char *const packings[] = { "", ".xz", ".zst", ".gz" };

/* Modules: with another compression, or none. */
static bool by_path_packed(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	const char *ko = strstr(d->path, ".ko");
	char path[4096];
	int n;

	if (d->kind != DSO_MODULE || d->path[0] == '[' || !ko)
		return false;
	n = snprintf(path, sizeof(path), "%.*s.ko%s", (int)(ko - d->path), d->path,
		     packings[c->sub]);
	return n > 0 && (size_t)n < sizeof(path) && strcmp(path, d->path) &&
	       set_target_path(c, s, path, (size_t)n);
}

/* Modules: the kernel's name has underscores where the file's name may have dashes. */
static bool by_module_name(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	char name[72], *p;

	if (d->kind != DSO_MODULE || !s->symfs)
		return false;
	module_name(d->path, name, 64);
	for (p = name; c->sub >= NR(packings) && (p = strchr(p, '_'));)
		*p = '-';
	strcat(strcat(name, ".ko"), packings[c->sub % NR(packings)]);
	return set_whole(c, symfs_by_name(s, name, 0));
}

/* Without the " (deleted)" that the kernel appends to the name of an unlinked file. */
static bool by_path_deleted(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(d->path), k = sizeof(deleted) - 1;

	if (d->kind != DSO_FILE || n <= k || strcmp(d->path + n - k, deleted))
		return false;
	c->replaced = true;
	return set_target_path(c, s, d->path, n - k);
}

/*
 * Kernels at the usual places are tried only if their build-id can be compared, or they are in the
 * file system that was given for this guest.
 */
static bool by_kernel_place(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	const bool own = d->table && d->table->host && s->symfs;
	char name[512];
	int n;

	if (d->kind != DSO_VMLINUX || !(d->recorded.len || own) || !s->osrelease ||
	    strchr(s->osrelease, '%'))
		return false;
	n = snprintf(name, sizeof(name), kernel_places[c->sub], s->osrelease);
	return n > 0 && (size_t)n < sizeof(name) && set_target_path(c, s, name, n);
}

static bool by_vdso_place(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	const struct vdso_place *v = &vdso_places[c->sub];
	char name[512];
	int n;

	if (d->kind != DSO_FILE || strcmp(d->path, v->name))
		return false;
	/* this machine's copy is used only if its build-id can be compared */
	if (strchr(v->place, '%') ? !s->osrelease || strchr(s->osrelease, '%') : !s->symfs)
		return false;
	if (!s->symfs && !d->recorded.len)
		return false;
	n = snprintf(name, sizeof(name), v->place, s->osrelease);
	return n > 0 && (size_t)n < sizeof(name) && set_target_path(c, s, name, (size_t)n);
}

static bool by_symfs_build_id(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	return d->recorded.len && s->symfs && set_whole(c, symfs_by_build_id(s, &d->recorded));
}

/* Takes a path that was made for this, and frees it. */
static bool take_path(struct dso_candidates *c, char *path)
{
	bool fits = set_whole(c, path);

	free(path);
	return fits;
}

static bool by_cache(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	return take_path(c, finder_cache_path(dso_search_finder(s), &d->recorded,
					      cache_names[c->sub]));
}

/* The folders of debuginfod's clients. */
static bool by_debuginfod(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	(void)s;
	return take_path(c, finder_debuginfod_path(c->sub, &d->recorded, "executable"));
}

/* Its servers, with --debuginfod. */
static bool by_asking(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	return take_path(c, finder_ask(dso_search_finder(s), &d->recorded, "executable"));
}

static bool by_name(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	const char *found;

	if (d->kind != DSO_FILE || !s->symfs || d->path[0] == '[')
		return false;
	found = symfs_by_name(s, path_base(d->path), c->sub);
	c->more = found != NULL;
	return set_whole(c, found);
}

/* Places in the order in which they are tried. */
static const struct step {
	bool (*find)(struct dso_search *s, const struct dso *d, struct dso_candidates *c);
	unsigned int files;	/* that it may have; 0: it sets dso_candidates.more itself */
	bool by_name;		/* what it finds has the name alone */
} steps[] = {
	{ by_vmlinux_option, 1, false },
	{ by_place, 0, false },
	{ by_path, 1, false },
	{ by_path_packed, NR(packings), false },
	{ by_path_deleted, 1, false },
	{ by_kernel_place, NR(kernel_places), false },
	{ by_vdso_place, NR(vdso_places), false },
	{ by_symfs_build_id, 1, false },
	{ by_cache, NR(cache_names), false },
	{ by_debuginfod, FINDER_DEBUGINFOD_FOLDERS, false },
	{ by_asking, 1, false },
	{ by_name, 0, true },
	{ by_module_name, 2 * NR(packings), true },
};

const struct finder *dso_search_finder(struct dso_search *s)
{
	s->finder = (struct finder){ .symfs = s->symfs, .buildid_dir = s->buildid_dir, .ask = s->debuginfod };
	return &s->finder;
}

bool dso_next_candidate(struct dso_search *s, const struct dso *d, struct dso_candidates *c)
{
	bool found;

	if (d->kind >= DSO_ANON)
		return false;
	/* a copy of memory is nowhere else */
	if (d->kind == DSO_KCORE && !c->step) {
		c->step = NR(steps);
		return set_whole(c, d->path);
	}
	while (c->step < NR(steps)) {
		c->by_name = steps[c->step].by_name;
		c->from_host = c->from_input = c->replaced = false;
		c->more = c->sub + 1 < steps[c->step].files;
		found = steps[c->step].find(s, d, c);
		if (c->more) {
			c->sub++;
		} else {
			c->step++;
			c->sub = 0;
		}
		if (found)
			return true;
	}
	return false;
}
