/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of code with overlapping rows, costs of instructions without code, basic blocks,
 * tracefiles, and lines under a condition.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/images/dso.h"
#include "outputs/profile/blocks.h"
#include "outputs/profile/costs.h"
#include "outputs/profile/coverage.h"
#include "outputs/profile/formats.h"
#include "outputs/profile/hot.h"
#include "unit/perf-plugin/made_source.h"
#include "unit/perf-plugin/output_text.h"

#define NOP	0xd503201fu

static const uint32_t nops[] = { NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP };

static void add(struct model *m, struct cst_count_record rec)
{
	assert_int_equal(model_add(m, &rec), 0);
}

static void range(struct model *m, uint64_t start, uint64_t last, uint32_t insns, uint8_t flags, uint64_t count)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_RANGE, .range = { .insns = insns, .start = start, .last = last, .flags = flags,
			.count = count } });
}

static struct model model_of(struct dso *d)
{
	struct model m;

	model_init(&m);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = { .name = "/bin/prog" } });
	m.binaries[0].dso = d;
	return m;
}

static struct dso program_of(const void *code, size_t size, uint16_t machine)
{
	static char path[] = "/bin/prog";

	return (struct dso){ .path = path,
			     .image.file = path,
			     .state = DSO_LOADED,
			     .symbols.symbols_read = true,
			     .image.machine = machine,
			     .image.data = code,
			     .image.size = size };
}

/* Of rows that several units have of the same code, the shortest remains, then that of the first file and line. */
static void overlapping_rows(void **state)
{
	static const struct source_row rows[] = {
		{ 0x08, 0x10, { "/src/b.c", 7 } }, { 0x08, 0x0c, { "/src/b.c", 9 } },
		{ 0x10, 0x14, { "/src/b.c", 4 } }, { 0x10, 0x14, { "/src/b.c", 3 } }, { 0x10, 0x14, { "/src/b.c", 5 } },
		{ 0x00, 0x04, { "/src/a.c", 1 } }, { 0x00, 0x04, { "/src/a.c", 1 } },
	};
	struct dso d = program_of(nops, sizeof(nops), EM_AARCH64);
	struct model m = model_of(&d);
	const struct whole w = { .model = &m };
	struct coverage c;

	(void)state;
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 7 };
	range(&m, 0, 0x10, 5, 0, 6);
	coverage_init(&c, &w);
	assert_int_equal(c.nr_lines, 3);
	assert_string_equal(c.files.v[c.lines[0].at.file], "/src/a.c");
	assert_int_equal(c.lines[0].at.line, 1);
	assert_int_equal(c.lines[0].count, 6);
	assert_string_equal(c.files.v[c.lines[1].at.file], "/src/b.c");
	assert_int_equal(c.lines[1].at.line, 3);
	assert_int_equal(c.lines[2].at.line, 9);
	assert_int_equal(c.lines[2].count, 6);
	coverage_free(&c);
	model_free(&m);
}

/* Rows behind the end of the file, and a binary without its file. */
static void without_code(void **state)
{
	static const struct source_row rows[] = {
		{ 0x18, 0x20, { "/src/a.c", 1 } }, { 0x20, 0x28, { "/src/a.c", 2 } },
	};
	struct dso d = program_of(nops, sizeof(nops), EM_AARCH64);
	struct model m = model_of(&d);
	const struct whole w = { .model = &m };
	struct coverage c;

	(void)state;
	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = 2 };
	range(&m, 0x18, 0x24, 4, 0, 6);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_ENTRY, .entry = { .offset = 0x24, .count = 2 } });
	coverage_init(&c, &w);
	assert_int_equal(c.nr_lines, 2);
	assert_int_equal(c.lines[0].count, 6);
	/* whether execution came to the entry from the code before it is not known, since that is behind the end of the file */
	assert_int_equal(c.lines[1].count, 12);
	coverage_free(&c);
	d.image.data = NULL;
	coverage_init(&c, &w);
	assert_int_equal(c.nr_lines, 0);
	assert_int_equal(c.nr_branches, 0);
	coverage_free(&c);
	model_free(&m);
}

