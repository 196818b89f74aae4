/* SPDX-License-Identifier: BSD-3-Clause */
/* prog_build.c - lays out random sections and fills them with instructions. */
#include <stdlib.h>
#include <string.h>

#include "prog_build.h"

#define NO_KIND 0xff

const struct prog_isa *prog_isa_of(uint8_t isa)
{
	return isa == FLOW_A64 ? &prog_a64 : isa == FLOW_A32 ? &prog_a32 : &prog_t32;
}

static int allowed(const struct prog *p, const struct prog_section *s, const struct prog_kind *k)
{
	unsigned int need = k->need;

	if (need & PROG_USER && s->el)
		return 0;
	if (need & PROG_KERNEL && !s->el)
		return 0;
	if ((need & PROG_NEW && !p->o.newest) || (need & PROG_PAUTH && !p->o.pauth))
		return 0;
	if ((need & PROG_TX && !p->o.tx) || (need & PROG_NOT_M && p->o.mprofile))
		return 0;
	return !(need & PROG_M) || p->o.mprofile;
}

static int pick_kind(struct prog *p, const struct prog_section *s, int last_of_it, int ends)
{
	const struct prog_isa *isa = prog_isa_of(s->isa);
	uint32_t total = 0, x;
	int pass, i;

	for (pass = 0, x = 0; pass < 2; pass++) {
		for (i = 0; i < isa->nkinds; i++) {
			const struct prog_kind *k = &isa->kinds[i];
			int stops = (k->klass == FLOW_INDIRECT || k->klass == FLOW_DIRECT) &&
				    !(k->flags & FLOW_COND);

			if (!allowed(p, s, k) || (last_of_it && !(k->need & PROG_IT_LAST)))
				continue;
			if (ends && (!stops || k->klass != FLOW_INDIRECT || k->flags & FLOW_LINK))
				continue;
			if (last_of_it == 2 && k->klass != FLOW_OTHER && k->klass != FLOW_WFX && k->klass < FLOW_LOAD)
				continue;
			if (pass == 0) {
				total += k->weight;
				continue;
			}
			if (x < k->weight)
				return i;
			x -= k->weight;
		}
		if (pass == 0)
			x = rng_below(&p->rng, total);
	}
	gen_bug("no instruction kind fits", __FILE__, __LINE__);
}

static void set_kind(struct prog_insn *in, const struct prog_isa *isa, int kind)
{
	const struct prog_kind *k = &isa->kinds[kind];

	in->kind = (uint8_t)kind;
	in->op = k->op;
	in->size = k->size;
	in->klass = k->klass;
	in->flags = k->flags;
	in->what = k->what;
}

static void fill(struct prog *p, struct prog_section *s)
{
	const struct prog_isa *isa = prog_isa_of(s->isa);
	uint64_t pc = s->va;
	int i = 0, it = 0, n = 8 + (int)rng_below(&p->rng, p->o.section_insns);
	uint32_t cond = 0, mask;

	s->in = gen_realloc(NULL, (size_t)n * sizeof(*s->in));
	memset(s->in, 0, (size_t)n * sizeof(*s->in));
	while (i < n) {
		struct prog_insn *in = &s->in[i];

		in->pc = pc;
		in->isa = s->isa;
		if (it) {
			set_kind(in, isa, pick_kind(p, s, it > 1 ? 2 : 1, 0));
			in->flags |= FLOW_COND;
			in->inside_it = 1;
			in->cond = (uint8_t)cond;
			it--;
		} else if (s->isa == FLOW_T32 && i + 6 < n && rng_pm(&p->rng, 60)) {
			it = (int)rng_range(&p->rng, 1, 4);
			cond = rng_below(&p->rng, 14);
			mask = it == 1 ? 8 : it == 2 ? (cond & 1) << 3 | 4 :
			       it == 3 ? (cond & 1) * 0xc | 2 : (cond & 1) * 0xe | 1;
			in->op = 0xbf00 | cond << 4 | mask;
			in->size = 2;
			in->kind = NO_KIND;
		} else {
			set_kind(in, isa, pick_kind(p, s, 0, i == n - 1));
		}
		pc += in->size;
		i++;
	}
	s->n = n;
	s->len = (uint32_t)(pc - s->va);
	s->at = gen_realloc(NULL, (s->len / 2 + 1) * sizeof(*s->at));
	memset(s->at, 0xff, (s->len / 2 + 1) * sizeof(*s->at));
	for (i = 0; i < n; i++)
		s->at[(s->in[i].pc - s->va) / 2] = i;
}

