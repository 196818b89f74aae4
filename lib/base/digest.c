/* SPDX-License-Identifier: BSD-3-Clause */
/* digest.c - numbers that stand for bytes and for trace elements. */
#include <cstrace/element.h>
#include <cstrace/flow.h>

#include "base/bits.h"
#include "digest.h"

uint64_t cst_digest_bytes(uint64_t digest, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; len - i >= 8; i += 8)
		digest = digest_word(digest, le_get(p + i, 8));
	if (i < len)
		digest = digest_word(digest, le_get(p + i, len - i));
	return digest_word(digest, len);
}

uint64_t cst_digest_context(uint64_t digest, const struct cst_context *c)
{
	digest = digest_word(digest, c->context_id | (uint64_t)c->vmid << 32);
	return digest_word(digest, c->el | c->security << 8 | c->bits64 << 16 | (uint64_t)c->flags << 24);
}

uint64_t cst_digest_element(uint64_t digest, const struct cst_element *e)
{
	digest = digest_word(digest, e->index);
	digest = digest_word(digest, e->kind | e->flags << 8 | (uint64_t)e->num << 16);
	switch (e->kind) {
	case CST_EL_ATOMS:
		digest = digest_word(digest, e->n | (uint64_t)(e->flags & CST_EL_F_CC ? e->cc : 0) << 8);
		return digest_word(digest, e->bits | (uint64_t)e->first_e << 32);
	case CST_EL_CONTEXT:
		if (e->flags & CST_EL_F_ADDRESS)
			digest = digest_word(digest, e->is);
		return cst_digest_context(digest, &e->ctx);
	case CST_EL_Q:
		digest = digest_word(digest, e->flags & CST_EL_F_COUNT ? e->value : 0);
		/* fall through */
	case CST_EL_EXCEPTION:
		if (!(e->flags & CST_EL_F_ADDRESS))
			return digest;
		/* fall through */
	case CST_EL_ADDRESS:
	case CST_EL_SOURCE_ADDRESS:
		return digest_word(digest_word(digest, e->addr), e->is);
	case CST_EL_TIMESTAMP:
	case CST_EL_TS_MARKER:
	case CST_EL_COND_INSN:
	case CST_EL_COND_RESULT:
	case CST_EL_INSTRUMENTATION:
	case CST_EL_NO_SYNC:
		digest = digest_word(digest, e->value);
		/* fall through */
	case CST_EL_CYCLE_COUNT:
		return digest_word(digest, e->flags & CST_EL_F_CC ? e->cc : 0);
	case CST_EL_BRANCH:
	case CST_EL_WAYPOINT:
	case CST_EL_VECTOR:
	case CST_EL_DATA:
		digest = digest_word(digest_word(digest, e->addr), e->is | (uint64_t)e->n << 8);
		digest = digest_word(digest, e->kind == CST_EL_DATA ? e->value : 0);
		return digest_word(digest, e->flags & CST_EL_F_CC ? e->cc : 0);
	case CST_EL_READY:
		return cst_digest_bytes(digest, e->ready, sizeof(*e->ready));
	}
	return digest;
}
