/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calling-context trees of recordings. test_calls_recordings PERF.DATA SYMFS [TRUTH] prints the tree of any recording, or
 * compares it with the log of the program (tests/interop/calls).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calls_session.h"

static bool same_node(const struct cst_count_node *a, const struct cst_count_node *b)
{
	return a->depth == b->depth && a->kind == b->kind && a->from_binary == b->from_binary && a->binary == b->binary &&
	       a->from == b->from && a->entry == b->entry && a->calls == b->calls && a->insns == b->insns;
}

/* True if the tree is the same when the recording is read in another way. */
static bool same_as(const struct calls_tree *t, const struct calls_tree_opts *o)
{
	struct calls_tree other;
	bool ok = calls_tree_read(&other, o);
	size_t i;

	for (i = 0; ok && i < t->nr && i < other.nr && same_node(&t->v[i], &other.v[i]); i++)
		;
	if (ok && (i < t->nr || i < other.nr)) {
		fprintf(stderr, "%s: %zu and %zu nodes, different from %zu on (jobs %u, deferred %d)\n", o->input, t->nr, other.nr,
			i, o->jobs, o->deferred);
		ok = false;
	}
	calls_tree_free(&other);
	return ok;
}

static bool check(const char *input, const char *symfs, const char *truth)
{
	struct calls_tree_opts o = { .input = input, .symfs = symfs };
	struct calls_tree t;
	bool ok = calls_tree_read(&t, &o);

	if (ok && t.insns != t.totals.insns) {
		fprintf(stderr, "%s: %llu instructions, %llu in the tree\n", input, (unsigned long long)t.insns,
			(unsigned long long)t.totals.insns);
		ok = false;
	}
	ok = ok && (!truth || calls_tree_is(&t, truth));
	if (ok) {
		o.deferred = true;
		ok = same_as(&t, &o);
		o.deferred = false;
		o.jobs = 2;
		ok = same_as(&t, &o) && ok;
		o.by_fragment = true;
		ok = same_as(&t, &o) && ok;
	}
	calls_tree_free(&t);
	return ok;
}

static const char *const samples[] = { "sample", "sample-trbe", "sample-a32", "sample-t32", "sample-etmv3", "sample-ptm" };

static void shipped(void **state)
{
	char path[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		snprintf(path, sizeof(path), "tests/data/%s.perf.data", samples[i]);
		assert_true(check(path, "tests/data/symfs", NULL));
	}
}

/* The same program for A64, A32 and T32, by ETMv4, ETE, ETMv3 and PTM: the same calls. */
static void same_calls(void **state)
{
	struct calls_tree_opts o = { .symfs = "tests/data/symfs" };
	struct calls_tree t;
	char path[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		snprintf(path, sizeof(path), "tests/data/%s.perf.data", samples[i]);
		o.input = path;
		assert_true(calls_tree_read(&t, &o));
		assert_int_equal(t.totals.calls, 6409);
		assert_int_equal(t.nr, 135);
		assert_int_equal(t.totals.roots, 1);
		assert_int_equal(t.totals.lost + t.totals.unordered + t.totals.unjoined, 0);
		calls_tree_free(&t);
	}
}

/* A program whose log says which calls it made: with symbols, and stripped. */
static void logged(void **state)
{
	static const char *const names[] = { "calls", "calls-stripped" };
	char path[128], truth[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "tests/data/calls/%s.perf.data", names[i]);
		snprintf(truth, sizeof(truth), "tests/data/calls/%s.tree", names[i]);
		assert_true(check(path, "tests/data/symfs", truth));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(shipped), cmocka_unit_test(same_calls), cmocka_unit_test(logged) };
	struct calls_tree_opts o = { .input = argv[1], .symfs = argv[2] && argv[2][0] ? argv[2] : NULL };
	struct calls_tree t;

	if (argc > 4 && calls_tree_read(&t, &o)) {
		calls_tree_project(&t, argv[3], stdout);
		return 0;
	}
	if (argc > 3)
		return !check(o.input, o.symfs, argv[3][0] ? argv[3] : NULL);
	if (argc > 1) {
		if (!calls_tree_read(&t, &o))
			return 1;
		calls_tree_print(&t, stdout);
		calls_tree_free(&t);
		return 0;
	}
	return cmocka_run_group_tests_name("calls recordings", tests, NULL, NULL);
}
