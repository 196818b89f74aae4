/* SPDX-License-Identifier: BSD-3-Clause */
/* encode_spec.c - speculation: delayed commits, wrong paths and how they are taken back. */
#include <string.h>

#include "encode_int.h"

/* P0 elements sent that are known to be right: all but the wrong path and the atom it hangs on */
uint32_t tu_safe_commit(const struct tu *t)
{
	uint32_t all = t->depth + t->natoms, risky = t->wrong_p0 + t->unsafe;

	GEN_BUG_ON(all < risky);
	return all - risky;
}

/* room for one more element that may have to be taken back: it must not be committed by the ones
 * after it */
int tu_may_speculate(const struct tu *t)
{
	return t->wrong_p0 + t->unsafe + 1u <= t->o.maxspec;
}

void tu_commit_packet(struct tu *t, uint32_t n)
{
	tu_begin(t);
	gbuf_u8(&t->out, 0x2d);
	tu_uleb(t, n);
	tu_commit_items(t, n);
}

void tu_commit_policy(struct tu *t)
{
	const struct tu_opts *o = &t->o;
	int count = o->cci && t->cycles >= o->cc_threshold && rng_pm(&t->rng, o->p_cc);
	uint32_t safe, n = 0;

	if (!o->maxspec) {
		if (count)
			tu_cycle_count(t, 0);
		return;
	}
	if (!count && !rng_pm(&t->rng, o->p_commit))
		return;
	tu_begin(t);
	safe = tu_safe_commit(t);
	if (safe)
		n = rng_below(&t->rng, 3) ? rng_range(&t->rng, 1, safe) : safe;
	if (count && !o->commopt) {
		tu_cycle_count(t, n);
		return;
	}
	if (n)
		tu_commit_packet(t, n);
	if (count)
		tu_cycle_count(t, 0);
}

static char last_atom(const struct tu *t, uint32_t back)
{
	return t->natoms > back ? (char)t->atoms[t->natoms - 1 - back].ev.cc : 0;
}

/* a packet whose header implies the last j pending atoms */
static void with_atoms(struct tu *t, unsigned int header, uint32_t j)
{
	tu_atoms_flush(t, j);
	t->pkt_off = t->off + t->out.len;
	gbuf_u8(&t->out, header);
	if (j)
		tu_atoms_take(t, j);
}

/* 0: none, 1: E, 2: E E, 3: N, as the two low bits of Mispredict and Cancel format 2 say it */
static void atom_choice(struct tu *t, unsigned int header)
{
	static const uint8_t count[4] = { 0, 1, 2, 1 };
	uint32_t a = 0;

	if (last_atom(t, 0) == 'E' && last_atom(t, 1) == 'E' && rng_below(&t->rng, 2))
		a = 2;
	else if (last_atom(t, 0) && !rng_pm(&t->rng, 200))
		a = last_atom(t, 0) == 'E' ? 1 : 3;
	with_atoms(t, header | a, count[a]);
}

void tu_cancel_packet(struct tu *t, uint32_t n, int mispredict)
{
	uint32_t first;

	t->st.mispredicts += mispredict != 0;
	if (mispredict && !n) {
		atom_choice(t, 0x30);
		tu_cond_flush(t);
		return;
	}
	if (mispredict && n == 1 && !rng_pm(&t->rng, 250)) {
		atom_choice(t, 0x34);
		tu_cancel_items(t, 1);
		return;
	}
	if (mispredict && n >= 2 && n <= 5 && !rng_pm(&t->rng, 250)) {
		int a = last_atom(t, 0) == 'E' && !rng_pm(&t->rng, 200);

		with_atoms(t, 0x38 | (n - 2) << 1 | (unsigned int)a, (uint32_t)a);
		tu_cancel_items(t, n);
		return;
	}
	if (n >= 2 && rng_pm(&t->rng, 150)) {
		first = rng_range(&t->rng, 1, n - 1);
		tu_begin(t);
		gbuf_u8(&t->out, 0x2e);
		tu_uleb(t, first);
		tu_cancel_items(t, first);
		n -= first;
	}
	tu_begin(t);
	if (mispredict && rng_below(&t->rng, 2)) {
		gbuf_u8(&t->out, 0x2f);
		mispredict = 0;
	} else {
		gbuf_u8(&t->out, 0x2e);
	}
	tu_uleb(t, n);
	tu_cancel_items(t, n);
	if (mispredict)
		gbuf_u8((tu_begin(t), &t->out), 0x30);
	tu_cond_flush(t);
}

/* walks to the next P0 instruction from *a; r gets it */
static int find_p0(struct tu *t, const struct tu_addr *a, const struct tu_ctx *c,
		   struct flow_rec *r)
{
	uint64_t pc = a->addr;
	int i;

