/* SPDX-License-Identifier: GPL-2.0-only */
/* kallsyms.h - names and addresses of a running kernel and its modules, as /proc/kallsyms gives them. */
#ifndef CSTRACE_IMAGES_KALLSYMS_H
#define CSTRACE_IMAGES_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsyms;

/* NULL after a message on stderr. */
struct kallsyms *kallsyms_open(const char *path);
/* Over `len` bytes of text; NULL: no memory, or no symbol with an address in it. */
struct kallsyms *kallsyms_read(const char *text, size_t len);
void kallsyms_free(struct kallsyms *ks);

/* The function that covers an address; *end is where the next symbol starts. */
bool kallsyms_find(const struct kallsyms *ks, uint64_t addr, const char **name, uint64_t *start,
		   uint64_t *end);
/* The one symbol of this name in a module, or with `module` NULL in the kernel; false: none, or several. */
bool kallsyms_address(struct kallsyms *ks, const char *name, const char *module, uint64_t *addr);
/* The one function of this name in all modules together. */
bool kallsyms_exported(struct kallsyms *ks, const char *name, uint64_t *addr);

#endif
