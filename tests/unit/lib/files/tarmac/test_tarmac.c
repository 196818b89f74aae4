/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tarmac.c - lines of Tarmac text → records: every kind of record, each dialect, times and processors.
 */
#include <inttypes.h>

#include <cstrace/files/files.h>

#include "unit/lib/tarmac_lines.h"

static void test_instruction(void **state)
{
	const struct cst_tarmac_record *rec =
		good("1939 clk cpu0 IT (1915) 0001129c:00001521129c_NS d51bd061 O EL3h_s : MSR TPIDRRO_EL0,x1", CST_TARMAC_INSN);
	const struct cst_tarmac_insn *insn = &rec->u.insn;

	(void)state;
	assert_int_equal(rec->time, 1939);
	assert_int_equal(rec->unit, CST_TARMAC_CLK);
	assert_int_equal(rec->flags, 0);
	assert_int_equal(rec->dialect, CST_TARMAC_FAST_MODELS);
	says(rec->cpu, "cpu0");
	says(rec->text, "IT (1915) 0001129c:00001521129c_NS d51bd061 O EL3h_s : MSR TPIDRRO_EL0,x1");
	assert_int_equal(insn->outcome, CST_TARMAC_EXECUTED);
	assert_int_equal(insn->has_index, 1);
	assert_int_equal(insn->index, 1915);
	assert_int_equal(insn->address.address, 0x1129c);
	assert_int_equal(insn->address.physical, 0x1521129c);
	assert_int_equal(insn->address.space, CST_TARMAC_NONSECURE);
	assert_int_equal(insn->opcode, 0xd51bd061);
	assert_int_equal(insn->size, 4);
	assert_int_equal(insn->isa, CST_ISA_A64);
	assert_int_equal(insn->mode.kind, CST_TARMAC_EL);
	assert_int_equal(insn->mode.el, 3);
	assert_int_equal(insn->mode.stack, 'h');
	assert_int_equal(insn->mode.has_security, 1);
	assert_int_equal(insn->mode.security, CST_SEC_SECURE);
	says(insn->disassembly, "MSR TPIDRRO_EL0,x1");

	insn = &good("12 clk IS (12) 0000802c 1afb T svc_s : SUBNE    r3,r7,r3", CST_TARMAC_INSN)->u.insn;
	assert_int_equal(insn->outcome, CST_TARMAC_CC_FAIL);
	assert_int_equal(insn->size, 2);
	assert_int_equal(insn->isa, CST_ISA_T32);
	assert_int_equal(insn->address.space, CST_TARMAC_NO_PHYSICAL);

	insn = &good("3 clk IT (3) 0000800a:00000000800a_S,00000000900c_S e8900c00 T svc_s : LDM", CST_TARMAC_INSN)->u.insn;
	assert_int_equal(insn->address.space, CST_TARMAC_SECURE);
	assert_int_equal(insn->has_physical2, 1);
	assert_int_equal(insn->physical2, 0x900c);
	assert_int_equal(insn->size, 4);
	assert_int_equal(good("3 clk IF (3) 00008000 e8900c00 X svc :", CST_TARMAC_INSN)->u.insn.isa, CST_ISA_TEE);
	says(good("3 clk IT (3) 00008000 e8900c00 X svc :", CST_TARMAC_INSN)->u.insn.disassembly, "");
	says(good("3 clk IT (3) 00008000 e8900c00 A svc : a : b", CST_TARMAC_INSN)->u.insn.disassembly, "a : b");
}

static void test_modes(void **state)
{
	static const struct { const char *text; int kind, el, stack, security; } rows[] = {
		{ "EL3h_s", CST_TARMAC_EL, 3, 'h', CST_SEC_SECURE }, { "EL0t_ns", CST_TARMAC_EL, 0, 't', CST_SEC_NONSECURE },
		{ "EL2h_n", CST_TARMAC_EL, 2, 'h', CST_SEC_NONSECURE }, { "el3t_rt", CST_TARMAC_EL, 3, 't', CST_SEC_ROOT },
		{ "EL1t_rl", CST_TARMAC_EL, 1, 't', CST_SEC_REALM }, { "EL1", CST_TARMAC_EL, 1, 0, -1 },
		{ "usr_ns", CST_TARMAC_USR, 0, 0, CST_SEC_NONSECURE }, { "fiq", CST_TARMAC_FIQ, 1, 0, -1 }, { "irq", CST_TARMAC_IRQ, 1, 0, -1 },
		{ "svc_s", CST_TARMAC_SVC, 1, 0, CST_SEC_SECURE }, { "mon_s", CST_TARMAC_MON, 3, 0, CST_SEC_SECURE },
		{ "abt_ns", CST_TARMAC_ABT, 1, 0, CST_SEC_NONSECURE }, { "hyp_ns", CST_TARMAC_HYP, 2, 0, CST_SEC_NONSECURE },
		{ "und", CST_TARMAC_UND, 1, 0, -1 }, { "SYS", CST_TARMAC_SYS, 1, 0, -1 },
		{ "thread_s", CST_TARMAC_THREAD, 0, 0, CST_SEC_SECURE }, { "thrd_ns", CST_TARMAC_THREAD, 0, 0, CST_SEC_NONSECURE },
		{ "handler", CST_TARMAC_HANDLER, 1, 0, -1 }, { "hndl_s", CST_TARMAC_HANDLER, 1, 0, CST_SEC_SECURE },
		{ "---_-", CST_TARMAC_NO_MODE, 0, 0, -1 }, { "EL4h_s", CST_TARMAC_MODE_OTHER, 0, 0, -1 },
		{ "svc_x", CST_TARMAC_MODE_OTHER, 0, 0, -1 }, { "EL1x", CST_TARMAC_MODE_OTHER, 0, 0, -1 },
		{ "jaz_s", CST_TARMAC_MODE_OTHER, 0, 0, -1 },
	};
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cst_tarmac_mode *m;

		snprintf(line, sizeof(line), "1 clk cpu0 IT (1) 00008000 d503201f O %s : NOP", rows[i].text);
		m = &good(line, CST_TARMAC_INSN)->u.insn.mode;
		says(m->text, rows[i].text);
		assert_int_equal(m->kind, rows[i].kind);
		assert_int_equal(m->el, rows[i].el);
		assert_int_equal(m->stack, rows[i].stack);
		assert_int_equal(m->has_security, rows[i].security >= 0);
		if (m->has_security)
			assert_int_equal(m->security, rows[i].security);
	}
}

