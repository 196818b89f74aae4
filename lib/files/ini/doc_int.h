/* SPDX-License-Identifier: BSD-3-Clause */
/* doc_int.h - inside a doc, and how the readers of package files report. */
#ifndef CST_LIB_FILES_INI_DOC_INT_H
#define CST_LIB_FILES_INI_DOC_INT_H

#include <cstrace/files/doc.h>

#include "files/ini/ini.h"
#include "files/ini/memlist.h"

/* `pub` comes first, so that a pointer to it is a pointer to this. */
struct doc {
	struct cst_doc pub;
	struct mem_list mem;
	uint32_t *slots;	/* hash of section names */
	size_t n_slots;
};

/* Fills *why (may be NULL) and returns `error`. */
int cst_problem_set(struct cst_problem *why, int error, const struct cst_doc_section *s, const char *item,
		    unsigned int line, const char *text);
/* Names the other item as well. */
void cst_problem_other(struct cst_problem *why, const char *other);

#endif
