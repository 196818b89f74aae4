/* SPDX-License-Identifier: BSD-3-Clause */
/* state_text.h - logs of events and system states as text. */
#ifndef TESTS_STATE_TEXT_H
#define TESTS_STATE_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/error.h>
#include <cstrace/files/state.h>

#include "files/history/state_int.h"

/* Lines of a log, or of a state. */
struct lines {
	char *text;
	size_t len, cap;
	size_t implied;
};

static inline void add_line(struct lines *l, const struct cst_event *ev)
{
	int64_t n = cst_event_write(ev, NULL, 0);

	assert_true(n > 0);
	if (l->cap - l->len < (size_t)n) {
		l->cap = (l->len + (size_t)n) * 2;
		l->text = realloc(l->text, l->cap);
		assert_non_null(l->text);
	}
	assert_true(cst_event_write(ev, l->text + l->len, (size_t)n) == n);
	l->len += (size_t)n;
}

static inline int keep(void *ctx, const struct cst_event *ev, int implied)
{
	struct lines *l = ctx;

	add_line(l, ev);
	l->implied += implied != 0;
	return 0;
}

/* What is listed comes from no line of a log. */
static inline int keep_listed(void *ctx, const struct cst_event *ev, int implied)
{
	assert_int_equal(ev->line, 0);
	return keep(ctx, ev, implied);
}

/* The state as text, terminated; to be freed. */
static inline char *dump(const struct cst_state *st)
{
	struct lines l = { 0 };

	assert_int_equal(cst_state_list(st, CST_STATE_CURRENT, CST_EVENT_NO_TIME, keep_listed, &l), 0);
	l.text = realloc(l.text, l.len + 1);
	assert_non_null(l.text);
	l.text[l.len] = '\0';
	return l.text;
}

static inline struct cst_state *new_state(void)
{
	struct cst_state *st;

	assert_int_equal(cst_state_new(&st, NULL), 0);
	return st;
}

/* Apply a text; the complete log goes to *out (may be NULL). */
static inline void apply_text(struct cst_state *st, const char *text, struct lines *out)
{
	struct cst_event_reader *r;
	struct cst_problem why;
	struct cst_event ev = { 0 };
	int got;

	assert_int_equal(cst_event_reader_new(&r, text, strlen(text), 0), 0);
	while ((got = cst_event_next(r, &ev, &why)) > 0)
		assert_int_equal(cst_state_apply(st, &ev, out ? keep : NULL, out), 0);
	assert_int_equal(got, 0);
	cst_event_reader_free(r);
}

static inline void check_log(const char *in, const char *complete, const char *state)
{
	struct cst_state *st = new_state();
	struct lines l = { 0 };
	char *d;

	apply_text(st, in, &l);
	assert_int_equal(l.len, strlen(complete));
	assert_memory_equal(l.text, complete, l.len);
	d = dump(st);
	assert_string_equal(d, state);
	free(d);
	free(l.text);
	cst_state_free(st);
}

#endif
