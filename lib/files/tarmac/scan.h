/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scan.h - a line of Tarmac text while it is read: blanks, words, numbers.
 *
 * The character at `end` is the line's '\n' or '\r' or one of the blanks before it, so that a loop over the characters
 * of a word or of a number ends there without asking for the end.
 */
#ifndef CST_LIB_FILES_TARMAC_SCAN_H
#define CST_LIB_FILES_TARMAC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/files/tarmac.h>

struct scan {
	const char *start;	/* of the line */
	const char *p;		/* next character */
	const char *end;	/* end of the last character that is no blank */
	struct cst_tarmac_record *rec;
};

/* 0..15 of hexadecimal digits, else above 15: TARMAC_BLANK, TARMAC_STOP (ends a word), TARMAC_WORD (any other). */
extern const uint8_t cst_tarmac_char[256];

#define TARMAC_WORD 0x10
#define TARMAC_BLANK 0x20
#define TARMAC_STOP 0x40	/* ( ) : < > , */

static inline unsigned int scan_char(char c)
{
	return cst_tarmac_char[(unsigned char)c];
}

/* Records an error. Returns false, so that a caller can return it. */
static inline bool scan_fail(struct scan *s, const char *at, int error, const char *reason)
{
	s->rec->error = error;
	s->rec->column = (uint32_t)(at - s->start) + 1;
	s->rec->reason = reason;
	return false;
}

static inline bool scan_wrong(struct scan *s, const char *at, const char *reason)
{
	return scan_fail(s, at, -CST_ERR_SYNTAX, reason);
}

static inline void scan_blanks(struct scan *s)
{
	while (s->p < s->end && scan_char(*s->p) == TARMAC_BLANK)
		s->p++;
}

static inline struct cst_str scan_str(const char *from, const char *to)
{
	return (struct cst_str){ from, (size_t)(to - from) };
}

/* Returns the characters up to a blank or a stop; n 0: there are none. */
static inline struct cst_str scan_word(struct scan *s)
{
	const char *from;

	scan_blanks(s);
	from = s->p;
	while (scan_char(*s->p) <= TARMAC_WORD && s->p < s->end)
		s->p++;
	return scan_str(from, s->p);
}

/* Returns the characters up to a blank. */
static inline struct cst_str scan_long_word(struct scan *s)
{
	const char *from;

	scan_blanks(s);
	from = s->p;
	while (s->p < s->end && scan_char(*s->p) != TARMAC_BLANK)
		s->p++;
	return scan_str(from, s->p);
}

/* Returns the rest of the line without the blanks before it. */
static inline struct cst_str scan_rest(struct scan *s)
{
	struct cst_str rest;

	scan_blanks(s);
	rest = scan_str(s->p, s->end);
	s->p = s->end;
	return rest;
}

/* Skips blanks and this character. Returns false if another one is there. */
static inline bool scan_take(struct scan *s, char c)
{
	scan_blanks(s);
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static inline bool scan_is(struct cst_str word, const char *text)
{
	return word.n == strlen(text) && !memcmp(word.p, text, word.n);
}

/* As scan_take(), but another character is an error. */
static inline bool scan_expect(struct scan *s, char c, const char *reason)
{
	return scan_take(s, c) || scan_wrong(s, s->p, reason);
}

/* As scan_word(), but an empty one is an error. */
static inline bool scan_some_word(struct scan *s, struct cst_str *word, const char *reason)
{
	*word = scan_word(s);
	return word->n || scan_wrong(s, word->p, reason);
}

static inline bool scan_begins(struct cst_str word, const char *text)
{
	return word.n >= strlen(text) && !memcmp(word.p, text, strlen(text));
}

/* Returns true at the end of a word. */
static inline bool scan_ends(const struct scan *s)
{
	return s->p == s->end || scan_char(*s->p) > TARMAC_WORD;
}

/*
 * Read a number of at least one digit, up to the first character that is no digit; *n is the number of digits.
 */
static inline bool scan_digits(struct scan *s, uint64_t *value, size_t *n, const char *reason)
{
	const char *from, *p;
	uint64_t v = 0;
	unsigned int c;

	scan_blanks(s);
	from = s->p;
	for (p = from; (c = scan_char(*p)) < 16; p++)
		v = v << 4 | c;
	s->p = p;
	*n = (size_t)(p - from);
	*value = v;
	if (!*n)
		return scan_wrong(s, from, reason);
	for (p -= *n > 16 ? 16 : *n; p-- > from;)
		if (*p != '0')
			return scan_fail(s, from, -CST_ERR_LIMIT, "number of more than 64 bits");
	return true;
}

static inline bool scan_hex(struct scan *s, uint64_t *value, const char *reason)
{
	size_t n;

	return scan_digits(s, value, &n, reason);
}

/* As scan_hex(), but the number is a word. */
static inline bool scan_hex_word(struct scan *s, uint64_t *value, const char *reason)
{
	return scan_hex(s, value, reason) &&
	       (scan_ends(s) || scan_wrong(s, s->p, "expected a hexadecimal digit"));
}

/* Returns true if a decimal number needs more than 64 bits. */
bool cst_tarmac_is_large(const char *from, const char *to);

static inline bool scan_dec(struct scan *s, uint64_t *value, const char *reason)
{
	const char *from, *p;
	uint64_t v = 0;
	unsigned int c;

	scan_blanks(s);
	from = s->p;
	for (p = from; (c = (unsigned char)*p - (unsigned int)'0') < 10; p++)
		v = v * 10 + c;
	s->p = p;
	*value = v;
	if (p == from)
		return scan_wrong(s, from, reason);
	return p - from < 20 || !cst_tarmac_is_large(from, p) ||
	       scan_fail(s, from, -CST_ERR_LIMIT, "number of more than 64 bits");
}

/* Mask of n bytes of data. */
static inline uint64_t bytes_mask(unsigned int n)
{
	return n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

#endif
