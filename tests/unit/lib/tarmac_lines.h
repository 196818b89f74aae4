/* SPDX-License-Identifier: BSD-3-Clause */
/* tarmac_lines.h - one line of Tarmac text as a record, and what a test says of it. */
#ifndef CSTRACE_TESTS_UNIT_TARMAC_LINES_H
#define CSTRACE_TESTS_UNIT_TARMAC_LINES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

static struct cst_tarmac_reader *line_reader;

static inline int lines_begin(void **state)
{
	(void)state;
	return cst_tarmac_reader_new(&line_reader, NULL);
}

static inline int lines_end(void **state)
{
	(void)state;
	cst_tarmac_reader_free(line_reader);
	return 0;
}

/* The record of a line (without '\n'), valid until the next one. */
static inline const struct cst_tarmac_record *read_line(const char *line)
{
	const struct cst_tarmac_record *rec;
	static char text[8192];
	int n = snprintf(text, sizeof(text), "%s\n", line);

	assert_int_equal(cst_tarmac_feed(line_reader, text, (size_t)n), 0);
	assert_int_equal(cst_tarmac_next(line_reader, &rec), 1);
	return rec;
}

/* The same; it must be right. */
static inline const struct cst_tarmac_record *good(const char *line, enum cst_tarmac_kind kind)
{
	const struct cst_tarmac_record *rec = read_line(line);

	if (rec->error)
		fail_msg("%s: column %u: %s", line, rec->column, rec->reason);
	assert_int_equal(rec->column, 0);
	assert_null(rec->reason);
	assert_int_equal(rec->kind, kind);
	return rec;
}

static inline void says(struct cst_str s, const char *want)
{
	if (s.n != strlen(want) || (s.n && memcmp(s.p, want, s.n)))
		fail_msg("\"%.*s\" is not \"%s\"", (int)s.n, s.p ? s.p : "", want);
}

#endif