static void test_es(void **state)
{
	const struct cst_tarmac_record *rec =
		good("     800000 ns  ES  (000001a4:03a06a01) A svc:     CCFAIL MOVEQ    r6,#0x1000  ", CST_TARMAC_INSN);
	const struct cst_tarmac_insn *insn = &rec->u.insn;

	(void)state;
	assert_int_equal(rec->dialect, CST_TARMAC_ES);
	assert_int_equal(rec->unit, CST_TARMAC_NS);
	assert_int_equal(insn->outcome, CST_TARMAC_CC_FAIL);
	assert_int_equal(insn->address.address, 0x1a4);
	assert_int_equal(insn->opcode, 0x3a06a01);
	assert_int_equal(insn->has_index, 0);
	says(insn->disassembly, "MOVEQ    r6,#0x1000");
	insn = &good("7 clk IT 00009000:a000_NS d503201f O EL1h_n : NOP", CST_TARMAC_INSN)->u.insn;
	assert_int_equal(insn->has_index, 0);
	assert_int_equal(insn->address.address, 0x9000);
	assert_int_equal(insn->address.physical, 0xa000);
	assert_int_equal(insn->opcode, 0xd503201f);
	insn = &good("     307754 tic ES  (0000aaaaabaf59f0:--------) O el0t_ns:", CST_TARMAC_INSN)->u.insn;
	assert_int_equal(insn->outcome, CST_TARMAC_FETCH_FAIL);
	assert_int_equal(insn->address.address, 0xaaaaabaf59f0);
	assert_int_equal(insn->size, 4);
	assert_int_equal(insn->mode.security, CST_SEC_NONSECURE);
	assert_int_equal(good("1 tic ES ( 8000 : ---- ) T thrd_s: x", CST_TARMAC_INSN)->u.insn.size, 2);
	says(good("1 tic ES (8000:4770) T svc: CCFAILED", CST_TARMAC_INSN)->u.insn.disassembly, "CCFAILED");
	says(good("1 tic ES (8000:4770) T svc: CCFAIL", CST_TARMAC_INSN)->u.insn.disassembly, "");
	/* an address that begins with a letter is no index */
	assert_int_equal(good("1 tic ES (aaaa8000:4770) T svc: CCFAIL", CST_TARMAC_INSN)->u.insn.address.address, 0xaaaa8000);
	assert_int_equal(good("  BR (00000080) A", CST_TARMAC_FLOW)->u.flow.type, CST_TARMAC_BRANCH);
	assert_int_equal(good("  BR (00000080) A", CST_TARMAC_FLOW)->u.flow.target.address, 0x80);
}

static void test_addresses_in_brackets(void **state)
{
	const struct cst_tarmac_record *rec = good("    6000000 cs IT (00000000004d6eb8) 54fffea1 O  ---_- :        b.ne\t0x4d6e8c", CST_TARMAC_INSN);
	const struct cst_tarmac_insn *insn = &rec->u.insn;

	(void)state;
	assert_int_equal(rec->dialect, CST_TARMAC_BRACKETS);
	assert_int_equal(rec->unit, CST_TARMAC_CS);
	assert_int_equal(insn->address.address, 0x4d6eb8);
	assert_int_equal(insn->opcode, 0x54fffea1);
	assert_int_equal(insn->has_index, 0);
	assert_int_equal(insn->mode.kind, CST_TARMAC_NO_MODE);
	says(insn->disassembly, "b.ne\t0x4d6e8c");
	/* decimal digits only are hexadecimal all the same */
	assert_int_equal(good("1 cs IT (0000000000401000) d503201f O ---_- : nop", CST_TARMAC_INSN)->u.insn.address.address, 0x401000);

	rec = good("      3041 cyc IT (00022a7c:00000010) 00022a7c     48f6 T16 LDR      r0,[pc,#984]  ; [0x22e58]", CST_TARMAC_INSN);
	insn = &rec->u.insn;
	assert_int_equal(rec->dialect, CST_TARMAC_RTL);
	assert_int_equal(rec->unit, CST_TARMAC_CYC);
	assert_int_equal(insn->address.address, 0x22a7c);
	assert_int_equal(insn->index, 0x10);
	assert_int_equal(insn->isa, CST_ISA_T32);
	assert_int_equal(insn->size, 2);
	assert_int_equal(insn->mode.kind, CST_TARMAC_NO_MODE);
	says(insn->disassembly, "LDR      r0,[pc,#984]  ; [0x22e58]");
	assert_int_equal(good("1 cyc IT (00022a7c:0000001a) 00022a7c f8d01000 T32 LDR", CST_TARMAC_INSN)->u.insn.index, 0x1a);
	/* T32 with a mode where only the index is in the brackets */
	says(good("1 cyc IT (5) 00022a7c f8d01000 T32 thread : LDR", CST_TARMAC_INSN)->u.insn.disassembly, "LDR");
}