	for (i = 0; i < 48; i++) {
		memset(r, 0, sizeof(*r));
		r->pc = pc;
		if (!t->sink.insn || !t->sink.insn(t->sink.ctx, pc, a->isa, t->thread, c->el, r))
			return 0;
		r->pc = pc;
		r->isa = a->isa;
		if (r->klass == FLOW_DIRECT || r->klass == FLOW_INDIRECT || r->klass == FLOW_ISB ||
		    (r->klass == FLOW_LOAD && t->o.load_p0) || (r->klass == FLOW_STORE && t->o.store_p0) ||
		    (r->klass == FLOW_WFX && t->o.wfxmode && (t->o.ete || t->o.minor >= 3)))
			return 1;
		if (r->klass == FLOW_TSTART)
			return t->o.ete;
		pc += r->size;
	}
	return 0;
}

static struct tu_addr guess_target(struct tu *t, uint8_t isa)
{
	struct tu_addr none = { t->cur.addr & ~3ull, FLOW_A64 };
	uint32_t n = t->nrecent < TU_RECENT ? t->nrecent : TU_RECENT;
	struct tu_addr a = n ? t->recent[rng_below(&t->rng, n)] : none;

	/* an A64 state cannot branch to AArch32 and the other way round */
	if ((a.isa == FLOW_A64) != (isa == FLOW_A64)) {
		a = t->cur;
		a.isa = isa;
	}
	return a;
}

static void wrong_exception(struct tu *t, struct tu_addr at)
{
	struct tu_item it;

	tu_p0_begin(t);
	tu_begin(t);
	gbuf_u8(&t->out, 0x06);
	gbuf_u8(&t->out, 0x01 | 0x0e << 1);
	tu_address_bytes(t, at.addr, at.isa);
	tu_item_new(&it, GEN_NONE)->p0 = 1;
	tu_push(t, &it);
	t->v.addr_ok = 0;
}

/* a transaction that never was: the Cancel takes its start back as well */
static void wrong_transaction(struct tu *t)
{
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, 0x0a);
	tu_item_new(&it, GEN_NONE)->p0 = !t->o.comm_trans;
	tu_push(t, &it);
}

static void wrong_source(struct tu *t, struct tu_addr at)
{
	struct tu_item it;

	tu_p0_begin(t);
	tu_begin(t);
	tu_source_bytes(t, at.addr, at.isa);
	tu_item_new(&it, GEN_NONE)->p0 = 1;
	tu_push(t, &it);
}

static void wrong_q(struct tu *t, struct tu_addr next)
{
	struct tu_item it;

	tu_p0_begin(t);
	tu_begin(t);
	gbuf_u8(&t->out, 0xac);
	tu_uleb(t, rng_range(&t->rng, 1, 200));
	tu_item_new(&it, GEN_NONE)->p0 = 1;
	tu_push(t, &it);
	tu_address(t, next.addr, next.isa);
}

void tu_wrong_path(struct tu *t, struct tu_addr from, const struct tu_ctx *c, uint32_t max)
{
	struct tu_addr saved = t->cur, a = from;
	struct tu_item it;
	struct flow_rec r;

	t->wrong = 1;
	t->wrong_p0 = 0;
	while (max-- && tu_may_speculate(t) && find_p0(t, &a, c, &r)) {
		int taken = !(r.flags & FLOW_COND) || rng_below(&t->rng, 2);

		t->cur = a;
		/* what goes out before the first wrong P0 element survives the Cancel; a Mispredict
		 * drops it */
		if (t->unsafe || t->wrong_p0)
			tu_settle(t, c);
		if (rng_pm(&t->rng, 60)) {
			wrong_exception(t, a);
			break;
		}
		if (t->o.ete && t->o.p_src && taken && r.klass <= FLOW_INDIRECT &&
		    rng_pm(&t->rng, 150)) {
			a.addr = r.pc;
			wrong_source(t, a);
		} else if (t->o.p_q && t->o.qsupp & 1 && rng_pm(&t->rng, 60)) {
			wrong_q(t, a);
			continue;
		} else {
			tu_p0_begin(t);
			tu_item_new(&it, GEN_NONE)->ev.cc = taken ? 'E' : 'N';
			tu_atom(t, &it);
		}
		if (r.klass == FLOW_TSTART && !t->in_tx &&
		    (t->o.comm_trans || tu_may_speculate(t))) {
			wrong_transaction(t);
			break;
		}
		a.addr = r.pc + r.size;
		if (taken && r.flags & FLOW_LINK)
			tu_rs_push(t, a.addr, a.isa);
		t->v.rs_first = 0;
		if (taken && r.klass == FLOW_DIRECT) {
			a.addr = r.next;
			a.isa = (uint8_t)r.num;
		} else if (taken && r.klass == FLOW_INDIRECT) {
			a = guess_target(t, a.isa);
			t->v.addr_ok = 0;
		}
		t->cur = a;
		if (rng_pm(&t->rng, 100))
			tu_extras(t);
		if (rng_pm(&t->rng, 30))
			tu_commit_policy(t);
		if (t->o.sync_every && t->off + t->out.len - t->sync_mark >= t->o.sync_every)
			tu_sync(t);
	}
	if (t->wrong_p0 && rng_pm(&t->rng, 300) && !t->v.addr_ok)
		tu_settle(t, c);
	t->wrong = 0;
	t->cur = saved;
}