/* a place within reach; falls back to the same section, whose every short branch has some target */
static const struct prog_insn *place_in_reach(struct prog *p, const struct prog_section *from,
					      const struct prog_insn *in, int64_t lo, int64_t hi,
					      uint8_t isa)
{
	const struct prog_insn *best = NULL;
	uint32_t seen = 0;
	int try, i;

	for (try = 0; try < 8; try++) {
		const struct prog_section *s = &p->sec[rng_below(&p->rng, (uint32_t)p->nsec)];
		const struct prog_insn *t;
		int64_t d;

		if (rng_below(&p->rng, 3) && from->isa == isa)
			s = from;
		if (s->isa != isa || s->tid != from->tid)
			continue;
		t = &s->in[rng_below(&p->rng, (uint32_t)s->n)];
		d = (int64_t)(t->pc - in->pc);
		if (d >= lo && d <= hi && !t->inside_it &&
		    (d > 0 || in->flags & FLOW_COND || !rng_below(&p->rng, 4)))
			return t;
	}
	if (from->isa != isa)
		return NULL;
	for (i = 0; i < from->n; i++) {
		int64_t d = (int64_t)(from->in[i].pc - in->pc);

		if (d >= lo && d <= hi && !from->in[i].inside_it && !rng_below(&p->rng, ++seen))
			best = &from->in[i];
	}
	return best;
}

static void make_plain(struct prog_insn *in)
{
	/* no target in reach: something harmless of the same size */
	in->klass = FLOW_OTHER;
	in->flags = in->inside_it ? FLOW_COND : 0;
	in->op = in->isa == FLOW_A64 ? 0xd503201f : in->isa == FLOW_A32 ? 0xe1a00000 :
		 in->size == 2 ? 0xbf00 : 0xf3af8000;
}

static void link_up(struct prog *p, struct prog_section *s)
{
	const struct prog_isa *isa = prog_isa_of(s->isa);
	int i;

	for (i = 0; i < s->n; i++) {
		struct prog_insn *in = &s->in[i];
		const struct prog_kind *k;
		const struct prog_insn *t;
		int64_t lo, hi;
		int other;

		if (in->kind == NO_KIND)
			continue;
		k = &isa->kinds[in->kind];
		if (in->klass == FLOW_DIRECT) {
			if (!isa->reach(k, in->pc, &lo, &hi, &other))
				gen_bug("direct branch without reach", __FILE__, __LINE__);
			in->tisa = (uint8_t)(other ? FLOW_A32 + FLOW_T32 - s->isa : s->isa);
			t = place_in_reach(p, s, in, lo, hi, in->tisa);
			if (!t) {
				make_plain(in);
				continue;
			}
			in->target = t->pc;
		}
		in->op = isa->encode(k, &p->rng, in->pc, in->target);
		if (s->isa == FLOW_A32)
			in->cond = (uint8_t)(in->op >> 28);
	}
}

static void write_bytes(struct prog_section *s)
{
	int i, b;

	s->bytes = gen_realloc(NULL, s->len);
	for (i = 0; i < s->n; i++) {
		const struct prog_insn *in = &s->in[i];
		uint8_t *d = s->bytes + (in->pc - s->va);
		uint32_t op = in->op;

		if (s->isa == FLOW_T32 && in->size == 4)
			op = op >> 16 | op << 16;	/* halfwords in order */
		for (b = 0; b < in->size; b++)
			d[b] = (uint8_t)(op >> (8 * b));
	}
}

static uint64_t random_base(struct prog *p, uint8_t isa, int kernel)
{
	static const uint64_t a64[] = { 0x400000,       0x10000,    0xaaaac0000000,
					0xffff90000000, 0x7ffff000, 0xfffff000 };
	uint64_t va;

	if (isa != FLOW_A64 || p->o.ia32)
		va = kernel ? 0xc0008000 : 0x8000 + ((uint64_t)rng_below(&p->rng, 0x300) << 12);
	else if (kernel)
		va = 0xffff800008000000ull;
	else
		va = a64[rng_below(&p->rng, 6)];
	return va + (uint64_t)rng_below(&p->rng, 0x400) * 4;
}

