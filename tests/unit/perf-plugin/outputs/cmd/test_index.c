/* SPDX-License-Identifier: BSD-3-Clause */
/* An index of a recording with more context IDs than it has room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "unit/perf-plugin/said.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/perf-plugin/texts.h"
#include "unit/temp_dir.h"

TEMP_DIR("cmd-index")

static char out[8192], errors[4096];

/* Writes dir/name with this trace of CPU 2. */
static void write_data(const char *name, const struct pdb *trace, uint64_t configr, uint64_t flags)
{
	struct pdb data = { .p = NULL }, file = { .p = NULL };

	sb_aux_info(&data, 1, configr, 0x14);
	sb_stretch(&data, trace, 0, flags);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	temp_write(dir, name, file.p, file.len);
	pdb_free(&file);
	pdb_free(&data);
}

/* Runs the command with up to three more words. stdout is in `out`, stderr in `errors`. */
static int run(const char *name, const char *a, const char *b, const char *c)
{
	const char *argv[] = { "index", "-i", temp_path(dir, name), a, b, c, NULL };
	int argc = a ? b ? c ? 6 : 5 : 4 : 3, rc;
	static struct said listed, said;

	said_begin_of(&listed, stdout);
	said_begin(&said);
	rc = cmd_index(argc, argv);
	temp_hide(dir, said_end(&said), errors, sizeof(errors));
	temp_hide(dir, said_end(&listed), out, sizeof(out));
	return rc;
}

/* An index has room for 63 context IDs. */
static void many_contexts(void **state)
{
	struct pdb trace = { .p = NULL };
	char want[2048], *p = want;
	unsigned int i, n;

	(void)state;
	for (n = 62; n < 65; n++) {
		char name[20];

		for (i = 0; i < n; i++)
			sb_trace_at(&trace, 1 + i, SB_BASE, 0);
		snprintf(name, sizeof(name), "contexts%u", n);
		write_data(name, &trace, SB_CONFIGR, SB_RAW);
		assert_int_equal(run(name, NULL, NULL, NULL), CMD_OK);
		assert_int_equal(run(name, "--show", NULL, NULL), CMD_OK);
		p = want + sprintf(want, "    context IDs");
		for (i = 0; i < n && i < 63; i++)
			p += sprintf(p, " 0x%x", 1 + i);
		strcpy(p, n < 63 ? "\n" : " and perhaps others\n");
		if (!strstr(out, want))
			fail_msg("%u: no '%s' in '%s'", n, want, out);
		pdb_free(&trace);
		memset(&trace, 0, sizeof(trace));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_contexts),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
