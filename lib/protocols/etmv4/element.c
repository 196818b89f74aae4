/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - ETMv4 and ETE packets to trace elements, with speculation and transactions resolved
 * (Arm ARM K10.5.3 "Stage 2, speculation resolution", K10.5.4 "transaction resolution").
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/decoder.h>
#include <cstrace/error.h>
#include <cstrace/flow.h>
#include <cstrace/log.h>

#include "base/quirks.h"
#include "protocols/etmv4/etmv4.h"
#include "protocols/etmv4/queue.h"
#include "protocols/protocol/protocol_int.h"

#define FIRST_CAP 256

/*
 * Maximum number of uncommitted elements. Processors speculate over some hundred. A Cancel or Mispredict searches all of
 * them, so that without a limit crafted trace would take quadratic time.
 */
#define MAX_OPEN 8192

int cst_etmv4_queue_init(void *queue, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	struct etmv4_queue *q = queue;

	(void)user;
	memset(q, 0, sizeof(*q));
	q->cfg = cfg;
	q->stats = stats;
	q->ring = malloc(FIRST_CAP * sizeof(*q->ring));
	if (!q->ring)
		return -CST_ERR_NOMEM;
	q->cap = FIRST_CAP;
	cst_etmv4_queue_reset(q, CST_UNSYNC_INIT, 0);
	return 0;
}

void cst_etmv4_queue_free(void *queue)
{
	struct etmv4_queue *q = queue;

	free(q->ring);
	q->ring = NULL;
}

void cst_etmv4_queue_reset(void *queue, uint8_t reason, int config)
{
	struct etmv4_queue *q = queue;

	q->stats->uncommitted += q->depth - q->unseen + cst_etmv4_held_back(q);
	q->head = q->count = q->committed.final = 0;
	q->committed.final_atoms = 0;
	q->depth = q->unseen = q->trans.trans_scan = 0;
	q->state = ETMV4_WAIT_ASYNC;
	q->started = 0;
	q->reason = reason;
	q->exc.exc_pending = q->overflow = q->trans.trans_open = q->trans.in_trans = q->ended = 0;
	q->ctx_seen = 0;
	q->cond.cond_c = q->cond.cond_r = 0;
	q->config = config;
}

static int grow(struct etmv4_queue *q)
{
	struct cst_element *ring;
	uint32_t i;

	if (q->cap >= q->cfg->max_queue || q->cap >= 1u << 30)
		return -CST_ERR_QUEUE_FULL;
	ring = malloc(2 * (size_t)q->cap * sizeof(*ring));
	if (!ring)
		return -CST_ERR_NOMEM;
	for (i = 0; i < q->count; i++)
		ring[i] = *at(q, i);
	free(q->ring);
	q->ring = ring;
	q->cap *= 2;
	q->head = 0;
	return 0;
}

static void fail(struct etmv4_queue *q, uint64_t index, int reason, int error);

struct cst_element *cst_etmv4_queue_push(struct etmv4_queue *q, enum cst_element_kind kind, uint64_t index)
{
	struct cst_element *e;
	int err;

	if (!q->depth && q->count - q->committed.final >= MAX_OPEN)
		/* nothing is speculative: none of it can be cancelled */
		q->committed.final = q->count;
	if (q->count == q->cap || q->count - q->committed.final >= MAX_OPEN) {
		err = q->count == q->cap ? grow(q) : -CST_ERR_QUEUE_FULL;
		if (err) {
			fail(q, index, CST_UNSYNC_BAD_PACKET, -err);
			return NULL;
		}
	}
	e = at(q, q->count++);
	e->index = index;
	e->kind = kind;
	e->flags = 0;
	e->num = 0;
	return e;
}

/* Makes all elements of the ring final. */
static void finalize(struct etmv4_queue *q)
{
	q->committed.final = q->count;
	q->committed.final_atoms = 0;
}

/*
 * Drops the uncommitted elements from `from` on, except those that survive a Cancel. A Transaction Commit acts at once,
 * whatever is speculative (K10.5.4.3.1), and survives, too, unless its Transaction Start is dropped.
 */
