/* SPDX-License-Identifier: GPL-2.0-only */
/* places.c - opens DWARF of binaries. */
#include "outputs/profile/places.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "machine/images/dso.h"

struct places {
	const struct model *model;
	struct places_binary {
		struct source *source;	/* NULL: none */
		char *why;	/* a file could not be opened */
		char *lack;	/* it has no lines */
		bool tried;
	} *v;
};

struct places *places_new(const struct model *m)
{
	struct places *p = mem_zeroed(1, sizeof(*p));

	*p = (struct places){ .model = m };
	p->v = mem_zeroed(m->nr_binaries ? m->nr_binaries : 1, sizeof(*p->v));
	return p;
}

void places_free(struct places *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->model->nr_binaries; i++) {
		source_close(p->v[i].source);
		free(p->v[i].why);
		free(p->v[i].lack);
	}
	free(p->v);
	free(p);
}

struct source *places_source(struct places *p, uint32_t binary)
{
	const struct model_binary *b;
	struct error err = { .code = 0, .msg = "" };
	struct places_binary *at;

	if (binary == CST_COUNT_NO_BINARY)
		return NULL;
	b = &p->model->binaries[binary];
	at = &p->v[binary];
	if (!at->tried) {
		at->tried = true;
		if (b->dso && dso_file(b->dso) && b->dso->image.is_elf && !model_without_file(b))
			at->source = source_open(dso_file(b->dso), b->dso, &err);
		if (err.code)
			at->why = mem_text(err.msg);
		else if (err.msg[0])
			at->lack = mem_text(err.msg);
	}
	return at->source;
}

const char *places_why(const struct places *p, uint32_t binary)
{
	return p->v[binary].why;
}

const char *places_lack(const struct places *p, uint32_t binary)
{
	const struct places_binary *at = &p->v[binary];

	return at->source ? source_split_missing(at->source) : at->lack;
}

struct source_place places_at(struct places *p, uint32_t binary, uint64_t offset)
{
	struct source_place place;
	struct source *s = places_source(p, binary);

	if (!s || !source_at(s, offset, &place))
		place = (struct source_place){ .file = "???", .line = 0 };
	return place;
}
