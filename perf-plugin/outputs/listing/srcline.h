/* SPDX-License-Identifier: GPL-2.0-only */
/* srcline.h - "FILE:LINE" of code, by the DWARF of its file, as perf prints it. */
#ifndef CSTRACE_OUTPUTS_LISTING_SRCLINE_H
#define CSTRACE_OUTPUTS_LISTING_SRCLINE_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct srclines;

struct srclines *srclines_new(void);
void srclines_free(struct srclines *t);
/* True if a file could not be opened for its lines; a message on stderr has named it. */
bool srclines_unread(const struct srclines *t);
/*
 * Returns the name of the source file without its folders, and the line, of the code at an offset of a file; "NAME[ADDR]"
 * with the file's name and the ELF address if there is no line. Not escaped. Valid until the next call.
 */
const char *srclines_text(struct srclines *t, const struct dso *dso, uint64_t offset);

#endif