static void drop_uncommitted(struct etmv4_queue *q, uint32_t from)
{
	int commits = 1;	/* the next Transaction Commit survives */
	uint32_t i, to = from;
	struct cst_element *e;

	q->trans.in_trans = cst_etmv4_transaction_after(q, from);
	for (i = from; i < q->count; i++) {
		e = at(q, i);
		if (is_kept(e) || (e->kind == CST_EL_TRANS_COMMIT && commits)) {
			if (to != i)
				*at(q, to) = *e;
			to++;
		} else if (e->kind == CST_EL_ATOMS && i == q->committed.final &&
			   q->committed.final_atoms) {
			/* its first atoms are committed */
			q->stats->uncommitted += e->n - q->committed.final_atoms;
			e->n = q->committed.final_atoms;
			to++;
		} else {
			q->stats->uncommitted += p0_count(q, e);
			if (e->kind == CST_EL_TRANS_START || e->kind == CST_EL_TRANS_COMMIT)
				commits = e->kind == CST_EL_TRANS_COMMIT;
		}
	}
	q->count = to;
}

/*
 * Returns the Transaction Commit at or after `from` whose Transaction Start is before `from`, or q->count. The elements
 * of the transaction that are committed by then are executed, even if the trace ends before the rest is committed
 * (K10.5.4.3.1).
 */
static uint32_t find_early_commit(const struct etmv4_queue *q, uint32_t from)
{
	uint32_t i;

	for (i = from; i < q->count; i++)
		if (at(q, i)->kind == CST_EL_TRANS_COMMIT)
			return i;
		else if (at(q, i)->kind == CST_EL_TRANS_START)
			break;
	return q->count;
}

/* Makes outstanding results of conditional instructions unknown, since decoding is interrupted here. */
static void flush_conditions(struct etmv4_queue *q, uint64_t index)
{
	struct cst_element *e;

	if (!q->cfg->cond_trace || (q->count == q->cap && grow(q)))
		return;
	e = at(q, q->count++);
	memset(e, 0, sizeof(*e));
	e->kind = CST_EL_COND_FLUSH;
	e->num = 1;
	e->index = index;
}

/*
 * Handles a Discard (K10.5.3.5), an Overflow or a bad packet: drops the speculative elements, makes the others final, and
 * waits for the next A-sync.
 */
static void fail(struct etmv4_queue *q, uint64_t index, int reason, int error)
{
	struct cst_element *e;

	drop_uncommitted(q, q->committed.final);
	flush_conditions(q, index);
	if (q->count == q->cap && grow(q))	/* no memory: NO_SYNC replaces the youngest of the kept elements */
		q->count--;
	e = at(q, q->count++);
	memset(e, 0, sizeof(*e));
	e->kind = CST_EL_NO_SYNC;
	e->index = index;
	e->num = reason;
	e->value = error;
	e->flags = CST_EL_F_DOUBTFUL;
	finalize(q);
	q->depth = q->unseen = 0;
	q->exc.exc_pending = q->trans.in_trans = 0;
	q->state = ETMV4_WAIT_ASYNC;
	if (error)
		q->stats->resyncs++;
}

void cst_etmv4_queue_restart(void *queue, uint64_t index)
{
	struct etmv4_queue *q = queue;
	uint8_t flags = CST_EL_F_CONFIG | (q->depth ? CST_EL_F_DOUBTFUL : 0);

	fail(q, index, CST_UNSYNC_RESET, 0);
	at(q, q->count - 1)->flags = flags;
	q->overflow = 0;
	q->state = ETMV4_WAIT_INFO;
}

/* Makes the n oldest uncommitted P0 elements final (K10.5.3.3). */
static void commit(struct etmv4_queue *q, uint32_t n, uint64_t index)
{
	struct cst_element *e;
	uint32_t p0;

	if (n > q->depth) {
		fail(q, index, CST_UNSYNC_BAD_PACKET, CST_ERR_COMMIT_OVERRUN);
		return;
	}
	q->depth -= n;
	/* the oldest ones precede the first packet seen */
	if (q->unseen) {
		p0 = n < q->unseen ? n : q->unseen;
		q->unseen -= p0;
		n -= p0;
	}
	while (n) {
		e = at(q, q->committed.final);
		p0 = p0_count(q, e) - q->committed.final_atoms;
		if (p0 > n) {
			q->committed.final_atoms += n;
			return;
		}
		n -= p0;
		q->committed.final++;
		q->committed.final_atoms = 0;
	}
}

