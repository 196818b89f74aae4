/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_counts_interior.c - instructions and untaken branches of random ranges in random code, against a walk through each
 * range by itself. T32 ranges begin anywhere, also inside instructions of other ranges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cstrace/isa.h>

#include "counting/counts/interior.h"

#define CODE	4096u
#define RANGES	300u

static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

struct want {
	struct cst_count_range ranges[RANGES];
	size_t nr;
	uint64_t not_taken[CODE];	/* by offset */
	struct cst_pair untaken[RANGES];
	size_t nr_untaken;
};

static struct cst_insn insn_at(const uint8_t *code, uint32_t at, bool t32, unsigned int isa)
{
	struct cst_insn insn;
	uint32_t op;

	if (t32)
		op = (uint32_t)(code[at] | code[at + 1] << 8) << 16 | code[at + 2] | (uint32_t)code[at + 3] << 8;
	else
		op = code[at] | code[at + 1] << 8 | code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;
	cst_isa_classify(&insn, t32 ? CST_ISA_T32 : isa, op, at, 0);
	return insn;
}

static bool branches(const struct cst_insn *insn)
{
	return insn->type == CST_INSN_BRANCH || insn->type == CST_INSN_INDIRECT;
}

static int compare(const void *pa, const void *pb)
{
	const struct cst_count_range *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return a->flags - b->flags;
}

/* Makes a range, and counts what is in it. */
static void make_range(struct want *w, const uint8_t *code, bool t32, unsigned int isa)
{
	uint32_t unit = t32 ? 2 : 4, at = below((CODE - 400) / unit) * unit, insns = 1 + below(40);
	struct cst_count_range *r = &w->ranges[w->nr++];
	struct cst_insn insn;

	*r = (struct cst_count_range){ .flags = t32 ? CST_COUNT_T32 : 0, .start = at, .insns = insns, .count = 1 + below(1000) };
	for (; --insns; at += insn.size) {
		insn = insn_at(code, at, t32, isa);
		if (branches(&insn))
			w->not_taken[at] += r->count;
	}
	r->last = at;
	insn = insn_at(code, at, t32, isa);
	if (!branches(&insn) || below(2))
		return;
	w->not_taken[at] += 7;
	w->untaken[w->nr_untaken++] = (struct cst_pair){ .a = at | t32, .count = 7 };
}

static void check_case(unsigned int isa, unsigned int t32_of_4)
{
	static uint8_t code[CODE];
	static struct want w;
	struct interior_code what = { .bytes = code, .size = sizeof(code), .isa = (uint8_t)isa };
	struct interior in;
	uint32_t insns[RANGES], i, k, n = 0;

	memset(&w, 0, sizeof(w));
	for (i = 0; i < CODE; i += 4) {
		uint32_t op = below(3) ? below(UINT32_MAX) : isa == CST_ISA_A64 ? 0x54000041 : 0x0a000002;

		memcpy(code + i, &op, 4);
	}
	for (i = 0; i < RANGES; i++)
		make_range(&w, code, below(4) < t32_of_4, isa);
	qsort(w.ranges, w.nr, sizeof(w.ranges[0]), compare);
	for (i = 0; i < RANGES; i++) {
		insns[i] = w.ranges[i].insns;
		w.ranges[i].insns = 0;
	}
	interior_find(&in, &what, w.ranges, w.nr, w.untaken, w.nr_untaken);
	assert_int_equal(in.undecoded, 0);
	for (i = 0; i < RANGES; i++)
		assert_int_equal(w.ranges[i].insns, insns[i]);
	for (i = k = 0; i < CODE; i++) {
		n += w.not_taken[i] != 0;
		if (!w.not_taken[i])
			continue;
		assert_true(k < in.nr);
		assert_int_equal(in.not_taken[k].offset, i);
		assert_int_equal(in.not_taken[k].count, w.not_taken[i]);
		k++;
	}
	assert_int_equal(in.nr, n);
	assert_true(n > 20);
	interior_free(&in);
}

static void random_code(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		check_case(CST_ISA_A64, 0);
		check_case(CST_ISA_A32, 0);
		check_case(CST_ISA_A32, 4);
		check_case(CST_ISA_A32, 2);
	}
}

/* Code that ends, is not there, or has other instructions than the ranges. */
static void no_code(void **state)
{
	static const uint8_t nops[] = { 0x1f, 0x20, 0x03, 0xd5, 0x41, 0, 0, 0x54, 0x1f, 0x20, 0x03, 0xd5 };
	static const uint8_t wide[] = { 0x00, 0xf0, 0x00, 0xf8, 0x00, 0xbf };
	static const uint8_t cut[] = { 0x00, 0xbf, 0xaf, 0xf3, 0x00, 0x80 };
	const struct cst_pair wrong = { .a = 8, .count = 5 };
	struct interior_code code = { .bytes = nops, .size = sizeof(nops), .isa = CST_ISA_A64 };
	struct cst_count_range r[] = { { .start = 0, .last = 4, .count = 1 }, { .start = 0, .last = 12, .count = 2 } };
	struct cst_count_range t[] = { { .flags = CST_COUNT_T32, .start = 0, .last = 2, .count = 3 } };
	struct interior in;

	(void)state;
	interior_find(&in, &code, r, 2, &wrong, 1);
	assert_int_equal(in.undecoded, 2 + 5);
	assert_int_equal(r[0].insns, 2);
	assert_int_equal(r[1].insns, 4);
	assert_int_equal(in.nr, 1);
	assert_int_equal(in.not_taken[0].offset, 4);
	assert_int_equal(in.not_taken[0].count, 2);
	interior_free(&in);
	code.bytes = NULL;
	interior_find(&in, &code, r, 2, NULL, 0);
	assert_int_equal(in.undecoded, 3);
	assert_int_equal(in.nr, 0);
	interior_free(&in);
	/* the last instruction begins inside the first one */
	code = (struct interior_code){ .bytes = wide, .size = sizeof(wide), .isa = CST_ISA_A32 };
	interior_find(&in, &code, t, 1, NULL, 0);
	assert_int_equal(in.undecoded, 3);
	assert_int_equal(t[0].insns, 0);
	interior_free(&in);
	/* the file ends in the last instruction, and behind it */
	code.bytes = cut;
	code.size = 4;
	interior_find(&in, &code, t, 1, NULL, 0);
	assert_int_equal(in.undecoded, 3);
	assert_int_equal(t[0].insns, 0);
	interior_free(&in);
	code.size = 6;
	interior_find(&in, &code, t, 1, NULL, 0);
	assert_int_equal(in.undecoded, 0);
	assert_int_equal(t[0].insns, 2);
	interior_free(&in);
	interior_find(&in, &code, NULL, 0, NULL, 0);
	assert_int_equal(in.nr, 0);
	interior_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_code),
		cmocka_unit_test(no_code),
	};

	return cmocka_run_group_tests_name("profile interior", tests, NULL, NULL);
}
