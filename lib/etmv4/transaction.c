/* SPDX-License-Identifier: BSD-3-Clause */
/* transaction.c - which elements a transaction holds back, and what becomes of them (Arm ARM K10.5.4). */
#include "etmv4/queue.h"

uint8_t cst_etmv4_transaction_after(const struct etmv4_queue *q, uint32_t from)
{
	const struct cst_element *e;
	uint32_t i;

	for (i = from; i < q->count; i++) {
		e = at(q, i);
		/* of a Trace Info: what is cancelled began before the trace, and whether its Transaction Start did is unknown */
		if (e->kind == CST_EL_TRANS_START)
			return e->num ? ETMV4_TRANS_NONE : ETMV4_TRANS_UNKNOWN;
		/* a Failure that is dropped did not end the transaction; a Commit is dropped with its Start only */
		if (is_transaction(e))
			return e->kind == CST_EL_TRANS_FAIL ? ETMV4_TRANS_OPEN : ETMV4_TRANS_NONE;
	}
	return q->in_trans;
}

uint32_t cst_etmv4_held_back(const struct etmv4_queue *q)
{
	uint32_t i, n = q->final_atoms;

	if (!holds_back(q))
		return 0;
	for (i = 1; i < q->final; i++)
		n += p0_count(q, at(q, i));
	return n;
}

/*
 * Counts the P0 elements among those from 1 to `end`, which the transaction at the front held back and which are dropped
 * with it. A Transaction Failure says that they were not executed, and so do a Discard and an Overflow (K10.5.2.4,
 * K10.5.2.5): they are no loss. Nothing says it of what precedes another Transaction Start, since a transaction has one,
 * and of what an error, a restart or the end of the trace interrupted.
 */
static void count_unresolved(struct etmv4_queue *q, uint32_t end)
{
	const struct cst_element *e = at(q, end);
	uint64_t unresolved = 0, all = 0;
	uint32_t i;

	for (i = 0; i < end; i++) {
		if (at(q, i)->kind == CST_EL_TRANS_START)
			unresolved = all;
		else
			all += p0_count(q, at(q, i));
	}
	if (e->kind == CST_EL_END || (e->kind == CST_EL_NO_SYNC && e->num != CST_UNSYNC_DISCARD && e->num != CST_UNSYNC_OVERFLOW))
		unresolved = all;
	q->stats->uncommitted += unresolved;
}

int cst_etmv4_resolve_transaction(struct etmv4_queue *q)
{
	struct cst_element *e;
	uint32_t i, from, to;

	for (i = q->trans_scan; i < q->final; i++) {
		e = at(q, i);
		if (e->kind == CST_EL_TRANS_COMMIT) {
			q->trans_open = 1;
			q->trans_scan = 0;
			return 1;
		}
		if (is_failure(e))
			break;
	}
	if (i == q->final) {
		q->trans_scan = i;
		/* a transaction that is longer than the maximum queue is treated as committed */
		if (q->count + 1 >= q->cfg->max_queue) {
			q->trans_open = 1;
			q->trans_scan = 0;
			return 1;
		}
		return 0;
	}
	q->stats->trans_failed++;
	count_unresolved(q, i);
	/* a transaction cannot change the context, so that its Context elements stay valid */
	for (from = to = 1; from < q->count; from++) {
		if (from < i && !is_kept(at(q, from)) && at(q, from)->kind != CST_EL_CONTEXT)
			continue;
		if (to != from)
			*at(q, to) = *at(q, from);
		to++;
	}
	q->final -= q->count - to;
	q->count = to;
	q->trans_open = 1;
	q->trans_scan = 0;
	return 1;
}
