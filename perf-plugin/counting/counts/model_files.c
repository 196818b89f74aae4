/* SPDX-License-Identifier: GPL-2.0-only */
/* model_files.c - finds the files of a count file's binaries on this machine. */
#include <stdio.h>
#include <string.h>

#include "base/name.h"
#include "counting/counts/identity.h"
#include "counting/counts/model.h"
#include "machine/images/dso.h"
#include "machine/images/dso_table.h"

/* True if the digest of the file's code is that of the counted one. *why: errno if the file could not be read again, or 0. */
static bool same_code(const struct model_binary *b, struct dso *d, int *why)
{
	const struct binary file = { .dso = d, .method = COUNTS_WHOLE };
	struct cst_count_binary is = b->is;

	if (b->is.id_kind != CST_COUNT_ID_DIGEST)
		return true;
	*why = identity_by_code(&file, &is);
	return !*why && !identity_compare(&is, &b->is);
}

static void find_file(struct model_binary *b, struct dso_table *t)
{
	struct build_id id = { .len = 0 };
	struct dso *d;
	int why = 0;

	if (b->is.id_kind == CST_COUNT_ID_BUILD) {
		id.len = b->is.id_len < BUILD_ID_MAX ? b->is.id_len : BUILD_ID_MAX;
		memcpy(id.id, b->is.id, id.len);
	}
	d = dso_table_get(t, b->is.name, &id, b->is.type != CST_COUNT_FILE);
	d->module.by_offset = d->kind == DSO_MODULE;
	if (dso_load(d) && !t->search.force && !same_code(b, d, &why)) {
		if (why)
			fprintf(stderr, "cstrace profile: %s: %s cannot be read again: %s: not used\n", name_shown(b->is.name),
				name_shown(dso_file(d)), strerror(why));
		else
			fprintf(stderr, "cstrace profile: %s: %s has other code than the counted file: not used; find that one "
				"with --symfs DIR, or use this one with -f\n", name_shown(b->is.name), name_shown(dso_file(d)));
		return;
	}
	b->dso = d;
}

void model_find_files(struct model *m, struct dso_table *t)
{
	size_t i;

	for (i = 0; i < m->nr_binaries; i++)
		if (!model_without_file(&m->binaries[i]))
			find_file(&m->binaries[i], t);
}
