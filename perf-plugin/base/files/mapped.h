/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mapped.h - files that are mapped to be read, and which of them became shorter. All mappings of input are made
 * here: the handler of SIGBUS (guard.h) finds the file's name in this table.
 *
 * A file that loses less than a page gives no signal: its last bytes read as zeros. So its size is compared when
 * it is unmapped, and before an output gets its name.
 */
#ifndef CSTRACE_BASE_FILES_MAPPED_H
#define CSTRACE_BASE_FILES_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The first `size` bytes (not 0) of an open file, privately, with mmap's `prot`; NULL with errno. */
void *mapped_new(int fd, size_t size, int prot, const char *name);
/* The same from the byte `start` on, a multiple of a page. */
void *mapped_part(int fd, uint64_t start, size_t size, int prot, const char *name);
/*
 * As mapped_new() for a file that grows up to `size` bytes and that nobody else changes. It may
 * fail for want of address space.
 */
void *mapped_growing(int fd, size_t size, const char *name);
void mapped_free(const void *p, size_t size);
/*
 * Frees the memory of a part of a mapping that was made for reading alone: its bytes are read from the file again when
 * they are used. Of other memory nothing. So threads that are done with their parts share the work of unmapping the file.
 */
void mapped_drop(const void *p, size_t size);

/*
 * The same for all of the mapping that has the byte at `p`. A reader that passes through a mapping
 * calls it each MAPPED_KEPT bytes, so that the size of the file is no memory of the process.
 */
#define MAPPED_KEPT ((size_t)32 << 20)
void mapped_release(const void *p);
/*
 * Of bytes that are all about to be read, the pages come at once, not by a page fault for a few of
 * them each. Of more than MAPPED_AHEAD bytes the first ones: all of them may not fit into memory.
 */
#define MAPPED_AHEAD ((size_t)8 << 20)
void mapped_ahead(const void *p, size_t size);

/* Async-signal-safe: the name, for messages, of the file at this address, and the offset in it; NULL: no mapped file is there. */
const char *mapped_name_at(const void *addr, uint64_t *offset);

/* A file that became shorter since it was mapped, now or when it was unmapped; NULL: none did. */
const char *mapped_shrunk(void);

/* 0, or after such a file ERR_IO with a message that names it. */
int mapped_check(struct error *err);

#endif