static void test_no_instruction_set(void **state)
{
	static const char text[] = "1 clk IT (1) 00008000 bf00 NOP here\n2 clk IT (2) 00008002 bf00 T thread : NOP\n";
	struct cst_tarmac_opts opts = { .has_isa = 1, .isa = CST_ISA_T32 };
	const struct cst_tarmac_record *rec;
	struct cst_tarmac_reader *r;

	(void)state;
	assert_int_equal(cst_tarmac_reader_new(&r, &opts), 0);
	assert_int_equal(cst_tarmac_feed(r, text, strlen(text)), 0);
	assert_int_equal(cst_tarmac_next(r, &rec), 1);
	assert_int_equal(rec->kind, CST_TARMAC_INSN);
	assert_int_equal(rec->u.insn.isa, CST_ISA_T32);
	says(rec->u.insn.disassembly, "NOP here");
	assert_int_equal(cst_tarmac_next(r, &rec), 1);
	says(rec->u.insn.disassembly, "NOP");
	cst_tarmac_reader_free(r);
	opts.isa = CST_ISA_UNKNOWN;
	assert_int_equal(cst_tarmac_reader_new(&r, &opts), -CST_ERR_INVAL);
	cst_tarmac_reader_free(NULL);
}

static void test_flow(void **state)
{
	const struct cst_tarmac_flow *flow = &good("9 clk cpu0 FD (77) 00008000:000000008000 00009000:00000000a000_NS O", CST_TARMAC_FLOW)->u.flow;

	(void)state;
	assert_int_equal(flow->type, CST_TARMAC_DIRECT);
	assert_int_equal(flow->index, 77);
	assert_int_equal(flow->from.address, 0x8000);
	assert_int_equal(flow->target.physical, 0xa000);
	assert_int_equal(flow->target.space, CST_TARMAC_NONSECURE);
	assert_int_equal(flow->isa, CST_ISA_A64);
	assert_int_equal(good("9 clk FI (1) 8000 9000 A", CST_TARMAC_FLOW)->u.flow.type, CST_TARMAC_INDIRECT);
	assert_int_equal(good("9 clk FR (1) 8000 9001 T", CST_TARMAC_FLOW)->u.flow.type, CST_TARMAC_RETURN);
}

static void test_registers(void **state)
{
	const struct cst_tarmac_reg *r = &good("2 clk cpu0 R X0 00000000163A0BD0", CST_TARMAC_REG)->u.reg;
	uint8_t bytes[8], unknown[8];

	(void)state;
	says(r->name, "X0");
	assert_int_equal(r->value, 0x163a0bd0);
	assert_int_equal(r->bits, 64);
	assert_int_equal(r->what.reg_class, CST_TARMAC_REG_CORE);
	r = &good("1 clk R TCR_EL3 00000000:80800000", CST_TARMAC_REG)->u.reg;
	assert_int_equal(r->value, 0x80800000);
	assert_int_equal(r->bits, 64);
	says(r->digits, "00000000:80800000");
	r = &good("1 clk R z31 00000003_00000002_00000001_00000000", CST_TARMAC_REG)->u.reg;
	assert_int_equal(r->value, 0x100000000);
	assert_int_equal(r->bits, 128);
	r = &good("1 clk R DC CIVAC 00000000:062160e0", CST_TARMAC_REG)->u.reg;
	says(r->bank, "CIVAC");
	assert_int_equal(r->has_parentheses, 0);
	assert_int_equal(r->what.reg_class, CST_TARMAC_REG_OPERATION);
	r = &good("  R R1 (USR) 00000800", CST_TARMAC_REG)->u.reg;
	says(r->bank, "USR");
	assert_int_equal(r->has_parentheses, 1);
	r = &good("  R V0<127:64> ffeeddccbbaa9988", CST_TARMAC_REG)->u.reg;
	assert_int_equal(r->has_range, 1);
	assert_int_equal(r->high, 127);
	assert_int_equal(r->low, 64);
	r = &good("123 ns R Q0 -------- -------- 3ff6a09e 667f3bcd", CST_TARMAC_REG)->u.reg;
	assert_int_equal(r->bits, 128);
	assert_int_equal(r->unknown, 16);
	assert_int_equal(r->value, 0x3ff6a09e667f3bcd);
	assert_int_equal(cst_tarmac_bytes(r->digits, bytes, unknown, sizeof(bytes)), 16);
	assert_int_equal(bytes[0], 0xcd);
	assert_int_equal(bytes[7], 0x3f);
	assert_int_equal(unknown[7], 0);
	r = &good("1 cs R cpsr 20000000 __C_", CST_TARMAC_REG)->u.reg;
	assert_int_equal(r->bits, 32);
	says(r->note, "__C_");
	r = &good("271ns R r13 20001fff (MSP)", CST_TARMAC_REG)->u.reg;
	says(r->note, "(MSP)");
	r = &good("1 ps R cpsr 1220023cd", CST_TARMAC_REG)->u.reg;
	assert_int_equal(r->bits, 36);
	assert_int_equal(r->value, 0x1220023cd);
	r = &good("R X0 01234567 89abcdef", CST_TARMAC_REG)->u.reg;
	assert_int_equal(r->value, 0x0123456789abcdef);
}

