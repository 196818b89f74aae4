/* SPDX-License-Identifier: BSD-3-Clause */
/* encode_p0.c - P0 elements: atoms, Source Address, Q, exceptions, transactions. */
#include <string.h>

#include "encode_int.h"

#define EXC_RESET 0x00
#define EXC_TX_FAIL 0x18

/* any P0 element makes the analyzer take its pending return address */
void tu_p0_begin(struct tu *t)
{
	if (t->v.pop_pending && t->v.rsn)
		t->v.rsn--;
	t->v.pop_pending = 0;
}

void tu_rs_clear(struct tu *t)
{
	t->v.rsn = 0;
	t->v.rs_first = 1;
}

void tu_rs_push(struct tu *t, uint64_t addr, uint8_t isa)
{
	/*
	 * Right after Trace On and Trace Info analyzers differ in what they push. An entry the
	 * model does not have costs nothing but an address packet.
	 */
	if (!t->o.retstack || t->o.bb || t->v.rs_block || t->v.rs_first)
		return;
	if (t->v.rsn == TU_RS_DEPTH) {
		memmove(t->v.rs, t->v.rs + 1, (TU_RS_DEPTH - 1) * sizeof(t->v.rs[0]));
		t->v.rsn--;
	}
	t->v.rs[t->v.rsn].addr = addr;
	t->v.rs[t->v.rsn++].isa = isa;
}

void tu_range_item(struct tu *t, const struct flow_rec *r, struct tu_item *it, char atom)
{
	struct gen_event *ev = &tu_item_new(it, GEN_RANGE)->ev;

	ev->start = t->range_start;
	ev->end = r->pc + r->size;
	ev->n = t->range_n;
	ev->isa = t->range_isa;
	ev->atom = atom;
	ev->next = r->next;
	ev->last_pc = r->pc;
	ev->klass = r->klass;
	ev->iflags = r->flags;
	ev->size = r->size;
	ev->thread = r->tid;
	ev->cc = (uint32_t)atom;
	tu_context_of(t, ev);
	/* before context and address are known an analyzer cannot follow */
	if (!t->v.ctx_ok || !t->v.addr_ok || t->v.blind)
		ev->kind = GEN_NONE;
}

/* what comes next would tell a blind analyzer something: let it see first */
static void see(struct tu *t)
{
	if (t->v.blind)
		t->v.soft_left = 0;
}

static void after_taken(struct tu *t, const struct flow_rec *r)
{
	if (r->klass == FLOW_INDIRECT) {
		t->ind_pending = 1;
		t->ind_link = (r->flags & FLOW_LINK) != 0;
	} else if (r->klass == FLOW_DIRECT && t->o.bb && rng_pm(&t->rng, t->o.p_bb)) {
		t->bb_pending = 1;
	}
}

void tu_src_flush(struct tu *t)
{
	uint32_t i;

	for (i = 0; i < t->nsrc; i++) {
		t->src[i].ev.flags &= ~(uint32_t)GEN_F_SRC;
		tu_p0_begin(t);
		tu_atom(t, &t->src[i]);
		t->v.rs_first = 0;
	}
	t->nsrc = 0;
	t->src_on = 0;
}

static void source_address(struct tu *t, const struct flow_rec *r, struct tu_item *it)
{
	uint32_t i;

	tu_p0_begin(t);
	tu_begin(t);
	tu_source_bytes(t, r->pc, r->isa);
	for (i = 0; i < t->nsrc; i++) {
		t->src[i].p0 = 0;
		t->src[i].ev.cc = 0;
		tu_push(t, &t->src[i]);
	}
	it->p0 = 1;
	it->ev.cc = 0;
	it->ev.flags |= GEN_F_SRC;
	tu_push(t, it);
	t->nsrc = 0;
	t->src_on = 0;
	t->st.src++;
}

void tu_tx_start(struct tu *t)
{
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, 0x0a);
	tu_item_new(&it, GEN_TX_START)->p0 = !t->o.comm_trans;
	tu_push(t, &it);
	t->in_tx = 1;
	t->tx_ctx = t->v.ctx;
	t->tx_ctx_ok = t->v.ctx_ok;
}

/* after the atom of the return; a P0 element of the M profile */
static void exception_return(struct tu *t)
{
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, 0x07);
	tu_item_new(&it, GEN_EXC_RETURN)->p0 = t->o.mprofile;
	tu_context_of(t, &it.ev);
	tu_push(t, &it);
}

