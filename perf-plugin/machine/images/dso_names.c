/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dso_names.c - names that the kernel and the recorder give to what no path leads to. A name is a
 * hint only: a map with a build-id is a file, whatever its name.
 */
#include <string.h>

#include "machine/images/dso_table.h"

/* The part of a name behind the one in the table. */
enum rest {
	NOTHING,
	ANYTHING,
	UNLINKED,		/* anything that ends as the kernel marks a file without a path */
};

static const struct special_name {
	const char *name;
	uint8_t rest;		/* enum rest */
	uint8_t what;		/* enum dso_name */
} names[] = {
	{ "//anon", NOTHING, NAME_MEMORY },
	{ "", NOTHING, NAME_MEMORY },
	{ "[anon", ANYTHING, NAME_MEMORY },
	{ "[heap]", NOTHING, NAME_MEMORY },
	{ "[stack", ANYTHING, NAME_MEMORY },
	{ "/dev/zero", NOTHING, NAME_MEMORY },
	{ "/dev/zero (deleted)", NOTHING, NAME_MEMORY },
	{ "/SYSV", UNLINKED, NAME_MEMORY },
	{ "/anon_hugepage (deleted)", NOTHING, NAME_MEMORY },
	{ "/memfd:", UNLINKED, NAME_MEMFD },
	{ "anon_inode:", ANYTHING, NAME_DEVICE },
	{ "[uprobes]", NOTHING, NAME_UPROBES },
	{ "[vsyscall]", NOTHING, NAME_DEVICE },
	{ "[vectors]", NOTHING, NAME_PAGE },
	{ "[sigpage]", NOTHING, NAME_PAGE },
	{ "//toolong", NOTHING, NAME_LOST },
	{ "//enomem", NOTHING, NAME_LOST },
};

static bool is_unlinked(const char *path)
{
	static const char end[] = " (deleted)";
	size_t n = strlen(path), k = sizeof(end) - 1;

	return n > k && !strcmp(path + n - k, end);
}

static bool is_called(const char *path, const struct special_name *s)
{
	if (s->rest == NOTHING)
		return !strcmp(path, s->name);
	if (strncmp(path, s->name, strlen(s->name)))
		return false;
	return s->rest == ANYTHING || is_unlinked(path);
}

/*
 * libhugetlbfs keeps text and data of a program in unlinked files of a hugetlbfs, usually at
 * /dev/hugepages.
 */
static bool is_huge_file(const char *path)
{
	if (!is_unlinked(path))
		return false;
	return strstr(path, "/hugepages/") || strstr(path, "/libhugetlbfs.tmp.");
}

enum dso_name dso_name_kind(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct special_name *s = &names[i];

		if (is_called(path, s))
			return s->what;
	}
	return is_huge_file(path) ? NAME_MEMORY : NAME_FILE;
}

bool dso_name_is_anon(const char *path)
{
	return dso_name_kind(path) >= NAME_MEMORY;
}
