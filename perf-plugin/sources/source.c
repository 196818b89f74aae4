/* SPDX-License-Identifier: GPL-2.0-only */
/* source.c - finds DWARF by libdwfl, and converts file offsets to its addresses and back. */
#include "sources/source.h"

#include <dwarf.h>
#include <errno.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/error.h"
#include "base/format.h"
#include "base/intmap.h"
#include "files/guard.h"
#include "sources/low_rows.h"
#include "sources/mapping.h"

/* A part of the file that has addresses. */
struct part {
	uint64_t offset, size;
	uint64_t addr;		/* as in the DWARF, without its bias */
};

struct source {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf_Addr bias;	/* of the DWARF: an address of libdwfl is one of the file plus this */
	struct part *parts;
	size_t nr_parts, cap_parts;
	char *search;		/* where debug files are searched; the callbacks point to it */
	Dwfl_Callbacks callbacks;
	/* open addressing: source files whose name was put together here, by the pointer to libdw's name */
	struct whole_name {
		const char *file;	/* NULL: free */
		char *whole;
	} *names;
	size_t nr_names, size_names;	/* the size is a power of two */
	/* code of the units by address, made when .debug_aranges, which clang does not write, has not an address */
	struct unit_range *ranges;
	size_t nr_ranges, cap_ranges;
	bool ranges_made;
	struct span *code;	/* executable sections of a linked file; without section headers its executable segments */
	size_t nr_code, cap_code;
	struct intmap units;	/* offset of a unit's DIE: struct unit_code, made when the unit is looked up first */
	struct source_row last;	/* of the last place */
	bool is_low;		/* it has code where linkers leave the lines of discarded code */
	bool low_read;
	struct low_rows low;	/* then its rows, read when they are needed */
};

/* Addresses as in the DWARF, without its bias. */
struct span {
	Dwarf_Addr begin, end;
};

/* The ranges that a unit states, without those of code that the linker discarded. */
struct unit_code {
	const void *unit;	/* struct Dwarf_Die.addr */
	bool stated;		/* it states any */
	struct span *v;		/* sorted; no two overlap */
	size_t nr, cap;
};

struct unit_range {
	Dwarf_Addr begin, end;	/* as in the DWARF, without its bias */
	Dwarf_Die cu;
};

static bool add_part(struct source *l, uint64_t offset, uint64_t size, uint64_t addr)
{
	struct part *p = ARRAY_ADD(l->parts, l->nr_parts, l->cap_parts);

	if (p)
		*p = (struct part){ .offset = offset, .size = size, .addr = addr };
	return p;
}

/* The sections of a file that is not linked: libdwfl gave them addresses. */
static bool section_parts(struct source *l, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR && sh.sh_type == SHT_PROGBITS &&
		    !add_part(l, sh.sh_offset, sh.sh_size, sh.sh_addr))
			return false;
	return true;
}

static bool add_code(struct source *l, Dwarf_Addr begin, uint64_t size)
{
	struct span *to = size ? ARRAY_ADD(l->code, l->nr_code, l->cap_code) : NULL;

	if (to)
		*to = (struct span){ begin, begin + size };
	return to || !size;
}

static bool read_code(struct source *l, Elf *elf, GElf_Addr bias)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t i;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR && sh.sh_flags & SHF_ALLOC &&
		    !add_code(l, sh.sh_addr + bias - l->bias, sh.sh_size))
			return false;
	for (i = 0; !l->nr_code && i < l->nr_parts; i++)
		if (!add_code(l, l->parts[i].addr, l->parts[i].size))
			return false;
	return true;
}

/* True if lines of discarded code, from address 0 on, may reach real code. No function is larger. */
static bool has_low_code(const struct source *l)
{
	size_t i;

	for (i = 0; i < l->nr_code; i++)
		if (l->code[i].begin < 1u << 20)
			return true;
	return false;
}

static bool read_parts(struct source *l)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(l->module, &bias);
	GElf_Ehdr eh;
	GElf_Phdr ph;
	size_t i, n;

	if (!elf || !gelf_getehdr(elf, &eh))
		return false;
	if (eh.e_type == ET_REL)
		return section_parts(l, elf);
	if (elf_getphdrnum(elf, &n))
		return false;
	for (i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X &&
		    !add_part(l, ph.p_offset, ph.p_filesz, ph.p_vaddr + bias - l->bias))
			return false;
	if (!read_code(l, elf, bias))
		return false;
	l->is_low = eh.e_type == ET_EXEC && has_low_code(l);
	return true;
}

