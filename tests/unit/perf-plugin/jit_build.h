/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_JIT_BUILD_H
#define TESTS_JIT_BUILD_H

/* Puts jitdump files together, in either byte order (pdb.swap), from the format's description. */
#include "perfdata_build.h"

#define JB_AARCH64 183u

void jb_header(struct pdb *b, uint32_t machine, uint32_t pid, uint64_t flags);
void jb_load(struct pdb *b, uint64_t time, uint64_t addr, uint64_t index, const char *name, const void *code,
	     size_t size);
void jb_move(struct pdb *b, uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t index);
/* A record that says nothing about code: 2 debug information, 3 close, 4 unwinding information. */
void jb_other(struct pdb *b, uint32_t id, uint64_t time, size_t size);

#endif