/* the return went to where the other security state was called from: no return address is compared */
static void function_return(struct tu *t)
{
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, 0x05);
	tu_item_new(&it, GEN_NONE)->p0 = 1;
	tu_push(t, &it);
	t->ind_link = 1;
}

/* the instruction r is a P0 element and ends the range */
void tu_branch(struct tu *t, const struct flow_rec *r)
{
	int taken = (r->flags & FLOW_TAKEN) != 0 || (r->klass >= FLOW_ISB && r->klass < FLOW_LOAD);
	int branch = r->klass == FLOW_DIRECT || r->klass == FLOW_INDIRECT;
	struct tu_item it;
	struct tu_ctx c;

	t->at_cur = 0;
	tu_want_ctx(t, r, &c);
	if (t->nsrc && (!branch || !tu_same_ctx(&c, &t->src_ctx)))
		tu_src_flush(t);
	if (r->flags & FLOW_ERET || r->klass == FLOW_TSTART)
		see(t);
	if (!t->nsrc)
		tu_settle(t, &c);
	tu_cond_send(t);
	tu_range_item(t, r, &it, taken ? 'E' : 'N');
	if (!t->nsrc)
		t->src_on = branch && t->o.ete && rng_pm(&t->rng, t->o.p_src);
	if (t->src_on && !taken) {
		it.ev.flags |= GEN_F_SRC;
		t->src_ctx = c;
		t->src[t->nsrc++] = it;
		if (t->nsrc == TU_SRC_MAX)
			tu_src_flush(t);
		t->br_tgt_ok = 0;
		t->p0_since_ts++;
		return;
	}
	if (t->src_on) {
		source_address(t, r, &it);
		if (r->flags & FLOW_LINK)
			tu_rs_push(t, r->pc + r->size, r->isa);
	} else if (r->flags & FLOW_COND && branch && tu_may_speculate(t) &&
		   rng_pm(&t->rng, t->o.p_mispredict)) {
		tu_mispredicted(t, r, &it);
	} else {
		tu_p0_begin(t);
		tu_atom(t, &it);
		if (taken && r->flags & FLOW_LINK)
			tu_rs_push(t, r->pc + r->size, r->isa);
	}
	t->v.rs_first = 0;
	if (taken && branch)
		after_taken(t, r);
	t->br_tgt_ok = taken && branch;
	if (r->klass == FLOW_ISB && t->o.ts_context)
		t->ts_due = 1;
	if (taken && r->flags & FLOW_ERET && !t->o.ete)
		exception_return(t);
	else if (taken && r->flags & FLOW_RET && t->o.mprofile && t->o.minor >= 2 &&
		 rng_pm(&t->rng, t->o.p_fret))
		function_return(t);
	if (r->klass == FLOW_TSTART) {
		t->pe_tx = 1;
		if (!t->in_tx)
			tu_tx_start(t);
	}
	t->p0_since_ts++;
	tu_commit_policy(t);
}

/* execution goes on at next: the instructions of the Q element are complete */
void tu_q_close(struct tu *t, uint64_t next, uint8_t isa)
{
	const struct flow_rec *r = &t->q_last;
	int counted = t->o.qsupp & 1, exact, t32 = isa == FLOW_T32, form = 0;
	struct tu_item it;

	t->q_on = 0;
	if (!t->q_n)
		return;
	see(t);
	tu_settle(t, &t->q_ctx);
	if (counted && t->o.qsupp & 2)
		counted = rng_below(&t->rng, 4) != 0;
	t->range_start = t->q_start;
	t->range_isa = t->q_isa;
	t->range_n = t->q_n;
	tu_range_item(t, r, &it, 'Q');
	it.ev.next = next;
	it.ev.cc = 0;
	it.p0 = 1;
	if (!counted || (t->q_first_br && t->q_first_br != t->q_n) ||
	    (!t->q_first_br && it.ev.end != next)) {
		if (it.ev.kind != GEN_NONE)
			it.ev.kind = GEN_NOPATH;
		if (!counted)
			it.ev.n = 0;
	}
	tu_p0_begin(t);
	tu_begin(t);
	exact = tu_hist_find(t, next, isa);
	if (!counted)
		form = 0xf;
	else if (exact >= 0 && rng_below(&t->rng, 4))
		form = exact;
	else if (tu_short_ok(t, next, isa) && rng_below(&t->rng, 4))
		form = 5 + t32;
	else if (tu_long32_ok(t, next) && rng_below(&t->rng, 4))
		form = 0xa + t32;
	else
		form = 0xc;
	if (form >= 0xc)
		it.ev.flags |= GEN_F_Q_LATE;
	gbuf_u8(&t->out, 0xa0 | (unsigned int)form);
	if (form == 5 || form == 6)
		tu_short_payload(t, next, isa);
	else if (form == 0xa || form == 0xb)
		tu_long_payload(t, next, isa, 4);
	if (counted)
		tu_uleb(t, t->q_n);
	if (form < 0xc)
		tu_hist_push(t, next, isa);
	tu_push(t, &it);
	if (form >= 0xc) {
		tu_address(t, next, isa);
	} else {
		t->v.addr_ok = 1;
		t->v.pop_pending = 0;
		t->v.rs_block = 0;
	}
	/* calls inside it may or may not have been pushed by the analyzer */
	tu_rs_clear(t);
	t->v.rs_first = 0;
	t->range_n = 0;
	t->q_n = 0;
	t->br_tgt_ok = 0;
	t->st.q++;
	tu_commit_policy(t);
}

