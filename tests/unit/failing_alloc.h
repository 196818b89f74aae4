/* SPDX-License-Identifier: BSD-3-Clause */
/* failing_alloc.h - one allocation of a test program fails, whichever it is. Linked with $(WRAP_ALLOC) of the Makefile. */
#ifndef TESTS_FAILING_ALLOC_H
#define TESTS_FAILING_ALLOC_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

static size_t failing;	/* which allocation from now on fails, from 1, and only that one; 0: none */

static bool alloc_refused(size_t size)
{
	(void)size;
	if (!failing || --failing)
		return false;
	errno = ENOMEM;
	return true;
}

#include "fault/wrap_alloc.h"

#endif
