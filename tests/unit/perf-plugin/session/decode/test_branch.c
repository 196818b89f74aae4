/* SPDX-License-Identifier: BSD-3-Clause */
/* When a branch is complete, and what it is called. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "session/decode/branch.h"
#include "session/decode/stream.h"
#include "unit/perf-plugin/synth_elements.h"

static uint32_t code = 0xd503201f;	/* what every address holds: NOP */

static size_t read_code(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	(void)s;
	(void)addr;
	memcpy(buf, (uint8_t *)&code + 4 - len, len);
	return len;
}

/* Branches of a list of elements as text: "from>to:kind " each, hex. */
static const char *run_profile(enum cst_protocol protocol, enum cst_profile profile, const struct cst_generic *g, size_t n)
{
	static char text[1024];
	const struct cst_config cfg = { .protocol = protocol, .profile = profile };
	struct stream s = { .pid = 1, .tid = 1, .config = &cfg };
	struct branch_state st;
	struct branch b;
	size_t used = 0, i;
	bool have;

	branch_init(&st);
	text[0] = 0;
	for (i = 0; i < n; i++) {
		if (g[i].kind == CST_GEN_RANGE) {
			have = branch_range(&st, &s, &g[i], &b);
			branch_range_end(&st, &s, &g[i]);
		} else {
			have = branch_other(&st, &s, &g[i], read_code, &b);
		}
		if (have)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%llx>%llx:%d%s ",
						 (unsigned long long)b.from, (unsigned long long)b.to,
						 b.kind, b.ends_trace ? "!" : "");
	}
	return text;
}

static const char *run_protocol(enum cst_protocol protocol, const struct cst_generic *g, size_t n)
{
	return run_profile(protocol, CST_PROFILE_A, g, n);
}

static const char *run(const struct cst_generic *g, size_t n)
{
	return run_protocol(CST_PROTO_ETMV4, g, n);
}

#define CHECK(want, ...) do {								\
	const struct cst_generic els[] = { __VA_ARGS__ };				\
	assert_string_equal(run(els, sizeof(els) / sizeof(els[0])), want);		\
} while (0)

static void kinds(void **state)
{
	(void)state;
	CHECK("0>1000:15 1000>2000:4 2000>3000:5 3000>4000:6 4000>5000:3 5000>6000:9 ",
	      EL_BL(0x1000, 1), el_range(0x2000, 1, CST_INSN_INDIRECT, CST_INSN_LINK, EL_TAKEN | CST_GF_LINK),
	      EL_RET(0x3000, 1), EL_BR(0x4000, 1),
	      el_range(0x5000, 1, CST_INSN_INDIRECT, CST_INSN_ERET, EL_TAKEN), EL_CUT(0x6000, 1));
	CHECK("0>1000:15 1000>2000:7 2000>3000:8 3000>4000:6 ",
	      el_range(0x1000, 1, CST_INSN_BRANCH, CST_INSN_LINK, EL_TAKEN | CST_GF_LINK | CST_GF_COND),
	      el_range(0x2000, 1, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, EL_TAKEN | CST_GF_COND),
	      el_range(0x3000, 1, CST_INSN_INDIRECT, CST_INSN_IMPLIED_RET, EL_TAKEN), EL_CUT(0x4000, 1));
}

