/* SPDX-License-Identifier: BSD-3-Clause */
/* output_text.h - what is written to a struct pd_output, as bytes. */
#ifndef TESTS_OUTPUT_TEXT_H
#define TESTS_OUTPUT_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/files/output.h"

struct output_text {
	struct pd_output out;
	FILE *file;
};

/* Begins an output, which lives in `t`. */
static inline struct pd_output *output_begin(struct output_text *t)
{
	t->file = tmpfile();
	assert_non_null(t->file);
	pd_output_fd(&t->out, fileno(t->file), "output");
	return &t->out;
}

/* Ends it. Its bytes, which must be fewer than room - 1, come into `text`, with a 0 behind them. Returns their number. */
static inline size_t output_end(struct output_text *t, char *text, size_t room)
{
	struct error err = { .code = 0 };
	ssize_t n;

	assert_int_equal(pd_output_finish(&t->out, &err), 0);
	n = pread(fileno(t->file), text, room - 1, 0);
	assert_in_range(n, 0, room - 2);
	text[n] = 0;
	fclose(t->file);
	return (size_t)n;
}

#endif
