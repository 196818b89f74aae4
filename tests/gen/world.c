/* SPDX-License-Identifier: BSD-3-Clause */
/* world.c - execution. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#define EXC_CALL 2
#define EXC_TRAP 3
#define EXC_IRQ 0x0e

static void quiet(void *ctx, int cpu, uint32_t tid, uint32_t old)
{
	/* world_switch_records() tells it, at its time */
	(void)ctx;
	(void)cpu;
	(void)tid;
	(void)old;
}

static uint32_t pid_of(void *ctx, uint32_t tid)
{
	const struct world *w = ctx;
	size_t i;

	for (i = w->nthreads; i--;)
		if (w->threads[i]->tid == tid)
			return (w->threads[i]->vcpu ? w->threads[i]->vcpu : w->threads[i])->p->pid;
	return 0;
}

static const struct wthread *thread_of(const struct world *w, uint32_t tid)
{
	size_t i;

	for (i = w->nthreads; i--;)
		if (w->threads[i]->tid == tid)
			return w->threads[i];
	return NULL;
}

uint32_t world_machine_tid(void *world, uint32_t tid)
{
	const struct wthread *t = thread_of(world, tid);

	return t && t->machine ? t->machine : tid;
}

static uint32_t recorded(void *ctx, uint32_t tid)
{
	const struct wthread *t = thread_of(ctx, tid);

	if (t && t->vcpu)
		t = t->vcpu;
	return t && t->outside ? 0 : t ? t->tid : tid;
}

static const struct wmap *map_at(const struct wproc *p, uint64_t pc)
{
	int i;

	for (i = 0; i < p->n; i++)
		if (pc >= p->map[i].va && pc < p->map[i].end)
			return &p->map[i];
	return NULL;
}

/* what a trace unit that speculates may run into */
static int insn_at(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el, struct flow_rec *out)
{
	const struct world *w = ctx;
	const struct prog_insn *in;
	const struct wproc *p = &w->kernel;
	const struct wmap *m;
	size_t i;

	for (i = 0; !el && i < w->nthreads; i++)
		if (w->threads[i]->tid == tid)
			p = w->threads[i]->p;
	m = isa == FLOW_A64 && !(pc & 3) ? map_at(p, pc) : NULL;
	if (!m || w->guests)
		return 0;
	in = &m->code->in[m->first + (pc - m->va) / 4];
	*out = (struct flow_rec){ .kind = FLOW_INSN, .isa = FLOW_A64, .size = 4, .klass = in->klass,
				  .flags = in->flags, .pc = pc, .num = FLOW_A64,
				  .next = in->klass == FLOW_DIRECT ? pc + (in->target - in->pc) : pc + 4 };
	return 1;
}

static const struct wproc *space(const struct world *w, const struct wcpu *c)
{
	if (!c->el)
		return c->cur->p;
	return c->guest ? c->guest : &w->kernel;
}

/* of the instruction that a CPU executes just now */
static int bytes_at(void *ctx, const struct flow_rec *r, uint8_t *bytes)
{
	const struct world *w = ctx;
	const struct wmap *m = map_at(space(w, &w->cpu[r->cpu]), r->pc);

	if (!m)
		return 0;
	memcpy(bytes, m->code->bytes + 4 * (m->first + (r->pc - m->va) / 4), 4);
	return 1;
}

struct world *world_new(const struct world_opts *o, struct truth *truth)
{
	struct world *w = gen_realloc(NULL, sizeof(*w));
	struct tarmac_opts t = { .ctx = w, .bytes = bytes_at };
	int i;

	memset(w, 0, sizeof(*w));
	w->o = *o;
	rng_seed(&w->rng, o->seed * 31 + 7);
	w->o.s.ctx = w;
	w->o.s.pid_of = pid_of;
	w->o.s.scheduled = quiet;
	w->o.s.recorded = recorded;
	w->o.s.tu.ctx = w;
	w->o.s.tarmac = tarmac_new(o->tarmac, &t);
	GEN_BUG_ON(o->s.ncpus > WORLD_CPUS);
	w->s = session_new(&w->o.s, NULL, 0, insn_at, w, truth);
	w->kernel.kernel = w->guest.kernel = 1;
	w->idle = world_thread(w, world_proc(w, 0), 0, "swapper");
	for (i = 0; i < WORLD_CPUS; i++)
		w->cpu[i].now = 1000 + 10 * (uint64_t)i;
	return w;
}

