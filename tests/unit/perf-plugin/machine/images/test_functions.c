/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions by symbols and by unwind tables: the program of tests/data/calls, with symbols and stripped, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elf.h>

#include <cmocka.h>

#include "machine/images/dso_table.h"
#include "machine/images/functions.h"
#include "unit/temp_dir.h"

#define PROGRAMS "tests/data/symfs/opt/cstrace-calls"

TEMP_DIR("functions")

static const struct build_id none;

static struct dso *load(struct dso_table *t, const char *symfs, const char *path)
{
	struct dso *d;

	dso_table_init(t);
	t->search.symfs = symfs;
	d = dso_table_get(t, path, &none, false);
	assert_non_null(d);
	return dso_load(d) ? d : NULL;
}

static uint64_t find(struct dso *d, const char *name)
{
	const char *found;
	uint64_t vaddr, start, size, offset;

	assert_true(dso_symbol_address(d, name, &vaddr));
	for (offset = 0; offset < d->image.size; offset += 4)
		if (dso_symbol(d, offset, &found, &start, &size) && !strcmp(found, name))
			return offset;
	fail();
	return 0;
}

/* The stripped program has the same functions. */
static void stripped(void **state)
{
	struct dso_table with, without;
	struct dso *a = load(&with, PROGRAMS, "/calls"), *b = load(&without, PROGRAMS, "/calls-stripped");
	struct dso_function f, g;
	unsigned int same = 0, all = 0;
	uint64_t choosy;
	size_t i;

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	choosy = find(a, "_ZL6choosyi");
	assert_true(dso_function(a, choosy + 8, &f));
	assert_true(dso_function(b, choosy + 8, &g));
	assert_int_equal(f.start, choosy);
	assert_true(g.start == f.start && g.end == f.end && !f.part && !g.part);
	for (i = 0; i < a->symbols.nr_syms; i++) {
		if (!a->symbols.syms[i].size || !dso_function(a, a->symbols.syms[i].offset, &f))
			continue;
		all++;
		same += dso_function(b, f.start, &g) && g.start == f.start && g.end == f.end;
		assert_int_equal(f.sets_jump, !strcmp(a->symbols.syms[i].name, "setjmp"));
	}
	/* hand-written code has no unwind tables */
	assert_true(all > 100 && same > all * 9 / 10);
	assert_int_equal(b->symbols.nr_syms, 0);
	assert_false(dso_function(b, 0, &g));
	assert_false(dso_function(b, UINT64_MAX, &g));
	dso_table_free(&with);
	dso_table_free(&without);
}

/* Each call of a function that catches, or cleans up, has its landing pad; one of a function without has none. */
static void pads(void **state)
{
	struct dso_table t;
	struct dso *d = load(&t, PROGRAMS, "/calls");
	struct dso_function f;
	uint64_t site, pad, first = 0;
	unsigned int calls = 0, pads = 0, kinds = 0;

	(void)state;
	assert_true(dso_function(d, find(d, "_ZL6choosyi"), &f));
	for (site = f.start; site < f.end; site += 4) {
		/* BL */
		if (d->image.data[site + 3] >> 2 != 0x25)
			continue;
		calls++;
		if (!dso_landing_pad(d, site, &pad))
			continue;
		assert_true(pad > f.start && pad < f.end);
		kinds += pad != first;
		first = pad;
		pads++;
	}
	assert_true(calls > 5 && pads > 2 && pads < calls && kinds > 1);
	assert_true(dso_function(d, find(d, "_ZL9factoriali"), &f));
	for (site = f.start; site < f.end; site += 4)
		assert_true(!dso_landing_pad(d, site, &pad) || (pad > f.start && pad < f.end));
	assert_false(dso_landing_pad(d, 0, &pad));
	assert_false(dso_landing_pad(d, d->image.size + 8, &pad));
	dso_table_free(&t);
}

