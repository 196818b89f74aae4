/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwind tables and landing pads, written here for both classes and byte orders of ELF, and functions by the symbols of a
 * file.
 */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/functions.h"
#include "machine/images/unwind.h"

/* Offsets in the file, whose first byte is at VADDR in memory. */
enum { VADDR = 0x10000, HEADER = 0x180, LSDA = 0x200, CODE = 0x400, TABLE = 0x800, SECTIONS = 0xb00, NAMES = 0xd00, SIZE = 0x1000 };

struct variant {
	bool wide, big;		/* 64 bits; big-endian */
	bool section;		/* the table is a section; else the header of the run-time unwinder names it */
	uint8_t code_enc, lsda_enc;
};

struct out {
	uint8_t *file, *p;
	const struct variant *v;
};

static void put(struct out *o, unsigned int bytes, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < bytes; i++)
		*o->p++ = (uint8_t)(value >> 8 * (o->v->big ? bytes - 1 - i : i));
}

/* A word of the class of the file. */
static void put_word(struct out *o, uint64_t value)
{
	put(o, o->v->wide ? 8 : 4, value);
}

static void put_leb(struct out *o, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*o->p++ = (uint8_t)(value | 0x80);
	*o->p++ = (uint8_t)value;
}

static void put_number(struct out *o, unsigned int enc, uint64_t value)
{
	static const uint8_t bytes[16] = { [2] = 2, [3] = 4, [4] = 8, [0xa] = 2, [0xb] = 4, [0xc] = 8 };

	if ((enc & 15) == 1)
		put_leb(o, value);
	else
		put(o, enc & 15 ? bytes[enc & 15] : o->v->wide ? 8 : 4, value);
}

/* A pointer to an offset in the file. */
static void put_pointer(struct out *o, unsigned int enc, uint64_t offset)
{
	put_number(o, enc, VADDR + offset - (enc & 0x10 ? VADDR + (uint64_t)(o->p - o->file) : 0));
}

static struct out at(uint8_t *file, const struct variant *v, size_t offset)
{
	return (struct out){ file, file + offset, v };
}

static void put_section(struct out *o, uint32_t name, uint32_t type, uint64_t offset, uint64_t size)
{
	put(o, 4, name);
	put(o, 4, type);
	put_word(o, 0);
	put_word(o, VADDR + offset);
	put_word(o, offset);
	put_word(o, size);
	put(o, 8, 0);
	put_word(o, 1);
	put_word(o, 0);
}

static void put_headers(uint8_t *file, const struct variant *v, uint16_t machine, uint64_t entry, size_t table_size)
{
	struct out o = at(file, v, 0);
	size_t fixed = v->wide ? 64 : 52;

	memcpy(o.p, ELFMAG, 4);
	o.p[4] = v->wide ? ELFCLASS64 : ELFCLASS32;
	o.p[5] = v->big ? ELFDATA2MSB : ELFDATA2LSB;
	o.p[6] = EV_CURRENT;
	o.p += 16;
	put(&o, 2, ET_EXEC);
	put(&o, 2, machine);
	put(&o, 4, EV_CURRENT);
	put_word(&o, entry);
	put_word(&o, v->section ? 0 : fixed);
	put_word(&o, v->section ? SECTIONS : 0);
	put(&o, 4, 0);
	put(&o, 2, fixed);
	put(&o, 2, v->wide ? 56 : 32);
	put(&o, 2, v->section ? 0 : 1);
	put(&o, 2, v->wide ? 64 : 40);
	put(&o, 2, v->section ? 4 : 0);
	put(&o, 2, v->section ? 1 : 0);
	if (v->section) {
		o = at(file, v, SECTIONS);
		put_section(&o, 0, SHT_NULL, 0, 0);
		put_section(&o, 1, SHT_STRTAB, NAMES, 32);
		/* one without contents comes first */
		put_section(&o, 11, SHT_NOBITS, TABLE, 16);
		put_section(&o, 11, SHT_PROGBITS, TABLE, table_size);
		memcpy(file + NAMES, "\0.shstrtab\0.eh_frame", 21);
		return;
	}
	put(&o, 4, PT_GNU_EH_FRAME);
	if (v->wide)
		put(&o, 4, PF_R);
	put_word(&o, HEADER);
	put_word(&o, VADDR + HEADER);
	put_word(&o, VADDR + HEADER);
	put_word(&o, 8);
	put_word(&o, 8);
	if (!v->wide)
		put(&o, 4, PF_R);
	put_word(&o, 4);
	o = at(file, v, HEADER);
	put(&o, 1, 1);
	put(&o, 1, 0x1b);
	put(&o, 2, 0xffff);
	put_pointer(&o, 0x1b, TABLE);
}

