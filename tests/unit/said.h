/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

/* What is written to standard error between said_begin() and said_end(), for tests of messages. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

struct said {
	FILE *file;
	int was;
	char text[16384];
};

static inline void said_begin(struct said *s)
{
	s->file = tmpfile();
	assert_non_null(s->file);
	fflush(stderr);
	s->was = dup(STDERR_FILENO);
	dup2(fileno(s->file), STDERR_FILENO);
}

static inline const char *said_end(struct said *s)
{
	ssize_t n;

	fflush(stderr);
	dup2(s->was, STDERR_FILENO);
	close(s->was);
	n = pread(fileno(s->file), s->text, sizeof(s->text) - 1, 0);
	fclose(s->file);
	assert_true(n >= 0 && (size_t)n < sizeof(s->text) - 1);
	s->text[n] = '\0';
	return s->text;
}

#endif
