/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_roundtrip_ptm.c - random A32 and T32 programs, executed, encoded by the model of a PTM, decoded: every
 * element must come back. With a packet that is none, everything before it and from the next synchronisation
 * on, and the loss with its size; with random damage, everything from the next synchronisation on. The model
 * knows nothing of the decoder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ptm_enc.h"
#include "unit/lib/v7_roundtrip.h"

#define RESERVED_HEADER 0x20

static void event(const void *model, size_t i, struct v7_item *it)
{
	const struct gen_event *e = &((const struct ptm_case *)model)->events[i];

	it->kind = e->kind;
	it->cc = e->flags & GEN_F_CC ? e->cc : 0;
	switch (e->kind) {
	case GEN_RANGE:
		it->a = e->start;
		it->b = e->end;
		it->n = e->n;
		it->isa = e->isa;
		it->atom = e->atom;
		/* fall through */
	case GEN_CONTEXT:
		it->tid = e->tid;
		it->sec = e->sec;
		it->el = e->el;
		if (e->kind == GEN_CONTEXT)
			it->vmid = e->vmid;
		break;
	case GEN_EXCEPTION:
		it->num = e->num;
		it->a = e->start;
		break;
	case GEN_TIMESTAMP:
		it->a = e->value;
		break;
	case GEN_TRACE_ON:
		it->num = e->num;
		break;
	}
}

static int one_seed(uint64_t seed, struct v7_sum *sum)
{
	struct cst_etmv3_regs regs = { 0 };
	struct ptm_case c;
	struct v7_case v;
	int bad;

	ptm_case_new(seed, &c);
	v = (struct v7_case){
		.seed = seed, .model = &c, .prog = &c.prog, .regions = c.regions, .nregions = c.nregions,
		.nevents = c.nevents, .trace = &c.trace, .packets = &c.packets, .syncs = &c.syncs,
		.first = c.packets.n > 1 ? c.packets.v[1].off + 1 : 0, .reserved = RESERVED_HEADER,
		.has_cid = c.opts.cid_bytes, .zeros_before = true, .same_contexts = true,
		/* reserved numbers of exceptions are among those drawn */
		.allowed = CST_FIND_PTM_EXCEPTION, .event = event,
	};
	regs = v7_regs_of(&c.regs);
	assert_int_equal(cst_config_ptm(&v.cfg, &regs), 0);
	bad = v7_one_case(&v, sum);
	ptm_case_free(&c);
	return bad;
}

static void test_random_streams(void **state)
{
	struct v7_sum sum;
	uint64_t n = v7_all_seeds(one_seed, &sum);

	(void)state;
	assert_true(!n || sum.ranges > 20 * n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
