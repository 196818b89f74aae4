/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of line number programs of all versions, of damaged ones, and of sequences that lie over
 * each other.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outputs/sources/line_program.h"

/* Operands of the standard opcodes 1 to 12, and of 13, which no version of DWARF has. */
#define OPERANDS	0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2

static const uint8_t code[] = {
	0, 5, 2, 0x00, 0x10, 0, 0,	/* set_address 0x1000 */
	3, 9,				/* advance_line 9 */
	1,				/* copy */
	14 + 14 * 2 + 5,		/* address 2 * 2, line -3 + 5 */
	4, 2,				/* set_file 2 */
	3, 0x7e,			/* advance_line -2 */
	2, 3,				/* advance_pc 3 * 2 */
	5, 7, 6, 7, 10, 11, 12, 1,	/* column, statement, block, prologue, epilogue, isa */
	13, 0x80, 1, 0x80, 2,		/* unknown, with two operands */
	1,
	8,				/* const_add_pc: (255 - 14) / 14 * 2 */
	9, 0x08, 0,			/* fixed_advance_pc 8 */
	0, 2, 4, 1,			/* discriminator */
	0, 2, 0x80, 5,			/* of a vendor */
	0, 1, 1,			/* end_sequence */
	0, 9, 2, 0, 0, 0, 0, 1, 0, 0, 0,	/* set_address of 8 bytes */
	1, 0, 1, 1,
};

static const char want[] = "1000: 1:10\n1004: 1:12\n100a: 2:10\n1034: end\n100000000: 1:1\n100000000: end\n";

/* Makes a section with a program of a version behind some bytes. Returns its size. */
static size_t section(uint8_t *to, size_t before, unsigned int version, bool wide)
{
	static const uint8_t operands[] = { OPERANDS };
	uint8_t *p = to + before, *body, *length;

	memset(to, 0xee, before);
	if (wide) {
		memset(p, 0xff, 4);
		p += 4;
	}
	body = p + (wide ? 8 : 4);
	p = body;
	*p++ = (uint8_t)version;
	*p++ = 0;
	if (version == 5) {
		*p++ = 8;
		*p++ = 0;
	}
	length = p;
	p += wide ? 8 : 4;
	*p++ = 2;		/* bytes of the shortest instruction */
	if (version >= 4)
		*p++ = 1;
	*p++ = 1;
	*p++ = (uint8_t)-3;
	*p++ = 14;
	*p++ = 14;
	memcpy(p, operands, sizeof(operands));
	p += sizeof(operands);
	memcpy(p, "tables", 6);
	p += 6;
	memset(length, 0, wide ? 8 : 4);
	*length = (uint8_t)(p - length - (wide ? 8 : 4));
	memcpy(p, code, sizeof(code));
	p += sizeof(code);
	memset(body - (wide ? 8 : 4), 0, wide ? 8 : 4);
	body[wide ? -8 : -4] = (uint8_t)(p - body);
	return (size_t)(p - to);
}

struct text {
	char v[512];
	size_t n;
};

static void add(void *data, const struct program_row *r)
{
	struct text *t = data;

	if (r->ends)
		t->n += (size_t)snprintf(t->v + t->n, sizeof(t->v) - t->n, "%" PRIx64 ": end\n", r->addr);
	else
		t->n += (size_t)snprintf(t->v + t->n, sizeof(t->v) - t->n, "%" PRIx64 ": %" PRIu64 ":%" PRIu64 "\n", r->addr, r->file,
					 r->line);
}

static void versions(void **state)
{
	uint8_t bytes[256];
	unsigned int version, wide;
	size_t size;

	(void)state;
	for (version = 2; version <= 5; version++)
		for (wide = 0; wide < 2; wide++) {
			struct text t = { .n = 0 };

			size = section(bytes, 3, version, wide);
			assert_int_equal(line_program_size(bytes, size, 3), size - 3);
			line_program_rows(bytes, size, 3, add, &t);
			assert_string_equal(t.v, want);
		}
}

/*
 * Of a program that is cut, with a length that fits, the rows before the cut remain; nothing behind
 * it is read.
 */
static void cut(void **state)
{
	uint8_t bytes[256], *copy;
	size_t size = section(bytes, 0, 4, false), n;

	(void)state;
	for (n = 0; n <= size; n++) {
		struct text t = { .n = 0 };

		copy = malloc(n ? n : 1);
		assert_non_null(copy);
		memcpy(copy, bytes, n);
		if (n >= 4)
			copy[0] = (uint8_t)(n - 4);
		line_program_rows(copy, n, 0, add, &t);
		assert_memory_equal(t.v, want, t.n);
		assert_int_equal(line_program_size(copy, n, 0), n < 4 ? 0 : n);
		/* with its own length it is no program */
		memcpy(copy, bytes, n);
		t = (struct text){ .n = 0 };
		line_program_rows(copy, n, 0, add, &t);
		assert_string_equal(t.v, n == size ? want : "");
		free(copy);
	}
}

static void damaged(void **state)
{
	/*
	 * offsets in a header of version 4: the version, the length of the header, line_range,
	 * opcode_base
	 */
	static const struct {
		size_t at;
		uint8_t value;
	} cases[] = { { 4, 1 }, { 4, 6 }, { 6, 0xff }, { 14, 0 }, { 15, 0 } };
	uint8_t bytes[256];
	size_t size, i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { .n = 0 };

		size = section(bytes, 0, 4, false);
		bytes[cases[i].at] = cases[i].value;
		line_program_rows(bytes, size, 0, add, &t);
		assert_string_equal(t.v, "");
	}
	line_program_rows(bytes, size, size + 1, add, NULL);
	assert_int_equal(line_program_size(bytes, size, size + 1), 0);
	assert_int_equal(line_program_size(bytes, size, size), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions), cmocka_unit_test(cut), cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests_name("line programs", tests, NULL, NULL);
}
