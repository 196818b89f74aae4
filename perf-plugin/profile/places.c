/* SPDX-License-Identifier: GPL-2.0-only */
/* places.c - opens DWARF of binaries. */
#include "profile/places.h"

#include <stdlib.h>

#include "images/dso.h"

bool places_init(struct places *p, const struct model *m, const char *symfs)
{
	*p = (struct places){ .model = m, .symfs = symfs };
	p->v = calloc(m->nr_binaries ? m->nr_binaries : 1, sizeof(*p->v));
	return p->v;
}

void places_free(struct places *p)
{
	size_t i;

	for (i = 0; p->v && i < p->model->nr_binaries; i++)
		source_close(p->v[i].source);
	free(p->v);
	*p = (struct places){ .v = NULL };
}

struct source *places_source(struct places *p, uint32_t binary)
{
	const struct model_binary *b;
	struct places_binary *at;

	if (binary == CST_COUNT_NO_BINARY)
		return NULL;
	b = &p->model->binaries[binary];
	at = &p->v[binary];
	if (!at->tried) {
		at->tried = true;

		if (b->dso && dso_file(b->dso) && b->dso->is_elf && !model_without_file(b))
			at->source = source_open(dso_file(b->dso), p->symfs);
	}
	return at->source;
}

struct source_place places_at(struct places *p, uint32_t binary, uint64_t offset)
{
	struct source_place place;
	struct source *s = places_source(p, binary);

	if (!s || !source_at(s, offset, &place))
		place = (struct source_place){ .file = "???", .line = 0 };
	return place;
}