static void end_of_length(const struct out *o, uint8_t *length)
{
	struct out to = { o->file, length, o->v };

	put(&to, 4, (uint64_t)(o->p - length - 4));
}

/* `lsda`: offset of the table of landing pads, 0: none. */
static void put_fde(struct out *o, uint64_t start, uint64_t size, uint64_t lsda)
{
	uint8_t *length = o->p;

	put(o, 4, 0);
	put(o, 4, (uint64_t)(o->p - (o->file + TABLE)));
	put_pointer(o, o->v->code_enc, start);
	put_number(o, o->v->code_enc, size);
	/* the bytes of what follows, and one that is not read */
	put_leb(o, (o->v->lsda_enc & 15 ? 4 : o->v->wide ? 8 : 4) + 1);
	if (lsda)
		put_pointer(o, o->v->lsda_enc, lsda);
	else
		put_number(o, o->v->lsda_enc, 0);
	put(o, 1, 0x55);
	/* an instruction behind the first address: no part of another function */
	put(o, 1, 0x41);
	end_of_length(o, length);
}

/* Three functions: with landing pads, without, and with a table of them that is not in the file. Returns the bytes of the table. */
static size_t put_table(uint8_t *file, const struct variant *v)
{
	struct out o = at(file, v, TABLE);
	uint8_t *length = o.p;

	put(&o, 4, 0);
	put(&o, 4, 0);
	put(&o, 1, 1);
	memcpy(o.p, "zPLR", 5);
	o.p += 5;
	put_leb(&o, 4);
	put_leb(&o, 0x78);
	put(&o, 1, 30);
	put_leb(&o, 7);
	put(&o, 1, 0x1b);
	put_pointer(&o, 0x1b, CODE);
	put(&o, 1, v->lsda_enc);
	put(&o, 1, v->code_enc);
	end_of_length(&o, length);
	put_fde(&o, CODE + 0x100, 0x40, SIZE + 0x100);
	put_fde(&o, CODE, 0x80, LSDA);
	put_fde(&o, CODE + 0x80, 0x80, 0);
	put(&o, 4, 0);
	return (size_t)(o.p - file) - TABLE;
}

/* Form of a table of landing pads. */
struct form {
	uint8_t base_enc;	/* where pads are counted from; 0xff: from the function */
	uint8_t types_enc;	/* 0xff: no table of types */
	uint8_t format;
};

static const struct call {
	uint64_t start, len, pad;
} calls[] = { { 0x10, 4, 0x50 }, { 0x20, 8, 0x60 }, { 0x30, 4, 0 }, { 0x34, 4, 0x64 }, { 0x34, 8, 0x68 }, { 0x40, 0x10, 0x6c } };

/* The last `cut` calls are behind the end of the table. */
static void put_lsda(uint8_t *file, const struct variant *v, const struct form *form, size_t cut)
{
	uint8_t entries[256];
	struct out o = { entries, entries, v };
	size_t i, len = 0;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (i + cut == sizeof(calls) / sizeof(calls[0]))
			len = (size_t)(o.p - entries);
		put_number(&o, form->format, calls[i].start);
		put_number(&o, form->format, calls[i].len);
		put_number(&o, form->format, calls[i].pad);
		put_leb(&o, 1);
	}
	if (!cut)
		len = (size_t)(o.p - entries);
	i = (size_t)(o.p - entries);
	o = at(file, v, LSDA);
	put(&o, 1, form->base_enc);
	if (form->base_enc != 0xff)
		put_pointer(&o, form->base_enc, CODE + 0x100);
	put(&o, 1, form->types_enc);
	if (form->types_enc != 0xff)
		put_leb(&o, 300);
	/* the upper bits of an encoding are no part of the format */
	put(&o, 1, form->format | 0x10);
	put_leb(&o, len);
	memcpy(o.p, entries, i);
}

