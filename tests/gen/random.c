/* SPDX-License-Identifier: BSD-3-Clause */
/* random.c - runs a random program with random decisions. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

#include "prog_build.h"

void prog_opts_init(struct prog_opts *o)
{
	memset(o, 0, sizeof(*o));
	o->seed = 1;
	o->user_isas = 1 << FLOW_A64;
	o->kernel_isa = FLOW_A64;
	o->threads = 1;
	o->sections = 2;
	o->sec = 1;
	o->section_insns = 150;
	o->first_tid = 1000;
	o->tid_step = 1;
	o->p_irq = 3;
	o->p_trap = 1;
	o->p_switch = 300;
}

static uint32_t tid_of(const struct prog *p)
{
	return p->o.first_tid + (uint32_t)p->cur * p->o.tid_step;
}

static int thread_a64(const struct prog *p, int thread)
{
	int i;

	for (i = 0; i < p->nsec; i++)
		if (p->sec[i].tid == p->o.first_tid + (uint32_t)thread * p->o.tid_step)
			return p->sec[i].isa == FLOW_A64;
	return 1;
}

static struct prog_place place(const struct prog_insn *in)
{
	return (struct prog_place){ in->pc, in->isa };
}

struct prog *prog_new(const struct prog_opts *o)
{
	struct prog *p = gen_realloc(NULL, sizeof(*p));
	int i;

	memset(p, 0, sizeof(*p));
	p->o = *o;
	rng_seed(&p->rng, o->seed);
	prog_build(p);
	p->threads = gen_realloc(NULL, o->threads * sizeof(*p->threads));
	memset(p->threads, 0, o->threads * sizeof(*p->threads));
	for (i = 0; i < o->threads; i++)
		p->threads[i].at = place(prog_pick(p, o->first_tid + (uint32_t)i * o->tid_step, 0,
						   thread_a64(p, i)));
	p->pc = p->threads[0].at;
	return p;
}

void prog_free(struct prog *p)
{
	int i;

	if (!p)
		return;
	for (i = 0; i < p->nsec; i++) {
		free(p->sec[i].in);
		free(p->sec[i].at);
		free(p->sec[i].bytes);
	}
	free(p->sec);
	free(p->regions);
	free(p->threads);
	free(p);
}

size_t prog_regions(const struct prog *p, const struct prog_region **regions)
{
	*regions = p->regions;
	return (size_t)p->nsec;
}

int prog_insn_at(void *prog, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el,
		 struct flow_rec *out)
{
	struct prog *p = prog;
	const struct prog_insn *in = prog_find(p, pc, isa, tid, el);

	if (!in)
		return 0;
	out->kind = FLOW_INSN;
	out->isa = in->isa;
	out->size = in->size;
	out->klass = in->klass;
	out->flags = in->flags;
	out->pc = pc;
	out->next = in->klass == FLOW_DIRECT ? in->target : pc + in->size;
	out->num = in->klass == FLOW_DIRECT ? in->tisa : in->isa;
	return 1;
}

static void send(struct prog *p, uint8_t kind, uint32_t num, uint64_t pc, uint64_t next,
		 uint8_t isa)
{
	struct flow_rec r;

	memset(&r, 0, sizeof(r));
	r.kind = kind;
	r.isa = isa;
	r.el = p->el;
	r.sec = p->o.sec;
	r.tid = tid_of(p);
	r.num = num;
	r.pc = pc;
	r.next = next;
	p->emit(p->ctx, &r);
}

static struct prog_thread *stack_of(struct prog *p)
{
	return p->el ? &p->kernel : &p->threads[p->cur];
}

static void call(struct prog *p, struct prog_place back)
{
	struct prog_thread *t = stack_of(p);

	if (t->depth == PROG_SHADOW) {
		memmove(t->shadow, t->shadow + 1, (PROG_SHADOW - 1) * sizeof(t->shadow[0]));
		t->depth--;
	}
	t->shadow[t->depth++] = back;
}

static void switch_thread(struct prog *p)
{
	if (p->o.threads > 1 && rng_pm(&p->rng, p->o.p_switch)) {
		p->cur = (int)rng_below(&p->rng, p->o.threads);
		send(p, FLOW_CONTEXT, 0, 0, 0, p->pc.isa);
	}
}

static uint32_t exception_number(struct prog *p, int trap)
{
	static const uint8_t traps[] = { 0x03, 0x06, 0x07, 0x0a, 0x0b, 0x0c };
	static const uint8_t irqs[] = { 0x01, 0x04, 0x0e, 0x0e, 0x0e, 0x0f, 0x10, 0x13, 0x17 };
	static const uint16_t m_traps[] = { 3, 4, 5, 6, 0xc };
	static const uint16_t m_irqs[] = { 2, 0xe, 0xf, 0x10, 0x17, 0x208, 0x209, 0x2ab, 0x3ef };

	if (p->o.mprofile)
		return trap ? m_traps[rng_below(&p->rng, 5)] : m_irqs[rng_below(&p->rng, 9)];
	if (!trap && p->o.reset && rng_pm(&p->rng, 60))
		return 0;
	return trap ? traps[rng_below(&p->rng, 6)] : irqs[rng_below(&p->rng, 9)];
}

/* back: where the exception returns to; it is also the address the trace gives */
static void exception(struct prog *p, uint32_t num, struct prog_place back)
{
	const struct prog_insn *entry;

	p->threads[p->cur].at = back;
	if (!p->o.kernel_traced) {
		send(p, FLOW_EXC, num, back.pc, 0, back.isa);
		send(p, FLOW_OFF, 0, 0, 0, back.isa);
		if (num == 0)
			p->threads[p->cur].depth = 0;
		p->pc = back;
		switch_thread(p);
		p->pc = p->threads[p->cur].at;
		send(p, FLOW_ON, 0, 0, 0, p->pc.isa);
		return;
	}
	entry = prog_pick(p, tid_of(p), 1, p->o.kernel_isa == FLOW_A64);
	send(p, FLOW_EXC, num, back.pc, entry->pc, back.isa);
	p->el = 1;
	p->kernel.depth = 0;
	p->pc = place(entry);
	/* the kernel may be interrupted before its first instruction: two exceptions in a row */
	if (rng_pm(&p->rng, 50)) {
		entry = prog_pick(p, tid_of(p), 1, p->o.kernel_isa == FLOW_A64);
		send(p, FLOW_EXC, exception_number(p, 0), p->pc.pc, entry->pc, p->pc.isa);
		p->pc = place(entry);
	}
}

