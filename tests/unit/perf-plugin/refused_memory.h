/* SPDX-License-Identifier: BSD-3-Clause */
/* refused_memory.h - code that is run without each of its allocations. Linked with $(WRAP_ALLOC) of the Makefile. */
#ifndef TESTS_REFUSED_MEMORY_H
#define TESTS_REFUSED_MEMORY_H

#include "unit/failing_alloc.h"

/*
 * Runs `code`, which returns whether it succeeded, once without each of its allocations, and last with all of them. Returns how
 * many it has. It must report each refusal.
 */
static inline size_t refused_each(bool (*code)(void *data), void *data)
{
	size_t n;
	bool ok, refused;

	for (n = 1;; n++) {
		failing = n;
		ok = code(data);
		refused = !failing;
		failing = 0;
		if (!refused) {
			assert_true(ok);
			return n - 1;
		}
		if (ok)
			fail_msg("allocation %zu was refused, and no failure is reported", n);
	}
}

#endif