static void assert_cost(const struct cost *c, uint64_t begin, uint64_t end, uint64_t count, bool t32, bool whole)
{
	assert_int_equal(c->begin, begin);
	assert_int_equal(c->end, end);
	assert_int_equal(c->count, count);
	assert_int_equal(c->t32, t32);
	assert_int_equal(c->whole, whole);
}

/* T32 code of unknown sizes: the range is one piece, with all of its instructions. */
static void costs_without_code(void **state)
{
	struct dso d = program_of(nops, 0x19, EM_ARM);
	struct model m = model_of(NULL);
	const struct model_binary *b = &m.binaries[0];
	struct costs c;
	uint64_t at;

	(void)state;
	range(&m, 0x10, 0x18, 5, CST_COUNT_T32, 3);
	range(&m, 0x10, 0x18, 2, 0, 4);
	range(&m, 0x20, UINT64_MAX, 2, CST_COUNT_T32, UINT64_MAX);
	costs_init(&c, b);
	assert_int_equal(c.n, 3);
	/* at the same place the one that ends first */
	assert_cost(&c.v[0], 0x10, 0x1a, 15, true, true);
	assert_cost(&c.v[1], 0x10, 0x1c, 4, false, false);
	assert_cost(&c.v[2], 0x20, UINT64_MAX, UINT64_MAX, true, true);
	assert_int_equal(costs_size(b, &c.v[0], 0x10), 10);
	assert_int_equal(costs_size(b, &c.v[0], 0x16), 4);
	assert_int_equal(costs_size(b, &c.v[1], 0x10), 4);
	at = 0x10;
	assert_int_equal(costs_pass(b, &c.v[0], &at, 0x14), 1);
	assert_int_equal(at, 0x1a);
	costs_free(&c);
	/* the last instruction is cut by the end of the file */
	m.binaries[0].dso = &d;
	costs_init(&c, b);
	assert_cost(&c.v[0], 0x10, 0x1a, 15, true, true);
	costs_free(&c);
	d.image.size = 0x1a;
	costs_init(&c, b);
	assert_false(c.v[0].whole);
	costs_free(&c);
	model_free(&m);
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static void edge(struct model *m, uint64_t from, uint64_t to, uint64_t count)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_EDGE, .edge = { .from = from, .to = to, .count = count } });
}

static void not_taken(struct model *m, uint64_t offset, uint64_t count)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_NOT_TAKEN, .not_taken = { .offset = offset, .count = count } });
}

static void entry(struct model *m, uint64_t offset, uint64_t count)
{
	add(m, (struct cst_count_record){ .kind = CST_COUNT_ENTRY, .entry = { .offset = offset, .count = count } });
}

/* All of the blocks of some code, as text: what each block has, then jumps and conditional branches. */
static void assert_kinds(const struct model *m, const struct code_part *code, size_t n,
			 const struct code_kinds *kinds, const char *want)
{
	struct blocks bs;
	char text[2048] = "";
	size_t i, at = 0;

	blocks_init(&bs, &m->binaries[0], code, n, kinds);
	for (i = 0; i < bs.n; i++) {
		const struct block *b = &bs.v[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%x-%x %d", (unsigned int)b->begin, (unsigned int)b->end, (int)b->count);
		if (b->through)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " through %d", (int)b->through);
		if (b->jump)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " jump %x to %u", (unsigned int)b->jump, b->jump_to);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "\n");
		assert_int_equal(blocks_at(&bs, b->begin), i);
		assert_int_equal(blocks_at(&bs, b->end - 1), i);
	}
	for (i = 0; i < bs.nr_jumps; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "from %u to %u: %d\n", bs.jumps[i].from, bs.jumps[i].to,
				       (int)bs.jumps[i].count);
	for (i = 0; i < bs.nr_branches; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%x: %d, %d%s\n", (unsigned int)bs.branches[i].offset,
				       (int)bs.branches[i].taken, (int)bs.branches[i].not_taken,
				       bs.branches[i].executed ? "" : ", not executed");
	assert_string_equal(text, want);
	assert_true(blocks_at(&bs, 0x1000) == SIZE_MAX);
	blocks_free(&bs);
}

