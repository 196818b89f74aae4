/* SPDX-License-Identifier: GPL-2.0-only */
/* source.c - opens the DWARF of a file, and converts file offsets to its addresses and back. */
#include "base/alloc.h"
#include "outputs/sources/internal.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/error.h"
#include "base/files/guard.h"
#include "base/files/input.h"
#include "machine/finder/elf_links.h"
#include "machine/finder/finder.h"
#include "machine/images/dso.h"
#include "machine/images/unpack.h"
#include "outputs/sources/mapping.h"

/* Ranges are read by several passes: over units, over their tables, over functions. */
#define MAX_PASSES	8u

/* ---- files -------------------------------------------------------------------------------------------------- */

static void image_free(struct image *m)
{
	elf_end(m->elf);
	if (m->own)
		free((void *)m->p);
	else
		input_unmap(m->p, m->size);
	*m = (struct image){ .p = NULL };
}

/* Maps a file; a packed one, as kernel modules are, is expanded within the limits of unpack.h. False with errno: it cannot be read. */
static bool image_open(struct image *m, const char *path)
{
	uint8_t *p;
	size_t size;

	m->p = input_map(path, PROT_READ, &m->size);
	if (!m->p)
		return false;
	if (is_packed(m->p, m->size) && unpack(m->p, m->size, &p, &size) == UNPACK_DONE) {
		input_unmap(m->p, m->size);
		*m = (struct image){ .p = p, .size = size, .own = true };
	}
	m->elf = elf_links_open(m->p, m->size);
	return true;
}

/* ---- addresses ---------------------------------------------------------------------------------------------- */

static void add_part(struct source *l, uint64_t offset, uint64_t size, uint64_t addr)
{
	*ARRAY_ADD(l->index.parts, l->index.nr_parts, l->index.cap_parts) =
		(struct part){ .offset = offset, .size = size, .addr = addr };
}

static int by_name(const void *a, const void *b)
{
	const struct section_base *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* In a file that is not linked sections have no addresses: offsets in the file stand for them. */
static bool section_parts(struct source *l)
{
	Elf *elf = l->program.elf;
	struct section_base *to;
	Elf_Scn *scn = NULL;
	size_t strings;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC))
			continue;
		if (sh.sh_flags & SHF_EXECINSTR && sh.sh_type == SHT_PROGBITS)
			add_part(l, sh.sh_offset, sh.sh_size, sh.sh_offset);
		to = ARRAY_ADD(l->unlinked.bases, l->unlinked.nr_bases, l->unlinked.cap_bases);
		*to = (struct section_base){ .name = elf_strptr(elf, strings, sh.sh_name), .base = sh.sh_offset };
		if (!to->name)
			l->unlinked.nr_bases--;
	}
	ARRAY_SORT(l->unlinked.bases, l->unlinked.nr_bases, by_name);
	return true;
}

static uint64_t base_of_section(const void *data, const char *name)
{
	const struct section_base key = { .name = name }, *found;
	const struct source *l = data;

	found = l->unlinked.nr_bases ? bsearch(&key, l->unlinked.bases, l->unlinked.nr_bases,
					       sizeof(*l->unlinked.bases), by_name) :
				       NULL;
	return found ? found->base : 0;
}

static void add_span(struct spans *s, Dwarf_Addr begin, Dwarf_Addr end)
{
	if (begin < end)
		*ARRAY_ADD(s->v, s->nr, s->cap) = (struct span){ begin, end };
}

/* Sorts; spans that overlap become one. */
static void sort_spans(struct spans *s)
{
	size_t i, n = 0;

	if (!s->nr)
		return;
	ARRAY_SORT_BY(s->v, s->nr, begin);
	for (i = 1; i < s->nr; i++) {
		if (s->v[i].begin > s->v[n].end)
			s->v[++n] = s->v[i];
		else if (s->v[i].end > s->v[n].end)
			s->v[n].end = s->v[i].end;
	}
	s->nr = n + 1;
}

