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

#include "unit/perf-plugin/calls_session.h"

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

/* ---- calls in time ------------------------------------------------------------------------------- */

/* A context of the slices. */
struct context_of_slices {
	const struct calls_slice *first;
	uint64_t calls, insns;
	struct context_of_slices *parent, *child, *next;
};

static struct context_of_slices *context_below(struct context_of_slices *p, const struct calls_slice *s)
{
	struct context_of_slices *c;

	for (c = p->child; c; c = c->next)
		if (c->first->kind == s->kind && c->first->from == s->from && c->first->entry == s->entry)
			return c;
	c = calloc(1, sizeof(*c));
	c->first = s;
	c->parent = p;
	c->next = p->child;
	p->child = c;
	return c;
}

/* A tail that is in the chain of tails already continues it (calls/lane.c). */
static struct context_of_slices *context_of(struct context_of_slices *p, const struct calls_slice *s)
{
	struct context_of_slices *c;

	if (s->kind == CST_COUNT_TAIL)
		for (c = p; c->first && c->first->kind == CST_COUNT_TAIL; c = c->parent)
			if (c->first->from == s->from && c->first->entry == s->entry)
				return c;
	return context_below(p, s);
}

static size_t drop_contexts(struct context_of_slices *p)
{
	struct context_of_slices *c, *next;
	size_t n = 0;

	for (c = p->child; c; c = next) {
		next = c->next;
		n += 1 + drop_contexts(c);
		free(c);
	}
	return n;
}

/* Adds up the slices to contexts. They are nested: each begins and ends inside its caller. */
static bool add_slices(const struct calls_tree *t, struct context_of_slices *root)
{
	struct context_of_slices **at = calloc(t->nr_slices + 1, sizeof(*at));
	const struct calls_slice **open = calloc(t->nr_slices + 1, sizeof(*open)), *s;
	size_t i, nr = 0;
	bool ok = true;

	at[0] = root;
	for (i = 0; i < t->nr_slices && ok; i++) {
		s = &t->slices[i];
		while (nr && (open[nr]->thread != s->thread || open[nr]->tree != s->tree || open[nr]->depth >= s->depth))
			nr--;
		ok = s->begin.insns <= s->end.insns && s->begin.time <= s->end.time &&
		     (!nr || (open[nr]->begin.insns <= s->begin.insns && s->end.insns <= open[nr]->end.insns &&
			      open[nr]->begin.time <= s->begin.time && s->end.time <= open[nr]->end.time &&
			      open[nr]->depth < s->depth));
		if (!ok)
			fprintf(stderr, "slice %zu of thread %" PRIx64 ", depth %d: instructions [%" PRIu64 ", %" PRIu64 "), time [%" PRIu64
				", %" PRIu64 ") is not in its caller of depth %d\n", i, s->thread, s->depth, s->begin.insns,
				s->end.insns, s->begin.time, s->end.time, nr ? open[nr]->depth : 0);
		at[nr + 1] = context_of(at[nr], s);
		at[nr + 1]->calls++;
		at[nr + 1]->insns += s->end.insns - s->begin.insns;
		if (nr)
			at[nr]->insns -= s->end.insns - s->begin.insns;
		open[++nr] = s;
	}
	free(at);
	free(open);
	return ok;
}

static int by_thread_and_insns(const void *pa, const void *pb)
{
	const struct calls_range *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->insns < b->insns ? -1 : a->insns > b->insns;
}

/* The place that is executed first in a call: its entry, or that of the handler if it was interrupted before. */
static bool begins_at(const struct calls_tree *t, size_t i, calls_place place)
{
	const uint64_t insns = t->slices[i].begin.insns;

	for (; i < t->nr_slices && t->slices[i].begin.insns == insns; i++) {
		if (t->slices[i].entry == place)
			return true;
		if (i + 1 < t->nr_slices && t->slices[i + 1].kind != CST_COUNT_EXCEPTION)
			break;
	}
	return false;
}

/* True if the thread executed nothing after this. */
static bool is_last(const struct calls_tree *t, const struct calls_slice *s)
{
	size_t i = t->nr_ranges;

	while (i && t->ranges[i - 1].thread > s->thread)
		i--;
	return !i || t->ranges[i - 1].thread != s->thread || t->ranges[i - 1].insns < s->end.insns;
}

