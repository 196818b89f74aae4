/* SPDX-License-Identifier: BSD-3-Clause */
#include "learn.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

struct known {
	uint64_t pc, target;
	uint32_t process;
	uint8_t isa, size, klass, flags, used, has_target;
};

struct learn {
	struct known *tab;
	size_t n, cap;		/* cap is a power of two */
};

static size_t slot(const struct learn *l, uint64_t pc, uint32_t process, uint8_t isa)
{
	uint64_t h = (pc ^ (uint64_t)process << 40) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(h >> 20) & (l->cap - 1);

	while (l->tab[i].used &&
	       (l->tab[i].pc != pc || l->tab[i].process != process || l->tab[i].isa != isa))
		i = (i + 1) & (l->cap - 1);
	return i;
}

static void resize(struct learn *l, size_t cap)
{
	struct known *old = l->tab;
	size_t i, n = l->cap;

	l->cap = cap;
	l->tab = gen_realloc(NULL, cap * sizeof(*l->tab));
	memset(l->tab, 0, cap * sizeof(*l->tab));
	for (i = 0; i < n; i++)
		if (old[i].used)
			l->tab[slot(l, old[i].pc, old[i].process, old[i].isa)] = old[i];
	free(old);
}

struct learn *learn_new(void)
{
	struct learn *l = gen_realloc(NULL, sizeof(*l));

	memset(l, 0, sizeof(*l));
	resize(l, 4096);
	return l;
}

void learn_free(struct learn *l)
{
	if (!l)
		return;
	free(l->tab);
	free(l);
}

void learn_add(struct learn *l, const struct flow_rec *r)
{
	struct known *k;

	if (r->kind != FLOW_INSN)
		return;
	k = &l->tab[slot(l, r->pc, r->tid / 100, r->isa)];
	if (!k->used) {
		if (l->n * 2 >= l->cap) {
			resize(l, l->cap * 2);
			k = &l->tab[slot(l, r->pc, r->tid / 100, r->isa)];
		}
		l->n++;
		k->used = 1;
		k->pc = r->pc;
		k->process = r->tid / 100;
		k->isa = r->isa;
		k->size = r->size;
		k->klass = r->klass;
		k->flags = r->flags & (uint8_t)~FLOW_TAKEN;
	}
	if (r->klass == FLOW_DIRECT && r->flags & FLOW_TAKEN) {
		k->target = r->next;
		k->has_target = 1;
	}
}

int learn_insn(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el, struct flow_rec *out)
{
	const struct learn *l = ctx;
	const struct known *k = &l->tab[slot(l, pc, tid / 100, isa)], *t;
	static const uint8_t other[] = {
		[FLOW_A32] = FLOW_T32, [FLOW_T32] = FLOW_A32, [FLOW_A64] = FLOW_A64
	};

	(void)el;
	if (!k->used || (k->klass == FLOW_DIRECT && !k->has_target))
		return 0;
	out->kind = FLOW_INSN;
	out->isa = isa;
	out->size = k->size;
	out->klass = k->klass;
	out->flags = k->flags;
	out->pc = pc;
	out->next = k->klass == FLOW_DIRECT ? k->target : pc + k->size;
	out->num = isa;
	if (k->klass == FLOW_DIRECT) {
		/* a call that changes the instruction set: the target was executed in the other one
		 */
		t = &l->tab[slot(l, k->target, tid / 100, isa)];
		if (!t->used && l->tab[slot(l, k->target, tid / 100, other[isa])].used)
			out->num = other[isa];
	}
	return 1;
}
