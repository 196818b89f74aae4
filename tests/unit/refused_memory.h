/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * refused_memory.h - allocations that fail, one in each run of some code. The program is linked with
 * --wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup; libraries are not refused anything.
 */
#ifndef TESTS_REFUSED_MEMORY_H
#define TESTS_REFUSED_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t refused_at;	/* which allocation from here on fails, from 1; 0: none */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

static bool is_refused(void)
{
	if (!refused_at || --refused_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return is_refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return is_refused() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *text)
{
	return is_refused() ? NULL : __real_strdup(text);
}

/*
 * Runs `code`, which returns whether it succeeded, once without each of its allocations, and last with all of them. Returns how
 * many it has. It must report each refusal.
 */
static inline size_t refused_each(bool (*code)(void *data), void *data)
{
	size_t n;
	bool ok, refused;

	for (n = 1;; n++) {
		refused_at = n;
		ok = code(data);
		refused = !refused_at;
		refused_at = 0;
		if (!refused) {
			assert_true(ok);
			return n - 1;
		}
		if (ok)
			fail_msg("allocation %zu was refused, and no failure is reported", n);
	}
}

#endif
