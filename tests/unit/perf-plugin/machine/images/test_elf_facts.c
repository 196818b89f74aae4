/* SPDX-License-Identifier: BSD-3-Clause */
/* What an ELF file holds for readers of profiles: small files made here, each with the sections of its case. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>
#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/elf_facts.h"
#include "parts.h"

struct part {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint32_t link, info;
	uint64_t entsize;
	const void *bytes;
	size_t len;
};

#define MAX_PARTS	6
#define IMAGE		4096u

static _Alignas(8) uint8_t image[IMAGE];

/* Section numbers: 0 none, 1 names of sections, 2 .text, then the parts. Returns the size of the file. */
static size_t build(uint16_t type, const struct part *part, unsigned int n)
{
	static const struct part text = { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, .bytes = "\x1f\x20\x03\xd5",
					  .len = 4 };
	Elf64_Shdr *sh = (void *)(image + sizeof(Elf64_Ehdr));
	size_t at = sizeof(Elf64_Ehdr) + (MAX_PARTS + 3) * sizeof(*sh), name = 1;
	Elf64_Ehdr eh = { .e_type = type, .e_machine = EM_AARCH64, .e_version = EV_CURRENT,
			  .e_shoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(eh), .e_shentsize = sizeof(*sh),
			  .e_shnum = (uint16_t)(n + 3), .e_shstrndx = 1 };
	const struct part *p;
	char *strings;
	unsigned int i;

	memset(image, 0, sizeof(image));
	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(image, &eh, sizeof(eh));
	strings = (char *)image + at;
	sh[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = 128 };
	at += 128;
	for (i = 0; i <= n; i++) {
		p = i ? &part[i - 1] : &text;
		at = (at + 7) & ~(size_t)7;
		sh[2 + i] = (Elf64_Shdr){ .sh_name = (uint32_t)name, .sh_type = p->type, .sh_flags = p->flags,
					  .sh_link = p->link, .sh_info = p->info, .sh_entsize = p->entsize,
					  .sh_offset = at, .sh_size = p->len };
		strcpy(strings + name, p->name);
		name += strlen(p->name) + 1;
		assert_true(name < 128 && at + p->len <= sizeof(image));
		if (p->bytes)
			memcpy(image + at, p->bytes, p->len);
		at += p->len;
	}
	return at;
}

static struct elf_facts facts_of(uint16_t type, const struct part *part, unsigned int n)
{
	struct elf_facts f;

	assert_true(elf_facts_read(image, build(type, part, n), &f));
	return f;
}

static struct elf_facts with_info(const char *name, uint64_t flags, const void *bytes, size_t len)
{
	const struct part p = { name, SHT_PROGBITS, flags, .bytes = bytes, .len = len };

	return facts_of(ET_DYN, &p, 1);
}

/* Units of 12 bytes: version 4, 5, 3. */
static const uint8_t units[] = {
	8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1,
	8, 0, 0, 0, 5, 0, 1, 8, 0, 0, 0, 0,
	8, 0, 0, 0, 3, 0, 0, 0, 0, 0, 8, 1,
};

static void expect_dwarf(struct elf_facts f, unsigned int low, unsigned int high)
{
	assert_int_equal(f.dwarf_low, low);
	assert_int_equal(f.dwarf_high, high);
}

static void not_elf(void **state)
{
	_Alignas(8) static const uint8_t text[64] = "#!/bin/sh";
	struct elf_facts f = { .symtab = true, .dwarf_low = 4 };

	(void)state;
	assert_false(elf_facts_read(text, sizeof(text), &f));
	assert_false(f.symtab);
	expect_dwarf(f, 0, 0);
	assert_false(elf_facts_read(NULL, 0, &f));
	assert_false(elf_facts_read("\177ELF\2\1\1", 7, &f));
}

static void versions(void **state)
{
	static const uint8_t dwarf64[] = { 0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0,
					   2, 0, 0, 0, 2, 0 };
	uint8_t cut[sizeof(units)];

	(void)state;
	expect_dwarf(with_info(".debug_info", 0, units, sizeof(units)), 3, 5);
	expect_dwarf(with_info(".debug_info", 0, units, 12), 4, 4);
	expect_dwarf(with_info(".debug_info", 0, units + 12, 12), 5, 5);
	expect_dwarf(with_info(".debug_info", 0, dwarf64, sizeof(dwarf64)), 2, 5);
	expect_dwarf(with_info(".debug_line", 0, units, sizeof(units)), 0, 0);
	expect_dwarf(with_info(".debug_info", 0, NULL, 0), 0, 0);
	/* The unit that is not complete does not count, nor one of length 0, of a reserved length or version. */
	expect_dwarf(with_info(".debug_info", 0, units, sizeof(units) - 1), 4, 5);
	expect_dwarf(with_info(".debug_info", 0, units, 17), 4, 4);
	memcpy(cut, units, sizeof(cut));
	cut[12] = 0;
	expect_dwarf(with_info(".debug_info", 0, cut, sizeof(cut)), 4, 4);
	memset(cut + 12, 0xf0, 4);
	memset(cut + 13, 0xff, 3);
	expect_dwarf(with_info(".debug_info", 0, cut, sizeof(cut)), 4, 4);
	memcpy(cut, units, sizeof(cut));
	cut[4] = 6;
	expect_dwarf(with_info(".debug_info", 0, cut, sizeof(cut)), 3, 5);
}

