/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test_text.c - Tarmac text in pieces: any cuts, any line ends, long lines, comments, what is
 * counted; the example of the specification and a real file.
 */
#include <cstrace/files/files.h>

#include "unit/lib/tarmac_lines.h"
#include "unit/lib/tarmac_same.h"

#define CORPUS "corpus/snapshots/002-ack_test_scr/test_TARMAC"

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long n;

	if (!f)
		return NULL;
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	n = ftell(f);
	rewind(f);
	text = malloc((size_t)n + 1);
	assert_non_null(text);
	*len = fread(text, 1, (size_t)n, f);
	assert_int_equal(*len, n);
	text[n] = '\0';
	fclose(f);
	return text;
}

/* A reader over the whole of a text. */
static struct cst_tarmac_reader *over(const char *text, size_t len)
{
	struct cst_tarmac_reader *r;

	assert_int_equal(cst_tarmac_reader_new(&r, NULL), 0);
	assert_int_equal(cst_tarmac_feed(r, text, len), 0);
	cst_tarmac_end(r);
	return r;
}

static const struct cst_tarmac_record *next(struct cst_tarmac_reader *r)
{
	const struct cst_tarmac_record *rec;
	int got = cst_tarmac_next(r, &rec);

	assert_true(got == 0 || got == 1);
	return got ? rec : NULL;
}

static void same_record(const struct cst_tarmac_record *a, const struct cst_tarmac_record *b)
{
	const char *why = tarmac_same(a, b, true);

	if (why)
		fail_msg("line %llu: %s", (unsigned long long)a->line, why);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->column, b->column);
	assert_true(tarmac_text_same(a->text, b->text));
}

/* Each line of a text with all dialects, cut into two pieces at every byte. */
static void test_cuts(void **state)
{
	static const char *const files[] = { "fast-models", "es", "brackets", "cortex-m" };
	char path[128], *text, *half;
	size_t i, len, cut;

	(void)state;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "tests/data/tarmac/%s.tarmac", files[i]);
		text = read_file(path, &len);
		assert_non_null(text);
		for (cut = 0; cut <= len; cut++) {
			struct cst_tarmac_reader *a = over(text, len), *b;
			const struct cst_tarmac_record *x, *y;

			assert_int_equal(cst_tarmac_reader_new(&b, NULL), 0);
			half = malloc(cut + 1);
			memcpy(half, text, cut);
			assert_int_equal(cst_tarmac_feed(b, half, cut), 0);
			if (cut)
				assert_int_equal(cst_tarmac_feed(b, half, cut), -CST_ERR_BUSY);
			while ((y = next(b))) {
				x = next(a);
				assert_non_null(x);
				same_record(x, y);
				assert_int_equal(x->offset, y->offset);
			}
			free(half);
			assert_int_equal(cst_tarmac_feed(b, text + cut, len - cut), 0);
			cst_tarmac_end(b);
			while ((x = next(a))) {
				y = next(b);
				assert_non_null(y);
				same_record(x, y);
			}
			assert_null(next(b));
			assert_memory_equal(cst_tarmac_reader_counts(a), cst_tarmac_reader_counts(b), sizeof(struct cst_tarmac_counts));
			cst_tarmac_reader_free(a);
			cst_tarmac_reader_free(b);
		}
		free(text);
	}
}