void world_free(struct world *w)
{
	size_t i;

	if (!w)
		return;
	session_free(w->s);
	for (i = 0; i < w->nthreads; i++)
		free(w->threads[i]);
	for (i = 0; i < w->nprocs; i++)
		free(w->procs[i]);
	for (i = 0; i < w->ncodes; i++)
		code_free(w->codes[i]);
	free(w->threads);
	free(w->procs);
	free(w->codes);
	free(w);
}

struct wproc *world_proc(struct world *w, uint32_t pid)
{
	struct wproc *p = gen_realloc(NULL, sizeof(*p));

	memset(p, 0, sizeof(*p));
	p->pid = pid;
	w->procs = gen_realloc(w->procs, (w->nprocs + 1) * sizeof(*w->procs));
	w->procs[w->nprocs++] = p;
	return p;
}

struct wthread *world_thread(struct world *w, struct wproc *p, uint32_t tid, const char *comm)
{
	struct wthread *t = gen_realloc(NULL, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->p = p;
	strncpy(t->comm, comm, sizeof(t->comm) - 1);
	w->threads = gen_realloc(w->threads, (w->nthreads + 1) * sizeof(*w->threads));
	w->threads[w->nthreads++] = t;
	return t;
}

static void keep(struct world *w, struct code *c)
{
	w->codes = gen_realloc(w->codes, (w->ncodes + 1) * sizeof(*w->codes));
	w->codes[w->ncodes++] = c;
}

const struct code *world_code(struct world *w, uint32_t insns, int kernel)
{
	struct code *c = code_new(&w->rng, insns, kernel);

	keep(w, c);
	return c;
}

struct code *world_code_copy(struct world *w, const struct code *c)
{
	struct code *d = code_copy(c);

	keep(w, d);
	return d;
}

/* some instruction to branch to */
static uint64_t somewhere(struct world *w, const struct wproc *p)
{
	const struct wmap *m;
	uint32_t n,
		 kernel = p->kernel ? CODE_FREE : 0;
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		GEN_BUG_ON(!p->n);
		m = &p->map[rng_below(&w->rng, (uint32_t)p->n)];
		n = (uint32_t)((m->end - m->va) / 4);
		if (!m->quiet && n > kernel)
			return m->va + 4ull * rng_range(&w->rng, kernel, n - 1);
	}
	gen_bug("no code to run", __FILE__, __LINE__);
}

static uint64_t *pc_of(struct wcpu *c)
{
	return c->el ? &c->kpc : &c->cur->pc;
}

static void send(struct world *w, int cpu, uint8_t kind, uint32_t num, uint64_t pc, uint64_t next)
{
	struct wcpu *c = &w->cpu[cpu];
	struct flow_rec r = { .kind = kind, .isa = FLOW_A64, .el = c->el, .sec = 1,
			      .cpu = (uint8_t)cpu, .tid = c->cur->tid, .num = num, .pc = pc,
			      .next = next };

	session_flow(w->s, &r);
}

static void call(struct wcpu *c, uint64_t back)
{
	uint64_t *shadow = c->el ? c->kshadow : c->cur->shadow;
	int *depth = c->el ? &c->kdepth : &c->cur->depth;

	if (*depth == WORLD_SHADOW) {
		memmove(shadow, shadow + 1, (WORLD_SHADOW - 1) * sizeof(*shadow));
		--*depth;
	}
	shadow[(*depth)++] = back;
}

static uint64_t indirect(struct world *w, struct wcpu *c, const struct prog_insn *in)
{
	uint64_t *shadow = c->el ? c->kshadow : c->cur->shadow;
	int *depth = c->el ? &c->kdepth : &c->cur->depth;

	if (in->flags & FLOW_RET && *depth && !rng_pm(&w->rng, 100))
		return shadow[--*depth];
	return somewhere(w, space(w, c));
}