/* Whatever the tables hold, nothing outside of the file is read. */
static void damaged(void **state)
{
	struct dso_function f;
	struct dso_table t;
	struct dso *d;
	uint8_t *whole, *copy;
	uint64_t offset, pad;
	unsigned int round, i, seed = 1;
	size_t size, at;
	FILE *in = fopen(PROGRAMS "/calls-stripped", "rb");

	(void)state;
	assert_non_null(in);
	fseek(in, 0, SEEK_END);
	size = (size_t)ftell(in);
	rewind(in);
	whole = malloc(size);
	copy = malloc(size);
	assert_int_equal(fread(whole, 1, size, in), size);
	fclose(in);
	for (round = 0; round < 150; round++) {
		memcpy(copy, whole, size);
		for (i = 0; i < 1u << round % 8; i++) {
			seed = seed * 1103515245 + 12345;
			/* in the second half: behind the code */
			at = size / 2 + (seed >> 8) % (size / 2);
			copy[at] = round % 3 ? (uint8_t)(seed >> 3) : 0xff;
		}
		temp_write(dir, "bin/damaged", copy, round % 5 ? size : size - size / (4 + round % 7));
		d = load(&t, dir, "/bin/damaged");
		for (offset = 0; d && offset < size; offset += 36) {
			if (dso_function(d, offset, &f))
				assert_true(offset >= f.start && offset < f.end);
			dso_landing_pad(d, offset, &pad);
		}
		dso_table_free(&t);
	}
	free(whole);
	free(copy);
}

enum { CIE_SIZE = 1 << 20, FDES = 20000, HEADER = 0x100, TABLE = 0x200, PLACE = 0x40 };

static uint8_t *put32(uint8_t *p, size_t v)
{
	uint32_t word = (uint32_t)v;

	memcpy(p, &word, 4);
	return p + 4;
}

/* A CIE with an augmentation string of `string` bytes, and a number with `number` bytes more than it needs. */
static uint8_t *put_cie(uint8_t *p, size_t string, size_t number)
{
	p = put32(p, 4 + 1 + string + 1 + number + 6);
	p = put32(p, 0);
	*p++ = 1;
	memcpy(memset(p, 'S', string), "zR", 2);
	p += string;
	*p++ = 0;
	memset(p, 0x80, number);
	p += number;
	memcpy(p, "\1\0\0\1\3", 6);
	return p + 6;
}

static uint8_t *put_fde(uint8_t *p, const uint8_t *cie, size_t start)
{
	p = put32(p, 13);
	p = put32(p, (size_t)(p - cie));
	p = put32(p, start);
	p = put32(p, 4);
	*p++ = 0;
	return p;
}

/* A file whose FDEs are of two CIEs in turn. */
static size_t make_tables(uint8_t *file, size_t string, size_t number)
{
	Elf64_Ehdr *eh = (Elf64_Ehdr *)file;
	Elf64_Phdr *ph = (Elf64_Phdr *)(eh + 1);
	uint8_t *a = file + TABLE, *b, *p;
	size_t i;

	memcpy(eh->e_ident, ELFMAG "\2\1\1", 7);
	eh->e_type = ET_EXEC;
	eh->e_machine = EM_AARCH64;
	eh->e_version = EV_CURRENT;
	eh->e_phoff = sizeof(*eh);
	eh->e_ehsize = sizeof(*eh);
	eh->e_phentsize = sizeof(*ph);
	eh->e_phnum = 2;
	b = put_cie(a, string, number);
	p = put_cie(b, string, number);
	for (i = 0; i < FDES; i++)
		p = put_fde(p, i & 1 ? a : b, PLACE + 4 * i);
	p = put32(p, 0);
	ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = (size_t)(p - file), .p_memsz = (size_t)(p - file) };
	ph[1] = (Elf64_Phdr){ .p_type = PT_GNU_EH_FRAME, .p_offset = HEADER, .p_vaddr = HEADER, .p_filesz = 16, .p_memsz = 16 };
	memcpy(file + HEADER, "\1\3\xff\xff", 4);
	put32(file + HEADER + 4, TABLE);
	return (size_t)(p - file);
}

