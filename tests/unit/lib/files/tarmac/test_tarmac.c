/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_tarmac.c - lines of Tarmac text → records, against tests/data/tables/tarmac-lines.txt: every
 * kind of record, each dialect, times, processors, names of registers, and lines that are wrong
 * with the column of what is. A new line goes into the file; its record is written behind it by
 * `REBASE=1 build/tests/unit/lib/files/tarmac/test_tarmac`, and is a claim about the format.
 */
#include <inttypes.h>

#include "files/tarmac/scan.h"
#include "unit/golden_text.h"
#include "unit/lib/tarmac_lines.h"

#define TABLE "tests/data/tables/tarmac-lines.txt"

static char found[1 << 17];
static size_t n_found;

static void put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	n_found += (size_t)vsnprintf(found + n_found, sizeof(found) - n_found, fmt, ap);
	va_end(ap);
	assert_true(n_found < sizeof(found));
}

static void put_number(const char *name, uint64_t value)
{
	if (value)
		put(" %s=%" PRIx64, name, value);
}

static void put_str(const char *name, struct cst_str s)
{
	if (s.n)
		put(" %s=\"%.*s\"", name, (int)s.n, s.p);
}

static void put_data(const uint8_t *p, size_t n)
{
	put(n ? " data=" : "");
	while (n--)
		put("%02x", *p++);
}

#define N(member) put_number(#member, x->member)
#define S(member) put_str(#member, x->member)
#define ADDRESS(member) (put_number(#member, x->member.address),			\
			 put_number("physical", x->member.physical),		\
			 put_number("space", x->member.space))
#define MODE (S(mode.text), N(mode.kind), N(mode.el), N(mode.stack), N(mode.has_security),	\
	      N(mode.security))

/* What a record says; numbers are hexadecimal. */
static void put_record(const struct cst_tarmac_record *rec)
{
	static const char *const kinds[CST_TARMAC_KINDS] = {
		"other", "header", "insn", "flow", "reg", "memory", "update", "bus", "event",
		"maintenance", "cache", "walk", "tlb"
	};

	put("\t%s: %" PRIu64 " %s%s dialect=%u", kinds[rec->kind], rec->time,
	    cst_tarmac_unit_text((enum cst_tarmac_unit)rec->unit),
	    rec->flags & CST_TARMAC_TIME_BEFORE ? " before" : "", rec->dialect);
	put_str("cpu", rec->cpu);
	if (rec->error)
		put(" %s in column %u: %s", rec->error == -CST_ERR_LIMIT ? "limit" : "syntax",
		    rec->column, rec->reason);
	if (rec->kind == CST_TARMAC_OTHER)
		put_str("text", rec->text);
	if (rec->kind == CST_TARMAC_INSN) {
		const struct cst_tarmac_insn *x = &rec->u.insn;

		ADDRESS(address), N(has_index), N(index), N(has_physical2), N(physical2), MODE,
		S(disassembly), N(opcode), N(size), N(outcome), N(isa);
	} else if (rec->kind == CST_TARMAC_FLOW) {
		const struct cst_tarmac_flow *x = &rec->u.flow;

		ADDRESS(from), ADDRESS(target), N(index), N(type), N(isa);
	} else if (rec->kind == CST_TARMAC_REG) {
		const struct cst_tarmac_reg *x = &rec->u.reg;

		S(name), S(bank), S(digits), S(note), N(what.reg_class), N(what.number),
		N(what.bank), N(what.el), N(what.security), N(what.bits), N(value), N(bits),
		N(unknown), N(has_range), N(high), N(low), N(has_parentheses);
	} else if (rec->kind == CST_TARMAC_MEMORY || rec->kind == CST_TARMAC_UPDATE) {
		const struct cst_tarmac_memory *x = &rec->u.memory;

		ADDRESS(address), N(used), N(unknown), S(attributes), S(operation), N(write),
		N(size), N(access), N(window), N(port);
		put_data(x->data, x->size);
	} else if (rec->kind == CST_TARMAC_BUS) {
		const struct cst_tarmac_bus *x = &rec->u.bus;

		N(address), S(master), N(write), N(fetch), N(privileged), N(nonsecure), N(size),
		N(access), N(inner), N(outer);
		put_data(x->data, x->size);
	} else if (rec->kind == CST_TARMAC_EVENT) {
		const struct cst_tarmac_event *x = &rec->u.event;

		N(has_value), ADDRESS(value), MODE, S(name), S(text), N(has_value1), N(value1),
		N(has_number), N(number);
	} else if (rec->kind == CST_TARMAC_MAINTENANCE) {
		const struct cst_tarmac_maintenance *x = &rec->u.maintenance;

		S(side), S(operation), S(scope), ADDRESS(data), S(region);
	} else if (rec->kind == CST_TARMAC_CACHE) {
		const struct cst_tarmac_cache *x = &rec->u.cache;

		S(id), S(operation), N(line), N(address), N(nonsecure);
	} else if (rec->kind == CST_TARMAC_WALK) {
		const struct cst_tarmac_walk *x = &rec->u.walk;

		S(side), S(format), S(result), S(attributes), N(address), N(data), N(update),
		N(stage), N(level);
	} else if (rec->kind == CST_TARMAC_TLB) {
		const struct cst_tarmac_tlb *x = &rec->u.tlb;

		S(id), S(regime), S(type), S(attributes), S(size_text), N(size), N(base),
		N(physical), N(has_vmid), N(vmid), N(has_asid), N(asid), N(walk_cache), N(evict),
		N(nonsecure), N(physical_nonsecure);
	}
	put("\n");
}

