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
	struct find_query q = { .what = FIND_DEBUG, .path = d->path, .file = d->image.file };
	struct elf_links l;

	if (d->where.debug || d->state != DSO_LOADED || !d->image.is_elf || !d->image.file ||
	    !d->where.finder)
		return d->where.debug;
	d->where.debug = mem_zeroed(1, sizeof(*d->where.debug));
	if (!elf_links_read(d->image.data, d->image.size, &l))
		return d->where.debug;
	q.id = l.id;
	q.link = l.debug;
	q.crc = l.debug_crc;
	finder_search(d->where.finder, &q, d->where.debug);
	return d->where.debug;
}

void dso_debug_free(struct dso *d)
{
	if (d->where.debug)
		finding_free(d->where.debug);
	free(d->where.debug);
}
