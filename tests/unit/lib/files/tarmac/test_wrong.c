/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tarmac_wrong.c - lines of Tarmac text that are wrong: each comes as CST_TARMAC_OTHER with its text, and with the
 * column where something else was expected.
 */
#include <cstrace/files/files.h>

#include "unit/lib/tarmac_lines.h"

/* '^' stands before the character that is wrong; it is not part of the line. */
static const char *const wrong[] = {
	/* instructions */
	"1 clk IT ^",
	"1 clk IT (^) 8000 d503201f O EL1h_n : NOP",
	"1 clk IT (^x) 8000 d503201f O EL1h_n : NOP",
	"1 clk IT (1^x) 8000 d503201f O EL1h_n : NOP",
	"1 clk IT (^a) 8000 d503201f O EL1h_n : NOP",
	"1 clk IT (1 ^8000 d503201f O EL1h_n : NOP",
	"1 clk IT (1:^) 8000 d503201f O EL1h_n : NOP",
	"1 clk IT (1) ^x d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000^x d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:^ d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:9000_^X d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:9000_NS^X d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:9000_N^ d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:9000_^ d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:9000,^x d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:9000_NS,a000^ f7ffef76 T EL1h_n : NOP",
	"1 clk IT (1) 8000:9000_NS,a000_^X f7ffef76 T EL1h_n : NOP",
	"1 clk IT (1) 8000 ^x O EL1h_n : NOP",
	"1 clk IT (1) 8000 ^d503201 O EL1h_n : NOP",
	"1 clk IT (1) 8000 ^d503201fx O EL1h_n : NOP",
	"1 clk IT (1) 8000 ^d50320 T svc : NOP",
	"1 clk IT (1) 8000 d503201f ^Q EL1h_n : NOP",
	"1 clk IT (1) 8000 d503201f ^",
	"1 clk IT (1) 8000 4770 ^O EL1h_n : RET",
	"1 clk IT (1) 8000 4770 ^A svc : RET",
	"1 clk IT (1) 8000 4770 ^T64 svc : RET",
	"1 clk IT (1) 8000 d503201f O^",
	"1 clk IT (1) 8000 d503201f O ^: NOP",
	"1 clk IT (1) 8000 d503201f O EL1h_n ^NOP",
	"1 clk IT (1) 8000 4770 T16 thread ^BX lr",
	"1 cs IT (0000000000008000) d503 ^O ---_- : nop",
	"1 cs IT (0000000000008000) ^d50 T ---_- : nop",
	"1 ns ES ^8000:d503201f) O el1h_ns: NOP",
	"1 ns ES (^x:d503201f) O el1h_ns: NOP",
	"1 ns ES (8000 ^d503201f) O el1h_ns: NOP",
	"1 ns ES (8000:^) O el1h_ns: NOP",
	"1 ns ES (8000:^---) O el1h_ns: NOP",
	"1 ns ES (8000:d503201f ^O el1h_ns: NOP",
	"1 ns ES (8000:d503201f) ^B el1h_ns: NOP",
	"1 ns ES (8000:^d503201) O el1h_ns: NOP",
	"1 ns ES (8000:d503201f) O el1h_ns ^NOP",
	"1 ns ES ^",
	/* program flow */
	"1 clk FD ^1 8000 9000 O",
	"1 clk FD (^x) 8000 9000 O",
	"1 clk FD (1 ^8000 9000 O",
	"1 clk FD (1) ^x 9000 O",
	"1 clk FI (1) 8000 ^O",
	"1 clk FI (1) 8000 9000 ^P",
	"  BR ^80 A",
	"  BR (^) A",
	"  BR (80 ^A",
	"  BR (80) ^",
	/* registers */
	"1 clk R ^",
	"1 clk R X0^",
	"1 clk R X0 CIVAC ^",
	"1 clk R X0 CIVAC ^x",
	"1 clk R X0 12^:x",
	"1 clk R R1 (^) 00000000",
	"1 clk R R1 (USR ^00000000",
	"1 clk R R1 (USR) ^xyz",
	"1 clk R V0<^> 0",
	"1 clk R V0<1^> 0",
	"1 clk R V0<1:^> 0",
	"1 clk R V0<1:0 ^0",
	"1 clk R V0<^0:1> 0",
	"1 clk R V0<^65536:1> 0",
	"1 clk R V0<7:0> ^x",
	/* memory */
	"1 clk MR^0 8000 0",
	"1 clk MR^65 8000 0",
	"1 clk MR^999999999 8000 0",
	"1 clk MR4 ^",
	"1 clk MR4 ^x 0",
	"1 clk MR4 8000:^ 0",
	"1 clk MR4 8000:8000_^T 0",
	"1 clk MR4 8000^",
	"1 clk MR4 8000 ^x",
	"1 clk MR4 8000 ^_1",
	"1 clk MR4 8000 0^x",
	"1 clk MR4 8000 ^100000000",
	"1 clk MR4 8000 (ABORTED^",
	"1 clk MR4 8000 (aborted^)",
	"1 cs R04 ^Y 8000 0",
	"1 clk MU^0_ADD 8000 0",
	"1 clk MU4^ADD 8000 0",
	"1 clk MU4^_ 8000 0",
	"1 clk MU4_ADD ^",
	"1 clk MU4_ADD 8000 ^112233445",
	"  LD ^",
	"  LD ^x ........ ........ ........ ........",
	"  LD 8000^x ........ ........ ........ ........",
	"  LD 8000 ........ ........ ........ ......^",
	"  LD 8000 ........ ........ ........ ......^.",
	"  LD 8000 ........ ........ ........ ......^.1",
	"  LD 8000 ........ ........ ........ ......^#.",
	"  LD 8000 ........ ........ ........ ......^0g",
	"  LD 8000 ........ ........ ........ ......^g0",
	"  LD 8000 ........ ........ ........ ......^.#",
	"  LD 8000 ........ ........ ........ ......^#1",
	"  LD 8000 ........ ........ ........ ......^1",
	"  LD 8000 ........ ........ ........ ........^..",
	"  LD 8000 ........ ........ ........ ........ ^X:8000 NM",
	"  LD 8000 ........ ........ ........ ........ S:^x NM",
	"  LD 8000 ........ ........ ........ ........ S:8000^x NM",
	"  ST 8000 ........ ........ ........ ........ ^NM ISH",
	/* bus */
	"1 clk BR^0D__S I_____ O_____ 1 8000 0",
	"1 clk BR4^D__ I_____ O_____ 1 8000 0",
	"1 clk BR4^X__S I_____ O_____ 1 8000 0",
	"1 clk BR4D^Y_S I_____ O_____ 1 8000 0",
	"1 clk BR4D_^QS I_____ O_____ 1 8000 0",
	"1 clk BR4D__^Q I_____ O_____ 1 8000 0",
	"1 clk BR4D__S ^O_____ I_____ 1 8000 0",
	"1 clk BR4D__S I_^C___ O_____ 1 8000 0",
	"1 clk BR4D__S I_____ ^O____ 1 8000 0",
	"1 clk BR4D__S I_____ O_____ ^",
	"1 clk BR4D__S I_____ O_____ 1 ^",
	"1 clk BR4D__S I_____ O_____ 1 8000^x 0",
	"1 clk BR4D__S I_____ O_____ 1 8000 ^x",
	"1 clk BR4D__S I_____ O_____ 1 8000 ^0000000001",
	/* events */
	"1 clk E 00008000^",
	"1 clk E 00008000:^ 00000001 CoreEvent_Reset",
	"1 clk E 00008000:8000_^X 00000001 CoreEvent_Reset",
	"1 clk E 00008000 svc ^",
	"1 clk E 00008000 ^CoreEvent_Reset",
	"1 clk E 00008000 00000001^",
	"1 clk E 00008000 00000001 ^100000000 CoreEvent_Reset",
	"1 clk E 00008000 EL1h ^CoreEvent_ModeChange",
	"  EXC [^] Reset",
	"  EXC [0x^] Reset",
	"  EXC [0 ^Reset",
	"  EXC [^100000000] Reset",
	/* caches, walks, TLBs */
	"1 clk CACHE ^",
	"1 clk CACHE l1 ^",
	"1 clk CACHE l1 ^LINES 0 ALLOC 0x0",
	"1 clk CACHE l1 LINE ^x ALLOC 0x0",
	"1 clk CACHE l1 LINE 0^x ALLOC 0x0",
	"1 clk CACHE l1 LINE 0 ^",
	"1 clk CACHE l1 LINE 0 ALLOC ^0000",
	"1 clk CACHE l1 LINE 0 ALLOC 0x^",
	"1 clk CACHE l1 LINE 0 ALLOC 0x0_^X",
	"1 clk CACHE MAINTENANCE ^",
	"1 clk CACHE MAINTENANCE Data cache ^Spill By MVA 00000000",
	"1 clk CACHE MAINTENANCE Data cache Clean By MVA to PoC^",
	"1 clk CACHE MAINTENANCE Data cache Clean ^00000000",
	"1 clk CACHE MAINTENANCE Data cache Clean By MVA 00000000:^",
	"1 clk TTW ^",
	"1 clk TTW ITLB ^",
	"1 clk TTW ITLB LPAE ^x:1 0 0 : FAULT",
	"1 clk TTW ITLB LPAE ^256:1 0 0 : FAULT",
	"1 clk TTW ITLB LPAE 1 ^0 0 : FAULT",
	"1 clk TTW ITLB LPAE 1:^x 0 0 : FAULT",
	"1 clk TTW ITLB LPAE 1:1 ^x 0 : FAULT",
	"1 clk TTW ITLB LPAE 1:1 0 ^: FAULT",
	"1 clk TTW ITLB LPAE 1:1 0 0 ^FAULT",
	"1 clk TTW ITLB LPAE 1:1 0 0 :^",
	"1 clk TLB ^SPILL t 4K 0x0",
	"1 clk TLB FILL^",
	"1 clk TLB FILL t^",
	"1 clk TLB FILL t 4K ^8000",
	"1 clk TLB FILL t 4K 0x^",
	"1 clk TLB FILL t 4K 0x0 EL1_n ^",
	"1 clk TLB FILL t 4K 0x0 EL1_n vmid=^x:0x0",
	"1 clk TLB FILL t 4K 0x0 EL1_n vmid=^4294967296:0x0",
	"1 clk TLB FILL t 4K 0x0 EL1_n, ^asid=1:0x0",
	"1 clk TLB FILL t 4K 0x0 EL1_n, nG ^vmid=1:0x0",
	"1 clk TLB FILL t 4K 0x0 EL1_n, nG asid=^:0x0",
	"1 clk TLB FILL t 4K 0x0:^0",
	"1 clk TLB FILL t 4K 0x0:0x0_^X",
	"1 clk TLB EVICT t 4K 0x0 EL1_n ^more",
	/* numbers that are too large */
	"^18446744073709551616 clk R r0 1",
	"1 clk IT (^18446744073709551616) 8000 d503201f O EL1h_n : NOP",
	"1 clk IT (1) ^10000000000000000 d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:^10000000000000000 d503201f O EL1h_n : NOP",
	"1 clk IT (1) 8000:9000_NS,^10000000000000000 f7ffef76 T EL1h_n : NOP",
	"1 clk IT (8000:^10000000000000000000) 8000 d503201f O EL1h_n : NOP",
	"1 clk MR4 ^10000000000000000 0",
	"1 clk MR4 8000:^10000000000000000 0",
	"1 clk E 00008000 svc ^10000000000000000 00000001 CoreEvent_Reset",
};

