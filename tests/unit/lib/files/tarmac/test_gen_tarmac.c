/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_gen_tarmac.c - what the model writes as Tarmac text is what a random program executed: each instruction with its
 * opcode, instruction set, mode and outcome, each exception between the right ones; in all instruction sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/cstrace.h>
#include <cstrace/files/files.h>

#include "gen_case.h"
#include "unit/temp_dir.h"
#include "util.h"

#define CASES 60

TEMP_DIR("gen-tarmac")

struct executed {
	struct flow_rec *recs;
	size_t n, cap;
};

/* Instructions and exceptions alone. */
static void keep(void *ctx, const struct flow_rec *r)
{
	struct executed *e = ctx;

	if (r->kind != FLOW_INSN && r->kind != FLOW_EXC)
		return;
	if (e->n == e->cap) {
		e->cap = e->cap ? 2 * e->cap : 1024;
		e->recs = gen_realloc(e->recs, e->cap * sizeof(*e->recs));
	}
	e->recs[e->n++] = *r;
}

/* The program of a case, run once more. */
static void run_again(const struct gen_case *k, struct executed *e)
{
	struct prog *p = prog_new(&k->prog);

	memset(e, 0, sizeof(*e));
	prog_run(p, k->insns, keep, e);
	prog_free(p);
}

static uint32_t opcode_at(const struct gen_case *k, const struct flow_rec *r)
{
	const uint8_t *p;

	assert_true(gen_case_read(k, r->tid, r->el, r->pc, &p) >= r->size);
	if (r->size == 2)
		return (uint32_t)(p[0] | p[1] << 8);
	if (r->isa == FLOW_T32)
		return (uint32_t)(p[0] | p[1] << 8) << 16 | (uint32_t)(p[2] | p[3] << 8);
	return (uint32_t)(p[0] | p[1] << 8) | (uint32_t)(p[2] | p[3] << 8) << 16;
}

static void same_insn(const struct gen_case *k, const struct flow_rec *r, const struct cst_tarmac_insn *in)
{
	static const int isas[] = { [FLOW_A32] = CST_ISA_A32, [FLOW_T32] = CST_ISA_T32, [FLOW_A64] = CST_ISA_A64 };

	assert_int_equal(in->address.address, r->pc);
	assert_int_equal(in->size, r->size);
	assert_int_equal(in->isa, isas[r->isa]);
	assert_int_equal(in->opcode, opcode_at(k, r));
	assert_int_equal(in->outcome == CST_TARMAC_CC_FAIL, r->flags & FLOW_COND && !(r->flags & FLOW_TAKEN));
	assert_int_equal(in->mode.security, r->sec);
	if (k->prog.mprofile)
		assert_int_equal(in->mode.kind, r->el ? CST_TARMAC_HANDLER : CST_TARMAC_THREAD);
	else if (r->isa == FLOW_A64)
		assert_int_equal(in->mode.kind, CST_TARMAC_EL);
	assert_int_equal(in->mode.el, r->el);
}

struct seen {
	uint64_t isa[3], failed_branches, failed_others, exceptions, aarch32_exceptions, mprofile;
};

static void compare(const struct gen_case *k, const char *text, size_t len, struct seen *seen)
{
	const struct cst_tarmac_record *rec;
	struct cst_tarmac_reader *reader;
	struct executed e;
	uint64_t insns = 0;
	size_t i;

	run_again(k, &e);
	assert_int_equal(cst_tarmac_reader_new(&reader, NULL), 0);
	assert_int_equal(cst_tarmac_feed(reader, text, len), 0);
	for (i = 0; i < e.n; i++) {
		const struct flow_rec *r = &e.recs[i];
		int branch = r->klass == FLOW_DIRECT || r->klass == FLOW_INDIRECT;

		assert_int_equal(cst_tarmac_next(reader, &rec), 1);
		assert_int_equal(rec->cpu.n, 4);
		assert_int_equal(rec->unit, CST_TARMAC_CLK);
		if (r->kind == FLOW_EXC) {
			assert_int_equal(rec->kind, CST_TARMAC_EVENT);
			assert_int_equal(rec->u.event.value.address, r->pc);
			assert_int_equal(rec->time, insns);
			seen->exceptions++;
			seen->aarch32_exceptions += rec->u.event.number < CST_TARMAC_E_VECTOR && r->num;
			continue;
		}
		insns++;
		assert_int_equal(rec->kind, CST_TARMAC_INSN);
		assert_int_equal(rec->time, insns);
		assert_int_equal(rec->u.insn.index, insns);
		same_insn(k, r, &rec->u.insn);
		seen->isa[r->isa]++;
		seen->mprofile += k->prog.mprofile;
		if (rec->u.insn.outcome == CST_TARMAC_CC_FAIL)
			*(branch ? &seen->failed_branches : &seen->failed_others) += 1;
	}
	assert_int_equal(cst_tarmac_next(reader, &rec), 0);
	cst_tarmac_reader_free(reader);
	free(e.recs);
}

static void test_random(void **state)
{
	struct seen seen = { .exceptions = 0 };
	unsigned int seed;
	char *text, name[64];
	size_t len;
	FILE *f;

	(void)state;
	snprintf(name, sizeof(name), "%s/out.tarmac", dir);
	for (seed = 0; seed < CASES; seed++) {
		struct tarmac_opts o = { .bytes = gen_case_bytes, .conditions = 1 };
		struct gen_case k;

		if (seed % 3)
			gen_case_opts(seed, 0, &k);
		else
			gen_case_opts(seed, GEN_X_ETE, &k);
		o.ctx = &k;
		o.mprofile = k.prog.mprofile;
		o.a32_kernel = k.prog.kernel_isa != FLOW_A64;
		k.tarmac = tarmac_new(name, &o);
		gen_case_build(&k);
		assert_int_equal(tarmac_close(k.tarmac), 0);
		f = fopen(name, "rb");
		assert_non_null(f);
		text = malloc(8 << 20);
		len = fread(text, 1, 8 << 20, f);
		fclose(f);
		remove(name);
		compare(&k, text, len, &seen);
		free(text);
		gen_case_free(&k);
	}
	assert_true(seen.isa[FLOW_A32] > 100 && seen.isa[FLOW_T32] > 100 && seen.isa[FLOW_A64] > 1000);
	assert_true(seen.failed_branches > 100 && seen.failed_others > 10);
	assert_true(seen.exceptions > 50 && seen.aarch32_exceptions > 5 && seen.mprofile > 10);
}

/* A folder that does not exist: an error at the end, and no crash. */
static void test_no_file(void **state)
{
	struct tarmac_opts o = { .conditions = 1 };
	struct flow_rec r = { .kind = FLOW_INSN, .isa = FLOW_A64, .size = 4 };
	struct tarmac_w *t = tarmac_new("/nowhere/at/all", &o);

	(void)state;
	assert_non_null(t);
	tarmac_flow(t, &r);
	assert_int_equal(tarmac_close(t), -1);
	assert_null(tarmac_new(NULL, &o));
	tarmac_flow(NULL, &r);
	assert_int_equal(tarmac_close(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