static void exception_header(struct tu *t, unsigned int e, uint32_t num)
{
	int two = num > 31 || (t->o.mprofile && rng_below(&t->rng, 4) == 0);

	tu_begin(t);
	gbuf_u8(&t->out, 0x06);
	gbuf_u8(&t->out, (e & 1) | (num & 31) << 1 | (e & 2) << 5 | (two ? 0x80 : 0));
	if (two)
		gbuf_u8(&t->out, num >> 5 & 31);
}

void tu_exception(struct tu *t, const struct flow_rec *r)
{
	struct tu_item it, range;
	struct tu_ctx c;
	int e10, reset = t->o.ete && r->num == EXC_RESET, chain = t->o.mprofile && r->pc == FLOW_TAIL_CHAIN;

	tu_want_ctx(t, r, &c);
	e10 = !t->range_n && t->br_tgt_ok && !t->owe_on && !reset && !t->v.soft && t->v.ctx_ok &&
	      rng_pm(&t->rng, t->o.p_e10);
	see(t);
	if (chain)
		e10 = (int)rng_below(&t->rng, 2);
	else if (!e10)
		tu_settle(t, &c);
	tu_cond_send(t);
	tu_item_new(&it, GEN_EXCEPTION)->p0 = 1;
	it.ev.num = (uint16_t)r->num;
	it.ev.start = r->pc;
	it.ev.isa = r->isa;
	it.ev.next = r->next;
	it.ev.thread = r->tid;
	if (!t->v.ctx_ok || (!t->v.addr_ok && !e10))
		it.ev.flags |= GEN_F_UNSYNCED;
	if (reset) {
		tu_p0_begin(t);
		exception_header(t, 1, EXC_RESET);
		gbuf_u8(&t->out, 0x70);
		tu_hist_push(t, 0, FLOW_A64);
		it.ev.start = 0;
		it.ev.flags |= GEN_F_NO_ADDR;
	} else if (chain) {
		it.ev.flags |= GEN_F_NO_ADDR | (e10 ? GEN_F_BR_TGT : 0);
		exception_header(t, e10 ? 2 : 1, r->num);
		tu_address_bytes(t, r->pc, r->isa);
	} else if (e10) {
		it.ev.flags |= GEN_F_BR_TGT;
		exception_header(t, 2, r->num);
		t->v.pop_pending = 0;
		if (!tu_same_ctx(&c, &t->v.ctx) || rng_pm(&t->rng, t->o.p_ctx_more)) {
			tu_address_context_bytes(t, r->pc, r->isa, &c, &range);
			tu_push(t, &range);
		} else {
			tu_address_bytes(t, r->pc, r->isa);
			t->v.rs_block = 0;
		}
	} else {
		tu_p0_begin(t);
		exception_header(t, 1, r->num);
		tu_address_bytes(t, r->pc, r->isa);
		if (t->range_n && r->pc > t->range_start) {
			struct flow_rec last = *r;

			last.pc = t->last_pc;
			last.size = (uint8_t)(r->pc - t->last_pc);
			last.next = r->pc;
			tu_range_item(t, &last, &range, '-');
			range.ev.klass = FLOW_OTHER;
			range.ev.iflags = 0;
			range.ev.cc = 0;
			tu_push(t, &range);
		}
	}
	tu_context_of(t, &it.ev);
	tu_push(t, &it);
	tu_cond_flush(t);
	t->v.addr_ok = 0;
	t->v.rs_first = 0;
	t->br_tgt_ok = 1;
	t->ind_pending = t->bb_pending = 0;
	t->range_n = 0;
	t->it_seen = 0;
	t->st.excs++;
	t->p0_since_ts++;
	tu_commit_policy(t);
}

