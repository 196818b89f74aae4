/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * encode_queue.c - the element queue: which elements have been sent, which of them are committed.
 *
 * The queue mirrors the order of the elements in the trace; popping from its front is what the
 * analyzer has to report. It holds no more than the uncommitted elements.
 */
#include <string.h>

#include "encode_int.h"

struct tu_item *tu_item_new(struct tu_item *it, int kind)
{
	memset(it, 0, sizeof(*it));
	it->ev.kind = (uint8_t)kind;
	return it;
}

void tu_context_of(const struct tu *t, struct gen_event *ev)
{
	ev->tid = t->v.ctx.tid;
	ev->vmid = t->v.ctx.vmid;
	ev->el = t->v.ctx.el;
	ev->sec = t->v.ctx.sec;
	ev->sf = t->v.ctx.sf;
}

static int survives(int kind)
{
	return kind == GEN_TIMESTAMP || kind == GEN_CYCLES || kind == GEN_EVENTS ||
	       kind == GEN_TS_MARKER || kind == GEN_ITE;
}

static void tx_release(struct tu *t, int dead)
{
	size_t i;

	for (i = 0; i < t->ntx; i++) {
		if (dead && !survives(t->txev[i].kind))
			t->txev[i].flags |= GEN_F_TX_DEAD;
		t->sink.event(t->sink.ctx, &t->txev[i]);
	}
	t->ntx = 0;
	t->tx_hold = 0;
}

/* an event reaches the analyzer's user; inside a transaction its fate is not known yet */
static void report(struct tu *t, const struct gen_event *ev)
{
	if (ev->kind == GEN_NONE || tu_cond_report(t, ev))
		return;
	if (ev->kind == GEN_TX_COMMIT || ev->kind == GEN_TX_FAIL)
		tx_release(t, ev->kind == GEN_TX_FAIL);
	if (t->tx_hold) {
		if (t->ntx == t->txcap) {
			t->txcap = t->txcap ? t->txcap * 2 : 64;
			t->txev = gen_realloc(t->txev, t->txcap * sizeof(*t->txev));
		}
		t->txev[t->ntx++] = *ev;
	} else {
		t->sink.event(t->sink.ctx, ev);
	}
	/* the range before an exception and the exception come together */
	if ((ev->kind == GEN_RANGE && ev->atom != '-') || ev->kind == GEN_EXCEPTION)
		tu_cond_range(t);
	if (ev->kind == GEN_TX_START || ev->kind == GEN_TX_INIT)
		t->tx_hold = 1;
}

static void pop_front(struct tu *t)
{
	struct tu_item *it = &t->q[t->qhead];

	/* committing what was never executed would make every comparison worthless */
	GEN_BUG_ON(it->wrong && it->p0);
	if (it->p0)
		t->depth--;
	report(t, &it->ev);
	t->qhead++;
	t->qlen--;
}

void tu_commit_items(struct tu *t, uint32_t n)
{
	while (n) {
		GEN_BUG_ON(!t->qlen);
		n -= t->q[t->qhead].p0;
		pop_front(t);
	}
}

void tu_push_raw(struct tu *t, const struct tu_item *it)
{
	struct tu_item *slot;

	if (t->qhead + t->qlen == t->qcap) {
		if (t->qhead > t->qcap / 2) {
			memmove(t->q, t->q + t->qhead, t->qlen * sizeof(*t->q));
			t->qhead = 0;
		} else {
			t->qcap = t->qcap ? t->qcap * 2 : 64;
			t->q = gen_realloc(t->q, t->qcap * sizeof(*t->q));
		}
	}
	slot = &t->q[t->qhead + t->qlen++];
	*slot = *it;
	slot->ev.off = t->pkt_off;
	if (!slot->p0)
		return;
	t->depth++;
	t->st.p0++;
	if (t->depth > t->o.maxspec)
		tu_commit_items(t, t->depth - t->o.maxspec);
}

void tu_push(struct tu *t, const struct tu_item *it)
{
	struct tu_item copy = *it;

	copy.wrong = t->wrong;
	if (copy.wrong && copy.p0)
		t->wrong_p0++;
	tu_push_raw(t, &copy);
}

/* the n newest P0 elements go, and what is between and behind them, but not what survives a Cancel
 */
void tu_cancel_items(struct tu *t, uint32_t n)
{
	size_t end = t->qhead + t->qlen, i = end, w;

	t->st.cancelled += n;
	while (n) {
		GEN_BUG_ON(i == t->qhead);
		i--;
		if (t->q[i].p0) {
			n--;
			t->depth--;
		}
	}
	for (w = i; i < end; i++)
		if (t->q[i].keep)
			t->q[w++] = t->q[i];
	t->qlen = w - t->qhead;
	tu_cond_flush(t);
}

/* A Transaction Commit ends what was committed of its transaction at once: without a start it ends nothing. */
static int ends_nothing(const struct tu *t, const struct gen_event *ev)
{
	return ev->kind == GEN_TX_COMMIT && !t->tx_hold;
}

void tu_drop_all(struct tu *t)
{
	struct tu_item it;
	size_t i;

	for (i = 0; i < t->qlen; i++) {
		const struct tu_item *lost = &t->q[t->qhead + i];

		if (lost->keep && !ends_nothing(t, &lost->ev))
			report(t, &lost->ev);
	}
	t->qhead = t->qlen = 0;
	t->depth = 0;
	if (t->tx_hold) {
		tu_item_new(&it, GEN_TX_FAIL)->ev.flags = GEN_F_IMPLIED;
		it.ev.off = t->pkt_off;
		report(t, &it.ev);
	}
	t->in_tx = 0;
}

void tu_drain(struct tu *t)
{
	int started = 0;

	for (; t->qlen && !t->q[t->qhead].p0; t->qhead++, t->qlen--) {
		struct tu_item *it = &t->q[t->qhead];

		it->ev.flags |= GEN_F_TAIL;
		if (it->keep || (it->ev.kind >= GEN_TX_INIT && it->ev.kind < GEN_END) || it->ev.kind == GEN_OVERFLOW ||
		    it->ev.kind == GEN_DISCARD)
			report(t, &it->ev);
	}
	/* behind what is speculative, a Transaction Commit still ends the transaction that is open before it */
	for (; t->qlen && t->tx_hold && !started; t->qhead++, t->qlen--) {
		started = t->q[t->qhead].ev.kind == GEN_TX_START;
		if (t->q[t->qhead].ev.kind == GEN_TX_COMMIT)
			report(t, &t->q[t->qhead].ev);
	}
	t->qhead = t->qlen = 0;
	t->depth = 0;
	tx_release(t, 1);
	t->in_tx = 0;
}
