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
#include <opencsd/c_api/opencsd_c_api.h>

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
