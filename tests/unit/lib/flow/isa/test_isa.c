/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_isa.c - classification of assembled instruction forms (forms.txt) and of operand fields.
 *
 * test_isa --classify reads lines "a64|a32|t32|t32m hex-address hex-opcode" and prints for each
 * "address class target", for comparison with a disassembler. With l after the set, loads and stores count.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <cstrace/isa.h>

struct form {
	enum cst_isa isa;
	unsigned flags;
	uint64_t pc;
	uint32_t opcode;
	struct cst_insn want;
	char text[64];
};

static struct form forms[1024];
static size_t n_forms;

static const char *const types[] = {
	"other", "branch", "indirect", "isb", "barrier", "wfx", "tstart", "load", "store"
};

/* A word of what forms.txt expects of a form. */
static void expect_word(struct cst_insn *want, const char *word)
{
	static const struct { const char *word; uint8_t subtype; } subtypes[] = {
		{ "link", CST_INSN_LINK }, { "ret", CST_INSN_RET }, { "eret", CST_INSN_ERET },
		{ "implied", CST_INSN_IMPLIED_RET }, { "future", CST_INSN_FUTURE },
	};
	unsigned i;
	char *end;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(word, types[i])) {
			want->type = i;
			return;
		}
	for (i = 0; i < sizeof(subtypes) / sizeof(subtypes[0]); i++)
		if (!strcmp(word, subtypes[i].word)) {
			want->subtype = subtypes[i].subtype;
			return;
		}
	if (!strcmp(word, "cond"))
		want->cond = 1;
	else if (!strcmp(word, "pushes"))
		want->link = 1;
	else if (!strcmp(word, "svc"))
		want->is_svc = 1;
	else if (!strncmp(word, "it", 2))
		want->it_count = (uint8_t)strtoul(word + 2, NULL, 10);
	else if (!strncmp(word, "to-", 3))
		want->next_isa = word[3] == 'a' ? CST_ISA_A32 : CST_ISA_T32;
	else {
		want->disp = (int32_t)strtol(word, &end, 0);
		if (*end)
			fail_msg("forms.txt: what is %s?", word);
	}
}

/* Reads forms.txt. */
static int forms_begin(void **state)
{
	FILE *in = fopen("tests/unit/lib/flow/isa/forms.txt", "r");
	char line[256], set[8], *expected, *word;

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		struct form *f = &forms[n_forms];

		if (*line == '#' || *line == '\n')
			continue;
		assert_true(n_forms++ < sizeof(forms) / sizeof(forms[0]));
		assert_int_equal(sscanf(line, "%7s %" SCNx32, set, &f->opcode), 2);
		f->isa = *set == 't' ? CST_ISA_T32 : set[1] == '6' ? CST_ISA_A64 : CST_ISA_A32;
		f->pc = strstr(set, "@2") ? 2 : 0;
		f->flags = (strchr(set + 3, 'm') ? CST_ISA_M_PROFILE : 0) |
			   (strchr(set + 3, 'w') ? CST_ISA_WFX_P0 : 0) |
			   (strchr(set + 3, 'l') ? CST_ISA_LOAD_P0 : 0) |
			   (strchr(set + 3, 's') ? CST_ISA_STORE_P0 : 0);
		f->want.size = f->isa == CST_ISA_T32 && f->opcode >> 27 < 0x1d ? 2 : 4;
		f->want.subtype = CST_INSN_PLAIN;
		f->want.next_isa = f->isa;
		expected = strrchr(line, ';');
		*expected = '\0';
		snprintf(f->text, sizeof(f->text), "%s", strchr(line, ';'));
		for (word = strtok(expected + 1, " \n"); word; word = strtok(NULL, " \n"))
			expect_word(&f->want, word);
	}
	fclose(in);
	return 0;
}

static void check_form(const struct form *f, const char *text)
{
	struct cst_insn got;

	memset(&got, 0xa5, sizeof(got));
	cst_isa_classify(&got, f->isa, f->opcode, f->pc, f->flags);
	if (got.size != f->want.size || got.type != f->want.type || got.subtype != f->want.subtype ||
	    got.cond != f->want.cond || got.link != f->want.link || got.next_isa != f->want.next_isa ||
	    got.it_count != f->want.it_count || got.is_svc != f->want.is_svc || got.disp != f->want.disp)
		fail_msg("isa %d opcode %08x \"%s\": size %d type %d sub %d cond %d link %d next %d it %d svc %d disp %d",
			 f->isa, f->opcode, text, got.size, got.type, got.subtype, got.cond, got.link,
			 got.next_isa, got.it_count, got.is_svc, got.disp);
}

static void test_forms(void **state)
{
	unsigned i;

	(void)state;
	assert_true(n_forms > 600);
	for (i = 0; i < n_forms; i++)
		check_form(&forms[i], forms[i].text);
}

