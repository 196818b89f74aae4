/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stubs.c - a stub loads the address of its function from a word of the global offset table, whose relocation names the
 * function. The word is found by the instructions of the stub (AAELF64, AAELF32: PLT sequences), since linkers order stubs and
 * relocations as they like.
 */
#include "machine/images/stubs.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/ordered.h"
#include "machine/finder/elf_links.h"
#include "machine/images/dso.h"
#include "machine/images/elf_facts.h"

struct stub {
	uint64_t start, end;	/* file offsets, end exclusive */
	const char *name;
};

struct slot {
	uint64_t word;		/* address in the global offset table */
	const char *name;	/* in the table's names */
};

struct stub_table {
	struct stub *v;		/* sorted by start */
	struct slot *slots;	/* sorted by word */
	char *names;
	size_t nr, nr_slots, used;
};

static uint32_t word_at(const uint8_t *p)
{
	return (uint32_t)ordered_number(p, 4, false);
}

/* ---- relocations ------------------------------------------------------------------------------- */

static bool binds_function(uint16_t machine, uint64_t type)
{
	if (machine == EM_AARCH64)
		return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
	return type == R_ARM_JUMP_SLOT || type == R_ARM_GLOB_DAT;
}

/* Passes the word and the name of each relocation of a section that binds a function. Returns their number. */
static size_t read_relocations(const struct dso *d, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct stub_table *t)
{
	Elf_Scn *symbols = elf_getscn(elf, sh->sh_link);
	GElf_Shdr of;
	Elf_Data *data = elf_getdata(scn, NULL), *names = symbols && gelf_getshdr(symbols, &of) ? elf_getdata(symbols, NULL) : NULL;
	size_t n = data && names ? data->d_size / sh->sh_entsize : 0, i, found = 0, len;
	const char *name;
	GElf_Rela rela;
	GElf_Rel rel;
	GElf_Sym sym;

	for (i = 0; i < n; i++) {
		if (sh->sh_type == SHT_RELA && gelf_getrela(data, (int)i, &rela))
			rel = (GElf_Rel){ .r_offset = rela.r_offset, .r_info = rela.r_info };
		else if (sh->sh_type == SHT_RELA || !gelf_getrel(data, (int)i, &rel))
			continue;
		if (!binds_function(d->image.machine, GELF_R_TYPE(rel.r_info)) ||
		    !gelf_getsym(names, (int)GELF_R_SYM(rel.r_info), &sym))
			continue;
		name = elf_strptr(elf, of.sh_link, sym.st_name);
		if (!name || !*name)
			continue;
		len = strlen(name);
		if (t->names) {
			t->slots[t->nr_slots++] = (struct slot){ rel.r_offset, t->names + t->used };
			memcpy(t->names + t->used, name, len);
			memcpy(t->names + t->used + len, "@plt", 5);
		}
		t->used += len + 5;
		found++;
	}
	return found;
}

static size_t all_relocations(const struct dso *d, Elf *elf, struct stub_table *t)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t n = 0;

	t->used = 0;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL) && sh.sh_flags & SHF_ALLOC && sh.sh_entsize)
			n += read_relocations(d, elf, scn, &sh, t);
	return n;
}

static const char *name_of_word(const struct stub_table *t, uint64_t word)
{
	size_t lo = 0, hi = t->nr_slots;

	BISECT(lo, hi, mid, t->slots[mid].word < word);
	return lo < t->nr_slots && t->slots[lo].word == word ? t->slots[lo].name : NULL;
}

/* ---- stubs ------------------------------------------------------------------------------------- */

/* ADRP X16, page; LDR X17, [X16, offset]: the word that is loaded, 0: the instructions at p are others. */
static uint64_t word_of_a64(const uint8_t *p, uint64_t addr)
{
	const uint32_t adrp = word_at(p), ldr = word_at(p + 4);
	uint64_t page;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	/* 21 bits with a sign */
	page = (page ^ 1u << 20) - (1u << 20);
	return (addr & ~(uint64_t)0xfff) + (page << 12) + (ldr >> 10 & 0xfff) * 8;
}

/* The immediate of a data-processing instruction: 8 bits, rotated. */
static uint32_t rotated(uint32_t op)
{
	const unsigned int by = op >> 7 & 30;

	return by ? (op & 0xff) >> by | (op & 0xff) << (32 - by) : op & 0xff;
}