/* The module's name is not used: one file is one module. */
static int take_module(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, void *data)
{
	(void)userdata;
	(void)name;
	(void)base;
	((struct source *)data)->module = module;
	return DWARF_CB_ABORT;
}

/* Opens the file here, since libdwfl does not distinguish a file that cannot be opened and one without DWARF. */
static bool report_file(struct source *l, const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		error_set(err, ERR_IO, "%s: its source lines are not known: it cannot be opened: %s", path, strerror(errno));
		return false;
	}
	if (dwfl_report_offline(l->dwfl, "", path, fd))
		return true;	/* the module owns the descriptor */
	close(fd);
	return false;
}

/* Finds the module of the file, and its DWARF. */
static bool open_dwarf(struct source *l, const char *path, struct error *err)
{
	Dwarf *dwarf;

	l->dwfl = dwfl_begin(&l->callbacks);
	if (!l->dwfl || !report_file(l, path, err) || dwfl_report_end(l->dwfl, NULL, NULL))
		return false;
	dwfl_getmodules(l->dwfl, take_module, l, 0);
	dwarf = l->module ? dwfl_module_getdwarf(l->module, &l->bias) : NULL;
	if (!dwarf)
		return false;
	dwarf_new_oom_handler(dwarf, guard_no_memory);
	return read_parts(l);
}

struct source *source_open(const char *path, const char *symfs, struct error *err)
{
	struct source *l = calloc(1, sizeof(*l));
	bool ok;

	if (!l)
		return NULL;
	/* next to the file, in its folder .debug, and in the places for debug files of the target and of this machine */
	l->search = format_text(":.debug:%s%s/usr/lib/debug", symfs ? symfs : "", symfs ? "/usr/lib/debug:" : "");
	if (!l->search) {
		free(l);
		return NULL;
	}
	l->callbacks = (Dwfl_Callbacks){ .find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
					 .section_address = dwfl_offline_section_address, .debuginfo_path = &l->search };
	guard_unchecked(true);
	ok = open_dwarf(l, path, err);
	guard_unchecked(false);
	if (ok)
		return l;
	source_close(l);
	return NULL;
}

static void free_unit(struct unit_code *u)
{
	if (u)
		free(u->v);
	free(u);
}

void source_close(struct source *l)
{
	size_t i;

	if (!l)
		return;
	dwfl_end(l->dwfl);
	for (i = 0; i < l->size_names; i++)
		free(l->names[i].whole);
	free(l->names);
	free(l->ranges);
	free(l->code);
	for (i = 0; i < l->units.size; i++)
		free_unit(l->units.slot[i].value);
	intmap_free(&l->units);
	low_rows_free(&l->low);
	free(l->parts);
	free(l->search);
	free(l);
}

static bool addr_of(const struct source *l, uint64_t offset, Dwarf_Addr *addr)
{
	const struct part *p;
	size_t left;

	for (p = l->parts, left = l->nr_parts; left; left--, p++)
		if (offset >= p->offset && offset - p->offset < p->size) {
			*addr = p->addr + (offset - p->offset);
			return true;
		}
	return false;
}

static bool offset_of(const struct source *l, Dwarf_Addr addr, uint64_t *offset)
{
	const struct part *p;
	size_t left;

	for (p = l->parts, left = l->nr_parts; left; left--, p++)
		if (addr >= p->addr && addr - p->addr < p->size) {
			*offset = p->offset + (addr - p->addr);
			return true;
		}
	return false;
}

