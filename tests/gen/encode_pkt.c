/* SPDX-License-Identifier: BSD-3-Clause */
/* encode_pkt.c - packets without addresses: synchronisation, time, cycles, events. */
#include <string.h>

#include "encode_int.h"

void tu_begin(struct tu *t)
{
	tu_atoms_flush(t, 0);
	t->pkt_off = t->off + t->out.len;
}

void tu_uleb(struct tu *t, uint64_t v)
{
	do {
		gbuf_u8(&t->out, (v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
}

int tu_has_marker(const struct tu *t)
{
	return t->o.tsmark && (t->o.ete ? t->o.minor >= 1 : t->o.minor >= 6);
}

void tu_simple(struct tu *t, unsigned int header, int kind, int keep)
{
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, header);
	if (kind == GEN_NONE)
		return;
	tu_item_new(&it, kind)->keep = (uint8_t)keep;
	tu_context_of(t, &it.ev);
	tu_push(t, &it);
}

void tu_event_packet(struct tu *t, uint32_t flags)
{
	uint32_t mask = 1 + rng_below(&t->rng, (1u << t->o.nevents) - 1);
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, 0x70 | mask);
	tu_item_new(&it, GEN_EVENTS)->keep = 1;
	it.ev.num = (uint16_t)mask;
	it.ev.flags = flags;
	tu_push(t, &it);
}

void tu_ite_packet(struct tu *t, uint32_t flags)
{
	struct tu_item it;

	tu_begin(t);
	tu_item_new(&it, GEN_ITE)->keep = 1;
	it.ev.num = (uint16_t)rng_below(&t->rng, 4);
	it.ev.value = rng_next(&t->rng) >> rng_below(&t->rng, 64);
	it.ev.flags = flags;
	gbuf_u8(&t->out, 0x09);
	gbuf_u8(&t->out, it.ev.num);
	gbuf_u64(&t->out, it.ev.value);
	tu_push(t, &it);
}

/* after a Trace Info the packet layer starts from nothing, whatever becomes of the elements */
static void reset_packet_state(struct tu *t)
{
	int i;

	for (i = 0; i < 3; i++) {
		t->hist[i].addr = 0;
		t->hist[i].isa = FLOW_A64;
	}
	memset(&t->pctx, 0, sizeof(t->pctx));
	t->ts_sent = 0;
}

static void cut_here(struct tu *t)
{
	size_t i;

	/* what went before is gone; P0 elements in flight are only known by their number */
	t->sink.restart(t->sink.ctx);
	t->out.len = 0;
	t->off = 0;
	for (i = 0; i < t->qlen; i++) {
		t->q[t->qhead + i].ev.kind = GEN_NONE;
		t->q[t->qhead + i].keep = 0;
	}
	t->ntx = 0;
	t->tx_hold = 0;
	t->v.blind = 1;
	t->pkt_off = 0;
}

static void trace_info(struct tu *t)
{
	unsigned int info = 0, plctl = 0;
	uint32_t spec = t->depth, thr = t->o.cci ? t->o.cc_threshold : 0;

	tu_begin(t);
	if (t->o.cci)
		info |= 1;
	if (t->in_tx)
		info |= 0x40;
	if (info || rng_pm(&t->rng, 200))
		plctl |= 1;
	if (spec || rng_pm(&t->rng, 50))
		plctl |= 4;
	if (thr || rng_pm(&t->rng, 50))
		plctl |= 8;
	if (!t->o.ete && rng_pm(&t->rng, 20))
		plctl |= 0x10;
	gbuf_u8(&t->out, 0x01);
	gbuf_u8(&t->out, plctl);
	if (plctl & 1)
		gbuf_u8(&t->out, info);
	if (plctl & 4)
		tu_uleb(t, spec);
	if (plctl & 8)
		tu_uleb(t, thr);
	if (plctl & 0x10)
		tu_uleb(t, rng_below(&t->rng, 300));
	reset_packet_state(t);
	tu_cond_flush(t);
	t->ck = t->rk = 0;
}

void tu_sync(struct tu *t)
{
	uint8_t async[12] = { 0 };
	struct tu_item it;
	int first;

	tu_begin(t);
	first = t->off + t->out.len == 0;
	t->st.syncs++;
	t->syncs++;
	if (t->o.cut_sync && t->syncs == t->o.cut_sync)
		cut_here(t);
	async[11] = 0x80;
	gbuf_put(&t->out, async, sizeof(async));
	if (first && t->o.ete) {
		while (rng_pm(&t->rng, t->o.p_event))
			tu_event_packet(t, GEN_F_PRE_INFO);
		while (t->o.ite && t->o.minor >= 3 && rng_pm(&t->rng, t->o.p_ite))
			tu_ite_packet(t, GEN_F_PRE_INFO);
	}
	trace_info(t);
	if (t->in_tx && t->o.cut_sync && t->syncs == t->o.cut_sync) {
		tu_item_new(&it, GEN_TX_INIT);
		tu_push(t, &it);
	}
	t->sync_mark = t->off + t->out.len;
	/* the analyzer pops what is pending, then forgets its return stack; a wrong path changes
	 * that as well */
	if (t->v.pop_pending && t->v.rsn)
		t->v.rsn--;
	t->v.pop_pending = 0;
	tu_rs_clear(t);
	t->v.rs_block = 1;
	t->v.soft = 1;
	t->v.soft_left = rng_pm(&t->rng, t->o.p_soft) ? 1 + rng_below(&t->rng, 6) : 0;
	t->ts_due = t->o.ts;
	t->marker_seen = 0;
	if (t->wrong)
		t->wrong_sync = 1;
}

void tu_trace_on(struct tu *t)
{
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, 0x04);
	tu_cond_flush(t);
	tu_item_new(&it, GEN_TRACE_ON);
	if (t->after_overflow)
		it.ev.flags |= GEN_F_AFTER_OVERFLOW;
	if (t->told) {
		it.ev.flags |= GEN_F_TARGET;
		it.ev.start = t->told_addr;
	}
	t->told = 0;
	t->after_overflow = 0;
	tu_push(t, &it);
	t->v.ctx_ok = t->v.addr_ok = 0;
	t->v.blind = 0;
	t->v.pop_pending = 0;
	tu_rs_clear(t);
	t->owe_on = 0;
	if (t->pe_tx && !t->in_tx)
		tu_tx_start(t);	/* tracing begins inside a transaction */
}