static void test_bytes(void **state)
{
	uint8_t bytes[4] = { 9, 9, 9, 9 }, unknown[4];
	struct cst_str s = { "1-2_34:5 -", 10 };

	(void)state;
	assert_int_equal(cst_tarmac_bytes(s, bytes, unknown, 4), 4);
	assert_int_equal(bytes[0], 0x50);
	assert_int_equal(unknown[0], 0x0f);
	assert_int_equal(bytes[1], 0x34);
	assert_int_equal(bytes[2], 0x02);
	assert_int_equal(unknown[2], 0xf0);
	assert_int_equal(bytes[3], 0x01);
	s.n = 1;
	assert_int_equal(cst_tarmac_bytes(s, bytes, NULL, 0), 1);
	s.p = "x";
	assert_int_equal(cst_tarmac_bytes(s, bytes, NULL, 4), -CST_ERR_SYNTAX);
	s.n = 0;
	assert_int_equal(cst_tarmac_bytes(s, NULL, NULL, 0), 0);
}

static void test_memory(void **state)
{
	const struct cst_tarmac_record *rec = good("1948 clk cpu0 MR8 00011540:000015211540 00000001_13000000", CST_TARMAC_MEMORY);
	const struct cst_tarmac_memory *m = &rec->u.memory;

	(void)state;
	assert_int_equal(m->write, 0);
	assert_int_equal(m->size, 8);
	assert_int_equal(m->used, 0xff);
	assert_int_equal(m->address.physical, 0x15211540);
	assert_int_equal(m->data[3], 0x13);
	assert_int_equal(m->data[4], 1);
	m = &good("1 clk MW4X 00008000 00000001", CST_TARMAC_MEMORY)->u.memory;
	assert_int_equal(m->write, 1);
	assert_int_equal(m->access, CST_TARMAC_EXCLUSIVE);
	assert_int_equal(good("1 clk MW4T 00008000 00000001", CST_TARMAC_MEMORY)->u.memory.access, CST_TARMAC_UNPRIVILEGED);
	assert_int_equal(good("1 clk MR1L 00008000 01", CST_TARMAC_MEMORY)->u.memory.access, CST_TARMAC_LOCKED);
	assert_int_equal(good("1 clk MW4TX 00008000 00000001", CST_TARMAC_MEMORY)->u.memory.access, CST_TARMAC_UNPRIVILEGED | CST_TARMAC_EXCLUSIVE);
	assert_int_equal(good("1 clk MW4XT 00008000 00000001", CST_TARMAC_MEMORY)->u.memory.access, CST_TARMAC_UNPRIVILEGED | CST_TARMAC_EXCLUSIVE);
	assert_int_equal(good("1 clk MR4TL 00008000 00000001", CST_TARMAC_MEMORY)->u.memory.access, CST_TARMAC_UNPRIVILEGED | CST_TARMAC_LOCKED);
	m = &good("1 clk MR4 dfdfdfcf (ABORTED)", CST_TARMAC_MEMORY)->u.memory;
	assert_int_equal(m->access, CST_TARMAC_ABORTED);
	assert_int_equal(m->used, 0);
	m = &good("1 cs W04 X ffffffbdc3c15c30 010c010b", CST_TARMAC_MEMORY)->u.memory;
	assert_int_equal(m->access, CST_TARMAC_EXCLUSIVE);
	assert_int_equal(m->size, 4);
	assert_int_equal(m->data[0], 0x0b);
	assert_int_equal(good("1 cs R08 10 4305000042ea0000", CST_TARMAC_MEMORY)->u.memory.size, 8);
	rec = good("3039 cyc MNW4___D 2002fa00 efbeadde", CST_TARMAC_MEMORY);
	m = &rec->u.memory;
	assert_int_equal(rec->dialect, CST_TARMAC_RTL);
	assert_int_equal(m->port, 'N');
	assert_int_equal(m->access, CST_TARMAC_BIG);
	assert_int_equal(m->data[0], 0xef);
	says(m->attributes, "___D");
	m = &good("1 clk MU16_CAS 0000000880008000 00000001_00000002_00000003_00000004", CST_TARMAC_UPDATE)->u.memory;
	says(m->operation, "CAS");
	assert_int_equal(m->size, 16);
	assert_int_equal(m->data[0], 4);
	assert_int_equal(m->data[12], 1);
	assert_int_equal(good("1 clk MW64 0 0", CST_TARMAC_MEMORY)->u.memory.used, UINT64_MAX);
}