/* executes one instruction; an indirect branch goes to `to` if that is not 0: 1 then */
static int step(struct world *w, int cpu, uint64_t to, uint8_t *what)
{
	struct wcpu *c = &w->cpu[cpu];
	uint64_t *pc = pc_of(c), next, old;
	const struct wmap *m = map_at(space(w, c), *pc);
	const struct prog_insn *in;
	struct flow_rec r = { .kind = FLOW_INSN, .isa = FLOW_A64, .size = 4, .sec = 1,
			      .cpu = (uint8_t)cpu };
	int taken, went = 0;

	GEN_BUG_ON(!m);
	in = &m->code->in[m->first + (*pc - m->va) / 4];
	taken = !(in->flags & FLOW_COND) || rng_below(&w->rng, 2);
	next = *pc + 4;
	if (in->klass == FLOW_DIRECT && taken)
		next = *pc + (in->target - in->pc);
	if (in->klass == FLOW_INDIRECT && in->what == PROG_ERET) {
		next = to;
		went = 1;
	} else if (in->klass == FLOW_INDIRECT) {
		next = to ? to : indirect(w, c, in);
		went = to != 0;
	}
	c->now += rng_range(&w->rng, 1, 3);
	r.klass = in->klass;
	r.flags = in->flags;
	if (in->klass != FLOW_OTHER && taken)
		r.flags |= FLOW_TAKEN;
	r.el = c->el;
	r.tid = c->cur->tid;
	old = r.pc = *pc;
	r.next = next;
	r.aux = c->now;
	if (c->el || !w->o.user_untraced)
		session_flow(w->s, &r);
	*what = in->what;
	*pc = next;
	if (taken && in->flags & FLOW_LINK)
		call(c, old + 4);
	return went;
}

void world_pause(struct world *w, int cpu, uint64_t ticks)
{
	w->cpu[cpu].now += ticks;
}

void world_sync(struct world *w)
{
	uint64_t last = 0;
	int i;

	for (i = 0; i < w->o.s.ncpus; i++)
		if (w->cpu[i].now > last)
			last = w->cpu[i].now;
	for (i = 0; i < w->o.s.ncpus; i++)
		w->cpu[i].now = last + 10;
}

/* from user code into the kernel */
static void enter(struct world *w, int cpu, uint32_t num)
{
	struct wcpu *c = &w->cpu[cpu];
	uint64_t vector = w->o.kernel_traced ? somewhere(w, &w->kernel) : 0;

	if (!w->o.user_untraced)
		send(w, cpu, FLOW_EXC, num, c->cur->pc, vector);
	if (!w->o.kernel_traced)
		send(w, cpu, FLOW_OFF, 0, 0, 0);
	c->el = w->o.kernel_el;
	if (w->o.user_untraced)
		send(w, cpu, FLOW_ON, 0, 0, 0);
	c->kpc = vector;
	c->kdepth = 0;
	c->now += 5;
}

void world_kernel_run(struct world *w, int cpu, uint32_t insns)
{
	uint8_t what;

	if (!w->o.kernel_traced)
		world_pause(w, cpu, 3ull * insns);
	else
		while (insns--)
			step(w, cpu, 0, &what);
}

static void kernel_goto(struct world *w, int cpu, uint64_t to)
{
	uint8_t what;

	while (!step(w, cpu, to, &what))
		;
}

/* back to user code; the kernel's first instruction is the one that does it */
static void leave(struct world *w, int cpu)
{
	struct wcpu *c = &w->cpu[cpu];
	uint8_t what;

	c->now += 5;
	if (w->o.kernel_traced) {
		world_kernel_run(w, cpu, rng_range(&w->rng, 2, 20));
		kernel_goto(w, cpu, w->kernel.map[0].va + 4 * CODE_ERET);
		step(w, cpu, c->cur->pc, &what);
		if (w->o.user_untraced)
			send(w, cpu, FLOW_OFF, 0, 0, 0);
		c->el = 0;
	} else {
		c->el = 0;
		send(w, cpu, FLOW_ON, 0, 0, 0);
	}
}