/* Commits the P0 elements that exceed the maximum speculation depth (TRCIDR8.MAXSPEC): none after a loss. */
static void implicit_commit(struct etmv4_queue *q, uint64_t index)
{
	if (q->depth > q->cfg->max_spec)
		commit(q, q->depth - q->cfg->max_spec, index);
}

/* Removes the n youngest uncommitted P0 elements, and the speculative elements after the oldest of them (K10.5.3.4). */
static void cancel(struct etmv4_queue *q, uint32_t n, uint64_t index)
{
	uint64_t uncommitted = q->stats->uncommitted;
	struct cst_element *e;
	uint32_t i, p0;

	if (n > q->depth) {
		fail(q, index, CST_UNSYNC_BAD_PACKET, CST_ERR_COMMIT_OVERRUN);
		return;
	}
	q->depth -= n;
	for (i = q->count; n && i > q->committed.final; i--) {
		int partly = i - 1 == q->committed.final && q->committed.final_atoms;

		e = at(q, i - 1);
		p0 = p0_count(q, e) - (partly ? q->committed.final_atoms : 0);
		if (p0 > n || (p0 == n && partly)) {
			/* only the youngest atoms of the packet: the element itself stays */
			e->n -= n;
			n = 0;
			break;
		}
		n -= p0;
	}
	/* the remaining ones precede the first packet seen */
	q->unseen -= n < q->unseen ? n : q->unseen;
	if (q->committed.final_atoms && at(q, q->committed.final)->n == q->committed.final_atoms) {
		q->committed.final++;
		q->committed.final_atoms = 0;
	}
	drop_uncommitted(q, i);
	q->stats->uncommitted = uncommitted;	/* cancelled elements are no loss */
	cst_etmv4_cond_flush(q, index);
}

/*
 * Returns 1 if the youngest committed P0 element is an atom and no P0 element follows. The atom is held until the next
 * one, since a Mispredict may apply to it (K10.5.5.11: to the most recent branch, committed or not).
 */
static int awaits_mispredict(const struct etmv4_queue *q)
{
	uint32_t i;

	if (!q->cfg->max_spec || quirk(q->cfg, QUIRK_COMMITTED_IS_FINAL) ||
	    q->state != ETMV4_SYNCED || q->ended || !q->committed.final ||
	    q->committed.final_atoms || at(q, q->committed.final - 1)->kind != CST_EL_ATOMS)
		return 0;
	for (i = q->committed.final; i < q->count; i++)
		if (p0_count(q, at(q, i)))
			return 0;
	return 1;
}

/* Inverts the youngest atom and removes a Target Address after it (K10.5.5.11). */
static void mispredict(struct etmv4_queue *q, uint64_t index)
{
	uint32_t oldest = q->committed.final - awaits_mispredict(q);
	struct cst_element *e = NULL;
	uint32_t i, j, to;

	for (i = q->count; i > oldest; i--) {
		e = at(q, i - 1);
		if (e->kind == CST_EL_ATOMS)
			break;
		if (p0_count(q, e)) {
			i = oldest;
			break;
		}
	}
	if (i == oldest || (i - 1 == q->committed.final && e->n == q->committed.final_atoms)) {
		if (q->unseen)	/* the atom precedes the first packet seen */
			return;
		fail(q, index, CST_UNSYNC_BAD_PACKET, CST_ERR_NO_ATOM);
		return;
	}
	e->bits ^= 1u << (e->n - 1);
	for (j = to = i; j < q->count; j++) {
		if (at(q, j)->kind == CST_EL_ADDRESS)
			continue;
		if (to != j)
			*at(q, to) = *at(q, j);
		to++;
	}
	q->count = to;
	cst_etmv4_cond_flush(q, index);
}

static void push_atoms(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	struct cst_element *e = cst_etmv4_queue_push(q, CST_EL_ATOMS, pkt->index);

	if (!e)
		return;
	e->n = pkt->n_atoms;
	e->bits = pkt->atoms;
	e->first_e = pkt->atoms;
	q->depth += pkt->n_atoms;
}