/* Of the two segments only the first is of the file. */
static struct dso dso_of(const uint8_t *file, struct dso_segment seg[2], uint16_t machine)
{
	seg[0] = (struct dso_segment){ .offset = 0, .vaddr = VADDR, .filesz = SIZE, .exec = true };
	seg[1] = (struct dso_segment){ .offset = 0, .vaddr = VADDR + SIZE, .filesz = SIZE, .exec = true };
	return (struct dso){ .path = "/a", .state = DSO_LOADED, .is_elf = true, .data = file, .size = SIZE, .segs = seg, .nr_segs = 1,
			     .machine = machine };
}

/* The pad of a call at an offset; 0: none. */
static uint64_t pad_of(uint64_t site, const struct form *form, size_t cut)
{
	size_t i;

	for (i = 0; i + cut < sizeof(calls) / sizeof(calls[0]); i++)
		if (site >= CODE + calls[i].start && site < CODE + calls[i].start + calls[i].len)
			return calls[i].pad ? CODE + (form->base_enc == 0xff ? 0 : 0x100) + calls[i].pad : 0;
	return 0;
}

static void landing_pads(void **state)
{
	static const struct form forms[] = {
		{ 0xff, 0xff, 1 }, { 0xff, 0x9b, 1 }, { 0x1b, 0xff, 1 }, { 0x00, 0x00, 3 }, { 0xff, 0xff, 2 }, { 0x03, 0x9b, 4 },
	};
	static uint8_t file[SIZE];
	struct dso_segment seg[2];
	struct unwind u;
	struct variant v;
	uint64_t site, pad, want;
	unsigned int way, f;
	size_t cut, size;
	struct dso d;

	(void)state;
	for (way = 0; way < 32; way++) {
		v = (struct variant){ .wide = way & 1, .big = way & 2, .section = way & 4, .code_enc = way & 8 ? 0x1b : 0x00,
				      .lsda_enc = way & 16 ? 0x1b : 0x00 };
		for (f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
			cut = f % 3;
			memset(file, 0, sizeof(file));
			size = put_table(file, &v);
			put_headers(file, &v, EM_AARCH64, VADDR + CODE, size);
			put_lsda(file, &v, &forms[f], cut);
			d = dso_of(file, seg, EM_AARCH64);
			assert_true(unwind_read(&u, &d));
			if (u.nr != 3)
				fail_msg("variant %u: %zu functions", way, u.nr);
			assert_int_equal(u.v[0].start, CODE);
			assert_int_equal(u.v[0].end, CODE + 0x80);
			assert_int_equal(u.v[0].vaddr, VADDR + CODE);
			assert_int_equal(u.v[0].lsda, LSDA);
			assert_int_equal(u.v[1].start, CODE + 0x80);
			assert_int_equal(u.v[1].end, CODE + 0x100);
			assert_int_equal(u.v[1].lsda, 0);
			assert_int_equal(u.v[2].start, CODE + 0x100);
			assert_int_equal(u.v[2].lsda, 0);
			assert_false(u.v[0].part || u.v[1].part || u.v[2].part);
			for (site = CODE - 4; site < CODE + 0x160; site++) {
				want = pad_of(site, &forms[f], cut);
				pad = 0;
				if (unwind_landing_pad(&u, &d, site, &pad) != (want != 0) || (want && pad != want))
					fail_msg("variant %u, form %u: the call at 0x%llx has the pad 0x%llx, not 0x%llx", way, f,
						 (unsigned long long)site, (unsigned long long)pad, (unsigned long long)want);
			}
			unwind_free(&u);
		}
	}
}