static void test_diagrams(void **state)
{
	const struct cst_tarmac_memory *m = &good("   LD 000000007ff80fe0 ........ 44444444 ........ 2222##11    S:007ff80fe0    nGnRnE OSH", CST_TARMAC_MEMORY)->u.memory;
	const struct cst_tarmac_record *rec;

	(void)state;
	assert_int_equal(m->address.address, 0x7ff80fe0);
	assert_int_equal(m->address.space, CST_TARMAC_SECURE);
	assert_int_equal(m->size, 12);
	assert_int_equal(m->used, 0xf0f);
	assert_int_equal(m->unknown, 2);
	assert_int_equal(m->data[0], 0x11);
	assert_int_equal(m->data[2], 0x22);
	assert_int_equal(m->data[11], 0x44);
	says(m->attributes, "nGnRnE OSH");
	m = &good("   ST b0080100  ........ ........ aabbccdd ........     00b0080100    DV ISH INC", CST_TARMAC_MEMORY)->u.memory;
	assert_int_equal(m->write, 1);
	assert_int_equal(m->address.address, 0xb0080104);
	assert_int_equal(m->address.physical, 0xb0080104);
	assert_int_equal(m->address.space, CST_TARMAC_UNSAID);
	assert_int_equal(m->window, 4);
	assert_int_equal(m->size, 4);
	assert_int_equal(m->data[0], 0xdd);
	m = &good("   ST b0080100  ........ ........ ........ ........", CST_TARMAC_MEMORY)->u.memory;
	assert_int_equal(m->size, 0);
	assert_int_equal(m->address.space, CST_TARMAC_NO_PHYSICAL);
	/* bytes are missing: the physical address is not where it is expected */
	rec = read_line("  3980 tic LD 00008000  ........ 3e000a73   NS:0000009000");
	assert_int_not_equal(rec->error, 0);
	assert_int_equal(rec->u.memory.size, 0);
	/* a second line, below the address of the first; its digits are no time */
	good("  3981 tic LD 00004020  ........ 626d654d 2043424d 4545203e   NS:0000000000004020  NM NSH", CST_TARMAC_MEMORY);
	rec = good("              00004010  3e000a73 ........ ........ ........   RL:0000000000004010  NM NSH", CST_TARMAC_MEMORY);
	assert_int_equal(rec->time, 3981);
	assert_int_equal(rec->flags, CST_TARMAC_TIME_BEFORE);
	assert_int_equal(rec->u.memory.address.address, 0x401c);
	assert_int_equal(rec->u.memory.address.space, CST_TARMAC_REALM);
	rec = good("              00004000  ........ ........ ........ ......01", CST_TARMAC_MEMORY);
	assert_int_equal(rec->u.memory.write, 0);
	/* one that is wrong, after which there may be another; anything else in that column is what it is elsewhere */
	rec = read_line("              00003ff0  ........ ........ ........ ......x1");
	assert_int_equal(rec->kind, CST_TARMAC_OTHER);
	assert_int_equal(rec->error, -CST_ERR_SYNTAX);
	assert_int_equal(rec->flags, CST_TARMAC_TIME_BEFORE);
	assert_int_equal(cst_tarmac_write(rec, CST_TARMAC_FAST_MODELS, NULL, 0), -CST_ERR_UNSUP);
	assert_int_equal(cst_tarmac_write(rec, CST_TARMAC_ES, NULL, 0), -CST_ERR_UNSUP);
	good("              00003fe0  ........ ........ ........ ......01", CST_TARMAC_MEMORY);
	rec = good("              R 00003fd0 1", CST_TARMAC_REG);
	says(rec->u.reg.name, "00003fd0");
	good("  3981 tic LD 00004020  ........ 626d654d 2043424d 4545203e", CST_TARMAC_MEMORY);
	rec = read_line("              0000401x  ........ ........ ........ ......01");
	assert_int_equal(rec->kind, CST_TARMAC_OTHER);
	assert_int_equal(rec->error, 0);
	good("  R X0 00000000", CST_TARMAC_REG);
	rec = read_line("              00004010  3e000a73 ........ ........ ........");
	assert_int_equal(rec->kind, CST_TARMAC_OTHER);
	assert_int_equal(rec->time, 4010);
}

static void test_bus(void **state)
{
	const struct cst_tarmac_bus *b = &good("31 clk cpu0 BR4D__S I__C__ O_RC_S 3 000080008000 b4290001", CST_TARMAC_BUS)->u.bus;

	(void)state;
	assert_int_equal(b->write, 0);
	assert_int_equal(b->size, 4);
	assert_int_equal(b->fetch, 0);
	assert_int_equal(b->access, 0);
	assert_int_equal(b->privileged, 0);
	assert_int_equal(b->nonsecure, 0);
	assert_int_equal(b->inner, CST_TARMAC_CACHEABLE);
	assert_int_equal(b->outer, CST_TARMAC_READ_ALLOCATE | CST_TARMAC_CACHEABLE | CST_TARMAC_SHAREABLE);
	says(b->master, "3");
	assert_int_equal(b->address, 0x80008000);
	assert_int_equal(b->data[0], 0xb4);
	assert_int_equal(b->data[3], 1);
	b = &good("31 clk BW8IXPN IWRCBS O_____ cpu0.port 8000 0011223344556677", CST_TARMAC_BUS)->u.bus;
	assert_int_equal(b->fetch, 1);
	assert_int_equal(b->access, CST_TARMAC_EXCLUSIVE);
	assert_int_equal(b->privileged, 1);
	assert_int_equal(b->nonsecure, 1);
	assert_int_equal(b->inner, 31);
	assert_int_equal(b->outer, 0);
	assert_int_equal(good("31 clk BW1DL_S I_____ O_____ 1 8000 00", CST_TARMAC_BUS)->u.bus.access, CST_TARMAC_LOCKED);
}