static void ts_field(struct tu *t, uint64_t ts)
{
	uint64_t diff = ts ^ t->ts_sent;
	int groups = 1, i;

	while (groups < 9 && diff >> (7 * groups))
		groups++;
	while (groups < 9 && rng_pm(&t->rng, 30))
		groups++;
	for (i = 0; i < groups; i++) {
		if (i == 8)
			gbuf_u8(&t->out, ts >> 56 & 0xff);
		else
			gbuf_u8(&t->out, (ts >> (7 * i) & 0x7f) | (i + 1 < groups ? 0x80 : 0));
	}
	t->ts_sent = ts;
}

static uint32_t cc_mask(const struct tu *t)
{
	return (1u << t->o.ccsize) - 1;
}

void tu_timestamp(struct tu *t)
{
	uint64_t ts = t->ticks;
	struct tu_item it;

	if (t->o.ts48 && !t->o.ete)
		ts &= 0xffffffffffffull;
	if (rng_pm(&t->rng, t->o.p_ts_zero))
		ts = 0;		/* the time is not known */
	if (tu_has_marker(t) && !t->marker_seen) {
		tu_simple(t, 0x88, GEN_TS_MARKER, 1);
		t->marker_seen = 1;
	}
	tu_begin(t);
	tu_item_new(&it, GEN_TIMESTAMP)->keep = 1;
	it.ev.value = ts;
	tu_context_of(t, &it.ev);
	if (t->o.cci && rng_below(&t->rng, 2)) {
		it.ev.flags = GEN_F_CC;
		it.ev.cc = (uint32_t)(t->cycles & cc_mask(t));
		gbuf_u8(&t->out, 0x03);
		ts_field(t, ts);
		tu_uleb(t, it.ev.cc);
	} else {
		gbuf_u8(&t->out, 0x02);
		ts_field(t, ts);
	}
	tu_push(t, &it);
	t->ts_due = 0;
	t->p0_since_ts = 0;
}

/* the packet commits as well when TRCIDR0.COMMOPT is 0; commit is 0 when there is nothing to commit
 */
