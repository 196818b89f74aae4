/* SPDX-License-Identifier: GPL-2.0-only */
/* jitdump_dso.c - makes a mapped file of generated code. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "machine/images/dso_table.h"
#include "machine/images/jitdump.h"

struct dso *jitdump_dso(struct dso_table *t, const char *path, const char *file, struct jitdump *jd)
{
	struct dso *d = dso_table_add(t, path, DSO_JIT);
	size_t i;

	d->made.jit = jd;
	d->image.machine = jd->machine;
	d->extent = jd->code_size < DSO_MAX_EXTENT ? jd->code_size : DSO_MAX_EXTENT;
	d->image.file = mem_text(file);
	d->symbols.syms = mem_zeroed(jd->nr_code ? jd->nr_code : 1, sizeof(*d->symbols.syms));
		/* the table frees it */
	for (i = 0; i < jd->nr_code; i++)
		d->symbols.syms[d->symbols.nr_syms++] = (struct dso_symbol_entry){
			.offset = jd->code[i].at, .vaddr = jd->code[i].addr, .size = jd->code[i].size,
			.name = jd->code[i].name,
		};
	d->symbols.symbols_read = true;
	return d;
}

void jitdump_dso_load(struct dso *d)
{
	d->image.data = jitdump_code(d->made.jit);
	d->image.own_data = true;
	d->image.size = d->made.jit->code_size;
	d->state = DSO_LOADED;
	d->trouble = DSO_FINE;
}

void jitdump_dso_free(struct dso *d)
{
	if (!d->made.jit)
		return;
	input_unmap(d->made.jit->p, d->made.jit->size);
	jitdump_free(d->made.jit);
	free(d->made.jit);
	d->made.jit = NULL;
}
