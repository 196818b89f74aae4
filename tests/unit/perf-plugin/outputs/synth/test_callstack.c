/* SPDX-License-Identifier: BSD-3-Clause */
/* Call chains: what is open of each thread's calls, and which threads are remembered. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "outputs/synth/callstack.h"

#define THREADS 1024	/* that are remembered */
#define KERNEL 0xffff800000000000ull

static void go(struct callstack *c, enum branch_kind kind, uint64_t from, uint64_t to)
{
	const struct branch b = { .kind = kind, .from = from, .to = to, .size = 4 };

	callstack_branch(c, &b);
}

/* The thread that was asked for least recently makes room for another one. */
static void threads(void **state)
{
	struct recent *cs = callstacks_new();
	int tid;

	(void)state;
	assert_non_null(cs);
	for (tid = 1; tid <= THREADS; tid++)
		go(callstacks_get(cs, tid), BRANCH_CALL, 0x1000, 0x2000);
	/* all but the third and the fifth are asked for again */
	for (tid = 1; tid <= THREADS; tid++)
		if (tid != 3 && tid != 5)
			assert_int_equal(callstacks_get(cs, tid)->depth, 1);
	assert_int_equal(callstacks_get(cs, THREADS + 1)->depth, 0);
	assert_int_equal(callstacks_get(cs, THREADS + 2)->depth, 0);
	for (tid = 1; tid <= THREADS; tid++)
		if (tid != 3 && tid != 5)
			assert_int_equal(callstacks_get(cs, tid)->depth, 1);
	assert_int_equal(callstacks_get(cs, 3)->depth, 0);
	recent_free(cs);
	recent_free(NULL);
}

/* Innermost first, with a marker wherever kernel and user code meet; a chain that is cut has no marker at its end. */
static void chains(void **state)
{
	struct recent *cs = callstacks_new();
	struct callstack *c = callstacks_get(cs, 1);
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER, kernel = (uint64_t)PERF_CONTEXT_KERNEL;
	uint64_t out[8];

	(void)state;
	assert_int_equal(callstack_chain(c, 0x100, out, 8), 2);
	assert_true(out[0] == user && out[1] == 0x100);
	go(c, BRANCH_CALL, 0x1000, 0x2000);
	go(c, BRANCH_IND_CALL, 0x2010, KERNEL);
	go(c, BRANCH_COND, KERNEL, KERNEL + 0x40);
	go(c, BRANCH_COND_CALL, KERNEL + 0x50, KERNEL + 0x80);
	assert_int_equal(callstack_chain(c, KERNEL + 0x84, out, 8), 6);
	assert_true(out[0] == kernel && out[1] == KERNEL + 0x84 && out[2] == KERNEL + 0x54 && out[3] == user &&
		    out[4] == 0x2014 && out[5] == 0x1004);
	assert_int_equal(callstack_chain(c, KERNEL + 0x84, out, 5), 5);
	assert_int_equal(callstack_chain(c, KERNEL + 0x84, out, 4), 3);
	assert_int_equal(callstack_chain(c, KERNEL + 0x84, out, 3), 3);
	assert_int_equal(callstack_chain(c, KERNEL + 0x84, out, 2), 2);
	assert_true(out[0] == kernel && out[1] == KERNEL + 0x84);
	assert_int_equal(callstack_chain(c, KERNEL + 0x84, out, 1), 0);
	/* a return to an outer caller closes what is inside; one to elsewhere closes nothing */
	go(c, BRANCH_RET, 0x9000, 0x7777);
	assert_int_equal(c->depth, 3);
	go(c, BRANCH_RET, 0x9000, 0x2014);
	assert_int_equal(c->depth, 1);
	go(c, BRANCH_COND_RET, 0x9000, 0x1004);
	assert_int_equal(c->depth, 0);
	recent_free(cs);
}

/* Of very many open calls the outer half is given up; a return is looked for in the 64 innermost ones. */
static void depth(void **state)
{
	struct recent *cs = callstacks_new();
	struct callstack *c = callstacks_get(cs, 1);
	uint64_t out[3];
	unsigned int i;

	(void)state;
	for (i = 0; i < CALLSTACK_DEPTH; i++)
		go(c, BRANCH_CALL, 0x1000 + 16 * i, 0x8000);
	assert_int_equal(c->depth, CALLSTACK_DEPTH);
	go(c, BRANCH_CALL, 0x1000 + 16 * i, 0x8000);
	assert_int_equal(c->depth, CALLSTACK_DEPTH / 2 + 1);
	assert_int_equal(callstack_chain(c, 0x8000, out, 3), 3);
	assert_true(out[2] == 0x1004 + 16 * CALLSTACK_DEPTH);
	assert_true(c->ret[0] == 0x1004 + 16 * (CALLSTACK_DEPTH / 2));
	go(c, BRANCH_RET, 0x9000, 0x1004 + 16 * (CALLSTACK_DEPTH - 64));
	assert_int_equal(c->depth, CALLSTACK_DEPTH / 2 + 1);
	go(c, BRANCH_RET, 0x9000, 0x1004 + 16 * (CALLSTACK_DEPTH - 63));
	assert_int_equal(c->depth, CALLSTACK_DEPTH / 2 + 1 - 64);
	recent_free(cs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads),
		cmocka_unit_test(chains),
		cmocka_unit_test(depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