/* the elements of the wrong path go, but a Trace Info in it has been seen */
static void back_to(struct tu *t, const struct tu_view *snap)
{
	t->v = *snap;
	t->wrong_p0 = 0;
	if (!t->wrong_sync)
		return;
	t->wrong_sync = 0;
	if (t->v.pop_pending && t->v.rsn)
		t->v.rsn--;
	t->v.pop_pending = 0;
	tu_rs_clear(t);
	t->v.rs_block = 1;
	t->v.soft = 1;
	t->v.soft_left = 0;
	/* an analyzer that starts at this Trace Info has lost the context and address to the Cancel
	 */
	if (t->o.cut_sync && t->syncs == t->o.cut_sync)
		t->v.blind = 1;
}

void tu_phantom(struct tu *t, const struct flow_rec *r)
{
	struct tu_view snap;
	struct tu_ctx c;

	tu_want_ctx(t, r, &c);
	tu_settle(t, &c);
	snap = t->v;
	tu_wrong_path(t, t->cur, &c, rng_range(&t->rng, 1, t->o.maxspec > 12 ? 12 : t->o.maxspec));
	if (t->wrong_p0)
		tu_cancel_packet(t, t->wrong_p0, 0);
	back_to(t, &snap);
}

void tu_mispredicted(struct tu *t, const struct flow_rec *r, struct tu_item *it)
{
	int final_e = it->ev.atom == 'E', room = t->o.maxspec - 1 > 12 ? 12 : (int)t->o.maxspec - 1;
	struct tu_addr from = { r->pc + r->size, r->isa };
	struct tu_view snap;
	struct tu_ctx c;
	struct flow_rec st;
	int walk = room > 0 && !rng_pm(&t->rng, 200);

	tu_want_ctx(t, r, &c);
	tu_p0_begin(t);
	it->ev.cc = final_e ? 'N' : 'E';
	it->ev.flags |= GEN_F_MISPREDICTED;
	tu_atom(t, it);
	if (!final_e && r->flags & FLOW_LINK)
		tu_rs_push(t, r->pc + r->size,
			   r->isa); /* pushed by the first outcome, as it stays pushed */
	t->v.rs_first = 0;
	snap = t->v;
	t->unsafe = 1;
	t->wrong_p0 = 0;
	if (!final_e && r->klass == FLOW_DIRECT) {
		memset(&st, 0, sizeof(st));
		if (t->sink.insn && t->sink.insn(t->sink.ctx, r->pc, r->isa, r->tid, r->el, &st)) {
			from.addr = st.next;
			from.isa = (uint8_t)st.num;
		} else {
			walk = 0;
		}
	} else if (!final_e && r->klass == FLOW_INDIRECT) {
		from = guess_target(t, r->isa);
		t->v.addr_ok = 0;
		if (!walk && rng_below(&t->rng, 2)) {
			/* only the address of the wrong target: it goes with the Mispredict */
			t->wrong = 1;
			tu_address(t, from.addr, from.isa);
			t->wrong = 0;
		}
	}
	if (walk)
		tu_wrong_path(t, from, &c, rng_range(&t->rng, 1, (uint32_t)room));
	if (!t->wrong_p0 && t->depth && rng_pm(&t->rng, 200)) {
		/* the branch is committed before its outcome is corrected */
		tu_commit_packet(t, t->depth);
		gbuf_u8((tu_begin(t), &t->out), 0x30);
		tu_cond_flush(t);
	} else {
		tu_cancel_packet(t, t->wrong_p0, 1);
	}
	t->unsafe = 0;
	back_to(t, &snap);
	if (rng_pm(&t->rng, 30)) {
		/* twice more: the outcome alternates and settles where it was */
		gbuf_u8((tu_begin(t), &t->out), 0x30);
		gbuf_u8((tu_begin(t), &t->out), 0x30);
	}
	if (final_e && r->flags & FLOW_LINK)
		t->v.rsn = 0;	/* whether an analyzer has pushed is open: rely on nothing below */
}