/* Units that are no longer than their heads, and those that end before. */
static void short_units(void **state)
{
	static const uint8_t unit[] = { 2, 0, 0, 0, 4, 0 }, too_short[] = { 1, 0, 0, 0, 4, 0, 2, 0, 0, 0, 4, 0 };
	static const uint8_t unit64[] = { 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 5, 0 };
	static const uint8_t reserved[] = { 0xef, 0xff, 0xff, 0xff, 4, 0 };

	(void)state;
	expect_dwarf(with_info(".debug_info", 0, unit, sizeof(unit)), 4, 4);
	expect_dwarf(with_info(".debug_info", 0, unit, sizeof(unit) - 1), 0, 0);
	expect_dwarf(with_info(".debug_info", 0, too_short, sizeof(too_short)), 0, 0);
	expect_dwarf(with_info(".debug_info", 0, unit64, sizeof(unit64)), 5, 5);
	expect_dwarf(with_info(".debug_info", 0, unit64, sizeof(unit64) - 1), 0, 0);
	expect_dwarf(with_info(".debug_info", 0, unit64, 6), 0, 0);
	expect_dwarf(with_info(".debug_info", 0, reserved, sizeof(reserved)), 0, 0);
}

static void big_endian(void **state)
{
	static const uint8_t info[] = { 0, 0, 0, 8, 0, 4, 0, 0, 0, 0, 8, 1 };
	_Alignas(8) uint8_t file[512] = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2MSB, EV_CURRENT };
	static const char names[] = "\0.debug_info";
	Elf32_Ehdr *eh = (void *)file;
	Elf32_Shdr *sh = (void *)(file + 64);
	struct elf_facts f;

	(void)state;
	eh->e_type = __builtin_bswap16(ET_EXEC);
	eh->e_machine = __builtin_bswap16(EM_ARM);
	eh->e_version = __builtin_bswap32(EV_CURRENT);
	eh->e_shoff = __builtin_bswap32(64);
	eh->e_ehsize = __builtin_bswap16(sizeof(*eh));
	eh->e_shentsize = __builtin_bswap16(sizeof(*sh));
	eh->e_shnum = __builtin_bswap16(3);
	eh->e_shstrndx = __builtin_bswap16(1);
	sh[1] = (Elf32_Shdr){ .sh_type = __builtin_bswap32(SHT_STRTAB), .sh_offset = __builtin_bswap32(256),
			      .sh_size = __builtin_bswap32(sizeof(names)) };
	sh[2] = (Elf32_Shdr){ .sh_name = __builtin_bswap32(1), .sh_type = __builtin_bswap32(SHT_PROGBITS),
			      .sh_offset = __builtin_bswap32(300), .sh_size = __builtin_bswap32(sizeof(info)) };
	memcpy(file + 256, names, sizeof(names));
	memcpy(file + 300, info, sizeof(info));
	assert_true(elf_facts_read(file, sizeof(file), &f));
	assert_true(f.linked);
	expect_dwarf(f, 4, 4);
}

/* Of a compressed section the first unit counts. */
static void compressed(void **state)
{
	uint8_t buf[256] = { 0 };
	Elf64_Chdr *c = (void *)buf;
	uLongf len = sizeof(buf) - sizeof(*c);
	size_t n;

	(void)state;
	NEEDS(ZSTD);
	c->ch_type = ELFCOMPRESS_ZLIB;
	c->ch_size = sizeof(units);
	assert_int_equal(compress(buf + sizeof(*c), &len, units, sizeof(units)), Z_OK);
	expect_dwarf(with_info(".debug_info", SHF_COMPRESSED, buf, sizeof(*c) + len), 4, 4);
	c->ch_type = 99;
	expect_dwarf(with_info(".debug_info", SHF_COMPRESSED, buf, sizeof(*c) + len), 0, 0);
	c->ch_type = 2;	/* zstd, and these bytes are not */
	expect_dwarf(with_info(".debug_info", SHF_COMPRESSED, buf, sizeof(*c) + len), 0, 0);
	n = ZSTD_compress(buf + sizeof(*c), sizeof(buf) - sizeof(*c), units + 12, sizeof(units) - 12, 1);
	assert_false(ZSTD_isError(n));
	expect_dwarf(with_info(".debug_info", SHF_COMPRESSED, buf, sizeof(*c) + n), 5, 5);
	expect_dwarf(with_info(".debug_info", SHF_COMPRESSED, buf, sizeof(*c)), 0, 0);
	memcpy(buf, "ZLIB\0\0\0\0\0\0\0\44", 12);
	len = sizeof(buf) - 12;
	assert_int_equal(compress(buf + 12, &len, units + 24, 12), Z_OK);
	expect_dwarf(with_info(".zdebug_info", 0, buf, 12 + len), 3, 3);
	buf[12] ^= 0xff;
	expect_dwarf(with_info(".zdebug_info", 0, buf, 12 + len), 0, 0);
	expect_dwarf(with_info(".zdebug_info", 0, buf, 12), 0, 0);
}