/* A table of landing pads that is said to be longer than the file, or ends inside a call, has none of what is not there. */
static void cut_pads(void **state)
{
	static const struct variant v = { .wide = true, .section = true, .code_enc = 0x1b, .lsda_enc = 0x1b };
	static const struct form form = { 0xff, 0xff, 1 };
	static uint8_t file[SIZE];
	struct dso_segment seg[2];
	struct unwind u;
	uint64_t pad;
	struct dso d;
	size_t size;

	(void)state;
	size = put_table(file, &v);
	put_headers(file, &v, EM_AARCH64, 0, size);
	put_lsda(file, &v, &form, 0);
	d = dso_of(file, seg, EM_AARCH64);
	assert_true(unwind_read(&u, &d));
	assert_true(unwind_landing_pad(&u, &d, CODE + 0x10, &pad));
	/* the file ends in the second call */
	u.v[0].lsda = SIZE - 11;
	memcpy(file + SIZE - 11, file + LSDA, 11);
	assert_false(unwind_landing_pad(&u, &d, CODE + 0x10, &pad));
	file[SIZE - 8] = 7;
	assert_true(unwind_landing_pad(&u, &d, CODE + 0x10, &pad));
	/* the table does: the first one is there */
	u.v[0].lsda = LSDA;
	file[LSDA + 3] = 7;
	assert_true(unwind_landing_pad(&u, &d, CODE + 0x10, &pad));
	assert_false(unwind_landing_pad(&u, &d, CODE + 0x20, &pad));
	file[LSDA + 3] = 8;
	assert_true(unwind_landing_pad(&u, &d, CODE + 0x20, &pad));
	assert_false(unwind_landing_pad(&u, &d, CODE + 0x34, &pad));
	/* a pad that is not in the file */
	file[LSDA + 4 + 2] = 0xff;
	file[LSDA + 4 + 3] = 0x7f;
	assert_false(unwind_landing_pad(&u, &d, CODE + 0x10, &pad));
	unwind_free(&u);
}

/* A CIE of this augmentation, with code and landing pads relative to their own places. */
static uint8_t *put_cie(struct out *o, const char *augmentation)
{
	uint8_t *length = o->p, *number;
	const char *a;

	put(o, 4, 0);
	put(o, 4, 0);
	put(o, 1, 1);
	memcpy(o->p, augmentation, strlen(augmentation) + 1);
	o->p += strlen(augmentation) + 1;
	put_leb(o, 4);
	put_leb(o, 0x78);
	put(o, 1, 30);
	number = o->p++;
	for (a = augmentation + 1; *a; a++)
		if (*a == 'L' || *a == 'R')
			put(o, 1, 0x1b);
	*number = (uint8_t)(o->p - number - 1);
	end_of_length(o, length);
	return length;
}

/* What one CIE says does not hold for the entries of the next one. */
static void several_cies(void **state)
{
	static const struct variant v = { .wide = true, .section = true };
	static const struct {
		const char *augmentation;
		uint8_t code_enc;
		bool lsda, part;
	} rows[] = {
		{ "zLRS", 0x1b, true, false }, { "zR", 0x1b, false, true }, { "zLRS", 0x1b, true, false }, { "zL", 0x00, true, true },
		{ "zR", 0x1b, false, true }, { "zRS", 0x1b, false, false }, { "zLR", 0x1b, true, true },
	};
	enum { N = sizeof(rows) / sizeof(rows[0]) };
	static uint8_t file[SIZE];
	struct dso_segment seg[2];
	struct out o = at(file, &v, TABLE);
	uint8_t *cie, *length;
	struct unwind u;
	struct dso d;
	size_t i;

	(void)state;
	memset(file, 0, sizeof(file));
	for (i = 0; i < N; i++) {
		cie = put_cie(&o, rows[i].augmentation);
		length = o.p;
		put(&o, 4, 0);
		put(&o, 4, (uint64_t)(o.p - cie));
		put_pointer(&o, rows[i].code_enc, CODE + 16 * i);
		put_number(&o, rows[i].code_enc, 16);
		put_leb(&o, rows[i].lsda ? 4 : 0);
		if (rows[i].lsda)
			put_pointer(&o, 0x1b, LSDA);
		/* a frame of 16 bytes; read as a pointer it is in the file, too */
		put(&o, 4, 0x100e);
		put(&o, 4, 0);
		end_of_length(&o, length);
	}
	put(&o, 4, 0);
	put_headers(file, &v, EM_AARCH64, 0, (size_t)(o.p - file) - TABLE);
	d = dso_of(file, seg, EM_AARCH64);
	d.nr_segs = 2;
	assert_true(unwind_read(&u, &d));
	assert_int_equal(u.nr, N);
	for (i = 0; i < N; i++) {
		assert_int_equal(u.v[i].start, CODE + 16 * i);
		assert_int_equal(u.v[i].end, CODE + 16 * i + 16);
		if (u.v[i].lsda != (rows[i].lsda ? LSDA : 0) || u.v[i].part != rows[i].part)
			fail_msg("entry %zu: pads at 0x%llx,%s part", i, (unsigned long long)u.v[i].lsda, u.v[i].part ? "" : " no");
	}
	unwind_free(&u);
}