/* Each call of a function begins with an instruction at its entry, and ends where a range ends. */
static bool slices_are_executed(const struct calls_tree *t)
{
	const struct calls_slice *s;
	struct calls_range at;
	const struct calls_range *first, *end;
	uint64_t limit = t->nr_ranges == CALLS_RANGES ? t->ranges[CALLS_RANGES - 1].insns : UINT64_MAX;
	size_t i;

	if (!t->ranges)
		return true;
	qsort(t->ranges, t->nr_ranges, sizeof(*t->ranges), by_thread_and_insns);
	for (i = 0; i < t->nr_slices; i++) {
		s = &t->slices[i];
		if (s->kind == CST_COUNT_CUT || s->begin.insns == s->end.insns || s->end.insns >= limit)
			continue;
		at = (struct calls_range){ .thread = s->thread, .insns = s->begin.insns };
		first = bsearch(&at, t->ranges, t->nr_ranges, sizeof(at), by_thread_and_insns);
		at.insns = s->end.insns;
		end = bsearch(&at, t->ranges, t->nr_ranges, sizeof(at), by_thread_and_insns);
		if (first && (s->flags & CALLS_BEGAN_BEFORE || first->place == CALLS_NO_PLACE || begins_at(t, i, first->place)) &&
		    (end || s->flags & (CALLS_STILL_OPEN | CALLS_END_LOST) || is_last(t, s)))
			continue;
		fprintf(stderr, "slice %zu of thread %" PRIx64 ": [%" PRIu64 ", %" PRIu64 ") at %" PRIx64 ", executed: %" PRIx64 "%s\n",
			i, s->thread, s->begin.insns, s->end.insns, s->entry, first ? first->place : CALLS_NO_PLACE,
			end ? "" : "; no range ends there");
		return false;
	}
	return true;
}

static calls_place place_or_none(uint32_t binary, uint64_t offset)
{
	return binary == CST_COUNT_NO_BINARY ? CALLS_NO_PLACE : calls_place_of(binary, (uint32_t)offset);
}

/* The calls in time of a recording add up to its tree. A tail that is repeated is one slice. */
static bool slices_are_tree(const struct calls_tree *t, struct calls_tree_opts o)
{
	struct context_of_slices root = { .child = NULL }, **at = calloc(65536, sizeof(*at));
	struct calls_tree timed;
	bool ok;
	size_t i;

	o.slices = true;
	ok = calls_tree_read(&timed, &o) && slices_are_executed(&timed) && add_slices(&timed, &root);
	at[0] = &root;
	for (i = 0; i < t->nr && ok; i++) {
		const struct cst_count_node *n = &t->v[i];
		const struct calls_slice like = { .kind = n->kind, .from = place_or_none(n->from_binary, n->from),
						  .entry = place_or_none(n->binary, n->entry) };
		struct context_of_slices *c = context_below(at[n->depth], &like);

		ok = c->insns == n->insns && (n->kind == CST_COUNT_TAIL || n->kind == CST_COUNT_CUT || c->calls == n->calls);
		if (!ok)
			fprintf(stderr, "%s: context %zu, depth %u: %" PRIu64 " calls, %" PRIu64 " instructions, in time %" PRIu64
				", %" PRIu64 "\n", o.input, i, n->depth, n->calls, n->insns, c->calls, c->insns);
		at[n->depth + 1] = c;
	}
	if (drop_contexts(&root) != t->nr && ok) {
		fprintf(stderr, "%s: more contexts in time than the %zu of the tree\n", o.input, t->nr);
		ok = false;
	}
	calls_tree_free(&timed);
	free(at);
	return ok;
}

static uint64_t length_of(const struct calls_slice *s, const struct calls_tree_opts *o)
{
	return o->record.by_insns ? s->end.insns - s->begin.insns : s->end.time - s->begin.time;
}

/* With a limit, the longest slices are kept, and the others are counted. */
static bool longest_are_kept(const struct calls_tree *all, struct calls_tree_opts o)
{
	struct calls_tree some;
	uint64_t least = UINT64_MAX;
	size_t i, long_enough = 0;
	bool ok = calls_tree_read(&some, &o);

	for (i = 0; i < some.nr_slices && ok; i++)
		if (length_of(&some.slices[i], &o) < least)
			least = length_of(&some.slices[i], &o);
	for (i = 0; i < all->nr_slices && ok; i++)
		long_enough += length_of(&all->slices[i], &o) >= least;
	/* as many of the same length as there are may be too many: they are left out, too */
	if (ok && (some.nr_slices != long_enough || some.nr_slices > 2 * o.record.max ||
		   some.nr_slices + some.left_out != all->nr_slices)) {
		fprintf(stderr, "%s: of %zu slices %zu are kept, of %zu of that length, and %" PRIu64 " left out; the limit is %zu\n",
			o.input, all->nr_slices, some.nr_slices, long_enough, some.left_out, o.record.max);
		ok = false;
	}
	calls_tree_free(&some);
	return ok;
}

static bool slices_are_limited(struct calls_tree_opts o)
{
	static const size_t limits[] = { 1, 7, 50, 300, 2000, 10000 };
	struct calls_tree all;
	bool ok;
	size_t i;

	o.slices = true;
	for (i = 0, ok = calls_tree_read(&all, &o); i < sizeof(limits) / sizeof(limits[0]) && ok; i++) {
		o.record = (struct calls_slice_opts){ .max = limits[i], .by_insns = true };
		ok = longest_are_kept(&all, o);
	}
	calls_tree_free(&all);
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
		ok = slices_are_tree(&t, o) && slices_are_limited(o);
		o.deferred = true;
		ok = slices_are_tree(&t, o) && slices_are_limited(o) && ok;
		ok = same_as(&t, &o) && ok;
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
