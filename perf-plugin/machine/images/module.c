/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module.c - lays out the sections of a kernel module and applies its relocations, so that branches have their
 * targets.
 */
#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/messages.h"
#include "base/name.h"
#include "base/path.h"
#include "machine/finder/elf_links.h"
#include "machine/images/kernel.h"
#include "machine/images/module.h"
#include "perfdata/bytes.h"

#define A64_NOP		0xd503201fu
#define A64_BR_X16	0xd61f0200u
#define A64_BLR_X16	0xd63f0200u

struct module_section {
	const char *name;
	uint64_t offset, size, align;	/* offset and size in the file, alignment */
	uint64_t addr;			/* address in memory, if `placed` */
	bool code;			/* becomes executable memory */
	bool placed;
};

struct module {
	struct dso *d;
	struct kernel_images *k;
	Elf *elf;
	Elf_Data *symbols;		/* NULL: none */
	GElf_Shdr symbols_sh;
	char name[64];
	struct module_section *sec;	/* by section index */
	size_t nr_sec;
	uint64_t *hole;			/* offsets of unknown instructions of placed sections */
	size_t nr_holes, cap_holes;
	uint64_t unresolved;		/* branches out of the module with an unknown target */
	bool dynamic_ftrace;
};

void module_name(const char *path, char *name, size_t size)
{
	const char *base = path_base(path);
	size_t n;
	char *p;

	base += *base == '[';
	n = strcspn(base, ".]");
	if (n >= size)
		n = size - 1;
	memcpy(name, base, n);
	name[n] = 0;
	for (p = name; (p = strchr(p, '-'));)
		*p = '_';
}

static bool starts_with(const char *s, const char *start)
{
	return !strncmp(s, start, strlen(start));
}

static int read_sections(struct module *m)
{
	size_t i, strings;
	struct module_section *s;
	GElf_Shdr sh;
	Elf_Scn *scn;

	if (elf_getshdrnum(m->elf, &m->nr_sec) || elf_getshdrstrndx(m->elf, &strings) || !m->nr_sec)
		return DSO_BAD_ELF;
	m->sec = mem_zeroed(m->nr_sec, sizeof(*m->sec));
	for (i = 1; i < m->nr_sec; i++) {
		s = &m->sec[i];
		scn = elf_getscn(m->elf, i);
		if (!scn || !gelf_getshdr(scn, &sh))
			return DSO_BAD_ELF;
		s->name = elf_strptr(m->elf, strings, sh.sh_name);
		if (!s->name)
			s->name = "";
		m->dynamic_ftrace |= !strcmp(s->name, "__mcount_loc") ||
				     !strcmp(s->name, "__patchable_function_entries");
		s->offset = sh.sh_offset;
		s->size = sh.sh_size;
		s->align = sh.sh_addralign ? sh.sh_addralign : 1;
		s->code = (sh.sh_flags & SHF_ALLOC) && (sh.sh_flags & SHF_EXECINSTR);
		if (s->code && sh.sh_type == SHT_PROGBITS &&
		    (s->size > m->d->image.size || s->offset > m->d->image.size - s->size))
			return DSO_BAD_ELF;
		if (sh.sh_type != SHT_PROGBITS && s->code)
			s->size = 0;
	}
	return DSO_FINE;
}

static void find_symbols(struct module *m)
{
	Elf_Scn *scn = elf_links_symbols(m->elf, SHT_SYMTAB, &m->symbols_sh);

	m->symbols = scn ? elf_getdata(scn, NULL) : NULL;
}

static const char *symbol_name(struct module *m, const GElf_Sym *sym)
{
	return elf_strptr(m->elf, m->symbols_sh.sh_link, sym->st_name);
}

/* Places sections at the addresses of their functions in kallsyms. Returns false if two functions disagree. */
static bool place_by_symbols(struct module *m, struct kallsyms *ks, bool *any)
{
	size_t i, n = m->symbols ? m->symbols->d_size / m->symbols_sh.sh_entsize : 0;
	struct module_section *s;
	const char *name;
	GElf_Sym sym;
	uint64_t addr;

	for (i = 0; i < n; i++) {
		if (!gelf_getsym(m->symbols, (int)i, &sym) || sym.st_shndx >= m->nr_sec)
			continue;
		s = &m->sec[sym.st_shndx];
		name = symbol_name(m, &sym);
		if (!s->code || !name || !name[0] || name[0] == '$' || GELF_ST_TYPE(sym.st_info) == STT_SECTION ||
		    !kallsyms_address(ks, name, m->name, &addr))
			continue;
		if (s->placed && s->addr != addr - sym.st_value)
			return false;
		s->addr = addr - sym.st_value;
		s->placed = *any = true;
	}
	return true;
}