static void test_lines(void **state)
{
	char line[512], plain[512], *mark, *tab;
	const struct cst_tarmac_record *rec;
	FILE *in = fopen(TABLE, "r");

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '\t')
			continue;
		put("%s\n", line);
		if (*line == '#')
			continue;
		mark = strchr(line, '^');
		snprintf(plain, sizeof(plain), "%.*s%s",
			 mark ? (int)(mark - line) : (int)sizeof(line), line, mark ? mark + 1 : "");
		while ((tab = strstr(plain, "\\t"))) {
			*tab = '\t';
			memmove(tab + 1, tab + 2, strlen(tab + 1));
		}
		rec = read_line(plain);
		put_record(rec);
		if (mark && (!rec->error || rec->kind != CST_TARMAC_OTHER))
			fail_msg("%s: no error", line);
		/* blanks at the end are no part of a line */
		if (mark && rec->column != mark - line + 1u &&
		    (mark[1] || rec->column > mark - line + 1u))
			fail_msg("%s: column %u", line, rec->column);
	}
	fclose(in);
	golden_text(TABLE, found);
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

static void test_bytes(void **state)
{
	uint8_t bytes[4] = { 9, 9, 9, 9 }, unknown[4];
	struct cst_str s = { "1-2_34:5 -", 10 };
	char c;

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
	/* the characters that end a word */
	for (c = '!'; c < '0'; c++) {
		const unsigned int want = strchr("(),", c) ? TARMAC_STOP : TARMAC_WORD;

		assert_int_equal(scan_char(c), want);
	}
}

/* An error is one of its line alone. */
static void test_next_line(void **state)
{
	const struct cst_tarmac_counts *c = cst_tarmac_reader_counts(line_reader);
	const struct cst_tarmac_record *rec;
	uint64_t errors = c->errors, others = c->kinds[CST_TARMAC_OTHER];
	uint64_t regs = c->kinds[CST_TARMAC_REG];

	(void)state;
	rec = read_line("5 clk cpu7 R X0");
	assert_int_equal(rec->error, -CST_ERR_SYNTAX);
	says(rec->cpu, "cpu7");
	says(rec->text, "R X0");
	assert_int_equal(rec->time, 5);
	/* the second line of a diagram, which is wrong, has no form of its own */
	good("  3981 tic LD 00004020  ........ 626d654d 2043424d 4545203e", CST_TARMAC_MEMORY);
	rec = read_line("              00003ff0  ........ ........ ........ ......x1");
	assert_int_equal(cst_tarmac_write(rec, CST_TARMAC_ES, NULL, 0), -CST_ERR_UNSUP);
	good("5 clk R X0 1", CST_TARMAC_REG);
	rec = good("R X0 1", CST_TARMAC_REG);
	assert_int_equal(rec->time, 5);
	assert_null(rec->reason);
	assert_int_equal(rec->column, 0);
	assert_int_equal(c->errors, errors + 2);
	assert_int_equal(c->kinds[CST_TARMAC_OTHER], others + 2);
	assert_int_equal(c->kinds[CST_TARMAC_REG], regs + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_no_instruction_set),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_next_line),
	};

	return cmocka_run_group_tests(tests, lines_begin, lines_end);
}
