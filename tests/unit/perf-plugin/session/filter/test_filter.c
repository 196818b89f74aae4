/* SPDX-License-Identifier: BSD-3-Clause */
/* --time, --cpu, --pid, --tid, --comm: what the words mean, and which of them are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "session/filter/filter.h"

#define S 1000000000ull

static bool right(enum filter_word word, const char *text)
{
	char msg[400] = "";
	bool ok = filter_check(word, text, msg, sizeof(msg));

	/* A refusal names the option, what was found, and what was expected. */
	if (!ok) {
		assert_int_equal(strncmp(msg, "--", 2), 0);
		assert_non_null(strstr(msg, ": found '"));
		assert_non_null(strstr(msg, "expected "));
	}
	return ok;
}

static void words(void **state)
{
	static const char *const good[][16] = {
		[FILTER_TIME] = { "1.5,2", "1,", ",2", ",", "0.000000001,0.000000002", "1,2 3,4", "10%-20%", "30%/1", "5,5",
				  "18446744072.999999999,", "100%", "99.5%-100%", "20%-20%", "1%/100" },
		[FILTER_CPU] = { "0", "0-3,5", "7-7", "1,1,1", "2147483647" },
		[FILTER_PID] = { "0", "100,102" },
		[FILTER_TID] = { "1" },
		[FILTER_COMM] = { "a", "a,b c,d" },
	};
	static const char *const bad[][32] = {
		[FILTER_TIME] = { "", "1", "1.5", "a,b", "2,1", "1,2,3", "1;2", "1,2x", "1.0000000001,2", "1,2,", "-1,2",
				  "18446744073709551616,", "99999999999999,", "18446744073,", "18446744074,", "%", "10%-", "10",
				  "20%-10%", "101%-102%", "100%-100.000001%", "101%", "1%/101",
				  "50%/3", "0%/1", "10%/0", "10%/x", "10%-20%-30%" },
		[FILTER_CPU] = { "", ",", "0,", ",0", "a", "3-1", "0-", "-1", "2147483648", "0 1", "0x1", "1--2" },
		[FILTER_PID] = { "", "1-3", "1,", "-1", "x", "1 2" },
		[FILTER_TID] = { "", "1,,2" },
		[FILTER_COMM] = { "", ",", "a,", ",a", "a,,b" },
	};
	unsigned int w, i;

	(void)state;
	for (w = FILTER_TIME; w <= FILTER_COMM; w++) {
		for (i = 0; i < 16 && good[w][i]; i++)
			if (!right((enum filter_word)w, good[w][i]))
				fail_msg("refused: %s", good[w][i]);
		for (i = 0; i < 32 && bad[w][i]; i++)
			if (right((enum filter_word)w, bad[w][i]))
				fail_msg("accepted: %s", bad[w][i]);
	}
}

/* Any bytes are either refused or make a filter. */
static void garbage(void **state)
{
	static const char letters[] = "0123456789,,-- %/.;a";
	struct filter_opts o;
	struct filter *f;
	char text[24];
	unsigned int i, k, n, w;

	(void)state;
	srand(1);
	for (i = 0; i < 20000; i++) {
		n = (unsigned int)rand() % (sizeof(text) - 1);
		for (k = 0; k < n; k++)
			text[k] = letters[(unsigned int)rand() % (sizeof(letters) - 1)];
		text[n] = 0;
		w = i % 5;
		if (!right((enum filter_word)w, text))
			continue;
		o = (struct filter_opts){ .time = w == 0 ? text : NULL, .cpu = w == 1 ? text : NULL,
					  .pid = w == 2 ? text : NULL, .tid = w == 3 ? text : NULL,
					  .comm = w == 4 ? text : NULL };
		filter_new(&f, &o);
		assert_non_null(f);
		filter_set_span(f, 5, 1000);
		filter_wants(f, 1, 2, 3, 500);
		filter_free(f);
	}
}

static struct filter *make(const char *time, const char *cpu, const char *pid, const char *tid)
{
	const struct filter_opts o = { .time = time, .cpu = cpu, .pid = pid, .tid = tid };
	struct filter *f;

	filter_new(&f, &o);
	return f;
}

