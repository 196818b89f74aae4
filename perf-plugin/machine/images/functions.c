/* SPDX-License-Identifier: GPL-2.0-only */
/* functions.c - merges symbols and unwind tables into one table of functions. */
#include "machine/images/functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "machine/images/dso.h"
#include "machine/images/unwind.h"

/* Functions inside of others (aliases with other sizes, entries in the middle) are few. */
#define MAX_NESTED	16u

struct function_table {
	struct dso_function *v;	/* sorted by start, each start once */
	size_t nr, cap;
	struct unwind unwind;
};

/* Functions that return a second time when longjmp() or setcontext() is called. */
static bool sets_jump(const char *name)
{
	static const char *const names[] = { "setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "_sigsetjmp",
					     "getcontext", "__getcontext" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* GCC and LLVM name the part of a function that is seldom executed NAME.cold, GCC up to 8 also NAME.cold.N. */
static bool is_part(const char *name)
{
	const char *dot = strstr(name, ".cold");

	return dot && (!dot[5] || dot[5] == '.');
}

static void append(struct function_table *fs, const struct dso_function *f)
{
	*ARRAY_ADD(fs->v, fs->nr, fs->cap) = *f;
}

/* Adds a symbol. Those with one start are one function, of which the longest precedes the others. */
static void add(struct function_table *fs, const struct dso_function *f)
{
	struct dso_function *last = fs->nr ? &fs->v[fs->nr - 1] : NULL;

	if (last && last->start == f->start) {
		last->sets_jump |= f->sets_jump;
		return;
	}
	append(fs, f);
}

/* Adds the symbols that have a size. They are sorted by offset. */
static void add_symbols(struct function_table *fs, const struct dso *d)
{
	size_t i;

	for (i = 0; i < d->symbols.nr_syms; i++) {
		const struct dso_symbol_entry *s = &d->symbols.syms[i];
		const struct dso_function f = { .start = s->offset, .end = s->offset + s->size, .part = is_part(s->name),
					    .sets_jump = sets_jump(s->name) };

		if (s->size)
			add(fs, &f);
	}
}

/* Finds the function among the first `nr` ones. */
static const struct dso_function *find(const struct function_table *fs, size_t nr, uint64_t offset)
{
	size_t lo = 0, hi = nr, n;

	BISECT(lo, hi, mid, fs->v[mid].start <= offset);
	for (n = 0; lo && n < MAX_NESTED; n++)
		if (offset < fs->v[--lo].end)
			return &fs->v[lo];
	return NULL;
}

/* Adds the code of the unwind tables in which no symbol is. */
static void add_unwind(struct function_table *fs)
{
	size_t symbols = fs->nr, i;

	for (i = 0; i < fs->unwind.nr; i++) {
		const struct unwind_entry *e = &fs->unwind.v[i];
		const struct dso_function f = { .start = e->start, .end = e->end, .part = e->part };

		if (i && fs->unwind.v[i - 1].start == e->start)
			continue;
		if (!find(fs, symbols, e->start))
			append(fs, &f);
	}
	ARRAY_SORT(fs->v, fs->nr, array_compare_u64);
}

/* Returns the begin of the first function, or symbol, behind symbol `i`. */
static uint64_t end_of_label(const struct function_table *fs, size_t nr, const struct dso *d, size_t i)
{
	uint64_t start = d->symbols.syms[i].offset, end = UINT64_MAX;
	size_t lo = 0, hi = nr;

	BISECT(lo, hi, mid, fs->v[mid].start <= start);
	if (lo < nr)
		end = fs->v[lo].start;
	return dso_next_symbol(d, i, end);
}

/*
 * Adds the symbols without a size, as hand-written code has, where no other function is. They extend to the next
 * function or symbol.
 */
static void add_labels(struct function_table *fs, const struct dso *d)
{
	size_t known = fs->nr, i;

	for (i = 0; i < d->symbols.nr_syms; i++) {
		const struct dso_symbol_entry *s = &d->symbols.syms[i];
		struct dso_function f = { .start = s->offset, .label = true, .sets_jump = sets_jump(s->name) };

		if (s->size || (i && d->symbols.syms[i - 1].offset == s->offset) ||
		    find(fs, known, s->offset))
			continue;
		f.end = end_of_label(fs, known, d, i);
		if (f.end != UINT64_MAX)
			append(fs, &f);
	}
	ARRAY_SORT(fs->v, fs->nr, array_compare_u64);
}

static struct function_table *table_of(struct dso *d)
{
	struct function_table *fs = d->symbols.functions;

	if (fs || d->state == DSO_UNTRIED)
		return fs;
	fs = d->symbols.functions = mem_zeroed(1, sizeof(*fs));
	dso_read_symbols(d);
	unwind_read(&fs->unwind, d);
	add_symbols(fs, d);
	add_unwind(fs);
	add_labels(fs, d);
	return fs;
}

bool dso_function(struct dso *d, uint64_t offset, struct dso_function *f)
{
	const struct function_table *fs = table_of(d);
	const struct dso_function *found = fs ? find(fs, fs->nr, offset) : NULL;

	if (!found)
		return false;
	*f = *found;
	return true;
}

bool dso_begins_program(struct dso *d, uint64_t offset)
{
	const struct function_table *fs = table_of(d);

	return fs && fs->unwind.entry == offset;
}

bool dso_landing_pad(struct dso *d, uint64_t site, uint64_t *pad)
{
	const struct function_table *fs = table_of(d);

	return fs && unwind_landing_pad(&fs->unwind, d, site, pad);
}

void function_table_free(struct function_table *fs)
{
	if (!fs)
		return;
	unwind_free(&fs->unwind);
	free(fs->v);
	free(fs);
}