static int overlaps(const struct prog *p, int n, uint64_t va, uint32_t tid)
{
	int i;

	for (i = 0; i < n; i++)
		if ((p->sec[i].tid == tid || p->sec[i].el || tid == PROG_ALL_THREADS) &&
		    va < p->sec[i].va + 0x4000 && p->sec[i].va < va + 0x4000)
			return 1;
	return 0;
}

static uint8_t pick_isa(struct prog *p)
{
	uint8_t isa;

	do
		isa = (uint8_t)rng_below(&p->rng, 3);
	while (!(p->o.user_isas & 1 << isa));
	return isa;
}

/* A thread is AArch64 or AArch32 as a whole; in AArch32 the sections may differ in instruction set.
 */
void prog_build(struct prog *p)
{
	int t, i, n = 0;
	uint64_t last = 0;

	p->nsec = p->o.threads * p->o.sections + 1;
	p->sec = gen_realloc(NULL, (size_t)p->nsec * sizeof(*p->sec));
	memset(p->sec, 0, (size_t)p->nsec * sizeof(*p->sec));
	for (t = 0; t < p->o.threads; t++) {
		int a64 = pick_isa(p) == FLOW_A64;

		for (i = 0; i < p->o.sections; i++, n++) {
			struct prog_section *s = &p->sec[n];
			int tries = 0;

			s->tid = p->o.first_tid + (uint32_t)t * p->o.tid_step;
			do
				s->isa = a64 ? FLOW_A64 : pick_isa(p);
			while ((s->isa == FLOW_A64) != a64);
			/* threads share addresses where the layout allows it; some sections lie
			 * close together */
			do {
				if (t && tries == 0)
					s->va = p->sec[n % p->o.sections].va;
				else if (i && rng_below(&p->rng, 2))
					s->va = last + 0x4000 + rng_below(&p->rng, 0x800) * 4;
				else
					s->va = random_base(p, s->isa, 0);
			} while (tries++ < 100 && (overlaps(p, n, s->va, s->tid) ||
						   (s->isa != FLOW_A64 && s->va > 0xf0000000)));
			last = s->va;
			fill(p, s);
		}
	}
	p->sec[n].tid = PROG_ALL_THREADS;
	p->sec[n].el = 1;
	p->sec[n].isa = p->o.kernel_isa;
	p->sec[n].va = random_base(p, p->o.kernel_isa, 1);
	fill(p, &p->sec[n]);
	p->regions = gen_realloc(NULL, (size_t)p->nsec * sizeof(*p->regions));
	for (i = 0; i < p->nsec; i++) {
		link_up(p, &p->sec[i]);
		write_bytes(&p->sec[i]);
		p->regions[i] =
			(struct prog_region){ p->sec[i].tid, p->sec[i].el,    p->sec[i].isa,
					      p->sec[i].va,  p->sec[i].bytes, p->sec[i].len };
	}
}

const struct prog_insn *prog_find(const struct prog *p, uint64_t pc, uint8_t isa, uint32_t tid,
				  uint8_t el)
{
	int i, at;

	for (i = 0; i < p->nsec; i++) {
		const struct prog_section *s = &p->sec[i];

		if (s->isa != isa || (el ? !s->el : s->tid != tid) || pc < s->va ||
		    pc >= s->va + s->len || pc & 1)
			continue;
		at = s->at[(pc - s->va) / 2];
		return at < 0 ? NULL : &s->in[at];
	}
	return NULL;
}

const struct prog_insn *prog_pick(struct prog *p, uint32_t tid, uint8_t el, int a64)
{
	const struct prog_section *s;
	const struct prog_insn *in;

	for (;;) {
		s = &p->sec[rng_below(&p->rng, (uint32_t)p->nsec)];
		if ((el ? !s->el : s->tid != tid) || (s->isa == FLOW_A64) != a64)
			continue;
		in = &s->in[rng_below(&p->rng, (uint32_t)s->n)];
		if (!in->inside_it)
			return in;
	}
}
