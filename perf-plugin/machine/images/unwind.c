/* SPDX-License-Identifier: GPL-2.0-only */
/* unwind.c - reads .eh_frame and the LSDAs that it names. */
#include "machine/images/unwind.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/ordered.h"
#include "machine/finder/elf_links.h"
#include "machine/images/dso.h"

/* Encodings of pointers (DW_EH_PE_*). */
enum {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_RELATIVE = 0x70,
	PE_OMIT = 0xff,
};

/* Call frame instructions that occur where a frame exists already. */
enum {
	CFA_NOP = 0x00,
	CFA_DEF = 0x0c,
	CFA_DEF_REGISTER = 0x0d,
	CFA_DEF_OFFSET = 0x0e,
	CFA_OFFSET = 0x80,	/* in the upper two bits */
};

#define LEB_MAX		10u	/* bytes of a number of 64 bits */
#define AUGMENTATION_MAX 16u	/* characters of an augmentation string; the longest known one has 6 */
#define CALL_SITES_MAX	65536u	/* calls of one function */

/* Position in a table. `p` is NULL after an error. */
struct cursor {
	const uint8_t *p, *end;
	uint64_t vaddr;		/* of p */
	bool big, elf64;
};

struct cie {
	uint64_t at;		/* offset in the table, UINT64_MAX: none was read */
	uint8_t code_enc, lsda_enc;
	bool augmented, signal;
};

static void skip(struct cursor *c, uint64_t bytes)
{
	if (!c->p || (uint64_t)(c->end - c->p) < bytes) {
		c->p = NULL;
		return;
	}
	c->p += bytes;
	c->vaddr += bytes;
}

static inline uint64_t take(struct cursor *c, unsigned int bytes)
{
	const uint8_t *p = c->p;

	skip(c, bytes);
	return c->p ? ordered_number(p, bytes, c->big) : 0;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
	unsigned int shift = 0;
	uint64_t v = 0, byte;

	do {
		byte = take(c, 1);
		v |= (byte & 0x7f) << shift;
		shift += 7;
	} while (c->p && byte & 0x80 && shift < 7 * LEB_MAX);
	if (byte & 0x80)
		c->p = NULL;
	if (is_signed && byte & 0x40 && shift < 64)
		v |= UINT64_MAX << shift;
	return v;
}

static uint64_t take_number(struct cursor *c, unsigned int format)
{
	switch (format) {
	case PE_ABSPTR:
		return take(c, c->elf64 ? 8 : 4);
	case PE_ULEB128:
		return take_leb(c, false);
	case PE_SLEB128:
		return take_leb(c, true);
	case PE_UDATA2:
		return take(c, 2);
	case PE_SDATA2:
		return (uint64_t)(int64_t)(int16_t)take(c, 2);
	case PE_UDATA4:
		return take(c, 4);
	case PE_SDATA4:
		return (uint64_t)(int64_t)(int32_t)take(c, 4);
	case PE_UDATA8:
	case PE_SDATA8:
		return take(c, 8);
	}
	c->p = NULL;
	return 0;
}

/* Returns 0 for no pointer. Pointers are relative to their own place, or absolute; nothing else occurs in these tables. */
static uint64_t take_pointer(struct cursor *c, unsigned int enc)
{
	uint64_t at = c->vaddr, v;

	if (enc == PE_OMIT)
		return 0;
	v = take_number(c, enc & PE_FORMAT);
	if (!v)
		return 0;
	if ((enc & PE_RELATIVE) == PE_PCREL)
		v += at;
	else if (enc & PE_RELATIVE)
		c->p = NULL;
	return c->elf64 ? v : (uint32_t)v;
}

/* Returns the file offset of an address; false if it is not in the file. */
static bool offset_of(const struct dso *d, uint64_t vaddr, uint64_t *offset)
{
	return dso_offset(d, vaddr, offset) && *offset < d->image.size;
}

