/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text.h - text into a bounded buffer, without stdio or locale. What does not fit is counted but not
 * written, so the caller learns the length the whole text has.
 */
#ifndef CST_LIB_BASE_TEXT_H
#define CST_LIB_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct cst_text {
	char *out;
	size_t cap;	/* bytes at out */
	size_t len;	/* length of the whole text so far, written or not */
};

static inline void cst_text_init(struct cst_text *t, char *out, size_t cap)
{
	t->out = out;
	t->cap = cap;
	t->len = 0;
}

static inline void cst_text_char(struct cst_text *t, char c)
{
	if (t->len < t->cap)
		t->out[t->len] = c;
	t->len++;
}

void cst_text_mem(struct cst_text *t, const char *s, size_t len);
void cst_text_str(struct cst_text *t, const char *s);
/* Hexadecimal without prefix, at least `digits` digits. */
void cst_text_hex(struct cst_text *t, uint64_t value, unsigned int digits);
void cst_text_hex_upper(struct cst_text *t, uint64_t value, unsigned int digits);
void cst_text_dec(struct cst_text *t, uint64_t value);
/* A text and the same numbers between two texts. */
void cst_text_str_in(struct cst_text *t, const char *before, const char *s, const char *after);
void cst_text_hex_in(struct cst_text *t, const char *before, uint64_t value, unsigned int digits, const char *after);
void cst_text_dec_in(struct cst_text *t, const char *before, uint64_t value, const char *after);
/* Terminates the text, cutting it if need be, and returns its whole length. */
size_t cst_text_end(struct cst_text *t);

#endif