static void commit_all(struct tu *t)
{
	tu_begin(t);
	if (t->depth)
		tu_commit_packet(t, t->depth);
}

void tu_tx_commit(struct tu *t)
{
	if (!t->in_tx)
		return;
	/* when its start is committed, the rest of the transaction may still be speculative */
	if (!t->tx_hold || rng_below(&t->rng, 2))
		commit_all(t);
	tu_simple(t, 0x0b, GEN_TX_COMMIT, 1);
	t->in_tx = 0;
}

/* execution goes back to the start of the transaction, whether the trace has told of it or not */
void tu_tx_fail(struct tu *t)
{
	struct tu_item it;
	int i;

	if (t->in_tx) {
		/* what is still speculative would not be part of the transaction any more for the
		 * analyzer */
		commit_all(t);
		exception_header(t, 1, EXC_TX_FAIL);
		gbuf_u8(&t->out, 0x70);
		/* whether this enters the address history differs among analyzers: do not refer to
		 * it */
		for (i = 0; i < 3; i++)
			t->hist[i].isa = 0xff;
		tu_item_new(&it, GEN_TX_FAIL);
		tu_push(t, &it);
		t->v.rsn = 0;
		/* an analyzer that drops the transaction drops the contexts in it */
		t->v.ctx = t->tx_ctx;
		t->v.ctx_ok = t->tx_ctx_ok;
	}
	t->in_tx = 0;
	t->v.addr_ok = 0;
	t->v.pop_pending = 0;
	t->br_tgt_ok = 0;
	t->ind_pending = t->bb_pending = 0;
	t->range_n = 0;
}

static void remember(struct tu *t, struct tu_addr a)
{
	t->recent[t->nrecent++ % TU_RECENT] = a;
}

/* r begins a new range (or is an exception taken before one began): where is it, and what may be
 * sent here */
void tu_boundary(struct tu *t, const struct flow_rec *r)
{
	const struct tu_opts *o = &t->o;
	struct tu_ctx c;

	if (t->ind_pending) {
		const struct tu_addr *top = t->v.rsn ? &t->v.rs[t->v.rsn - 1] : NULL;

		if (top && !o->bb && o->retstack && !t->ind_link && !t->v.rs_block &&
		    top->addr == r->pc && top->isa == r->isa && !rng_pm(&t->rng, o->p_no_rs))
			t->v.pop_pending = 1;
		else
			t->v.addr_ok = 0;
		remember(t, (struct tu_addr){ r->pc, r->isa });
	} else if (t->bb_pending) {
		t->v.addr_ok = 0;
	}
	t->ind_pending = t->bb_pending = 0;
	t->cur.addr = r->pc;
	t->cur.isa = r->isa;
	t->at_cur = 1;
	if (t->nsrc)
		return;
	if (o->ts && o->ts_context && t->ts_due && !t->owe_on)
		tu_timestamp(t);
	tu_want_ctx(t, r, &c);
	if (o->sync_every && t->off + t->out.len - t->sync_mark >= o->sync_every)
		tu_sync(t);
	if (rng_below(&t->rng, 2))
		tu_extras(t);
	if (r->kind == FLOW_INSN ? rng_below(&t->rng, 3) == 0 : rng_below(&t->rng, 8) == 0)
		tu_settle(t, &c);
	if (!t->owe_on && tu_may_speculate(t) && rng_pm(&t->rng, o->p_phantom))
		tu_phantom(t, r);
	if (rng_below(&t->rng, 2))
		tu_extras(t);
	if (r->kind == FLOW_INSN && o->qsupp && rng_pm(&t->rng, o->p_q)) {
		t->q_on = 1;
		t->q_left = rng_range(&t->rng, 1, 5);
		t->q_n = 0;
		t->q_first_br = 0;
		t->q_start = r->pc;
		t->q_isa = r->isa;
		t->q_ctx = c;
	}
}
