/* SPDX-License-Identifier: BSD-3-Clause */
/* memlist.h - memory that is freed together and counted against a limit. */
#ifndef CST_LIB_FILES_INI_MEMLIST_H
#define CST_LIB_FILES_INI_MEMLIST_H

#include <stddef.h>

#include "files/ini/ini.h"

struct mem_chunk;

struct mem_list {
	struct mem_chunk *chunks;
	size_t used, limit;
};

/* Zeroed memory that lives as long as the list; NULL: out of memory or over the limit. */
void *cst_mem_alloc(struct mem_list *m, size_t size);
/* A terminated copy. */
const char *cst_mem_copy(struct mem_list *m, struct cst_str s);
/*
 * Make room for one more entry in a list of `n` entries of `size` bytes at *list. Lists grow by
 * doubling, at powers of two. Returns the new, zeroed entry or NULL.
 */
void *cst_mem_append(struct mem_list *m, void *list, size_t *n, size_t size);
void cst_mem_free(struct mem_list *m);

#endif