static void push_context(struct etmv4_queue *q, const struct cst_packet *pkt, uint64_t index)
{
	struct cst_element *e = cst_etmv4_queue_push(q, CST_EL_CONTEXT, index);

	if (!e)
		return;
	e->ctx.el = pkt->el;
	e->ctx.security = pkt->security;
	e->ctx.bits64 = pkt->sf;
	e->ctx.context_id = pkt->cid;
	e->ctx.vmid = pkt->vmid;
	if (!(pkt->flags & CST_PF_CONTEXT))	/* a one-byte Context packet: the context is the last one */
		e->flags = CST_EL_F_SAME;
	if (pkt->flags & CST_PF_ADDR) {	/* the packet has an address, which selects the instruction set */
		e->flags |= CST_EL_F_ADDRESS;
		e->is = pkt->is;
	}
	q->ctx_seen |= (pkt->flags & CST_PF_CID ? CST_CTX_CID : 0) |
		       (pkt->flags & CST_PF_VMID ? CST_CTX_VMID : 0);
	e->ctx.flags = CST_CTX_KNOWN | q->ctx_seen;
}

static void push_address(struct etmv4_queue *q, enum cst_element_kind kind,
			 const struct cst_packet *pkt, uint64_t index)
{
	struct cst_element *e = cst_etmv4_queue_push(q, kind, index);

	if (!e)
		return;
	e->addr = pkt->addr;
	e->is = pkt->is;
}

/* Queues a Start, Commit or Failure, with the state of the trace before it. */
static void push_transaction(struct etmv4_queue *q, enum cst_element_kind kind, uint64_t index, unsigned int num)
{
	struct cst_element *e = cst_etmv4_queue_push(q, kind, index);

	if (!e)
		return;
	e->num = num;
	e->n = q->trans.in_trans;
	q->depth += p0_count(q, e);
	q->trans.in_trans = kind == CST_EL_TRANS_START;
}

/* M profile: value in place of a return address if the exception follows another one without a return (tail chain). */
#define TAIL_CHAIN_ADDRESS 0xfffffffeu

static int is_tail_chain(const struct etmv4_queue *q, const struct cst_packet *addr)
{
	return q->cfg->profile == CST_PROFILE_M && (uint32_t)addr->addr == TAIL_CHAIN_ADDRESS;
}

/*
 * Queues the Exception element. Its address packet has arrived, unless there is none (PE reset). With E1:E0 = 10 the
 * address is the target of the branch before, and Context and Target Address elements precede the exception
 * (K10.5.2.13.2).
 */
static void push_exception(struct etmv4_queue *q, const struct cst_packet *addr)
{
	uint8_t state = q->state;
	struct cst_element *e;

	q->exc.exc_pending = 0;
	if (q->exc.exc_num == 0x18 && q->cfg->protocol == CST_PROTO_ETE) {
		push_transaction(q, CST_EL_TRANS_FAIL, q->exc.exc_index, 0);
		return;
	}
	if (addr && addr->flags & CST_PF_CONTEXT)
		push_context(q, addr, q->exc.exc_index);
	/* the value of a tail chain is no address */
	if (addr && q->exc.exc_flags & CST_EL_F_BR_TARGET && !is_tail_chain(q, addr))
		push_address(q, CST_EL_ADDRESS, addr, q->exc.exc_index);
	if (q->state != state)	/* the queue was full: synchronisation has ended */
		return;
	e = cst_etmv4_queue_push(q, CST_EL_EXCEPTION, q->exc.exc_index);
	if (!e)
		return;
	if (!q->exc.exc_num)	/* PE reset */
		q->trans.in_trans = 0;
	e->num = q->exc.exc_num;
	e->flags = q->exc.exc_flags;
	e->addr = 0;
	e->is = 0;
	if (addr) {
		e->addr = addr->addr;
		e->is = addr->is;
		e->flags |= CST_EL_F_ADDRESS;
		if (is_tail_chain(q, addr))
			e->flags |= CST_EL_F_TAIL_CHAIN;
	}
	q->depth++;
	cst_etmv4_cond_flush(q, q->exc.exc_index);
}

/* Keeps the fields of an Exception packet for push_exception(). */
static void start_exception(struct etmv4_queue *q, const struct cst_packet *pkt, uint16_t flags)
{
	q->exc.exc_num = pkt->exc_type;
	q->exc.exc_index = pkt->index;
	q->exc.exc_flags = flags;
}