static void assert_blocks(const struct model *m, const struct code_part *code, size_t n,
			  const char *want)
{
	assert_kinds(m, code, n, &(struct code_kinds){ NULL, 0 }, want);
}

static const uint32_t loop[] = {
	NOP, 0xb4000060 /* CBZ 0x10 */, 0x94000006 /* BL 0x20 */, 0x14000002 /* B 0x14 */,
	NOP, 0x54ffff61 /* B.NE 0 */, 0xd61f0020 /* BR */, 0x54000020 /* B.EQ 0x20 */,
	0xd65f03c0 /* RET */, NOP, 0x54fffec0 /* B.EQ 0 */,
};

/* Of four calls at 8, three return; a loop of seven rounds, of which three are without the call. */
static void run_loop(struct model *m)
{
	range(m, 0, 4, 2, 0, 3);
	range(m, 0, 8, 3, 0, 4);
	range(m, 0xc, 0xc, 1, 0, 3);
	range(m, 0x10, 0x14, 2, 0, 3);
	range(m, 0x14, 0x18, 2, 0, 1);
	range(m, 0x14, 0x14, 1, 0, 2);
	range(m, 0x20, 0x20, 1, 0, 4);
	edge(m, 4, 0x10, 3);
	edge(m, 8, 0x20, 4);
	edge(m, 0xc, 0x14, 3);
	edge(m, 0x14, 0, 5);
	edge(m, 0x18, CST_COUNT_OUTSIDE, 1);
	edge(m, 0x20, 0xc, 3);
	not_taken(m, 4, 4);
	not_taken(m, 0x14, 1);
	entry(m, 0, 2);
}

static void blocks_of_a64(void **state)
{
	static const struct code_part all[] = { { 0, 0x28 } };
	struct dso d = program_of(loop, sizeof(loop), EM_AARCH64);
	struct model m = model_of(&d);

	(void)state;
	run_loop(&m);
	assert_blocks(&m, all, 1,
		      "0-8 7\n8-c 4 through 4\nc-10 3 through 3 jump c to 4\n10-14 3\n14-18 6 through 3\n18-1c 1 through 1\n1c-20 0\n"
		      "20-24 4\n24-28 0\n"
		      "from 4 to 0: 5\nfrom 0 to 3: 3\nfrom 2 to 4: 3\n"
		      "4: 3, 4\n14: 5, 1\n1c: 0, 0, not executed\n");
	/* parts of the code: what is not in them has no blocks, and is not looked at */
	assert_blocks(&m, (const struct code_part[]){ { 4, 0x10 }, { 0x14, 0x18 }, { 0x18, 0x1e } }, 3,
		      "4-8 7\n8-c 4 through 4\nc-10 3 through 3 jump c to 3\n14-18 6\n18-1c 1 through 1\n1c-1e 0\n"
		      "from 2 to 3: 3\n4: 3, 4\n14: 5, 1\n");
	/* others came to 0xc than by returns: as many as there were calls came through, and to 0x14 by an interrupt's return */
	entry(&m, 0xc, 2);
	entry(&m, 0x14, 2);
	range(&m, 0xc, 0xc, 1, 0, 2);
	assert_blocks(&m, (const struct code_part[]){ { 8, 0x18 } }, 1,
		      "8-c 4\nc-10 5 through 4 jump c to 3\n10-14 3\n14-18 6 through 1\nfrom 1 to 3: 3\n14: 5, 1\n");
	/* a part behind the end of the file */
	assert_blocks(&m, (const struct code_part[]){ { 0x28, 0x40 } }, 1, "28-2c 0\n2c-40 0\n28: 0, 0, not executed\n");
	d.image.size -= 1;
	assert_blocks(&m, (const struct code_part[]){ { 0x28, 0x40 } }, 1, "28-40 0\n");
	d.image.data = NULL;
	assert_blocks(&m, all, 1, "");
	model_free(&m);
}

