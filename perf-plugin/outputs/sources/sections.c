/* SPDX-License-Identifier: GPL-2.0-only */
/* sections.c - reads DWARF sections, and makes of them what libdw reads. */
#include "outputs/sources/sections.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/guard.h"
#include "base/ordered.h"
#include "machine/finder/elf_links.h"

static const char *const names[NR_SECTIONS] = {
	[SECTION_INFO] = "info", [SECTION_TYPES] = "types", [SECTION_ABBREV] = "abbrev", [SECTION_ADDR] = "addr",
	[SECTION_ARANGES] = "aranges", [SECTION_LINE] = "line", [SECTION_LINE_STR] = "line_str", [SECTION_STR] = "str",
	[SECTION_STR_OFFSETS] = "str_offsets", [SECTION_RANGES] = "ranges", [SECTION_RNGLISTS] = "rnglists",
	[SECTION_CU_INDEX] = "cu_index",
};

/* The kind of section that has this name. False: none. */
static bool kind_of(const char *name, bool split, unsigned int *kind, bool *old)
{
	size_t n;

	*old = !strncmp(name, ".zdebug_", 8);
	if (!*old && strncmp(name, ".debug_", 7))
		return false;
	name += *old ? 8 : 7;
	for (*kind = 0; *kind < NR_SECTIONS; ++*kind) {
		n = strlen(names[*kind]);
		/* the index of a package has no ending */
		if (!strncmp(name, names[*kind], n) &&
		    !strcmp(name + n, split && *kind != SECTION_CU_INDEX ? ".dwo" : ""))
			return true;
	}
	return false;
}

/* ---- relocations of files that are not linked -------------------------------------------------------- */

struct relocation {
	struct sections *s;
	Elf *elf;
	size_t strings;
	Elf_Data *symbols;
	section_address address;
	const void *address_data;
};

/* Relocations of debug sections: absolute addresses and offsets in sections. */
static const struct kind {
	uint16_t machine;
	uint8_t width;		/* bytes */
	uint32_t type;
} kinds[] = {
	{ EM_AARCH64, 8, R_AARCH64_ABS64 },
	{ EM_AARCH64, 4, R_AARCH64_ABS32 },
	{ EM_ARM, 4, R_ARM_ABS32 },
	{ EM_X86_64, 8, R_X86_64_64 },
	{ EM_X86_64, 4, R_X86_64_32 },
};

/* Bytes that a relocation changes; 0: another kind. */
static unsigned int width_of(uint16_t machine, uint64_t type)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].machine == machine && kinds[i].type == type)
			return kinds[i].width;
	return 0;
}

static uint64_t value_of(const struct relocation *r, size_t number)
{
	const char *name;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Scn *scn;

	if (!gelf_getsym(r->symbols, (int)number, &sym))
		return 0;
	scn = sym.st_shndx < SHN_LORESERVE ? elf_getscn(r->elf, sym.st_shndx) : NULL;
	if (!scn || !gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC))
		return sym.st_value;
	name = elf_strptr(r->elf, r->strings, sh.sh_name);
	return sym.st_value + (name ? r->address(r->address_data, name) : 0);
}

static void apply(const struct relocation *r, struct contents *c, const GElf_Rela *rel, bool add_old)
{
	unsigned int width = width_of(r->s->machine, GELF_R_TYPE(rel->r_info)), i;
	uint64_t v = value_of(r, GELF_R_SYM(rel->r_info)) + (uint64_t)rel->r_addend;
	const bool big = r->s->order == ELFDATA2MSB;
	uint8_t *p;

	if (!width || rel->r_offset > c->size || width > c->size - rel->r_offset)
		return;
	p = c->own + rel->r_offset;
	if (add_old)
		v += ordered_number(p, width, big);
	for (i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * (big ? width - 1 - i : i));
}

void contents_own(struct contents *c)
{
	if (c->own)
		return;
	c->own = mem_new(c->size);
	memcpy(c->own, c->p, c->size);
	c->p = c->own;
}

