/* SPDX-License-Identifier: BSD-3-Clause */
#include "elf_w.h"

#include <elf.h>
#include <string.h>

enum { S_NULL, S_PLT, S_TEXT, S_RELA, S_NOTE, S_SYMTAB, S_STRTAB, S_SHSTRTAB, S_COUNT };

static const char shstrtab[] = "\0.text\0.rela.text\0.note.gnu.build-id\0.symtab\0.strtab\0.shstrtab\0.plt";
enum { N_TEXT = 1, N_RELA = 7, N_NOTE = 18, N_SYMTAB = 37, N_STRTAB = 45, N_SHSTRTAB = 53, N_PLT = 63 };

static uint32_t name_in(struct gbuf *strtab, const char *name)
{
	size_t at = strtab->len;

	gbuf_put(strtab, name, strlen(name) + 1);
	return (uint32_t)at;
}

static void align(struct gbuf *b, size_t to)
{
	gbuf_zero(b, (to - b->len % to) % to);
}

static Elf64_Sym symbol(struct gbuf *strtab, const char *name, uint64_t value, uint64_t size, int shndx)
{
	return (Elf64_Sym){ .st_name = name_in(strtab, name),
			    .st_info = ELF64_ST_INFO(STB_GLOBAL, shndx ? STT_FUNC : STT_NOTYPE),
			    .st_shndx = (uint16_t)shndx, .st_value = value, .st_size = size };
}

static void section(Elf64_Shdr *s, struct gbuf *out, const struct gbuf *what)
{
	align(out, 8);
	s->sh_offset = out->len;
	s->sh_size = what->len;
	gbuf_put(out, what->p, what->len);
}

void elfw_write(const struct elfw *e, struct gbuf *out)
{
	Elf64_Shdr sh[S_COUNT] = { { 0 } };
	struct gbuf syms = { 0 }, strtab = { 0 }, rela = { 0 }, note = { 0 }, names = { 0 };
	Elf64_Ehdr eh = { .e_type = e->relocatable ? ET_REL : ET_DYN, .e_machine = EM_AARCH64,
			  .e_version = EV_CURRENT, .e_ehsize = sizeof(eh),
			  .e_shentsize = sizeof(sh[0]), .e_shnum = S_COUNT,
			  .e_shstrndx = S_SHSTRTAB };
	Elf64_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_align = 0x1000 };
	uint64_t base = e->relocatable ? 0 : e->vaddr;
	Elf64_Sym s = { 0 };
	int i;

	memcpy(eh.e_ident, "\177ELF\2\1\1", 7);
	gbuf_u8(&strtab, 0);
	gbuf_put(&syms, &s, sizeof(s));
	for (i = 0; i < e->nsym; i++) {
		s = symbol(&strtab, e->sym[i].name, e->sym[i].value, e->sym[i].size, S_TEXT);
		gbuf_put(&syms, &s, sizeof(s));
	}
	for (i = 0; i < e->nrel; i++) {
		Elf64_Rela r = { .r_offset = e->rel[i].offset };

		s = symbol(&strtab, e->rel[i].name, 0, 0, 0);
		r.r_info = ELF64_R_INFO(syms.len / sizeof(s), R_AARCH64_CALL26);
		gbuf_put(&syms, &s, sizeof(s));
		gbuf_put(&rela, &r, sizeof(r));
	}
	if (e->build_id) {
		gbuf_u32(&note, 4);
		gbuf_u32(&note, 20);
		gbuf_u32(&note, NT_GNU_BUILD_ID);
		gbuf_put(&note, "GNU", 4);
		gbuf_put(&note, e->build_id, 20);
	}
	gbuf_put(&names, shstrtab, sizeof(shstrtab));

	gbuf_zero(out, ELFW_TEXT);
	sh[S_TEXT] = (Elf64_Shdr){ .sh_name = N_TEXT, .sh_type = SHT_PROGBITS,
				   .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = base,
				   .sh_offset = ELFW_TEXT, .sh_size = e->len, .sh_addralign = 16 };
	gbuf_put(out, e->text, e->len);
	if (e->plt)
		sh[S_PLT] = (Elf64_Shdr){ .sh_name = N_PLT, .sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					  .sh_offset = ELFW_TEXT, .sh_size = 1, .sh_addralign = 1 };
	ph.p_offset = ELFW_TEXT;
	ph.p_vaddr = ph.p_paddr = base;
	ph.p_filesz = ph.p_memsz = e->len;
	sh[S_RELA] = (Elf64_Shdr){ .sh_name = N_RELA, .sh_type = SHT_RELA, .sh_flags = SHF_INFO_LINK,
				   .sh_link = S_SYMTAB, .sh_info = S_TEXT,
				   .sh_addralign = 8, .sh_entsize = sizeof(Elf64_Rela) };
	section(&sh[S_RELA], out, &rela);
	sh[S_NOTE] = (Elf64_Shdr){ .sh_name = N_NOTE, .sh_type = SHT_NOTE, .sh_flags = SHF_ALLOC,
				   .sh_addralign = 4 };
	section(&sh[S_NOTE], out, &note);
	sh[S_SYMTAB] = (Elf64_Shdr){ .sh_name = N_SYMTAB, .sh_type = SHT_SYMTAB,
				     .sh_link = S_STRTAB, .sh_info = 1, .sh_addralign = 8,
				     .sh_entsize = sizeof(Elf64_Sym) };
	section(&sh[S_SYMTAB], out, &syms);
	sh[S_STRTAB] = (Elf64_Shdr){ .sh_name = N_STRTAB, .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	section(&sh[S_STRTAB], out, &strtab);
	sh[S_SHSTRTAB] = (Elf64_Shdr){ .sh_name = N_SHSTRTAB, .sh_type = SHT_STRTAB,
				       .sh_addralign = 1 };
	section(&sh[S_SHSTRTAB], out, &names);
	align(out, 8);
	eh.e_shoff = out->len;
	gbuf_put(out, sh, sizeof(sh));
	if (!e->relocatable) {
		eh.e_phoff = sizeof(eh);
		eh.e_phentsize = sizeof(ph);
		eh.e_phnum = 1;
		memcpy(out->p + sizeof(eh), &ph, sizeof(ph));
	}
	memcpy(out->p, &eh, sizeof(eh));
	gbuf_free(&syms);
	gbuf_free(&strtab);
	gbuf_free(&rela);
	gbuf_free(&note);
	gbuf_free(&names);
}

void elfw_core(const struct elfw_piece *pieces, int n, struct gbuf *out)
{
	Elf64_Ehdr eh = { .e_type = ET_CORE, .e_machine = EM_AARCH64, .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = (uint16_t)n };
	uint64_t at = 0x1000;
	int i;

	memcpy(eh.e_ident, "\177ELF\2\1\1", 7);
	gbuf_put(out, &eh, sizeof(eh));
	for (i = 0; i < n; i++) {
		Elf64_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_W | PF_X, .p_offset = at,
				  .p_vaddr = pieces[i].vaddr, .p_filesz = pieces[i].len,
				  .p_memsz = pieces[i].len, .p_align = 0x1000 };

		gbuf_put(out, &ph, sizeof(ph));
		at += (pieces[i].len + 0xfff) & ~0xfffull;
	}
	align(out, 0x1000);
	for (i = 0; i < n; i++) {
		gbuf_put(out, pieces[i].p, pieces[i].len);
		align(out, 0x1000);
	}
}