/* Returns the recorded address of a section; false: not recorded, or impossible. */
static bool recorded_place(const struct module *m, const struct module_section *s, uint64_t *addr)
{
	const struct dso *d = m->d;

	if (!d->module.text.known || strcmp(s->name, ".text") ||
	    d->module.text.in_file > d->module.text.in_memory)
		return false;
	*addr = d->kernel.ref_addr + (d->module.text.in_memory - d->module.text.in_file);
	return *addr >= d->kernel.ref_addr && !(*addr & (s->align - 1));
}

/* True for sections that the loader fills: the file does not have their size. */
static bool filled_by_loader(const struct module_section *s)
{
	return !strcmp(s->name, ".plt") || !strcmp(s->name, ".text.ftrace_trampoline");
}

/*
 * Places sections by the loader's rule: code first, in the order of the file, init sections elsewhere. Addresses after
 * a section of unknown size are unknown, up to the next section with a recorded address.
 */
static void place_by_rule(struct module *m)
{
	uint64_t at = m->d->kernel.ref_addr;
	bool known = true;
	size_t i;

	for (i = 1; i < m->nr_sec; i++) {
		struct module_section *s = &m->sec[i];

		if (starts_with(s->name, ".init"))
			continue;
		if (filled_by_loader(s))
			known = false;
		if (filled_by_loader(s) || !s->code)
			continue;
		if (s->align & (s->align - 1))
			return;
		known |= recorded_place(m, s, &at);
		if (!known)
			continue;
		if (at > UINT64_MAX - s->align - s->size)
			return;
		at = (at + s->align - 1) & ~(s->align - 1);
		s->addr = at;
		s->placed = s->size > 0;
		at += s->size;
	}
}

/* Resolves the symbol of a relocation; false: unknown. */
static bool symbol_value(struct module *m, size_t nr, uint64_t *value, const char **name)
{
	struct kallsyms *ks;
	GElf_Sym sym;

	if (!gelf_getsym(m->symbols, (int)nr, &sym))
		return false;
	*name = symbol_name(m, &sym);
	if (sym.st_shndx == SHN_ABS) {
		*value = sym.st_value;
		return true;
	}
	if (sym.st_shndx != SHN_UNDEF) {
		if (sym.st_shndx >= m->nr_sec || !m->sec[sym.st_shndx].placed)
			return false;
		*value = m->sec[sym.st_shndx].addr + sym.st_value;
		return true;
	}
	if (!*name || !(*name)[0])
		return false;
	if (kernel_symbol_address(m->k, *name, value))
		return true;
	ks = kernel_kallsyms(m->k);
	return ks && kallsyms_exported(ks, *name, value);
}

/* Branch relocations: width and position of the target field. */
static const struct branch_reloc {
	uint32_t type;
	uint8_t bits, shift;
	uint32_t unknown;	/* instruction of the same kind without a target in its opcode; 0: none */
} branch_relocs[] = {
	{ R_AARCH64_CALL26, 26, 0, A64_BLR_X16 },
	{ R_AARCH64_JUMP26, 26, 0, A64_BR_X16 },
	{ R_AARCH64_CONDBR19, 19, 5, 0 },
	{ R_AARCH64_TSTBR14, 14, 5, 0 },
};

static void patch_branch(struct module *m, const struct module_section *s,
			 const struct branch_reloc *br, uint64_t offset, bool known,
			 uint64_t target, const char *name)
{
	uint8_t *p = (uint8_t *)m->d->image.data + s->offset + offset;
	uint32_t mask = ((1u << br->bits) - 1) << br->shift, insn = pd_load32(p);
	int64_t words = (int64_t)(target - (s->addr + offset)) / 4;

	/* with dynamic ftrace, the kernel removes calls of _mcount when it loads the module */
	if (br->type == R_AARCH64_CALL26 && m->dynamic_ftrace && name && !strcmp(name, "_mcount")) {
		insn = A64_NOP;
	} else if (known && words < 1ll << (br->bits - 1) && words >= -(1ll << (br->bits - 1))) {
		insn = (insn & ~mask) | ((uint32_t)words << br->shift & mask);
	} else if (br->unknown) {
		/*
		 * The branch goes through a veneer, or to an unknown symbol. The trace of a direct branch is that of
		 * `unknown` plus the target address.
		 */
		insn = br->unknown;
		m->unresolved++;
	} else {
		*ARRAY_ADD(m->hole, m->nr_holes, m->cap_holes) = s->offset + offset;
		m->unresolved++;
	}
	memcpy(p, &insn, sizeof(insn));
}

