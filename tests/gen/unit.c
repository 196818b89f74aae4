/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.c - trace units of recordings: those of Armv7 fed as those of Armv8 are. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "etmv3_enc.h"
#include "ptm_enc.h"

#define CHUNK 4096
#define STACK_ENTRIES 8
#define TS_EVERY 50	/* per mille of the places for a timestamp, where nothing else is said */

struct unit {
	struct tu_sink sink;
	enum tu_v7 v7;
	struct tu *tu;
	/* Armv7 */
	struct etmv3_case etmv3;
	struct tu3 *etmv3_unit;
	struct ptm_case ptm;
	struct ptm_tu *ptm_unit;
	struct tu_stats stats;
	uint64_t ticks;
	uint32_t tid;
	uint32_t (*contextidr)(void *ctx, uint32_t tid);
	void *ctx;
	int running;
	/* an instruction, whose successor's instruction set is not known yet */
	struct flow_rec held;
	int holds;
};

static uint16_t ts_rate(const struct tu_opts *o)
{
	return o->ts_every ? (uint16_t)(1000 / o->ts_every) : TS_EVERY;
}

static void etmv3_options(const struct tu_opts *t, struct etmv3_case *c)
{
	memset(c, 0, sizeof(*c));
	c->regs.traceidr = t->trace_id;
	c->opts = (struct etmv3_opts){
		.seed = t->seed, .minor = 5, .alt = t->ts48, .cid_bytes = t->cid ? 4 : 0, .ts = t->ts,
		.ts64 = !t->ts48, .ts_gray = t->ts48, .cycles = t->cci, .broadcast = t->bb, .live = 1,
		.sync_every = t->sync_every, .p_flush = t->p_atom, .p_long = t->p_addr_form, .p_ts = ts_rate(t),
		.p_aside = (uint16_t)(t->p_event + t->p_ignore), .p_overflow = t->p_ovf,
		.p_cancel = t->p_phantom, .p_twice = t->p_addr_more,
	};
}

static void ptm_options(const struct tu_opts *t, struct ptm_case *c)
{
	memset(c, 0, sizeof(*c));
	c->opts = (struct ptm_opts){
		.seed = t->seed, .minor = !t->ts48, .trace_id = t->trace_id, .cid_bytes = t->cid ? 4 : 0,
		.ts = t->ts, .ts64 = !t->ts48, .ts_gray = t->ts48, .cycles = t->cci, .broadcast = t->bb, .live = 1,
		.stack = t->retstack ? STACK_ENTRIES : 0, .sync_every = t->sync_every, .p_flush = t->p_atom,
		.p_long = t->p_addr_form, .p_broadcast = t->p_bb, .p_waypoint = t->p_addr_more,
		.p_ts = ts_rate(t), .p_trigger = t->p_event, .p_ignore = t->p_ignore, .p_overflow = t->p_ovf,
	};
}

struct unit *unit_new(const struct tu_opts *o, const struct tu_sink *sink)
{
	struct unit *u = gen_realloc(NULL, sizeof(*u));

	memset(u, 0, sizeof(*u));
	u->sink = *sink;
	u->v7 = o->v7;
	u->ticks = o->first_tick;
	u->contextidr = o->contextidr;
	u->ctx = o->ctx;
	switch (u->v7) {
	case TU_ETMV3:
		etmv3_options(o, &u->etmv3);
		u->etmv3_unit = etmv3_unit_new(&u->etmv3);
		break;
	case TU_PTM:
		ptm_options(o, &u->ptm);
		u->ptm_unit = ptm_unit_new(&u->ptm);
		break;
	default:
		u->tu = tu_new(o, sink);
	}
	return u;
}

void unit_free(struct unit *u)
{
	tu_free(u->tu);
	free(u->etmv3_unit);
	free(u->ptm_unit);
	gbuf_free(&u->etmv3.trace);
	gbuf_free(&u->ptm.trace);
	free(u->etmv3.events);
	free(u->ptm.events);
	free(u);
}

void unit_get_regs(const struct tu_opts *o, struct tu_regs *r)
{
	const struct tu_sink none = { 0 };
	struct unit *u;

	if (!o->v7) {
		tu_get_regs(o, r);
		return;
	}
	u = unit_new(o, &none);
	memset(r, 0, sizeof(*r));
	r->v7 = o->v7;
	r->traceidr = o->trace_id;
	r->cr = o->v7 == TU_PTM ? u->ptm.regs.cr : u->etmv3.regs.cr;
	r->ccer = o->v7 == TU_PTM ? u->ptm.regs.ccer : u->etmv3.regs.ccer;
	r->idr = o->v7 == TU_PTM ? u->ptm.regs.idr : u->etmv3.regs.idr;
	unit_free(u);
}

/* ---- results ----------------------------------------------------------------------------------- */

static void tell(struct unit *u, const struct gen_event *e)
{
	struct gen_event lost = { .kind = GEN_OVERFLOW };

	if (e->kind == GEN_TRACE_ON && e->num == 1) {
		u->stats.overflows++;
		/* An ETMv3 may have lost that the last instruction was cancelled. Of a PTM, what was sent has happened. */
		if (u->v7 == TU_ETMV3)
			u->sink.event(u->sink.ctx, &lost);
	}
	if (e->kind == GEN_EXCEPTION)
		u->stats.excs++;
	u->sink.event(u->sink.ctx, e);
}

