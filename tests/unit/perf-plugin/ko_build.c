/* SPDX-License-Identifier: BSD-3-Clause */
#include <elf.h>
#include <string.h>

#include "ko_build.h"

#define MAX_SECTIONS 32u

static uint32_t add_name(struct pdb *strings, const char *name)
{
	uint32_t at = (uint32_t)strings->len;

	pdb_bytes(strings, name, strlen(name) + 1);
	return at;
}

static void align8(struct pdb *b)
{
	pdb_zero(b, -b->len & 7);
}

void ko_build(struct pdb *out, const struct ko *ko)
{
	Elf64_Ehdr eh = { .e_type = ET_REL, .e_machine = EM_AARCH64, .e_version = EV_CURRENT,
			  .e_ehsize = sizeof(eh), .e_shentsize = sizeof(Elf64_Shdr) };
	Elf64_Shdr sh[MAX_SECTIONS] = { { 0 } };
	struct pdb names = { 0 }, strings = { 0 };
	unsigned int n = (unsigned int)ko->nr_sec + 1, i;

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	add_name(&names, "");
	add_name(&strings, "");
	pdb_zero(out, sizeof(eh));
	for (i = 0; i < ko->nr_sec; i++) {
		const struct ko_section *s = &ko->sec[i];

		align8(out);
		sh[i + 1] = (Elf64_Shdr){ .sh_name = add_name(&names, s->name), .sh_type = SHT_PROGBITS,
					  .sh_flags = SHF_ALLOC | (s->data || !s->code ? SHF_WRITE : SHF_EXECINSTR),
					  .sh_offset = out->len, .sh_size = s->code ? 4 * s->words : 1,
					  .sh_addralign = s->align ? s->align : 4 };
		if (s->code)
			pdb_bytes(out, s->code, 4 * s->words);
		else
			pdb_zero(out, 1);
	}
	align8(out);
	sh[n] = (Elf64_Shdr){ .sh_name = add_name(&names, ".symtab"), .sh_type = SHT_SYMTAB, .sh_offset = out->len,
			      .sh_size = (ko->nr_sym + 1) * sizeof(Elf64_Sym), .sh_link = n + 1, .sh_info = 1,
			      .sh_entsize = sizeof(Elf64_Sym), .sh_addralign = 8 };
	pdb_zero(out, sizeof(Elf64_Sym));
	for (i = 0; i < ko->nr_sym; i++) {
		Elf64_Sym sym = { .st_name = add_name(&strings, ko->sym[i].name), .st_size = 4,
				  .st_info = ELF64_ST_INFO(STB_GLOBAL, ko->sym[i].section ? STT_FUNC : STT_NOTYPE),
				  .st_shndx = (Elf64_Half)ko->sym[i].section, .st_value = ko->sym[i].value };

		pdb_bytes(out, &sym, sizeof(sym));
	}
	sh[n + 1] = (Elf64_Shdr){ .sh_name = add_name(&names, ".strtab"), .sh_type = SHT_STRTAB,
				  .sh_offset = out->len, .sh_size = strings.len, .sh_addralign = 1 };
	pdb_bytes(out, strings.p, strings.len);
	align8(out);
	sh[n + 2] = (Elf64_Shdr){ .sh_name = add_name(&names, ".rela.text"), .sh_type = SHT_RELA,
				  .sh_offset = out->len, .sh_size = ko->nr_rel * sizeof(Elf64_Rela), .sh_link = n,
				  .sh_info = 1, .sh_entsize = sizeof(Elf64_Rela), .sh_addralign = 8 };
	for (i = 0; i < ko->nr_rel; i++) {
		Elf64_Rela r = { .r_offset = ko->rel[i].offset, .r_addend = ko->rel[i].addend,
				 .r_info = ELF64_R_INFO((uint64_t)ko->rel[i].symbol + 1, ko->rel[i].type) };

		pdb_bytes(out, &r, sizeof(r));
	}
	sh[n + 3].sh_name = add_name(&names, ".shstrtab");
	sh[n + 3].sh_type = SHT_STRTAB;
	sh[n + 3].sh_offset = out->len;
	sh[n + 3].sh_size = names.len;
	sh[n + 3].sh_addralign = 1;
	pdb_bytes(out, names.p, names.len);
	align8(out);
	eh.e_shoff = out->len;
	eh.e_shnum = (Elf64_Half)(n + 4);
	eh.e_shstrndx = (Elf64_Half)(n + 3);
	pdb_bytes(out, sh, (n + 4) * sizeof(sh[0]));
	memcpy(out->p, &eh, sizeof(eh));
	pdb_free(&names);
	pdb_free(&strings);
}
