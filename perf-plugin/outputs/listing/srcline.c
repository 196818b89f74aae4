/* SPDX-License-Identifier: GPL-2.0-only */
/* srcline.c - opens the DWARF of files when their first line is asked for, and remembers lines of code that runs often. */
#include "outputs/listing/srcline.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/path.h"
#include "machine/images/dso.h"
#include "outputs/sources/source.h"

#define REMEMBERED 8192u
#define FIRST_FILES 64u

struct file_source {
	const struct dso *dso;	/* NULL: free */
	struct source *source;	/* NULL: no DWARF */
};

struct remembered {
	const struct dso *dso;	/* NULL: free */
	uint64_t offset;
	const char *file;	/* NULL: no line */
	unsigned int line;
};

struct srclines {
	struct file_source *v;	/* open addressing, at most half full */
	size_t size, used;
	bool unread;
	struct remembered at[REMEMBERED];
	char text[4096];
};

static struct file_source *slot_of(struct file_source *v, size_t size, const struct dso *dso)
{
	size_t i = ((uintptr_t)dso * 0x9e3779b97f4a7c15u >> 20) & (size - 1);

	while (v[i].dso && v[i].dso != dso)
		i = (i + 1) & (size - 1);
	return &v[i];
}

static void grow(struct srclines *t)
{
	const size_t size = t->size ? 2 * t->size : FIRST_FILES;
	struct file_source *v = mem_zeroed(size, sizeof(*v));
	size_t i;

	for (i = 0; i < t->size; i++)
		if (t->v[i].dso)
			*slot_of(v, size, t->v[i].dso) = t->v[i];
	free(t->v);
	t->v = v;
	t->size = size;
}

struct srclines *srclines_new(void)
{
	struct srclines *t = mem_zeroed(1, sizeof(*t));

	grow(t);
	return t;
}

void srclines_free(struct srclines *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->size; i++)
		source_close(t->v[i].source);
	free(t->v);
	free(t);
}

static struct source *source_of(struct srclines *t, const struct dso *dso)
{
	struct file_source *f = slot_of(t->v, t->size, dso);
	struct error err = { .code = 0 };

	if (f->dso)
		return f->source;
	if (2 * (t->used + 1) > t->size) {
		grow(t);
		f = slot_of(t->v, t->size, dso);
	}
	f->dso = dso;
	f->source =
		dso->image.is_elf && dso_file(dso) ? source_open(dso_file(dso), dso, &err) : NULL;
	if (err.code) {
		fprintf(stderr, "cstrace script: %s\n", err.msg);
		t->unread = true;
	}
	t->used++;
	return f->source;
}

bool srclines_unread(const struct srclines *t)
{
	return t->unread;
}

const char *srclines_text(struct srclines *t, const struct dso *dso, uint64_t offset)
{
	struct remembered *r = &t->at[(offset >> 1 ^ offset >> 14) % REMEMBERED];
	struct source_place place;
	struct source *source;
	uint64_t addr;

	if (r->dso != dso || r->offset != offset) {
		source = source_of(t, dso);
		*r = (struct remembered){ .dso = dso, .offset = offset };
		if (source && source_at(source, offset, &place)) {
			r->file = path_base(place.file);
			r->line = place.line;
		}
	}
	if (r->file) {
		snprintf(t->text, sizeof(t->text), "%.*s:%u", (int)sizeof(t->text) / 2, r->file, r->line);
		return t->text;
	}
	if (!dso_vaddr(dso, offset, &addr))
		addr = offset;
	snprintf(t->text, sizeof(t->text), "%.*s[%llx]", (int)sizeof(t->text) / 2, path_base(dso_path(dso)),
		 (unsigned long long)addr);
	return t->text;
}