/* ThumbEE: handler calls in the place of LDM and STM, the rest as T32; ENTERX and LEAVEX in either. */
static void test_thumbee(void **state)
{
	static const struct form tee[] = {
		{ CST_ISA_T32, CST_ISA_THUMBEE, 0, 0xf3bf8f1f, { 4, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 4 }, "enterx" },
		{ CST_ISA_TEE, CST_ISA_THUMBEE, 0, 0xf3bf8f0f, { 4, CST_INSN_BRANCH, CST_INSN_PLAIN, 0, 0, CST_ISA_T32, 0, 0, 4 }, "leavex" },
		{ CST_ISA_T32, 0, 0, 0xf3bf8f1f, { 4, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0, CST_ISA_T32, 0, 0, 0 }, "no enterx" },
		{ CST_ISA_TEE, 0, 0, 0xc0010000, { 2, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 0 }, "hbp #0, #1" },
		{ CST_ISA_TEE, 0, 0, 0xc2010000, { 2, CST_INSN_INDIRECT, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 0 }, "hb #1" },
		{ CST_ISA_TEE, 0, 0, 0xc3010000, { 2, CST_INSN_INDIRECT, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 0 }, "hbl #1" },
		{ CST_ISA_TEE, 0, 0, 0xc5210000, { 2, CST_INSN_INDIRECT, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 0 }, "hblp #9, #1" },
		{ CST_ISA_TEE, 0, 0, 0xc7ff0000, { 2, CST_INSN_INDIRECT, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 0 }, "hblp #31, #31" },
		{ CST_ISA_TEE, 0, 0, 0xca010000, { 2, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 0, 0, 0 }, "chka" },
		{ CST_ISA_TEE, 0, 0, 0xd07f0000, { 2, CST_INSN_BRANCH, CST_INSN_PLAIN, 1, 0, CST_ISA_TEE, 0, 0, 258 }, "beq" },
		{ CST_ISA_TEE, 0, 0, 0xf000f800, { 4, CST_INSN_BRANCH, CST_INSN_LINK, 0, 1, CST_ISA_TEE, 0, 0, 4 }, "bl" },
		{ CST_ISA_TEE, 0, 0, 0xf000e800, { 4, CST_INSN_BRANCH, CST_INSN_LINK, 0, 1, CST_ISA_A32, 0, 0, 4 }, "blx" },
		{ CST_ISA_TEE, 0, 0, 0xbf080000, { 2, CST_INSN_OTHER, CST_INSN_PLAIN, 0, 0, CST_ISA_TEE, 1, 0, 0 }, "it eq" },
	};
	unsigned i, next;

	(void)state;
	for (i = 0; i < sizeof(tee) / sizeof(tee[0]); i++) {
		struct form f = tee[i];

		check_form(&f, f.text);
		/* the halfword after a 16-bit instruction does not matter */
		for (next = 1; f.want.size == 2 && next < 0x10000; next <<= 1) {
			f.opcode = tee[i].opcode | next;
			check_form(&f, f.text);
		}
	}
}

/* Every A32 form with each condition: only the condition changes; 1111 is another instruction. */
static void test_a32_conditions(void **state)
{
	unsigned i, cond;

	(void)state;
	for (i = 0; i < n_forms; i++) {
		if (forms[i].isa != CST_ISA_A32 || forms[i].opcode >> 28 == 0xf)
			continue;
		for (cond = 0; cond < 15; cond++) {
			struct form f = forms[i];

			f.opcode = (f.opcode & 0x0fffffff) | cond << 28;
			f.want.cond = cond < 14;
			check_form(&f, f.text);
		}
	}
}

/* All values of a displacement field give all displacements, each once, in order. */
static void test_displacements(void **state)
{
	struct cst_insn insn;
	int32_t i;

	(void)state;
	for (i = -0x400; i < 0x400; i++) {
		uint32_t u = (uint32_t)i;

		cst_isa_classify(&insn, CST_ISA_T32, (0xe000 | (u & 0x7ff)) << 16, 0, 0);
		assert_int_equal(insn.disp, 2 * i + 4);
		cst_isa_classify(&insn, CST_ISA_A64, 0x74000000 | (u & 0x1ff) << 5, 0, 0);
		assert_int_equal(insn.disp, 4 * ((i & 0xff) - (i & 0x100)));
	}
	for (i = -0x2000; i < 0x2000; i++) {
		cst_isa_classify(&insn, CST_ISA_A64, 0x36000000 | ((uint32_t)i & 0x3fff) << 5, 0, 0);
		assert_int_equal(insn.disp, 4 * i);
	}
	for (i = -0x1000000; i < 0x1000000; i += 0x3ff) {
		uint32_t u = (uint32_t)i, s = u >> 31, i1 = u >> 23 & 1, i2 = u >> 22 & 1;
		uint32_t op = 0xf0009000 | s << 26 | (u >> 12 & 0x3ff) << 16 | !(i1 ^ s) << 13 |
			      !(i2 ^ s) << 11 | (u >> 1 & 0x7ff);

		cst_isa_classify(&insn, CST_ISA_T32, op, 0, 0);
		assert_int_equal(insn.disp, (i & ~1) + 4);
	}
}

