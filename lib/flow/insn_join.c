/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_join.c - the loop over P-headers where ranges go on over instructions that follow each other: it counts
 * instructions of a block, and looks at them only where the range ends. It calls nothing, so that what it needs stays
 * in registers.
 */
#include <string.h>

#include "flow/insn_step.h"

/* Of a block, so many instructions go by before anybody has to look. */
static inline uint32_t room(const struct blk *b)
{
	return b ? b->n_insn - 1u : 0;
}

enum insns_end cst_flow_insns_joined(struct insns *s)
{
	const struct insn_code *const code = s->code, *c;
	const uint32_t linked = s->linked, tflags = s->tflags;
	struct cst_generic *g = s->g;
	const uint8_t *p = s->p, *stop = s->stop;
	struct blk *const base = s->base, *b = s->b;
	uint64_t addr = s->addr;
	uint32_t k = s->left, bits = 0, cc = s->cc, ord = s->ord, add = 0, later = 0;
	uint32_t e, run, next, *link, most;
	enum insns_end end = INSNS_OTHER;

	if (k) {
		bits = s->bits;
		add = s->next_cc;
		later = code[*p].later;
		goto atoms;
	}
	most = room(b);
	for (;;) {
		if (p >= stop) {
			if (p == s->end)
				break;
			stop = insns_next_run(s, p);
		}
		c = &code[*p];
		run = ord + c->run;
		if (__builtin_expect(run <= most, 1)) {
			ord = run;
			cc += c->total;
			p++;
			continue;
		}
		if (!c->fast || g >= s->limit)
			break;
		if (!insns_settled(s, p)) {
			k = 0;
			end = INSNS_HELD;
			goto out;
		}
		k = c->n;
		bits = c->bits;
		add = c->first;
		later = c->later;
atoms:
		for (;;) {
			if (!b) {
				end = INSNS_BLOCK;
				goto out;
			}
			/* those up to the block's last one */
			run = (uint32_t)__builtin_ctz(~(uint32_t)bits);
			if (run > k)
				run = k;
			if (run > b->n_insn - 1u - ord)
				run = b->n_insn - 1u - ord;
			if (run) {
				cc += add + (run - 1) * later;
				add = later;
				ord += run;
				bits >>= run;
				k -= run;
			}
			if (!k)
				break;
			if (ord < b->n_insn - 1u) {
				end = INSNS_SKIP;
				goto out;
			}
			/* the waypoint */
			e = bits & 1;
			bits >>= 1;
			cc += add;
			add = later;
			/* a range that goes on keeps its beginning */
			step_range(g, b, e, s->before ? g->addr : addr, addr + (uint32_t)b->step[0], s->before + b->n_insn, cc,
				   s->before ? g->sect_off : b->off * 2, &s->ids, s->bias + (uintptr_t)p, tflags);
			g++;
			s->ranges++;
			s->insns += s->before + b->n_insn - s->counted;
			s->before = s->counted = cc = ord = 0;
			link = &b->link[0];
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
			s->it = 0;
			next = *link & linked;
			if (__builtin_expect(!next, 0)) {
				s->link = link;
				end = INSNS_LINK;
				p += !--k;
				s->since = p;
				goto out;
			}
			b = BLK_AT(base, next);
			if (!--k)
				break;
		}
		s->since = ++p;
		most = room(b);
	}
	k = 0;
out:
	s->left = k;
	s->bits = bits;
	s->next_cc = add;
	s->g = g;
	s->p = p;
	s->b = b;
	s->addr = addr;
	s->cc = cc;
	s->ord = ord;
	return end;
}

void cst_flow_insns_back(struct insns *s)
{
	const struct insn_code *c;
	const uint8_t *p = s->p;
	uint32_t cc = 0;

	while (p > s->since) {
		c = &s->code[*--p];
		cc += c->total;
		if (!c->run)
			continue;
		s->ord -= c->run;
		s->cc -= cc;
		s->p = p;
		return;
	}
}
