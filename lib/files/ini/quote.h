/* SPDX-License-Identifier: BSD-3-Clause */
/* quote.h - text in quotes, as INI values and event logs hold it. */
#ifndef CST_LIB_FILES_INI_QUOTE_H
#define CST_LIB_FILES_INI_QUOTE_H

#include <cstrace/files/doc.h>

#include "base/text.h"

enum cst_quote_where {
	CST_QUOTE_INI,
	CST_QUOTE_EVENT,
};

/* True if a word of the event log may contain the character. */
int cst_quote_word(char c);
/* True if the string may be written without quotes. */
int cst_quote_bare(struct cst_str s, enum cst_quote_where where);
/* The text between the quotes. */
void cst_quote(struct cst_text *t, struct cst_str s);

#endif
