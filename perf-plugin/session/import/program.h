/* SPDX-License-Identifier: GPL-2.0-only */
/* program.h - the loadable segments of program files, as memory dumps of a snapshot. */
#ifndef CSTRACE_SESSION_IMPORT_PROGRAM_H
#define CSTRACE_SESSION_IMPORT_PROGRAM_H

#include <stdio.h>

#include "base/error.h"
#include "session/import/folder.h"

/*
 * Adds a file to the folder and prints a [dump] section for each of its segments. `arg` is FILE or FILE@ADDR: the
 * address where the first segment is loaded, or, of a file that is not ELF, where its first byte is. 0, or negative
 * with *err. `dumps` counts the sections.
 */
int program_add(struct folder *f, const char *arg, FILE *ini, size_t *dumps, struct error *err);

/* A name for a file of a snapshot that no other file of it has, by the last part of its path; for the caller to free. */
char *program_alias(const struct folder *f, const char *path);

#endif
