/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip_etmv3.c - random A32 and T32 programs, executed, encoded by the model of an ETMv3 with
 * instruction and data trace, decoded: every element must come back. With a packet that is none, everything before
 * it and from the next synchronisation on, and the loss with its size; with random damage, everything from the
 * next synchronisation on. The model knows nothing of the decoder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "etmv3_enc.h"
#include "unit/lib/v7_roundtrip.h"

#define RESERVED_HEADER 0x10

static void event(const void *model, size_t i, struct v7_item *it)
{
	static const uint8_t kinds[] = {
		[EV3_RANGE] = GEN_RANGE, [EV3_CONTEXT] = GEN_CONTEXT, [EV3_TRACE_ON] = GEN_TRACE_ON,
		[EV3_EXCEPTION] = GEN_EXCEPTION, [EV3_EXC_RETURN] = GEN_EXC_RETURN, [EV3_TIMESTAMP] = GEN_TIMESTAMP,
		[EV3_CYCLES] = GEN_CYCLES, [EV3_TRIGGER] = GEN_EVENTS, [EV3_DATA] = V7_DATA, [EV3_END] = GEN_END,
	};
	const struct etmv3_event *e = &((const struct etmv3_case *)model)->events[i];

	*it = (struct v7_item){
		.kind = kinds[e->kind], .atom = e->atom, .isa = e->isa, .el = e->el, .sec = e->sec, .num = e->num,
		/* every instruction has an atom */
		.n = e->kind == EV3_RANGE, .tid = e->tid, .vmid = e->vmid, .cc = e->cc, .a = e->a, .b = e->b,
		.insn = e->insn, .size = e->size, .tag = e->tag, .gap = e->gap,
	};
}

static int one_seed(uint64_t seed, struct v7_sum *sum)
{
	struct cst_etmv3_regs regs = { 0 };
	struct etmv3_case c;
	struct v7_case v;
	int bad;

	etmv3_case_new(seed, &c);
	v = (struct v7_case){
		.seed = seed, .model = &c, .prog = &c.prog, .regions = c.regions, .nregions = c.nregions,
		.nevents = c.nevents, .trace = &c.trace, .packets = &c.packets, .syncs = &c.syncs,
		.first = c.first, .reserved = RESERVED_HEADER, .has_cid = c.opts.cid_bytes, .per_insn = true,
		.gaps_uncounted = c.opts.minor == 0 || c.opts.minor == 5,
		.event = event,
	};
	regs = v7_regs_of(&c.regs);
	assert_int_equal(cst_config_etmv3(&v.cfg, &regs, c.opts.mprofile ? CST_PROFILE_M : CST_PROFILE_A), 0);
	v.cfg.insn_ranges = seed % 2;
	bad = v7_one_case(&v, sum);
	etmv3_case_free(&c);
	return bad;
}

static void test_random_streams(void **state)
{
	struct v7_sum sum;
	uint64_t n = v7_all_seeds(one_seed, &sum);

	(void)state;
	assert_true(!n || (sum.ranges > 20 * n && sum.joined > 5 * n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