static void test_events(void **state)
{
	static const char *const others[] = { "MAR 8000 00", "MAx4 8000 00", "MaR4 8000 00", "M8R4 8000 00", "Main loop", "MRx 8000 00",
					      "MUx 1", "AR4 8000 00", "BRx 1", "BX4 1", "R034 8000", "R14 8000", "X04 8000", "EXD [1] Reset",
					      "TTX 1", "TLC 1", "CACHF 1", "WALKCACHF 1", "reset 1", "IX 1", "LS 8000", "A 1" };
	const struct cst_tarmac_event *e = &good("2278 clk cpu0 E 00000000 EL2h 00000019 CoreEvent_ModeChange", CST_TARMAC_EVENT)->u.event;
	const struct cst_tarmac_record *rec;
	size_t i;

	(void)state;
	assert_int_equal(e->has_value, 1);
	assert_int_equal(e->mode.kind, CST_TARMAC_EL);
	assert_int_equal(e->mode.el, 2);
	assert_int_equal(e->number, CST_TARMAC_E_MODE_CHANGE);
	says(e->name, "CoreEvent_ModeChange");
	e = &good("1 clk E 000a7238:0000100a7238_NS 00000088 CoreEvent_LOWER_64_SYNC", CST_TARMAC_EVENT)->u.event;
	assert_int_equal(e->value.physical, 0x100a7238);
	assert_int_equal(e->has_value1, 0);
	assert_int_equal(e->value1, 0);
	assert_int_equal(e->number, 0x88);
	e = &good("1 clk E 00008000 00000011 00000003 CoreEvent_SWI", CST_TARMAC_EVENT)->u.event;
	assert_int_equal(e->value1, 0x11);
	assert_int_equal(e->has_value1, 1);
	assert_int_equal(e->number, CST_TARMAC_E_SWI);
	e = &good("1 clk E DebugEvent_HaltingDebugState 00000000", CST_TARMAC_EVENT)->u.event;
	assert_int_equal(e->has_value, 0);
	says(e->name, "DebugEvent_HaltingDebugState");
	says(e->text, "00000000");
	rec = good("4541 clk CADI E simulation_stopped", CST_TARMAC_EVENT);
	says(rec->cpu, "CADI");
	rec = good("      17000 ns  ES  EXC [0x200] Synchronous Current EL with SP_ELx", CST_TARMAC_EVENT);
	assert_int_equal(rec->dialect, CST_TARMAC_ES);
	assert_int_equal(rec->u.event.number, 0x200);
	says(rec->u.event.name, "Synchronous Current EL with SP_ELx");
	rec = good("      15000 ps  ES  EXC [1] Reset", CST_TARMAC_EVENT);
	assert_int_equal(rec->u.event.number, 1);
	assert_int_equal(good("     EXC Reset", CST_TARMAC_EVENT)->u.event.has_number, 0);
	says(good("     12345 ns  ES  Reset", CST_TARMAC_EVENT)->u.event.name, "Reset");
	says(good("     12345 ns  Reset", CST_TARMAC_EVENT)->u.event.name, "Reset");
	assert_int_equal(good("Reset button pressed", CST_TARMAC_OTHER)->error, 0);
	/* words that only begin like the name of a record are of other lines */
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (read_line(others[i])->kind != CST_TARMAC_OTHER || read_line(others[i])->error)
			fail_msg("%s: kind %d", others[i], read_line(others[i])->kind);
}

