/* SPDX-License-Identifier: BSD-3-Clause */
/* Taken branches out of elements: their targets, what is between them, where elements are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cstrace/flow.h>
#include <cstrace/isa.h>

#define TAKEN (CST_GF_EXEC | CST_GF_WAYPOINT)

static struct cst_generic range(uint64_t addr, uint64_t end, unsigned int flags)
{
	return (struct cst_generic){ .kind = CST_GEN_RANGE,
				     .addr = addr,
				     .end = end,
				     .flags = (uint16_t)flags,
				     .last_type = CST_INSN_BRANCH,
				     .last_size = 4 };
}

static struct cst_generic other(unsigned int kind, uint64_t addr, uint64_t end, unsigned int flags)
{
	return (struct cst_generic){
		.kind = (uint8_t)kind, .addr = addr, .end = end, .flags = (uint16_t)flags
	};
}

/* The target of a taken branch at 0x10fc by the element behind it, 0 if it is not known. */
static uint64_t leads(struct cst_generic next)
{
	const struct cst_generic g[] = { range(0x1000, 0x1100, TAKEN),
					 other(CST_GEN_TIMESTAMP, 7, 0, 0), next };
	struct cst_branch open = { 0 }, out[3];
	size_t n = cst_branches_find(&open, g, 3, out);

	if (!n)
		return 0;
	assert_int_equal(n, 1);
	assert_int_equal(out[0].from, 0x10fc);
	assert_int_equal(out[0].last_size, 4);
	assert_int_equal(out[0].flags, TAKEN);
	return out[0].to;
}

static void targets(void **state)
{
	(void)state;
	assert_int_equal(leads(range(0x2000, 0x2004, 0)), 0x2000);
	assert_int_equal(leads(other(CST_GEN_EXCEPTION, 1, 0x3000, CST_GF_RET_ADDR)), 0x3000);
	assert_int_equal(leads(other(CST_GEN_EXCEPTION, 1, 0x3000, 0)), 0);
	assert_int_equal(leads(other(CST_GEN_NACC, 0x4000, 0, 0)), 0x4000);
	assert_int_equal(leads(other(CST_GEN_NOPATH, 0x4000, 0x5000, 0)), 0x4000);
	assert_int_equal(leads(other(CST_GEN_ADDR_UNKNOWN, 0x4000, 0, 0)), 0);
	assert_int_equal(leads(other(CST_GEN_EO_TRACE, 0x6000, 0, CST_GF_NEXT)), 0x6000);
	assert_int_equal(leads(other(CST_GEN_TRACE_ON, 0x6000, 0, CST_GF_NEXT | CST_GF_DOUBTFUL)),
			 0);
	assert_int_equal(leads(other(CST_GEN_NO_SYNC, 0x6000, 0, 0)), 0);
	assert_int_equal(leads(other(CST_GEN_COUNTED, 0x6000, 0, 0)), 0);
	assert_int_equal(leads(other(CST_GEN_BARRIER, 0x6000, 0, 0)), 0);
	assert_int_equal(leads(other(CST_GEN_PE_CONTEXT, 0x6000, 0, 0)), 0);
}

/* A branch that was not taken, an instruction that is none, and a loss lead nowhere. */
static void no_branches(void **state)
{
	struct cst_generic g[] = { range(0x1000, 0x1010, CST_GF_WAYPOINT),
				   range(0x1010, 0x1020, CST_GF_EXEC), range(0x1020, 0x1030, TAKEN),
				   other(CST_GEN_ADDR_UNKNOWN, 0, 0, 0),
				   range(0x1030, 0x1040, TAKEN) };
	struct cst_branch open = { 0 }, out[5];

	(void)state;
	assert_int_equal(cst_branches_find(&open, g, 5, out), 0);
	assert_int_equal(open.from, 0x103c);
	g[4].last_type = CST_INSN_ISB;
	assert_int_equal(cst_branches_find(&open, g, 5, out), 1);
	assert_int_equal(out[0].from, 0x103c);
	assert_int_equal(out[0].to, 0x1000);
	assert_int_equal(open.last_size, 0);
}

/* However the elements are cut, the branches are the same. */
static void cuts(void **state)
{
	const struct cst_generic g[] = { range(0x1000, 0x1010, TAKEN),
					 other(CST_GEN_CYCLE_COUNT, 0, 0, 0),
					 range(0x2000, 0x2008, TAKEN),
					 range(0x3000, 0x3004, 0),
					 range(0x3004, 0x3008, TAKEN),
					 other(CST_GEN_TRACE_ON, 0x10, 0, CST_GF_NEXT) };
	struct cst_branch open = { 0 }, whole[6], parts[6];
	size_t cut, n, k;

	(void)state;
	n = cst_branches_find(&open, g, 6, whole);
	assert_int_equal(n, 3);
	assert_int_equal(whole[2].to, 0x10);
	assert_int_equal(open.last_size, 0);
	for (cut = 0; cut <= 6; cut++) {
		memset(&open, 0, sizeof(open));
		k = cst_branches_find(&open, g, cut, parts);
		k += cst_branches_find(&open, g + cut, 6 - cut, parts + k);
		assert_int_equal(k, n);
		assert_memory_equal(parts, whole, n * sizeof(*whole));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(targets),
					    cmocka_unit_test(no_branches), cmocka_unit_test(cuts) };

	return cmocka_run_group_tests_name("branches out of elements", tests, NULL, NULL);
}
