/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of lines that show code: instructions, branch stacks, the code that they passed, call chains and call trees, of code and
 * names that are made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/tasks/space.h"
#include "outputs/listing/callindent.h"
#include "outputs/listing/code.h"
#include "outputs/listing/stack.h"
#include "session/decode/locate.h"

#define CODE	0x1000u
#define UNKNOWN	0x9000u	/* an address of no file */
#define NO_FILE	0x9100u	/* one of memory that is no file's */
#define KERNEL	0xffff000008000000u
#define HIGH	(1ull << 32)	/* the same code is here, too */
#define MOST	16384u	/* bytes between the first and the last instruction of a block that is shown, as in listing/code.c */

static uint8_t code[MOST + 0x3000];
static size_t code_len;
static struct dso prog = { .path = "/bin/prog", .symbols_read = true }, kernel = { .path = "[kernel]", .symbols_read = true };
static unsigned int lookups;
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
	lookups++;
	*loc = (struct session_loc){ .dso = addr >> 63 ? &kernel : &prog, .offset = addr - CODE, .kernel = addr >> 63 };
	if (addr == NO_FILE)
		loc->dso = NULL;
	return addr != UNKNOWN;
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

/* A line that is printed with some fields. */
struct printing {
	struct output o;
	struct merge_sink sink;
	struct merge *m;
	struct line *l;
	struct line_last last;
};

static struct line *begin_line(struct printing *p, unsigned int fields)
{
	struct merge_lane *lane;

	*p = (struct printing){ .l = calloc(1, sizeof(*p->l)) };
	assert_non_null(p->l);
	p->sink = (struct merge_sink){ .write = take, .data = &p->o };
	p->m = merge_new(&p->sink, NULL);
	lane = merge_lane_new(p->m, 0, 0);
	assert_int_equal(merge_direct(p->m, lane), 0);
	p->l->fields = fields;
	p->l->symbols = calloc(1, sizeof(*p->l->symbols));
	assert_non_null(p->l->symbols);
	symbols_begin(p->l->symbols);
	line_begin(p->l, lane, &p->last, 1);
	return p->l;
}

/* The text of the line, without its end. */
static char *end_line(struct printing *p)
{
	line_end(p->l);
	assert_int_equal(merge_finish(p->m), 0);
	merge_free(p->m);
	free(p->l->symbols);
	free(p->l);
	assert_int_equal(p->o.text[p->o.len - 1], '\n');
	p->o.text[p->o.len - 1] = 0;
	return p->o.text;
}

static char *shown_insn(unsigned int fields, uint64_t addr, unsigned int size, enum cst_isa isa)
{
	struct printing p;

	code_insn(begin_line(&p, fields), fields & LIST_DISASM ? disassembler() : NULL, &stream, addr, size, isa);
	return end_line(&p);
}

/* The code of a branch stack whose entries have cycles in place of flags. */
static char *shown_stack(unsigned int fields, enum cst_isa isa, const struct ring_entry *newest, uint32_t n, uint64_t ip)
{
	struct ring_entry e[4];
	struct ring r = { .e = e, .size = 4 };
	struct printing p;

	while (n--)
		ring_push_flags(&r, newest[n].from, newest[n].to, ring_cycles((uint32_t)newest[n].flags));
	code_stack(begin_line(&p, fields), disassembler(), &stream, &r, ip, isa);
	return end_line(&p);
}

static void assert_shown(char *got, const char *want)
{
	assert_string_equal(got, want);
	free(got);
}