void world_barrier(struct world *w)
{
	uint8_t what;
	int i;

	world_sync(w);
	for (i = 0; w->o.kernel_traced && i < w->o.s.ncpus; i++) {
		if (!w->cpu[i].cur)
			continue;
		kernel_goto(w, i, w->kernel.map[0].va + 4 * CODE_ISB);
		step(w, i, 0, &what);
	}
	world_sync(w);
}

/*
 * Between host and guest a hypervisor at EL2 runs that is not traced, unless the host's kernel is
 * there itself.
 */
static void through_el2(struct world *w, int cpu, uint32_t exc, uint64_t at)
{
	if (w->o.kernel_el == 2)
		return;
	send(w, cpu, FLOW_EXC, exc, at, 0);
	send(w, cpu, FLOW_OFF, 0, 0, 0);
	world_pause(w, cpu, 10);
}

static void enter_guest(struct world *w, int cpu, const struct wproc *kernel, struct wthread *t)
{
	struct wcpu *c = &w->cpu[cpu];
	uint64_t to = somewhere(w, kernel);
	uint8_t what;

	GEN_BUG_ON(!w->o.kernel_traced);
	w->guests = 1;
	if (w->o.kernel_el == 2) {
		kernel_goto(w, cpu, w->kernel.map[0].va + 4 * CODE_ERET);
		step(w, cpu, to, &what);
	}
	through_el2(w, cpu, EXC_TRAP, c->kpc);
	c->cur = t;
	c->guest = kernel;
	c->el = 1;
	c->kpc = to;
	c->kdepth = 0;
	if (w->o.kernel_el != 2)
		send(w, cpu, FLOW_ON, 0, 0, 0);
}

/* an interrupt of the host ends it */
static void leave_guest(struct world *w, int cpu, const struct wcpu *host)
{
	struct wcpu *c = &w->cpu[cpu];
	uint64_t vector = somewhere(w, &w->kernel);

	if (w->o.kernel_el == 2)
		send(w, cpu, FLOW_EXC, EXC_IRQ, *pc_of(c), vector);
	else
		through_el2(w, cpu, EXC_IRQ, *pc_of(c));
	c->cur = host->cur;
	c->guest = NULL;
	c->el = host->el;
	c->kpc = vector;
	c->kdepth = 0;
	if (w->o.kernel_el != 2)
		send(w, cpu, FLOW_ON, 0, 0, 0);
}

static void guest_kernel(struct world *w, int cpu, uint32_t exc)
{
	struct wcpu *c = &w->cpu[cpu];
	uint64_t to = somewhere(w, c->guest);

	send(w, cpu, FLOW_EXC, exc, c->cur->pc, to);
	c->el = 1;
	c->kpc = to;
	c->kdepth = 0;
}

static void guest_turn(struct world *w, int cpu)
{
	if (w->guest_turn)
		w->guest_turn(w->guest_ctx, cpu, w->cpu[cpu].cur);
}

static void guest_goto(struct world *w, int cpu, uint32_t insn)
{
	kernel_goto(w, cpu, w->cpu[cpu].guest->map[0].va + 4 * insn);
}

void world_guest_run(struct world *w, int cpu, const struct wproc *kernel, struct wthread *const *t,
		     int n, uint32_t insns)
{
	struct wcpu *c = &w->cpu[cpu], host = *c;
	int now = (int)rng_below(&w->rng, (uint32_t)n);
	uint8_t what;

	enter_guest(w, cpu, kernel, t[now]);
	guest_turn(w, cpu);
	while (insns--) {
		if (c->el && n > 1 && insns % 200 == 0) {
			guest_goto(w, cpu, CODE_ISB);
			step(w, cpu, 0, &what);
			now = (now + 1) % n;
			c->cur = t[now];
			c->kdepth = 0;
			guest_turn(w, cpu);
		} else if (c->el && insns % 50 == 0) {
			if (!c->cur->pc)
				c->cur->pc = somewhere(w, c->cur->p);
			guest_goto(w, cpu, CODE_ERET);
			step(w, cpu, c->cur->pc, &what);
			c->el = 0;
		} else if (!c->el && insns % 70 == 0) {
			guest_kernel(w, cpu, EXC_IRQ);
		}
		step(w, cpu, 0, &what);
		if (!c->el && what == PROG_SVC)
			guest_kernel(w, cpu, EXC_CALL);
	}
	leave_guest(w, cpu, &host);
}