/* A CIE is read again for FDEs of two in turn: its fields have a greatest length. */
static void long_fields(void **state)
{
	const struct {
		size_t string, number;
		bool read;
	} cases[] = { { 2, 0, true }, { 6, 8, true }, { 2, CIE_SIZE, false }, { CIE_SIZE, 0, false } };
	uint8_t *file = malloc(2 * CIE_SIZE + 32 * FDES);
	struct dso_function f;
	struct dso_table t;
	struct dso *d;
	size_t i, size;

	(void)state;
	assert_non_null(file);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(file, 0, TABLE);
		size = make_tables(file, cases[i].string, cases[i].number);
		temp_write(dir, "bin/long", file, size);
		d = load(&t, dir, "/bin/long");
		assert_non_null(d);
		assert_int_equal(dso_function(d, PLACE + 4, &f), cases[i].read);
		if (cases[i].read)
			assert_true(f.start == PLACE + 4 && f.end == PLACE + 8);
		dso_table_free(&t);
	}
	free(file);
}

/* Entries of one begin are one function, the shortest of them, in whichever order they are. */
static void equal_begins(void **state)
{
	static const uint8_t sizes[][3] = { { 4, 8, 12 }, { 12, 4, 8 }, { 8, 12, 4 }, { 8, 4, 4 }, { 4, 4, 4 } };
	uint8_t *file = malloc(2 * CIE_SIZE + 32 * FDES), *p, *cie;
	struct dso_function f;
	struct dso_table t;
	struct dso *d;
	size_t i, k, size;

	(void)state;
	assert_non_null(file);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(file, 0, TABLE);
		size = make_tables(file, 2, 0);
		cie = file + TABLE;
		for (k = 0, p = put_cie(cie, 2, 0); k < 3; k++) {
			p = put_fde(p, cie, PLACE);
			put32(p - 5, sizes[i][k]);
		}
		p = put_fde(p, cie, PLACE + 16);
		put32(p, 0);
		temp_write(dir, "bin/begins", file, size);
		d = load(&t, dir, "/bin/begins");
		assert_non_null(d);
		assert_true(dso_function(d, PLACE, &f));
		assert_true(f.start == PLACE && f.end == PLACE + 4);
		assert_false(dso_function(d, PLACE + 4, &f));
		assert_true(dso_function(d, PLACE + 16, &f));
		assert_true(f.start == PLACE + 16 && f.end == PLACE + 20);
		dso_table_free(&t);
	}
	free(file);
}

/* One way to write an entry of the table, and what it says of the function at PLACE. */
struct form {
	uint8_t enc, bytes;	/* how addresses are written; bytes of one, 0: LEB128 */
	uint8_t version;
	const char *augmentation;
	bool wide;		/* lengths of 64 bits */
	const char *program;	/* first instructions of the FDE */
	enum { WHOLE, PART, NONE } found;	/* NONE: the entry is left out */
};

static uint8_t *put_number(uint8_t *p, const struct form *f, uint64_t value)
{
	if (f->bytes) {
		memcpy(p, &value, f->bytes);	/* this host is little endian, as all that cstrace runs on */
		return p + f->bytes;
	}
	for (; value > 63 && value < UINT64_MAX - 63; value = (uint64_t)((int64_t)value >> 7))
		*p++ = (uint8_t)(value | 0x80);
	*p++ = value & 0x7f;
	return p;
}

static uint8_t *put_length(uint8_t *p, bool wide, size_t len)
{
	if (!wide)
		return put32(p, len);
	p = put32(put32(p, UINT32_MAX), len);
	return put32(p, 0);
}

