/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.c - ETMv3 packets to trace elements. The last instruction traced is held until no exception can cancel it any
 * more (IHI 0014Q 7.3.5).
 */
#include <string.h>

#include <cstrace/decoder.h>
#include <cstrace/error.h>
#include <cstrace/log.h>

#include "base/digest.h"
#include "base/quirks.h"
#include "protocols/etmv3/etmv3.h"

/* enum cst_trace_on_reason of an I-sync's reason. */
static const uint8_t on_reason[4] = { CST_ON_NORMAL, CST_ON_NORMAL, CST_ON_OVERFLOW, CST_ON_DEBUG };

int cst_etmv3_stage_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	struct etmv3_stage *s = stage;

	(void)user;
	s->cfg = cfg;
	s->stats = stats;
	cst_etmv3_stage_reset(s, CST_UNSYNC_INIT, 0);
	return 0;
}

/*
 * True if the count of cycles before a non-periodic I-sync with this reason is not to be used: through an overflow in ETMv3.0
 * and 3.5, and through debug state in ETMv3.0 (IHI 0014Q 7.3.4).
 */
static int gap_uncounted(const struct cst_config *cfg, unsigned int reason)
{
	if (quirk(cfg, QUIRK_CYCLES_KNOWN))
		return 0;
	return (reason == ETMV3_OVERFLOW && (cfg->version == 0x30 || cfg->version == 0x35)) ||
	       (reason == ETMV3_DEBUG && cfg->version == 0x30);
}

static void forget(struct etmv3_stage *s)
{
	memset(&s->ctx, 0, sizeof(s->ctx));
	s->next_addr_known = 0;
	/* the last non-periodic I-sync may have been that after an overflow */
	s->gap_uncounted = gap_uncounted(s->cfg, ETMV3_OVERFLOW);
}

void cst_etmv3_stage_reset(void *stage, uint8_t reason, int config)
{
	struct etmv3_stage *s = stage;

	s->state = ETMV3_WAIT_ASYNC;
	s->started = s->ended = 0;
	s->config = config;
	s->reason = reason;
	s->doubtful = s->left_held;
	s->left_held = 0;
	s->head = s->ready = s->count = 0;
	forget(s);
}

/* Queues an element, which is held until etmv3_settle(). */
static struct cst_element *push(struct etmv3_stage *s, enum cst_element_kind kind, uint64_t index)
{
	struct cst_element *e = &s->elem[s->count++];

	*e = (struct cst_element){ .index = index, .kind = kind };
	return e;
}

/* Queues an element of a packet that does not show if the last instruction was cancelled: held if that one is. */
static struct cst_element *push_aside(struct etmv3_stage *s, enum cst_element_kind kind, uint64_t index)
{
	int held = s->ready < s->count;
	struct cst_element *e;

	if (s->count - s->ready == ETMV3_HELD)
		held = 0;
	e = push(s, kind, index);
	if (!held)
		etmv3_settle(s);
	return e;
}

/* Queues an element of a packet that shows that the last instruction was executed. */
static struct cst_element *push_ready(struct etmv3_stage *s, enum cst_element_kind kind, uint64_t index)
{
	struct cst_element *e = push(s, kind, index);

	etmv3_settle(s);
	return e;
}

static void no_sync(struct etmv3_stage *s, uint64_t index, unsigned int reason, int error, unsigned int flags)
{
	struct cst_element *e = push_ready(s, CST_EL_NO_SYNC, index);

	e->num = reason;
	e->value = error;
	e->flags = flags;
}

static void fail(struct etmv3_stage *s, uint64_t index, int error)
{
	no_sync(s, index, CST_UNSYNC_BAD_PACKET, error, CST_EL_F_DOUBTFUL);
	s->stats->resyncs++;
	s->state = ETMV3_WAIT_ASYNC;
	forget(s);
}

void cst_etmv3_stage_restart(void *stage, uint64_t index)
{
	struct etmv3_stage *s = stage;

	no_sync(s, index, CST_UNSYNC_RESET, 0, CST_EL_F_CONFIG);
	s->state = ETMV3_WAIT_ISYNC;
	forget(s);
}

