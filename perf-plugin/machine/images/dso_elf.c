/* SPDX-License-Identifier: GPL-2.0-only */
/* dso_elf.c - reads ELF files: machine, segments, build-id, function symbols. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/files/input.h"
#include "machine/finder/elf_links.h"
#include "machine/finder/finder.h"
#include "machine/images/dso.h"
#include "machine/images/functions.h"
#include "machine/images/stubs.h"

/* False for a file with debug information only: it has the program headers, but its code sections are NOBITS. */
static bool has_code(Elf *elf)
{
	Elf_Scn *scn = NULL;
	bool any = false;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		any = true;
		if (sh.sh_type != SHT_NOBITS)
			return true;
	}
	return !any;	/* section headers may be stripped */
}

/* Uses sections as segments, for the files of older versions of perf inject --jit, which have sections only. */
static void sections_as_segments(struct dso *d, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t cap = 0;
	GElf_Shdr sh;
	struct dso_segment *g;

	free(d->image.segs);
	d->image.segs = NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR) || sh.sh_type != SHT_PROGBITS)
			continue;
		g = ARRAY_ADD(d->image.segs, d->image.nr_segs, cap);
		*g = (struct dso_segment){ .offset = sh.sh_offset, .vaddr = sh.sh_addr, .filesz = sh.sh_size,
					   .exec = true };
	}
}

static int read_segments(struct dso *d, Elf *elf)
{
	size_t i, n;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) || n > d->image.size / sizeof(Elf32_Phdr))
		return DSO_BAD_ELF;
	d->image.segs = mem_zeroed(n ? n : 1, sizeof(*d->image.segs));
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD)
			continue;
		d->image.segs[d->image.nr_segs++] = (struct dso_segment){
			.offset = ph.p_offset, .vaddr = ph.p_vaddr, .filesz = ph.p_filesz,
			.exec = ph.p_flags & PF_X,
		};
	}
	if (!d->image.nr_segs && d->kind != DSO_MODULE)
		sections_as_segments(d, elf);
	return DSO_FINE;
}

static Elf *elf_of(const struct dso *d)
{
	return elf_links_open(d->image.data, d->image.size);
}

int dso_read_elf(struct dso *d)
{
	GElf_Ehdr eh;
	Elf *elf;
	int trouble = DSO_FINE;

	if (d->image.size < SELFMAG || memcmp(d->image.data, ELFMAG, SELFMAG))
		return DSO_FINE;	/* not ELF: code is read by file offset */
	elf = elf_of(d);
	if (!elf || !gelf_getehdr(elf, &eh)) {
		elf_links_close(elf);
		return DSO_BAD_ELF;
	}
	d->image.is_elf = true;
	d->image.machine = eh.e_machine;
	elf_links_id(elf, d->image.data, d->image.size, &d->image.found);
	if (eh.e_machine != EM_AARCH64 && eh.e_machine != EM_ARM)
		trouble = DSO_MACHINE;
	else if (d->kind != DSO_KCORE && !has_code(elf))
		trouble = DSO_NO_CODE;
	else
		trouble = read_segments(d, elf);
	elf_links_close(elf);
	return trouble;
}

/* Returns the section .text; `unlinked`: of a file without program headers only. */
static bool find_text(const struct dso *d, bool unlinked, struct dso_text *text)
{
	bool found = false;
	GElf_Shdr sh;
	size_t n = 0;
	Elf *elf;

	if (!d->image.is_elf || d->state != DSO_LOADED)
		return false;
	elf = elf_of(d);
	if (elf && !(unlinked && elf_getphdrnum(elf, &n)) && !n &&
	    elf_links_section(elf, ".text", &sh)) {
		*text = (struct dso_text){ .offset = sh.sh_offset, .size = sh.sh_size, .vaddr = sh.sh_addr };
		found = true;
	}
	elf_links_close(elf);
	return found;
}

bool dso_text(const struct dso *d, struct dso_text *text)
{
	return find_text(d, false, text);
}

bool dso_unlinked_text(const struct dso *d, struct dso_text *text)
{
	return find_text(d, true, text);
}

/* In an Arm kernel, _text is the start of the image and _stext that of its section .text. */
bool dso_kernel_anchor(struct dso *d, const char *name, uint64_t *vaddr)
{
	bool found = false;
	GElf_Shdr sh;
	size_t i;
	Elf *elf;

	if (!d->recorded.len || !build_id_equal(&d->recorded, &d->image.found))
		return false;
	if (!strcmp(name, "_text")) {
		for (i = 0; i < d->image.nr_segs && !d->image.segs[i].exec; i++)
			;
		if (i < d->image.nr_segs)
			*vaddr = d->image.segs[i].vaddr;
		return i < d->image.nr_segs;
	}
	if (strcmp(name, "_stext"))
		return false;
	elf = elf_of(d);
	if (elf && elf_links_section(elf, ".text", &sh)) {
		*vaddr = sh.sh_addr;
		found = true;
	}
	elf_links_close(elf);
	return found;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Orders symbols as perf does, since the first of several names of an address is shown. */
static int compare_symbols(const void *a, const void *b)
{
	const struct dso_symbol_entry *x = a, *y = b;
	size_t nx, ny;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->size != y->size)	/* a name with a size precedes one without */
		return x->size > y->size ? -1 : 1;
	if (x->bind != y->bind)
		return x->bind < y->bind ? -1 : 1;
	nx = underscores(x->name);
	ny = underscores(y->name);
	if (nx != ny)
		return nx < ny ? -1 : 1;
	nx = strlen(x->name);
	ny = strlen(y->name);
	if (nx != ny)
		return nx > ny ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* True for functions and labels of hand-written code; false for mapping symbols ($a, $t, $x, $d). */
static bool wanted_symbol(const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || !name || !name[0])
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && name[0] != '$' && sym->st_shndx != SHN_ABS;
}