static bool in_spans(const struct spans *s, Dwarf_Addr addr)
{
	size_t lo = 0, hi = s->nr;

	BISECT(lo, hi, mid, s->v[mid].begin <= addr);
	return lo && addr < s->v[lo - 1].end;
}

bool source_in_code(const struct source *l, Dwarf_Addr addr)
{
	/* in a file that is not linked nothing was discarded */
	return !l->code.nr || in_spans(&l->code, addr);
}

static void read_code(struct source *l)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t i;

	while ((scn = elf_nextscn(l->program.elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR &&
		    sh.sh_flags & SHF_ALLOC)
			add_span(&l->code, sh.sh_addr + l->delta,
				 sh.sh_addr + l->delta + sh.sh_size);
	for (i = 0; !l->code.nr && i < l->index.nr_parts; i++)
		add_span(&l->code, l->index.parts[i].addr,
			 l->index.parts[i].addr + l->index.parts[i].size);
	sort_spans(&l->code);
}

static bool segment_parts(struct source *l)
{
	GElf_Phdr ph;
	size_t i, n;

	if (elf_getphdrnum(l->program.elf, &n))
		return false;
	for (i = 0; i < n && gelf_getphdr(l->program.elf, (int)i, &ph); i++)
		if (ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			add_part(l, ph.p_offset, ph.p_filesz, ph.p_vaddr + l->delta);
	return true;
}

/* Both orders; of parts that begin at one offset or address any serves. */
static void sort_parts(struct source *l)
{
	const size_t size = l->index.nr_parts * sizeof(*l->index.parts);

	l->index.by_addr = mem_new(size);
	if (size)
		memcpy(l->index.by_addr, l->index.parts, size);
	ARRAY_SORT_BY(l->index.parts, l->index.nr_parts, offset);
	ARRAY_SORT_BY(l->index.by_addr, l->index.nr_parts, addr);
}

/* The address of the first segment. False: none. */
static bool first_address(Elf *elf, uint64_t *addr)
{
	GElf_Phdr ph;
	size_t i, n;

	for (i = 0; elf && !elf_getphdrnum(elf, &n) && i < n && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_LOAD) {
			*addr = ph.p_vaddr;
			return true;
		}
	return false;
}

static bool is_linked(Elf *elf)
{
	GElf_Ehdr eh;

	return !gelf_getehdr(elf, &eh) || eh.e_type != ET_REL;
}

/* line_program.h reads little-endian tables alone; others are left to libdw. */
static bool is_little_program(Elf *elf)
{
	GElf_Ehdr eh;

	return gelf_getehdr(elf, &eh) && eh.e_type == ET_EXEC && eh.e_ident[EI_DATA] == ELFDATA2LSB;
}

/* A program may have been moved after its debug file was made (prelink). */
static bool read_parts(struct source *l)
{
	uint64_t own, other;

	if (!is_linked(l->program.elf)) {
		if (!section_parts(l))
			return false;
		sort_parts(l);
		return true;
	}
	if (l->debug.elf && first_address(l->program.elf, &own) && first_address(l->debug.elf, &other))
		l->delta = other - own;
	if (!segment_parts(l))
		return false;
	read_code(l);
	sort_parts(l);
	/* lines of discarded code, from address 0 on, may reach real code; no function is larger */
	l->lows.is_low = is_little_program(l->program.elf) && l->code.nr &&
			 l->code.v[0].begin < 1u << 20;
	return true;
}

static bool addr_of(const struct source *l, uint64_t offset, Dwarf_Addr *addr)
{
	size_t lo = 0, hi = l->index.nr_parts;

	BISECT(lo, hi, mid, l->index.parts[mid].offset <= offset);
	if (!lo || offset - l->index.parts[lo - 1].offset >= l->index.parts[lo - 1].size)
		return false;
	*addr = l->index.parts[lo - 1].addr + (offset - l->index.parts[lo - 1].offset);
	return true;
}

bool source_offset_of(const struct source *l, Dwarf_Addr addr, uint64_t *offset)
{
	size_t lo = 0, hi = l->index.nr_parts;

	BISECT(lo, hi, mid, l->index.by_addr[mid].addr <= addr);
	if (!lo || addr - l->index.by_addr[lo - 1].addr >= l->index.by_addr[lo - 1].size)
		return false;
	*offset = l->index.by_addr[lo - 1].offset + (addr - l->index.by_addr[lo - 1].addr);
	return true;
}

/* ---- opening ------------------------------------------------------------------------------------------------ */

/* Finds what the debug files of a distribution share. Without it names that are in there are unknown; libdw searches nothing. */
static void open_shared(struct source *l, const struct elf_links *links, const char *file)
{
	static const struct finder here;
	struct find_query q = { .what = FIND_ALT, .path = l->dso ? l->dso->path : NULL, .file = file, .id = links->alt_id,
				.link = links->alt };
	struct finding found;
	bool ok = links->alt && links->alt_id.len &&
		  finder_search(l->dso && l->dso->where.finder ? l->dso->where.finder : &here, &q,
				&found);

	if (!links->alt || !links->alt_id.len)
		return;
	ok = ok && image_open(&l->shared, found.path) && sections_read(&l->shared_sections, l->shared.p, l->shared.size, false, NULL,
								      NULL) == SECTIONS_FINE &&
	     sections_make(&l->shared_sections, false, &l->shared_made) == SECTIONS_FINE;
	if (ok)
		dwarf_setalt(l->made.dwarf, l->shared_made.dwarf);
	finding_free(&found);
}

/* Reads the DWARF of one file; `m` is its image. */
static enum sections_lack open_dwarf(struct source *l, const struct image *m, const char *file)
{
	enum sections_lack lack;
	struct elf_links links;

	if (!m->elf || !elf_links_read(m->p, m->size, &links))
		return SECTIONS_NONE;
	sections_free(&l->sections);
	lack = sections_read(&l->sections, m->p, m->size, false, base_of_section, l);
	if (lack == SECTIONS_FINE)
		lack = sections_make(&l->sections, false, &l->made);
	if (lack == SECTIONS_FINE)
		open_shared(l, &links, file);
	return lack;
}

/* True if a debug file is there, and could not be opened or read. */
static bool is_unread(const struct finding *found)
{
	size_t i;

	for (i = 0; found && i < found->nr; i++)
		if (found->v[i].verdict == FIND_UNREADABLE)
			return true;
	return false;
}

/* Notes why there are no lines: that is no error unless something cannot be opened. */
static void no_lines(struct error *err, const char *path, enum sections_lack lack, const struct finding *tried)
{
	const int code = lack == SECTIONS_NO_DESCRIPTOR || is_unread(tried) ? ERR_IO : 0;
	const char *why = sections_lack_text(lack);
	char *text = tried ? finding_text(tried) : NULL;

	error_set(err, code, text ? "%s: %s: no lines; its debug file was not found: %s" : "%s: %s: no lines", path, why, text);
	free(text);
}

/* Opens the DWARF of the debug file. False: none, with the reason. */
static bool open_debug(struct source *l, enum sections_lack lack, struct error *err)
{
	const struct finding *found = lack == SECTIONS_NONE && l->dso ? dso_debug_file(l->dso) : NULL;

	if (!found || !found->path) {
		no_lines(err, l->dso ? l->dso->path : l->path, lack, found);
		return false;
	}
	l->debug_path = mem_text(found->path);
	if (!image_open(&l->debug, found->path)) {
		error_set(err, ERR_IO, "%s: its source lines are not known: %s: %s", l->path, found->path, input_error(errno));
		return false;
	}
	lack = open_dwarf(l, &l->debug, l->debug_path);
	if (lack != SECTIONS_FINE)
		no_lines(err, l->debug_path, lack, NULL);
	return lack == SECTIONS_FINE;
}

static bool open_all(struct source *l, struct error *err)
{
	enum sections_lack lack;

	if (!image_open(&l->program, l->path)) {
		error_set(err, ERR_IO, "%s: its source lines are not known: it cannot be opened: %s", l->path, input_error(errno));
		return false;
	}
	if (!l->program.elf)
		return false;
	/* relocations need the places of sections */
	if (!is_linked(l->program.elf) && !read_parts(l))
		return false;
	lack = open_dwarf(l, &l->program, l->path);
	if (lack != SECTIONS_FINE && !open_debug(l, lack, err))
		return false;
	/* a range takes at least three bytes: its kind and two numbers (DWARF 5, 7.25) */
	l->steps = MAX_PASSES * (l->sections.bytes / 3);
	return !is_linked(l->program.elf) || read_parts(l);
}

struct source *source_open(const char *path, const struct dso *dso, struct error *err)
{
	struct source *l = mem_zeroed(1, sizeof(*l));
	bool ok;

	l->path = mem_text(path);
	l->dso = dso;
	guard_unchecked(true);
	ok = open_all(l, err);
	guard_unchecked(false);
	if (ok)
		return l;
	source_close(l);
	return NULL;
}

static void free_unit(struct unit_code *u)
{
	if (u)
		free(u->code.v);
	free(u);
}

void source_close(struct source *l)
{
	size_t i;

	if (!l)
		return;
	split_free(l->split);
	made_free(&l->made);
	made_free(&l->shared_made);
	sections_free(&l->sections);
	sections_free(&l->shared_sections);
	image_free(&l->program);
	image_free(&l->debug);
	image_free(&l->shared);
	source_names_free(l);
	free(l->index.ranges);
	free(l->code.v);
	for (i = 0; i < l->index.units.size; i++)
		free_unit(l->index.units.slot[i].value);
	intmap_free(&l->index.units);
	low_rows_free(&l->lows.low);
	free(l->unlinked.bases);
	free(l->index.parts);
	free(l->index.by_addr);
	free(l->path);
	free(l->debug_path);
	free(l);
}

/* ---- units and their code ------------------------------------------------------------------------------------ */

bool source_next_unit(struct source *l, Dwarf_CU **cu, Dwarf_Die *die)
{
	return !dwarf_get_units(l->made.dwarf, *cu, cu, NULL, NULL, die, NULL);
}

ptrdiff_t source_ranges(struct source *l, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base, Dwarf_Addr *begin, Dwarf_Addr *end)
{
	if (!l->steps)
		return 0;
	at = dwarf_ranges(die, at, base, begin, end);
	l->steps -= at > 0;
	return at;
}

static bool place_of(struct source *l, Dwarf_Die *cu, Dwarf_Line *line, struct source_place *place)
{
	const char *file = dwarf_linesrc(line, NULL, NULL);
	int number;

	if (!file || dwarf_lineno(line, &number) || number <= 0)
		return false;
	place->file = source_name(l, cu, file);
	place->line = (unsigned int)number;
	return true;
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

/* Adds the ranges of a unit. */
static void add_unit(struct source *l, Dwarf_Die *cu, struct unit_code *u)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = source_ranges(l, cu, at, &base, &begin, &end)) > 0) {
		u->stated = true;
		if (source_in_code(l, begin))
			add_span(&u->code, begin, end);
	}
}