/* Reads a common information entry, from behind its ID. */
static void read_cie(struct cursor *c, struct cie *cie)
{
	unsigned int version = (unsigned int)take(c, 1);
	const char *aug = (const char *)c->p;

	if (aug) {
		size_t left = (size_t)(c->end - c->p), most = left < AUGMENTATION_MAX ? left : AUGMENTATION_MAX;
		size_t len = strnlen(aug, most);

		skip(c, len < most ? len + 1 : UINT64_MAX);
	}
	if (version == 4)
		skip(c, 2);
	take_leb(c, false);
	take_leb(c, true);
	if (version == 1)
		skip(c, 1);
	else
		take_leb(c, false);
	cie->code_enc = PE_ABSPTR;
	cie->lsda_enc = PE_OMIT;
	cie->augmented = c->p && aug[0] == 'z';
	cie->signal = false;
	if (!cie->augmented)
		return;
	take_leb(c, false);
	for (aug++; c->p && *aug; aug++) {
		if (*aug == 'R')
			cie->code_enc = (uint8_t)take(c, 1);
		else if (*aug == 'L')
			cie->lsda_enc = (uint8_t)take(c, 1);
		else if (*aug == 'P')
			take_pointer(c, (unsigned int)take(c, 1));
		else if (*aug == 'S')
			cie->signal = true;
	}
}

/* True if the first instructions of an FDE describe a frame, before any instruction of the code. */
static bool begins_with_frame(const struct cursor *c)
{
	const uint8_t *p;

	for (p = c->p; p && p < c->end && *p == CFA_NOP; p++)
		;
	if (!p || p == c->end)
		return false;
	return *p == CFA_DEF || *p == CFA_DEF_REGISTER || *p == CFA_DEF_OFFSET || (*p & 0xc0) == CFA_OFFSET;
}

/* Reads an FDE from behind its CIE pointer. */
static void read_fde(struct unwind *u, const struct dso *d, struct cursor *c, const struct cie *cie)
{
	uint64_t start = take_pointer(c, cie->code_enc), size = take_number(c, cie->code_enc & PE_FORMAT), len, lsda = 0;
	struct unwind_entry e = { .vaddr = start };
	const uint8_t *data;
	uint64_t data_vaddr;

	if (cie->augmented) {
		len = take_leb(c, false);
		data = c->p;
		data_vaddr = c->vaddr;
		lsda = take_pointer(c, cie->lsda_enc);
		if (!data || (uint64_t)(c->end - data) < len)
			return;
		c->p = data + len;
		c->vaddr = data_vaddr + len;
	}
	if (!c->p || !size || !offset_of(d, start, &e.start))
		return;
	e.end = e.start + size;
	if (lsda && !offset_of(d, lsda, &e.lsda))
		e.lsda = 0;
	e.part = !cie->signal && begins_with_frame(c);
	*ARRAY_ADD(u->v, u->nr, u->cap) = e;
}

/* Reads the length of an entry, and ends the cursor with it. False: it is empty, or not whole. */
static bool enter(struct cursor *c)
{
	uint64_t len = take(c, 4);

	if (len == UINT32_MAX)
		len = take(c, 8);
	if (!len || !c->p || (uint64_t)(c->end - c->p) < len)
		return false;
	c->end = c->p + len;
	return true;
}

/* Reads the table at `c`, which ends with a length of 0 or with the section. */
static void read_table(struct unwind *u, const struct dso *d, struct cursor c)
{
	const uint8_t *base = c.p;
	struct cie cie = { .at = UINT64_MAX };
	struct cursor entry;
	uint64_t id, at;

	while (c.p && c.p < c.end) {
		entry = c;
		if (!enter(&entry))
			break;
		skip(&c, (uint64_t)(entry.end - c.p));
		at = (uint64_t)(entry.p - base);
		id = take(&entry, 4);
		if (!entry.p || !id || id > at)
			continue;
		if (cie.at != at - id) {
			struct cursor of = entry;

			of.p = base + (at - id);
			of.vaddr = entry.vaddr - (uint64_t)(entry.p - of.p);
			of.end = c.end;
			if (!enter(&of) || of.end - of.p < 5)
				continue;
			skip(&of, 4);
			cie.at = at - id;
			read_cie(&of, &cie);
			if (!of.p)
				cie.code_enc = PE_OMIT;
		}
		if (cie.code_enc != PE_OMIT)
			read_fde(u, d, &entry, &cie);
	}
}

/* Finds .eh_frame by its section, or by the segment that the run-time unwinder uses. */
static bool find_table(const struct dso *d, Elf *elf, struct cursor *c)
{
	size_t n = 0, i;
	uint64_t at, offset;
	GElf_Shdr sh;
	GElf_Phdr ph;

	if (elf_links_section(elf, ".eh_frame", &sh) && sh.sh_type != SHT_NOBITS &&
	    sh.sh_offset <= d->image.size && sh.sh_size <= d->image.size - sh.sh_offset) {
		c->p = d->image.data + sh.sh_offset;
		c->end = c->p + sh.sh_size;
		c->vaddr = sh.sh_addr;
		return true;
	}
	elf_getphdrnum(elf, &n);	/* 0, if there are none that can be read */
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_GNU_EH_FRAME ||
		    ph.p_offset > d->image.size || ph.p_filesz > d->image.size - ph.p_offset ||
		    ph.p_filesz < 8)
			continue;
		c->p = d->image.data + ph.p_offset;
		c->end = c->p + ph.p_filesz;
		c->vaddr = ph.p_vaddr;
		n = c->p[1];
		skip(c, 4);
		at = take_pointer(c, (unsigned int)n);
		if (!c->p || !offset_of(d, at, &offset))
			return false;
		c->p = d->image.data + offset;
		c->end = d->image.data + d->image.size;
		c->vaddr = at;
		return true;
	}
	return false;
}