static void test_columns(void **state)
{
	const struct cst_tarmac_record *rec;
	char line[256];
	const char *mark;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		mark = strchr(wrong[i], '^');
		snprintf(line, sizeof(line), "%.*s%s", (int)(mark - wrong[i]), wrong[i], mark + 1);
		rec = read_line(line);
		if (!rec->error || rec->kind != CST_TARMAC_OTHER)
			fail_msg("%s: no error", wrong[i]);
		/* blanks at the end are no part of a line */
		if (rec->column != mark - wrong[i] + 1u && (*(mark + 1) || rec->column > mark - wrong[i] + 1u))
			fail_msg("%s: column %u (%s)", wrong[i], rec->column, rec->reason);
		assert_int_equal(rec->error, strstr(rec->reason, "bits") && strstr(rec->reason, " of ") ? -CST_ERR_LIMIT : -CST_ERR_SYNTAX);
		assert_non_null(rec->reason);
		assert_true(rec->text.n > 0 && rec->text.p[rec->text.n - 1] != ' ');
		assert_memory_equal(line + strlen(line) - rec->text.n - (line[strlen(line) - 1] == ' '), rec->text.p, rec->text.n);
	}
}

/* An error is one of its line alone. */
static void test_next_line(void **state)
{
	const struct cst_tarmac_counts *c = cst_tarmac_reader_counts(line_reader);
	const struct cst_tarmac_record *rec;
	uint64_t errors = c->errors, others = c->kinds[CST_TARMAC_OTHER], regs = c->kinds[CST_TARMAC_REG];

	(void)state;
	rec = read_line("5 clk cpu7 R X0");
	assert_int_equal(rec->error, -CST_ERR_SYNTAX);
	says(rec->cpu, "cpu7");
	says(rec->text, "R X0");
	assert_int_equal(rec->time, 5);
	rec = good("R X0 1", CST_TARMAC_REG);
	assert_int_equal(rec->time, 5);
	assert_null(rec->reason);
	assert_int_equal(rec->column, 0);
	assert_int_equal(c->errors, errors + 1);
	assert_int_equal(c->kinds[CST_TARMAC_OTHER], others + 1);
	assert_int_equal(c->kinds[CST_TARMAC_REG], regs + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_next_line),
	};

	return cmocka_run_group_tests(tests, lines_begin, lines_end);
}
