/* SPDX-License-Identifier: BSD-3-Clause */
/* The linker's stubs of A64 programs have the names of what they call. The files are made here. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/images/dso.h"
#include "machine/images/functions.h"
#include "machine/images/stubs.h"

#define IMAGE	0x2000u
#define BASE	0x10000u	/* address of offset 0 */
#define INIT	0x400u
#define PLT	0x440u
#define TEXT	0x500u
#define GOT	0x1800u

static _Alignas(8) uint8_t image[IMAGE];

enum { NONE, STRINGS, SYMBOLS, NAMES, RELOCS, S_INIT, S_PLT, S_TEXT, NR_SECTIONS };

static void put(uint32_t at, uint32_t op)
{
	memcpy(image + at, &op, 4);
}

/* A file of 64 bits. `type`: SHT_SYMTAB or SHT_DYNSYM. */
static struct dso build(uint32_t type)
{
	static const char strings[] = "\0.plt\0.text\0.init";
	/* offsets:                     1     6     12 */
	static const char names[] = "\0puts\0memcpy\0_init\0label\0sized";
	/* offsets:                   1     6       13     19     25 */
	const Elf64_Sym syms[] = {
		{ .st_name = 0 },
		{ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) },
		{ .st_name = 6, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) },
		{ .st_name = 13, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = S_INIT, .st_value = BASE + INIT },
		{ .st_name = 19, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = S_TEXT, .st_value = BASE + TEXT },
		{ .st_name = 25, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = S_TEXT, .st_value = BASE + TEXT + 0x40, .st_size = 0x20 },
	};
	/* the first stub is that of the second relocation */
	const Elf64_Rela relocs[] = {
		{ .r_offset = BASE + GOT, .r_info = ELF64_R_INFO(1, R_AARCH64_JUMP_SLOT) },
		{ .r_offset = BASE + GOT + 8, .r_info = ELF64_R_INFO(2, R_AARCH64_JUMP_SLOT) },
	};
	const Elf64_Shdr sh[NR_SECTIONS] = {
		[STRINGS] = { .sh_type = SHT_STRTAB, .sh_offset = 0x1000, .sh_size = sizeof(strings) },
		[SYMBOLS] = { .sh_type = type, .sh_offset = 0x1100, .sh_size = sizeof(syms), .sh_link = NAMES, .sh_entsize = sizeof(syms[0]) },
		[NAMES] = { .sh_type = SHT_STRTAB, .sh_offset = 0x1200, .sh_size = sizeof(names) },
		[RELOCS] = { .sh_type = SHT_RELA, .sh_flags = SHF_ALLOC, .sh_offset = 0x1300, .sh_size = sizeof(relocs), .sh_link = SYMBOLS,
			     .sh_entsize = sizeof(relocs[0]) },
		[S_INIT] = { .sh_name = 12, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = BASE + INIT,
			     .sh_offset = INIT, .sh_size = 0x18 },
		[S_PLT] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = BASE + PLT, .sh_offset = PLT,
			    .sh_size = 0x44 },
		[S_TEXT] = { .sh_name = 6, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = BASE + TEXT,
			     .sh_offset = TEXT, .sh_size = 0x100 },
	};
	const Elf64_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = BASE, .p_filesz = IMAGE, .p_memsz = IMAGE };
	Elf64_Ehdr eh = { .e_type = ET_DYN, .e_machine = EM_AARCH64, .e_version = EV_CURRENT, .e_phoff = 0x80, .e_shoff = 0x100,
			  .e_ehsize = sizeof(eh), .e_phentsize = sizeof(ph), .e_phnum = 1, .e_shentsize = sizeof(sh[0]),
			  .e_shnum = NR_SECTIONS, .e_shstrndx = STRINGS };
	struct dso d = { .path = (char *)"/bin/x",
			 .image.file = (char *)"/bin/x",
			 .image.data = image,
			 .image.size = sizeof(image) };

	memset(image, 0, sizeof(image));
	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(image, &eh, sizeof(eh));
	memcpy(image + 0x80, &ph, sizeof(ph));
	memcpy(image + 0x100, sh, sizeof(sh));
	memcpy(image + 0x1000, strings, sizeof(strings));
	memcpy(image + 0x1100, syms, sizeof(syms));
	memcpy(image + 0x1200, names, sizeof(names));
	memcpy(image + 0x1300, relocs, sizeof(relocs));
	/* the head of a PLT: its word has no relocation */
	put(PLT + 4, 0xb0000010);
	put(PLT + 8, 0xf943fa11);
	/* bti c; adrp x16, BASE + 0x1000; ldr x17, [x16, 0x808]; add x16, x16, 0x808; br x17 */
	put(PLT + 0x1c, 0xd503245f);
	put(PLT + 0x20, 0xb0000010);
	put(PLT + 0x24, 0xf9440611);
	put(PLT + 0x2c, 0xd61f0220);
	/* without bti, [x16, 0x800] */
	put(PLT + 0x30, 0xb0000010);
	put(PLT + 0x34, 0xf9440211);
	assert_int_equal(dso_read_elf(&d), DSO_FINE);
	d.state = DSO_LOADED;
	d.image.is_elf = true;
	return d;
}

