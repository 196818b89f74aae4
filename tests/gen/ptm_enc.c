/* SPDX-License-Identifier: BSD-3-Clause */
/* ptm_enc.c - the model of a PTM: what each record of a flow means to it, and its packets. */
#include "ptm_enc.h"

#include <stdlib.h>
#include <string.h>

#define STACK_MAX 16
#define ATOMS_MAX 5
#define LIVE_CYCLES 0x7ff	/* what a cycle count may be in a recording */
#define JAVA 2			/* beside FLOW_A32 and FLOW_T32, for fifth address bytes */

struct ptm_tu {
	struct ptm_case *c;
	const struct ptm_opts *o;
	struct rng rng;
	/* the processor */
	uint32_t tid, vmid;
	uint8_t sec, hyp;
	uint8_t on;		/* being traced */
	uint8_t reason;		/* of the I-sync that is due, 0: none */
	uint32_t blind;		/* instructions that an overflow still hides */
	uint64_t tick, now;
	/* instructions since the last waypoint */
	struct gen_event run;
	/* a taken branch whose target's instruction set is not known yet */
	struct gen_event branch;
	uint8_t pending, force;
	/* atoms that were not sent yet */
	uint8_t atoms[ATOMS_MAX], natoms;
	/* compression */
	uint32_t addr;
	uint8_t addr_isa;
	uint64_t ts;
	uint8_t ts_full;	/* the next timestamp must not be compressed */
	uint64_t taken;		/* bytes that the caller has taken away */
	uint64_t synced;	/* bytes at the last synchronisation */
	unsigned int syncs;
	struct {
		uint32_t addr;
		uint8_t isa;
	} stack[STACK_MAX];
	unsigned int depth;
};

static int chance(struct ptm_tu *t, unsigned int p)
{
	return rng_pm(&t->rng, p);
}

static void put(struct ptm_tu *t, unsigned int b)
{
	gbuf_u8(&t->c->trace, b);
}

static uint64_t bytes_sent(const struct ptm_tu *t)
{
	return t->taken + t->c->trace.len;
}

static void mark(struct ptm_tu *t, struct v7_marks *m, size_t events)
{
	if (t->o->live)
		return;
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 256;
		m->v = gen_realloc(m->v, m->cap * sizeof(*m->v));
	}
	m->v[m->n].off = (uint32_t)t->c->trace.len;
	m->v[m->n++].events = (uint32_t)events;
}

static struct gen_event *event(struct ptm_tu *t, int kind)
{
	struct ptm_case *c = t->c;
	struct gen_event *e;

	if (c->nevents == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 256;
		c->events = gen_realloc(c->events, c->cap * sizeof(*c->events));
	}
	e = &c->events[c->nevents++];
	memset(e, 0, sizeof(*e));
	e->kind = (uint8_t)kind;
	return e;
}

/* ---- fields ------------------------------------------------------------------------------------ */

static uint32_t some_cycles(struct ptm_tu *t)
{
	uint32_t cc = (uint32_t)rng_next(&t->rng) >> rng_below(&t->rng, 32);

	return t->o->live ? cc & LIVE_CYCLES : cc;
}

/* `bits`: what else is in the first byte */
static void put_cycles(struct ptm_tu *t, uint32_t cc, unsigned int bits)
{
	uint32_t rest = cc >> 4;
	int i, more = rest || chance(t, t->o->p_long);

	put(t, bits | (cc & 15) << 2 | (more ? 0x40 : 0));
	for (i = 0; more; i++) {
		unsigned int b = rest & 0x7f;

		rest >>= 7;
		more = i < 3 && (rest || chance(t, t->o->p_long));
		put(t, b | (more ? 0x80 : 0));
	}
}

static void add_cycles(struct ptm_tu *t, struct gen_event *e, unsigned int bits)
{
	if (!t->o->cycles)
		return;
	e->cc = some_cycles(t);
	e->flags |= GEN_F_CC;
	put_cycles(t, e->cc, bits);
}

static void put_tid(struct ptm_tu *t)
{
	unsigned int i;

	for (i = 0; i < t->o->cid_bytes; i++)
		put(t, t->tid >> (8 * i) & 0xff);
}

static uint32_t told_tid(const struct ptm_tu *t)
{
	return t->o->cid_bytes == 4 ? t->tid : t->tid & ((1u << (8 * t->o->cid_bytes)) - 1);
}

