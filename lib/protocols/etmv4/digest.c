/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c - a number that stands for the state of the element stage (struct protocol.stage_digest). */
#include "base/digest.h"
#include "protocols/etmv4/queue.h"

uint64_t cst_etmv4_queue_digest(const void *queue, uint64_t digest)
{
	const struct etmv4_queue *q = queue;
	uint32_t i;

	digest = digest_word(digest, q->count | (uint64_t)q->committed.final << 32);
	digest = digest_word(digest, q->depth | (uint64_t)q->unseen << 32);
	digest =
		digest_word(digest, q->trans.trans_scan | (uint64_t)q->committed.final_atoms << 32 |
					    (uint64_t)q->state << 40 | (uint64_t)q->overflow << 48 |
					    (uint64_t)q->trans.trans_open << 56);
	digest = digest_word(digest, q->ctx_seen | q->ended << 8 | q->config << 16 |
					     (uint64_t)q->exc.exc_pending << 24 |
					     (uint64_t)q->trans.in_trans << 32);
	digest = digest_word(digest, q->cond.cond_c | (uint64_t)q->cond.cond_r << 32);
	if (q->exc.exc_pending)
		digest = digest_word(digest_word(digest,
						 q->exc.exc_num | (uint64_t)q->exc.exc_flags << 16),
				     q->exc.exc_index);
	for (i = 0; i < q->count; i++) {
		digest = cst_digest_element(digest, at(q, i));
		if (is_transaction(at(q, i)))
			digest = digest_word(digest, at(q, i)->n);
	}
	return digest;
}
