/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * declared.c - the functions that DWARF declares, and where they are inlined, also where it is
 * split.
 */
#include <dwarf.h>

#include "base/files/guard.h"
#include "outputs/sources/internal.h"

struct functions {
	struct source *l;
	Dwarf_Die *cu;		/* of the file */
	struct split_unit *split;	/* where the functions of `cu` are; NULL: in it */
	/* one of them */
	void (*function)(void *data, const struct source_function *f);
	void (*inlined)(void *data, const struct source_inlined *i);
	void *data;
};

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return dwarf_formstring(&attr);
	return dwarf_diename(die);
}

/* The file that declares a function; NULL: none is stated. */
static const char *decl_file(struct functions *fs, Dwarf_Die *die)
{
	const char *file = fs->split ? NULL : dwarf_decl_file(die);
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t n;

	if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attr) || dwarf_formudata(&attr, &number))
		return file;
	if (dwarf_cu_info(attr.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL))
		return NULL;
	/* libdw takes 0 for no file; in DWARF 5 it is the file that the unit was compiled from, and clang uses it */
	if (fs->split ? !number && version < 5 : number || version < 5)
		return NULL;
	if (dwarf_getsrcfiles(fs->split && !fs->split->own_files ? fs->cu : &unit, &files, &n) || number >= n)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

/*
 * The next range of a function. Those of split DWARF are relative to the unit of the program, which libdw does not know: it
 * takes 0 for its base, so what is not code is relative. *base stays from call to call.
 */
static ptrdiff_t range_of(struct functions *fs, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base,
			  Dwarf_Addr *begin, Dwarf_Addr *end)
{
	at = source_ranges(fs->l, die, at, base, begin, end);
	if (at > 0 && fs->split && fs->split->base && !source_in_code(fs->l, *begin)) {
		*begin += fs->split->base;
		*end += fs->split->base;
	}
	return at;
}

/*
 * The address at which execution of a function begins: DW_AT_entry_pc, an address or, in DWARF 5, the distance from the base
 * address, else this, which is that of the first range of a function in several parts (DWARF 5, 2.17 and 2.18).
 */
static bool entry_of(struct functions *fs, Dwarf_Die *die, Dwarf_Addr *entry)
{
	Dwarf_Attribute attr;
	Dwarf_Addr base, end;
	Dwarf_Word distance = 0;

	if (!dwarf_entrypc(die, entry))
		return true;
	if (dwarf_attr(die, DW_AT_entry_pc, &attr) && dwarf_formudata(&attr, &distance))
		return false;
	if (range_of(fs, die, 0, &base, entry, &end) <= 0)
		return false;
	*entry += distance;
	return true;
}

static int take_function(Dwarf_Die *die, void *data)
{
	struct functions *fs = data;
	struct source_function f;
	Dwarf_Addr base, begin, end, entry;
	const char *file = decl_file(fs, die);
	ptrdiff_t at = 0;
	int line;

	f.name = linkage_name(die);
	if (!f.name || !file || dwarf_decl_line(die, &line) || line <= 0 || !entry_of(fs, die, &entry))
		return DWARF_CB_OK;
	while ((at = range_of(fs, die, at, &base, &begin, &end)) > 0) {
		if (entry < begin || entry >= end || !source_in_code(fs->l, begin) || !source_offset_of(fs->l, begin, &f.begin))
			continue;
		if (!begin && source_is_low(fs->l) &&
		    !low_rows_function(&fs->l->lows.low, end - begin))
			continue;
		f.end = f.begin + (end - begin);
		f.place.file = fs->split ? source_name_kept(fs->l, fs->cu, file) : source_name(fs->l, fs->cu, file);
		f.place.line = (unsigned int)line;
		guard_unchecked(false);
		if (f.place.file)
			fs->function(fs->data, &f);
		guard_unchecked(true);
		break;
	}
	return DWARF_CB_OK;
}

/* ---- inlined functions ---------------------------------------------------------------------- */

/* Passes the ranges of a call that is inlined. */
static void take_inlined(struct functions *fs, Dwarf_Die *die, unsigned int depth)
{
	struct source_inlined in = { .depth = depth, .name = linkage_name(die) };
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while (in.name && (at = range_of(fs, die, at, &base, &begin, &end)) > 0) {
		if (!source_in_code(fs->l, begin) || !source_offset_of(fs->l, begin, &in.begin))
			continue;
		in.end = in.begin + (end - begin);
		guard_unchecked(false);
		fs->inlined(fs->data, &in);
		guard_unchecked(true);
	}
}

/* Entries inside each other, and calls that are inlined inside each other. */
struct nested {
	unsigned int entries, depth;
};

/* Passes the calls that are inlined below an entry, which is a function, a block or such a call. */
static void inlined_below(struct functions *fs, Dwarf_Die *die, struct nested in)
{
	struct nested below = { .entries = in.entries + 1, .depth = in.depth };
	Dwarf_Die child;
	int tag;

	if (in.entries > 2 * SOURCE_INLINED_DEPTH || in.depth >= SOURCE_INLINED_DEPTH ||
	    dwarf_child(die, &child))
		return;
	do {
		tag = dwarf_tag(&child);
		below.depth = in.depth;
		if (tag == DW_TAG_inlined_subroutine) {
			take_inlined(fs, &child, in.depth);
			below.depth++;
		}
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			inlined_below(fs, &child, below);
	} while (!dwarf_siblingof(&child, &child));
}

static int take_host(Dwarf_Die *die, void *data)
{
	inlined_below(data, die, (struct nested){ .depth = 0 });
	return DWARF_CB_OK;
}

/* ---- units ---------------------------------------------------------------------------------- */

static void each_in(struct functions *fs, Dwarf_Die *unit)
{
	dwarf_getfuncs(unit, fs->function ? take_function : take_host, fs, 0);
}

/* Functions of a unit that are in another file. */
static void each_split(struct functions *fs)
{
	struct source *l = fs->l;
	struct split_unit u;

	if (!l->split)
		l->split = split_new(&l->sections, l->debug.p ? l->debug_path : l->path, l->dso);
	if (split_open(l->split, fs->cu, &u)) {
		fs->split = &u;
		each_in(fs, &u.cu);
		split_unit_close(&u);
		fs->split = NULL;
	}
}

static void each_unit(struct functions *fs)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	guard_unchecked(true);
	while (source_next_unit(fs->l, &cu, &die)) {
		fs->cu = &die;
		if (!split_is_skeleton(&die))
			each_in(fs, &die);
		else
			each_split(fs);
	}
	guard_unchecked(false);
}

void source_each_function(struct source *l,
			  void (*function)(void *data, const struct source_function *f), void *data)
{
	struct functions fs = { .l = l, .function = function, .data = data };

	each_unit(&fs);
}

void source_each_inlined(struct source *l,
			 void (*inlined)(void *data, const struct source_inlined *i), void *data)
{
	struct functions fs = { .l = l, .inlined = inlined, .data = data };

	each_unit(&fs);
}

const char *source_split_missing(const struct source *l)
{
	return l->split ? split_missing(l->split) : NULL;
}