/* what the analyzer knows after a packet that tells of the state */
static void context(struct ptm_tu *t)
{
	struct gen_event *e = event(t, GEN_CONTEXT);

	e->tid = told_tid(t);
	e->vmid = t->o->vmid ? t->vmid : 0;
	e->sec = t->sec;
	e->el = t->hyp ? 2 : 0;
}

/* address bits of the first byte are those from here on */
static unsigned int lowest(unsigned int isa)
{
	return isa == FLOW_A32 ? 2 : isa == JAVA ? 0 : 1;
}

/*
 * Address bytes, the first with bit 0 set. `more`: bytes of exception information follow, so that one byte
 * is not enough; waypoint updates (wp) have such a bit in a fifth byte only.
 */
static void put_address(struct ptm_tu *t, uint32_t addr, unsigned int isa, int more, int wp)
{
	unsigned int low = lowest(isa), n, i, shift = low + 6;
	uint32_t changed = addr ^ t->addr;

	for (n = 1; n < 5; n++) {
		unsigned int width = n == 1 ? low + 6 : low + 6 + 7 * (n - 2) + 6;

		if (!(changed >> width) && isa == t->addr_isa && (n > 1 || !more || wp))
			break;
	}
	while (n < 5 && chance(t, t->o->p_long))
		n++;
	put(t, 1 | (addr >> low & 0x3f) << 1 | (n > 1 ? 0x80 : 0));
	for (i = 1; i < n; i++) {
		uint32_t v = addr >> shift;

		shift += 7;
		if (i == 4)
			v |= isa == FLOW_A32 ? 0x08 : isa == JAVA ? 0x20 : 0x10;
		else
			v &= i == n - 1 ? 0x3f : 0x7f;
		put(t, v | (i < n - 1 ? 0x80 : more && (!wp || i == 4) ? 0x40 : 0));
	}
	if (wp && more && n == 5)
		put(t, 0);
	t->addr = addr;
	t->addr_isa = (uint8_t)isa;
}

/* ---- packets ----------------------------------------------------------------------------------- */

static void flush(struct ptm_tu *t)
{
	static const uint8_t header[] = { 0, 0x80, 0x88, 0x90, 0xa0, 0xc0 };
	unsigned int i, bits = 0, n = t->natoms;

	if (!n)
		return;
	mark(t, &t->c->packets, t->c->nevents - n);
	for (i = 0; i < n; i++)
		bits = bits << 1 | !t->atoms[i];
	put(t, header[n] | bits << 1);
	t->natoms = 0;
}

static void begin(struct ptm_tu *t)
{
	flush(t);
	mark(t, &t->c->packets, t->c->nevents);
}

static struct gen_event *range(struct ptm_tu *t, const struct gen_event *run, char atom)
{
	struct gen_event *e = event(t, GEN_RANGE);

	*e = *run;
	e->kind = GEN_RANGE;
	e->atom = atom;
	e->tid = told_tid(t);
	e->thread = t->tid;
	e->sec = t->sec;
	e->el = t->hyp ? 2 : 0;
	return e;
}

static void atom(struct ptm_tu *t, const struct gen_event *run, int e)
{
	if (t->o->cycles) {
		begin(t);
		add_cycles(t, range(t, run, e ? 'E' : 'N'), 0x80 | (e ? 0 : 2));
		return;
	}
	range(t, run, e ? 'E' : 'N');
	t->atoms[t->natoms++] = (uint8_t)e;
	if (t->natoms == ATOMS_MAX || chance(t, t->o->p_flush))
		flush(t);
}

/* Branch address packet; `run` is the range of its E atom, or NULL with an exception. */
static void branch(struct ptm_tu *t, const struct gen_event *run, uint32_t target, unsigned int isa,
		   unsigned int number, uint32_t from)
{
	int state = chance(t, t->o->p_state), two;
	uint8_t sec = t->sec, hyp = t->hyp;
	struct gen_event *e;

	begin(t);
	if (state) {
		sec = (uint8_t)rng_below(&t->rng, 2);
		hyp = (uint8_t)(rng_below(&t->rng, 4) == 0);
	}
	if (run) {
		e = range(t, run, 'E');
	} else {
		e = event(t, GEN_EXCEPTION);
		e->num = (uint16_t)number;
		e->start = from;
	}
	put_address(t, target, isa, state || number, 0);
	if (state || number) {
		two = hyp != t->hyp || number > 15 || chance(t, 100);
		put(t, (number & 15) << 1 | sec | (two ? 0x80 : 0));
		if (two)
			put(t, number >> 4 | (hyp ? 0x20 : 0));
	}
	add_cycles(t, e, 0);
	t->sec = sec;
	t->hyp = hyp;
	if (state || number)
		context(t);
}