/* Queues a return, which is a P0 element if p0_count() says so. */
static void push_p0(struct etmv4_queue *q, enum cst_element_kind kind, const struct cst_packet *pkt)
{
	struct cst_element *e = cst_etmv4_queue_push(q, kind, pkt->index);

	if (!e)
		return;
	q->depth += p0_count(q, e);
}

static void push_q(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	struct cst_element *e = cst_etmv4_queue_push(q, CST_EL_Q, pkt->index);

	if (!e)
		return;
	e->value = pkt->count;
	if (pkt->flags & CST_PF_COUNT)
		e->flags |= CST_EL_F_COUNT;
	if (pkt->flags & CST_PF_ADDR) {
		e->addr = pkt->addr;
		e->is = pkt->is;
		e->flags |= CST_EL_F_ADDRESS;
	}
	q->depth++;
}

static void push_value(struct etmv4_queue *q, enum cst_element_kind kind,
		       const struct cst_packet *pkt, unsigned int num)
{
	struct cst_element *e = cst_etmv4_queue_push(q, kind, pkt->index);

	if (!e)
		return;
	e->num = num;
	/* other packets leave pkt->ts as it was */
	e->value = kind == CST_EL_TIMESTAMP || kind == CST_EL_INSTRUMENTATION ? pkt->ts : 0;
	e->cc = 0;
	if (pkt->flags & CST_PF_CC) {
		e->cc = pkt->cc;
		e->flags = CST_EL_F_CC;
	}
}

/* Queues a data synchronisation marker, which the data trace stream has at the same place. */
static void push_data_sync(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	struct cst_element *e = cst_etmv4_queue_push(q, CST_EL_TS_MARKER, pkt->index);

	if (!e)
		return;
	e->num = pkt->type == CST_PKT_DATA_SYNC_NUM ? CST_MARK_DATA_NUMBERED : CST_MARK_DATA;
	e->value = pkt->event;
}

/* Trace Info: bit of the INFO section of an ETE, TSTATE. */
#define INFO_TRANSACTION 0x40

static int info_transaction(const struct etmv4_queue *q, const struct cst_packet *pkt)
{
	return q->cfg->protocol == CST_PROTO_ETE && pkt->info & INFO_TRANSACTION;
}

/*
 * Returns an error if a Trace Info in synchronisation contradicts the queue. It states the speculation depth and the
 * transaction state of the trace unit at this point (K10.5.2.6), which those of the queue equal unless packets were lost
 * or changed on the way. Then nothing says which queued elements were executed.
 */
static int contradiction(const struct etmv4_queue *q, const struct cst_packet *pkt)
{
	if (q->depth != (pkt->spec < q->cfg->max_spec ? pkt->spec : q->cfg->max_spec))
		return CST_ERR_DEPTH;
	return q->trans.in_trans != info_transaction(q, pkt) ? CST_ERR_TRANSACTION : 0;
}

static void trace_info(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	const int error = q->state == ETMV4_SYNCED ? contradiction(q, pkt) : 0;

	/* decoding restarts with the same packet */
	if (error)
		fail(q, pkt->index, CST_UNSYNC_BAD_PACKET, error);
	if (q->state != ETMV4_SYNCED) {
		q->state = ETMV4_SYNCED;
		q->depth = q->unseen = pkt->spec;
		if (info_transaction(q, pkt))
			push_transaction(q, CST_EL_TRANS_START, pkt->index, CST_TRANS_INIT);
	}
	q->trans.in_trans = info_transaction(q, pkt);
	q->ctx_seen = 0;
	cst_etmv4_cond_flush(q, pkt->index);
	if (q->state != ETMV4_SYNCED)
		return;
	q->cond.cond_c = q->cond.cond_r = 0;
	cst_etmv4_queue_push(q, CST_EL_TRACE_INFO, pkt->index);
	implicit_commit(q, pkt->index);
}