static void test_caches(void **state)
{
	const struct cst_tarmac_maintenance *m;
	const struct cst_tarmac_cache *c;
	const struct cst_tarmac_walk *w;
	const struct cst_tarmac_tlb *t;

	(void)state;
	m = &good("1 clk cpu0 CACHE MAINTENANCE Data cache Clean and Invalidate By MVA to PoC 00008000:000000009000_NS 16K Normal NonShareable",
		  CST_TARMAC_MAINTENANCE)->u.maintenance;
	says(m->side, "Data cache");
	says(m->operation, "Clean and Invalidate");
	says(m->scope, "By MVA to PoC");
	assert_int_equal(m->data.physical, 0x9000);
	says(m->region, "16K Normal NonShareable");
	m = &good("1 clk cpu0 CACHE MAINTENANCE Instruction Invalidate All to PoU 00000000", CST_TARMAC_MAINTENANCE)->u.maintenance;
	says(m->side, "Instruction");
	says(m->region, "");
	c = &good("1947 clk cpu0 CACHE cpu.cpu0.l1icache LINE 0096 ALLOC 0x0000152112c0_NS", CST_TARMAC_CACHE)->u.cache;
	says(c->id, "cpu.cpu0.l1icache");
	assert_int_equal(c->line, 0x96);
	says(c->operation, "ALLOC");
	assert_int_equal(c->address, 0x152112c0);
	assert_int_equal(c->nonsecure, 1);
	w = &good("1 clk cpu0 TTW ITLB LPAE 1:3 000016390010 00000000152204c3 : BLOCK ATTRIDX=0 NS=0", CST_TARMAC_WALK)->u.walk;
	says(w->side, "ITLB");
	says(w->format, "LPAE");
	assert_int_equal(w->stage, 1);
	assert_int_equal(w->level, 3);
	assert_int_equal(w->address, 0x16390010);
	assert_int_equal(w->data, 0x152204c3);
	says(w->result, "BLOCK");
	says(w->attributes, "ATTRIDX=0 NS=0");
	assert_int_equal(good("1 clk cpu0 TTU DTLB VMSA 2:1 0 0 : ABORTED", CST_TARMAC_WALK)->u.walk.update, 1);
	t = &good("1 clk cpu0 TLB FILL cpu.cpu0.ITLB 64K 0x00020000, nG asid=7:0x0015220000_NS Normal NonShareable Inner=WriteBack Outer=WriteBack "
		  "xn=0 pxn=0 ContiguousHint =0", CST_TARMAC_TLB)->u.tlb;
	says(t->id, "cpu.cpu0.ITLB");
	assert_int_equal(t->size, 65536);
	assert_int_equal(t->base, 0x20000);
	says(t->regime, "");
	assert_int_equal(t->has_vmid, 0);
	assert_int_equal(t->has_asid, 1);
	assert_int_equal(t->asid, 7);
	assert_int_equal(t->physical, 0x15220000);
	assert_int_equal(t->physical_nonsecure, 1);
	says(t->type, "Normal NonShareable Inner=WriteBack Outer=WriteBack");
	says(t->attributes, "xn=0 pxn=0 ContiguousHint =0");
	t = &good("1 clk cpu0 TLB FILL d 2M 0x13000000_NS EL1_n vmid=5:0x0013000000_NS Device-nGnRnE (StronglyOrdered) xn=1", CST_TARMAC_TLB)->u.tlb;
	says(t->regime, "EL1_n");
	assert_int_equal(t->vmid, 5);
	assert_int_equal(t->nonsecure, 1);
	says(t->type, "Device-nGnRnE (StronglyOrdered)");
	says(t->attributes, "xn=1");
	assert_int_equal(good("1 clk cpu0 TLB FILL d 4096 0x13000000 vmid=6:0x0013000000 Device-GRE xn=1", CST_TARMAC_TLB)->u.tlb.size, 4096);
	t = &good("1 clk cpu0 TLB FILL d 2M 0x13000000 vmid=6:0x0013000000 Device-GRE xn=1", CST_TARMAC_TLB)->u.tlb;
	says(t->regime, "");
	assert_int_equal(t->has_vmid, 1);
	assert_int_equal(t->vmid, 6);
	assert_int_equal(t->physical, 0x13000000);
	says(t->type, "Device-GRE");
	says(t->attributes, "xn=1");
	t = &good("1 clk cpu0 WALKCACHE EVICT w huge 0x13000000 EL3_s", CST_TARMAC_TLB)->u.tlb;
	assert_int_equal(t->walk_cache, 1);
	assert_int_equal(t->evict, 1);
	assert_int_equal(t->size, 0);
	says(t->size_text, "huge");
}

/* Sizes of translated regions, up to the largest of 64 bits; 0 for any other text, which is kept. */
static void test_region_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t size;
	} sizes[] = {
		{ "0", 0 }, { "1", 1 }, { "1K", 1024 }, { "3M", 3 << 20 }, { "5G", 5ull << 30 }, { "7T", 7ull << 40 },
		{ "16777215T", 16777215ull << 40 }, { "16777216T", 0 }, { "17179869183G", 17179869183ull << 30 }, { "17179869184G", 0 },
		{ "4294967295", 4294967295 }, { "42949672959", 42949672959 }, { "429496729600", 0 },
		{ "1k", 0 }, { "4KB", 0 }, { "K", 0 }, { "4x", 0 }, { "0x1000", 0 }, { "1KK", 0 },
	};
	const struct cst_tarmac_tlb *t;
	char line[96];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(line, sizeof(line), "1 clk cpu0 WALKCACHE EVICT w %s 0x13000000 EL3_s", sizes[i].text);
		t = &good(line, CST_TARMAC_TLB)->u.tlb;
		says(t->size_text, sizes[i].text);
		if (t->size != sizes[i].size)
			fail_msg("%s: %" PRIu64, sizes[i].text, t->size);
	}
}

