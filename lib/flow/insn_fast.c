/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_fast.c - the loop over P-headers where the time of an ETMv3 decoder goes: a walk over the graph of blocks
 * of one instruction each. It calls nothing, so that what it needs stays in registers.
 */
#include <string.h>

#include "flow/insn_step.h"

/* `transfers`: a constant; without data trace nobody asks which instruction loaded or stored last. */
static inline __attribute__((always_inline)) enum insns_end walk(struct insns *s, const int transfers)
{
	const struct insn_code *const code = s->code, *c;
	const struct cst_generic *const limit = s->limit;
	const uint32_t linked = s->linked, tflags = s->tflags;
	const struct ids ids = s->ids;
	struct cst_generic *g = s->g;
	const uint8_t *p = s->p, *stop = s->stop;
	struct blk *const base = s->base, *b = s->b;
	uint64_t addr = s->addr, index;
	uint32_t cc = 0, later = 0;
	uint32_t k = s->left, bits = 0, e, next, *link;
	enum insns_end end = INSNS_OTHER;

	index = s->bias + (uintptr_t)p;
	if (k) {
		bits = s->bits;
		cc = s->next_cc;
		later = code[*p].later;
		goto atoms;
	}
	for (; g < limit; p++) {
		if (p >= stop) {
			if (p == s->end)
				break;
			stop = insns_next_run(s, p);
		}
		c = &code[*p];
		k = c->fast;
		index = s->bias + (uintptr_t)p;
		if (k <= 1) {
			if (!k)
				break;
			/* cycles without an instruction */
			g->index = index;
			g->addr = g->end = 0;
			store8(&g->n_insn, pair(0, c->total));
			memcpy(&g->context_id, &s->none, sizeof(s->none));
			store8(&g->flags, flags_alone(tflags));
			g->isa = b ? b->isa : s->f->isa;
			store8(&g->error, 0);
			g++;
			continue;
		}
		if (!insns_settled(s, p)) {
			k = 0;
			end = INSNS_HELD;
			goto out;
		}
		k--;
		bits = c->bits;
		cc = c->first;
		later = c->later;
		if (!b) {
			end = INSNS_BLOCK;
			goto out;
		}
atoms:
		for (;;) {
			e = bits & 1;
			step_range(g++, b, e, addr, addr + (uint32_t)b->step[0], 1, cc, b->off * 2, &ids, index, tflags);
			bits >>= 1;
			cc = later;
			s->insns++;
			link = &b->link[0];
			if (transfers && e && b->flags & BLK_TRANSFER) {
				s->f->transfer = addr;
				s->f->transfer_known = 1;
			}
			if (!e || !step_is_branch(b)) {
				addr += b->step[0];
			} else if (b->type == CST_INSN_BRANCH) {
				s->branches++;
				addr = (uint32_t)(addr + (int64_t)b->step[1]);
				link = &b->link[1];
			} else {
				s->branches++;
				addr = (uint32_t)(addr + b->step[0]);
				insns_lose(s->f, b, addr);
				b = NULL;
				if (!--k)
					break;
				end = INSNS_TORN;
				goto out;
			}
			next = *link & linked;
			if (__builtin_expect(!next, 0)) {
				s->link = link;
				end = INSNS_LINK;
				p += !--k;
				goto out;
			}
			b = BLK_AT(base, next);
			if (!--k)
				break;
		}
	}
	k = 0;
out:
	s->left = k;
	s->bits = bits;
	s->next_cc = cc;
	s->g = g;
	s->p = p;
	s->b = b;
	s->addr = addr;
	return end;
}

static __attribute__((noinline)) enum insns_end walk_transfers(struct insns *s)
{
	return walk(s, 1);
}

enum insns_end cst_flow_insns_each(struct insns *s)
{
	return s->f->cfg->data_trace ? walk_transfers(s) : walk(s, 0);
}