/* ---- tracefiles ---------------------------------------------------------------------------------- */

/* Returns what profile_format.write_whole() does, with the text. */
static int tracefile(const struct whole *w, char *text, size_t room)
{
	struct output_text t;
	int rc = profile_format_find("lcov")->write_whole(output_begin(&t), w);

	output_end(&t, text, room);
	return rc;
}

/* Lines, functions and branches of two programs with the same source. */
static void lcov(void **state)
{
	static const struct source_row rows[] = {
		{ 0x00, 0x08, { "/src/m.c", 3 } }, { 0x08, 0x10, { "/src/m.c", 4 } }, { 0x10, 0x14, { "/src/m.c", 5 } },
		{ 0x14, 0x18, { "/src/m.c", 3 } }, { 0x18, 0x1c, { "/src/m.c", 9 } }, { 0x1c, 0x20, { "/src/m.c", 3 } },
		{ 0x20, 0x24, { "/src/h.h", 2 } }, { 0x24, 0x28, { "/src/h.h", 3 } },
	};
	/* functions are counted at the lines of their declarations, and their code at those of its rows */
	static const struct source_function functions[] = {
		{ 0x00, 0x20, { "/src/m.c", 2 }, "main" }, { 0x20, 0x28, { "/src/h.h", 1 }, "f(int, int, int)" },
		{ 0x28, 0x2c, { "/src/m.c", 20 }, "cut" }, { 0x14, 0x18, { "/src/m.c", 20 }, "also" },
	};
	struct dso d = program_of(loop, sizeof(loop) - 4, EM_AARCH64);
	struct model m = model_of(&d);
	const struct whole w = { .model = &m };
	char text[2048];

	(void)state;
	made_source[0] = made_source[1] = (struct made_source){ .rows = rows,
							       .functions = functions, .nr_rows = 8, .nr_functions = 4 };
	assert_int_equal(tracefile(&w, text, sizeof(text)), 1);
	assert_string_equal(text, "");
	run_loop(&m);
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_BINARY, .binary = { .name = "/bin/other" } });
	m.binaries[1].dso = &d;
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_RANGE,
					   .range = { .binary = 1, .insns = 3, .start = 0, .last = 8, .count = 10 } });
	add(&m, (struct cst_count_record){ .kind = CST_COUNT_NOT_TAKEN, .not_taken = { .binary = 1, .offset = 4, .count = 10 } });
	assert_int_equal(tracefile(&w, text, sizeof(text)), 0);
	assert_string_equal(text,
			    "TN:\nSF:/src/h.h\nFN:1,f(int; int; int)\nFNDA:4,f(int; int; int)\nFNF:1\nFNH:1\nBRF:0\nBRH:0\n"
			    "DA:2,4\nDA:3,0\nLF:2\nLH:1\nend_of_record\n"
			    "TN:\nSF:/src/m.c\nFN:2,main\nFN:20,also\nFN:20,cut\nFNDA:17,main\nFNDA:6,also\nFNDA:0,cut\nFNF:3\nFNH:2\n"
			    "BRDA:3,0,0,4\nBRDA:3,0,1,3\nBRDA:3,1,0,1\nBRDA:3,1,1,5\nBRDA:3,2,0,-\nBRDA:3,2,1,-\nBRDA:3,3,0,10\n"
			    "BRDA:3,3,1,0\nBRDA:3,4,0,-\nBRDA:3,4,1,-\nBRDA:3,5,0,-\nBRDA:3,5,1,-\nBRF:12\nBRH:5\n"
			    "DA:3,23\nDA:4,14\nDA:5,3\nDA:9,1\nLF:4\nLH:4\nend_of_record\n");
	model_free(&m);
}

