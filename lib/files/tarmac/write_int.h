/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write_int.h - a line of Tarmac text while it is written: inside of lib/tarmac.
 *
 * Functions return 0, -CST_ERR_INVAL (the record is invalid) or -CST_ERR_UNSUP (the dialect has no form for it).
 */
#ifndef CST_LIB_FILES_TARMAC_WRITE_INT_H
#define CST_LIB_FILES_TARMAC_WRITE_INT_H

#include "base/text.h"
#include "files/tarmac/tarmac_int.h"

struct writer {
	struct cst_text t;
	const struct cst_tarmac_record *rec;
	enum cst_tarmac_dialect dialect;
};

/* At least one character, none of which ends a word; a long word may have stops in it. */
bool cst_tarmac_write_is_word(struct cst_str w);
bool cst_tarmac_write_is_long_word(struct cst_str w);
/* No line end, and no blanks at its ends; may be empty. */
bool cst_tarmac_write_is_text(struct cst_str t);

void cst_tarmac_write_str(struct writer *w, struct cst_str s);
/* A blank and the text; nothing if the text is empty. */
void cst_tarmac_write_after_blank(struct writer *w, struct cst_str s);
/* The common definition of an address. */
int cst_tarmac_write_address(struct writer *w, const struct cst_tarmac_address *a);

int cst_tarmac_write_reg(struct writer *w, const struct cst_tarmac_reg *r);
int cst_tarmac_write_memory(struct writer *w, const struct cst_tarmac_memory *m);
int cst_tarmac_write_update(struct writer *w, const struct cst_tarmac_memory *m);
int cst_tarmac_write_bus(struct writer *w, const struct cst_tarmac_bus *b);
int cst_tarmac_write_maintenance(struct writer *w, const struct cst_tarmac_maintenance *m);
int cst_tarmac_write_cache(struct writer *w, const struct cst_tarmac_cache *c);
int cst_tarmac_write_walk(struct writer *w, const struct cst_tarmac_walk *walk);
int cst_tarmac_write_tlb(struct writer *w, const struct cst_tarmac_tlb *t);

#endif