static bool code_has(const struct source *l, const struct unit_code *u, Dwarf_Addr addr)
{
	return u->stated ? in_spans(&u->code, addr) : source_in_code(l, addr);
}

/* Returns the code of a unit. */
static const struct unit_code *unit_code(struct source *l, Dwarf_Die *cu)
{
	struct unit_code *u = intmap_get(&l->index.units, (intptr_t)cu->addr);

	if (u)
		return u;
	u = mem_zeroed(1, sizeof(*u));
	add_unit(l, cu, u);
	intmap_put(&l->index.units, (intptr_t)cu->addr, u);
	sort_spans(&u->code);
	return u;
}

/*
 * True if a unit has code at an address. Its lines may also be those of code that the linker discarded, from address 0 on, where
 * the code of others is.
 */
static bool unit_has(struct source *l, Dwarf_Die *cu, Dwarf_Addr addr)
{
	return code_has(l, unit_code(l, cu), addr);
}

static void make_ranges(struct source *l)
{
	Dwarf_Addr base, begin, end;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	ptrdiff_t at;

	l->index.ranges_made = true;
	while (source_next_unit(l, &cu, &die))
		for (at = 0; (at = source_ranges(l, &die, at, &base, &begin, &end)) > 0;) {
			if (begin >= end || !source_in_code(l, begin))
				continue;
			*ARRAY_ADD(l->index.ranges, l->index.nr_ranges, l->index.cap_ranges) =
				(struct unit_range){ .begin = begin, .end = end, .cu = die };
		}
	ARRAY_SORT_BY(l->index.ranges, l->index.nr_ranges, begin);
}

