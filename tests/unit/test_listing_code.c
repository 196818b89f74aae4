/* SPDX-License-Identifier: BSD-3-Clause */
/* Instructions in lines: their bytes and text, and the code that a branch stack passed, in memory that is made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/locate.h"
#include "images/dso.h"
#include "listing/code.h"

#define CODE	0x1000u
#define HIGH	(1ull << 32)	/* the same code is here, too */
#define MOST	16384u	/* bytes between the first and the last instruction of a block that is shown, as in listing/code.c */

static uint8_t code[MOST + 0x3000];
static size_t code_len;
static struct dso prog = { .path = "/bin/prog", .symbols_read = true };
static const struct cst_config config = { .protocol = CST_PROTO_ETMV4, .profile = CST_PROFILE_A };
static const struct stream stream = { .tid = 7, .config = &config };

/* ---- what lines are made of ---------------------------------------------------------------------- */

size_t __wrap_session_read_any(const struct stream *s, uint64_t addr, void *buf, size_t len);
bool __wrap_session_locate_any(const struct stream *s, uint64_t addr, struct session_loc *loc);
bool __wrap_session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
			   uint64_t *offset);
const char *__wrap_disasm_text(struct disasm *d, enum cst_isa isa, enum cst_profile profile, uint64_t addr, uint32_t opcode,
			       unsigned int size);
const char *__wrap_srclines_text(struct srclines *t, const struct dso *dso, uint64_t offset);

size_t __wrap_session_read_any(const struct stream *s, uint64_t addr, void *buf, size_t len)
{
	const uint64_t at = (addr & ~HIGH) - CODE;
	size_t n;

	assert_ptr_equal(s, &stream);
	if (at >= code_len)
		return 0;
	n = code_len - at < len ? code_len - at : len;
	memcpy(buf, code + at, n);
	return n;
}

bool __wrap_session_locate_any(const struct stream *s, uint64_t addr, struct session_loc *loc)
{
	(void)s;
	*loc = (struct session_loc){ .dso = &prog, .offset = addr - CODE };
	return true;
}

/* Functions f, g, f ... of 256 bytes; none from 0x1800 to 0x18ff. */
bool __wrap_session_symbol(const struct stream *s, uint64_t addr, const struct session_loc *loc, const char **name,
			   uint64_t *offset)
{
	static const char *const names[] = { "f", "g" };

	(void)s;
	assert_int_equal(loc->offset, addr - CODE);
	*name = names[addr >> 8 & 1];
	*offset = addr & 0xff;
	return addr >> 8 != 0x18;
}

/* Undefined instructions have no text. */
const char *__wrap_disasm_text(struct disasm *d, enum cst_isa isa, enum cst_profile profile, uint64_t addr, uint32_t opcode,
			       unsigned int size)
{
	static char text[64];

	assert_ptr_equal(d, &prog);
	assert_int_equal(profile, CST_PROFILE_A);
	snprintf(text, sizeof(text), "%s %llx %x %u", isa == CST_ISA_A64 ? "A64" : isa == CST_ISA_A32 ? "A32" : "T32",
		 (unsigned long long)addr, opcode, size);
	return opcode ? text : "";
}

const char *__wrap_srclines_text(struct srclines *t, const struct dso *dso, uint64_t offset)
{
	static char text[32];

	(void)t;
	assert_ptr_equal(dso, &prog);
	snprintf(text, sizeof(text), "prog.c:%u", (unsigned int)offset);
	return text;
}

static struct disasm *disassembler(void)
{
	return (struct disasm *)(void *)&prog;
}

static void put(uint64_t addr, uint32_t opcode)
{
	memcpy(code + (addr - CODE), &opcode, 4);
}

static void put16(uint64_t addr, uint16_t opcode)
{
	memcpy(code + (addr - CODE), &opcode, 2);
}

/* All of the code is A64's NOP. */
static int fill(void **state)
{
	uint64_t at;

	(void)state;
	code_len = sizeof(code);
	for (at = CODE; at < CODE + sizeof(code); at += 4)
		put(at, 0xd503201f);
	return 0;
}

/* ---- lines --------------------------------------------------------------------------------------- */

struct output {
	char *text;
	size_t len;
};

static void take(void *data, const void *text, size_t len)
{
	struct output *o = data;

	o->text = realloc(o->text, o->len + len + 1);
	assert_non_null(o->text);
	memcpy(o->text + o->len, text, len);
	o->len += len;
	o->text[o->len] = 0;
}

static const struct stack {
	const struct ring_entry *newest;
	uint32_t n;
	uint64_t ip;
} no_stack;

