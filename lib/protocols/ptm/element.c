/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - PTM packets to trace elements. Nothing is speculative: each packet's elements are final.
 */
#include <string.h>

#include <cstrace/decoder.h>
#include <cstrace/error.h>
#include <cstrace/flow.h>
#include <cstrace/log.h>

#include "base/digest.h"
#include "protocols/protocol/protocol_int.h"
#include "base/quirks.h"
#include "protocols/ptm/ptm.h"

#define EL_HYP 2

static struct cst_element *push(struct ptm_stage *st, enum cst_element_kind kind, uint64_t index)
{
	struct cst_element *e = &st->elem[st->count++];

	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->index = index;
	return e;
}

/* From PFTv1.1 the cycle count of an I-sync after an overflow or debug state is unknown (IHI 0035B 4.4). */
static int cycles_known(const struct cst_config *cfg, const struct cst_packet *pkt)
{
	return pkt->type != CST_PTM_PKT_ISYNC || cfg->version < 0x11 || quirk(cfg, QUIRK_CYCLES_KNOWN) ||
	       (pkt->event != CST_PTM_ISYNC_OVERFLOW && pkt->event != CST_PTM_ISYNC_DEBUG);
}

/* Queues an element with the packet's cycle count, if it has one. */
static struct cst_element *push_timed(struct ptm_stage *st, enum cst_element_kind kind,
				      const struct cst_packet *pkt)
{
	struct cst_element *e = push(st, kind, pkt->index);

	if (pkt->flags & CST_PF_CC && cycles_known(st->cfg, pkt)) {
		e->flags = CST_EL_F_CC;
		e->cc = pkt->cc;
	}
	return e;
}

int cst_ptm_stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	struct ptm_stage *st = stage;

	(void)user;
	st->cfg = cfg;
	st->stats = stats;
	cst_ptm_stage_reset(st, CST_UNSYNC_INIT, 0);
	return 0;
}

void cst_ptm_stage_reset(void *stage, uint8_t reason, int config)
{
	struct ptm_stage *st = stage;

	st->next = st->count = 0;
	st->state = PTM_WAIT_ASYNC;
	st->started = st->ended = st->running = st->ctx_reported = 0;
	st->reason = reason;
	st->config = config;
	memset(&st->ctx, 0, sizeof(st->ctx));
}

static void no_sync(struct ptm_stage *st, uint64_t index, int reason, int error, uint8_t flags)
{
	struct cst_element *e = push(st, CST_EL_NO_SYNC, index);

	e->num = reason;
	e->value = error;
	e->flags = flags;
	st->state = PTM_WAIT_ASYNC;
	st->running = 0;
	/* an I-sync carries all of the context but the VMID */
	st->ctx.flags &= ~CST_CTX_VMID;
	st->ctx.vmid = 0;
	st->ctx_reported = 0;
	if (error)
		st->stats->resyncs++;
}

void cst_ptm_stage_restart(void *stage, uint64_t index)
{
	struct ptm_stage *st = stage;

	no_sync(st, index, CST_UNSYNC_RESET, 0, CST_EL_F_CONFIG);
	st->state = PTM_WAIT_ISYNC;
	memset(&st->ctx, 0, sizeof(st->ctx));
}

/* Updates the context by a packet. Returns true if it differs from the one that was last reported. */
static int update_context(struct ptm_stage *st, const struct cst_packet *pkt)
{
	const struct cst_context old = st->ctx;
	struct cst_context *c = &st->ctx;

	if (pkt->flags & CST_PF_CONTEXT) {
		c->security = pkt->security;
		c->el = pkt->flags & CST_PTM_PF_HYP ? EL_HYP : 0;
	}
	if (pkt->flags & CST_PF_CID) {
		c->context_id = pkt->cid;
		c->flags |= CST_CTX_CID;
	}
	if (pkt->flags & CST_PF_VMID) {
		c->vmid = pkt->vmid;
		c->flags |= CST_CTX_VMID;
	}
	return !st->ctx_reported || old.security != c->security || old.el != c->el || old.context_id != c->context_id ||
	       old.vmid != c->vmid || old.flags != c->flags;
}