static void test_line_ends(void **state)
{
	static const char text[] = "1 clk R r0 1\r\n\r\n \t \r\n# a comment\r\n// another\n2 clk R r1 2\r\r\n\n3 clk IT (3) 8000 bf00 T svc : NOP \r\n4 clk R r2 3";
	struct cst_tarmac_reader *r = over(text, strlen(text));
	const struct cst_tarmac_counts *c = cst_tarmac_reader_counts(r);
	const struct cst_tarmac_record *rec;

	(void)state;
	rec = next(r);
	assert_int_equal(rec->line, 1);
	assert_int_equal(rec->offset, 0);
	says(rec->text, "R r0 1");
	says(rec->u.reg.digits, "1");
	rec = next(r);
	assert_int_equal(rec->line, 6);
	says(rec->text, "R r1 2");
	assert_int_equal(rec->offset, strstr(text, "2 clk") - text);
	rec = next(r);
	says(rec->u.insn.disassembly, "NOP");
	rec = next(r);
	assert_int_equal(rec->line, 9);
	says(rec->u.reg.digits, "3");
	assert_null(next(r));
	assert_int_equal(c->lines, 9);
	assert_int_equal(c->empty, 3);
	assert_int_equal(c->comments, 2);
	assert_int_equal(c->bytes, strlen(text));
	assert_int_equal(c->kinds[CST_TARMAC_REG], 3);
	assert_int_equal(c->kinds[CST_TARMAC_INSN], 1);
	/* text after the end begins a line */
	assert_int_equal(cst_tarmac_feed(r, "5 clk R r0 1\n", 13), 0);
	rec = next(r);
	assert_int_equal(rec->time, 5);
	assert_int_equal(rec->offset, strlen(text));
	cst_tarmac_reader_free(r);
}

/* Lines longer than the limit are read as far as it goes, whole or in pieces. */
static void test_long_lines(void **state)
{
	struct cst_tarmac_opts opts = { .max_line = 64 };
	const struct cst_tarmac_record *rec;
	const struct cst_tarmac_counts *c;
	struct cst_tarmac_reader *r;
	char text[300];
	size_t piece, at;

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "1 clk cpu0 IT (1) 00008000 d503201f O EL1h_n : ", 47);
	memcpy(text + 250, "\n2 clk R X0 1\n", 14);
	for (piece = 1; piece <= 264; piece++) {
		assert_int_equal(cst_tarmac_reader_new(&r, &opts), 0);
		c = cst_tarmac_reader_counts(r);
		for (at = 0; at < 264; at += piece) {
			assert_int_equal(cst_tarmac_feed(r, text + at, piece < 264 - at ? piece : 264 - at), 0);
			while (cst_tarmac_next(r, &rec) == 1) {
				if (rec->line == 1) {
					assert_int_equal(rec->kind, CST_TARMAC_INSN);
					assert_int_equal(rec->flags, CST_TARMAC_CUT);
					assert_int_equal(rec->u.insn.disassembly.n, 64 - 47);
				} else {
					assert_int_equal(rec->flags, 0);
					assert_int_equal(rec->offset, 251);
				}
			}
		}
		assert_int_equal(c->lines, 2);
		assert_int_equal(c->cut, 1);
		assert_int_equal(c->cut_bytes, 250 - 64);
		assert_int_equal(c->bytes, 264);
		assert_int_equal(c->kinds[CST_TARMAC_REG], 1);
		cst_tarmac_reader_free(r);
	}
}

/* The example of the specification: all of its lines are records, none is wrong. */
static void test_specification(void **state)
{
	size_t len;
	char *text = read_file("tests/data/tarmac/specification.tarmac", &len);
	const struct cst_tarmac_record *rec;
	const struct cst_tarmac_counts *c;
	struct cst_tarmac_reader *r;
	uint64_t index = 1915, address = 0x1129c;

	(void)state;
	assert_non_null(text);
	r = over(text, len);
	c = cst_tarmac_reader_counts(r);
	while ((rec = next(r))) {
		if (rec->error)
			fail_msg("line %llu, column %u: %s", (unsigned long long)rec->line, rec->column, rec->reason);
		says(rec->cpu, "cpu0");
		if (rec->kind != CST_TARMAC_INSN)
			continue;
		assert_int_equal(rec->u.insn.index, index++);
		if (index == 1929)
			address = 0x2305c;	/* BLR x1 */
		assert_int_equal(rec->u.insn.address.address, address);
		assert_int_equal(rec->u.insn.address.physical, address + 0x15200000);
		address += 4;
	}
	assert_int_equal(index, 1931);
	assert_int_equal(c->lines, 47);
	assert_int_equal(c->kinds[CST_TARMAC_OTHER], 0);
	assert_int_equal(c->kinds[CST_TARMAC_INSN], 16);
	assert_int_equal(c->kinds[CST_TARMAC_REG], 14);
	assert_int_equal(c->kinds[CST_TARMAC_MEMORY], 2);
	assert_int_equal(c->kinds[CST_TARMAC_CACHE], 9);
	assert_int_equal(c->kinds[CST_TARMAC_WALK], 2);
	assert_int_equal(c->kinds[CST_TARMAC_TLB], 4);
	cst_tarmac_reader_free(r);
	free(text);
}

