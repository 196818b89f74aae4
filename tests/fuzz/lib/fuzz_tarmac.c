/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_tarmac.c - any text as Tarmac text. The first byte is the length of the pieces that it is fed in (0: whole), the
 * second one how long lines may be. In pieces it has the records that it has as a whole; what is read can be written, or
 * is refused by the dialect, and read again it is the same.
 */
#include "fuzz/fuzz_input.h"
#include "unit/lib/tarmac_same.h"

#define HEAD 2

static struct cst_tarmac_reader *reader(uint8_t limit)
{
	struct cst_tarmac_opts opts = { .max_line = limit ? limit : 4096, .has_isa = limit == 255, .isa = CST_ISA_T32 };
	struct cst_tarmac_reader *r;

	CHECK(!cst_tarmac_reader_new(&r, &opts));
	return r;
}

static int in_line(struct cst_str s, const struct cst_tarmac_record *rec, uint64_t max)
{
	return !s.n || (s.n <= max && s.p >= rec->text.p && s.p + s.n <= rec->text.p + rec->text.n);
}

static void check_record(const struct cst_tarmac_record *rec, uint64_t max)
{
	CHECK(rec->kind < CST_TARMAC_KINDS && rec->unit < CST_TARMAC_UNITS && rec->line > 0);
	CHECK(!rec->error == !rec->reason && (!rec->error || (rec->kind == CST_TARMAC_OTHER && rec->column <= max + 1)));
	CHECK(!memchr(rec->text.n ? rec->text.p : "", '\n', rec->text.n));
	switch (rec->kind) {
	case CST_TARMAC_INSN:
		CHECK(rec->u.insn.size == 2 || rec->u.insn.size == 4);
		CHECK(in_line(rec->u.insn.disassembly, rec, max) && in_line(rec->u.insn.mode.text, rec, max));
		break;
	case CST_TARMAC_REG:
		CHECK(rec->u.reg.bits && rec->u.reg.unknown <= rec->u.reg.bits / 4);
		CHECK(cst_tarmac_bytes(rec->u.reg.digits, NULL, NULL, 0) == (int64_t)(rec->u.reg.bits + 7) / 8);
		CHECK(in_line(rec->u.reg.digits, rec, max) && in_line(rec->u.reg.note, rec, max));
		break;
	case CST_TARMAC_MEMORY:
	case CST_TARMAC_UPDATE:
		CHECK(rec->u.memory.size <= CST_TARMAC_DATA && !(rec->u.memory.unknown & ~rec->u.memory.used));
		break;
	default:
		break;
	}
}

static void write_again(const struct cst_tarmac_record *rec)
{
	uint64_t unsaid = 0;
	const char *why;
	int d;

	if (rec->flags & CST_TARMAC_CUT)
		return;
	for (d = 0; d < 2; d++) {
		why = tarmac_there_and_back(rec, (enum cst_tarmac_dialect)d, &unsaid);
		if (why)
			fprintf(stderr, "dialect %d: %.*s: %s\n", d, (int)rec->text.n, rec->text.p, why);
		CHECK(!why);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t len)
{
	const struct cst_tarmac_record *x, *y;
	struct cst_tarmac_reader *a, *b;
	uint64_t records = 0, total = 0;
	size_t piece, at = HEAD, n, max;
	char *text;
	int i;

	if (len <= HEAD)
		return 0;
	piece = in[0] ? in[0] : len;
	max = in[1] ? in[1] : 4096;
	a = reader(in[1]);
	b = reader(in[1]);
	CHECK(!cst_tarmac_feed(a, in + HEAD, len - HEAD));
	cst_tarmac_end(a);
	while (at < len) {
		n = len - at < piece ? len - at : piece;
		text = malloc(n);
		CHECK(text != NULL);
		memcpy(text, in + at, n);
		at += n;
		CHECK(!cst_tarmac_feed(b, text, n));
		if (at == len)
			cst_tarmac_end(b);
		while (cst_tarmac_next(b, &y)) {
			CHECK(cst_tarmac_next(a, &x) == 1);
			CHECK(!tarmac_same(x, y, true) && x->offset == y->offset && x->line == y->line && x->column == y->column);
			check_record(y, max);
			write_again(x);
			records++;
		}
		free(text);
	}
	CHECK(cst_tarmac_next(a, &x) == 0);
	CHECK(!memcmp(cst_tarmac_reader_counts(a), cst_tarmac_reader_counts(b), sizeof(struct cst_tarmac_counts)));
	for (i = 0; i < CST_TARMAC_KINDS; i++)
		total += cst_tarmac_reader_counts(a)->kinds[i];
	CHECK(total == records && cst_tarmac_reader_counts(a)->bytes == len - HEAD);
	cst_tarmac_reader_free(a);
	cst_tarmac_reader_free(b);
	return 0;
}
