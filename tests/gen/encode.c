/* SPDX-License-Identifier: BSD-3-Clause */
/* encode.c - the trace unit: what each record of the flow means to it. */
#include "encode.h"

#include <stdlib.h>
#include <string.h>

#include "encode_int.h"

#define OUT_CHUNK 4096
#define Q_LIMIT 400	/* instructions in one Q element */

void tu_opts_init(struct tu_opts *o)
{
	memset(o, 0, sizeof(*o));
	o->minor = 2;
	o->trace_id = 0x10;
	o->vmid_bytes = 4;
	o->commopt = 1;
	o->ccsize = 12;
	o->nevents = 4;
	o->cid = 1;
	o->ts = 1;
	o->retstack = 1;
	o->cc_threshold = 256;
	o->first_tick = 100;
	o->p_bb = 1000;
	o->p_cc = 1000;
	o->p_commit = 250;
	o->p_off_commit = 1000;
}

void tu_get_regs(const struct tu_opts *o, struct tu_regs *r)
{
	uint32_t vsize = o->vmid_bytes;	/* 1, 2, 4 bytes are coded as themselves */

	memset(r, 0, sizeof(*r));
	r->ete = o->ete;
	r->traceidr = o->trace_id;
	r->authstatus = 0xcc;
	r->configr = 1u | (uint32_t)(o->bb != 0) << 3 | (uint32_t)(o->cci != 0) << 4 |
		     (uint32_t)(o->cid != 0) << 6 | (uint32_t)(o->vmid != 0) << 7 |
		     (uint32_t)(o->ts != 0) << 11 | (uint32_t)(o->retstack != 0) << 12 |
		     (o->p_q ? (o->qsupp & 2 ? 3u : 1u) << 13 : 0) |
		     (uint32_t)(o->vmidopt != 0) << 15;
	r->idr0 = 1u | 1u << 5 | 1u << 7 | 1u << 9 | (uint32_t)(o->nevents - 1) << 10 |
		  (uint32_t)o->qsupp << 15 | (uint32_t)(o->ts48 && !o->ete ? 6 : 8) << 24 |
		  (uint32_t)(o->commopt != 0) << 29 | (uint32_t)(o->comm_trans != 0) << 30 |
		  (uint32_t)(o->ite != 0) << 22 | (uint32_t)(o->tsmark != 0) << 23;
	r->configr |= (uint32_t)o->load_p0 << 1 | (uint32_t)o->store_p0 << 2 | (uint32_t)o->cond_mode << 8;
	if (o->load_p0 | o->store_p0)
		r->idr0 |= 3u << 1;
	if (o->cond_mode) {
		r->idr0 |= 1u << 6 | (uint32_t)o->cond_flags << 12;
		r->idr13 = 4;
		r->idr12 = o->cond_keys + r->idr13;
	}
	r->idr1 = o->ete ? 0x4100fff0u : 0x4100f400u | (uint32_t)o->minor << 4;
	r->idr2 = (o->ia32 ? 4u : 8u) | 4u << 5 | vsize << 10 | (uint32_t)(o->ccsize - 12) << 25 |
		  (uint32_t)(o->wfxmode != 0) << 31;
	r->idr8 = o->maxspec;
	if (o->ete)
		r->devarch = 0x47705a13u | (uint32_t)o->minor << 16;
}

