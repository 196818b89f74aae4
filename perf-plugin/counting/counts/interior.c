/* SPDX-License-Identifier: GPL-2.0-only */
/* interior.c - decodes the executed code of a binary, region by region, and sums up the ranges at each branch. */
#include "counting/counts/interior.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/isa.h>

#include "base/alloc.h"
#include "base/array.h"

/* The first offset of a T32 range in pairs has this bit (COUNTS_T32). */
#define T32	1u

/* State of one pass over the ranges of one instruction set. */
struct pass {
	struct interior *in;
	const struct interior_code *code;
	struct cst_count_range *ranges;
	size_t nr;
	bool t32;
	unsigned int unit;		/* size of the smallest instruction */
};

/*
 * Code from `first` on that is executed without a gap: ranges that overlap. Its slots are places of instructions, one for
 * each `unit` bytes.
 */
struct region {
	uint64_t first, last;	/* offsets of the first and of the last instruction */
	size_t nr, cap;		/* slots */
	struct slot {
		uint64_t delta;	/* executions that begin here, minus those whose last instruction this is */
		uint32_t number; /* of the instruction in the region, from 1; 0: none begins here */
		uint8_t size;
		bool branch;
	} *slot;
};

/* Decodes the instruction at an offset. Returns false if its bytes are not available. */
static bool decode(const struct pass *p, uint64_t offset, struct cst_insn *insn)
{
	const struct interior_code *c = p->code;
	const uint8_t *b = c->bytes + offset;
	uint32_t op;

	if (!c->bytes || offset >= c->size || c->size - offset < p->unit)
		return false;
	op = b[0] | (uint32_t)b[1] << 8;
	if (!p->t32) {
		op |= (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
		cst_isa_classify(insn, c->isa, op, offset, c->isa_flags);
		return true;
	}
	if (cst_t32_size((uint16_t)op) == 4 && c->size - offset < 4)
		return false;
	op <<= 16;
	if (c->size - offset >= 4)
		op |= b[2] | (uint32_t)b[3] << 8;
	cst_isa_classify(insn, CST_ISA_T32, op, offset, c->isa_flags);
	return true;
}

static void add_not_taken(struct interior *in, uint64_t offset, uint8_t size, uint64_t count)
{
	*ARRAY_ADD(in->not_taken, in->nr, in->cap) =
		(struct cst_count_not_taken){ .size = size, .offset = offset, .count = count };
}

/* ---- regions ----------------------------------------------------------------------------------- */

/* Returns the slot at an offset, NULL if no instruction of the region begins there. */
static struct slot *slot_at(const struct pass *p, const struct region *r, uint64_t offset)
{
	size_t i = (size_t)((offset - r->first) / p->unit);

	if (offset < r->first || i >= r->nr || offset % p->unit != r->first % p->unit || !r->slot[i].number)
		return NULL;
	return &r->slot[i];
}

/* Decodes the region from its first instruction on, as far as there is code. */
static void decode_region(const struct pass *p, struct region *r)
{
	uint64_t offset = r->first;
	struct cst_insn insn;
	uint32_t number = 0;
	struct slot *s;

	r->nr = (size_t)((r->last - r->first) / p->unit) + 1;
	if (r->nr > r->cap) {
		r->slot = mem_more(r->slot, r->nr, sizeof(*r->slot));
		r->cap = r->nr;
	}
	memset(r->slot, 0, r->nr * sizeof(*r->slot));
	while (offset <= r->last && decode(p, offset, &insn)) {
		s = &r->slot[(offset - r->first) / p->unit];
		s->number = ++number;
		s->size = insn.size;
		s->branch = cst_insn_is_branch(insn.type);
		offset += insn.size;
	}
}

/* Walks one range by itself. T32 code can overlap other code at half an instruction. */
static void walk_alone(const struct pass *p, struct cst_count_range *r)
{
	struct cst_insn insn;
	uint64_t offset;
	uint32_t insns = 1;

	for (offset = r->start; offset < r->last && decode(p, offset, &insn); offset += insn.size, insns++)
		if (cst_insn_is_branch(insn.type))
			add_not_taken(p->in, offset, insn.size, r->count);
	if (offset == r->last && decode(p, offset, &insn)) {
		r->insns = insns;
		return;
	}
	p->in->undecoded += r->count;
	r->insns = p->t32 ? 0 : (uint32_t)((r->last - r->start) / 4) + 1;
}

/* Counts a range in the region that it is in. */
static void add_range(const struct pass *p, struct region *reg, struct cst_count_range *r)
{
	struct slot *first = slot_at(p, reg, r->start), *last = slot_at(p, reg, r->last);

	if (!first || !last) {
		walk_alone(p, r);
		return;
	}
	r->insns = last->number - first->number + 1;
	first->delta += r->count;
	last->delta -= r->count;
}

/* Sums up the ranges at each branch of the region. */
static void sum_region(const struct pass *p, const struct region *r)
{
	uint64_t executed = 0;
	size_t i;

	for (i = 0; i < r->nr; i++) {
		/* ranges that end here do not have this instruction in their interior */
		executed += r->slot[i].delta;
		if (r->slot[i].branch && executed)
			add_not_taken(p->in, r->first + i * p->unit, r->slot[i].size, executed);
	}
}

static bool is_of(const struct pass *p, const struct cst_count_range *r)
{
	return !(r->flags & CST_COUNT_T32) == !p->t32;
}

/* Handles all ranges of one instruction set. */
static void run_pass(const struct pass *p)
{
	struct region reg = { .slot = NULL };
	size_t i, k, end;

	for (i = 0; i < p->nr; i = end) {
		end = i + 1;
		if (!is_of(p, &p->ranges[i]))
			continue;
		reg.first = p->ranges[i].start;
		reg.last = p->ranges[i].last;
		for (; end < p->nr && p->ranges[end].start <= reg.last; end++)
			if (is_of(p, &p->ranges[end]) && p->ranges[end].last > reg.last)
				reg.last = p->ranges[end].last;
		decode_region(p, &reg);
		for (k = i; k < end; k++)
			if (is_of(p, &p->ranges[k]))
				add_range(p, &reg, &p->ranges[k]);
		sum_region(p, &reg);
	}
	free(reg.slot);
}

/* ---- both instruction sets --------------------------------------------------------------------- */

/* Counts the branches at which ranges ended without taking them. */
static void add_untaken(struct pass *p, const struct cst_pair *untaken, size_t nr)
{
	struct cst_insn insn;
	uint64_t offset;
	size_t i;

	for (i = 0; i < nr; i++) {
		offset = untaken[i].a & ~T32;
		p->t32 = untaken[i].a & T32;
		p->unit = p->t32 ? 2 : 4;
		if (!decode(p, offset, &insn) || !cst_insn_is_branch(insn.type))
			p->in->undecoded += untaken[i].count;
		else
			add_not_taken(p->in, offset, insn.size, untaken[i].count);
	}
}

static int compare(const void *pa, const void *pb)
{
	const struct cst_count_not_taken *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Sorts the branches, and adds up those at one offset. */
static void put_in_order(struct interior *in)
{
	struct cst_count_not_taken *v = in->not_taken;
	size_t i, n = 0;

	for (i = 1; i < in->nr && v[i - 1].offset < v[i].offset; i++)
		;
	if (i >= in->nr)
		return;
	qsort(v, in->nr, sizeof(*v), compare);
	for (i = 0; i < in->nr; i++) {
		if (n && v[n - 1].offset == v[i].offset)
			v[n - 1].count += v[i].count;
		else
			v[n++] = v[i];
	}
	in->nr = n;
}

void interior_find(struct interior *in, const struct interior_code *code,
		   struct cst_count_range *ranges, size_t nr,
		   const struct cst_pair *untaken, size_t nr_untaken)
{
	struct pass a = { .in = in, .code = code, .ranges = ranges, .nr = nr, .unit = 4 }, t = a;

	t.t32 = true;
	t.unit = 2;
	*in = (struct interior){ .not_taken = NULL };
	run_pass(&a);
	run_pass(&t);
	add_untaken(&t, untaken, nr_untaken);
	put_in_order(in);
}

void interior_free(struct interior *in)
{
	free(in->not_taken);
	*in = (struct interior){ .not_taken = NULL };
}
