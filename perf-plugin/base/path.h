/* SPDX-License-Identifier: GPL-2.0-only */
/* path.h - parts of a path. */
#ifndef CSTRACE_BASE_PATH_H
#define CSTRACE_BASE_PATH_H

#include <string.h>

/* The part behind the last slash; empty for a path that ends with one. */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A short name for a path: the part behind the last slash, or all of it if nothing is there. */
static inline const char *path_label(const char *path)
{
	const char *base = path_base(path);

	return *base ? base : path;
}

#endif
