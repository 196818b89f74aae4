/* SPDX-License-Identifier: GPL-2.0-only */
/* files.h - pairs the source files of two builds, which may have been compiled in other folders. */
#ifndef CSTRACE_OUTPUTS_DIFFERENCE_FILES_H
#define CSTRACE_OUTPUTS_DIFFERENCE_FILES_H

#include "base/strings.h"

/*
 * Returns for each name of `before` the number of its pair in `after`; UINT32_MAX: it has none.
 * That is the file with the same name, or one with the same last part of it that no other file of
 * `before` has: of several the one whose last folders are the same, too. The caller frees the
 * array.
 */
uint32_t *files_pair(const struct strings *before, const struct strings *after);

#endif
