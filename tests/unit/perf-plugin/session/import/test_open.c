/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening inputs of each kind, where no temporary file for their records can be made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "perfdata/reader.h"
#include "session/import/import.h"
#include "unit/temp_dir.h"

TEMP_DIR("open")

/* The error is of the whole input, at no offset. */
static void no_temporary_file(void **state)
{
	static const struct {
		const char *file;
		enum import_kind kind;
	} cases[] = { { "contents.ini", IMPORT_PACKAGE }, { "snapshot.ini", IMPORT_SNAPSHOT } };
	struct import_input in;
	struct rlimit was, none;
	struct error err;
	size_t i;
	int rc;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	for (i = 0; i < 2; i++) {
		temp_write(dir, cases[i].file, "", 0);
		memset(&err, 0xff, sizeof(err));
		setrlimit(RLIMIT_NOFILE, &none);
		rc = import_open(&in, dir, NULL, &err);
		setrlimit(RLIMIT_NOFILE, &was);
		assert_int_equal(rc, ERR_IO);
		assert_int_equal(err.code, ERR_IO);
		assert_non_null(strstr(err.msg, "set TMPDIR to a writable directory"));
		assert_int_equal(in.kind, cases[i].kind);
		assert_null(in.pd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_temporary_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