static void relocations(void **state)
{
	static const Elf64_Rela rela = { .r_offset = 0 };
	struct part p = { ".rela.text", SHT_RELA, 0, .link = 1, .info = 2, .entsize = sizeof(rela), .bytes = &rela,
			  .len = sizeof(rela) };
	struct part two[2];

	(void)state;
	assert_true(facts_of(ET_DYN, &p, 1).relocs);
	assert_true(facts_of(ET_EXEC, &p, 1).relocs);
	/* other sections behind it change nothing of that */
	two[0] = two[1] = p;
	two[1].info = 1;
	assert_true(facts_of(ET_DYN, two, 2).relocs);
	two[1] = (struct part){ ".comment", SHT_PROGBITS, 0, .bytes = "x", .len = 1 };
	assert_true(facts_of(ET_DYN, two, 2).relocs);
	/* An unlinked file has them by nature. */
	assert_false(facts_of(ET_REL, &p, 1).relocs);
	assert_false(facts_of(ET_REL, &p, 1).linked);
	/* Those of the dynamic linker, and those of data. */
	p.flags = SHF_ALLOC;
	assert_false(facts_of(ET_DYN, &p, 1).relocs);
	p.flags = 0;
	p.info = 1;
	assert_false(facts_of(ET_DYN, &p, 1).relocs);
	p.info = 77;
	assert_false(facts_of(ET_DYN, &p, 1).relocs);
}

static void links(void **state)
{
	struct part p = { ".gnu_debuglink", SHT_PROGBITS, 0, .bytes = "prog.debug\0\0CRC4", .len = 16 };
	char name[sizeof(((struct elf_facts *)0)->debuglink) + 1];
	size_t size;
	struct elf_facts f;

	(void)state;
	assert_string_equal(facts_of(ET_DYN, &p, 1).debuglink, "prog.debug");
	/* the longest that is kept, and a longer one */
	memset(name, 'n', sizeof(name));
	p.bytes = name;
	p.len = sizeof(f.debuglink);
	name[p.len - 1] = '\0';
	assert_int_equal(strlen(facts_of(ET_DYN, &p, 1).debuglink), sizeof(f.debuglink) - 1);
	name[p.len - 1] = 'n';
	name[p.len++] = '\0';
	assert_string_equal(facts_of(ET_DYN, &p, 1).debuglink, "");
	p.bytes = "prog.debug\0\0CRC4";
	p.len = 10;	/* without the 0 that ends the name */
	assert_string_equal(facts_of(ET_DYN, &p, 1).debuglink, "");
	/* A section that is not in the file. */
	p.len = 16;
	size = build(ET_DYN, &p, 1);
	assert_true(elf_facts_read(image, size - 1, &f));
	assert_string_equal(f.debuglink, "");
}

static void stubs(void **state)
{
	static const char code[32] = { 0 };
	struct part p[6] = {
		{ ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, .bytes = code, .len = 16 },
		{ ".iplt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, .bytes = code, .len = 8 },
		{ ".plt.got", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, .bytes = code, .len = 4 },
		{ ".plt.sec", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, .bytes = code, .len = 32 },
		{ ".got.plt", SHT_PROGBITS, SHF_ALLOC, .bytes = code, .len = 32 },
		{ ".plt", SHT_PROGBITS, SHF_ALLOC, .bytes = code, .len = 32 },	/* no code: PowerPC has one */
	};
	static const uint64_t want[] = { 16, 8, 4, 32 };
	struct dso d = { .state = DSO_LOADED,
			 .image.is_elf = true,
			 .image.data = image,
			 .image.size = build(ET_DYN, p, 6) };
	struct elf_part found[ELF_MAX_STUBS];
	Elf64_Shdr *sh = (void *)(image + sizeof(Elf64_Ehdr));
	unsigned int i;

	(void)state;
	assert_int_equal(dso_stubs(&d, found), 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(found[i].size, want[i]);
		assert_int_equal(found[i].offset, sh[3 + i].sh_offset);
	}
	sh[3].sh_size = sizeof(image);	/* not in the file */
	assert_int_equal(dso_stubs(&d, found), 3);
	d.state = DSO_MISSING;
	assert_int_equal(dso_stubs(&d, found), 0);
	d.state = DSO_LOADED;
	((Elf64_Ehdr *)image)->e_shnum = 0;
	assert_int_equal(dso_stubs(&d, found), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_elf), cmocka_unit_test(versions),
		cmocka_unit_test(short_units), cmocka_unit_test(big_endian),
		cmocka_unit_test(compressed), cmocka_unit_test(relocations),
		cmocka_unit_test(links), cmocka_unit_test(stubs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