static int by_start(const void *a, const void *b)
{
	const struct unwind_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->lsda < y->lsda ? -1 : x->lsda > y->lsda;
}

static bool entry_of(const struct dso *d, const GElf_Ehdr *eh, uint64_t *entry)
{
	/* bit 0 of an Arm address selects T32 */
	const uint64_t addr =
		d->image.machine == EM_ARM ? eh->e_entry & ~(GElf_Addr)1 : eh->e_entry;

	return addr && offset_of(d, addr, entry);
}

bool unwind_entry(const struct dso *d, uint64_t *entry)
{
	GElf_Ehdr eh;
	bool found;
	Elf *elf;

	if (d->state != DSO_LOADED || !d->image.is_elf || d->kind == DSO_MODULE)
		return false;
	elf = elf_links_open(d->image.data, d->image.size);
	found = elf && gelf_getehdr(elf, &eh) && entry_of(d, &eh, entry);
	elf_links_close(elf);
	return found;
}

void unwind_read(struct unwind *u, const struct dso *d)
{
	struct cursor c = { .p = NULL };
	GElf_Ehdr eh;
	Elf *elf;

	memset(u, 0, sizeof(*u));
	u->entry = UINT64_MAX;
	if (d->state != DSO_LOADED || !d->image.is_elf || d->kind == DSO_MODULE)
		return;
	elf = elf_links_open(d->image.data, d->image.size);
	if (elf && gelf_getehdr(elf, &eh)) {
		u->big = c.big = eh.e_ident[EI_DATA] == ELFDATA2MSB;
		u->elf64 = c.elf64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
		if (!entry_of(d, &eh, &u->entry))
			u->entry = UINT64_MAX;
		if (find_table(d, elf, &c))
			read_table(u, d, c);
	}
	elf_links_close(elf);
	ARRAY_SORT(u->v, u->nr, by_start);
}

void unwind_free(struct unwind *u)
{
	free(u->v);
	memset(u, 0, sizeof(*u));
}

/* Looks for the call in the call-site table of an LSDA. */
static bool find_pad(struct cursor *c, const struct unwind_entry *e, uint64_t site, uint64_t *pad)
{
	unsigned int enc = (unsigned int)take(c, 1), format, n;
	uint64_t base = enc == PE_OMIT ? 0 : take_pointer(c, enc), start, len, lp, size;

	if (!base)
		base = e->vaddr;
	if (take(c, 1) != PE_OMIT)
		take_leb(c, false);
	format = (unsigned int)take(c, 1) & PE_FORMAT;
	size = take_leb(c, false);
	if (!c->p || size > (uint64_t)(c->end - c->p))
		return false;
	c->end = c->p + size;
	for (n = 0; c->p && c->p < c->end && n < CALL_SITES_MAX; n++) {
		start = take_number(c, format);
		len = take_number(c, format);
		lp = take_number(c, format);
		take_leb(c, false);
		if (!c->p || site - e->start < start || site - e->start - start >= len)
			continue;
		*pad = base + lp;
		return lp;
	}
	return false;
}

bool unwind_landing_pad(const struct unwind *u, const struct dso *d, uint64_t site, uint64_t *pad)
{
	struct cursor c = { .big = u->big, .elf64 = u->elf64 };
	const struct unwind_entry *e;
	size_t lo = 0, hi = u->nr;
	uint64_t vaddr;

	BISECT(lo, hi, mid, u->v[mid].start <= site);
	if (!lo)
		return false;
	e = &u->v[lo - 1];
	if (site >= e->end || !e->lsda || !dso_vaddr(d, e->lsda, &c.vaddr))
		return false;
	c.p = d->image.data + e->lsda;
	c.end = d->image.data + d->image.size;
	return find_pad(&c, e, site, &vaddr) && offset_of(d, vaddr, pad);
}