static void assert_stack(unsigned int fields, enum cst_isa isa, const struct ring_entry *newest, uint32_t n, uint64_t ip,
			 const char *want)
{
	assert_shown(shown_stack(fields, isa, newest, n, ip), want);
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
		{ LIST_INSN, 4, CST_ISA_A32, 0x1013, "" },
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
		assert_shown(shown_insn(row[i].fields, row[i].addr, row[i].size, row[i].isa), row[i].want);
	/* the first half of an instruction */
	code_len = 0x12;
	assert_shown(shown_insn(LIST_INSN, 0x1010, 4, CST_ISA_T32), "");
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
	text = shown_stack(LIST_BRSTACKINSN, CST_ISA_A64, &e, 1, 0x1000 + MOST);
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
	char *text = shown_stack(LIST_BRSTACKINSN, isa, e, 2, 0x4000), addr[24], *at, *end;

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

/* ---- stacks and trees ---------------------------------------------------------------------------- */

/* The entries of a stack: without code, as addresses or symbols. */
static void stack_text(void **state)
{
	static const char *const types[] = { "", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET", "COND_CALL",
					     "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "" };
	struct ring_entry e[2];
	struct ring r = { .e = e, .size = 2 };
	struct printing p;
	char want[96];
	unsigned int i;

	(void)state;
	stack_entries(begin_line(&p, LIST_BRSTACK), &stream, &r);
	assert_shown(end_line(&p), "");
	ring_push(&r, 0x1804, UNKNOWN, 0, 0);
	ring_push(&r, 0x1010, KERNEL + 0x1100, 4, 70000);
	stack_entries(begin_line(&p, LIST_BRSTACK), &stream, &r);
	assert_shown(end_line(&p), " 0x1010/0xffff000008001100/P/-/-/65535/CALL  0x1804/0x9000/P/-/-/0/ ");
	stack_entries(begin_line(&p, LIST_BRSTACK | LIST_DSO), &stream, &r);
	assert_shown(end_line(&p), " 0x1010(/bin/prog)/0xffff000008001100([kernel])/P/-/-/65535/CALL "
		     " 0x1804(/bin/prog)/0x9000([unknown])/P/-/-/0/ ");
	stack_entries(begin_line(&p, LIST_BRSTACKSYM), &stream, &r);
	assert_shown(end_line(&p), "f+0x10/g+0x0/P/-/-/65535/CALL [unknown]/[unknown]/P/-/-/0/ ");
	stack_entries(begin_line(&p, LIST_BRSTACKSYM | LIST_DSO), &stream, &r);
	assert_shown(end_line(&p), "f+0x10(/bin/prog)/g+0x0([kernel])/P/-/-/65535/CALL "
		     "[unknown](/bin/prog)/[unknown]([unknown])/P/-/-/0/ ");
	for (i = 0; i < 16; i++) {
		ring_clear(&r);
		ring_push(&r, 0x1000, 0x1004, i, 1);
		snprintf(want, sizeof(want), " 0x1000/0x1004/P/-/-/1/%s ", types[i]);
		stack_entries(begin_line(&p, LIST_BRSTACK), &stream, &r);
		assert_shown(end_line(&p), want);
	}
}

/* Addresses of user space are shown by their offset in the file, those of the last page are no addresses. */
static void call_chain(void **state)
{
	static const uint64_t chain[] = { 0x1010, (uint64_t)-128, (uint64_t)-4095, KERNEL + 0x1104, (uint64_t)-4096, UNKNOWN, 0x1804 };
	struct printing p;

	(void)state;
	stack_chain(begin_line(&p, LIST_IP), &stream, chain, 0);
	assert_shown(end_line(&p), "\n");
	stack_chain(begin_line(&p, LIST_IP), &stream, chain, 7);
	assert_shown(end_line(&p), "\n\t              10\n\tffff000008001104\n\tfffffffffffff000\n"
		     "\t            9000\n\t             804\n");
	stack_chain(begin_line(&p, LIST_IP | LIST_SYM | LIST_SYMOFF | LIST_DSO), &stream, chain, 7);
	assert_shown(end_line(&p), "\n\t              10 f+0x10 (/bin/prog)\n\tffff000008001104 g+0x4 ([kernel])\n"
		     "\tfffffffffffff000 f+0x0 ([kernel])\n\t            9000 [unknown] ([unknown])\n"
		     "\t             804 [unknown] (/bin/prog)\n");
	stack_chain(begin_line(&p, LIST_IP | LIST_SRCLINE), &stream, chain + 5, 2);
	assert_shown(end_line(&p), "\n\t            9000\n\t             804\n  prog.c:2052\n");
}

static void call_tree(void **state)
{
	/* the width stays until a line is longer, or much shorter */
	static const struct {
		struct branch b;
		unsigned int depth, width;
		const char *text;
	} row[] = {
		{ { .kind = BRANCH_UNCOND, .from = 0x1000, .to = 0x1100 }, 1, 0, "" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1100 }, 1, 32, "    g" },
		{ { .kind = BRANCH_UNCOND, .from = 0x1000, .to = 0x1100 }, 1, 32, "" },
		{ { .kind = BRANCH_RET, .from = 0x1000, .to = 0x1100 }, 0, 32, "    f" },
		{ { .kind = BRANCH_BEGIN, .to = 0x1100 }, 0, 32, "g" },
		{ { .kind = BRANCH_END, .from = 0x1000 }, 2, 32, "        f" },
		{ { .kind = BRANCH_IND_CALL, .from = 0x1000, .to = 0x1804 }, 0, 32, "            1804" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1804 }, 4, 32, "                            1804" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1100 }, 8, 64, "                                g" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1100 }, 3, 64, "            g" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1100 }, 2, 32, "        g" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1804 }, 5, 64, "                                1804" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1100 }, 18, 96,
		  "                                                                        g" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1804 }, 7, 96, "                                        1804" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1804 }, 3, 32, "                        1804" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1100 }, 18, 96,
		  "                                                                        g" },
		{ { .kind = BRANCH_CALL, .from = 0x1000, .to = 0x1100 }, 7, 64, "                            g" },
	};
	unsigned int spacing = 0;
	struct printing p;
	char want[160];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		callindent_put(begin_line(&p, LIST_CALLINDENT), &stream, &row[i].b, row[i].depth, &spacing);
		assert_int_equal(spacing, row[i].width);
		snprintf(want, sizeof(want), "%-*s", (int)spacing, row[i].text);
		assert_shown(end_line(&p), want);
	}
	/* the file in front, unless it is printed with an address */
	callindent_put(begin_line(&p, LIST_CALLINDENT | LIST_DSO), &stream, &row[1].b, 1, &spacing);
	assert_int_equal(spacing, 32);
	snprintf(want, sizeof(want), "(%-50s)\t%-32s", "/bin/prog", row[1].text);
	assert_shown(end_line(&p), want);
	callindent_put(begin_line(&p, LIST_CALLINDENT | LIST_DSO), &stream,
		       &(struct branch){ .kind = BRANCH_CALL, .from = UNKNOWN, .to = 0x1100 }, 1, &spacing);
	snprintf(want, sizeof(want), "(%-50s)\t%-32s", "[unknown]", row[1].text);
	assert_shown(end_line(&p), want);
	callindent_put(begin_line(&p, LIST_CALLINDENT | LIST_DSO | LIST_ADDR), &stream, &row[1].b, 1, &spacing);
	snprintf(want, sizeof(want), "%-32s", row[1].text);
	assert_shown(end_line(&p), want);
	callindent_put(begin_line(&p, LIST_CALLINDENT | LIST_DSO | LIST_IP), &stream, &row[1].b, 1, &spacing);
	assert_shown(end_line(&p), want);
}