/* The text of one instruction, or of the code of a stack, with these fields; its end of line is left out. */
static char *shown(unsigned int fields, uint64_t addr, unsigned int size, enum cst_isa isa, const struct stack *stack)
{
	struct output o = { .len = 0 };
	const struct merge_sink sink = { .write = take, .data = &o };
	struct merge *m = merge_new(&sink, NULL);
	struct merge_lane *lane = merge_lane_new(m, 0, 0);
	struct line *l = calloc(1, sizeof(*l));
	struct line_last last = { .addr = 0 };
	struct ring_entry e[4];
	struct ring r = { .e = e, .size = 4 };
	uint32_t i;

	assert_non_null(l);
	assert_int_equal(merge_direct(m, lane), 0);
	l->fields = fields;
	symbols_begin(&l->symbols);
	line_begin(l, lane, &last, 1);
	if (stack == &no_stack) {
		code_insn(l, fields & LIST_DISASM ? disassembler() : NULL, &stream, addr, size, isa);
	} else {
		for (i = stack->n; i--;)
			ring_push_flags(&r, stack->newest[i].from, stack->newest[i].to, ring_cycles((uint32_t)stack->newest[i].flags));
		code_stack(l, disassembler(), &stream, &r, stack->ip, isa);
	}
	line_end(l);
	assert_int_equal(merge_finish(m), 0);
	merge_free(m);
	free(l);
	assert_int_equal(o.text[o.len - 1], '\n');
	o.text[o.len - 1] = 0;
	return o.text;
}

static void assert_shown(char *got, const char *want)
{
	assert_string_equal(got, want);
	free(got);
}

static void assert_stack(unsigned int fields, enum cst_isa isa, const struct ring_entry *newest, uint32_t n, uint64_t ip,
			 const char *want)
{
	assert_shown(shown(fields, 0, 0, isa, &(struct stack){ newest, n, ip }), want);
}

/* ---- one instruction ----------------------------------------------------------------------------- */

static void instructions(void **state)
{
	static const struct {
		unsigned int fields, size;
		enum cst_isa isa;
		uint64_t addr;
		const char *want;
	} row[] = {
		{ LIST_IP, 4, CST_ISA_A64, 0x1000, "" },
		{ LIST_INSNLEN, 4, CST_ISA_A64, 0x1000, " ilen: 4" },
		{ LIST_INSNLEN | LIST_INSN | LIST_DISASM, 0, CST_ISA_A64, 0x1000, " ilen: 0" },
		{ LIST_INSN, 4, CST_ISA_A64, 0x1000, " insn: 1f 20 03 d5" },
		{ LIST_INSN, 4, CST_ISA_A32, 0x1000, " insn: 1f 20 03 d5" },
		{ LIST_DISASM, 4, CST_ISA_A64, 0x1000, "\t\tA64 1000 d503201f 4" },
		{ LIST_INSN | LIST_DISASM, 4, CST_ISA_A32, 0x1000, " insn: 1f 20 03 d5\t\tA32 1000 d503201f 4" },
		/* undefined, but not unknown */
		{ LIST_DISASM, 4, CST_ISA_A64, 0x1004, "\t\tinsn: 00 00 00 00" },
		/* BX LR and BL */
		{ LIST_INSN | LIST_DISASM, 2, CST_ISA_T32, 0x1008, " insn: 70 47\t\tT32 1008 4770 2" },
		{ LIST_INSN | LIST_DISASM, 2, CST_ISA_TEE, 0x1008, " insn: 70 47\t\tT32 1008 4770 2" },
		{ LIST_INSN | LIST_DISASM, 4, CST_ISA_T32, 0x100a, " insn: ff f7 fe ef\t\tT32 100a f7ffeffe 4" },
		/* at the end of what is known */
		{ LIST_INSN, 4, CST_ISA_T32, 0x1010, " insn: ff f7 fe ef" },
		{ LIST_INSN, 2, CST_ISA_T32, 0x1014, " insn: 70 47" },
		{ LIST_INSN, 4, CST_ISA_A32, 0x1014, "" },
		{ LIST_INSN, 2, CST_ISA_T32, 0x1015, "" },
		{ LIST_INSN | LIST_INSNLEN, 4, CST_ISA_A64, 0x1016, " ilen: 4" },
	};
	size_t i;

	(void)state;
	put(0x1004, 0);
	put16(0x1008, 0x4770);
	put(0x100a, 0xeffef7ff);
	put(0x1010, 0xeffef7ff);
	put16(0x1014, 0x4770);
	code_len = 0x16;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_shown(shown(row[i].fields, row[i].addr, row[i].size, row[i].isa, &no_stack), row[i].want);
	/* the first half of an instruction */
	code_len = 0x12;
	assert_shown(shown(LIST_INSN, 0x1010, 4, CST_ISA_T32, &no_stack), "");
}