static int relocate_section(struct module *m, Elf_Data *relocs, size_t n, const struct module_section *s)
{
	const struct branch_reloc *br;
	const char *name;
	GElf_Rela rela;
	uint64_t value;
	size_t i, k;
	bool known;

	for (i = 0; i < n; i++) {
		if (!gelf_getrela(relocs, (int)i, &rela))
			return DSO_BAD_ELF;
		for (k = 0; k < 4 && branch_relocs[k].type != GELF_R_TYPE(rela.r_info); k++)
			;
		if (k == 4)
			continue;
		br = &branch_relocs[k];
		if (s->size < 4 || rela.r_offset > s->size - 4 || rela.r_offset & 3)
			return DSO_BAD_ELF;
		name = NULL;
		value = 0;
		known = symbol_value(m, GELF_R_SYM(rela.r_info), &value, &name);
		patch_branch(m, s, br, rela.r_offset, known, value + (uint64_t)rela.r_addend, name);
	}
	return DSO_FINE;
}

static int relocate(struct module *m)
{
	int trouble = DSO_FINE;
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(m->elf, scn)) && trouble == DSO_FINE) {
		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !sh.sh_entsize || sh.sh_info >= m->nr_sec ||
		    !m->sec[sh.sh_info].placed || !m->sec[sh.sh_info].size)
			continue;
		data = m->symbols ? elf_getdata(scn, NULL) : NULL;
		if (data)
			trouble = relocate_section(m, data, data->d_size / sh.sh_entsize, &m->sec[sh.sh_info]);
	}
	return trouble;
}

static void add_segment(struct dso *d, size_t *cap, const struct module_section *s, uint64_t from,
			uint64_t to)
{
	if (from < to)
		*ARRAY_ADD(d->image.segs, d->image.nr_segs, *cap) = (struct dso_segment){
			.offset = from, .vaddr = s->addr + (from - s->offset), .filesz = to - from,
				.exec = true,
		};
}

/* Returns the first hole at or after an offset. */
static size_t hole_after(const struct module *m, uint64_t offset)
{
	size_t lo = 0, hi = m->nr_holes;

	BISECT(lo, hi, mid, m->hole[mid] < offset);
	return lo;
}

static int make_segments(struct module *m)
{
	size_t i, h, cap = 0;
	uint64_t at;

	free(m->d->image.segs);
	m->d->image.segs = NULL;
	m->d->image.nr_segs = 0;
	ARRAY_SORT(m->hole, m->nr_holes, array_compare_u64);
	for (i = 1; i < m->nr_sec; i++) {
		const struct module_section *s = &m->sec[i];

		if (!s->placed || !s->size)
			continue;
		at = s->offset;
		for (h = hole_after(m, at); h < m->nr_holes; h++) {
			if (m->hole[h] >= s->offset + s->size)
				break;
			if (m->hole[h] < at)
				continue;
			add_segment(m->d, &cap, s, at, m->hole[h]);
			at = m->hole[h] + 4;
		}
		add_segment(m->d, &cap, s, at, s->offset + s->size);
	}
	return m->d->image.nr_segs ? DSO_FINE : DSO_NO_PLACE;
}

static int link_sections(struct module *m)
{
	struct kallsyms *ks = kernel_kallsyms(m->k);
	int trouble = read_sections(m);
	bool any = false;

	if (trouble != DSO_FINE)
		return trouble;
	find_symbols(m);
	if (ks && !place_by_symbols(m, ks, &any))
		return DSO_NO_PLACE;
	if (!any)
		place_by_rule(m);
	trouble = relocate(m);
	if (trouble == DSO_FINE)
		trouble = make_segments(m);
	if (trouble == DSO_FINE && m->unresolved && !ks)
		fprintf(message_stream(), "cstrace: warning: %s: where %llu of its branches go is not known without the "
			"kernel's symbols: give a copy of the target's /proc/kallsyms with --kallsyms\n", name_shown(m->d->path),
			(unsigned long long)m->unresolved);
	return trouble;
}

int module_link(struct dso *d, struct kernel_images *k)
{
	struct module m = { .d = d, .k = k };
	int trouble;

	if (!d->image.is_elf || d->image.machine != EM_AARCH64 || !k)
		return d->image.is_elf ? DSO_NO_PLACE : DSO_BAD_ELF;
	module_name(d->path, m.name, sizeof(m.name));
	m.elf = elf_links_open(d->image.data, d->image.size);
	if (!m.elf)
		return DSO_BAD_ELF;
	trouble = link_sections(&m);
	elf_links_close(m.elf);
	free(m.sec);
	free(m.hole);
	return trouble;
}
