/* SPDX-License-Identifier: GPL-2.0-only */
/* names.c - whole names of source files. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "outputs/sources/internal.h"

static const char *dir_of(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	const char *dir = cu && dwarf_attr(cu, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;

	return dir ? dir : "";
}

/* libdw puts a directory of compilation that is relative before the names of its own files, not before other directories. */
static bool is_below(const char *file, const char *dir)
{
	const size_t len = strlen(dir);

	return !strncmp(file, dir, len) && file[len] == '/';
}

static char *whole_name(const char *dir, const char *file)
{
	if (is_below(file, dir))
		dir = "";
	return format_text("%s%s%s", dir, *dir ? "/" : "", file);
}

const char *source_name(struct source *l, Dwarf_Die *cu, const char *file)
{
	char *whole;

	if (file[0] == '/')
		return file;
	whole = intmap_get(&l->named.names, (intptr_t)file);
	if (!whole) {
		whole = whole_name(dir_of(cu), file);
		intmap_put(&l->named.names, (intptr_t)file, whole);
	}
	return whole;
}

const char *source_name_kept(struct source *l, Dwarf_Die *cu, const char *file)
{
	char *whole = whole_name(file[0] == '/' ? "" : dir_of(cu), file);
	const uint32_t number = strings_number(&l->named.split_names, whole);

	free(whole);
	return l->named.split_names.v[number];
}

void source_names_free(struct source *l)
{
	size_t i;

	for (i = 0; i < l->named.names.size; i++)
		free(l->named.names.slot[i].value);
	intmap_free(&l->named.names);
	strings_free(&l->named.split_names);
}
