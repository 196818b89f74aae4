/* SPDX-License-Identifier: BSD-3-Clause */
/* same.c - compares two element stages for an index (struct protocol.stage_same). */
#include "etmv4/etmv4.h"
#include "digest.h"

static const struct cst_element *at(const struct etmv4_queue *q, uint32_t i)
{
	return &q->ring[(q->head + i) & (q->cap - 1)];
}

int cst_etmv4_queue_same(const void *one, const void *other)
{
	const struct etmv4_queue *a = one, *b = other;
	uint32_t i;

	if (a->count != b->count || a->depth != b->depth || a->unseen != b->unseen || a->final != b->final ||
	    a->final_atoms != b->final_atoms || a->state != b->state || a->exc_pending != b->exc_pending ||
	    a->overflow != b->overflow || a->trans_open != b->trans_open || a->trans_scan != b->trans_scan ||
	    a->ctx_seen != b->ctx_seen || a->cond_c != b->cond_c || a->cond_r != b->cond_r || a->ended != b->ended || a->config != b->config)
		return 0;
	if (a->exc_pending && (a->exc_num != b->exc_num || a->exc_flags != b->exc_flags ||
			       a->exc_index != b->exc_index))
		return 0;
	for (i = 0; i < a->count; i++)
		if (cst_digest_element(DIGEST_START, at(a, i)) != cst_digest_element(DIGEST_START, at(b, i)))
			return 0;
	return 1;
}