static void waypoint(struct ptm_tu *t)
{
	begin(t);
	put(t, 0x72);
	put_address(t, (uint32_t)t->run.last_pc, t->run.isa, chance(t, 100), 1);
	range(t, &t->run, '-');
	t->run.n = 0;
}

static void timestamp(struct ptm_tu *t)
{
	unsigned int full = t->o->ts64 ? 9 : 7, n;
	struct gen_event *e;
	uint64_t v, left;

	begin(t);
	if (t->o->live)
		t->tick = t->now;
	else
		t->tick += rng_next(&t->rng) >> rng_range(&t->rng, 20, 63);
	if (!t->o->ts64)
		t->tick &= 0xffffffffffff;
	v = t->o->ts_gray ? t->tick ^ t->tick >> 1 : t->tick;
	for (n = t->ts_full ? full : 1; n < full && (v ^ t->ts) >> (7 * n); n++)
		;
	while (n < full && chance(t, t->o->p_long))
		n++;
	t->ts = v;
	t->ts_full = 0;
	put(t, chance(t, 100) ? 0x46 : 0x42);
	for (left = v; n; n--, left >>= 7, full--)
		put(t, full == 1 ? left & (t->o->ts64 ? 0xff : 0x3f) : (left & 0x7f) | (n > 1 ? 0x80 : 0));
	e = event(t, GEN_TIMESTAMP);
	e->value = t->tick;
	add_cycles(t, e, 0);
}

static void vmid(struct ptm_tu *t)
{
	begin(t);
	t->vmid = rng_below(&t->rng, 256);
	put(t, 0x3c);
	put(t, t->vmid);
	context(t);
}

/* A reason of I-syncs. */
#define OVERFLOWED 2

static void isync(struct ptm_tu *t, unsigned int reason, uint32_t pc, unsigned int isa)
{
	static const uint8_t reasons[] = { 0, 0, 1, 2 };
	int on = reason || t->syncs == 1;
	struct gen_event *e = NULL;
	uint32_t cc;
	int i;

	begin(t);
	if (on) {
		e = event(t, GEN_TRACE_ON);
		e->num = reasons[reason];
	}
	put(t, 0x08);
	pc |= isa == FLOW_T32;
	for (i = 0; i < 4; i++)
		put(t, pc >> (8 * i) & 0xff);
	put(t, reason << 5 | (t->sec ? 8 : 0) | (t->hyp ? 2 : 0) | 1);
	if (t->o->cycles && reason) {
		cc = some_cycles(t);
		put_cycles(t, cc, chance(t, 500) ? 0x80 : 0);
		/* IHI 0035B 4.4: unknown from PFTv1.1 on after an overflow and after debug state */
		if (!t->o->minor || reason < OVERFLOWED) {
			e->cc = cc;
			e->flags |= GEN_F_CC;
		}
	}
	put_tid(t);
	context(t);
	t->addr = pc & ~1u;
	t->addr_isa = (uint8_t)isa;
	t->depth = 0;
	/* what the overflow swallowed may have held a time */
	if (reason == OVERFLOWED)
		t->ts_full = 1;
}

static void sync(struct ptm_tu *t, unsigned int reason, uint32_t pc, unsigned int isa)
{
	/* more than five zeros are allowed, but libopencsd 1.3.3 does not take them */
	unsigned int more = t->o->live ? t->o->p_long : 200;
	int zeros = 5 + (chance(t, more) ? (int)rng_below(&t->rng, 12) : 0);

	flush(t);
	mark(t, &t->c->packets, t->c->nevents);
	mark(t, &t->c->syncs, t->c->nevents);
	t->syncs++;
	while (zeros--)
		put(t, 0);
	put(t, 0x80);
	isync(t, reason, pc, isa);
	t->synced = bytes_sent(t);
	/* what an analyzer that starts here has to know */
	t->ts_full = 1;
	if (t->o->ts)
		timestamp(t);
	if (t->o->vmid)
		vmid(t);
}

/* ---- the flow ---------------------------------------------------------------------------------- */