/* ---- branch stacks ------------------------------------------------------------------------------- */

#define LINE(addr)	"\t000000000000" addr "\tinsn: 1f 20 03 d5\n"
#define BRANCH(addr)	"\t000000000000" addr "\tinsn: 1f 20 03 d5             \t# PRED"

/* From the oldest branch to the sample; the third number of an entry are its cycles. */
static void stack_of_a64(void **state)
{
	static const struct ring_entry e[] = { { 0x110c, 0x1020, 0 }, { 0x1010, 0x1100, 8 }, { 0x1208, 0x1010, 7 } };

	(void)state;
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, e, 0, 0x1024, "");
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, e, 3, 0x1028,
		     "\n"
		     "\tf+8:\n" BRANCH("1208") " 7 cycles [7]\n"
		     BRANCH("1010") " 8 cycles [15] 0.12 IPC\n"
		     "\tg:\n" LINE("1100") LINE("1104") LINE("1108") BRANCH("110c") "\n"
		     "\tf+32:\n" LINE("1020") LINE("1024") LINE("1028"));
	/* the ring has room for four, and keeps the newest */
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64,
		     (const struct ring_entry[]){ { 0x1004, 0x1100, 1 }, { 0x1104, 0x1004, 2 }, { 0x1008, 0x1104, 3 },
						  { 0x1108, 0x1004, 4 }, { 0x1208, 0x1010, 7 } }, 5, 0x1100,
		     "\n"
		     "\tg+8:\n" BRANCH("1108") " 4 cycles [4]\n"
		     "\tf+4:\n" LINE("1004") BRANCH("1008") " 3 cycles [7] 0.67 IPC\n"
		     "\tg+4:\n" BRANCH("1104") " 2 cycles [9] 0.50 IPC\n"
		     "\tf+4:\n" BRANCH("1004") " 1 cycles [10] 1.00 IPC\n"
		     "\tg:\n" LINE("1100"));
}

static void text_and_source_lines(void **state)
{
	static const struct ring_entry e[] = { { 0x1010, 0x1100, 0 } };

	(void)state;
	assert_stack(LIST_BRSTACKINSN | LIST_BRSTACKDISASM, CST_ISA_A64, e, 1, 0x1100,
		     "\n\tf+16:\n\t0000000000001010\tA64 1010 d503201f 4           \t# PRED\n"
		     "\tg:\n\t0000000000001100\tA64 1100 d503201f 4\n");
	assert_stack(LIST_BRSTACKINSN | LIST_SRCLINE, CST_ISA_A64, e, 1, 0x1100,
		     "\n\tf+16:\tprog.c:16\n\t0000000000001010\tinsn: 1f 20 03 d5             \t srcline: prog.c:16\t# PRED\n"
		     "\tg:\tprog.c:256\n" LINE("1100"));
}

/* Blocks whose code is not known, or that cannot be blocks. */
static void blocks(void **state)
{
	static const char first[] = "\n\tf+16:\n" BRANCH("1010") "\n";
	struct ring_entry e = { 0x1010, 0x17f8, 0 };
	size_t lines;
	char *text, *p;

	(void)state;
	/* code without a symbol */
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x1800,
		     "\n\tf+16:\n" BRANCH("1010") "\n\tg+248:\n" LINE("17f8") LINE("17fc") LINE("1800"));
	/* backward */
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x17f4, first);
	/* the sample is inside an instruction */
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x17fa,
		     "\n\tf+16:\n" BRANCH("1010") "\n\tg+248:\n" LINE("17f8") "\tmismatch of LBR data and executable\n");
	/* the longest block */
	e.to = 0x1000;
	text = shown(LIST_BRSTACKINSN, 0, 0, CST_ISA_A64, &(struct stack){ &e, 1, 0x1000 + MOST });
	for (lines = 0, p = text; (p = strstr(p, "insn:")); p++)
		lines++;
	assert_int_equal(lines, 1 + MOST / 4 + 1);
	free(text);
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x1000 + MOST + 4, first);
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x1000 + MOST + 1, first);
	/* code that ends in the block, and a branch without code */
	code_len = 0x18;
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x1020,
		     "\n\tf+16:\n" BRANCH("1010") "\n" LINE("1000") LINE("1004") LINE("1008") LINE("100c") LINE("1010") LINE("1014"));
	code_len = 0x10;
	assert_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x1000, "\n\tf:\n" LINE("1000"));
}