/* ---- names --------------------------------------------------------------------------------------- */

/* An address is looked up once, until names of its file may be known, or its address space is another one. */
static void lookups_of_names(void **state)
{
	static const uint64_t addr[] = { 0x1010, KERNEL + 0x1100, UNKNOWN };
	struct version user = { .serial = 1 }, other = { .serial = 2 };
	struct symbols *sy = calloc(1, sizeof(*sy));
	struct stream s = stream;
	const struct symbol_at *at;
	uint64_t seen;
	unsigned int i, k, read;

	(void)state;
	assert_non_null(sy);
	symbols_begin(sy);
	assert_null(symbols_find(sy, &s, 0)->names.dso);
	at = symbols_find(sy, &s, NO_FILE);
	assert_null(at->names.dso);
	assert_null(at->names.name);
	assert_int_equal(at->shown, NO_FILE);
	for (read = 0; read < 2; read++) {
		prog.symbols_read = kernel.symbols_read = read;
		for (i = 0; i < 3; i++) {
			for (k = 0; k < 4; k++) {
				if (k % 2 == 0)
					symbols_begin(sy);
				lookups = 0;
				at = symbols_find(sy, &s, addr[i]);
				assert_int_equal(lookups, k % 2 == 0 && (k == 0 || !read || i == 2));
				if (k)
					assert_int_equal(at->lookup == seen, !lookups);
				seen = at->lookup;
				if (i < 2) {
					assert_string_equal(at->names.dso, i ? "[kernel]" : "/bin/prog");
					assert_string_equal(at->names.name, i ? "g" : "f");
					assert_int_equal(at->names.dso_plain, strlen(at->names.dso));
					assert_int_equal(at->names.name_plain, 1);
				} else {
					assert_null(at->names.dso);
				}
			}
		}
	}
	s.code = &user;
	for (i = 0; i < 4; i++) {
		lookups = 0;
		if (i == 2)
			s.code = &other;
		symbols_find(sy, &s, 0x1010);
		assert_int_equal(lookups, i % 2 == 0);
	}
	/* the user space is the same while the kernel runs */
	s.other = s.code;
	s.code = NULL;
	s.kernel = true;
	lookups = 0;
	symbols_find(sy, &s, 0x1010);
	assert_int_equal(lookups, 0);
	s.code = &user;
	symbols_find(sy, &s, 0x1010);
	assert_int_equal(lookups, 1);
	/* neither space is known, then that of the kernel alone */
	s.code = s.other = NULL;
	symbols_find(sy, &s, 0x1010);
	assert_int_equal(lookups, 2);
	s.code = &user;
	symbols_find(sy, &s, 0x1010);
	assert_int_equal(lookups, 3);
	free(sy);
}

/* Two addresses that have the same place in the cache: each line has the name of its own. */
static void shared_place(void **state)
{
	const uint64_t first = 0x1010;
	uint64_t second = first + 4;
	struct printing p;
	struct line *l;

	(void)state;
	while (symbols_number(second) != symbols_number(first) || !(second >> 8 & 1))
		second += 4;
	assert_int_not_equal(second, UNKNOWN);
	l = begin_line(&p, LIST_IP | LIST_SYM);
	line_names(l, &stream, first, stream.tid);
	line_names(l, &stream, second, stream.tid);
	line_names(l, &stream, second, stream.tid);
	line_names(l, &stream, first, stream.tid);
	assert_shown(end_line(&p), " f g g f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(instructions, fill), cmocka_unit_test_setup(stack_of_a64, fill),
		cmocka_unit_test_setup(text_and_source_lines, fill), cmocka_unit_test_setup(blocks, fill),
		cmocka_unit_test_setup(instruction_sets, fill), cmocka_unit_test(stack_text), cmocka_unit_test(call_chain),
		cmocka_unit_test(call_tree), cmocka_unit_test(lookups_of_names),
		cmocka_unit_test(shared_place),
	};

	return cmocka_run_group_tests_name("instructions in lines", tests, NULL, NULL);
}
