/* SPDX-License-Identifier: BSD-3-Clause */
/* folder.h - the private folder in memory in which fuzz_command runs a command. */
#ifndef CSTRACE_TESTS_FUZZ_COMMAND_FOLDER_H
#define CSTRACE_TESTS_FUZZ_COMMAND_FOLDER_H

#include <stdbool.h>

#include "fuzz/command/archive.h"

/* Makes the folder, once; it is removed when the process ends. */
const char *folder_make(void);
/* Writes the files of the archive, but those whose names lead out of the folder. */
void folder_fill(const struct archive *a);
/*
 * Removes everything in the folder. The first path in it that is neither of the archive nor at or below `out` (may be
 * NULL) nor an index: a message, and false.
 */
bool folder_empty(const struct archive *a, const char *out);

#endif
