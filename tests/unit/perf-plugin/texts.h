/* SPDX-License-Identifier: BSD-3-Clause */
/* texts.h - texts that must be equal; `what` names the case in the message. */
#ifndef TESTS_TEXTS_H
#define TESTS_TEXTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static inline void assert_text(const char *what, const char *got, const char *want)
{
	if (strcmp(got, want))
		fail_msg("%s: '%s', expected '%s'", what, got, want);
}

static inline void assert_text_begins(const char *what, const char *got, const char *want)
{
	if (strncmp(got, want, strlen(want)))
		fail_msg("%s: '%s', expected '%s...'", what, got, want);
}

#endif
