/* SPDX-License-Identifier: BSD-3-Clause */
/* What helps against a loss: each cure is printed until it was done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "session/losses/cures.h"

/* Every cause has words, and no two causes the same. */
static void every_cause_is_explained(void **state)
{
	static const struct cure_case nothing_done = { RECORDER_PERF, 0 };
	char line[CURE_TEXT];
	int i, k;

	(void)state;
	for (i = 0; i < NR_LOSSES; i++) {
		assert_true(strlen(loss_counted(i)) > 5);
		assert_true(strlen(loss_reason(i, RECORDER_PERF)) > 5);
		for (k = 0; k < i; k++)
			assert_string_not_equal(loss_counted(i), loss_counted(k));
		if (loss_kind(i) == LOSS_KIND_CODE)
			assert_non_null(cure_text(i, &nothing_done, line));
	}
}

/* What other recorders leave is not mended with perf's options. */
static void cures_of_other_recorders(void **state)
{
	static const char *const perfs[] = {
		"perf record", "perf archive", "perf buildid", "cs_etm", "--kcore"
	};
	size_t nr, p;
	const struct cure *rows = cure_rows(&nr), *r;
	const char *at;

	(void)state;
	for (r = rows; r < rows + nr; r++)
		for (p = 0; p < sizeof(perfs) / sizeof(perfs[0]) && r->recorders != 1u << RECORDER_PERF; p++) {
			at = strstr(r->text, perfs[p]);
			if (at && (at < r->text + 6 || strncmp(at - 6, "simple", 6)))
				fail_msg("%s", r->text);
		}
}

/* True if `list` has a cure among those that "; or " joins. */
static bool names(const char *list, const char *cure)
{
	size_t len = strlen(cure);
	const char *at;

	for (at = list; at && (at = strstr(at, cure)); at++)
		if ((at == list || (at >= list + 5 && !strncmp(at - 5, "; or ", 5))) && (!at[len] || !strncmp(at + len, "; or ", 5)))
			return true;
	return false;
}

/* Each cure is printed for a recording that it was not done for, and not for one that it was done for. */
static void cures_that_were_done(void **state)
{
	char line[CURE_TEXT];
	size_t nr, i;
	const struct cure *rows = cure_rows(&nr), *r;
	unsigned int by, f;

	(void)state;
	for (r = rows; r < rows + nr; r++) {
		assert_false(r->when & r->never);
		for (by = RECORDER_PERF; by <= RECORDER_SNAPSHOT; by++) {
			struct cure_case c = { by, r->when };

			if (!(r->recorders >> by & 1))
				continue;
			if (!names(cure_text(r->cause, &c, line), r->text))
				fail_msg("not printed: %s", r->text);
			/* a part of what it says does not suffice */
			for (f = 0; f < NR_FACTS; f++)
				if (r->done >> f & 1 && r->done & (r->done - 1)) {
					c.facts = r->when | (cure_facts)1 << f;
					assert_true(names(cure_text(r->cause, &c, line), r->text));
				}
			c.facts = r->when | r->done;
			if (r->done && cure_text(r->cause, &c, line) && names(line, r->text))
				fail_msg("printed though done: %s", r->text);
			c.facts = r->when | r->never;
			if (r->never && cure_text(r->cause, &c, line) && names(line, r->text))
				fail_msg("printed though of no use: %s", r->text);
		}
		/* no two rows of a cause say the same to one recorder */
		for (i = 0; i < (size_t)(r - rows); i++)
			if (rows[i].cause == r->cause && rows[i].recorders & r->recorders)
				assert_false(!strcmp(rows[i].text, r->text) && rows[i].when == r->when);
	}
}

/* If all of a loss's cures were done, that is said. */
static void what_was_done(void **state)
{
	struct cure_case c = { RECORDER_PERF, CURE_FACT(VMLINUX) };
	char line[CURE_TEXT];
	unsigned int f;

	(void)state;
	assert_null(cure_done_text(LOSS_KERNEL, &c, line));
	assert_string_equal(cure_text(LOSS_KERNEL, &c, line), "record with perf record --kcore");
	c.facts |= CURE_FACT(KCORE);
	assert_null(cure_text(LOSS_KERNEL, &c, line));
	assert_string_equal(cure_done_text(LOSS_KERNEL, &c, line), "kernel memory was copied (--kcore); --vmlinux is given");
	assert_null(cure_text(LOSS_ATOMS, &c, line));
	assert_null(cure_done_text(LOSS_ATOMS, &c, line));	/* nothing helps */
	assert_null(cure_done_text(LOSS_GUEST, &c, line));	/* nothing says that it was done */
	for (f = 0; f < NR_FACTS; f++)
		assert_true(strlen(cure_fact_text(f)) > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cause_is_explained),
		cmocka_unit_test(cures_of_other_recorders),
		cmocka_unit_test(cures_that_were_done),
		cmocka_unit_test(what_was_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
