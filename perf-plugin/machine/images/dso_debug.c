/* SPDX-License-Identifier: GPL-2.0-only */
/* dso_debug.c - the debug file of a file: where its symbols and its DWARF are if they were split off. */
#include <stdlib.h>

#include "base/alloc.h"
#include "machine/finder/elf_links.h"
#include "machine/finder/finder.h"
#include "machine/images/dso.h"

const struct finding *dso_debug_file(const struct dso *dso)
{
	struct dso *d = (struct dso *)dso;	/* what was found is a cache */
	struct find_query q = { .what = FIND_DEBUG, .path = d->path, .file = d->file };
	struct elf_links l;

	if (d->debug || d->state != DSO_LOADED || !d->is_elf || !d->file || !d->finder)
		return d->debug;
	d->debug = mem_zeroed(1, sizeof(*d->debug));
	if (!elf_links_read(d->data, d->size, &l))
		return d->debug;
	q.id = l.id;
	q.link = l.debug;
	q.crc = l.debug_crc;
	finder_search(d->finder, &q, d->debug);
	return d->debug;
}

void dso_debug_free(struct dso *d)
{
	if (d->debug)
		finding_free(d->debug);
	free(d->debug);
}