void tu_cycle_count(struct tu *t, uint32_t commit)
{
	uint32_t thr = t->o.cc_threshold, value = (uint32_t)(t->cycles & cc_mask(t)), d;
	int unknown = t->cc_unknown || rng_pm(&t->rng, t->o.p_cc / 20);
	struct tu_item it;

	if (value < thr)
		value = thr;
	d = value - thr;
	tu_begin(t);
	tu_item_new(&it, GEN_CYCLES)->keep = 1;
	it.ev.value = value;
	tu_context_of(t, &it.ev);
	if (unknown) {
		it.ev.flags = GEN_F_UNKNOWN;
		it.ev.value = 0;
		gbuf_u8(&t->out, 0x0f);
		if (!t->o.commopt)
			tu_uleb(t, commit);
	} else if (d <= 3 && (t->o.commopt || (commit >= 1 && commit <= 4)) &&
		   !rng_pm(&t->rng, 100)) {
		gbuf_u8(&t->out, 0x10 | (t->o.commopt ? 0 : (commit - 1) << 2) | d);
	} else if (d <= 15 && t->o.commopt && !rng_pm(&t->rng, 100)) {
		gbuf_u8(&t->out, 0x0d);
		gbuf_u8(&t->out, 0xf0 | d);
	} else if (d <= 15 && commit >= 1 && commit <= 16 && !t->o.commopt &&
		   !rng_pm(&t->rng, 300)) {
		gbuf_u8(&t->out, 0x0c);
		gbuf_u8(&t->out, (commit - 1) << 4 | d);
	} else if (d <= 15 && commit && commit <= t->o.maxspec && commit + 15 >= t->o.maxspec &&
		   !t->o.commopt) {
		gbuf_u8(&t->out, 0x0d);
		gbuf_u8(&t->out, (commit + 15 - t->o.maxspec) << 4 | d);
	} else {
		gbuf_u8(&t->out, 0x0e);
		if (!t->o.commopt)
			tu_uleb(t, commit);
		tu_uleb(t, d);
	}
	t->cc_unknown = 0;
	t->cycles = 0;
	if (commit)
		tu_commit_items(t, commit);
	tu_push(t, &it);
}

static void lose_everything(struct tu *t, unsigned int ext, int kind)
{
	struct tu_item it;

	tu_begin(t);
	gbuf_u8(&t->out, 0x00);
	gbuf_u8(&t->out, ext);
	tu_drop_all(t);
	tu_cond_lose(t);
	tu_item_new(&it, kind);
	tu_push(t, &it);
	/* nothing stands behind it that could hold it back */
	tu_drain(t);
	t->told = 0;
	t->owe_sync = 1;
	t->owe_on = 1;
	t->marker_seen = 0;
	t->v.pop_pending = 0;
	tu_rs_clear(t);
	t->v.ctx_ok = t->v.addr_ok = 0;
	t->v.soft = 0;
}

void tu_overflow(struct tu *t)
{
	lose_everything(t, 0x05, GEN_OVERFLOW);
	t->st.overflows++;
	t->after_overflow = 1;
	t->cc_unknown = t->o.ete && t->o.cci;
}

void tu_discard(struct tu *t)
{
	lose_everything(t, 0x03, GEN_DISCARD);
	t->st.discards++;
}

void tu_extras(struct tu *t)
{
	const struct tu_opts *o = &t->o;

	tu_cond_results(t);
	if (rng_pm(&t->rng, o->p_event))
		tu_event_packet(t, 0);
	if (o->ete && o->ite && o->minor >= 3 && rng_pm(&t->rng, o->p_ite))
		tu_ite_packet(t, 0);
	if ((o->ete || o->minor >= 3) && rng_pm(&t->rng, o->p_ignore))
		gbuf_u8((tu_begin(t), &t->out), 0x70);
	if (o->ts && tu_has_marker(t) && rng_pm(&t->rng, o->p_marker)) {
		tu_simple(t, 0x88, GEN_TS_MARKER, 1);
		t->marker_seen = 1;
	}
	if (o->ts && o->ts_every && t->p0_since_ts >= o->ts_every)
		t->ts_due = 1;
	if (t->ts_due && o->ts && !rng_pm(&t->rng, o->p_soft))
		tu_timestamp(t);
}