/* The unit that has code at an address, by the ranges that units themselves state; NULL: none. */
static Dwarf_Die *unit_at(struct source *l, Dwarf_Addr addr)
{
	size_t lo = 0, hi;

	if (!l->index.ranges_made)
		make_ranges(l);
	hi = l->index.nr_ranges;
	BISECT(lo, hi, mid, l->index.ranges[mid].begin <= addr);
	return lo && addr < l->index.ranges[lo - 1].end ? &l->index.ranges[lo - 1].cu : NULL;
}

struct low_units {
	struct source *l;
	Dwarf_CU *cu;
	Dwarf_Die die;
};

static Dwarf_Die *next_low_unit(void *data)
{
	struct low_units *u = data;

	return source_next_unit(u->l, &u->cu, &u->die) ? &u->die : NULL;
}

static const char *low_name(void *data, Dwarf_Die *cu, const char *file)
{
	return source_name(((struct low_units *)data)->l, cu, file);
}

static void read_low(struct source *l)
{
	struct low_units units = { .l = l };
	struct low_input in = { .lines = l->sections.v[SECTION_LINE].p, .size = l->sections.v[SECTION_LINE].size,
				.unit = next_low_unit, .name = low_name, .data = &units };

	if (source_in_code(l, 0))
		in.first = low_rows_first(l->program.elf, l->debug.elf);
	low_rows_read(&l->lows.low, &in);
}

