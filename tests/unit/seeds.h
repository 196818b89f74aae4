/* SPDX-License-Identifier: BSD-3-Clause */
/* seeds.h - how many random cases a test tries, and how long a stream that wastes time is. */
#ifndef CSTRACE_TESTS_UNIT_SEEDS_H
#define CSTRACE_TESTS_UNIT_SEEDS_H

#include <stdint.h>
#include <stdlib.h>

/*
 * CST_SEEDS=N decides, else `usual`. Outside make nightly the sanitized round, which is four times
 * as slow, tries a sixteenth of it: the same cases run without sanitizers.
 */
static inline uint64_t seeds_wanted(uint64_t usual)
{
	const char *n = getenv("CST_SEEDS");

	if (n)
		return strtoull(n, NULL, 0);
	return getenv("SANITIZED") && !getenv("CSTRACE_NIGHTLY") ? usual / 16 : usual;
}

#endif