static void relocate(const struct relocation *r, struct contents *c, Elf_Scn *scn,
		     const GElf_Shdr *sh)
{
	Elf_Data *data = sh->sh_entsize ? elf_getdata(scn, NULL) : NULL;
	size_t i, n = data ? data->d_size / sh->sh_entsize : 0;
	GElf_Rela rela;
	GElf_Rel rel;

	if (n)
		contents_own(c);
	for (i = 0; i < n; i++) {
		if (sh->sh_type == SHT_RELA && gelf_getrela(data, (int)i, &rela)) {
			apply(r, c, &rela, false);
		} else if (sh->sh_type == SHT_REL && gelf_getrel(data, (int)i, &rel)) {
			rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
			apply(r, c, &rela, true);
		}
	}
}

/* Applies the relocations of all sections that were read. */
static void relocate_all(struct relocation *r, const size_t number[NR_SECTIONS])
{
	Elf_Scn *scn = NULL, *table;
	unsigned int kind;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(r->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL))
			continue;
		for (kind = 0; kind < NR_SECTIONS && (!number[kind] || number[kind] != sh.sh_info); kind++)
			;
		table = kind < NR_SECTIONS ? elf_getscn(r->elf, sh.sh_link) : NULL;
		r->symbols = table ? elf_getdata(table, NULL) : NULL;
		if (r->symbols)
			relocate(r, &r->s->v[kind], scn, &sh);
	}
}

/* ---- sections ------------------------------------------------------------------------------------------- */

static enum sections_lack read_all(struct sections *s, Elf *elf, const uint8_t *data, size_t size, bool split,
				   size_t strings, size_t number[NR_SECTIONS])
{
	enum sections_lack lack = SECTIONS_FINE;
	Elf_Scn *scn = NULL;
	const char *name;
	unsigned int kind;
	GElf_Shdr sh;
	bool old;

	while (lack == SECTIONS_FINE && (scn = elf_nextscn(elf, scn))) {
		name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		if (!name || sh.sh_type == SHT_NOBITS || !sh.sh_size || !kind_of(name, split, &kind, &old) || s->v[kind].p)
			continue;
		if (sh.sh_offset > size || sh.sh_size > size - sh.sh_offset)
			return SECTIONS_DAMAGED;
		s->v[kind] = (struct contents){ .p = data + sh.sh_offset, .size = sh.sh_size };
		number[kind] = elf_ndxscn(scn);
		if (old || sh.sh_flags & SHF_COMPRESSED)
			lack = section_expand(&s->v[kind], old, s->class, s->order == ELFDATA2MSB);
		s->bytes += s->v[kind].size;
	}
	return lack;
}

enum sections_lack sections_read(struct sections *s, const void *data, size_t size, bool split, section_address address,
				 const void *address_data)
{
	Elf *elf = elf_links_open(data, size);
	struct relocation r = { .s = s, .elf = elf, .address = address, .address_data = address_data };
	enum sections_lack lack = SECTIONS_DAMAGED;
	size_t number[NR_SECTIONS] = { 0 };
	GElf_Ehdr eh;

	*s = (struct sections){ .class = elf ? gelf_getclass(elf) : 0 };
	if (elf && gelf_getehdr(elf, &eh) && !elf_getshdrstrndx(elf, &r.strings)) {
		s->order = eh.e_ident[EI_DATA];
		s->machine = eh.e_machine;
		lack = read_all(s, elf, data, size, split, r.strings, number);
	}
	if (lack == SECTIONS_FINE && !s->v[SECTION_INFO].p)
		lack = SECTIONS_NONE;
	if (lack == SECTIONS_FINE && eh.e_type == ET_REL && address)
		relocate_all(&r, number);
	if (lack == SECTIONS_FINE && !skeletons_hide(s, split))
		lack = SECTIONS_DAMAGED;
	elf_links_close(elf);
	return lack;
}

void sections_free(struct sections *s)
{
	size_t i;

	for (i = 0; i < NR_SECTIONS; i++)
		free(s->v[i].own);
	*s = (struct sections){ .class = 0 };
}