static uint8_t bind_rank(unsigned int bind)
{
	return bind == STB_WEAK ? 2 : bind == STB_LOCAL ? 1 : 0;
}

/* The symbols that are read: a section of the file itself or of its debug file. */
struct symbols {
	Elf *elf;		/* has the section and its names */
	Elf *program;		/* the file itself */
	Elf_Data *data;
	GElf_Shdr sh;
};

/* More than any program has. A sparse file may state any number. */
#define MAX_SYMBOLS	(1u << 26)

static bool find_symbols(struct symbols *s, Elf *elf, uint32_t type)
{
	Elf_Scn *scn = elf_links_symbols(elf, type, &s->sh);

	s->elf = elf;
	s->data = scn && s->sh.sh_type != SHT_NOBITS && s->sh.sh_size / s->sh.sh_entsize <= MAX_SYMBOLS ?
		  elf_getdata(scn, NULL) : NULL;
	return s->data && s->data->d_buf && s->data->d_size > s->sh.sh_entsize;
}

/* Computes a symbol's file offset. In a module, which is not linked, its value is an offset in a section. */
static bool symbol_place(const struct dso *d, Elf *program, GElf_Sym *sym, uint64_t *offset)
{
	Elf_Scn *scn;
	GElf_Shdr sh;

	if (d->kind != DSO_MODULE)
		return dso_offset(d, sym->st_value, offset);
	scn = elf_getscn(program, sym->st_shndx);
	if (!scn || !gelf_getshdr(scn, &sh))
		return false;
	*offset = sh.sh_offset + sym->st_value;
	return d->module.by_offset || dso_vaddr(d, *offset, &sym->st_value);
}

/*
 * Returns the file offset of the end of a symbol's section; 0: unknown. The section is that of the program, where a debug
 * file has none.
 */
static uint64_t section_end(Elf *program, const GElf_Sym *sym, uint64_t offset)
{
	bool plain = !sym->st_size && sym->st_shndx < SHN_LORESERVE;
	Elf_Scn *scn = plain ? elf_getscn(program, sym->st_shndx) : NULL;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
		return 0;
	return offset >= sh.sh_offset && offset - sh.sh_offset < sh.sh_size ? sh.sh_offset + sh.sh_size : 0;
}

/* Copies names, since libelf's are valid only while the Elf is open. Two passes: count, then fill. */
static void collect(struct dso *d, const struct symbols *s)
{
	size_t n = s->data->d_size / s->sh.sh_entsize, i, bytes = 0, used = 0;
	uint64_t offset;
	const char *name;
	GElf_Sym sym;

	for (i = 0; i < n; i++) {
		if (!gelf_getsym(s->data, i, &sym))
			continue;
		name = elf_strptr(s->elf, s->sh.sh_link, sym.st_name);
		if (wanted_symbol(&sym, name))
			bytes += strlen(name) + 1;
	}
	d->symbols.syms = mem_zeroed(n ? n : 1, sizeof(*d->symbols.syms));
	d->symbols.names = mem_new(bytes ? bytes : 1);
	for (i = 0; i < n; i++) {
		if (!gelf_getsym(s->data, i, &sym))
			continue;
		name = elf_strptr(s->elf, s->sh.sh_link, sym.st_name);
		if (!wanted_symbol(&sym, name))
			continue;
		/* bit 0 of an Arm function's value selects T32 */
		if (d->image.machine == EM_ARM)
			sym.st_value &= ~(GElf_Addr)1;
		if (!symbol_place(d, s->program, &sym, &offset))
			continue;
		d->symbols.syms[d->symbols.nr_syms++] = (struct dso_symbol_entry){
			.offset = offset,
			.vaddr = sym.st_value,
			.size = sym.st_size,
			.limit = section_end(s->program, &sym, offset),
			.name = strcpy(d->symbols.names + used, name),
			.bind = bind_rank(GELF_ST_BIND(sym.st_info)),
		};
		used += strlen(name) + 1;
	}
	ARRAY_SORT(d->symbols.syms, d->symbols.nr_syms, compare_symbols);
}

