/* SPDX-License-Identifier: GPL-2.0-only */
/* names.c - whole names of source files. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"
#include "outputs/sources/internal.h"

static const char *dir_of(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	const char *dir = cu && dwarf_attr(cu, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;

	return dir ? dir : "";
}

static struct whole_name *name_slot(struct whole_name *names, size_t size, const char *file)
{
	size_t i = ((uintptr_t)file * 0x9e3779b97f4a7c15u >> 20) & (size - 1);

	while (names[i].file && names[i].file != file)
		i = (i + 1) & (size - 1);
	return &names[i];
}

static void grow_names(struct source *l)
{
	size_t i, size = l->named.size_names ? 2 * l->named.size_names : 256;
	struct whole_name *names = mem_zeroed(size, sizeof(*names));

	for (i = 0; i < l->named.size_names; i++)
		if (l->named.names[i].file)
			*name_slot(names, size, l->named.names[i].file) = l->named.names[i];
	free(l->named.names);
	l->named.names = names;
	l->named.size_names = size;
}

/* libdw puts a directory of compilation that is relative before the names of its own files, not before other directories. */
static bool is_below(const char *file, const char *dir)
{
	const size_t len = strlen(dir);

	return !strncmp(file, dir, len) && file[len] == '/';
}

const char *source_name(struct source *l, Dwarf_Die *cu, const char *file)
{
	struct whole_name *slot;
	const char *dir;
	char *whole;

	if (file[0] == '/')
		return file;
	if (2 * l->named.nr_names >= l->named.size_names)
		grow_names(l);
	slot = name_slot(l->named.names, l->named.size_names, file);
	if (slot->file)
		return slot->whole;
	dir = dir_of(cu);
	if (is_below(file, dir))
		dir = "";
	whole = format_text("%s%s%s", dir, *dir ? "/" : "", file);
	*slot = (struct whole_name){ .file = file, .whole = whole };
	l->named.nr_names++;
	return whole;
}

const char *source_name_kept(struct source *l, Dwarf_Die *cu, const char *file)
{
	const char *dir = file[0] == '/' ? "" : dir_of(cu);
	char *whole;
	uint32_t number;

	if (is_below(file, dir))
		dir = "";
	whole = format_text("%s%s%s", dir, *dir ? "/" : "", file);
	number = strings_number(&l->named.split_names, whole);
	free(whole);
	return l->named.split_names.v[number];
}

void source_names_free(struct source *l)
{
	size_t i;

	for (i = 0; i < l->named.size_names; i++)
		free(l->named.names[i].whole);
	free(l->named.names);
	strings_free(&l->named.split_names);
}
