/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of verify on the trace of a CPU's own buffer: whole text and JSON, and outputs that cannot be written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "outputs/verify/verify.h"
#include "unit/perf-plugin/session_build.h"
#include "unit/temp_dir.h"

TEMP_DIR("verify")

/* The name of a file of the test. */
static const char *at(const char *name)
{
	static char path[4][100];
	static unsigned int n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", dir, name);
	return path[n];
}

static const char *content(const char *name)
{
	static char text[4000];
	FILE *f = fopen(at(name), "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return text;
}

/* A recording with the timestamps 0x64, 0x64, 0x32, 0x31 and 0x33, of which the third and the fourth go backward. */
static int make_recording(void **state)
{
	static const uint8_t times[] = { 0x64, 0x64, 0x32, 0x31, 0x33 };
	struct pdb data = { .p = NULL }, trace = { .p = NULL }, file = { .p = NULL };
	size_t i;

	if (make_dir(state))
		return -1;
	temp_write(dir, "two.bin", sb_loop, sizeof(sb_loop));
	sb_trace(&trace, SB_TID);
	for (i = 0; i < sizeof(times); i++) {
		pdb_bytes(&trace, "\x02", 1);
		pdb_bytes(&trace, &times[i], 1);
		pdb_bytes(&trace, "\xf7", 1);
	}
	sb_aux_info(&data, 1, SB_CONFIGR | 1u << 11, 0x14);
	pdb_comm(&data, SB_PID, SB_PID, "loop", SB_ST, &(struct pdb_sid){ .pid = SB_PID, .tid = SB_PID, .time = 1000, .id = 50 });
	sb_fork(&data, SB_PID, SB_PID, SB_TID, 1000);
	pdb_mmap2(&data, SB_PID, SB_BASE, 0x1000, 0, "/two.bin", SB_ST,
		  &(struct pdb_sid){ .pid = SB_PID, .tid = SB_PID, .time = 1000, .id = 50 });
	sb_stretch(&data, &trace, 0, SB_RAW);
	pdb_file(&file, &sb_attr, 1, 0, &data, NULL, 0);
	temp_write(dir, "perf.data", file.p, file.len);
	pdb_free(&data);
	pdb_free(&trace);
	pdb_free(&file);
	return 0;
}

/* Runs verify; what it prints on stderr goes to the file "messages". */
static int run(const char *output, bool json, struct verify_result *result)
{
	struct session_opts so = { .input = at("perf.data"), .symfs = dir, .buildid_dir = "/nonexistent" };
	const struct verify_opts opts = { .output = output, .json = json, .who = "test" };
	int saved = dup(STDERR_FILENO), fd = open(at("messages"), O_WRONLY | O_CREAT | O_TRUNC, 0600), rc;
	bool incomplete = true;

	assert_true(saved >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	rc = verify_run(&so, &opts, result, &incomplete);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fd);
	if (!rc)
		assert_false(incomplete);
	return rc;
}

static void backward(void **state)
{
	struct verify_result result;

	(void)state;
	assert_int_equal(run(at("text"), false, &result), 0);
	assert_string_equal(content("text"), "warning          2  a timestamp is lower than the one before it (K10.5.5.16)\n"
			    "                    first: buffer 0 (CPU 2), trace offset 0x3b, trace ID 0x14; element\n"
			    "rules: 0 with errors, 1 violated, 0 notes\n");
	assert_int_equal(result.rules[CST_LOG_WARNING], 1);
	assert_int_equal(result.rules[CST_LOG_ERROR], 0);
	assert_int_equal(result.rules[CST_LOG_INFO], 0);
	assert_int_equal(run(at("json"), true, &result), 0);
	assert_string_equal(content("json"), "{\"severity\":\"warning\",\"count\":2,\"component\":\"element\",\"rule\":\"a timestamp is "
			    "lower than the one before it\",\"section\":\"K10.5.5.16\",\"first\":{\"buffer\":0,\"offset\":59,"
			    "\"cpu\":2,\"id\":20}}\n");
	assert_int_equal(result.rules[CST_LOG_WARNING], 1);
}

static void no_output(void **state)
{
	char output[200], want[400];
	struct verify_result result;

	(void)state;
	snprintf(output, sizeof(output), "%s", at("none/out"));
	assert_int_not_equal(run(output, false, &result), 0);
	snprintf(want, sizeof(want), "test: %s: cannot open it for writing: No such file or directory; choose another place with -o\n",
		 output);
	assert_string_equal(content("messages"), want);
	if (access("/dev/full", W_OK))
		skip();
	assert_int_not_equal(run("/dev/full", false, &result), 0);
	assert_non_null(strstr(content("messages"), "\ntest: /dev/full: cannot write it after 0 bytes: No space left on device; what "
			       "is there is not whole\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backward),
		cmocka_unit_test(no_output),
	};

	return cmocka_run_group_tests(tests, make_recording, remove_dir);
}
