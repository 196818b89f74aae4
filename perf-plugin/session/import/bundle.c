/* SPDX-License-Identifier: GPL-2.0-only */
/* bundle.c - finds the files that a package contains beside its records, and checks that they lie in it. */
#include "session/import/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/input.h"

struct placer {
	struct dso_bundle *to;		/* NULL: not needed */
	struct folder *files;
	struct drops *drops;
};

/*
 * Path of a file that an item names. 0, also without such an item (*path NULL) or if the file cannot be used, which
 * is reported and counted as dropped.
 */
static void path_of(struct placer *p, const struct cst_doc_section *s, const char *key, char **path)
{
	const struct cst_item *item = cst_doc_item(s, key);
	const char *why = NULL;

	*path = NULL;
	if (!item)
		return;
	if (!cst_package_name_ok(item->value)) {
		why = "not the name of a file in the package";
	} else {
		*path = folder_path(p->files, item->value);
		if (!*path || access(*path, R_OK))
			why = strerror(errno);
		else
			input_note_path(*path);
	}
	if (!why)
		return;
	free(*path);
	*path = NULL;
	drops_add(p->drops, 1, "[%s] %s: '%s', which cannot be used: %s", s->name, key, item->value, why);
}

static void place_kernel(struct placer *p, const struct cst_doc_section *s)
{
	char *kcore, *kallsyms;

	path_of(p, s, "kcore", &kcore);
	path_of(p, s, "kallsyms", &kallsyms);
	if (p->to) {
		p->to->kcore = kcore;
		p->to->kallsyms = kallsyms;
		return;
	}
	if (kcore)
		drops_add(p->drops, 1, "the copy of kernel memory; name it with --kcore %s", kcore);
	if (kallsyms && !kcore)
		drops_add(p->drops, 1, "the symbols of the kernel; name them with --kallsyms %s", kallsyms);
	free(kcore);
	free(kallsyms);
}

static void place_jitdump(struct placer *p, const struct cst_doc_section *s)
{
	const struct cst_item *name = cst_doc_item(s, "name"), *pid = name ? NULL : cst_doc_item(s, "pid");
	uint64_t owner;
	char *path;
	bool known = pid && !cst_item_number(pid, &owner) && owner <= INT32_MAX;

	path_of(p, s, "file", &path);
	if (!path)
		return;
	if (pid && !known)
		drops_add(p->drops, 1, "[%s] pid: found '%s', expected the number of a process", s->name, pid->value);
	if (p->to)
		dso_places_add(&p->to->jitdumps, name ? name->value : path, path);
	else if (known)
		drops_add(p->drops, 1, "a jitdump file; name it with --jitdump %d:%s", (int)owner, path);
	else
		drops_add(p->drops, 1, "a jitdump file; name it with --jitdump %s", path);
	if (p->to && known)
		p->to->jitdumps.v[p->to->jitdumps.nr - 1].pid = (int)owner;
	free(path);
}

void bundle_fill(struct dso_bundle *bundle, const struct cst_package *pkg, struct folder *files,
		struct drops *drops)
{
	struct placer p = { .to = bundle, .files = files, .drops = drops };
	const struct cst_doc_section *s = cst_doc_section(pkg->contents, KERNEL_SECTION);
	size_t i;

	if (s)
		place_kernel(&p, s);
	for (i = 0; i < pkg->n_images; i++) {
		char *path = folder_path(files, pkg->images[i].file);

		if (!path) {
			drops_add(drops, 1, "the image %s, which cannot be read: %s",
				  pkg->images[i].name, strerror(errno));
			continue;
		}
		input_note_path(path);
		if (bundle)
			dso_places_add(&bundle->images, pkg->images[i].name, path);
		free(path);
	}
	for (i = 0; i < pkg->contents->n_sections; i++) {
		s = &pkg->contents->sections[i];
		if (!strncmp(s->name, JITDUMP_SECTION, strlen(JITDUMP_SECTION)))
			place_jitdump(&p, s);
	}
}