/* Queues the elements of packets that describe execution. */
static void flow_packet(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	uint8_t state = q->state;
	struct cst_element *e;

	switch (pkt->type) {
	case CST_PKT_ATOM_F1: case CST_PKT_ATOM_F2: case CST_PKT_ATOM_F3:
	case CST_PKT_ATOM_F4: case CST_PKT_ATOM_F5: case CST_PKT_ATOM_F6:
		push_atoms(q, pkt);
		break;
	case CST_PKT_ADDR_CTXT_32: case CST_PKT_ADDR_CTXT_64:
		push_context(q, pkt, pkt->index);
		if (q->state != state)
			break;
		/* fall through */
	case CST_PKT_ADDR_MATCH: case CST_PKT_ADDR_SHORT: case CST_PKT_ADDR_32:
	case CST_PKT_ADDR_64:
		push_address(q, CST_EL_ADDRESS, pkt, pkt->index);
		break;
	case CST_PKT_CONTEXT:
		push_context(q, pkt, pkt->index);
		break;
	case CST_PKT_SRC_MATCH: case CST_PKT_SRC_SHORT: case CST_PKT_SRC_32: case CST_PKT_SRC_64:
		push_address(q, CST_EL_SOURCE_ADDRESS, pkt, pkt->index);
		if (q->state == state)
			q->depth++;
		break;
	case CST_PKT_Q:
		push_q(q, pkt);
		break;
	case CST_PKT_EXCEPTION:
		start_exception(q, pkt, pkt->flags & CST_PF_E1 ? CST_EL_F_BR_TARGET : 0);
		q->exc.exc_pending = 1;
		break;
	case CST_PKT_PE_RESET:
		start_exception(q, pkt, 0);
		push_exception(q, NULL);
		break;
	case CST_PKT_EXC_RETURN:
		push_p0(q, CST_EL_EXC_RETURN, pkt);
		break;
	case CST_PKT_FUNC_RETURN:
		push_p0(q, CST_EL_FUNC_RETURN, pkt);
		break;
	case CST_PKT_TRACE_ON:
		cst_etmv4_cond_flush(q, pkt->index);
		if (q->state != state)
			break;
		e = cst_etmv4_queue_push(q, CST_EL_TRACE_ON, pkt->index);
		if (e)
			e->num = q->overflow ? CST_ON_OVERFLOW : CST_ON_NORMAL;
		q->overflow = 0;
		break;
	case CST_PKT_TRANS_START:
		push_transaction(q, CST_EL_TRANS_START, pkt->index, CST_TRANS_START);
		break;
	case CST_PKT_TRANS_COMMIT:
		push_transaction(q, CST_EL_TRANS_COMMIT, pkt->index, 0);
		break;
	case CST_PKT_TRANS_FAIL:
		push_transaction(q, CST_EL_TRANS_FAIL, pkt->index, 0);
		break;
	case CST_PKT_COND_I_F1: case CST_PKT_COND_I_F2: case CST_PKT_COND_I_F3: case CST_PKT_COND_FLUSH:
	case CST_PKT_COND_R_F1: case CST_PKT_COND_R_F2: case CST_PKT_COND_R_F3: case CST_PKT_COND_R_F4:
		cst_etmv4_cond_packet(q, pkt);
		break;
	}
}

/* Handles packets that resolve speculation: Commit, Cancel and Mispredict (K10.5.2.8, K10.5.2.9). */
static void resolving_packet(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	uint8_t state = q->state;

	if (pkt->type == CST_PKT_COMMIT) {
		commit(q, pkt->commit, pkt->index);
		return;
	}
	if (pkt->n_atoms && pkt->type != CST_PKT_CANCEL_F1) {
		push_atoms(q, pkt);
		implicit_commit(q, pkt->index);
	}
	if (q->state == state && pkt->type != CST_PKT_MISPREDICT)
		cancel(q, pkt->commit, pkt->index);
	if (q->state == state && pkt->flags & CST_PF_MISPREDICT)
		mispredict(q, pkt->index);
}