static void finding(struct etmv3_stage *s, unsigned int what, uint64_t index)
{
	push_aside(s, CST_EL_FINDING, index)->num = what;
}

/* Adds the cycles of a packet that counts them only. */
static void cycles(struct cst_element *e, const struct cst_packet *pkt)
{
	e->cc = pkt->cc;
	e->flags |= CST_EL_F_CC;
	e->num = pkt->type == CST_ETMV3_PKT_PHDR;
}

/* Adds the cycles before the last non-periodic I-sync, if they are known; 0 says that the counter overflowed (7.3.4). */
static void gap_cycles(const struct etmv3_stage *s, struct cst_element *e, const struct cst_packet *pkt)
{
	if (!s->gap_uncounted && (pkt->cc || quirk(s->cfg, QUIRK_CYCLES_KNOWN)))
		cycles(e, pkt);
	if (e->kind == CST_EL_CYCLE_COUNT)
		e->flags |= CST_EL_F_GAP;
}

static void fill_atoms(const struct etmv3_stage *s, struct cst_element *e, const struct cst_packet *pkt)
{
	e->bits = e->first_e = pkt->atoms;
	e->n = pkt->n_atoms;
	if (!s->cfg->cycle_count)
		return;
	e->flags = CST_EL_F_CC;
	/* format 1: one cycle before each atom; other formats: all cycles before the first atom */
	e->num = pkt->count == 1;
	e->cc = e->num ? 1 : pkt->cc;
}

static void phdr(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	if (!pkt->n_atoms) {
		if (s->cfg->cycle_count)
			cycles(push_aside(s, CST_EL_CYCLE_COUNT, pkt->index), pkt);
		return;
	}
	etmv3_settle(s);
	fill_atoms(s, push(s, CST_EL_ATOMS, pkt->index), pkt);
}

static struct cst_element *context(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	struct cst_element *e = push(s, CST_EL_CONTEXT, pkt->index);

	e->ctx = s->ctx;
	e->flags = CST_EL_F_ISA;
	return e;
}

static void state(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	s->ctx.security = pkt->security;
	s->ctx.el = pkt->el;
	s->ctx.flags |= CST_CTX_KNOWN;
}

static void isync(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	struct cst_element *e;

	etmv3_settle(s);
	if (pkt->count == ETMV3_OVERFLOW) {
		s->stats->overflows++;
		finding(s, CST_FIND_OVERFLOW, pkt->index);
	}
	if (s->state != ETMV3_SYNCED || pkt->count != ETMV3_PERIODIC) {
		e = push(s, CST_EL_TRACE_ON, pkt->index);
		e->num = on_reason[pkt->count & 3];
		/* the overflow may have lost an exception that cancelled the last instruction (IHI 0014Q 7.3.5) */
		if (pkt->count == ETMV3_OVERFLOW)
			e->flags = CST_EL_F_DOUBTFUL;
	}
	if (pkt->count != ETMV3_PERIODIC) {
		s->next_addr_known = 0;
		s->gap_uncounted = gap_uncounted(s->cfg, pkt->count);
	}
	s->state = ETMV3_SYNCED;
	state(s, pkt);
	if (pkt->flags & CST_PF_CID) {
		s->ctx.context_id = pkt->cid;
		s->ctx.flags |= CST_CTX_CID;
	}
	e = context(s, pkt);
	if (pkt->flags & CST_PF_CC)
		gap_cycles(s, e, pkt);
	if (pkt->flags & CST_PF_ADDR) {
		e->is = pkt->isa;
		e->flags |= CST_EL_F_ADDRESS;
		e = push(s, CST_EL_ADDRESS, pkt->index);
		e->addr = pkt->addr;
		e->is = pkt->isa;
		e->flags = CST_EL_F_ISA;
		if (pkt->flags & CST_ETMV3_PF_LSIP) {
			e->value = pkt->value;
			e->flags |= CST_EL_F_LSIP;
		}
	}
	etmv3_settle(s);
}

static void drop(struct etmv3_stage *s, uint32_t i)
{
	s->count--;
	memmove(&s->elem[i], &s->elem[i + 1], (s->count - i) * sizeof(s->elem[0]));
}

