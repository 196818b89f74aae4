/* SPDX-License-Identifier: GPL-2.0-only */
/* predicated.c - classifies instructions by their conditions (Arm ARM C4.1, F3.1, F4.1). */
#include "outputs/profile/predicated.h"

#include "base/array.h"
#include "base/bisect.h"

enum {
	COND_ALWAYS = 14,	/* from this value of a condition field on there is no condition */
};

/*
 * Conditional selects and compares of an instruction set, with the position of their condition
 * field.
 */
struct select {
	uint32_t mask, value;
	unsigned int cond;
};

static const struct select selects_a64[] = {
	{ 0x3fe00800, 0x1a800000, 12 },	/* CSEL, CSINC, CSINV, CSNEG */
	{ 0x3fe00410, 0x3a400000, 12 },	/* CCMN, CCMP */
	{ 0xff200c00, 0x1e200c00, 12 },	/* FCSEL */
	{ 0xff200c00, 0x1e200400, 12 },	/* FCCMP, FCCMPE */
	{ 0, 0, 0 }
};

/*
 * VSEL has the conditions EQ, VS, GE and GT only: each is a condition whatever the bits above its
 * field are.
 */
static const struct select selects_a32[] = {
	{ 0xff800c50, 0xfe000800, 20 },
	{ 0, 0, 0 }
};

static const struct select selects_t32[] = {
	{ 0xff800c50, 0xfe000800, 20 },
	{ 0xfff0c000, 0xea508000, 4 },	/* CSEL, CSINC, CSINV, CSNEG (Armv8.1-M) */
	{ 0, 0, 0 }
};

static bool selects(const struct select *s, uint32_t opcode)
{
	while (s->mask && (opcode & s->mask) != s->value)
		s++;
	if (!s->mask)
		return false;
	return s->cond == 20 || (opcode >> s->cond & 15) < COND_ALWAYS;
}

it_state it_state_next(it_state it, const struct cst_insn *insn, uint32_t opcode)
{
	if (insn->it_count)
		return (it_state)(opcode >> 16);
	return it & 7 ? (it_state)((it & 0xe0) | (it << 1 & 0x1f)) : 0;
}

bool it_state_is_condition(it_state it)
{
	return it && it >> 4 < COND_ALWAYS;
}

/* The condition of an instruction, COND_ALWAYS without one. */
static unsigned int condition(enum cst_isa isa, uint32_t opcode, it_state it)
{
	unsigned int cond = COND_ALWAYS;

	if (isa == CST_ISA_A32)
		cond = opcode >> 28;
	else if (it)
		cond = it >> 4;
	return cond < COND_ALWAYS ? cond : COND_ALWAYS;
}

enum predicated_kind predicated_kind(enum cst_isa isa, const struct cst_insn *insn, uint32_t opcode,
				     it_state it,
				     unsigned int *cond)
{
	const struct select *table = isa == CST_ISA_A64 ? selects_a64 :
				     isa == CST_ISA_A32 ? selects_a32 : selects_t32;

	if (insn->it_count)
		return PREDICATED_IT;
	if (selects(table, opcode))
		return PREDICATED_SELECT;
	*cond = condition(isa, opcode, it);
	if (*cond == COND_ALWAYS)
		return PREDICATED_NOT;
	if (!cst_insn_is_branch(insn->type))
		return PREDICATED_INSN;
	/* a branch that only chooses between two ways is executed in either case */
	return insn->link || insn->subtype != CST_INSN_PLAIN ? PREDICATED_BRANCH : PREDICATED_NOT;
}

void predicated_add(struct predicated_list *l, const struct predicated *p)
{
	*ARRAY_ADD(l->v, l->n, l->cap) = *p;
}

static int compare(const void *pa, const void *pb)
{
	const struct predicated *a = pa, *b = pb;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (int)a->t32 - (int)b->t32;
}

/*
 * True if the instruction before `next` is under its condition, or names it: if `next` was
 * executed, it was as well.
 */
static bool same_condition(const struct predicated *p, const struct predicated *next)
{
	if (p->t32 != next->t32 || p->offset + p->size != next->offset)
		return false;
	return p->kind == PREDICATED_IT || (p->kind == PREDICATED_INSN && p->cond == next->cond);
}

void predicated_finish(struct predicated_list *l)
{
	size_t i;

	ARRAY_SORT(l->v, l->n, compare);
	for (i = l->n; i-- > 1;) {
		struct predicated *p = &l->v[i - 1];

		if (!l->v[i].known || p->known || !same_condition(p, &l->v[i]))
			continue;
		p->known = true;
		p->taken = l->v[i].taken;
	}
}

const struct predicated *predicated_from(const struct predicated_list *l, uint64_t offset)
{
	size_t lo = 0, hi = l->n;

	BISECT(lo, hi, mid, l->v[mid].offset < offset);
	return l->v + lo;
}

const struct predicated *predicated_at(const struct predicated_list *l, uint64_t offset, bool t32)
{
	const struct predicated *p = predicated_from(l, offset);

	for (; p < l->v + l->n && p->offset == offset; p++)
		if (p->t32 == t32)
			return p;
	return NULL;
}
