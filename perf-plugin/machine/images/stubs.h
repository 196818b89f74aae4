/* SPDX-License-Identifier: GPL-2.0-only */
/* stubs.h - names of the linker's stubs (PLT), which no symbol has: that of the function behind it and "@plt". */
#ifndef CSTRACE_MACHINE_IMAGES_STUBS_H
#define CSTRACE_MACHINE_IMAGES_STUBS_H

#include <stdbool.h>
#include <stdint.h>

struct dso;
struct stub_table;

/* Finds the stub at an offset of the file. False: there is none, or its function has no name. */
bool stubs_find(struct dso *d, uint64_t offset, const char **name, uint64_t *start, uint64_t *size);
/* Narrows [*start, *end), which holds `offset`, to the code without stubs around it. */
void stubs_between(struct dso *d, uint64_t offset, uint64_t *start, uint64_t *end);
void stubs_free(struct stub_table *t);

#endif