static void test_unknown_isa(void **state)
{
	struct cst_insn insn;

	(void)state;
	cst_isa_classify(&insn, CST_ISA_UNKNOWN, 0x14000000, 0, 0);
	assert_int_equal(insn.type, CST_INSN_OTHER);
	assert_int_equal(insn.size, 4);
	assert_int_equal(insn.disp, 0);
}

static int classify(void)
{
	char isa[16];
	uint64_t pc;
	uint32_t opcode;

	while (scanf("%15s %" SCNx64 " %" SCNx32, isa, &pc, &opcode) == 3) {
		struct cst_insn insn;
		enum cst_isa set = !strncmp(isa, "a64", 3) ? CST_ISA_A64 : !strncmp(isa, "a32", 3) ? CST_ISA_A32 : CST_ISA_T32;

		cst_isa_classify(&insn, set, opcode, pc,
				 CST_ISA_WFX_P0 | (strchr(isa, 'm') ? CST_ISA_M_PROFILE : 0) |
				 (strchr(isa, 'l') ? CST_ISA_LOAD_P0 | CST_ISA_STORE_P0 : 0));
		printf("%" PRIx64 " %s%s%s", pc, types[insn.type], insn.link ? "+link" : "",
		       insn.subtype == CST_INSN_ERET ? "+eret" : insn.subtype == CST_INSN_FUTURE ? "+future" : "");
		if (insn.type == CST_INSN_BRANCH || insn.subtype == CST_INSN_FUTURE)
			printf(" %" PRIx64 "%s", (pc + (uint64_t)insn.disp) & (set == CST_ISA_A64 ? UINT64_MAX : UINT32_MAX),
			       insn.next_isa == set ? "" : " switch");
		putchar('\n');
	}
	return 0;
}

/* What data trace can belong to: loads and stores; ThumbEE has calls of handlers and CHKA in the place of some. */
static void test_transfers(void **state)
{
	static const struct {
		enum cst_isa isa;
		uint32_t op;
		int transfer;
	} rows[] = {
		{ CST_ISA_A32, 0xe5910000, 1 }, { CST_ISA_A32, 0xe5810000, 1 }, { CST_ISA_A32, 0xe8bd8000, 1 }, { CST_ISA_A32, 0xe1a00000, 0 },
		{ CST_ISA_A32, 0xeafffffe, 0 }, { CST_ISA_A32, 0xf8900a00, 1 }, { CST_ISA_A32, 0xf9b50a00, 1 },
		{ CST_ISA_T32, 0x68000000, 1 }, { CST_ISA_T32, 0xbd000000, 1 }, { CST_ISA_T32, 0xbf000000, 0 }, { CST_ISA_T32, 0xf8d10000, 1 },
		{ CST_ISA_T32, 0x74000000, 1 }, { CST_ISA_T32, 0xf3af8000, 0 }, { CST_ISA_T32, 0xc0010000, 1 }, { CST_ISA_T32, 0xc7ff0000, 1 }, { CST_ISA_T32, 0xca010000, 1 },
		{ CST_ISA_TEE, 0xc0010000, 0 }, { CST_ISA_TEE, 0xc7ff0000, 0 }, { CST_ISA_TEE, 0xc8010000, 1 }, { CST_ISA_TEE, 0xc9ff0000, 1 },
		{ CST_ISA_TEE, 0xca010000, 0 }, { CST_ISA_TEE, 0xcaff0000, 0 }, { CST_ISA_TEE, 0xcb010000, 1 }, { CST_ISA_TEE, 0xcfff0000, 1 },
		{ CST_ISA_TEE, 0x68000000, 1 }, { CST_ISA_TEE, 0xbf000000, 0 }, { CST_ISA_TEE, 0xf8d10000, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (cst_isa_is_transfer(rows[i].isa, rows[i].op, 0) != rows[i].transfer)
			fail_msg("%u 0x%08x", rows[i].isa, rows[i].op);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_thumbee),
		cmocka_unit_test(test_a32_conditions),
		cmocka_unit_test(test_displacements),
		cmocka_unit_test(test_unknown_isa),
		cmocka_unit_test(test_transfers),
	};

	if (argc == 2 && !strcmp(argv[1], "--classify"))
		return classify();
	return cmocka_run_group_tests(tests, forms_begin, NULL);
}
