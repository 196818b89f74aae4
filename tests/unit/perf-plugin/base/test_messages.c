/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that a thread records, and another one prints: each one once, in order, by subject and text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/messages.h"
#include "unit/perf-plugin/said.h"

/* What messages_print() writes. */
static void expect(struct messages *m, struct messages *printed, const char *want)
{
	struct said said;

	said_begin(&said);
	messages_print(m, printed);
	assert_string_equal(said_end(&said), want);
	assert_int_equal(m->nr, 0);
}

static void each_once(void **state)
{
	struct messages first = { .v = NULL }, second = { .v = NULL }, printed = { .v = NULL };

	(void)state;
	assert_ptr_equal(message_stream(), stderr);
	messages_record(&first);
	assert_int_equal(message_subject(SUBJECT_DSO | 1), SUBJECT_OTHER);
	fprintf(message_stream(), "one, ");
	fprintf(message_stream(), "in two parts\n");
	assert_int_equal(message_subject(SUBJECT_DSO | 2), SUBJECT_DSO | 1);
	/* without a text it is no message */
	message_stream();
	assert_int_equal(message_subject(SUBJECT_OTHER), SUBJECT_DSO | 2);
	fprintf(message_stream(), "other\n");
	messages_record(&second);
	message_subject(SUBJECT_DSO | 1);
	fprintf(message_stream(), "one, in two parts\n");
	message_subject(SUBJECT_DSO | 2);
	fprintf(message_stream(), "one, in two parts\n");
	message_subject(SUBJECT_DSO | 1);
	fprintf(message_stream(), "another text\n");
	message_subject(SUBJECT_OTHER);
	messages_record(NULL);
	assert_ptr_equal(message_stream(), stderr);
	assert_int_equal(first.nr, 2);
	assert_int_equal(second.nr, 3);
	expect(&first, &printed, "one, in two parts\nother\n");
	/* the same text about something else, and another text about the same */
	expect(&second, &printed, "one, in two parts\nanother text\n");
	expect(&second, &printed, "");
	assert_int_equal(printed.nr, 4);
	messages_free(&first);
	messages_free(&second);
	messages_free(&printed);
	assert_int_equal(printed.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_once) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
