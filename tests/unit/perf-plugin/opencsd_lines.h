/* SPDX-License-Identifier: BSD-3-Clause */
/* opencsd_lines.h - what the tests of the OpenCSD interface share: lists of texts, of elements and packets. */
#ifndef CSTRACE_TESTS_UNIT_OPENCSD_LINES_H
#define CSTRACE_TESTS_UNIT_OPENCSD_LINES_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* a client of 1.3.3, until it shows what only 1.8 has */
#define OCSD_NO_CLIENT_VERSION 1
#include <opencsd/c_api/opencsd_c_api.h>
/* the mask of 1.3.3 */
#define OCSD_MEM_SPACE_ANY ((ocsd_mem_space_acc_t)0x1f)

struct lines {
	char **v;
	size_t n, cap;
};

static inline void add_line(struct lines *l, uint64_t index, unsigned int id, const char *text)
{
	char *line;

	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 1024;
		l->v = realloc(l->v, l->cap * sizeof(*l->v));
		assert_non_null(l->v);
	}
	assert_true(asprintf(&line, "%" PRIu64 " %x %s", index, id, text) > 0);
	l->v[l->n++] = line;
}

static inline void free_lines(struct lines *l)
{
	while (l->n)
		free(l->v[--l->n]);
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* The lines from character `from` on are these; they are forgotten. */
static inline void check_lines(struct lines *l, size_t from, const char *const *want)
{
	size_t i;

	for (i = 0; i < l->n && want[i]; i++)
		assert_string_equal(l->v[i] + from, want[i]);
	assert_int_equal(i, l->n);
	assert_null(want[i]);
	free_lines(l);
}

#define LINES(...) (const char *const[]){ __VA_ARGS__, NULL }

/* Adds what the library prints to the lines, where it begins at character PRINTED_AT. */
enum { PRINTED_AT = 4 };

static inline void print_line(const void *ctx, const char *text, const int len)
{
	assert_int_equal(strlen(text), len);
	add_line((struct lines *)(uintptr_t)ctx, 0, 0, text);
}

/* A client's memory that has no code. */
static inline uint32_t no_code(const void *ctx, const ocsd_vaddr_t addr, const ocsd_mem_space_acc_t space,
			const uint32_t len, uint8_t *buf)
{
	(void)ctx;
	(void)addr;
	(void)space;
	(void)len;
	(void)buf;
	return 0;
}

#endif
