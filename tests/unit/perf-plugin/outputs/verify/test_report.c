/* SPDX-License-Identifier: BSD-3-Clause */
/* A report of verify for which there is no place is not taken for a whole one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "outputs/verify/verify.h"
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
	struct verify_result result;
	int rc;

	said_begin(&said);
	rc = verify_log(&opts, one_finding, NULL, &result);
	said_end(&said);
	return !rc;
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
		cmocka_unit_test(without_place),
	};

	return cmocka_run_group_tests_name("report of verify", tests, NULL, NULL);
}