static void push(struct ptm_tu *t, uint32_t addr, uint8_t isa)
{
	if (!t->o->stack)
		return;
	if (t->depth == t->o->stack) {
		memmove(t->stack, t->stack + 1, (t->depth - 1) * sizeof(t->stack[0]));
		t->depth--;
	}
	t->stack[t->depth].addr = addr;
	t->stack[t->depth++].isa = isa;
}

/* The target's instruction set is known: how the branch is traced. */
static void resolve(struct ptm_tu *t, uint8_t isa)
{
	struct gen_event *b = &t->branch;
	uint32_t target = (uint32_t)b->next;
	int match = t->depth && t->stack[t->depth - 1].addr == target && t->stack[t->depth - 1].isa == isa;

	if (!t->pending)
		return;
	t->pending = 0;
	if (b->klass == FLOW_INDIRECT && match && !t->force) {
		t->depth--;
		atom(t, b, 1);
	} else {
		branch(t, b, target, isa, 0, 0);
	}
	if (b->iflags & FLOW_LINK)
		push(t, (uint32_t)b->end, b->isa);
	if (b->iflags & FLOW_ERET && chance(t, 900)) {
		begin(t);
		put(t, 0x76);
		event(t, GEN_EXC_RETURN);
	}
}

static int is_barrier(const struct ptm_tu *t, const struct flow_rec *r)
{
	const struct ptm_case *c = t->c;
	uint32_t op;
	size_t i;

	if (!t->o->barriers || r->size != 4 || r->klass != FLOW_OTHER)
		return 0;
	for (i = 0; i < c->nregions; i++) {
		const struct prog_region *g = &c->regions[i];
		const uint8_t *p = g->bytes + (r->pc - g->va);

		if (r->pc < g->va || r->pc >= g->va + g->len || g->isa != r->isa ||
		    (g->tid != PROG_ALL_THREADS && g->tid != r->tid))
			continue;
		op = r->isa == FLOW_T32 ? ((uint32_t)p[1] << 24 | p[0] << 16 | p[3] << 8 | p[2]) :
					  ((uint32_t)p[3] << 24 | p[2] << 16 | p[1] << 8 | p[0]);
		op &= ~0xfu;
		return op == (r->isa == FLOW_T32 ? 0xf3bf8f40u : 0xf57ff040u) ||
		       op == (r->isa == FLOW_T32 ? 0xf3bf8f50u : 0xf57ff050u);
	}
	return 0;
}

/* Between two waypoints: what may stand there. */
static void between(struct ptm_tu *t, uint32_t pc, unsigned int isa)
{
	if (t->o->sync_every && bytes_sent(t) - t->synced > t->o->sync_every)
		sync(t, 0, pc, isa);
	if (t->o->ts && chance(t, t->o->p_ts))
		timestamp(t);
	if (chance(t, t->o->p_trigger)) {
		begin(t);
		put(t, 0x0c);
		event(t, GEN_EVENTS);
	}
	if (chance(t, t->o->p_ignore)) {
		begin(t);
		put(t, 0x66);
	}
	if (t->o->vmid && chance(t, t->o->p_vmid))
		vmid(t);
}

static void insn(struct ptm_tu *t, const struct flow_rec *r)
{
	int is_waypoint, barrier, taken = !!(r->flags & FLOW_TAKEN);
	uint32_t pc = (uint32_t)r->pc;

	resolve(t, r->isa);
	if (t->blind && --t->blind)
		return;
	if (!t->blind && t->reason) {
		if (t->syncs && chance(t, 700)) {
			isync(t, t->reason, pc, r->isa);
			if (t->o->live && t->o->ts)
				timestamp(t);
			if (t->o->vmid)
				vmid(t);
		} else {
			sync(t, t->reason, pc, r->isa);
		}
		t->reason = 0;
		t->run.n = 0;
	}
	if (!t->run.n) {
		between(t, pc, r->isa);
		memset(&t->run, 0, sizeof(t->run));
		t->run.start = pc;
		t->run.isa = r->isa;
	}
	t->run.n++;
	t->run.last_pc = pc;
	t->run.end = pc + r->size;
	t->run.size = r->size;
	t->run.klass = r->klass;
	t->run.iflags = r->flags;
	t->run.next = r->next;
	barrier = is_barrier(t, r);
	is_waypoint = r->klass == FLOW_DIRECT || r->klass == FLOW_INDIRECT || r->klass == FLOW_ISB || barrier;
	if (!is_waypoint) {
		if (chance(t, t->o->p_waypoint))
			waypoint(t);
		return;
	}
	if (barrier)
		taken = !(r->flags & FLOW_COND) || chance(t, 500);
	if (taken && (r->klass == FLOW_INDIRECT ||
		      (r->klass == FLOW_DIRECT && t->o->broadcast && chance(t, t->o->p_broadcast)))) {
		t->branch = t->run;
		t->pending = 1;
		t->force = t->o->broadcast && chance(t, 500);
	} else {
		atom(t, &t->run, taken);
		if (taken && r->flags & FLOW_LINK)
			push(t, pc + r->size, r->isa);
	}
	t->run.n = 0;
	if (chance(t, t->o->p_overflow) && !t->pending) {
		flush(t);
		t->blind = 1 + rng_below(&t->rng, 60);
		t->reason = 2;
	}
}