/* Reads the symbols that were split off a stripped file. False: there are none. */
static bool collect_split(struct dso *d, Elf *program)
{
	const struct finding *debug = dso_debug_file(d);
	struct symbols s = { .program = program };
	size_t size = 0;
	const void *p = debug && debug->path ? input_map(debug->path, PROT_READ, &size) : NULL;
	Elf *elf = p ? elf_links_open(p, size) : NULL;
	bool found = elf && find_symbols(&s, elf, SHT_SYMTAB);

	if (found)
		collect(d, &s);
	elf_links_close(elf);
	input_unmap(p, size);
	return found;
}

void dso_read_symbols(struct dso *d)
{
	struct symbols s;
	Elf *elf;

	if (d->symbols.symbols_read || d->state == DSO_UNTRIED)
		return;
	d->symbols.symbols_read = true;
	if (!d->image.is_elf || d->state != DSO_LOADED)
		return;
	elf = elf_of(d);
	s.program = elf;
	if (elf && (find_symbols(&s, elf, SHT_SYMTAB) || (!collect_split(d, elf) && find_symbols(&s, elf, SHT_DYNSYM)))) {
		d->symbols.exported_only = s.sh.sh_type == SHT_DYNSYM;
		collect(d, &s);
	}
	elf_links_close(elf);
}

uint64_t dso_next_symbol(const struct dso *d, size_t i, uint64_t end)
{
	const uint64_t start = d->symbols.syms[i].offset;

	while (i < d->symbols.nr_syms && d->symbols.syms[i].offset == start)
		i++;
	return i < d->symbols.nr_syms && d->symbols.syms[i].offset < end ?
		       d->symbols.syms[i].offset :
		       end;
}

/* Where the code of symbol i, which has no size, ends at the latest; its offset itself: only its start is known. */
static uint64_t end_of_label(struct dso *d, size_t i)
{
	const uint64_t start = d->symbols.syms[i].offset;
	uint64_t end = d->symbols.syms[i].limit ? d->symbols.syms[i].limit : UINT64_MAX;
	struct dso_function f;

	if (dso_function(d, start, &f) && f.start == start &&
	    !(f.label && d->symbols.exported_only))
		return f.end < end ? f.end : end;
	if (d->symbols.exported_only)
		return start;
	return dso_next_symbol(d, i, end);
}

bool dso_symbol(const struct dso *dso, uint64_t offset, const char **name, uint64_t *sym_start,
		uint64_t *sym_size)
{
	struct dso *d = (struct dso *)dso;	/* the symbols are a cache */
	size_t lo = 0, hi;
	uint64_t size;

	dso_read_symbols(d);
	hi = d->symbols.nr_syms;
	BISECT(lo, hi, mid, d->symbols.syms[mid].offset <= offset);
	/* a stub has no symbol: it precedes a label that would extend over it */
	if ((!lo || !d->symbols.syms[lo - 1].size) &&
	    stubs_find(d, offset, name, sym_start, sym_size))
		return true;
	if (!lo)
		return false;
	/* the first of several names of an address is the best one */
	for (lo--; lo && d->symbols.syms[lo - 1].offset == d->symbols.syms[lo].offset;)
		lo--;
	size = d->symbols.syms[lo].size ? d->symbols.syms[lo].size :
					  end_of_label(d, lo) - d->symbols.syms[lo].offset;
	if (offset - d->symbols.syms[lo].offset >= size)
		return stubs_find(d, offset, name, sym_start, sym_size);
	*name = d->symbols.syms[lo].name;
	*sym_start = d->symbols.syms[lo].offset;
	*sym_size = size;
	return true;
}

/* Orders functions by name; the global one of equal names is first. */
static int compare_names(const void *a, const void *b, void *data)
{
	const struct dso *d = data;
	const struct dso_symbol_entry *x = &d->symbols.syms[*(const uint32_t *)a],
				      *y = &d->symbols.syms[*(const uint32_t *)b];
	int c = strcmp(x->name, y->name);

	if (!c)
		c = (int)x->bind - (int)y->bind;
	return c ? c : x < y ? -1 : x > y;	/* both are elements of d->syms */
}

static bool sort_names(struct dso *d)
{
	size_t i;

	if (d->symbols.name_order || d->symbols.nr_syms > UINT32_MAX)
		return d->symbols.name_order;
	d->symbols.name_order = mem_array(d->symbols.nr_syms ? d->symbols.nr_syms : 1,
					  sizeof(*d->symbols.name_order));
	for (i = 0; i < d->symbols.nr_syms; i++)
		d->symbols.name_order[i] = (uint32_t)i;
	qsort_r(d->symbols.name_order, d->symbols.nr_syms, sizeof(*d->symbols.name_order),
		compare_names, d);
	return true;
}

bool dso_symbol_address(struct dso *d, const char *name, uint64_t *vaddr)
{
	size_t lo = 0, hi;

	dso_read_symbols(d);
	if (!sort_names(d))
		return false;
	hi = d->symbols.nr_syms;
	BISECT(lo, hi, mid, strcmp(d->symbols.syms[d->symbols.name_order[mid]].name, name) < 0);
	if (lo == d->symbols.nr_syms ||
	    strcmp(d->symbols.syms[d->symbols.name_order[lo]].name, name))
		return false;
	*vaddr = d->symbols.syms[d->symbols.name_order[lo]].vaddr;
	return true;
}