/* An event of an ETMv3 as the other trace units tell it; 0: they have none. */
static int translate(const struct unit *u, const struct etmv3_event *e, struct gen_event *g)
{
	static const uint8_t kinds[] = {
		[EV3_RANGE] = GEN_RANGE, [EV3_CONTEXT] = GEN_CONTEXT, [EV3_TRACE_ON] = GEN_TRACE_ON,
		[EV3_EXCEPTION] = GEN_EXCEPTION, [EV3_EXC_RETURN] = GEN_EXC_RETURN,
		[EV3_TIMESTAMP] = GEN_TIMESTAMP, [EV3_CYCLES] = GEN_CYCLES, [EV3_TRIGGER] = GEN_EVENTS,
	};

	memset(g, 0, sizeof(*g));
	if (e->kind >= sizeof(kinds) || !kinds[e->kind])
		return 0;
	g->kind = kinds[e->kind];
	g->isa = e->isa;
	g->atom = e->atom;
	g->klass = e->klass;
	g->iflags = e->iflags;
	g->el = e->el;
	g->sec = e->sec;
	g->num = e->num;
	g->tid = e->tid;
	g->thread = u->tid;
	g->vmid = e->vmid;
	g->start = g->last_pc = e->a;
	g->end = e->b;
	g->size = (uint8_t)(e->b - e->a);
	g->n = 1;
	g->next = e->next;
	g->value = e->kind == EV3_TIMESTAMP ? e->a : e->cc;
	return 1;
}

/* What the unit has made goes to the session. */
static void hand_over(struct unit *u)
{
	const struct gbuf *bytes = u->v7 == TU_PTM ? &u->ptm.trace : &u->etmv3.trace;
	struct gen_event g;
	size_t i;

	for (i = 0; i < u->etmv3.nevents; i++)
		if (translate(u, &u->etmv3.events[i], &g))
			tell(u, &g);
	for (i = 0; i < u->ptm.nevents; i++) {
		u->ptm.events[i].thread = u->tid;
		tell(u, &u->ptm.events[i]);
	}
	u->stats.bytes += bytes->len;
	if (bytes->len)
		u->sink.bytes(u->sink.ctx, bytes->p, bytes->len);
	if (u->v7 == TU_PTM)
		ptm_unit_taken(u->ptm_unit);
	else
		etmv3_unit_taken(u->etmv3_unit);
}

/* ---- the flow ---------------------------------------------------------------------------------- */

static void feed(struct unit *u, const struct flow_rec *r)
{
	if (u->v7 == TU_PTM)
		ptm_unit_flow(u->ptm_unit, r);
	else
		etmv3_unit_flow(u->etmv3_unit, r);
}

static void release(struct unit *u, uint8_t isa)
{
	if (!u->holds)
		return;
	u->holds = 0;
	u->held.num = isa;
	feed(u, &u->held);
}

/* The numbers of Armv7's exceptions for those of Armv8. */
static uint32_t exception_number(uint32_t num)
{
	static const uint8_t v7[16] = {
		[0] = 8, [1] = 1, [2] = 10, [3] = 9, [4] = 4, [6] = 11, [7] = 12, [10] = 12, [11] = 11, [12] = 12,
		[14] = 14, [15] = 15,
	};

	return num < sizeof(v7) && v7[num] ? v7[num] : 13;
}

static void thread(struct unit *u, const struct flow_rec *r)
{
	struct flow_rec c = { .kind = FLOW_CONTEXT, .isa = r->isa, .sec = r->sec };

	c.tid = u->contextidr ? u->contextidr(u->ctx, r->tid) : r->tid;

	release(u, r->isa);
	hand_over(u);
	u->tid = r->tid;
	feed(u, &c);
}

static void flow_v7(struct unit *u, const struct flow_rec *r)
{
	struct flow_rec exc = *r;

	switch (r->kind) {
	case FLOW_INSN:
		if (r->tid != u->tid)
			thread(u, r);
		release(u, r->isa);
		u->held = *r;
		u->holds = 1;
		u->stats.insns++;
		if (r->aux)
			u->ticks = r->aux;
		break;
	case FLOW_EXC:
		release(u, r->isa);
		exc.num = exception_number(r->num);
		feed(u, &exc);
		break;
	case FLOW_CONTEXT:
		thread(u, r);
		break;
	case FLOW_ON:
	case FLOW_OFF:
		release(u, u->held.isa);
		feed(u, r);
		break;
	default:
		break;
	}
	if (u->ptm.trace.len + u->etmv3.trace.len >= CHUNK)
		hand_over(u);
}

void unit_flow(struct unit *u, const struct flow_rec *r)
{
	if (u->tu)
		tu_flow(u->tu, r);
	else if (u->running)
		flow_v7(u, r);
}

void unit_start(struct unit *u)
{
	const struct gen_event begin = { .kind = GEN_FRAGMENT };

	if (u->tu) {
		tu_start(u->tu);
		return;
	}
	u->running = 1;
	u->sink.event(u->sink.ctx, &begin);
}

void unit_stop(struct unit *u)
{
	const struct gen_event end = { .kind = GEN_END };

	if (u->tu) {
		tu_stop(u->tu);
		return;
	}
	if (!u->running)
		return;
	release(u, u->held.isa);
	if (u->v7 == TU_PTM)
		ptm_unit_stop(u->ptm_unit);
	else
		etmv3_unit_stop(u->etmv3_unit);
	hand_over(u);
	u->running = 0;
	u->sink.event(u->sink.ctx, &end);
}

void unit_flush(struct unit *u)
{
	if (u->tu)
		tu_flush(u->tu);
	else
		hand_over(u);
}

void unit_set_ticks(struct unit *u, uint64_t ticks)
{
	if (u->tu)
		tu_set_ticks(u->tu, ticks);
	else
		u->ticks = ticks;
}

uint64_t unit_ticks(const struct unit *u)
{
	return u->tu ? tu_ticks(u->tu) : u->ticks;
}

const struct tu_stats *unit_stats(const struct unit *u)
{
	return u->tu ? tu_stats(u->tu) : &u->stats;
}