/* Handles a packet in synchronisation. */
static void synced_packet(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	uint8_t state = q->state;

	switch (pkt->type) {
	case CST_PKT_TIMESTAMP:
		push_value(q, CST_EL_TIMESTAMP, pkt, 0);
		return;
	case CST_PKT_TS_MARKER:
		push_value(q, CST_EL_TS_MARKER, pkt, 0);
		return;
	case CST_PKT_DATA_SYNC_NUM: case CST_PKT_DATA_SYNC:
		push_data_sync(q, pkt);
		return;
	case CST_PKT_EVENT:
		push_value(q, CST_EL_EVENT, pkt, pkt->event);
		return;
	case CST_PKT_ITE:
		push_value(q, CST_EL_INSTRUMENTATION, pkt, pkt->el);
		return;
	case CST_PKT_CCNT_F1: case CST_PKT_CCNT_F2: case CST_PKT_CCNT_F3:
		if (pkt->flags & CST_PF_COMMIT && pkt->commit)
			commit(q, pkt->commit, pkt->index);
		if (q->state == state)
			push_value(q, CST_EL_CYCLE_COUNT, pkt, 0);
		return;
	case CST_PKT_COMMIT: case CST_PKT_CANCEL_F1: case CST_PKT_CANCEL_F1_MISP: case CST_PKT_CANCEL_F2:
	case CST_PKT_CANCEL_F3: case CST_PKT_MISPREDICT:
		resolving_packet(q, pkt);
		return;
	case CST_PKT_TRACE_INFO:
		trace_info(q, pkt);
		return;
	default:
		flow_packet(q, pkt);
		implicit_commit(q, pkt->index);
	}
}

static int is_address(uint8_t type)
{
	return type == CST_PKT_ADDR_MATCH || type == CST_PKT_ADDR_SHORT || type == CST_PKT_ADDR_32 ||
	       type == CST_PKT_ADDR_64 || type == CST_PKT_ADDR_CTXT_32 || type == CST_PKT_ADDR_CTXT_64;
}

/* Handles a packet before synchronisation, which is an A-sync and then a Trace Info (K10.5.1.1). */
static void unsynced_packet(struct etmv4_queue *q, const struct cst_packet *pkt)
{
	struct cst_element *e;

	if (pkt->type == CST_PKT_ASYNC) {
		q->state = ETMV4_WAIT_INFO;
		return;
	}
	if (pkt->type == CST_PKT_IGNORE)
		return;
	if (q->state == ETMV4_WAIT_INFO) {
		switch (pkt->type) {
		case CST_PKT_TRACE_INFO:
			trace_info(q, pkt);
			return;
		case CST_PKT_EVENT:
			if (q->cfg->protocol != CST_PROTO_ETE)
				break;
			push_value(q, CST_EL_EVENT, pkt, pkt->event);
			finalize(q);
			return;
		case CST_PKT_ITE:
			push_value(q, CST_EL_INSTRUMENTATION, pkt, pkt->el);
			finalize(q);
			return;
		}
	}
	if (q->state == ETMV4_WAIT_INFO) {
		/* a trace unit sends no other packet between A-sync and Trace Info */
		e = cst_etmv4_queue_push(q, CST_EL_FINDING, pkt->index);
		if (e)
			e->num = CST_FIND_ETM_BEFORE_INFO;
		finalize(q);
		if (q->cfg->strict)
			q->state = ETMV4_WAIT_ASYNC;
	}
	q->stats->unsynced += pkt->size;
	if (pkt->type == CST_PKT_NOT_SYNC)
		q->stats->unsynced -= pkt->count;
}

void cst_etmv4_queue_packet(void *queue, const struct cst_packet *pkt)
{
	struct etmv4_queue *q = queue;
	struct cst_element *e;
	int err = packet_error(cst_etmv4_roles, pkt->type, CST_PKT_RESERVED, CST_ERR_UNSUP_HEADER);

	q->last_index = pkt->index;
	if (!q->started) {
		q->started = 1;
		e = cst_etmv4_queue_push(q, CST_EL_NO_SYNC, pkt->index);
		if (e) {
			e->num = q->reason;
			e->value = 0;
			e->flags = q->config ? CST_EL_F_CONFIG : 0;
			q->config = 0;
			finalize(q);
		}
	}
	if (err) {
		q->stats->bad_packets++;
		/* the last packet of the trace may be cut: no packet was lost before it */
		if (pkt->type != CST_PKT_INCOMPLETE && q->state == ETMV4_SYNCED)
			fail(q, pkt->index, CST_UNSYNC_BAD_PACKET, err);
		else
			q->stats->unsynced += pkt->size;
		return;
	}
	if (pkt->type == CST_PKT_OVERFLOW || pkt->type == CST_PKT_DISCARD) {
		if (pkt->type == CST_PKT_OVERFLOW) {
			q->stats->overflows++;
			q->overflow = 1;
		} else {
			q->stats->discards++;
		}
		if (q->state == ETMV4_SYNCED)
			fail(q, pkt->index, pkt->type == CST_PKT_OVERFLOW ? CST_UNSYNC_OVERFLOW :
			     CST_UNSYNC_DISCARD, 0);
		return;
	}
	if (q->state != ETMV4_SYNCED) {
		unsynced_packet(q, pkt);
		return;
	}
	if (q->exc.exc_pending && pkt->type != CST_PKT_IGNORE) {
		if (!is_address(pkt->type)) {
			fail(q, q->exc.exc_index, CST_UNSYNC_BAD_PACKET, CST_ERR_NO_ADDRESS);
			/* if the packet is an A-sync, synchronisation begins with it */
			unsynced_packet(q, pkt);
			return;
		}
		push_exception(q, pkt);
		implicit_commit(q, pkt->index);
		return;
	}
	synced_packet(q, pkt);
}

