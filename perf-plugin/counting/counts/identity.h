/* SPDX-License-Identifier: GPL-2.0-only */
/* identity.h - what identifies a binary in a count file, whatever its path and wherever it was mapped. */
#ifndef CSTRACE_COUNTING_COUNTS_IDENTITY_H
#define CSTRACE_COUNTING_COUNTS_IDENTITY_H

#include <cstrace/files/countfile.h>

#include "counting/counts/counts.h"

/*
 * Fills in *is for a binary: by its build-id; without one by the SHA-1 of its code, which is that of its executable
 * segments in order of offset, or of the whole file without segments (of a module as it is stored, it may be packed), or
 * of a method's code followed by its name (of more than 256 MB, as sparse files may have, of the first ones and of the sizes of
 * the others); for code whose bytes are not those of a file by the SHA-1 of its name. The
 * name points into the dso. Returns 0, or the errno with which the file of a module could not be read again: its name
 * identifies it then.
 */
int identity_of(const struct binary *b, struct cst_count_binary *is);
/* As identity_of(), not by the build-id. */
int identity_by_code(const struct binary *b, struct cst_count_binary *is);
/* Orders identities as count files do. */
int identity_compare(const struct cst_count_binary *a, const struct cst_count_binary *b);

/*
 * Returns the loadable segments by offset, without those that have nothing in the file, in an array that the caller
 * frees; none for code without a file, and for a kernel module, whose addresses are of one run. *nr is their number.
 */
struct cst_count_segment *identity_segments(const struct dso *d, size_t *nr);

/* Offset of the binary in its dso: 0, or the begin of the method. */
uint64_t identity_base(const struct binary *b);

#endif
