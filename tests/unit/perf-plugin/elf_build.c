/* SPDX-License-Identifier: BSD-3-Clause */
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "elf_build.h"

struct elf_file {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	struct {
		Elf64_Nhdr h;
		char name[4];
		uint8_t id[20];
	} note;
	Elf64_Sym sym[6];
	char strings[64];
	char section_names[32];
	uint8_t pad[4];
	Elf64_Shdr sh[6];
};

static const char names[] = "\0_text\0second\0$x\0label\0alias";

static void fill_elf(struct elf_file *f, uint16_t machine, uint8_t id, bool code)
{
	const struct {
		uint32_t name;
		uint8_t info;
		uint64_t value, size;
	} sym[5] = {
		{ 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), ELF_CODE_VADDR, 16 },
		{ 7, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), ELF_CODE_VADDR + 32, 8 },
		{ 14, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), ELF_CODE_VADDR, 0 },
		{ 17, ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE), ELF_CODE_VADDR + 48, 0 },
		{ 23, ELF64_ST_INFO(STB_WEAK, STT_FUNC), ELF_CODE_VADDR + 32, 8 },
	};
	unsigned int i;

	memset(f, 0, sizeof(*f));
	memcpy(f->eh.e_ident, ELFMAG, SELFMAG);
	f->eh.e_ident[EI_CLASS] = ELFCLASS64;
	f->eh.e_ident[EI_DATA] = ELFDATA2LSB;
	f->eh.e_ident[EI_VERSION] = EV_CURRENT;
	f->eh.e_type = ET_EXEC;
	f->eh.e_machine = machine;
	f->eh.e_version = EV_CURRENT;
	f->eh.e_phoff = offsetof(struct elf_file, ph);
	f->eh.e_shoff = offsetof(struct elf_file, sh);
	f->eh.e_ehsize = sizeof(f->eh);
	f->eh.e_phentsize = sizeof(f->ph[0]);
	f->eh.e_phnum = 2;
	f->eh.e_shentsize = sizeof(f->sh[0]);
	f->eh.e_shnum = 6;
	f->eh.e_shstrndx = 4;
	f->ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = ELF_FIRST_VADDR,
				 .p_filesz = ELF_SIZE, .p_memsz = ELF_SIZE, .p_align = 0x1000 };
	f->ph[1] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = offsetof(struct elf_file, note),
				 .p_filesz = sizeof(f->note), .p_memsz = sizeof(f->note), .p_align = 4 };
	f->note.h = (Elf64_Nhdr){ 4, 20, NT_GNU_BUILD_ID };
	memcpy(f->note.name, "GNU", 4);
	memset(f->note.id, id, 20);
	for (i = 0; i < 5; i++) {
		f->sym[i + 1].st_name = sym[i].name;
		f->sym[i + 1].st_info = sym[i].info;
		f->sym[i + 1].st_shndx = 1;
		f->sym[i + 1].st_value = sym[i].value;
		f->sym[i + 1].st_size = sym[i].size;
	}
	memcpy(f->strings, names, sizeof(names));
	memcpy(f->section_names, "\0.text\0.symtab\0.strtab\0.note", 29);
	f->sh[1] = (Elf64_Shdr){ .sh_name = 1, .sh_type = code ? SHT_PROGBITS : SHT_NOBITS,
				 .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = ELF_CODE_VADDR,
				 .sh_offset = ELF_CODE_OFFSET, .sh_size = 64 };
	f->sh[2] = (Elf64_Shdr){ .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_link = 3,
				 .sh_offset = offsetof(struct elf_file, sym), .sh_size = sizeof(f->sym),
				 .sh_entsize = sizeof(f->sym[0]) };
	f->sh[3] = (Elf64_Shdr){ .sh_name = 15, .sh_type = SHT_STRTAB,
				 .sh_offset = offsetof(struct elf_file, strings),
				 .sh_size = sizeof(f->strings) };
	f->sh[4] = (Elf64_Shdr){ .sh_name = 15, .sh_type = SHT_STRTAB,
				 .sh_offset = offsetof(struct elf_file, section_names),
				 .sh_size = sizeof(f->section_names) };
	f->sh[5] = (Elf64_Shdr){ .sh_name = 23, .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC,
				 .sh_offset = offsetof(struct elf_file, note),
				 .sh_size = sizeof(f->note), .sh_addralign = 4 };
}

void elf_build(uint8_t image[ELF_SIZE], uint16_t machine, uint8_t id, bool code)
{
	static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };	/* nop; b .-4 */
	struct elf_file f;

	_Static_assert(sizeof(f) <= ELF_CODE_OFFSET, "headers in front of the code");
	fill_elf(&f, machine, id, code);
	memset(image, 0, ELF_SIZE);
	memcpy(image, &f, sizeof(f));
	memcpy(image + ELF_CODE_OFFSET, loop, sizeof(loop));
}