void cst_etmv4_queue_end(void *queue)
{
	struct etmv4_queue *q = queue;
	struct cst_element *e, early;
	uint32_t i = q->committed.final, commit;

	if (q->ended)
		return;
	q->ended = 1;
	/* elements that are not speculative are emitted up to the first uncommitted P0 element */
	if (!q->committed.final_atoms)
		for (; i < q->count && !p0_count(q, at(q, i)); i++)
			if (is_kept(at(q, i)) || is_transaction(at(q, i))) {
				if (i != q->committed.final)
					*at(q, q->committed.final) = *at(q, i);
				q->committed.final++;
			}
	commit = find_early_commit(q, i);
	if (commit < q->count)
		early = *at(q, commit);
	for (; i < q->count; i++)
		q->stats->uncommitted += p0_count(q, at(q, i));
	/* an exception whose address packet would follow is not delivered */
	q->stats->uncommitted += q->exc.exc_pending;
	/* a reset that follows does not count them again */
	q->depth = q->unseen = 0;
	if (q->committed.final_atoms) {
		e = at(q, q->committed.final++);
		q->stats->uncommitted -= q->committed.final_atoms;
		e->n = q->committed.final_atoms;
	}
	if (commit < q->count)
		*at(q, q->committed.final++) = early;
	q->count = q->committed.final;
	flush_conditions(q, q->last_index);
	if (q->count == q->cap && grow(q))	/* no memory: END replaces the youngest element */
		q->count--;
	e = cst_etmv4_queue_push(q, CST_EL_END, q->last_index);
	if (e)
		e->num = q->overflow ? CST_UNSYNC_OVERFLOW : CST_UNSYNC_END;
	finalize(q);
}

/* Splits the oldest n atoms off the front element and returns them. */
static const struct cst_element *take_atoms(struct etmv4_queue *q, uint8_t n)
{
	struct cst_element *e = at(q, 0);

	if (!n)
		return NULL;
	q->committed.part = *e;
	q->committed.part.n = n;
	e->n -= n;
	e->bits >>= n;
	e->first_e >>= n;
	return &q->committed.part;
}

const struct cst_element *cst_etmv4_queue_take(void *queue)
{
	struct etmv4_queue *q = queue;
	struct cst_element *e;
	uint8_t n;

	if (holds_back(q) && !cst_etmv4_resolve_transaction(q))
		return NULL;
	if (q->committed.final == 1 && awaits_mispredict(q))
		return take_atoms(q, at(q, 0)->n - 1);
	if (q->committed.final) {
		e = at(q, 0);
		if (q->trans.trans_open && (e->kind == CST_EL_TRANS_COMMIT || is_failure(e)))
			q->trans.trans_open = 0;
		q->head = (q->head + 1) & (q->cap - 1);
		q->count--;
		q->committed.final--;
		return e;
	}
	n = q->committed.final_atoms;
	q->committed.final_atoms = 0;
	return take_atoms(q, n);
}

int cst_etmv4_queue_address(const void *queue, uint64_t *addr)
{
	const struct etmv4_queue *q = queue;
	uint32_t i;

	for (i = 0; i < q->count; i++) {
		if (at(q, i)->kind == CST_EL_ADDRESS) {
			*addr = at(q, i)->addr;
			return 1;
		}
		if (p0_count(q, at(q, i)) || at(q, i)->kind == CST_EL_NO_SYNC || at(q, i)->kind == CST_EL_TRACE_ON)
			return -1;
	}
	return q->exc.exc_pending ? -1 : 0;
}