static void push_context(struct ptm_stage *st, const struct cst_packet *pkt, int quiet)
{
	struct cst_element *e = push(st, CST_EL_CONTEXT, pkt->index);

	e->ctx = st->ctx;
	e->flags = CST_EL_F_ISA | (quiet ? CST_EL_F_QUIET : 0);
	if (pkt->type == CST_PTM_PKT_ISYNC) {
		e->flags |= CST_EL_F_ADDRESS;
		e->is = pkt->isa;
	}
	if (!quiet)
		st->ctx_reported = 1;
}

static void isync(struct ptm_stage *st, const struct cst_packet *pkt)
{
	static const uint8_t reasons[] = {
		[CST_PTM_ISYNC_PERIODIC] = CST_ON_NORMAL, [CST_PTM_ISYNC_TRACE_ON] = CST_ON_NORMAL,
		[CST_PTM_ISYNC_OVERFLOW] = CST_ON_OVERFLOW, [CST_PTM_ISYNC_DEBUG] = CST_ON_DEBUG,
	};
	int on = !st->running || pkt->event != CST_PTM_ISYNC_PERIODIC;
	int changed = update_context(st, pkt);
	struct cst_element *e;

	if (pkt->event == CST_PTM_ISYNC_OVERFLOW) {
		st->stats->overflows++;
		push(st, CST_EL_FINDING, pkt->index)->num = CST_FIND_OVERFLOW;
	}
	if (on) {
		e = push_timed(st, CST_EL_TRACE_ON, pkt);
		e->num = reasons[pkt->event & 3];
		st->running = 1;
	}
	if (on || changed)
		push_context(st, pkt, !changed && !(pkt->flags & (CST_PTM_PF_ISA | CST_PF_CID)));
	e = push(st, CST_EL_ADDRESS, pkt->index);
	e->addr = pkt->addr;
	e->is = pkt->isa;
	e->flags = CST_EL_F_ISA | (on ? 0 : CST_EL_F_SYNC);
}

static void branch(struct ptm_stage *st, const struct cst_packet *pkt, enum cst_element_kind kind)
{
	struct cst_element *e = push_timed(st, kind, pkt);

	e->addr = pkt->addr;
	e->is = pkt->isa;
	if (kind == CST_EL_VECTOR)	/* a branch leaves pkt->exc_type as it was */
		e->num = pkt->exc_type;
	if (pkt->flags & CST_PF_CONTEXT && !quirk(st->cfg, QUIRK_PTM_ISYNC_STATE) && update_context(st, pkt))
		push_context(st, pkt, 0);
}

static void synced_packet(struct ptm_stage *st, const struct cst_packet *pkt)
{
	struct cst_element *e;

	switch (pkt->type) {
	case CST_PTM_PKT_ATOM:
		e = push_timed(st, CST_EL_ATOMS, pkt);
		e->n = pkt->n_atoms;
		e->bits = e->first_e = pkt->atoms;
		break;
	case CST_PTM_PKT_BRANCH:
		branch(st, pkt, CST_EL_BRANCH);
		break;
	case CST_PTM_PKT_EXCEPTION:
		branch(st, pkt, CST_EL_VECTOR);
		break;
	case CST_PTM_PKT_WAYPOINT:
		e = push(st, CST_EL_WAYPOINT, pkt->index);
		e->addr = pkt->addr;
		e->is = pkt->isa;
		break;
	case CST_PTM_PKT_ISYNC:
		isync(st, pkt);
		break;
	case CST_PTM_PKT_CONTEXT_ID:
		if (!st->cfg->cid_bytes)
			break;
		/* fall through */
	case CST_PTM_PKT_VMID:
		if (update_context(st, pkt))
			push_context(st, pkt, 0);
		break;
	case CST_PTM_PKT_TIMESTAMP:
		if (pkt->flags & CST_PTM_PF_TIME_PART) {
			st->stats->times_unknown++;
			push(st, CST_EL_FINDING, pkt->index)->num = CST_FIND_TIME_UNKNOWN;
		}
		e = push_timed(st, CST_EL_TIMESTAMP, pkt);
		e->value = pkt->ts;
		e->addr = pkt->value;
		break;
	case CST_PTM_PKT_TRIGGER:
		push(st, CST_EL_EVENT, pkt->index)->num = CST_EVENT_TRIGGER;
		break;
	case CST_PTM_PKT_EXC_RETURN:
		push(st, CST_EL_EXC_RETURN, pkt->index);
		break;
	}
}

