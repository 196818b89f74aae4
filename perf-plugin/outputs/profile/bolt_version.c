/* SPDX-License-Identifier: GPL-2.0-only */
/* bolt_version.c - finds the perf2bolt of this machine. */
#include "outputs/profile/bolt_version.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

/* LLVM 14 is the first with BOLT; no perf2bolt with a greater number is looked for. */
enum { FIRST = 14, LAST = 40 };

bool bolt_version_read(const char *text, unsigned int *version)
{
	static const char prefix[] = "bolt-";
	const char *end;
	uint64_t n;

	if (strncmp(text, prefix, strlen(prefix)))
		return false;
	end = number_read(text + strlen(prefix), &n);
	if (!end || *end || n < FIRST || n > UINT32_MAX)
		return false;
	*version = (unsigned int)n;
	return true;
}

/* True if one of the folders has a program of this name. */
static bool in_path(const char *folders, const char *name)
{
	char path[4096];
	size_t n;

	while (folders && *folders) {
		n = strcspn(folders, ":");
		/* a folder that is not absolute changes with where one stands */
		if (*folders == '/' && n < sizeof(path) - strlen(name) - 2) {
			snprintf(path, sizeof(path), "%.*s/%s", (int)n, folders, name);
			if (!access(path, X_OK))
				return true;
		}
		folders += n + (folders[n] == ':');
	}
	return false;
}

unsigned int bolt_version_found(void)
{
	const char *folders = getenv("PATH");
	unsigned int version;
	char name[32];

	if (in_path(folders, "perf2bolt"))
		return 0;
	for (version = FIRST; version <= LAST; version++) {
		snprintf(name, sizeof(name), "perf2bolt-%u", version);
		if (in_path(folders, name))
			return version;
	}
	return 0;
}
