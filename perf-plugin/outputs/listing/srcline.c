/* SPDX-License-Identifier: GPL-2.0-only */
/* srcline.c - opens the DWARF of files when their first line is asked for, and remembers lines of code that runs often. */
#include "outputs/listing/srcline.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/intmap.h"
#include "base/path.h"
#include "machine/images/dso.h"
#include "outputs/sources/source.h"

#define REMEMBERED 8192u

struct file_source {
	struct source *source;	/* NULL: no DWARF */
};

struct remembered {
	const struct dso *dso;	/* NULL: free */
	uint64_t offset;
	const char *file;	/* NULL: no line */
	unsigned int line;
};

struct srclines {
	struct intmap files;	/* address of a dso: struct file_source */
	bool unread;
	struct remembered at[REMEMBERED];
	char text[4096];
};

struct srclines *srclines_new(void)
{
	return mem_zeroed(1, sizeof(struct srclines));
}

void srclines_free(struct srclines *t)
{
	struct file_source *f;
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->files.size; i++) {
		f = t->files.slot[i].value;
		source_close(f ? f->source : NULL);
		free(f);
	}
	intmap_free(&t->files);
	free(t);
}

static struct source *source_of(struct srclines *t, const struct dso *dso)
{
	struct file_source *f = intmap_get(&t->files, (intptr_t)dso);
	struct error err = { .code = 0 };

	if (f)
		return f->source;
	f = mem_zeroed(1, sizeof(*f));
	intmap_put(&t->files, (intptr_t)dso, f);
	f->source =
		dso->image.is_elf && dso_file(dso) ? source_open(dso_file(dso), dso, &err) : NULL;
	if (err.code) {
		fprintf(stderr, "cstrace script: %s\n", err.msg);
		t->unread = true;
	}
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
