/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - the ring of elements of struct etmv4_queue, for the files of the element stage. */
#ifndef CST_LIB_PROTOCOLS_ETMV4_QUEUE_H
#define CST_LIB_PROTOCOLS_ETMV4_QUEUE_H

#include <cstrace/decoder.h>

#include "protocols/etmv4/etmv4.h"

/* Returns element i of the ring, 0 being the oldest. */
static inline struct cst_element *at(const struct etmv4_queue *q, uint32_t i)
{
	return &q->ring[(q->head + i) & (q->cap - 1)];
}

/* Returns the number of P0 elements in an element. */
static inline uint32_t p0_count(const struct etmv4_queue *q, const struct cst_element *e)
{
	switch (e->kind) {
	case CST_EL_ATOMS:
		return e->n;
	case CST_EL_EXCEPTION:
	case CST_EL_Q:
	case CST_EL_SOURCE_ADDRESS:
	case CST_EL_FUNC_RETURN:
		return 1;
	case CST_EL_TRANS_START:
		return e->num && q->cfg->trans_p0;
	case CST_EL_EXC_RETURN:
		/* of Armv6-M, Armv7-M and Armv8-M, whatever the minor version of the trace unit is */
		return q->cfg->profile == CST_PROFILE_M;
	}
	return 0;
}

/*
 * True if a Cancel or Discard does not remove the element, since it is not speculative (Table K10-2). The transaction state
 * of a Trace Info is none of the elements that these remove (K10.5.3.2.1).
 */
static inline int is_kept(const struct cst_element *e)
{
	switch (e->kind) {
	case CST_EL_TIMESTAMP:
	case CST_EL_CYCLE_COUNT:
	case CST_EL_EVENT:
	case CST_EL_TS_MARKER:
	case CST_EL_INSTRUMENTATION:
	case CST_EL_TRACE_INFO:
	case CST_EL_NO_SYNC:
		return 1;
	case CST_EL_TRANS_START:
		return !e->num;
	}
	return 0;
}

static inline int is_transaction(const struct cst_element *e)
{
	return e->kind == CST_EL_TRANS_START || e->kind == CST_EL_TRANS_COMMIT ||
	       e->kind == CST_EL_TRANS_FAIL;
}

/* True for a Transaction Failure, and for what implies one: Discard, Overflow, end of trace, PE reset (K10.5.2.13.2). */
static inline int is_failure(const struct cst_element *e)
{
	return e->kind == CST_EL_TRANS_FAIL || e->kind == CST_EL_NO_SYNC || e->kind == CST_EL_END ||
	       (e->kind == CST_EL_EXCEPTION && !e->num);
}

/*
 * Resolves the transaction at the front of the queue (transaction.c): a Transaction Commit releases its elements, a
 * Transaction Failure drops them (K10.5.4). Returns 1 if the front may be taken.
 */
int cst_etmv4_resolve_transaction(struct etmv4_queue *q);
/* Returns the number of committed P0 elements that the transaction at the front of the queue holds back. */
uint32_t cst_etmv4_held_back(const struct etmv4_queue *q);
/* True if the front of the queue is the start of a transaction whose end was not seen. */
static inline int holds_back(const struct etmv4_queue *q)
{
	return q->cfg->hold_transactions && q->committed.final && !q->trans.trans_open &&
	       at(q, 0)->kind == CST_EL_TRANS_START;
}

/* Returns 1 if the trace is inside a transaction after a Cancel that drops the elements from `from` on. */
int cst_etmv4_transaction_after(const struct etmv4_queue *q, uint32_t from);

#endif
