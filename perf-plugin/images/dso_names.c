/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dso_names.c - names that the kernel and the recorder give to what no path leads to. A name is a hint only: a map with
 * a build-id is a file, whatever its name.
 */
#include <string.h>

#include "images/dso_table.h"

static const struct special_name {
	const char *name;
	bool whole;		/* not only the first part of the name */
	uint8_t what;		/* enum dso_name */
} names[] = {
	{ "//anon", true, NAME_MEMORY },
	{ "", true, NAME_MEMORY },
	{ "[anon", false, NAME_MEMORY },
	{ "[heap]", true, NAME_MEMORY },
	{ "[stack", false, NAME_MEMORY },
	{ "/dev/zero", false, NAME_MEMORY },
	{ "/SYSV", false, NAME_MEMORY },
	{ "/anon_hugepage", false, NAME_MEMORY },
	{ "/memfd:", false, NAME_MEMFD },
	{ "anon_inode:", false, NAME_DEVICE },
	{ "[uprobes]", true, NAME_UPROBES },
	{ "[vsyscall]", true, NAME_DEVICE },
	{ "[vectors]", true, NAME_PAGE },
	{ "[sigpage]", true, NAME_PAGE },
	{ "//toolong", true, NAME_LOST },
	{ "//enomem", true, NAME_LOST },
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

/* libhugetlbfs keeps text and data of a program in unlinked files of a hugetlbfs, whose usual place is /dev/hugepages. */
static bool is_huge_file(const char *path)
{
	return ends_with(path, " (deleted)") && (strstr(path, "/hugepages/") || strstr(path, "/libhugetlbfs.tmp."));
}

enum dso_name dso_name_kind(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct special_name *s = &names[i];

		if (s->whole ? !strcmp(path, s->name) : !strncmp(path, s->name, strlen(s->name)))
			return s->what;
	}
	return is_huge_file(path) ? NAME_MEMORY : NAME_FILE;
}

bool dso_name_is_anon(const char *path)
{
	switch (dso_name_kind(path)) {
	case NAME_MEMORY:
	case NAME_MEMFD:
	case NAME_DEVICE:
	case NAME_UPROBES:
		return true;
	default:
		return false;
	}
}
