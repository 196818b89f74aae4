/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ini.h - INI text, line by line. Comments start with ';' or '#' and run to the end of the line.
 */
#ifndef CST_LIB_FILES_INI_INI_H
#define CST_LIB_FILES_INI_INI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cstrace/files/doc.h>

enum ini_kind {
	INI_END,
	INI_SECTION,	/* name in section */
	INI_KEY,	/* section, key, value; blanks around them are gone */
	INI_BAD,	/* neither, or a control character */
};

struct ini_line {
	enum ini_kind kind;
	unsigned int line;
	struct cst_str section, key, value;
};

struct ini_reader {
	const char *p, *end;
	unsigned int line;
	int package;	/* "key: value" and quoted values as well; set after cst_ini_start() */
	struct cst_str section;
};

void cst_ini_start(struct ini_reader *r, const uint8_t *text, size_t len);
void cst_ini_next(struct ini_reader *r, struct ini_line *out);

static inline struct cst_str cst_ini_str(const char *s)
{
	return (struct cst_str){ s, strlen(s) };
}

static inline struct cst_str cst_item_str(const struct cst_item *item)
{
	return (struct cst_str){ item->value, item->value_len };
}

/* Letters of A to Z as small ones, whatever the locale. */
static inline char cst_ini_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Equality without case. */
int cst_ini_is(struct cst_str s, const char *word);
/* True if `s` begins with `word`, without case; *rest: the text behind it. */
int cst_ini_begins(const char *s, const char *word);
int cst_ini_rest(const char *s, const char *word, struct cst_str *rest);
struct cst_str cst_ini_trim(struct cst_str s);
/* Returns the part before the next comma in *item and the text after it in *rest; 0 if *rest is empty. */
int cst_ini_item(struct cst_str *rest, struct cst_str *item);
/*
 * What a quoted text stands for, into out[0..s.n). `s` begins with the quote. The number of bytes used
 * of `s`, or -CST_ERR_SYNTAX; *len bytes were written.
 */
int64_t cst_ini_unquote(struct cst_str s, char *out, size_t *len);
/* The value of a digit; -1: it is none of the base. */
int cst_ini_digit(char c, unsigned int base);
/* A number, decimal or with 0x; 0, or -CST_ERR_SYNTAX. */
int cst_ini_number(struct cst_str s, uint64_t *value);

#endif
