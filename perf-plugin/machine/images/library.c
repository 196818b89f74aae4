/* SPDX-License-Identifier: GPL-2.0-only */
/* library.c - separates libraries, and what belongs to every program, by their names. */
#include "machine/images/library.h"
#include "base/path.h"

#include <ctype.h>
#include <string.h>

/* True if the name has this ending, also with more behind it that is no word: libc.so.6, "libc.so (deleted)", m.ko.xz. */
static bool has_ending(const char *name, const char *ending)
{
	const char *p = name;

	while ((p = strstr(p, ending))) {
		p += strlen(ending);
		if (!isalpha((unsigned char)*p))
			return true;
	}
	return false;
}

/* The dynamic linkers of GNU and musl, and of Android. */
static bool is_linker(const char *path, const char *name)
{
	return !strncmp(name, "ld-", 3) ||
	       (!strncmp(name, "linker", 6) && (!strncmp(path, "/apex/", 6) || !strncmp(path, "/system/bin/", 12)));
}

bool library_name(const char *path)
{
	const char *name = path_base(path);

	return path[0] == '[' || has_ending(name, ".so") || has_ending(name, ".ko") || is_linker(path, name);
}

/* libc.so.6, libc-2.36.so, libc.musl-aarch64.so.1 */
static bool is_libc(const char *name)
{
	return !strncmp(name, "libc", 4) && (name[4] == '.' || (name[4] == '-' && isdigit((unsigned char)name[5])));
}

bool library_of_all(const char *path)
{
	const char *name = path_base(path);

	return path[0] == '[' || has_ending(name, ".ko") || is_linker(path, name) || is_libc(name);
}