/* Each record says in whose words it is, whatever the line before was. */
static void test_dialects(void **state)
{
	static const struct { const char *line; int kind, dialect; } rows[] = {
		{ "1 clk IT (1) 00008000 e8900c00 A svc_s : LDM", CST_TARMAC_INSN, CST_TARMAC_FAST_MODELS },
		{ "1 ns BR (00009000) A", CST_TARMAC_FLOW, CST_TARMAC_ES },
		{ "1 clk FD (1) 8000 9000 A", CST_TARMAC_FLOW, CST_TARMAC_FAST_MODELS },
		{ "3039 cyc MNW4___D 2002fa00 efbeadde", CST_TARMAC_MEMORY, CST_TARMAC_RTL },
		{ "1 clk MR4 8000 00000001", CST_TARMAC_MEMORY, CST_TARMAC_FAST_MODELS },
		{ "1 cs W04 X ffffffbdc3c15c30 010c010b", CST_TARMAC_MEMORY, CST_TARMAC_BRACKETS },
		{ "1 clk R r0 1", CST_TARMAC_REG, CST_TARMAC_FAST_MODELS },
		{ "   LD 000000007ff80fe0 ........ 44444444 ........ 2222##11", CST_TARMAC_MEMORY, CST_TARMAC_ES },
		{ "1 clk MW4X 00008000 00000001", CST_TARMAC_MEMORY, CST_TARMAC_FAST_MODELS },
		{ "1 ns ES EXC [0x200] Synchronous", CST_TARMAC_EVENT, CST_TARMAC_ES },
		{ "1 clk E 00008000 00000011 00000003 CoreEvent_SWI", CST_TARMAC_EVENT, CST_TARMAC_FAST_MODELS },
	};
	const struct cst_tarmac_record *rec;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rec = good(rows[i].line, (enum cst_tarmac_kind)rows[i].kind);
		if (rec->dialect != rows[i].dialect)
			fail_msg("%s: dialect %d, not %d", rows[i].line, rec->dialect, rows[i].dialect);
	}
}

static void test_times(void **state)
{
	static const char *const units[] = { "clk", "cyc", "tic", "cs", "fs", "ps", "ns", "us", "ms", "s" };
	const struct cst_tarmac_record *rec;
	char line[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(line, sizeof(line), "%zu %s R r0 1", i, units[i]);
		rec = good(line, CST_TARMAC_REG);
		assert_int_equal(rec->time, i);
		assert_int_equal(rec->unit, i + 1);
		assert_string_equal(cst_tarmac_unit_text((enum cst_tarmac_unit)rec->unit), units[i]);
		snprintf(line, sizeof(line), "\t%zu%s\tcpu3  R  r0\t1\t", i + 10, units[i]);
		rec = good(line, CST_TARMAC_REG);
		assert_int_equal(rec->time, i + 10);
		assert_int_equal(rec->unit, i + 1);
		says(rec->cpu, "cpu3");
	}
	assert_string_equal(cst_tarmac_unit_text(CST_TARMAC_NO_UNIT), "");
	assert_null(cst_tarmac_unit_text(CST_TARMAC_UNITS));
	good("77 ns R r0 1", CST_TARMAC_REG);
	rec = good("    R r0 1", CST_TARMAC_REG);
	assert_int_equal(rec->time, 77);
	assert_int_equal(rec->unit, CST_TARMAC_NS);
	assert_int_equal(rec->flags, CST_TARMAC_TIME_BEFORE);
	rec = good("cpu2 R r0 1", CST_TARMAC_REG);
	says(rec->cpu, "cpu2");
	rec = good("78 R r0 1", CST_TARMAC_REG);
	assert_int_equal(rec->unit, CST_TARMAC_NO_UNIT);
	rec = good("79 clk core.big.0 R r0 1", CST_TARMAC_REG);
	says(rec->cpu, "core.big.0");
	assert_int_equal(good("18446744073709551615 clk R r0 1", CST_TARMAC_REG)->time, UINT64_MAX);
	good("0 clk R r0 1", CST_TARMAC_REG);
}

static void test_other(void **state)
{
	const struct cst_tarmac_record *rec = good("2278 clk cpu0 SIGNAL: SIGNAL=DebugReset STATE=N", CST_TARMAC_OTHER);

	(void)state;
	assert_int_equal(rec->time, 2278);
	says(rec->cpu, "cpu0");
	says(rec->text, "SIGNAL: SIGNAL=DebugReset STATE=N");
	rec = good("TUBE CPU0: >>CPU0: R u there", CST_TARMAC_OTHER);
	says(rec->text, "TUBE CPU0: >>CPU0: R u there");
	assert_int_equal(rec->flags, CST_TARMAC_TIME_BEFORE);
	assert_int_equal(rec->time, 2278);
	says(good("12 clk", CST_TARMAC_OTHER)->text, "");
	says(good("12 monkeys", CST_TARMAC_OTHER)->text, "monkeys");
	says(good("12:34 noon", CST_TARMAC_OTHER)->text, "12:34 noon");
	says(good("5abc", CST_TARMAC_OTHER)->text, "5abc");
	good("R: a message", CST_TARMAC_OTHER);
	good("Tarmac Text Rev 3t", CST_TARMAC_HEADER);
	good("13 clk INFO_EXCEPTION_REASON something", CST_TARMAC_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instruction),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_es),
		cmocka_unit_test(test_addresses_in_brackets),
		cmocka_unit_test(test_no_instruction_set),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_diagrams),
		cmocka_unit_test(test_bus),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_caches),
		cmocka_unit_test(test_region_sizes), cmocka_unit_test(test_dialects), cmocka_unit_test(test_times),
		cmocka_unit_test(test_other),
	};

	return cmocka_run_group_tests(tests, lines_begin, lines_end);
}