/*
 * Removes the last instruction, which an exception has cancelled (IHI 0014Q 7.3.5), and its exception return (7.6). Its
 * cycles have passed and stay.
 */
static void cancel(struct etmv3_stage *s, uint64_t index)
{
	struct cst_element *e = &s->elem[s->ready];
	uint32_t i, spent;

	if (s->ready == s->count) {
		finding(s, CST_FIND_ETMV3_CANCEL, index);
		return;
	}
	for (i = s->ready + 1; i < s->count; i++)
		if (s->elem[i].kind == CST_EL_EXC_RETURN)
			drop(s, i--);
	if (e->kind == CST_EL_ATOMS) {
		e->n--;
		spent = e->n ? e->num : e->cc;
		if (spent) {
			if (e->n) {
				memmove(e + 1, e, (s->count - s->ready) * sizeof(*e));
				s->count++;
				e++;
			}
			e->kind = CST_EL_CYCLE_COUNT;
			e->cc = spent;
			e->flags = CST_EL_F_CC;
		} else if (!e->n) {
			drop(s, s->ready);
		}
	} else {
		drop(s, s->ready);
	}
	etmv3_settle(s);
}

static void branch(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	struct cst_element *e;

	if (pkt->flags & CST_ETMV3_PF_CANCEL)
		cancel(s, pkt->index);
	else
		etmv3_settle(s);
	if (pkt->flags & CST_ETMV3_PF_STATE && (s->ctx.security != pkt->security || s->ctx.el != pkt->el)) {
		state(s, pkt);
		/* the context is valid from the branch's target on */
		e = context(s, pkt);
		e->is = pkt->isa;
		e->flags |= CST_EL_F_ADDRESS;
	}
	if (pkt->flags & CST_ETMV3_PF_EXCEPTION && pkt->exc_type)
		push(s, CST_EL_EXCEPTION, pkt->index)->num = pkt->exc_type;
	e = push_ready(s, CST_EL_ADDRESS, pkt->index);
	e->addr = pkt->addr;
	e->is = pkt->isa;
	e->flags = CST_EL_F_ISA;
}

static void exception_exit(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	int m = s->cfg->profile == CST_PROFILE_M;

	if (m)
		etmv3_settle(s);
	push(s, CST_EL_EXC_RETURN, pkt->index);
	if (s->count - s->ready > ETMV3_HELD)
		etmv3_settle(s);
	if (m && s->cfg->data_trace)
		push_aside(s, CST_EL_DATA, pkt->index)->num = CST_DATA_STACKING;
}

static void data(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	struct cst_element *e = push_aside(s, CST_EL_DATA, pkt->index);
	int word = 0;

	switch (pkt->type) {
	case CST_ETMV3_PKT_STORE_FAILED:
		e->num = CST_DATA_STORE_FAILED;
		return;
	case CST_ETMV3_PKT_SUPPRESSED:
		e->num = CST_DATA_SUPPRESSED;
		s->stats->data_lost++;
		s->next_addr_known = 0;
		return;
	case CST_ETMV3_PKT_EXC_ENTRY:
		e->num = CST_DATA_STACKING;
		return;
	case CST_ETMV3_PKT_OOO_DATA:
		e->num = CST_DATA_LATE;
		break;
	case CST_ETMV3_PKT_OOO_PLACE:
		e->num = CST_DATA_PENDING;
		word = 1;
		break;
	case CST_ETMV3_PKT_NOT_TRACED:
		e->num = CST_DATA_NOT_TRACED;
		word = 1;
		break;
	default:
		e->num = 0;
		word = 1;
	}
	e->value = pkt->value;
	e->n = pkt->vsize;
	e->is = pkt->tag;
	if (pkt->flags & CST_ETMV3_PF_VALUE)
		e->num |= CST_DATA_VALUE;
	if (pkt->flags & CST_ETMV3_PF_BIG_ENDIAN)
		e->num |= CST_DATA_BIG_ENDIAN;
	if (pkt->flags & CST_PF_ADDR) {
		s->next_addr = pkt->addr;
		s->next_addr_known = 1;
	}
	/* only the first packet of a load or store of several words has an address (IHI 0014Q 7.4) */
	if (word && s->next_addr_known) {
		e->addr = s->next_addr;
		e->num |= CST_DATA_ADDR;
		s->next_addr += 4;
	}
}