void world_guest(struct world *w, int cpu, struct wthread *t, uint32_t insns)
{
	t->pc = 0;
	world_guest_run(w, cpu, &w->guest, &t, 1, insns);
}

static void switch_to(struct world *w, int cpu, struct wthread *t)
{
	struct wcpu *c = &w->cpu[cpu];
	struct wthread *old = c->cur;
	uint8_t what;
	int i;

	if (c->cur == t)
		return;
	/* a thread runs on one CPU at a time */
	for (i = 0; i < w->o.s.ncpus && t != w->idle; i++) {
		if (w->cpu[i].cur != t)
			continue;
		switch_to(w, i, w->idle);
		if (c->now < w->cpu[i].now)
			c->now = w->cpu[i].now;
	}
	if (!old || !w->o.kernel_traced) {
		world_switch_records(w, cpu, old, t);
		c->cur = t;
		c->el = w->o.kernel_el;
		if (!old && w->o.kernel_traced) {
			c->kpc = somewhere(w, &w->kernel);
			send(w, cpu, FLOW_ON, 0, 0, 0);
		}
		return;
	}
	/* CONTEXTIDR is written, the ISB makes it known */
	kernel_goto(w, cpu, w->kernel.map[0].va + 4 * CODE_ISB);
	world_switch_records(w, cpu, old, t);
	step(w, cpu, 0, &what);
	c->cur = t;
	c->kdepth = 0;
}

static void system_call(struct world *w, int cpu)
{
	enter(w, cpu, EXC_CALL);
	leave(w, cpu);
}

void world_run(struct world *w, int cpu, struct wthread *t, uint32_t insns)
{
	struct wcpu *c = &w->cpu[cpu];
	uint8_t what;

	switch_to(w, cpu, t);
	if (!t->pc)
		t->pc = somewhere(w, t->p);
	leave(w, cpu);
	for (; insns; insns--) {
		step(w, cpu, 0, &what);
		if (what == PROG_SVC)
			system_call(w, cpu);
		if (insns > 1 && rng_pm(&w->rng, w->o.p_irq)) {
			enter(w, cpu, EXC_IRQ);
			world_kernel_run(w, cpu, 10);
			leave(w, cpu);
		}
	}
	enter(w, cpu, EXC_IRQ);
	c->now += 5;
}

void world_avoid(struct world *w, int cpu, struct wthread *t, uint64_t va, uint64_t end)
{
	int i, n = 0;
	uint8_t what;

	for (i = 0; i < t->p->n; i++)
		if (t->p->map[i].va < end && va < t->p->map[i].end)
			t->p->map[i].quiet = 1;
	for (i = 0; i < t->depth; i++)
		if (t->shadow[i] < va || t->shadow[i] >= end)
			t->shadow[n++] = t->shadow[i];
	t->depth = n;
	if (t->pc < va || t->pc >= end)
		return;
	switch_to(w, cpu, t);
	leave(w, cpu);
	/* the calls it makes on the way out are not to be returned to, either */
	do {
		step(w, cpu, 0, &what);
		for (i = n = 0; i < t->depth; i++)
			if (t->shadow[i] < va || t->shadow[i] >= end)
				t->shadow[n++] = t->shadow[i];
		t->depth = n;
		if (what == PROG_SVC)
			system_call(w, cpu);
	} while (t->pc >= va && t->pc < end);
	enter(w, cpu, EXC_IRQ);
}

void world_jump(struct world *w, int cpu, struct wthread *t, uint64_t to)
{
	uint8_t what;

	switch_to(w, cpu, t);
	if (!t->pc)
		t->pc = somewhere(w, t->p);
	leave(w, cpu);
	while (!step(w, cpu, to, &what))
		if (what == PROG_SVC)
			system_call(w, cpu);
	enter(w, cpu, EXC_IRQ);
}

void world_finish(struct world *w, struct gbuf *file)
{
	int i;

	world_round(w);
	for (i = 0; i < w->o.s.ncpus; i++)
		session_wait(w->s, i, w->cpu[i].now);
	session_end(w->s);
	session_file(w->s, file);
}