/* Writes the CIE and one FDE with `size` bytes of code at PLACE. Returns the bytes of the file. */
static size_t make_form(uint8_t *file, const struct form *f, uint64_t size)
{
	uint8_t body[128], *p = body, *cie = file + TABLE, *at, *number;
	const char *a;

	make_tables(file, 2, 0);
	/* CIE: version, augmentation, (address and segment size,) alignments, return address column, augmentation data */
	*p++ = f->version;
	memcpy(p, f->augmentation, strlen(f->augmentation) + 1);
	p += strlen(f->augmentation) + 1;
	if (f->version == 4) {
		*p++ = 8;
		*p++ = 0;
	}
	*p++ = 4;
	*p++ = 0x78;	/* -8 */
	if (f->version == 1)
		*p++ = 30;
	else {
		*p++ = 0x9e;
		*p++ = 0;
	}
	if (*f->augmentation == 'z') {
		number = p++;
		for (a = f->augmentation + 1; *a; a++) {
			if (*a == 'R')
				*p++ = f->enc;
			else if (*a == 'L')
				*p++ = 0xff;	/* no table of landing pads */
			else if (*a == 'P') {
				*p++ = 0x02;	/* personality: two bytes */
				*p++ = 0x34;
				*p++ = 0x12;
			}
		}
		*number = (uint8_t)(p - number - 1);
	}
	at = put32(put_length(cie, f->wide, (size_t)(p - body) + 4), 0);
	memcpy(at, body, (size_t)(p - body));
	at += p - body;
	/* FDE: from its length to its CIE, place, size, augmentation data, instructions */
	p = put_length(at, f->wide, 0);
	number = p;
	p = put32(p, (size_t)(p - cie));
	p = put_number(p, f, f->enc & 0x10 ? PLACE - (uint64_t)(p - file) : PLACE);
	p = put_number(p, f, size);
	if (*f->augmentation == 'z')
		*p++ = 0;
	memcpy(p, f->program, strlen(f->program));
	p += strlen(f->program);
	put_length(at, f->wide, (size_t)(p - number));
	put32(p, 0);
	return (size_t)(p + 64 - file);
}

static void forms(void **state)
{
	static const struct form all[] = {
		{ 0x00, 8, 1, "zR", false, "", WHOLE }, { 0x00, 8, 1, "", false, "", WHOLE }, { 0x01, 0, 1, "zR", false, "", WHOLE },
		{ 0x02, 2, 3, "zR", false, "", WHOLE }, { 0x03, 4, 4, "zR", false, "", WHOLE }, { 0x04, 8, 1, "zRL", true, "", WHOLE },
		{ 0x09, 0, 1, "zR", false, "", WHOLE }, { 0x0a, 2, 1, "zPR", false, "", WHOLE }, { 0x0b, 4, 1, "zLPR", false, "", WHOLE },
		{ 0x0c, 8, 4, "zR", true, "", WHOLE }, { 0x19, 0, 1, "zR", false, "", WHOLE }, { 0x1a, 2, 3, "zR", false, "", WHOLE },
		{ 0x1b, 4, 3, "zRS", false, "", WHOLE }, { 0x1c, 8, 1, "zR", true, "", WHOLE }, { 0x10, 8, 1, "zR", false, "", WHOLE },
		/* a frame before the first instruction: part of a function; not that of a signal */
		{ 0x1b, 4, 1, "zR", false, "\x0c\x1f\x10", PART }, { 0x1b, 4, 1, "zR", false, "\x0e\x10", PART },
		{ 0x1b, 4, 1, "zR", false, "\x0d\x1f", PART }, { 0x1b, 4, 1, "zR", false, "\x9e\x01", PART },
		{ 0x1b, 4, 1, "zRS", false, "\x0e\x10", WHOLE }, { 0x1b, 4, 1, "zR", false, "\x41\x0e\x10", WHOLE },
		{ 0x1b, 4, 1, "zR", false, "\xc1", WHOLE },
		/* relative to something else than their own place; of no known size; no address */
		{ 0x2b, 4, 1, "zR", false, "", NONE }, { 0x05, 4, 1, "zR", false, "", NONE },
		{ 0xff, 4, 1, "zR", false, "", NONE },
	};
	uint8_t *file = malloc(2 * CIE_SIZE + 32 * FDES);
	struct dso_function f;
	struct dso_table t;
	struct dso *d;
	size_t i, size;
	bool empty, absent;

	(void)state;
	assert_non_null(file);
	/* each form as it is, and with no code */
	for (i = 0; i < 2 * sizeof(all) / sizeof(all[0]); i++) {
		const struct form *form = &all[i / 2];

		empty = i & 1;
		absent = empty || form->found == NONE;
		memset(file, 0, 2 * CIE_SIZE + 32 * FDES);
		size = make_form(file, form, empty ? 0 : 40);
		temp_write(dir, "bin/form", file, size);
		d = load(&t, dir, "/bin/form");
		assert_non_null(d);
		if (dso_function(d, PLACE + (empty ? 0 : 36), &f) == absent)
			fail_msg("form %zu: %s", i / 2, absent ? "a function" : "no function");
		if (!absent) {
			assert_int_equal(f.start, PLACE);
			assert_int_equal(f.end, PLACE + 40);
			assert_int_equal(f.part, form->found == PART);
		}
		assert_false(dso_function(d, PLACE + 40, &f));
		assert_false(dso_function(d, PLACE - 4, &f));
		dso_table_free(&t);
	}
	free(file);
}