static const char *dir_of(Dwarf_Die *cu)
{
	Dwarf_Attribute attr;
	const char *dir = cu && dwarf_attr(cu, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;

	return dir ? dir : "";
}

static struct whole_name *name_slot(struct whole_name *names, size_t size, const char *file)
{
	size_t i = ((uintptr_t)file * 0x9e3779b97f4a7c15u >> 20) & (size - 1);

	while (names[i].file && names[i].file != file)
		i = (i + 1) & (size - 1);
	return &names[i];
}

static bool grow_names(struct source *l)
{
	size_t i, size = l->size_names ? 2 * l->size_names : 256;
	struct whole_name *names = calloc(size, sizeof(*names));

	if (!names)
		return false;
	for (i = 0; i < l->size_names; i++)
		if (l->names[i].file)
			*name_slot(names, size, l->names[i].file) = l->names[i];
	free(l->names);
	l->names = names;
	l->size_names = size;
	return true;
}

/* libdw puts a directory of compilation that is relative before the names of its own files, not before other directories. */
static bool is_below(const char *file, const char *dir)
{
	const size_t len = strlen(dir);

	return !strncmp(file, dir, len) && file[len] == '/';
}

/* The name of a source file; one that is relative is below the directory of the compilation. NULL: no memory. */
static const char *name_of(struct source *l, Dwarf_Die *cu, const char *file)
{
	struct whole_name *slot;
	const char *dir;
	char *whole;

	if (file[0] == '/')
		return file;
	if (2 * l->nr_names >= l->size_names && !grow_names(l))
		return NULL;
	slot = name_slot(l->names, l->size_names, file);
	if (slot->file)
		return slot->whole;
	dir = dir_of(cu);
	if (is_below(file, dir))
		dir = "";
	whole = format_text("%s%s%s", dir, *dir ? "/" : "", file);
	if (!whole)
		return NULL;
	*slot = (struct whole_name){ .file = file, .whole = whole };
	l->nr_names++;
	return whole;
}

static bool place_of(struct source *l, Dwarf_Die *cu, Dwarf_Line *line, struct source_place *place)
{
	const char *file = dwarf_linesrc(line, NULL, NULL);
	int number;

	if (!file || dwarf_lineno(line, &number) || number <= 0)
		return false;
	place->file = name_of(l, cu, file);
	place->line = (unsigned int)number;
	return place->file;
}

/* Finds the row that has `addr` in the table of its unit, which is by address. False: it ends a sequence, or none has it. */
static bool find_row(Dwarf_Die *cu, Dwarf_Addr addr, Dwarf_Line **line, Dwarf_Addr *begin, Dwarf_Addr *end)
{
	size_t lo = 0, hi, n;
	Dwarf_Lines *table;
	bool ends;

	if (dwarf_getsrclines(cu, &table, &n))
		return false;
	hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (dwarf_lineaddr(dwarf_onesrcline(table, mid), begin) || *begin > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	/* the last one of several rows of an address */
	if (!lo || lo == n)
		return false;
	*line = dwarf_onesrcline(table, lo - 1);
	return !dwarf_lineendsequence(*line, &ends) && !ends && !dwarf_lineaddr(*line, begin) &&
	       !dwarf_lineaddr(dwarf_onesrcline(table, lo), end);
}

static int by_begin(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Bytes of the file that has the DWARF; each range takes some of them, unless a damaged file uses them several times. */
static size_t dwarf_bytes(struct source *l)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(l->module, &bias);
	size_t size = 0;

	elf_rawfile(dwarf_getelf(dwarf), &size);
	return size;
}

/*
 * False for an address at which no code is, as 0, where linkers put the DWARF of sections that they discard. In a file that is
 * not linked nothing was discarded.
 */
static bool in_code(const struct source *l, Dwarf_Addr addr)
{
	size_t i;

	for (i = 0; i < l->nr_code; i++)
		if (addr >= l->code[i].begin && addr < l->code[i].end)
			return true;
	return !l->nr_code;
}

static int by_span(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Reads the ranges of a unit. Those that overlap become one. False: no memory. */
static bool read_unit(struct source *l, Dwarf_Die *cu, struct unit_code *u)
{
	const size_t most = dwarf_bytes(l) / 3;
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;
	struct span *to;
	size_t i, n = 0;

	u->unit = cu->addr;
	while (u->nr < most && (at = dwarf_ranges(cu, at, &base, &begin, &end)) > 0) {
		u->stated = true;
		if (begin >= end || !in_code(l, begin))
			continue;
		to = ARRAY_ADD(u->v, u->nr, u->cap);
		if (!to)
			return false;
		*to = (struct span){ begin, end };
	}
	if (!u->nr)
		return true;
	qsort(u->v, u->nr, sizeof(*u->v), by_span);
	for (i = 1; i < u->nr; i++) {
		if (u->v[i].begin > u->v[n].end)
			u->v[++n] = u->v[i];
		else if (u->v[i].end > u->v[n].end)
			u->v[n].end = u->v[i].end;
	}
	u->nr = n + 1;
	return true;
}

/* Returns the code of a unit, NULL without memory: then the run ends with exit code 1 (base/memory.h). */
static const struct unit_code *unit_code(struct source *l, Dwarf_Die *cu)
{
	const int key = (int)dwarf_dieoffset(cu);
	struct unit_code *u = intmap_get(&l->units, key);

	if (u && u->unit == cu->addr)
		return u;
	/* units that are 4 GB apart have one key */
	intmap_remove(&l->units, key);
	free_unit(u);
	u = calloc(1, sizeof(*u));
	if (u && read_unit(l, cu, u) && intmap_put(&l->units, key, u))
		return u;
	free_unit(u);
	return NULL;
}

/*
 * True if a unit has code at an address. Its lines may also be those of code that the linker discarded, from address 0 on, where
 * the code of others is.
 */
static bool unit_has(struct source *l, Dwarf_Die *cu, Dwarf_Addr addr)
{
	const struct unit_code *u = unit_code(l, cu);
	size_t lo = 0, hi;

	if (!u || !u->stated)
		return u && in_code(l, addr);
	hi = u->nr;
	BISECT(lo, hi, mid, u->v[mid].begin <= addr);
	return lo && addr < u->v[lo - 1].end;
}

static void make_ranges(struct source *l)
{
	const size_t most = dwarf_bytes(l) / 3;	/* an entry of .debug_rnglists: its kind and two numbers */
	Dwarf_Addr base, begin, end, bias;
	Dwarf_Die *cu = NULL;
	struct unit_range *r;
	ptrdiff_t at;

	l->ranges_made = true;
	while ((cu = dwfl_module_nextcu(l->module, cu, &bias)))
		for (at = 0; l->nr_ranges < most && (at = dwarf_ranges(cu, at, &base, &begin, &end)) > 0;) {
			if (begin >= end || !in_code(l, begin))
				continue;
			r = ARRAY_ADD(l->ranges, l->nr_ranges, l->cap_ranges);
			if (!r)
				return;	/* the run ends with exit code 1 (base/memory.h) */
			*r = (struct unit_range){ .begin = begin, .end = end, .cu = *cu };
		}
	if (l->nr_ranges)
		qsort(l->ranges, l->nr_ranges, sizeof(*l->ranges), by_begin);
}

/* The unit that has code at an address, by the ranges that units themselves state; NULL: none. */
static Dwarf_Die *unit_at(struct source *l, Dwarf_Addr addr)
{
	size_t lo = 0, hi;

	if (!l->ranges_made)
		make_ranges(l);
	hi = l->nr_ranges;
	BISECT(lo, hi, mid, l->ranges[mid].begin <= addr);
	return lo && addr < l->ranges[lo - 1].end ? &l->ranges[lo - 1].cu : NULL;
}

struct low_units {
	struct source *l;
	Dwarf_Die *unit;
};

static Dwarf_Die *next_low_unit(void *data)
{
	struct low_units *u = data;
	Dwarf_Addr bias;

	u->unit = dwfl_module_nextcu(u->l->module, u->unit, &bias);
	return u->unit;
}

static const char *low_name(void *data, Dwarf_Die *cu, const char *file)
{
	return name_of(((struct low_units *)data)->l, cu, file);
}

static bool read_low(struct source *l)
{
	struct low_units units = { .l = l };
	struct low_input in = { .first = 0, .unit = next_low_unit, .name = low_name, .data = &units };
	Dwarf_Addr bias;
	Elf *dwarf = dwarf_getelf(dwfl_module_getdwarf(l->module, &bias));
	Elf *elf = dwfl_module_getelf(l->module, &bias);

	if (in_code(l, 0))
		in.first = low_rows_first(elf, dwarf);
	low_rows_section(dwarf, &in);
	return low_rows_read(&l->low, &in);
}

/* True for a file that has low code: l->low has its rows. Without memory the run ends. */
static bool is_low(struct source *l)
{
	if (!l->is_low)
		return false;
	if (!l->low_read && !read_low(l))
		l->low.n = 0;
	l->low_read = true;
	return true;
}

static bool low_at(struct source *l, Dwarf_Addr addr, Dwarf_Addr *begin, Dwarf_Addr *end,
		   struct source_place *place)
{
	const struct low_row *r = low_rows_at(&l->low, addr);

	if (!r || !r->line)
		return false;
	*begin = r->begin;
	*end = r->end;
	*place = (struct source_place){ .file = r->file, .line = r->line };
	return true;
}

/* The line of an address, and the addresses that its row has. */
static bool row_at(struct source *l, Dwarf_Addr addr, Dwarf_Addr *begin, Dwarf_Addr *end,
		   struct source_place *place)
{
	Dwarf_Addr bias;
	Dwarf_Line *line;
	Dwarf_Die *cu;

	if (is_low(l))
		return low_at(l, addr, begin, end, place);
	cu = dwfl_module_addrdie(l->module, addr + l->bias, &bias);
	if (!cu || !unit_has(l, cu, addr))
		cu = unit_at(l, addr);
	return cu && find_row(cu, addr, &line, begin, end) && place_of(l, cu, line, place);
}

bool source_at(struct source *l, uint64_t offset, struct source_place *place)
{
	struct source_row *last = &l->last;
	Dwarf_Addr addr, begin, end;
	bool found;

	if (offset >= last->begin && offset < last->end) {
		*place = last->place;
		return true;
	}
	if (!addr_of(l, offset, &addr))
		return false;
	guard_unchecked(true);
	found = row_at(l, addr, &begin, &end, place);
	guard_unchecked(false);
	if (!found)
		return false;
	*last = (struct source_row){ .begin = offset - (addr - begin), .end = offset + (end - addr), .place = *place };
	return true;
}

/* Rows of one unit. */
static int unit_rows(struct source *l, Dwarf_Die *cu, int (*row)(void *data, const struct source_row *r), void *data)
{
	struct source_row r;
	Dwarf_Lines *table;
	Dwarf_Addr addr, next;
	bool end;
	size_t i, n;
	int rc;

	if (dwarf_getsrclines(cu, &table, &n))
		return 0;
	for (i = 0; i + 1 < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(table, i);

		if (dwarf_lineendsequence(line, &end) || end || dwarf_lineaddr(line, &addr) ||
		    dwarf_lineaddr(dwarf_onesrcline(table, i + 1), &next) || next <= addr)
			continue;
		if (!unit_has(l, cu, addr) || !offset_of(l, addr, &r.begin) || !place_of(l, cu, line, &r.place))
			continue;
		r.end = r.begin + (next - addr);
		guard_unchecked(false);
		rc = row(data, &r);
		guard_unchecked(true);
		if (rc)
			return rc;
	}
	return 0;
}

/* The same of a file that has low code. */
static int low_rows(struct source *l, int (*row)(void *data, const struct source_row *r),
		    void *data)
{
	const struct low_row *v = l->low.v;
	struct source_row r;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < l->low.n; i++) {
		if (!v[i].line || !in_code(l, v[i].begin) || !offset_of(l, v[i].begin, &r.begin))
			continue;
		r.end = r.begin + (v[i].end - v[i].begin);
		r.place = (struct source_place){ .file = v[i].file, .line = v[i].line };
		guard_unchecked(false);
		rc = row(data, &r);
		guard_unchecked(true);
	}
	return rc;
}

int source_each_row(struct source *l, int (*row)(void *data, const struct source_row *r), void *data)
{
	Dwarf_Addr bias;
	Dwarf_Die *cu = NULL;
	int rc = 0;

	guard_unchecked(true);
	if (is_low(l))
		rc = low_rows(l, row, data);
	else
		while (!rc && (cu = dwfl_module_nextcu(l->module, cu, &bias)))
			rc = unit_rows(l, cu, row, data);
	guard_unchecked(false);
	return rc;
}

struct functions {
	struct source *l;
	Dwarf_Die *cu;
	int (*function)(void *data, const struct source_function *f);
	void *data;
	int rc;
};

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return dwarf_formstring(&attr);
	return dwarf_diename(die);
}

/* The file that declares a function; NULL: none is stated. */
static const char *decl_file(Dwarf_Die *die)
{
	const char *file = dwarf_decl_file(die);
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t n;

	/* libdw takes 0 for no file; in DWARF 5 it is the file that the unit was compiled from, and clang uses it */
	if (file || !dwarf_attr_integrate(die, DW_AT_decl_file, &attr) || dwarf_formudata(&attr, &number) || number)
		return file;
	if (dwarf_cu_info(attr.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) || version < 5 ||
	    dwarf_getsrcfiles(&unit, &files, &n))
		return NULL;
	return dwarf_filesrc(files, 0, NULL, NULL);
}

/*
 * The address at which execution of a function begins: DW_AT_entry_pc, an address or, in DWARF 5, the distance from the base
 * address, else this, which is that of the first range of a function in several parts (DWARF 5, 2.17 and 2.18).
 */
static bool entry_of(Dwarf_Die *die, Dwarf_Addr *entry)
{
	Dwarf_Addr base, end;
	Dwarf_Attribute attr;
	Dwarf_Word distance = 0;

	if (!dwarf_entrypc(die, entry))
		return true;
	if (dwarf_attr(die, DW_AT_entry_pc, &attr) && dwarf_formudata(&attr, &distance))
		return false;
	if (dwarf_ranges(die, 0, &base, entry, &end) <= 0)
		return false;
	*entry += distance;
	return true;
}

static int take_function(Dwarf_Die *die, void *data)
{
	struct functions *fs = data;
	struct source_function f;
	Dwarf_Addr base, begin, end, entry;
	const char *file = decl_file(die);
	ptrdiff_t at = 0;
	int line;

	f.name = linkage_name(die);
	if (!f.name || !file || dwarf_decl_line(die, &line) || line <= 0 || !entry_of(die, &entry))
		return DWARF_CB_OK;
	while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0) {
		if (entry < begin || entry >= end || !in_code(fs->l, begin) || !offset_of(fs->l, begin, &f.begin))
			continue;
		if (!begin && is_low(fs->l) && !low_rows_function(&fs->l->low, end - begin))
			continue;
		f.end = f.begin + (end - begin);
		f.place.file = name_of(fs->l, fs->cu, file);
		f.place.line = (unsigned int)line;
		guard_unchecked(false);
		fs->rc = f.place.file ? fs->function(fs->data, &f) : 0;
		guard_unchecked(true);
		break;
	}
	return fs->rc ? DWARF_CB_ABORT : DWARF_CB_OK;
}