static unsigned int exception_number(struct ptm_tu *t)
{
	return chance(t, 900) ? rng_range(&t->rng, 1, 15) : rng_range(&t->rng, 16, 511);
}

static void flow(void *ctx, const struct flow_rec *r)
{
	struct ptm_tu *t = ctx;
	uint32_t vector;

	switch (r->kind) {
	case FLOW_INSN:
		if (t->on)
			insn(t, r);
		break;
	case FLOW_EXC:
		resolve(t, r->isa);
		if (!t->on || t->blind || t->reason)
			break;
		if (t->run.n)
			waypoint(t);
		vector = r->next ? (uint32_t)r->next : 0xffff0000u + 4 * rng_below(&t->rng, 8);
		branch(t, NULL, vector, r->next ? t->c->prog.kernel_isa : rng_below(&t->rng, 2),
		       t->o->live ? r->num : exception_number(t), (uint32_t)r->pc);
		break;
	case FLOW_CONTEXT:
		resolve(t, r->isa);
		if (t->tid == r->tid)
			break;
		t->tid = r->tid;
		if (!t->o->cid_bytes || !bytes_sent(t) || !t->on || t->blind || t->reason)
			break;
		begin(t);
		put(t, 0x6e);
		put_tid(t);
		context(t);
		break;
	case FLOW_OFF:
		resolve(t, r->isa);
		flush(t);
		t->on = 0;
		break;
	case FLOW_ON:
		if (t->blind)
			t->blind = 0;
		t->on = 1;
		t->reason = t->reason == 2 ? 2 : chance(t, 800) ? 1 : 3;
		t->run.n = 0;
		break;
	default:
		break;
	}
}

/* ---- cases ------------------------------------------------------------------------------------- */

/* usually 0, sometimes small, rarely large */
static uint16_t rate(struct rng *r, unsigned int percent, uint32_t small, uint32_t large)
{
	if (!rng_pm(r, percent * 10))
		return 0;
	return (uint16_t)(rng_pm(r, 250) ? rng_range(r, small, large) : rng_range(r, 1, small));
}

static void draw(struct ptm_case *c)
{
	static const uint8_t sizes[] = { 0, 1, 2, 4, 4 };
	struct ptm_opts *o = &c->opts;
	struct prog_opts *p = &c->prog;
	struct rng r;

	rng_seed(&r, c->seed * 0x9e3779b1u + 5);
	o->seed = rng_next(&r);
	o->minor = (uint8_t)rng_below(&r, 2);
	o->trace_id = (uint8_t)rng_range(&r, 1, 0x6f);
	o->cid_bytes = sizes[rng_below(&r, 5)];
	o->vmid = (uint8_t)rng_pm(&r, 300);
	o->ts = (uint8_t)rng_pm(&r, 600);
	o->ts64 = (uint8_t)(o->minor && rng_pm(&r, 500));
	o->ts_gray = (uint8_t)(!o->minor || rng_pm(&r, 400));
	o->cycles = (uint8_t)rng_pm(&r, 500);
	o->broadcast = (uint8_t)rng_pm(&r, 250);
	o->barriers = (uint8_t)rng_pm(&r, 400);
	o->stack = rng_pm(&r, 600) ? (uint8_t)rng_range(&r, 1, STACK_MAX) : 0;
	o->sync_every = rng_pm(&r, 600) ? rng_range(&r, 20, 1000) : 0;
	o->p_flush = rate(&r, 50, 100, 900);
	o->p_long = rate(&r, 50, 100, 900);
	o->p_broadcast = (uint16_t)rng_below(&r, 1001);
	o->p_state = rate(&r, 40, 50, 500);
	o->p_waypoint = rate(&r, 40, 30, 300);
	o->p_ts = rate(&r, 80, 50, 300);
	o->p_trigger = rate(&r, 30, 20, 100);
	o->p_ignore = rate(&r, 30, 20, 100);
	o->p_vmid = rate(&r, 50, 20, 100);
	o->p_overflow = rate(&r, 25, 5, 30);

	prog_opts_init(p);
	p->seed = rng_next(&r);
	p->user_isas = (uint8_t)rng_range(&r, 1, 3);
	p->kernel_isa = (uint8_t)rng_below(&r, 2);
	p->ia32 = 1;
	p->kernel_traced = (uint8_t)rng_pm(&r, 500);
	p->newest = (uint8_t)rng_pm(&r, 300);
	p->threads = o->cid_bytes && rng_pm(&r, 400) ? (uint8_t)rng_range(&r, 2, 3) : 1;
	p->first_tid = o->cid_bytes == 1 ? 7 : (uint32_t)rng_range(&r, 1, 60000);
	p->sections = (uint8_t)rng_range(&r, 1, 3);
	p->section_insns = (uint16_t)rng_range(&r, 10, 220);
	p->p_irq = rate(&r, 70, 10, 60);
	p->p_trap = rate(&r, 40, 4, 30);
	p->p_off = rate(&r, 30, 4, 30);
	c->insns = rng_pm(&r, 100) ? rng_range(&r, 1000, 5000) : rng_range(&r, 200, 1200);
}

