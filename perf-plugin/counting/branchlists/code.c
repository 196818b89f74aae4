/* SPDX-License-Identifier: GPL-2.0-only */
/* code.c - finds P0 instructions in the code of a binary, and remembers where they are. */
#include "counting/branchlists/code.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "machine/images/dso_table.h"

#define NONE UINT32_MAX

/* The smallest instruction. */
static inline unsigned int unit_of(bool t32)
{
	return t32 ? 2 : 4;
}

/* Returns the end of the executable part of the file that has an offset; 0: none has. */
static uint64_t end_of(const struct list_code *c, uint64_t offset)
{
	const struct dso *d = c->dso;
	size_t i;

	if (c->unlinked)
		return offset >= c->text.offset && offset - c->text.offset < c->text.size ?
			       c->text.offset + c->text.size :
			       0;
	for (i = 0; i < d->image.nr_segs; i++)
		if (d->image.segs[i].exec && offset >= d->image.segs[i].offset &&
		    offset - d->image.segs[i].offset < d->image.segs[i].filesz)
			return d->image.segs[i].offset + d->image.segs[i].filesz;
	return 0;
}

/* The end of all executable parts. */
static uint64_t extent_of(const struct list_code *c)
{
	uint64_t end = c->unlinked ? c->text.offset + c->text.size : 0;
	const struct dso *d = c->dso;
	size_t i;

	for (i = 0; !c->unlinked && i < d->image.nr_segs; i++)
		if (d->image.segs[i].exec &&
		    d->image.segs[i].offset + d->image.segs[i].filesz > end)
			end = d->image.segs[i].offset + d->image.segs[i].filesz;
	if (end > d->image.size)
		end = d->image.size;
	return end < NONE ? end : NONE - 1;
}

bool list_code_open(struct list_code *c, struct dso *d)
{
	uint64_t extent;

	*c = (struct list_code){ .dso = d };
	if (!dso_load(d) || !d->image.is_elf || d->kind > DSO_MODULE)
		return false;
	c->a64 = d->image.machine == EM_AARCH64;
	c->unlinked = dso_unlinked_text(d, &c->text);
	extent = extent_of(c);
	c->nr[0] = (size_t)(extent / 4);
	c->nr[1] = c->a64 ? 0 : (size_t)(extent / 2);
	return extent;
}

void list_code_free(struct list_code *c)
{
	free(c->next[0]);
	free(c->next[1]);
}

bool list_code_offset(const struct list_code *c, uint64_t vaddr, uint64_t *offset)
{
	const struct dso *d = c->dso;
	size_t i;

	if (c->unlinked) {
		*offset = vaddr - c->text.vaddr + c->text.offset;
		return vaddr >= c->text.vaddr && end_of(c, *offset);
	}
	for (i = 0; i < d->image.nr_segs; i++) {
		if (!d->image.segs[i].exec || vaddr < d->image.segs[i].vaddr ||
		    vaddr - d->image.segs[i].vaddr >= d->image.segs[i].filesz)
			continue;
		*offset = vaddr - d->image.segs[i].vaddr + d->image.segs[i].offset;
		return true;
	}
	return false;
}

bool list_code_vaddr(const struct list_code *c, uint64_t offset, uint64_t *vaddr)
{
	if (!end_of(c, offset))
		return false;
	if (!c->unlinked)
		return dso_vaddr(c->dso, offset, vaddr);
	*vaddr = offset - c->text.offset + c->text.vaddr;
	return true;
}

/* Decodes the instruction at an offset. Returns its size, 0 if the code ends before. */
static unsigned int decode(const struct list_code *c, uint64_t offset, uint64_t end, bool t32,
			   struct cst_insn *insn)
{
	const enum cst_isa isa = t32 ? CST_ISA_T32 : c->a64 ? CST_ISA_A64 : CST_ISA_A32;
	const uint8_t *b;
	uint32_t op;

	if (end > c->dso->image.size)
		end = c->dso->image.size;
	if (offset >= end || end - offset < unit_of(t32))
		return 0;
	b = c->dso->image.data + offset;
	op = b[0] | (uint32_t)b[1] << 8;
	if (t32 && cst_t32_size((uint16_t)op) == 2)
		op <<= 16;
	else if (end - offset < 4)
		return 0;
	else if (t32)
		op = op << 16 | b[2] | (uint32_t)b[3] << 8;
	else
		op |= (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	cst_isa_classify(insn, isa, op, offset, 0);
	return insn->size;
}

/* Returns the place of the P0 instruction at or behind an offset as the table has it. */
static uint32_t look(struct list_code *c, uint64_t offset, bool t32)
{
	const unsigned int unit = unit_of(t32);
	const uint64_t end = end_of(c, offset);
	uint32_t *next = c->next[t32], found = NONE;
	struct cst_insn insn;
	uint64_t at;
	unsigned int size;

	for (at = offset; at / unit < c->nr[t32]; at += size) {
		found = next[at / unit];
		if (found)
			break;
		found = NONE;
		size = decode(c, at, end, t32, &insn);
		if (!size)
			break;
		if (cst_insn_is_p0(&insn, 0)) {
			found = (uint32_t)at + 1;
			break;
		}
	}
	/* all that led there; beyond the table is no code */
	for (; offset <= at && offset / unit < c->nr[t32]; offset += size) {
		next[offset / unit] = found;
		size = decode(c, offset, end, t32, &insn);
		if (!size)
			break;
	}
	return found;
}

bool list_code_next(struct list_code *c, uint64_t offset, bool t32, uint64_t *at,
		    struct cst_insn *insn)
{
	const unsigned int unit = unit_of(t32);
	uint32_t found;

	if (offset % unit || offset / unit >= c->nr[t32])
		return false;
	if (!c->next[t32])
		c->next[t32] = mem_zeroed(c->nr[t32], sizeof(*c->next[t32]));
	found = c->next[t32][offset / unit];
	if (!found)
		found = look(c, offset, t32);
	if (found == NONE)
		return false;
	*at = found - 1;
	return decode(c, *at, c->dso->image.size, t32, insn);
}

bool list_code_target(const struct list_code *c, uint64_t at, const struct cst_insn *insn,
		      uint64_t *to, bool *relocated)
{
	uint64_t vaddr;

	/* the assembler leaves 0 where the linker of the kernel puts the distance */
	*relocated = c->unlinked && !insn->disp;
	if (*relocated || !list_code_vaddr(c, at, &vaddr))
		return false;
	return list_code_offset(c, vaddr + (uint64_t)(int64_t)insn->disp, to) && *to < NONE;
}
