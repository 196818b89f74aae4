/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doc.h - INI text as sections of keys and values, the syntax of the files of a trace package (package.h).
 *
 * "key=value" and "key: value" are the same. A value may be enclosed in double quotes with the escapes \" \\ \n \r \t
 * \xNN; without quotes it ends before ';' or '#' and loses outer blanks. If a section has a key twice, lookups return
 * the first. Only one thread at a time may use a doc that changes.
 */
#ifndef CSTRACE_FILES_DOC_H
#define CSTRACE_FILES_DOC_H

#include <string.h>

#include <cstrace/types.h>

CST_BEGIN

/* A string with its length. It is not terminated by a NUL unless the field that holds it is documented to be. */
struct cst_str {
	const char *p;
	size_t n;
};

/* True if the string is `text`. An empty one may have no bytes (p NULL). */
static inline int cst_str_is(struct cst_str s, const char *text)
{
	return s.n == strlen(text) && (!s.n || !memcmp(s.p, text, s.n));
}

/* Destination of written text. */
struct cst_sink {
	void *ctx;
	int (*write)(void *ctx, const void *data, size_t len);	/* returns 0, or a negative error that the writer returns */
};

struct cst_item {
	const char *key, *value;	/* terminated; value without quotes and escapes */
	size_t value_len;		/* a quoted value may hold NUL */
	unsigned int line;		/* 0: not read from a file */
};

struct cst_doc_section {
	const char *name;
	struct cst_item *items;
	size_t n_items;
	unsigned int line;
};

/* Sections and items are in the order of the file; a section name that is repeated continues its section. */
struct cst_doc {
	struct cst_doc_section *sections;
	size_t n_sections;
};

/* Location of an error in a text. Longer names are cut; a name is "" if there is none. */
struct cst_problem {
	int error;		/* negative enum cst_error */
	unsigned int line;
	char section[64], item[32];
	char other[32];		/* the item that contradicts this one, or an alternative to a missing one */
	const char *text;	/* static text: the value that was expected */
};

/* Creates an empty doc that allocates at most `memory` bytes; 0: 64 MiB. -CST_ERR_NOMEM. */
CST_API int cst_doc_new(struct cst_doc **doc, size_t memory);
CST_API void cst_doc_free(struct cst_doc *doc);
/* Adds the text of a file. Returns -CST_ERR_SYNTAX at the first line that is neither section, key nor comment. */
CST_EXPERIMENTAL
CST_API int cst_doc_parse(struct cst_doc *doc, const void *text, size_t len, struct cst_problem *why);
/* Writes text that parses to the same doc. -CST_ERR_INVAL: a name cannot be written as INI. */
CST_API int cst_doc_write(const struct cst_doc *doc, const struct cst_sink *out);

/* Returns the section or item, NULL if there is none. Names are compared without case. */
CST_API struct cst_doc_section *cst_doc_section(const struct cst_doc *doc, const char *name);
CST_API const struct cst_item *cst_doc_item(const struct cst_doc_section *s, const char *key);
/*
 * Adds or replaces an item and creates its section if needed. The strings are copied. A pointer to a section or item is
 * valid until the next change of the doc.
 */
CST_API int cst_doc_set(struct cst_doc *doc, const char *section, const char *key, const char *value);
CST_API int cst_doc_set_number(struct cst_doc *doc, const char *section, const char *key, uint64_t value,
			       int hex);
/* Parses a number (decimal or 0x), or a boolean (0 1 no yes false true off on). Returns -CST_ERR_SYNTAX otherwise. */
CST_API int cst_item_number(const struct cst_item *item, uint64_t *value);
CST_EXPERIMENTAL
CST_API int cst_item_bool(const struct cst_item *item, int *value);

CST_END

#endif