static void drop(struct dso *d)
{
	function_table_free(d->symbols.functions);
	stubs_free(d->symbols.stubs);
	free(d->image.segs);
	free(d->symbols.syms);
	free(d->symbols.names);
}

static void named(struct dso *d, uint64_t offset, const char *want, uint64_t start)
{
	const char *name = NULL;
	uint64_t at, size;

	if (!dso_symbol(d, offset, &name, &at, &size))
		name = NULL;
	if (!want && name)
		fail_msg("%#llx is %s+%#llx, expected no name", (unsigned long long)offset, name, (unsigned long long)(offset - at));
	if (!want)
		return;
	if (!name || strcmp(name, want) || at != start || offset - at >= size)
		fail_msg("%#llx is %s, expected %s", (unsigned long long)offset, name ? name : "without a name", want);
}

/* Each stub has the name of the word that it loads; the head of the PLT has none, nor what is between sections. */
static void stubs(void **state)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct dso d = build(types[i]);
		uint64_t start = 0, end = IMAGE;

		named(&d, PLT, NULL, 0);
		named(&d, PLT + 8, NULL, 0);
		named(&d, PLT + 0x1c, "memcpy@plt", PLT + 0x1c);
		named(&d, PLT + 0x2c, "memcpy@plt", PLT + 0x1c);
		named(&d, PLT + 0x30, "puts@plt", PLT + 0x30);
		named(&d, PLT + 0x40, "puts@plt", PLT + 0x30);
		named(&d, PLT + 0x44, NULL, 0);
		stubs_between(&d, PLT + 8, &start, &end);
		assert_int_equal(start, 0);
		assert_int_equal(end, PLT + 0x1c);
		end = IMAGE;
		stubs_between(&d, PLT + 0x48, &start, &end);
		assert_int_equal(start, PLT + 0x44);
		assert_int_equal(end, IMAGE);
		drop(&d);
	}
}

/* Relocations and stubs beyond the file, or without instructions that fit, give no names. */
static void damaged(void **state)
{
	struct dso d;
	unsigned int at;

	(void)state;
	for (at = 0x100; at < 0x100 + NR_SECTIONS * sizeof(Elf64_Shdr); at++) {
		const char *name;
		uint64_t start, size, offset;
		uint8_t was;

		d = build(SHT_DYNSYM);
		was = image[at];
		image[at] = 0xff;
		for (offset = 0; offset < IMAGE; offset += 4)
			if (dso_symbol(&d, offset, &name, &start, &size))
				assert_true(strlen(name) < 16 && start <= offset && offset - start < size);
		image[at] = was;
		drop(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stubs), cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
