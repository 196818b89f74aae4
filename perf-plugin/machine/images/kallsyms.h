/* SPDX-License-Identifier: GPL-2.0-only */
/* kallsyms.h - names and addresses of a running kernel and its modules in the format of /proc/kallsyms. */
#ifndef CSTRACE_MACHINE_IMAGES_KALLSYMS_H
#define CSTRACE_MACHINE_IMAGES_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsyms;

/* Returns NULL after a message on stderr. */
struct kallsyms *kallsyms_open(const char *path);
/* Reads `len` bytes of text. Returns NULL if no symbol has an address. */
struct kallsyms *kallsyms_read(const char *text, size_t len);
void kallsyms_free(struct kallsyms *ks);

/* Finds the function at an address; *end is the start of the next symbol. */
bool kallsyms_find(const struct kallsyms *ks, uint64_t addr, const char **name, uint64_t *start,
		   uint64_t *end);
/*
 * Returns the address of the only symbol of this name in a module, or in the kernel (`module` NULL). False: none, or
 * several.
 */
bool kallsyms_address(struct kallsyms *ks, const char *name, const char *module, uint64_t *addr);
/* Returns the address of the only function of this name in all modules together. */
bool kallsyms_exported(struct kallsyms *ks, const char *name, uint64_t *addr);

#endif