/* ADD IP, PC, #a; ADD IP, IP, #b; LDR PC, [IP, #c]!: as word_of_a64(). */
static uint64_t word_of_a32(const uint8_t *p, uint64_t addr)
{
	const uint32_t a = word_at(p), b = word_at(p + 4), c = word_at(p + 8);

	if ((a & 0xfffff000) != 0xe28fc000 || (b & 0xfffff000) != 0xe28cc000 || (c & 0xfffff000) != 0xe5bcf000)
		return 0;
	return (uint32_t)((uint32_t)addr + 8 + rotated(a) + rotated(b) + (c & 0xfff));
}

/* Instructions before those of the word that belong to the stub: BTI C, or BX PC and a NOP of T32. */
static bool precedes(const struct dso *d, const uint8_t *p)
{
	const uint32_t op = word_at(p);

	return d->image.machine == EM_AARCH64 ? op == 0xd503245f :
						op == 0x46c04778 || op == 0xe7fd4778;
}

/* Adds the stubs of a section. Each extends to the next one; t->v has room. */
static void read_section(struct dso *d, const struct elf_part *part, struct stub_table *t)
{
	const bool a64 = d->image.machine == EM_AARCH64;
	const uint64_t end = part->offset + part->size, need = a64 ? 8 : 12;
	struct stub *open = NULL;
	uint64_t at, word, addr;
	const char *name;

	for (at = part->offset; at + need <= end; at += 4) {
		if (!dso_vaddr(d, at, &addr))
			continue;
		word = a64 ? word_of_a64(d->image.data + at, addr) :
			     word_of_a32(d->image.data + at, addr);
		if (!word)
			continue;
		if (open)
			open->end =
				at - (at - open->start > 4 && precedes(d, d->image.data + at - 4) ?
					      4 :
					      0);
		name = name_of_word(t, word);
		open = name ? &t->v[t->nr++] : NULL;
		if (open)
			*open = (struct stub){ .start = at, .end = end, .name = name };
		if (open && at >= part->offset + 4 && precedes(d, d->image.data + at - 4))
			open->start = at - 4;
	}
}

static void read_stubs(struct dso *d, Elf *elf, struct stub_table *t)
{
	struct elf_part parts[ELF_MAX_STUBS];
	size_t n = dso_stubs(d, parts), i, bytes = 0;
	const size_t found = n ? all_relocations(d, elf, t) : 0;

	for (i = 0; i < n; i++)
		bytes += parts[i].size;
	if (!found)
		return;
	t->names = mem_new(t->used);
	t->slots = mem_array(found, sizeof(*t->slots));
	t->v = mem_array(bytes / 8 + 1, sizeof(*t->v));
	all_relocations(d, elf, t);
	qsort(t->slots, t->nr_slots, sizeof(*t->slots), array_compare_u64);
	for (i = 0; i < n; i++)
		read_section(d, &parts[i], t);
	ARRAY_SORT(t->v, t->nr, array_compare_u64);
}

static const struct stub_table *table_of(struct dso *d)
{
	Elf *elf;

	if (d->symbols.stubs || d->state != DSO_LOADED || !d->image.is_elf || d->kind != DSO_FILE)
		return d->symbols.stubs;
	d->symbols.stubs = mem_zeroed(1, sizeof(*d->symbols.stubs));
	elf = elf_links_open(d->image.data, d->image.size);
	if (elf)
		read_stubs(d, elf, d->symbols.stubs);
	elf_links_close(elf);
	return d->symbols.stubs;
}

/* Index of the first stub that begins behind `offset`. */
static size_t behind(const struct stub_table *t, uint64_t offset)
{
	size_t lo = 0, hi = t->nr;

	BISECT(lo, hi, mid, t->v[mid].start <= offset);
	return lo;
}

bool stubs_find(struct dso *d, uint64_t offset, const char **name, uint64_t *start, uint64_t *size)
{
	const struct stub_table *t = table_of(d);
	const size_t i = t ? behind(t, offset) : 0;

	if (!i || offset >= t->v[i - 1].end)
		return false;
	*name = t->v[i - 1].name;
	*start = t->v[i - 1].start;
	*size = t->v[i - 1].end - *start;
	return true;
}

void stubs_between(struct dso *d, uint64_t offset, uint64_t *start, uint64_t *end)
{
	const struct stub_table *t = table_of(d);
	const size_t i = t ? behind(t, offset) : 0;

	if (i && t->v[i - 1].end <= offset && t->v[i - 1].end > *start)
		*start = t->v[i - 1].end;
	if (t && i < t->nr && t->v[i].start < *end)
		*end = t->v[i].start;
}

void stubs_free(struct stub_table *t)
{
	if (!t)
		return;
	free(t->v);
	free(t->slots);
	free(t->names);
	free(t);
}