struct tu *tu_new(const struct tu_opts *o, const struct tu_sink *sink)
{
	struct tu *t = gen_realloc(NULL, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->o = *o;
	t->sink = *sink;
	t->ticks = o->first_tick;
	rng_seed(&t->rng, o->seed);
	return t;
}

void tu_free(struct tu *t)
{
	if (!t)
		return;
	gbuf_free(&t->out);
	free(t->q);
	free(t->txev);
	free(t);
}

const struct tu_stats *tu_stats(const struct tu *t)
{
	return &t->st;
}

void tu_set_ticks(struct tu *t, uint64_t ticks)
{
	if (ticks > t->ticks)
		t->ticks = ticks;
}

uint64_t tu_ticks(const struct tu *t)
{
	return t->ticks;
}

void tu_flush(struct tu *t)
{
	if (t->out.len)
		t->sink.bytes(t->sink.ctx, t->out.p, t->out.len);
	t->off += t->out.len;
	t->st.bytes += t->out.len;
	t->out.len = 0;
}

void tu_start(struct tu *t)
{
	struct gen_event ev = { .kind = GEN_FRAGMENT };

	t->running = 1;
	t->on = 1;
	t->off = 0;
	t->sync_mark = 0;
	t->owe_sync = 1;
	t->owe_on = 1;
	t->expect_valid = 0;
	t->range_n = 0;
	t->lost_left = 0;
	t->marker_seen = 0;
	t->cc_unknown = 0;
	t->ind_pending = t->bb_pending = t->br_tgt_ok = t->told = 0;
	memset(&t->v, 0, sizeof(t->v));
	tu_rs_clear(t);
	t->sink.event(t->sink.ctx, &ev);
}

static int is_p0(const struct tu *t, const struct flow_rec *r)
{
	switch (r->klass) {
	case FLOW_DIRECT:
	case FLOW_INDIRECT:
	case FLOW_ISB:
	case FLOW_TSTART:
		return 1;
	case FLOW_WFX:
		return t->o.wfxmode && (t->o.ete || t->o.minor >= 3);
	case FLOW_LOAD:
		return t->o.load_p0;
	case FLOW_STORE:
		return t->o.store_p0;
	default:
		return 0;
	}
}

/* execution leaves the traced stretch: the instructions since the last P0 element stay unknown */
static void drop_range(struct tu *t)
{
	t->range_n = 0;
	t->ncp = 0;
	t->it_seen = 0;
	t->q_on = 0;
	t->q_n = 0;
	t->ind_pending = t->bb_pending = t->br_tgt_ok = 0;
	t->expect_valid = 0;
}

static void trace_off(struct tu *t)
{
	const struct tu_opts *o = &t->o;

	if (!t->on)
		return;
	t->on = 0;
	if (t->lost_left) {
		t->lost_left = 0;
		drop_range(t);
		return;
	}
	tu_src_flush(t);
	if (!t->owe_on) {
		t->told = t->at_cur && t->br_tgt_ok && !t->ind_pending && t->v.addr_ok &&
			  !t->v.pop_pending;
		t->told_addr = t->cur.addr;
	}
	drop_range(t);
	if (t->owe_sync)
		return;
	if (t->in_tx)
		tu_tx_fail(t);
	if (rng_pm(&t->rng, o->p_disc)) {
		tu_discard(t);
	} else if (rng_pm(&t->rng, o->p_off_commit)) {
		tu_begin(t);
		if (t->depth)
			tu_commit_packet(t, t->depth);
	}
	t->owe_on = 1;
}

void tu_stop(struct tu *t)
{
	struct gen_event ev = { .kind = GEN_END };

	if (!t->running)
		return;
	trace_off(t);
	tu_begin(t);
	tu_drain(t);
	tu_cond_lose(t);
	tu_flush(t);
	t->running = 0;
	t->sink.event(t->sink.ctx, &ev);
}

static void start_overflow(struct tu *t)
{
	tu_src_flush(t);
	if (t->depth && rng_below(&t->rng, 2))
		tu_commit_policy(t);
	tu_overflow(t);
	t->lost_left = rng_range(&t->rng, 1, 20);
	drop_range(t);
}

/* 1: the instruction is lost */
static int begin_range(struct tu *t, const struct flow_rec *r)
{
	if (t->owe_sync) {
		tu_sync(t);
		t->owe_sync = 0;
		/* context and address follow the Trace On */
		t->v.soft = 0;
		t->v.rs_block = 0;
	} else if (rng_pm(&t->rng, t->o.p_ovf)) {
		start_overflow(t);
		return 1;
	}
	tu_boundary(t, r);
	t->range_start = r->pc;
	t->range_isa = r->isa;
	return 0;
}

static void q_insn(struct tu *t, const struct flow_rec *r)
{
	t->q_n++;
	t->q_last = *r;
	if (r->klass == FLOW_DIRECT || r->klass == FLOW_INDIRECT) {
		if (!t->q_first_br)
			t->q_first_br = t->q_n;
		t->q_left--;
	}
}

static int q_must_close(struct tu *t, const struct flow_rec *r)
{
	struct tu_ctx c;

	if (!t->q_left || t->q_n >= Q_LIMIT || r->klass >= FLOW_ISB || r->flags & FLOW_ERET)
		return 1;
	tu_want_ctx(t, r, &c);
	return !tu_same_ctx(&c, &t->q_ctx);
}

static void time_passes(struct tu *t, const struct flow_rec *r)
{
	uint32_t step = t->o.ticks_per_insn ? t->o.ticks_per_insn : rng_below(&t->rng, 4);

	if (r->aux)
		tu_set_ticks(t, r->aux);
	else
		t->ticks += step;
	t->cycles += 1 + rng_below(&t->rng, 3);
}

static void flow_insn(struct tu *t, const struct flow_rec *r)
{
	if (t->expect_valid && r->pc != t->expect) {
		/* the flow jumps: something was executed that is not in it */
		trace_off(t);
		t->on = 1;
	}
	t->expect = r->next;
	t->expect_valid = 1;
	if (t->lost_left) {
		if (is_p0(t, r))
			t->lost_left--;
		return;
	}
	t->st.insns++;
	if (t->q_on && q_must_close(t, r))
		tu_q_close(t, r->pc, r->isa);
	if (t->q_on) {
		q_insn(t, r);
		return;
	}
	if (!t->range_n && begin_range(t, r))
		return;
	if (t->q_on && !q_must_close(t, r)) {
		q_insn(t, r);
		return;
	}
	t->q_on = 0;
	t->range_n++;
	t->last_pc = r->pc;
	tu_cond_insn(t, r);
	if (!is_p0(t, r))
		return;
	tu_branch(t, r);
	t->it_seen = !t->it_torn && !(r->flags & FLOW_ERET && r->flags & FLOW_TAKEN);
	t->range_n = 0;
}

static void flow_exception(struct tu *t, const struct flow_rec *r)
{
	t->expect = r->next;
	t->expect_valid = r->next != 0;
	if (t->lost_left || t->owe_sync)
		return;
	if (t->q_on)
		tu_q_close(t, r->pc, r->isa);
	tu_src_flush(t);
	if (!t->range_n) {
		/* an exception as the very first thing after tracing began is not traced */
		if (t->owe_on)
			return;
		tu_boundary(t, r);
	} else if (tu_may_speculate(t) && !t->owe_on && rng_pm(&t->rng, t->o.p_phantom)) {
		tu_phantom(t, r);
	}
	tu_exception(t, r);
}

void tu_flow(struct tu *t, const struct flow_rec *r)
{
	if (!t->running)
		return;
	switch (r->kind) {
	case FLOW_INSN:
		if (!t->on)
			break;
		t->thread = r->tid;
		time_passes(t, r);
		flow_insn(t, r);
		break;
	case FLOW_EXC:
		if (t->on)
			flow_exception(t, r);
		break;
	case FLOW_OFF:
		trace_off(t);
		break;
	case FLOW_ON:
		t->on = 1;
		t->expect_valid = 0;
		break;
	case FLOW_TCOMMIT:
		t->pe_tx = 0;
		if (!t->on || t->lost_left)
			break;
		if (t->q_on)
			tu_q_close(t, r->pc, r->isa);
		tu_src_flush(t);
		tu_tx_commit(t);
		break;
	case FLOW_TFAIL:
		t->pe_tx = 0;
		t->expect = r->next;
		if (!t->on || t->lost_left)
			break;
		tu_src_flush(t);
		t->q_on = 0;
		t->q_n = 0;
		tu_tx_fail(t);
		break;
	default:
		break;
	}
	if (t->out.len >= OUT_CHUNK)
		tu_flush(t);
}
