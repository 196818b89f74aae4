/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface of libcstrace-perf: what its calls return, and where messages go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/perf/recording.h>

#define SAMPLE "tests/data/sample.perf.data"

static char said[2048];

static void report(void *data, const char *message)
{
	(void)data;
	assert_null(strchr(message, '\n'));
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s|", message);
}

static struct cst_recording_opts options(const char *input, const char *symfs)
{
	said[0] = 0;
	return (struct cst_recording_opts){ .struct_size = sizeof(struct cst_recording_opts),
					    .input = input, .symfs = symfs, .report = report };
}

static int refused(const struct cst_recording_opts *o)
{
	struct cst_recording *rec = NULL;
	const int rc = cst_recording_open(&rec, o);

	assert_null(rec);
	return rc;
}

static void openings(void **state)
{
	struct {
		struct cst_recording_opts opts;
		uint64_t later;
	} larger = { options(SAMPLE, NULL), 1 };
	struct cst_recording_opts o;

	(void)state;
	o = options(NULL, NULL);
	assert_int_equal(refused(&o), -CST_ERR_INVAL);
	assert_non_null(strstr(said, "no input"));
	o = options(SAMPLE, NULL);
	o.struct_size = 8;
	assert_int_equal(refused(&o), -CST_ERR_INVAL);
	larger.opts.struct_size = sizeof(larger);
	assert_int_equal(refused(&larger.opts), -CST_ERR_INVAL);
	o = options("tests/data/none", NULL);
	assert_true(refused(&o) < 0);
	assert_non_null(strstr(said, "tests/data/none"));
	o = options(SAMPLE, NULL);
	o.time = "x";
	assert_int_equal(refused(&o), -CST_ERR_INVAL);
	assert_non_null(strstr(said, "x"));
	cst_recording_close(NULL);
}

static int batches, answer;

/* Opens another recording meanwhile: its messages do not mix with those of the outer call. */
static int on_batch(void *data, const struct cst_recording_batch *b)
{
	const struct cst_recording_opts o = { .input = "tests/data/none" };

	(void)data;
	assert_true(b->n > 0);
	assert_int_equal(b->time, 0);
	if (!batches++)
		assert_true(refused(&o) < 0);
	return answer;
}

static void runs(void **state)
{
	static const int answers[] = { -1, 7, 0 };
	const struct cst_recording_opts o = options(SAMPLE, "tests/data/symfs");
	struct cst_recording *rec;
	size_t i;

	(void)state;
	assert_int_equal(cst_recording_open(&rec, &o), 0);
	for (i = 0; i < 3; i++) {
		batches = 0;
		answer = answers[i];
		assert_int_equal(cst_recording_run(rec, on_batch, NULL), answer);
		assert_true(answer ? batches == 1 : batches > 1);
	}
	assert_int_equal(cst_recording_losses(rec, NULL, NULL), 0);
	assert_string_equal(said, "");
	cst_recording_close(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(openings), cmocka_unit_test(runs) };

	return cmocka_run_group_tests_name("recordings for other programs", tests, NULL, NULL);
}