/* Lines with a word, counted without a parser. */
static uint64_t count(const char *text, const char *word)
{
	const size_t n = strlen(word);
	uint64_t found = 0;

	for (; (text = strstr(text, word)); text += n)
		found++;
	return found;
}

static void test_real_file(void **state)
{
	const char *shared = getenv("CSTRACE_SHARED");
	const struct cst_tarmac_record *rec;
	const struct cst_tarmac_counts *c;
	struct cst_tarmac_reader *r;
	uint64_t memory, not_taken = 0;
	char path[4096], *text;
	size_t len;

	(void)state;
	snprintf(path, sizeof(path), "%s/" CORPUS, shared ? shared : "../shared");
	text = read_file(path, &len);
	if (!text) {
		print_message("no %s\n", path);
		skip();
	}
	r = over(text, len);
	c = cst_tarmac_reader_counts(r);
	while ((rec = next(r))) {
		assert_int_equal(rec->error, 0);
		/* nothing is copied, and the place is that of the line */
		assert_true(rec->text.p >= text + rec->offset && !memchr(text + rec->offset, '\n', (size_t)(rec->text.p - text - rec->offset)));
		assert_true(!rec->offset || text[rec->offset - 1] == '\n');
		if (rec->kind != CST_TARMAC_INSN)
			continue;
		not_taken += rec->u.insn.outcome == CST_TARMAC_CC_FAIL;
		assert_int_equal(rec->u.insn.isa, CST_ISA_A64);
		assert_int_equal(rec->u.insn.mode.kind, CST_TARMAC_EL);
		assert_true(rec->u.insn.disassembly.n > 0);
	}
	memory = count(text, " MR1 ") + count(text, " MR2 ") + count(text, " MR4 ") + count(text, " MR8 ") + count(text, " MW1 ") +
		 count(text, " MW2 ") + count(text, " MW4 ") + count(text, " MW8 ");
	assert_int_equal(c->lines, count(text, "\n"));
	assert_int_equal(c->kinds[CST_TARMAC_INSN], count(text, " IT (") + count(text, " IS ("));
	assert_int_equal(not_taken, count(text, " IS ("));
	assert_int_equal(c->kinds[CST_TARMAC_REG], count(text, " R "));
	assert_int_equal(c->kinds[CST_TARMAC_MEMORY], memory);
	assert_int_equal(c->kinds[CST_TARMAC_EVENT], count(text, " E 0"));
	assert_int_equal(c->kinds[CST_TARMAC_CACHE], count(text, " LINE "));
	assert_int_equal(c->kinds[CST_TARMAC_MAINTENANCE], count(text, " MAINTENANCE "));
	assert_int_equal(c->kinds[CST_TARMAC_WALK], count(text, " TTW "));
	assert_int_equal(c->kinds[CST_TARMAC_TLB], count(text, " TLB "));
	assert_int_equal(c->errors, 0);
	assert_true(c->kinds[CST_TARMAC_OTHER] > 60);	/* messages of the program, signals */
	cst_tarmac_reader_free(r);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_specification),
		cmocka_unit_test(test_real_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