/* Handles a packet before synchronisation, which is an A-sync and then an I-sync; other packets are counted as lost. */
static void unsynced_packet(struct ptm_stage *st, const struct cst_packet *pkt)
{
	if (pkt->type == CST_PTM_PKT_ASYNC) {
		st->state = PTM_WAIT_ISYNC;
	} else if (pkt->type == CST_PTM_PKT_ISYNC && st->state == PTM_WAIT_ISYNC) {
		st->state = PTM_SYNCED;
		isync(st, pkt);
	} else {
		st->stats->unsynced += pkt->size;
	}
}

void cst_ptm_stage_packet(void *stage, const struct cst_packet *pkt)
{
	struct ptm_stage *st = stage;
	int err = packet_error(cst_ptm_roles, pkt->type, CST_PTM_PKT_RESERVED, CST_ERR_UNSUP_HEADER);
	struct cst_element *e;

	st->next = st->count = 0;
	st->last_index = pkt->index;
	if (!st->started) {
		st->started = 1;
		e = push(st, CST_EL_NO_SYNC, pkt->index);
		e->num = st->reason;
		e->flags = st->config ? CST_EL_F_CONFIG : 0;
	}
	if (err) {
		st->stats->bad_packets++;
		st->stats->unsynced += pkt->size;
		/* the last packet of the trace may be cut: no packet was lost before it */
		if (err == CST_ERR_INCOMPLETE)
			return;
		if (st->state == PTM_SYNCED)
			no_sync(st, pkt->index, CST_UNSYNC_BAD_PACKET, err, CST_EL_F_DOUBTFUL);
		st->state = PTM_WAIT_ASYNC;
		return;
	}
	if (st->state == PTM_SYNCED && pkt->type == CST_PTM_PKT_ASYNC && pkt->flags & CST_PTM_PF_LATE)
		no_sync(st, pkt->index, CST_UNSYNC_BAD_PACKET, CST_ERR_BAD_SEQUENCE, CST_EL_F_DOUBTFUL);
	if (st->state == PTM_SYNCED)
		synced_packet(st, pkt);
	else
		unsynced_packet(st, pkt);
}

void cst_ptm_stage_end(void *stage)
{
	struct ptm_stage *st = stage;

	if (st->ended)
		return;
	st->ended = 1;
	st->next = st->count = 0;
	push(st, CST_EL_END, st->last_index)->num = CST_UNSYNC_END;
}

const struct cst_element *cst_ptm_stage_take(void *stage)
{
	struct ptm_stage *st = stage;

	return st->next < st->count ? &st->elem[st->next++] : NULL;
}

int cst_ptm_stage_address(const void *stage, uint64_t *addr)
{
	const struct ptm_stage *st = stage;

	return cst_queued_address(&st->elem[st->next], st->count - st->next, addr);
}

uint64_t cst_ptm_stage_digest(const void *stage, uint64_t digest)
{
	const struct ptm_stage *s = stage;
	unsigned int i;

	digest = digest_word(digest, s->state | s->ended << 8 | s->started << 16 | s->running << 24 |
			     (uint64_t)s->ctx_reported << 32);
	digest = digest_word(cst_digest_context(digest, &s->ctx), s->count - s->next);
	for (i = s->next; i < s->count; i++)
		digest = cst_digest_element(digest, &s->elem[i]);
	return digest;
}
