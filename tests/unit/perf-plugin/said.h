/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

/* said.h - what is written to standard error or standard output, for tests of messages. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

struct said {
	FILE *file, *stream;
	int was;
	char text[16384];
};

static inline void said_begin_of(struct said *s, FILE *stream)
{
	s->stream = stream;
	s->file = tmpfile();
	assert_non_null(s->file);
	fflush(stream);
	s->was = dup(fileno(stream));
	dup2(fileno(s->file), fileno(stream));
}

static inline void said_begin(struct said *s)
{
	said_begin_of(s, stderr);
}

static inline const char *said_end(struct said *s)
{
	ssize_t n;

	fflush(s->stream);
	dup2(s->was, fileno(s->stream));
	close(s->was);
	n = pread(fileno(s->file), s->text, sizeof(s->text) - 1, 0);
	fclose(s->file);
	assert_true(n >= 0 && (size_t)n < sizeof(s->text) - 1);
	s->text[n] = '\0';
	return s->text;
}

#endif