/* Where a program begins: bit 0 of an Arm address is no part of it. */
static void entries(void **state)
{
	static const struct {
		uint16_t machine;
		uint64_t addr, entry;	/* UINT64_MAX: none */
	} rows[] = {
		{ EM_AARCH64, VADDR + CODE, CODE }, { EM_ARM, VADDR + CODE, CODE }, { EM_ARM, VADDR + CODE + 1, CODE },
		{ EM_ARM, VADDR + CODE + 3, CODE + 2 }, { EM_AARCH64, VADDR + CODE + 1, CODE + 1 }, { EM_AARCH64, 0, UINT64_MAX },
		{ EM_ARM, 1, UINT64_MAX }, { EM_AARCH64, VADDR - 4, UINT64_MAX }, { EM_AARCH64, VADDR + SIZE, UINT64_MAX },
		{ EM_AARCH64, VADDR + SIZE - 4, SIZE - 4 },
	};
	static uint8_t file[SIZE];
	struct variant v = { .code_enc = 0x1b, .lsda_enc = 0x1b };
	struct dso_segment seg[2];
	struct unwind u;
	struct dso d;
	uint64_t entry;
	size_t i;

	(void)state;
	for (i = 0; i < 4 * sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t row = i / 4;

		v.wide = i & 1;
		memset(file, 0, sizeof(file));
		put_headers(file, &v, rows[row].machine, rows[row].addr, 0);
		if (i & 2)	/* no program headers: nothing names a table */
			memset(file + (v.wide ? 56 : 44), 0, 2);
		d = dso_of(file, seg, rows[row].machine);
		assert_true(unwind_read(&u, &d));
		assert_int_equal(u.nr, 0);
		if (u.entry != rows[row].entry)
			fail_msg("row %zu: begins at 0x%llx", row, (unsigned long long)u.entry);
		assert_int_equal(unwind_entry(&d, &entry), rows[row].entry != UINT64_MAX);
		if (rows[row].entry != UINT64_MAX)
			assert_int_equal(entry, rows[row].entry);
		unwind_free(&u);
	}
	/* a module, a file that is not loaded, and one that is no ELF file begin nowhere */
	v.wide = true;
	put_headers(file, &v, EM_AARCH64, VADDR + CODE, 0);
	for (i = 0; i < 4; i++) {
		d = dso_of(file, seg, EM_AARCH64);
		if (i == 1)
			d.kind = DSO_MODULE;
		if (i == 2)
			d.state = DSO_REFUSED;
		if (i == 3)
			d.is_elf = false;
		assert_int_equal(unwind_entry(&d, &entry), i == 0);
		assert_true(unwind_read(&u, &d));
		assert_true(u.entry == (i ? UINT64_MAX : CODE));
		assert_int_equal(dso_begins_program(&d, CODE), i == 0);
		assert_false(dso_begins_program(&d, CODE + 4));
		function_table_free(d.functions);
		free(d.syms);
		free(d.names);
		unwind_free(&u);
	}
}

/*
 * Functions by symbols: of one start the first, names of parts, names that return twice, functions inside of others, and
 * symbols without a size, which extend to what follows.
 */