static void set_regs(struct ptm_case *c)
{
	static const uint8_t cid_field[5] = { 0, 1, 2, 0, 3 };
	const struct ptm_opts *o = &c->opts;

	c->regs.cr = (uint32_t)o->broadcast << 8 | (uint32_t)o->cycles << 12 |
		     (uint32_t)cid_field[o->cid_bytes] << 14 | (uint32_t)o->ts << 28 |
		     (o->stack ? 1u << 29 : 0) | (uint32_t)o->vmid << 30;
	c->regs.ccer = 1u << 22 | 1u << 23 | (uint32_t)o->barriers << 24 | (uint32_t)o->vmid << 26 |
		       (o->minor && !o->ts_gray ? 1u << 28 : 0) | (uint32_t)o->ts64 << 29;
	c->regs.idr = 0x411cf300 | (uint32_t)o->minor << 4;
	c->regs.traceidr = o->trace_id;
}

void ptm_case_new(uint64_t seed, struct ptm_case *c)
{
	struct ptm_tu t = { .c = c, .o = &c->opts, .on = 1, .reason = 1 };

	memset(c, 0, sizeof(*c));
	c->seed = seed;
	draw(c);
	set_regs(c);
	c->program = prog_new(&c->prog);
	c->nregions = prog_regions(c->program, &c->regions);
	rng_seed(&t.rng, c->opts.seed);
	t.sec = 1;
	t.tick = rng_next(&t.rng) >> rng_range(&t.rng, 16, 63);
	prog_run(c->program, c->insns, flow, &t);
	/* a branch whose target nobody has seen is not traced */
	flush(&t);
	event(&t, GEN_END);
}

void ptm_case_free(struct ptm_case *c)
{
	prog_free(c->program);
	gbuf_free(&c->trace);
	free(c->events);
	free(c->packets.v);
	free(c->syncs.v);
	memset(c, 0, sizeof(*c));
}

/* ---- recordings ---------------------------------------------------------------------------------- */

struct ptm_tu *ptm_unit_new(struct ptm_case *c)
{
	struct ptm_tu *t = gen_realloc(NULL, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->c = c;
	t->o = &c->opts;
	t->sec = 1;
	t->on = t->reason = 1;
	rng_seed(&t->rng, c->opts.seed);
	set_regs(c);
	return t;
}

void ptm_unit_flow(struct ptm_tu *t, const struct flow_rec *r)
{
	if (r->kind == FLOW_INSN && r->aux)
		t->now = r->aux;
	flow(t, r);
}

void ptm_unit_stop(struct ptm_tu *t)
{
	flush(t);
	t->on = t->reason = 1;
	t->pending = t->blind = 0;
	t->syncs = 0;
	t->run.n = 0;
}

void ptm_unit_taken(struct ptm_tu *t)
{
	t->taken += t->c->trace.len;
	t->c->trace.len = 0;
	t->c->nevents = 0;
}
