/* SPDX-License-Identifier: BSD-3-Clause */
/* A report of verify for which there is no memory, or no place, is not taken for a whole one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "outputs/verify/verify.h"
#include "unit/perf-plugin/refused_memory.h"
#include "unit/perf-plugin/said.h"

static struct said said;

static int one_finding(void *data, struct cst_log *log, unsigned int *buffer)
{
	(void)data;
	*buffer = 1;
	cst_log_finding(log, CST_LOG_PACKET, 0x10, 5, CST_FIND_RESERVED_BITS, 0);
	return 0;
}

static bool verified(void *data)
{
	const struct verify_opts opts = { .output = data, .who = "test" };
	const size_t at = failing;
	struct verify_result result;
	int rc;

	failing = 0;
	said_begin(&said);
	failing = at;
	rc = verify_log(&opts, one_finding, NULL, &result);
	said_end(&said);
	return !rc;
}

static void without_memory(void **state)
{
	(void)state;
	assert_in_range(refused_each(verified, (void *)"/dev/null"), 3, 20);
	/* the last run was whole */
	assert_string_equal(said.text, "");
}

static void without_place(void **state)
{
	(void)state;
	assert_false(verified((void *)"/nonexistent/report"));
	assert_non_null(
		strstr(said.text, "test: /nonexistent/report: cannot open it for writing: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_memory), cmocka_unit_test(without_place),
	};

	return cmocka_run_group_tests_name("report of verify", tests, NULL, NULL);
}