/* What a supervisor call is in each instruction set; the instruction is the one before the address. */
static void supervisor_calls(void **state)
{
	static const struct {
		uint8_t isa;
		uint32_t code;	/* T32: in the upper half */
		bool is;
	} row[] = {
		{ CST_ISA_A64, 0xd4000001, true }, { CST_ISA_A64, 0xd41fffe1, true }, { CST_ISA_A64, 0xd4000002, false },
		{ CST_ISA_A64, 0xd4200001, false }, { CST_ISA_A32, 0xef000000, true }, { CST_ISA_A32, 0x0f123456, true },
		{ CST_ISA_A32, 0xff000000, false }, { CST_ISA_A32, 0xee000000, false }, { CST_ISA_T32, 0xdf000000, true },
		{ CST_ISA_T32, 0xdfff0000, true }, { CST_ISA_T32, 0xde000000, false }, { CST_ISA_T32, 0x0000df00, false },
	};
	const uint32_t was = code;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const unsigned int size = row[i].isa == CST_ISA_T32 ? 2 : 4;

		code = row[i].code;
		if (branch_after_svc(NULL, 0x1000, row[i].isa, read_code) != row[i].is)
			fail_msg("instruction set %u: 0x%x", row[i].isa, row[i].code);
		/* the lowest address that has an instruction before it */
		assert_int_equal(branch_after_svc(NULL, size, row[i].isa, read_code), row[i].is);
		assert_false(branch_after_svc(NULL, size - 1, row[i].isa, read_code));
	}
	code = was;
}

/* What each exception of ETMv4 is. */
static void exceptions_v8(void **state)
{
	static const uint8_t irq[] = { 0, 1, 14, 15 };
	char text[64];
	unsigned int i;

	(void)state;
	for (i = 0; i < 32; i++) {
		const struct cst_generic els[] = { EL_CUT(0x1000, 2), el_exception(i, 0x1008), EL_CUT(0x8000, 1) };

		snprintf(text, sizeof(text), "0>1000:15 1004>8000:%d ",
			 memchr(irq, (int)i, sizeof(irq)) ? BRANCH_IRQ : i == 4 ? BRANCH_SERROR : BRANCH_FAULT);
		assert_string_equal(run_protocol(CST_PROTO_ETMV4, els, 3), text);
	}
}

/* The numbers are others than ETMv4's. */
static void exceptions_v7(void **state)
{
	static const struct {
		uint8_t num, kind;
	} want[] = {
		{ 1, BRANCH_IRQ }, { 2, BRANCH_FAULT }, { 3, BRANCH_FAULT }, { 4, BRANCH_SERROR }, { 8, BRANCH_IRQ },
		{ 9, BRANCH_FAULT }, { 10, BRANCH_SYSCALL }, { 11, BRANCH_FAULT }, { 12, BRANCH_FAULT },
		{ 14, BRANCH_IRQ }, { 15, BRANCH_IRQ },
	};
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct cst_generic els[] = {
			EL_CUT(0x1000, 2), el_exception(want[i].num, 0x1008), EL_CUT(0x8000, 1),
		};

		snprintf(text, sizeof(text), "0>1000:15 1004>8000:%d ", want[i].kind);
		assert_string_equal(run_protocol(CST_PROTO_ETMV3, els, 3), text);
		assert_string_equal(run_protocol(CST_PROTO_PTM, els, 3), text);
	}
}

/* The M profile has numbers of its own, in ETMv4 others than in ETMv3. Interrupts are asynchronous, faults are not. */
static void exceptions_m(void **state)
{
	static const struct {
		uint16_t first, last;
		uint8_t kind;
	} v8[] = {
		{ 1, 2, BRANCH_IRQ }, { 3, 7, BRANCH_FAULT }, { 11, 11, BRANCH_SYSCALL }, { 12, 12, BRANCH_FAULT },
		{ 14, 15, BRANCH_IRQ }, { 16, 23, BRANCH_IRQ }, { 24, 24, BRANCH_IRQ }, { 25, 26, BRANCH_FAULT },
		{ 0x208, 0x3ef, BRANCH_IRQ },
	}, v7[] = {
		{ 1, 8, BRANCH_IRQ }, { 9, 9, BRANCH_FAULT }, { 10, 10, BRANCH_IRQ }, { 11, 11, BRANCH_SYSCALL },
		{ 12, 13, BRANCH_FAULT }, { 14, 15, BRANCH_IRQ }, { 17, 17, BRANCH_IRQ }, { 19, 19, BRANCH_FAULT },
		{ 21, 21, BRANCH_FAULT }, { 24, 511, BRANCH_IRQ },
	};
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(v8) / sizeof(v8[0]) + sizeof(v7) / sizeof(v7[0]); i++) {
		const bool newer = i < sizeof(v8) / sizeof(v8[0]);
		const unsigned int first = newer ? v8[i].first : v7[i - sizeof(v8) / sizeof(v8[0])].first,
				   last = newer ? v8[i].last : v7[i - sizeof(v8) / sizeof(v8[0])].last,
				   kind = newer ? v8[i].kind : v7[i - sizeof(v8) / sizeof(v8[0])].kind;
		unsigned int num;

		snprintf(text, sizeof(text), "0>1000:15 1004>8000:%u ", kind);
		for (num = first; num <= last; num++) {
			const struct cst_generic els[] = { EL_CUT(0x1000, 2), el_exception(num, 0x1008), EL_CUT(0x8000, 1) };
			const char *have = run_profile(newer ? CST_PROTO_ETMV4 : CST_PROTO_ETMV3, CST_PROFILE_M, els, 3);

			if (strcmp(have, text))
				fail_msg("%s, exception %u: %s, not %s", newer ? "ETMv4" : "ETMv3", num, have, text);
		}
	}
}