bool source_is_low(struct source *l)
{
	if (!l->lows.is_low)
		return false;
	if (!l->lows.low_read)
		read_low(l);
	l->lows.low_read = true;
	return true;
}

static bool low_at(struct source *l, Dwarf_Addr addr, Dwarf_Addr *begin, Dwarf_Addr *end,
		   struct source_place *place)
{
	const struct low_row *r = low_rows_at(&l->lows.low, addr);

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
	Dwarf_Line *line;
	Dwarf_Die die, *cu;

	if (source_is_low(l))
		return low_at(l, addr, begin, end, place);
	cu = dwarf_addrdie(l->made.dwarf, addr, &die);
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

/* ---- rows ----------------------------------------------------------------------------------------------------- */

/* A line table and the code of all units that share it: rows are read once, whatever number of units name them. */
struct table {
	Dwarf_Lines *lines;
	size_t nr;
	Dwarf_Die cu;		/* the first one */
	struct unit_code code;
};

struct tables {
	struct table *v;
	size_t nr, cap;
	struct intmap numbers;	/* of tables plus 1, by the address of their lines */
};

/* Adds the code of a unit to its table. */
static void add_to_table(struct source *l, struct tables *t, Dwarf_Die *cu)
{
	Dwarf_Lines *lines;
	size_t n, number;

	if (dwarf_getsrclines(cu, &lines, &n) || !n)
		return;
	number = (size_t)intmap_get(&t->numbers, (intptr_t)lines);
	if (!number) {
		*ARRAY_ADD(t->v, t->nr, t->cap) =
			(struct table){ .lines = lines, .nr = n, .cu = *cu };
		number = t->nr;
		intmap_put(&t->numbers, (intptr_t)lines, (void *)number);
	}
	add_unit(l, cu, &t->v[number - 1].code);
}

/* Rows of one table. */
static void table_rows(struct source *l, struct table *t,
		       void (*row)(void *data, const struct source_row *r), void *data)
{
	struct source_row r;
	Dwarf_Addr addr, next;
	bool end;
	size_t i;

	sort_spans(&t->code.code);
	for (i = 0; i + 1 < t->nr; i++) {
		Dwarf_Line *line = dwarf_onesrcline(t->lines, i);

		if (dwarf_lineendsequence(line, &end) || end || dwarf_lineaddr(line, &addr) ||
		    dwarf_lineaddr(dwarf_onesrcline(t->lines, i + 1), &next) || next <= addr)
			continue;
		if (!code_has(l, &t->code, addr) || !source_offset_of(l, addr, &r.begin) || !place_of(l, &t->cu, line, &r.place))
			continue;
		r.end = r.begin + (next - addr);
		guard_unchecked(false);
		row(data, &r);
		guard_unchecked(true);
	}
}

/* The same of a file that has low code. */
static void low_rows(struct source *l, void (*row)(void *data, const struct source_row *r),
		     void *data)
{
	const struct low_row *v = l->lows.low.v;
	struct source_row r;
	size_t i;

	for (i = 0; i < l->lows.low.n; i++) {
		if (!v[i].line || !source_in_code(l, v[i].begin) || !source_offset_of(l, v[i].begin, &r.begin))
			continue;
		r.end = r.begin + (v[i].end - v[i].begin);
		r.place = (struct source_place){ .file = v[i].file, .line = v[i].line };
		guard_unchecked(false);
		row(data, &r);
		guard_unchecked(true);
	}
}

static void each_table(struct source *l, void (*row)(void *data, const struct source_row *r),
		       void *data)
{
	struct tables t = { .v = NULL };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	size_t i;

	while (source_next_unit(l, &cu, &die))
		add_to_table(l, &t, &die);
	for (i = 0; i < t.nr; i++) {
		table_rows(l, &t.v[i], row, data);
		free(t.v[i].code.code.v);
	}
	free(t.v);
	intmap_free(&t.numbers);
}

void source_each_row(struct source *l, void (*row)(void *data, const struct source_row *r),
		     void *data)
{
	guard_unchecked(true);
	if (source_is_low(l))
		low_rows(l, row, data);
	else
		each_table(l, row, data);
	guard_unchecked(false);
}

struct mappings {
	struct source *l;
	uint64_t delta;		/* the addresses of the symbols plus this are those of the DWARF */
	void (*mapping)(void *data, const struct source_mapping *m);
	void *data;
};

static void take_mapping(void *data, const struct mapping_symbol *s)
{
	struct source_mapping m = { .offset = s->value, .kind = s->kind };
	const struct mappings *to = data;

	if (s->linked && !source_offset_of(to->l, s->value + to->delta, &m.offset))
		return;
	guard_unchecked(false);
	to->mapping(to->data, &m);
	guard_unchecked(true);
}

void source_each_mapping(struct source *l,
			 void (*mapping)(void *data, const struct source_mapping *m), void *data)
{
	struct mappings to = { .l = l, .delta = l->delta, .mapping = mapping, .data = data };
	bool any;

	guard_unchecked(true);
	any = mapping_symbols(l->program.elf, take_mapping, &to);
	to.delta = 0;
	/* sections of a debug file are elsewhere than those of a module */
	if (!any && l->debug.elf && is_linked(l->debug.elf))
		mapping_symbols(l->debug.elf, take_mapping, &to);
	guard_unchecked(false);
}