/* What a line is counted for: one tracefile with lines of one file. */
static void assert_lines(const struct model *m, const struct source_row *rows, size_t n, const char *want)
{
	const struct whole w = { .model = m };
	char text[1024] = "";
	struct coverage c;
	size_t i, used = 0;

	made_source[0] = (struct made_source){ .rows = rows, .nr_rows = n };
	coverage_init(&c, &w);
	for (i = 0; i < c.nr_lines; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u: %d\n", c.lines[i].at.line, (int)c.lines[i].count);
	assert_string_equal(text, want);
	coverage_free(&c);
}

/* A jump back to the line, with nothing else of the line in its block, is no execution of the line. */
static void lines_with_detours(void **state)
{
	static const uint32_t code[] = { 0xb4000060 /* CBZ 0xc */, NOP, 0x14000002 /* B 0x10 */, NOP, 0x17fffffc /* B 0 */, 0xd65f03c0 /* RET */ };
	static const struct source_row rows[] = {
		{ 0x00, 0x04, { "/src/m.c", 5 } }, { 0x04, 0x0c, { "/src/m.c", 6 } }, { 0x0c, 0x10, { "/src/m.c", 7 } },
		{ 0x10, 0x14, { "/src/m.c", 5 } }, { 0x14, 0x18, { "/src/m.c", 8 } },
	};
	/* the jump has an instruction of the line before it; the line has no code where it leads to */
	static const struct source_row before[] = { { 0x00, 0x0c, { "/src/m.c", 6 } }, { 0x0c, 0x14, { "/src/m.c", 5 } } };
	static const struct source_row elsewhere[] = { { 0x00, 0x10, { "/src/m.c", 6 } }, { 0x10, 0x14, { "/src/m.c", 5 } } };
	struct dso d = program_of(code, sizeof(code), EM_AARCH64);
	struct model m = model_of(&d);

	(void)state;
	range(&m, 0, 0, 1, 0, 4);
	range(&m, 0, 8, 3, 0, 6);
	range(&m, 0xc, 0x10, 2, 0, 4);
	range(&m, 0x10, 0x10, 1, 0, 6);
	edge(&m, 0, 0xc, 4);
	edge(&m, 8, 0x10, 6);
	edge(&m, 0x10, 0, 9);
	not_taken(&m, 0, 6);
	assert_lines(&m, rows, 5, "5: 10\n6: 6\n7: 4\n8: 0\n");
	assert_lines(&m, before, 2, "5: 10\n6: 10\n");
	assert_lines(&m, elsewhere, 2, "5: 10\n6: 10\n");
	model_free(&m);
}

/* ---- instructions under a condition -------------------------------------------------------------- */

/* Returns the tracefile of one binary. */
static const char *traced(const struct model *m, const struct made_source *source, bool traced_only)
{
	const struct whole w = { .model = m, .traced_only = traced_only };
	static char text[2048];

	made_source[0] = *source;
	assert_int_equal(tracefile(&w, text, sizeof(text)), 0);
	return text;
}

/* A return under a condition is traced, and with it what is under the same condition before it. */
static void predicated_a32(void **state)
{
	static const uint32_t code[] = { 0xe3500000 /* CMP R0, #0 */, 0x13a01001 /* MOVNE R1, #1 */, 0x112fff1e /* BXNE LR */,
					 0x02811001 /* ADDEQ R1, R1, #1 */, 0xe12fff1e /* BX LR */, 0x0a000000 /* BEQ 0x1c */, 0, 0 };
	static const struct source_row rows[] = {
		{ 0x00, 0x04, { "/src/p.c", 3 } }, { 0x04, 0x0c, { "/src/p.c", 4 } }, { 0x0c, 0x10,
										       { "/src/p.c",
											5 } },
		{ 0x10, 0x14, { "/src/p.c", 6 } }, { 0x14, 0x20, { "/src/p.c", 7 } },
	};
	static const struct source_mapping mappings[] = { { 0x18, SOURCE_DATA },
							 { 0, SOURCE_A32 } };
	const struct made_source source = { .rows = rows, .nr_rows = 5, .mappings = mappings,
					   .nr_mappings = 2 };
	struct dso d = program_of(code, sizeof(code), EM_ARM);
	struct model m = model_of(&d);

	(void)state;
	range(&m, 0, 8, 3, 0, 37);
	range(&m, 0, 0x10, 5, 0, 63);
	edge(&m, 8, CST_COUNT_OUTSIDE, 37);
	edge(&m, 0x10, CST_COUNT_OUTSIDE, 63);
	not_taken(&m, 8, 63);
	entry(&m, 0, 100);
	assert_string_equal(traced(&m, &source, false),
			    "TN:\nSF:/src/p.c\nFNF:0\nFNH:0\nBRDA:7,0,0,-\nBRDA:7,0,1,-\nBRF:2\nBRH:0\n"
			    "DA:3,100\nDA:4,37\nDA:5,63\nDA:6,63\nDA:7,0\nLF:5\nLH:4\n#untraced:5,63\n#reached:1\nend_of_record\n");
	assert_string_equal(traced(&m, &source, true),
			    "TN:\nSF:/src/p.c\nFNF:0\nFNH:0\nBRDA:7,0,0,-\nBRDA:7,0,1,-\nBRF:2\nBRH:0\n"
			    "DA:3,100\nDA:4,37\nDA:5,0\nDA:6,63\nDA:7,0\nLF:5\nLH:3\n#untraced:5,63\n#reached:1\nend_of_record\n");
	model_free(&m);
}

/* A line with selects alone is reached only; one that also has another instruction is executed, as is an unconditional select. */
static void predicated_a64(void **state)
{
	static const uint32_t code[] = { 0xfa411000 /* CCMP X0, X1, #0, NE */, 0x9a821020 /* CSEL X0, X1, X2, NE */, NOP,
					 0x1e62cc20 /* FCSEL D0, D1, D2, GT */, 0x9a82e020 /* CSEL X0, X1, X2, AL */, 0x54000040, NOP, NOP };
	static const struct source_row rows[] = {
		{ 0x00, 0x08, { "/src/p.c", 3 } }, { 0x08, 0x0c, { "/src/p.c", 4 } }, { 0x0c, 0x10,
										       { "/src/p.c",
											5 } },
		{ 0x10, 0x14, { "/src/p.c", 6 } }, { 0x14, 0x18, { "/src/p.c", 4 } },
	};
	/* what is data here is not A64 code that was never executed */
	static const struct source_mapping mappings[] = { { 0, SOURCE_A64 },
							 { 0x14, SOURCE_DATA } };
	struct made_source source = { .rows = rows, .nr_rows = 5, .mappings = mappings,
				     .nr_mappings = 2 };
	struct dso d = program_of(code, sizeof(code), EM_AARCH64);
	struct model m = model_of(&d);

	(void)state;
	range(&m, 0, 0x10, 5, 0, 7);
	assert_string_equal(traced(&m, &source, true),
			    "TN:\nSF:/src/p.c\nFNF:0\nFNH:0\nBRF:0\nBRH:0\nDA:3,0\nDA:4,7\nDA:5,0\nDA:6,7\nLF:4\nLH:2\n"
			    "#untraced:3,7\n#untraced:5,7\n#reached:2\nend_of_record\n");
	source.nr_mappings = 0;
	assert_non_null(strstr(traced(&m, &source, false),
			       "BRDA:4,0,1,-\nBRF:2\nBRH:0\nDA:3,7\nDA:4,7\nDA:5,7\n"));
	model_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_rows), cmocka_unit_test(without_code),
		cmocka_unit_test(costs_without_code), cmocka_unit_test(blocks_of_a64),
		cmocka_unit_test(lcov), cmocka_unit_test(lines_with_detours),
		cmocka_unit_test(predicated_a32),
		cmocka_unit_test(predicated_a64),
	};

	return cmocka_run_group_tests_name("profile coverage", tests, NULL, NULL);
}