static void timestamp(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	struct cst_element *e;

	if (pkt->flags & CST_ETMV3_PF_TIME_PART) {
		s->stats->times_unknown++;
		finding(s, CST_FIND_TIME_UNKNOWN, pkt->index);
	}
	e = push_aside(s, CST_EL_TIMESTAMP, pkt->index);
	e->value = pkt->ts;
	e->addr = pkt->value;
}

static void identity(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	if (pkt->type == CST_ETMV3_PKT_CONTEXT_ID) {
		s->ctx.context_id = pkt->cid;
		s->ctx.flags |= CST_CTX_CID;
	} else {
		s->ctx.vmid = pkt->vmid;
		s->ctx.flags |= CST_CTX_VMID;
	}
}

static void synced_packet(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	int waited = s->ready < s->count;

	switch (pkt->type) {
	case CST_ETMV3_PKT_PHDR:
		phdr(s, pkt);
		break;
	case CST_ETMV3_PKT_BRANCH:
	case CST_ETMV3_PKT_BRANCH_INFO:
		branch(s, pkt);
		break;
	case CST_ETMV3_PKT_ISYNC:
	case CST_ETMV3_PKT_ISYNC_CYCLE:
		isync(s, pkt);
		break;
	case CST_ETMV3_PKT_CYCLE_COUNT:
		gap_cycles(s, push_aside(s, CST_EL_CYCLE_COUNT, pkt->index), pkt);
		break;
	case CST_ETMV3_PKT_TRIGGER:
		push_aside(s, CST_EL_EVENT, pkt->index)->num = CST_EVENT_TRIGGER;
		break;
	case CST_ETMV3_PKT_TIMESTAMP:
		timestamp(s, pkt);
		break;
	case CST_ETMV3_PKT_CONTEXT_ID:
	case CST_ETMV3_PKT_VMID:
		identity(s, pkt);
		etmv3_settle(s);
		context(s, pkt);
		etmv3_settle(s);
		break;
	case CST_ETMV3_PKT_EXC_EXIT:
		exception_exit(s, pkt);
		break;
	case CST_ETMV3_PKT_DATA:
	case CST_ETMV3_PKT_OOO_DATA:
	case CST_ETMV3_PKT_OOO_PLACE:
	case CST_ETMV3_PKT_NOT_TRACED:
	case CST_ETMV3_PKT_SUPPRESSED:
	case CST_ETMV3_PKT_STORE_FAILED:
	case CST_ETMV3_PKT_EXC_ENTRY:
		data(s, pkt);
		break;
	}
	/* the reference holds an exception return, too */
	if (quirk(s->cfg, QUIRK_HOLDS_ONE) && pkt->type != CST_ETMV3_PKT_EXC_EXIT &&
	    (pkt->type != CST_ETMV3_PKT_PHDR || pkt->n_atoms != 1 || waited))
		etmv3_settle(s);
}

/* Handles a packet between A-sync and I-sync: timestamps and cycles are reported, other packets are counted as lost. */
static void early_packet(struct etmv3_stage *s, const struct cst_packet *pkt)
{
	switch (pkt->type) {
	case CST_ETMV3_PKT_ASYNC:
	case CST_ETMV3_PKT_IGNORE:
		return;
	case CST_ETMV3_PKT_ISYNC:
	case CST_ETMV3_PKT_ISYNC_CYCLE:
		isync(s, pkt);
		return;
	case CST_ETMV3_PKT_TIMESTAMP:
		timestamp(s, pkt);
		return;
	case CST_ETMV3_PKT_CYCLE_COUNT:
		if (!s->cfg->cycle_count)
			break;
		gap_cycles(s, push_ready(s, CST_EL_CYCLE_COUNT, pkt->index), pkt);
		return;
	case CST_ETMV3_PKT_PHDR:
		if (!s->cfg->cycle_count) {
			s->stats->atoms_lost += pkt->n_atoms;
			break;
		}
		if (pkt->n_atoms)
			fill_atoms(s, push_ready(s, CST_EL_ATOMS, pkt->index), pkt);
		else
			cycles(push_ready(s, CST_EL_CYCLE_COUNT, pkt->index), pkt);
		return;
	case CST_ETMV3_PKT_VMID:
		identity(s, pkt);
		return;
	}
	s->stats->unsynced += pkt->size;
}

