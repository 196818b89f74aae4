/* SPDX-License-Identifier: BSD-3-Clause */
/* The first refusal of memory is kept and reported: how much was asked for, and what the process was doing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "unit/perf-plugin/said.h"

/* What memory_print() writes to stderr. */
static const char *printed(void)
{
	static struct said said;

	said_begin(&said);
	memory_print("program");
	return said_end(&said);
}

static void test_refusal(void **state)
{
	static const char want[] =
		"program: out of memory: 4096 bytes were refused while reading the records; an output file that was not "
		"finished by then is not written. Raise the limit (ulimit -v, the memory of the container), or decode "
		"less at a time (--time, --cpu)\n";

	(void)state;
	assert_false(memory_refused());
	assert_string_equal(printed(), "");
	assert_string_equal(memory_doing("opening files"), "starting");
	assert_string_equal(memory_doing("reading the records"), "opening files");
	memory_note_refusal(4096);
	assert_true(memory_refused());
	/* what follows does not count */
	assert_string_equal(memory_doing("decoding"), "reading the records");
	memory_note_refusal(1);
	assert_string_equal(printed(), want);
	assert_string_equal(printed(), want);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_refusal) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