/*
 * Functions by symbols: of one start the first, names of parts, names that return twice, functions
 * inside of others, and symbols without a size, which extend to what follows.
 */
static void functions_of_symbols(void **state)
{
#define SYM(at, bytes, symbol) { .offset = at, .size = bytes, .name = symbol }
	static struct dso_symbol_entry syms[] = {
		SYM(0x100, 0x40, "outer"), SYM(0x100, 0x20, "setjmp"), SYM(0x110, 8, "inner"),
		SYM(0x120, 0, "label_inside"), SYM(0x140, 0, "label"), SYM(0x140, 0, "alias"),
		SYM(0x150, 0, "getcontext"), SYM(0x158, 8, "f.cold"), SYM(0x160, 8, "f.cold.12"),
		SYM(0x168, 8, "f.colder"), SYM(0x170, 8, "_sigsetjmp"), SYM(0x178, 8, "longjmp"),
		SYM(0x190, 0, "last_label"),
	};
	enum { P = 1, J = 2 };	/* a part of a function; a function that sets a jump */
	static const struct {
		uint64_t offset, start, end;	/* end 0: none */
		int what;
	} rows[] = {
		{ 0xff, 0, 0, 0 }, { 0x100, 0x100, 0x140, J }, { 0x10f, 0x100, 0x140, J },
		{ 0x110, 0x110, 0x118, 0 }, { 0x117, 0x110, 0x118, 0 }, { 0x118, 0x100, 0x140, J },
		{ 0x120, 0x100, 0x140, J }, { 0x13f, 0x100, 0x140, J }, { 0x140, 0x140, 0x150, 0 },
		{ 0x14f, 0x140, 0x150, 0 }, { 0x150, 0x150, 0x158, J }, { 0x158, 0x158, 0x160, P },
		{ 0x160, 0x160, 0x168, P }, { 0x168, 0x168, 0x170, 0 }, { 0x170, 0x170, 0x178, J },
		{ 0x178, 0x178, 0x180, 0 }, { 0x180, 0, 0, 0 }, { 0x190, 0, 0, 0 },
		{ 0x200, 0, 0, 0 },
	};
	struct dso d = { .path = "/a",
			 .state = DSO_LOADED,
			 .symbols.symbols_read = true,
			 .symbols.syms = syms,
			 .symbols.nr_syms = sizeof(syms) / sizeof(syms[0]) };
	struct dso_function f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		f = (struct dso_function){ .start = 0 };
		if (dso_function(&d, rows[i].offset, &f) != (rows[i].end != 0) ||
		    f.start != rows[i].start || f.end != rows[i].end ||
		    f.part * P + f.sets_jump * J != rows[i].what)
			fail_msg("row %zu: in 0x%llx to 0x%llx%s%s", i, (unsigned long long)f.start,
				 (unsigned long long)f.end, f.part ? ", a part" : "",
				 f.sets_jump ? ", which sets a jump" : "");
	}
	assert_false(dso_begins_program(&d, 0x100));
	function_table_free(d.symbols.functions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_symbols), cmocka_unit_test(pads),
		cmocka_unit_test(stripped), cmocka_unit_test(damaged),
		cmocka_unit_test(long_fields), cmocka_unit_test(equal_begins),
		cmocka_unit_test(forms),
	};

	return cmocka_run_group_tests_name("functions", tests, make_dir, remove_dir);
}