static void tx_fail(struct prog *p)
{
	p->tx = 0;
	p->threads[p->cur] = p->tx_saved;
	p->pc = p->tx_resume;
	send(p, FLOW_TFAIL, 0, 0, p->pc.pc, p->pc.isa);
}

static struct prog_place indirect_target(struct prog *p, const struct prog_insn *in)
{
	struct prog_thread *t = stack_of(p);

	if (in->flags & FLOW_RET && t->depth && !rng_pm(&p->rng, 100))
		return t->shadow[--t->depth];
	return place(prog_pick(p, tid_of(p), p->el, in->isa == FLOW_A64));
}

static void step(struct prog *p)
{
	const struct prog_insn *in = prog_find(p, p->pc.pc, p->pc.isa, tid_of(p), p->el);
	struct prog_place next, seq;
	struct flow_rec r;
	int taken, isb_switch = 0, chain;

	if (!in)
		gen_bug("execution left the program", __FILE__, __LINE__);
	seq = (struct prog_place){ in->pc + in->size, in->isa };
	next = seq;
	taken = !(in->flags & FLOW_COND) || rng_below(&p->rng, 2);
	if (in->klass >= FLOW_ISB && in->klass < FLOW_LOAD)
		taken = 1;
	if (in->klass == FLOW_DIRECT && taken)
		next = (struct prog_place){ in->target, in->tisa };
	chain = in->what == PROG_ERET && taken && p->o.mprofile && rng_pm(&p->rng, 250);
	if (chain) {
		next.pc = FLOW_TAIL_CHAIN;
	} else if (in->what == PROG_ERET && taken) {
		next = p->threads[p->cur].at;
	} else if (in->klass == FLOW_INDIRECT && taken) {
		next = indirect_target(p, in);
	}
	memset(&r, 0, sizeof(r));
	r.kind = FLOW_INSN;
	r.isa = in->isa;
	r.size = in->size;
	r.klass = in->klass;
	r.flags = in->flags;
	if ((in->klass != FLOW_OTHER || in->flags & FLOW_COND) && taken)
		r.flags |= FLOW_TAKEN;
	r.num = in->cond;
	r.el = p->el;
	r.sec = p->o.sec;
	r.tid = tid_of(p);
	r.pc = in->pc;
	r.next = next.pc;
	p->emit(p->ctx, &r);
	p->left--;
	p->pc = next;
	if (taken && in->flags & FLOW_LINK)
		call(p, seq);
	if (chain) {
		const struct prog_insn *entry = prog_pick(p, tid_of(p), 1, 0);

		send(p, FLOW_EXC, exception_number(p, 0), FLOW_TAIL_CHAIN, entry->pc, in->isa);
		p->kernel.depth = 0;
		p->pc = place(entry);
		return;
	}
	if (in->what == PROG_ERET && taken) {
		p->el = 0;
		p->kernel.depth = 0;
	}
	if (in->klass == FLOW_ISB && p->el)
		isb_switch = 1;
	if (in->klass == FLOW_TSTART && !p->tx) {
		p->tx = 1;
		p->tx_left = rng_range(&p->rng, 1, 60);
		p->tx_resume = seq;
		p->tx_saved = p->threads[p->cur];
	}
	if (in->what == PROG_TCOMMIT && p->tx) {
		p->tx = 0;
		send(p, FLOW_TCOMMIT, 0, p->pc.pc, 0, p->pc.isa);
	}
	if (in->what == PROG_SVC && taken && !p->tx)
		exception(p, p->o.mprofile ? 0x0b : 2, seq);
	/* the kernel writes CONTEXTIDR, then an ISB */
	if (isb_switch)
		switch_thread(p);
}

void prog_run(struct prog *p, uint64_t n, void (*emit)(void *ctx, const struct flow_rec *r),
	      void *ctx)
{
	p->emit = emit;
	p->ctx = ctx;
	p->left = n;
	if (!p->started)
		send(p, FLOW_CONTEXT, 0, 0, 0, p->pc.isa);
	p->started = 1;
	while (p->left) {
		step(p);
		if (!p->left)
			break;
		if (p->tx) {
			if (!--p->tx_left || rng_pm(&p->rng, 10))
				tx_fail(p);
			continue;
		}
		if (p->el)
			continue;
		if (rng_pm(&p->rng, p->o.p_irq))
			exception(p, exception_number(p, 0), p->pc);
		else if (rng_pm(&p->rng, p->o.p_trap))
			exception(p, exception_number(p, 1), p->pc);
		else if (rng_pm(&p->rng, p->o.p_off)) {
			send(p, FLOW_OFF, 0, 0, 0, p->pc.isa);
			send(p, FLOW_ON, 0, 0, 0, p->pc.isa);
		}
	}
}