static void functions_of_symbols(void **state)
{
	static struct dso_symbol_entry syms[] = {
		{ .offset = 0x100, .size = 0x40, .name = "outer" }, { .offset = 0x100, .size = 0x20, .name = "setjmp" },
		{ .offset = 0x110, .size = 8, .name = "inner" }, { .offset = 0x120, .size = 0, .name = "label_inside" },
		{ .offset = 0x140, .size = 0, .name = "label" }, { .offset = 0x140, .size = 0, .name = "alias" },
		{ .offset = 0x150, .size = 0, .name = "getcontext" }, { .offset = 0x158, .size = 8, .name = "f.cold" },
		{ .offset = 0x160, .size = 8, .name = "f.cold.12" }, { .offset = 0x168, .size = 8, .name = "f.colder" },
		{ .offset = 0x170, .size = 8, .name = "_sigsetjmp" }, { .offset = 0x178, .size = 8, .name = "longjmp" },
		{ .offset = 0x190, .size = 0, .name = "last_label" },
	};
	static const struct {
		uint64_t offset, start, end;	/* end 0: none */
		bool part, sets_jump;
	} rows[] = {
		{ 0xff, 0, 0, 0, 0 }, { 0x100, 0x100, 0x140, false, true }, { 0x10f, 0x100, 0x140, false, true },
		{ 0x110, 0x110, 0x118, false, false }, { 0x117, 0x110, 0x118, false, false }, { 0x118, 0x100, 0x140, false, true },
		{ 0x120, 0x100, 0x140, false, true }, { 0x13f, 0x100, 0x140, false, true }, { 0x140, 0x140, 0x150, false, false },
		{ 0x14f, 0x140, 0x150, false, false }, { 0x150, 0x150, 0x158, false, true }, { 0x158, 0x158, 0x160, true, false },
		{ 0x160, 0x160, 0x168, true, false }, { 0x168, 0x168, 0x170, false, false }, { 0x170, 0x170, 0x178, false, true },
		{ 0x178, 0x178, 0x180, false, false }, { 0x180, 0, 0, 0, 0 }, { 0x190, 0, 0, 0, 0 }, { 0x200, 0, 0, 0, 0 },
	};
	struct dso d = { .path = "/a", .state = DSO_LOADED, .symbols_read = true, .syms = syms,
			 .nr_syms = sizeof(syms) / sizeof(syms[0]) };
	struct dso_function f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (dso_function(&d, rows[i].offset, &f) != (rows[i].end != 0))
			fail_msg("0x%llx is in %s function", (unsigned long long)rows[i].offset, rows[i].end ? "no" : "a");
		if (rows[i].end && (f.start != rows[i].start || f.end != rows[i].end || f.part != rows[i].part ||
				    f.sets_jump != rows[i].sets_jump))
			fail_msg("0x%llx is in 0x%llx to 0x%llx%s%s", (unsigned long long)rows[i].offset, (unsigned long long)f.start,
				 (unsigned long long)f.end, f.part ? ", a part" : "", f.sets_jump ? ", which sets a jump" : "");
	}
	assert_false(dso_begins_program(&d, 0x100));
	function_table_free(d.functions);
	/* what is not looked for yet has none */
	d = (struct dso){ .path = "/a", .state = DSO_UNTRIED, .syms = syms, .nr_syms = 1, .symbols_read = true };
	assert_false(dso_function(&d, 0x100, &f));
	assert_null(d.functions);
}

/* Of functions inside of others the innermost is found, up to sixteen that end before. */
static void nested_functions(void **state)
{
	static struct dso_symbol_entry syms[18];
	struct dso_function f;
	unsigned int n, i;

	(void)state;
	for (n = 14; n <= 17; n++) {
		struct dso d = { .path = "/a", .state = DSO_LOADED, .symbols_read = true, .syms = syms, .nr_syms = n + 1 };

		syms[0] = (struct dso_symbol_entry){ .offset = 0x100, .size = 0x1000, .name = "outer" };
		for (i = 1; i <= n; i++)
			syms[i] = (struct dso_symbol_entry){ .offset = 0x100 + 16 * i, .size = 8, .name = "inner" };
		assert_true(dso_function(&d, 0x100 + 16 * n + 4, &f));
		assert_int_equal(f.start, 0x100 + 16 * n);
		if (dso_function(&d, 0x100 + 16 * n + 8, &f) != (n < 16))
			fail_msg("behind %u functions the outer one is%s found", n, n < 16 ? " not" : "");
		if (n < 16)
			assert_int_equal(f.start, 0x100);
		function_table_free(d.functions);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(landing_pads), cmocka_unit_test(cut_pads), cmocka_unit_test(several_cies), cmocka_unit_test(entries),
		cmocka_unit_test(functions_of_symbols), cmocka_unit_test(nested_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