int source_each_function(struct source *l, int (*function)(void *data, const struct source_function *f), void *data)
{
	struct functions fs = { .l = l, .function = function, .data = data };
	Dwarf_Addr bias;

	guard_unchecked(true);
	while (!fs.rc && (fs.cu = dwfl_module_nextcu(l->module, fs.cu, &bias)))
		dwarf_getfuncs(fs.cu, take_function, &fs, 0);
	guard_unchecked(false);
	return fs.rc;
}

struct mappings {
	struct source *l;
	GElf_Addr bias;		/* the addresses of the symbols plus this are those of the DWARF */
	int (*mapping)(void *data, const struct source_mapping *m);
	void *data;
};

static int take_mapping(void *data, const struct mapping_symbol *s)
{
	struct source_mapping m = { .offset = s->value, .kind = s->kind };
	const struct mappings *to = data;
	int rc;

	if (s->linked && !offset_of(to->l, s->value + to->bias, &m.offset))
		return 0;
	guard_unchecked(false);
	rc = to->mapping(to->data, &m);
	guard_unchecked(true);
	return rc;
}

int source_each_mapping(struct source *l,
			int (*mapping)(void *data, const struct source_mapping *m), void *data)
{
	struct mappings to = { .l = l, .mapping = mapping, .data = data };
	GElf_Addr bias = 0;
	bool any = false;
	Elf *elf;
	int rc = 0;

	guard_unchecked(true);
	elf = dwfl_module_getelf(l->module, &bias);
	to.bias = bias - l->bias;
	if (elf)
		rc = mapping_symbols(elf, take_mapping, &to, &any);
	to.bias = 0;
	elf = dwarf_getelf(dwfl_module_getdwarf(l->module, &bias));
	if (!rc && !any)
		rc = mapping_symbols(elf, take_mapping, &to, &any);
	guard_unchecked(false);
	return rc;
}
