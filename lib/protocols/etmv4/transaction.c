/* SPDX-License-Identifier: BSD-3-Clause */
/* transaction.c - which elements a transaction holds back, and what becomes of them (Arm ARM K10.5.4). */
#include "protocols/etmv4/queue.h"

int cst_etmv4_transaction_after(const struct etmv4_queue *q, uint32_t from)
{
	uint32_t i;

	for (i = from; i < q->count; i++)
		if (is_transaction(at(q, i)))
			break;
	if (i == q->count)
		return q->trans.in_trans;
	/* a Commit is dropped with its Start only; an element with the state of a Trace Info stays */
	if (at(q, i)->kind == CST_EL_TRANS_COMMIT || is_kept(at(q, i)))
		return is_kept(at(q, i));
	return at(q, i)->n;
}

uint32_t cst_etmv4_held_back(const struct etmv4_queue *q)
{
	uint32_t i, n = q->committed.final_atoms;

	if (!holds_back(q))
		return 0;
	for (i = 1; i < q->committed.final; i++)
		n += p0_count(q, at(q, i));
	return n;
}

/*
 * Counts the P0 elements up to `end` that the transaction at the front held back and that are dropped with it. A
 * Transaction Failure says that they were not executed, which is no loss. Nothing says it of what precedes another
 * Transaction Start, since a transaction has one, and of what an error, a Discard, an Overflow, a restart or the end of
 * the trace interrupted, though they are to be dropped as well (K10.5.2.4, K10.5.2.5).
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
	if (e->kind == CST_EL_END || e->kind == CST_EL_NO_SYNC)
		unresolved = all;
	q->stats->uncommitted += unresolved;
}

int cst_etmv4_resolve_transaction(struct etmv4_queue *q)
{
	struct cst_element *e;
	uint32_t i, from, to;

	for (i = q->trans.trans_scan; i < q->committed.final; i++) {
		e = at(q, i);
		if (e->kind == CST_EL_TRANS_COMMIT) {
			q->trans.trans_open = 1;
			q->trans.trans_scan = 0;
			return 1;
		}
		if (is_failure(e))
			break;
	}
	if (i == q->committed.final) {
		q->trans.trans_scan = i;
		/* a transaction that is longer than the maximum queue is treated as committed */
		if (q->count + 1 >= q->cfg->max_queue) {
			q->trans.trans_open = 1;
			q->trans.trans_scan = 0;
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
	q->committed.final -= q->count - to;
	q->count = to;
	q->trans.trans_open = 1;
	q->trans.trans_scan = 0;
	return 1;
}