/*
 * The bytes of the branch at the end of a block that begins at `to`, in the stack of a sample of instruction set `isa`;
 * NULL: it is not shown.
 */
static void assert_branch(uint64_t to, uint64_t from, enum cst_isa isa, const char *want)
{
	const struct ring_entry e[2] = { { from, 0x5000, 0 }, { 0x5000, to, 0 } };
	char *text = shown(LIST_BRSTACKINSN, 0, 0, isa, &(struct stack){ e, 2, 0x4000 }), addr[24], *at, *end;

	snprintf(addr, sizeof(addr), "%016llx\tinsn:", (unsigned long long)from);
	at = strstr(text, addr);
	if (!want)
		assert_null(at);
	if (want) {
		assert_non_null(at);
		at += strlen(addr) + 1;
		end = strstr(at, "  ");
		assert_non_null(end);
		*end = 0;
		assert_string_equal(at, want);
	}
	free(text);
}

/* A branch stack does not say the instruction set of a block: it is the one in which a branch ends it. */
static void instruction_sets(void **state)
{
	(void)state;
	/* A32: MOV R0, R0; B */
	put(0x2000, 0xe1a00000);
	put(0x2004, 0xeafffffe);
	assert_branch(0x2000, 0x2004, CST_ISA_T32, "fe ff ff ea");
	assert_branch(0x2000, 0x2004, CST_ISA_A32, "fe ff ff ea");
	/* A32: BX LR */
	put(0x2008, 0xe12fff1e);
	assert_branch(0x2000, 0x2008, CST_ISA_T32, "1e ff 2f e1");
	/* T32: NOP; NOP; B; NOP */
	put(0x2100, 0xbf00bf00);
	put(0x2104, 0xbf00e7fe);
	assert_branch(0x2100, 0x2104, CST_ISA_A32, "fe e7");
	assert_branch(0x2100, 0x2104, CST_ISA_T32, "fe e7");
	/* T32: NOP.W; BX LR; NOP, and a BL behind them */
	put(0x2200, 0x8000f3af);
	put(0x2204, 0xbf004770);
	put(0x2208, 0xfffef7ff);
	assert_branch(0x2200, 0x2204, CST_ISA_A32, "70 47");
	assert_branch(0x2204, 0x2208, CST_ISA_A32, "ff f7 fe ff");
	/* halfwords are T32 */
	assert_branch(0x2102, 0x2104, CST_ISA_A32, "fe e7");
	put16(0x2302, 0xe7fe);
	assert_branch(0x2300, 0x2302, CST_ISA_A32, "fe e7");
	/* no branch in both */
	put(0x2400, 0xbf00bf00);
	put(0x2404, 0xbf00bf00);
	assert_branch(0x2400, 0x2400, CST_ISA_A32, "00 bf 00 bf");
	assert_branch(0x2400, 0x2400, CST_ISA_T32, "00 bf");
	assert_branch(0x2402, 0x2404, CST_ISA_A32, "00 bf");
	/* a branch in both: BLT of A32 is B.N of T32 in its first halfword */
	put(0x2500, 0xba00e7fe);
	assert_branch(0x2500, 0x2500, CST_ISA_A32, "fe e7 00 ba");
	assert_branch(0x2500, 0x2500, CST_ISA_T32, "fe e7");
	/* in T32 the last instruction would be inside another one, which a branch follows; there is no branch in A32, either */
	put(0x2600, 0xf3afbf00);
	put(0x2604, 0xe7fe8000);
	assert_branch(0x2600, 0x2604, CST_ISA_A32, "00 80 fe e7");
	assert_branch(0x2600, 0x2604, CST_ISA_T32, NULL);
	/* addresses of 64 bits */
	put(0x2700, 0x47704770);
	assert_branch(HIGH + 0x2700, HIGH + 0x2700, CST_ISA_T32, "70 47 70 47");
	assert_branch(0x2700, 0x2700, CST_ISA_A64, "70 47 70 47");
	assert_branch(0x2700, 0x2700, CST_ISA_T32, "70 47");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(instructions, fill), cmocka_unit_test_setup(stack_of_a64, fill),
		cmocka_unit_test_setup(text_and_source_lines, fill), cmocka_unit_test_setup(blocks, fill),
		cmocka_unit_test_setup(instruction_sets, fill),
	};

	return cmocka_run_group_tests_name("instructions in lines", tests, NULL, NULL);
}
