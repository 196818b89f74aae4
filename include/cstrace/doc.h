/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doc.h - INI text as sections of keys and values: what a trace package is described with (package.h).
 *
 * "key=value" and "key: value" are the same. A value may stand in double quotes with the escapes
 * \" \\ \n \r \t \xNN; without quotes it ends before ';' or '#' and loses outer blanks. Of a key that comes
 * twice in a section the first one is found. A doc belongs to one thread at a time while it changes.
 */
#ifndef CSTRACE_DOC_H
#define CSTRACE_DOC_H

#include <cstrace/types.h>

CST_BEGIN

/* Bytes; not terminated unless something says so. */
struct cst_str {
	const char *p;
	size_t n;
};

/* Where written text goes. */
struct cst_sink {
	void *ctx;
	int (*write)(void *ctx, const void *data, size_t len);	/* 0, or negative: passed on */
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

/* Sections and items stand in the order of the file; a name that comes again continues its section. */
struct cst_doc {
	struct cst_doc_section *sections;
	size_t n_sections;
};

/* Where a text is wrong; names that are longer are cut, "" when there is none. */
struct cst_problem {
	int error;		/* negative enum cst_error */
	unsigned int line;
	char section[64], item[32];
	char other[32];		/* the item that it contradicts, or that would do as well */
	const char *text;	/* static: what was expected */
};

/* An empty doc that takes at most `memory` bytes; 0: 64 MiB. -CST_ERR_NOMEM. */
CST_API int cst_doc_new(struct cst_doc **doc, size_t memory);
CST_API void cst_doc_free(struct cst_doc *doc);
/* Add the text of a file. -CST_ERR_SYNTAX at the first line that is neither section, key nor comment. */
CST_EXPERIMENTAL
CST_API int cst_doc_parse(struct cst_doc *doc, const void *text, size_t len, struct cst_problem *why);
/* Text that parses to the same doc. -CST_ERR_INVAL: a name cannot be written as INI. */
CST_API int cst_doc_write(const struct cst_doc *doc, const struct cst_sink *out);

/* NULL when there is none. Names are compared without case. */
CST_API struct cst_doc_section *cst_doc_section(const struct cst_doc *doc, const char *name);
CST_API const struct cst_item *cst_doc_item(const struct cst_doc_section *s, const char *key);
/*
 * Add or replace; sections are made as needed. The strings are copied. A pointer to a section or item
 * is valid until the next change of the doc.
 */
CST_API int cst_doc_set(struct cst_doc *doc, const char *section, const char *key, const char *value);
CST_API int cst_doc_set_number(struct cst_doc *doc, const char *section, const char *key, uint64_t value,
			       int hex);
/* Numbers, decimal or 0x; booleans 0 1 no yes false true off on. -CST_ERR_SYNTAX otherwise. */
CST_API int cst_item_number(const struct cst_item *item, uint64_t *value);
CST_EXPERIMENTAL
CST_API int cst_item_bool(const struct cst_item *item, int *value);

CST_END

#endif