void cst_etmv3_stage_packet(void *stage, const struct cst_packet *pkt)
{
	struct etmv3_stage *s = stage;
	int err = packet_error(cst_etmv3_roles, pkt->type, CST_ETMV3_PKT_RESERVED, CST_ERR_UNSUP_HEADER);

	/* elements may be left: a caller that only lists packets does not take them */
	if (s->head == s->count || s->count > ETMV3_HELD)
		s->head = s->ready = s->count = 0;
	s->last_index = pkt->index;
	if (!s->started) {
		s->started = 1;
		no_sync(s, pkt->index, s->reason, 0,
			(s->config ? CST_EL_F_CONFIG : 0) | (s->doubtful ? CST_EL_F_DOUBTFUL : 0));
	}
	if (err) {
		s->stats->bad_packets++;
		s->stats->unsynced += pkt->size;
		/* the last packet of the trace may be cut: no packet was lost before it */
		if (pkt->type != CST_ETMV3_PKT_INCOMPLETE && s->state == ETMV3_SYNCED)
			fail(s, pkt->index, err);
		else if (pkt->type != CST_ETMV3_PKT_INCOMPLETE)
			s->state = ETMV3_WAIT_ASYNC;
		return;
	}
	if (pkt->type == CST_ETMV3_PKT_NOT_SYNC) {
		s->stats->unsynced += pkt->size;
		return;
	}
	if (s->state == ETMV3_WAIT_ASYNC) {
		if (pkt->type == CST_ETMV3_PKT_ASYNC)
			s->state = ETMV3_WAIT_ISYNC;
		else
			s->stats->unsynced += pkt->size;
		return;
	}
	if (s->state == ETMV3_WAIT_ISYNC)
		early_packet(s, pkt);
	else
		synced_packet(s, pkt);
}

void cst_etmv3_stage_end(void *stage)
{
	struct etmv3_stage *s = stage;

	if (s->ended)
		return;
	s->ended = 1;
	push_ready(s, CST_EL_END, s->last_index)->num = CST_UNSYNC_END;
}

int cst_etmv3_stage_leave(void *stage)
{
	struct etmv3_stage *s = stage;

	/* the trace that is missing may have cancelled the last instruction (IHI 0014Q 7.3.5) */
	s->left_held = s->ready < s->count;
	etmv3_settle(s);
	return s->left_held;
}

const struct cst_element *cst_etmv3_stage_take(void *stage)
{
	struct etmv3_stage *s = stage;

	if (s->head < s->ready)
		return &s->elem[s->head++];
	if (s->head && s->head < s->count) {
		/* the held elements move to the front, which makes room for others */
		s->count -= s->head;
		memmove(s->elem, &s->elem[s->head], s->count * sizeof(s->elem[0]));
		s->head = s->ready = 0;
	}
	return NULL;
}

int cst_etmv3_stage_address(const void *stage, uint64_t *addr)
{
	const struct etmv3_stage *s = stage;

	return cst_queued_address(&s->elem[s->head], s->count - s->head, addr);
}

uint64_t cst_etmv3_stage_digest(const void *stage, uint64_t digest)
{
	const struct etmv3_stage *s = stage;
	uint32_t i;

	digest = digest_word(digest, s->state | s->started << 8 | s->ended << 16 | (uint64_t)s->gap_uncounted << 24);
	digest = digest_word(digest, s->next_addr_known | (uint64_t)(s->next_addr_known ? s->next_addr : 0) << 8);
	digest = cst_digest_context(digest, &s->ctx);
	digest = digest_word(digest, (s->count - s->head) | (uint64_t)(s->ready - s->head) << 32);
	for (i = s->head; i < s->count; i++)
		digest = cst_digest_element(digest, &s->elem[i]);
	return digest;
}
