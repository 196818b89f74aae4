/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ready.c - element stage of protocols without program flow (ready.h): synchronisation and losses.
 */
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/log.h>

#include "base/digest.h"
#include "protocols/protocol/ready.h"

void cst_ready_reset(void *stage, uint8_t reason, int config)
{
	struct ready_stage *s = stage;

	s->n = s->taken = 0;
	s->synced = s->started = 0;
	s->reason = reason;
	s->config = !!config;
	memset(s->own, 0, sizeof(s->own));
}

int cst_ready_init(void *stage, const struct cst_config *cfg, struct cst_stats *stats, void *user)
{
	struct ready_stage *s = stage;

	(void)user;
	s->cfg = cfg;
	s->stats = stats;
	cst_ready_reset(s, CST_UNSYNC_INIT, 0);
	return 0;
}

static struct cst_element *push(struct ready_stage *s, enum cst_element_kind kind, uint64_t index)
{
	struct cst_element *e = &s->elem[s->n < READY_ELEMENTS ? s->n++ : READY_ELEMENTS - 1];

	memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->index = index;
	return e;
}

static void push_no_sync(struct ready_stage *s, uint64_t index, uint8_t reason, int err, uint8_t flags)
{
	struct cst_element *e = push(s, CST_EL_NO_SYNC, index);

	e->num = reason;
	e->value = err;
	e->flags = flags;
}

void cst_ready_restart(void *stage, uint64_t index)
{
	struct ready_stage *s = stage;

	push_no_sync(s, index, CST_UNSYNC_RESET, 0, CST_EL_F_CONFIG);
	memset(s->own, 0, sizeof(s->own));
}

uint64_t cst_ready_digest(const void *stage, uint64_t digest)
{
	const struct ready_stage *s = stage;

	return cst_digest_bytes(digest_word(digest, s->synced), s->own, sizeof(s->own));
}

void cst_ready_lost(struct ready_stage *s, uint64_t *count, enum cst_finding what)
{
	++*count;
	push(s, CST_EL_FINDING, s->last_index)->num = what;
}

/* Counts a packet that cannot be decoded, and ends synchronisation with a NO_SYNC element. */
static void bad_packet(struct ready_stage *s, const struct cst_packet *pkt, int err)
{
	unsigned int was_synced = s->synced;

	s->stats->bad_packets++;
	s->stats->unsynced += pkt->size;
	s->synced = 0;
	/* the last packet of the trace may be cut: no packet was lost before it */
	if (!was_synced || err == CST_ERR_INCOMPLETE)
		return;
	s->stats->resyncs++;
	push_no_sync(s, pkt->index, CST_UNSYNC_BAD_PACKET, err, 0);
	memset(s->own, 0, sizeof(s->own));
}

void cst_ready_packet(struct ready_stage *s, const struct cst_packet *pkt, const struct ready_protocol *pr)
{
	/* elements may be left: a caller that only lists packets does not take them */
	s->n = s->taken = 0;
	s->last_index = pkt->index;
	if (!s->started) {
		s->started = 1;
		push_no_sync(s, pkt->index, s->reason, 0, s->config ? CST_EL_F_CONFIG : 0);
	}
	switch (pr->roles[pkt->type]) {
	case CST_ROLE_NOT_SYNC:
		s->stats->unsynced += pkt->size;
		return;
	case CST_ROLE_BAD:
		bad_packet(s, pkt, packet_error(pr->roles, pkt->type, pr->reserved, CST_ERR_NO_LENGTH));
		return;
	case CST_ROLE_ASYNC:
		s->synced = 1;
		return;
	}
	if (!s->synced && pr->tries) {
		s->synced = 1;
		cst_ready_lost(s, &s->stats->boundaries_tried, CST_FIND_ITM_BOUNDARY);
	}
	switch (pr->roles[pkt->type]) {
	case CST_ROLE_LOSS:
		if (!pr->own_losses)
			cst_ready_lost(s, &s->stats->overflows, CST_FIND_OVERFLOW);
		break;
	case CST_ROLE_DISCARD:
		cst_ready_lost(s, &s->stats->discards, CST_FIND_DISCARD);
		break;
	}
	if (!s->synced || !pr->element(s, pkt, &s->gen))
		return;
	s->gen.index = s->last_index;
	push(s, CST_EL_READY, s->last_index)->ready = &s->gen;
}

void cst_ready_end(void *stage)
{
	struct ready_stage *s = stage;

	push(s, CST_EL_END, s->last_index)->num = CST_UNSYNC_END;
}

const struct cst_element *cst_ready_take(void *stage)
{
	struct ready_stage *s = stage;

	return s->taken < s->n ? &s->elem[s->taken++] : NULL;
}
