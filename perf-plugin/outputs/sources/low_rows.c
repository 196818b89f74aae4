/* SPDX-License-Identifier: GPL-2.0-only */
/* low_rows.c - finds out which sequences from address 0 on are those of discarded code. */
#include "outputs/sources/low_rows.h"

#include <dwarf.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/intmap.h"
#include "outputs/sources/line_program.h"

/* Rows of one sequence are next to each other. */
struct sequence {
	size_t row, rows;	/* in the list, without the row that ends it */
	uint64_t begin, end;
};

struct reading {
	struct low_rows *out;
	struct sequence *v;
	size_t n, cap;
	size_t row;		/* begin of the sequence that is read */
	struct intmap programs;	/* offsets of those that were read: several units may have one */
	Dwarf_Die *unit;
	Dwarf_Files *files;
	size_t nr_files;
	const struct low_input *in;
};

/* Ends the sequence that is read at an address. */
static void end_sequence(struct reading *r, uint64_t end)
{
	struct low_rows *l = r->out;
	size_t i;

	if (r->row == l->n)
		return;
	for (i = r->row; i < l->n; i++)
		l->v[i].end = i + 1 < l->n ? l->v[i + 1].begin : end;
	*ARRAY_ADD(r->v, r->n, r->cap) = (struct sequence){
		.row = r->row, .rows = l->n - r->row, .begin = l->v[r->row].begin, .end = end };
	r->row = l->n;
}

static void add_row(void *data, const struct program_row *p)
{
	struct reading *r = data;
	const char *file = NULL;
	struct low_row *to;

	if (p->ends) {
		end_sequence(r, p->addr);
		return;
	}
	if (p->file < r->nr_files)
		file = dwarf_filesrc(r->files, (size_t)p->file, NULL, NULL);
	to = ARRAY_ADD(r->out->v, r->out->n, r->out->cap);
	*to = (struct low_row){ .begin = p->addr };
	if (file && p->line <= INT_MAX)
		to->line = (unsigned int)p->line;
	to->file = to->line ? r->in->name(r->in->data, r->unit, file) : NULL;
}

/* True if the program at an offset was not read before. */
static bool is_new(struct reading *r, uint64_t offset)
{
	if (intmap_get(&r->programs, (int64_t)offset))
		return false;
	intmap_put(&r->programs, (int64_t)offset, r);
	return true;
}

/* Size of the function symbol at address 0 of a file, as low_rows.first. */
static uint64_t first_function(Elf *elf)
{
	Elf_Data *table = NULL;
	uint64_t size = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;
	int i;

	while (!table && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			table = elf_getdata(scn, NULL);
	/* bit 0 of the address of a T32 function is 1 */
	for (i = 0; table && gelf_getsym(table, i, &sym); i++)
		if (GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_shndx != SHN_UNDEF &&
		    sym.st_value <= 1 && sym.st_size > size)
			size = sym.st_size;
	return table ? size : UINT64_MAX;
}

uint64_t low_rows_first(Elf *elf, Elf *debug)
{
	const uint64_t first = elf ? first_function(elf) : UINT64_MAX;

	return first == UINT64_MAX && debug ? first_function(debug) : first;
}

static void read_units(struct reading *r)
{
	const struct low_input *in = r->in;
	size_t left = in->size, size;
	Dwarf_Attribute attr;
	Dwarf_Word at;

	while ((r->unit = in->unit(in->data))) {
		if (!dwarf_attr(r->unit, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &at) ||
		    dwarf_getsrcfiles(r->unit, &r->files, &r->nr_files) || !is_new(r, at))
			continue;
		/* programs do not overlap, but in a damaged file, where they would take any time */
		size = line_program_size(in->lines, in->size, at);
		if (size > left)
			break;
		left -= size;
		line_program_rows(in->lines, in->size, at, add_row, r);
		/* a sequence without an end is that of a damaged program */
		r->out->n = r->row;
	}
}

/* The sequence from address 0 on that is of real code, NULL if there is none. */
static const struct sequence *first_sequence(const struct reading *r)
{
	const struct sequence *found = NULL;
	uint64_t next = UINT64_MAX;
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->v[i].begin && r->v[i].begin < next && r->v[i].end > r->v[i].begin)
			next = r->v[i].begin;
	for (i = 0; i < r->n; i++) {
		const struct sequence *s = &r->v[i];

		if (s->begin || s->end > next || !r->out->first ||
		    (r->out->first != UINT64_MAX && s->end < r->out->first))
			continue;
		if (!found || (found->end != r->out->first && s->end == r->out->first))
			found = s;
	}
	return found;
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct low_row *a = pa, *b = pb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* Keeps the rows that have code, of sequences of real code. */
static void keep(struct reading *r)
{
	const struct sequence *first = first_sequence(r);
	struct low_rows *l = r->out;
	size_t i, k, n = 0;

	for (i = 0; i < r->n; i++)
		for (k = 0; k < r->v[i].rows && (r->v[i].begin || &r->v[i] == first); k++)
			if (l->v[r->v[i].row + k].end > l->v[r->v[i].row + k].begin)
				l->v[n++] = l->v[r->v[i].row + k];
	l->n = n;
	ARRAY_SORT(l->v, n, compare_rows);
	/* code that several units have: the row that begins last has it */
	for (i = 0; i + 1 < n; i++)
		if (l->v[i].end > l->v[i + 1].begin)
			l->v[i].end = l->v[i + 1].begin;
}

void low_rows_read(struct low_rows *l, const struct low_input *in)
{
	struct reading r = { .out = l, .in = in };

	l->first = in->first;
	if (in->lines)
		read_units(&r);
	keep(&r);
	free(r.v);
	intmap_free(&r.programs);
}

void low_rows_free(struct low_rows *l)
{
	free(l->v);
	*l = (struct low_rows){ .v = NULL };
}

const struct low_row *low_rows_at(const struct low_rows *l, uint64_t addr)
{
	size_t lo = 0, hi = l->n;

	BISECT(lo, hi, mid, l->v[mid].begin <= addr);
	return lo && addr < l->v[lo - 1].end ? &l->v[lo - 1] : NULL;
}

bool low_rows_function(const struct low_rows *l, uint64_t size)
{
	return low_rows_at(l, 0) && (l->first == UINT64_MAX || size == l->first);
}