const char *sections_lack_text(enum sections_lack lack)
{
	static const char *const texts[] = {
		[SECTIONS_FINE] = "it has DWARF", [SECTIONS_NONE] = "it has no DWARF", [SECTIONS_DAMAGED] = "its DWARF is damaged",
		[SECTIONS_LEFT_OUT] = "its DWARF is compressed by zstd, and this program was made without it (perf-cstrace --version)",
		[SECTIONS_PACKING] = "its DWARF is compressed in a way that this program does not know",
		[SECTIONS_LARGE] = "its DWARF expands to more than 64 times its size, which no compiler's does: not used",
		[SECTIONS_NO_DESCRIPTOR] = "its DWARF was not read: /dev/null cannot be opened",
	};

	return texts[lack];
}

/* ---- what libdw reads ------------------------------------------------------------------------------------ */

/* Adds a section to a file that exists in memory alone. Its contents are not copied. */
static bool add_section(struct made *m, size_t *len, const char *name, const struct contents *c, uint32_t type)
{
	Elf_Scn *scn = elf_newscn(m->elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	size_t n = strlen(name) + 1;
	GElf_Shdr sh;

	if (!data || !gelf_getshdr(scn, &sh) || n > sizeof(m->names) - *len)
		return false;
	data->d_buf = (void *)c->p;
	data->d_size = c->size;
	data->d_type = ELF_T_BYTE;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	memcpy(m->names + *len, name, n);
	sh.sh_name = (GElf_Word)*len;
	sh.sh_type = type;
	sh.sh_size = c->size;
	sh.sh_addralign = 1;
	*len += n;
	return gelf_update_shdr(scn, &sh);
}

static bool add_sections(const struct sections *s, bool split, struct made *m)
{
	size_t len = 1;
	struct contents strings;
	char name[32];
	unsigned int kind;

	for (kind = 0; kind < NR_SECTIONS; kind++) {
		if (!s->v[kind].p || kind == SECTION_CU_INDEX)
			continue;
		strcpy(name, ".debug_");
		strcat(strcat(name, names[kind]), split ? ".dwo" : "");
		if (!add_section(m, &len, name, &s->v[kind], SHT_PROGBITS))
			return false;
	}
	/* the names are complete when the last one is in */
	strings = (struct contents){ .p = (const uint8_t *)m->names, .size = len + sizeof(".names") };
	return add_section(m, &len, ".names", &strings, SHT_STRTAB);
}

static bool set_head(const struct sections *s, struct made *m)
{
	GElf_Ehdr eh;
	size_t n;

	if (elf_getshdrnum(m->elf, &n) || !gelf_getehdr(m->elf, &eh))
		return false;
	eh.e_ident[EI_DATA] = s->order;
	eh.e_machine = s->machine;
	eh.e_type = ET_EXEC;
	eh.e_version = EV_CURRENT;
	eh.e_shstrndx = (GElf_Half)(n - 1);
	return gelf_update_ehdr(m->elf, &eh);
}

/* libdw reports most refusals so. The attribute is part of the type, as its handlers have it. */
static __attribute__((noreturn)) void refused(void)
{
	mem_refused(0);
}

enum sections_lack sections_make(const struct sections *s, bool split, struct made *m)
{
	/* libelf needs a descriptor for a new file, though nothing is written to it */
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool ok;

	*m = (struct made){ .elf = NULL };
	if (fd < 0)
		return SECTIONS_NO_DESCRIPTOR;
	guard_unchecked(true);
	m->elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_WRITE, NULL) : NULL;
	ok = m->elf && gelf_newehdr(m->elf, s->class) && add_sections(s, split, m) && set_head(s, m);
	m->dwarf = ok ? dwarf_begin_elf(m->elf, DWARF_C_READ, NULL) : NULL;
	if (m->dwarf)
		dwarf_new_oom_handler(m->dwarf, refused);
	if (m->elf)
		elf_cntl(m->elf, ELF_C_FDDONE);
	guard_unchecked(false);
	close(fd);
	if (m->dwarf)
		return SECTIONS_FINE;
	made_free(m);
	return SECTIONS_DAMAGED;
}

void made_free(struct made *m)
{
	if (m->dwarf)
		dwarf_end(m->dwarf);
	elf_end(m->elf);
	m->dwarf = NULL;
	m->elf = NULL;
}