static void times(void **state)
{
	struct filter *f = make("1.5,2 3, 0.25,0.5", NULL, NULL, NULL);

	(void)state;
	assert_false(filter_wants(f, 0, 1, 1, S / 4 - 1));
	assert_true(filter_wants(f, 0, 1, 1, S / 4));
	assert_true(filter_wants(f, 0, 1, 1, S / 2));
	assert_false(filter_wants(f, 0, 1, 1, S / 2 + 1));
	assert_true(filter_wants(f, 0, 1, 1, 2 * S));
	assert_false(filter_wants(f, 0, 1, 1, 3 * S - 1));
	assert_true(filter_wants(f, 0, 1, 1, 300 * S));
	assert_true(filter_last(f) == FILTER_FOREVER);
	/* a window needs only one moment */
	assert_true(filter_overlaps(f, S, 3 * S / 2));
	assert_false(filter_overlaps(f, 2 * S + 1, 3 * S - 1));
	assert_true(filter_overlaps(f, 0, FILTER_FOREVER));
	filter_free(f);
	/* microseconds, as `script` prints them: the last one whole; nanoseconds, and others: to the very moment */
	f = make("1.000001,1.000001 2.000000001,2.000000002 3,3.00001", NULL, NULL, NULL);
	assert_false(filter_wants(f, 0, 1, 1, S + 999));
	assert_true(filter_wants(f, 0, 1, 1, S + 1000));
	assert_true(filter_wants(f, 0, 1, 1, S + 1999));
	assert_false(filter_wants(f, 0, 1, 1, S + 2000));
	assert_true(filter_wants(f, 0, 1, 1, 2 * S + 2));
	assert_false(filter_wants(f, 0, 1, 1, 2 * S + 3));
	assert_true(filter_wants(f, 0, 1, 1, 3 * S + 10000));
	assert_false(filter_wants(f, 0, 1, 1, 3 * S + 10001));
	filter_free(f);
	f = make(",2", NULL, NULL, NULL);
	assert_true(filter_last(f) == 2 * S);
	assert_false(filter_overlaps(f, 2 * S + 1, FILTER_FOREVER));
	filter_free(f);
}

/* Slices put together are the whole, and no moment is in two of them. */
static void percentages(void **state)
{
	struct filter *f;
	char text[32];
	unsigned int i, n;
	uint64_t t;

	(void)state;
	for (t = 1000; t <= 1997; t++) {
		for (i = 1, n = 0; i <= 10; i++) {
			snprintf(text, sizeof(text), "10%%/%u", i);
			f = make(text, NULL, NULL, NULL);
			assert_true(filter_needs_span(f));
			filter_set_span(f, 1000, 1997);
			n += filter_wants(f, 0, 1, 1, t);
			filter_free(f);
		}
		assert_int_equal(n, 1);
	}
	f = make("0%-10%, 50%-60%", NULL, NULL, NULL);
	filter_set_span(f, 1000, 2000);
	assert_true(filter_wants(f, 0, 1, 1, 1000));
	assert_false(filter_wants(f, 0, 1, 1, 1100));
	assert_true(filter_wants(f, 0, 1, 1, 1500));
	assert_false(filter_wants(f, 0, 1, 1, 1600));
	filter_free(f);
}

/* Spans in any order, which overlap, touch, or lie inside each other. */
static void overlaps(void **state)
{
	struct filter *f = make("4,5 1,3 2,4.5 8,9 8.25,8.5", "6-7,0-2,1-4,3", NULL, NULL);

	(void)state;
	assert_false(filter_overlaps(f, S - 1, S - 1));
	assert_true(filter_overlaps(f, 7 * S / 2, 7 * S / 2));
	assert_true(filter_overlaps(f, 19 * S / 4, 19 * S / 4));
	assert_true(filter_overlaps(f, 5 * S, 5 * S));
	assert_false(filter_overlaps(f, 5 * S + 1, 8 * S - 1));
	assert_true(filter_overlaps(f, 35 * S / 4, 35 * S / 4));
	assert_true(filter_last(f) == 9 * S);
	assert_true(filter_cpu(f, 0));
	assert_true(filter_cpu(f, 4));
	assert_false(filter_cpu(f, 5));
	assert_true(filter_cpu(f, 6));
	assert_true(filter_cpu(f, 7));
	assert_false(filter_cpu(f, 8));
	filter_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(garbage),
		cmocka_unit_test(times),
		cmocka_unit_test(percentages),
		cmocka_unit_test(overlaps),

	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