static void ends(void **state)
{
	(void)state;
	/* the opcode tells the target */
	CHECK("0>1000:15 1004>3000:2 0>5000:15 ",
	      EL_B(0x1000, 2), el_next(CST_GEN_TRACE_ON, 0x3000), EL_CUT(0x5000, 1));
	/* an indirect branch */
	CHECK("0>1000:15 1004>0:6! 0>5000:15 ",
	      EL_RET(0x1000, 2), el_plain(CST_GEN_TRACE_ON), EL_CUT(0x5000, 1));
	/* after a loss not even the opcode is believed: the atom may be wrong */
	CHECK("0>1000:15 1004>0:16! 0>5000:15 ", EL_B(0x1000, 2),
	      el_no_sync(CST_UNSYNC_OVERFLOW, CST_GF_DOUBTFUL | CST_GF_NEXT), el_plain(CST_GEN_TRACE_ON),
	      EL_CUT(0x5000, 1));
	/* the bytes end: a gap only if something follows */
	CHECK("0>1000:15 ", EL_RET(0x1000, 2), el_plain(CST_GEN_EO_TRACE));
	CHECK("0>1000:15 1004>0:6! 0>5000:15 ", EL_RET(0x1000, 2), el_plain(CST_GEN_EO_TRACE),
	      el_no_sync(CST_UNSYNC_RESET, 0), EL_CUT(0x5000, 1));
	CHECK("0>1000:15 1004>3000:2 ", EL_B(0x1000, 2), el_next(CST_GEN_EO_TRACE, 0x3000));
	/* and a range right after them belongs to nothing before */
	CHECK("0>1000:15 0>5000:15 ", EL_B(0x1000, 2), el_plain(CST_GEN_EO_TRACE), EL_CUT(0x5000, 1));
	/* no code at the target: it is the target all the same */
	CHECK("0>1000:15 1004>9000:4 0>5000:15 ", EL_BL(0x1000, 2),
	      (struct cst_generic){ .kind = CST_GEN_NACC, .addr = 0x9000 }, EL_CUT(0x5000, 1));
	/* an address that is not known: neither is the target */
	CHECK("0>1000:15 1004>0:6! 0>5000:15 ", EL_RET(0x1000, 2), el_plain(CST_GEN_ADDR_UNKNOWN), EL_CUT(0x5000, 1));
	/* unknown path: known up to its first instruction */
	CHECK("0>1000:15 1004>7000:2 0>7100:15 ", EL_B(0x1000, 2),
	      (struct cst_generic){ .kind = CST_GEN_NOPATH, .addr = 0x7000, .end = 0x7100 },
	      EL_CUT(0x7100, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds), cmocka_unit_test(supervisor_calls),
		cmocka_unit_test(exceptions_v7), cmocka_unit_test(exceptions_m), cmocka_unit_test(exceptions_v8),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests_name("synth branch", tests, NULL, NULL);
}
