/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_fast.c - the loop over P-headers where the time of an ETMv3 decoder goes: a walk over the graph of blocks
 * of one instruction each. It calls nothing, so that what it needs stays in registers.
 */
#include <string.h>

#include "flow/insn_step.h"

/* The byte at s->p begins a run of trace offsets. */
static inline void next_run(struct insns *s)
{
	do {
		s->seg++;
		s->stop = s->seg < s->last_seg ? s->data + s->seg[1].pos : s->end;
	} while (s->stop <= s->p);
	s->bias = s->seg->offset - s->seg->pos - (uintptr_t)s->data;
}

/* `transfers`: a constant; without data trace nobody asks which instruction loaded or stored last. */
static inline __attribute__((always_inline)) enum insns_end walk(struct insns *s, const int transfers)
{
	const struct insn_code *const code = s->code;
	const struct cst_generic *const limit = s->limit;
	const uint32_t linked = s->linked, tflags = s->tflags;
	const struct ids ids = s->ids;
	struct cst_generic *g = s->g;
	const uint8_t *p = s->p, *stop = s->stop;
	struct blk *const base = s->base, *b = s->b;
	uint64_t addr = s->addr, index, cc, later;
	uint32_t k = s->left, bits = s->bits, e, next, *link;
	enum insns_end end = INSNS_OTHER;

	index = s->bias + (uintptr_t)p;
	if (k) {
		cc = later = pair(1, code[*p].later);
		goto atoms;
	}
	for (; g < limit; p++) {
		const struct insn_code *c;

		if (p >= stop) {
			if (p == s->end)
				break;
			s->p = p;
			next_run(s);
			stop = s->stop;
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
			store8(&g->n_insn, pair(0, c->first));
			memcpy(&g->context_id, &s->none, sizeof(s->none));
			store8(&g->flags, flags_alone(tflags));
			g->isa = b ? b->isa : s->f->isa;
			store8(&g->error, 0);
			g++;
			continue;
		}
		if (!b) {
			k = 0;
			end = INSNS_BLOCK;
			break;
		}
		k--;
		s->mark = p;
		s->mark_from = g;
		s->mark_blk = b;
		if (transfers) {
			s->mark_transfer = s->f->transfer;
			s->mark_transfer_known = s->f->transfer_known;
		}
		s->insns += k;
		bits = c->bits;
		cc = pair(1, c->first);
		later = pair(1, c->later);
atoms:
		for (;;) {
			e = bits & 1;
			g->index = index;
			g->addr = addr;
			g->end = addr + b->step[0];
			store8(&g->n_insn, cc);
			memcpy(&g->context_id, &ids, sizeof(ids));
			store8(&g->flags, flags_word(b, tflags | e));
			store8(&g->error, pair(0, b->off * 2));
			g++;
			bits >>= 1;
			cc = later;
			link = &b->link[0];
			if (transfers && e && b->flags & BLK_TRANSFER) {
				s->f->transfer = addr;
				s->f->transfer_known = 1;
			}
			_Static_assert(CST_INSN_BRANCH == 1 && CST_INSN_INDIRECT == 2, "two types that may go elsewhere");
			if (e && b->type - 1u <= 1) {
				s->branches++;
				if (b->type == CST_INSN_INDIRECT) {
					addr = (uint32_t)(addr + b->step[0]);
					s->f->isa = b->isa;
					s->f->it = s->f->told = 0;
					s->f->need_addr = 1;
					b = NULL;
					if (k > 1) {
						end = INSNS_TORN;
						goto out;
					}
					break;
				}
				addr = (uint32_t)(addr + (int64_t)b->step[1]);
				link = &b->link[1];
			} else {
				addr += b->step[0];
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
		k = 0;
	}
	k = 0;
out:
	s->left = k;
	s->bits = bits;
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

enum insns_end cst_flow_insns_fast(struct insns *s)
{
	return s->f->cfg->data_trace ? walk_transfers(s) : walk(s, 0);
}

/* A block is named by its key alone from here on, as what comes may empty the cache. */
static void settle_mark(struct insns *s)
{
	if (s->mark && s->mark_blk)
		s->mark_key = blk_own_key(s->mark_blk);
	s->mark_blk = NULL;
}

static int found(struct insns *s, uint32_t nb)
{
	s->addr = s->f->addr;
	s->b = NULL;
	if (!nb)
		return 0;
	insns_map(s);
	s->b = BLK_AT(s->base, nb);
	return 1;
}

int cst_flow_insns_find(struct insns *s)
{
	struct cst_flow *f = s->f;

	settle_mark(s);
	if (f->need_addr | f->need_ctx | f->careful)
		return 0;
	f->addr = s->addr;
	return found(s, cst_flow_block(f));
}

int cst_flow_insns_follow(struct insns *s)
{
	struct cst_flow *f = s->f;
	const struct cst_section *sec = f->map_sec;
	const struct blk *b = s->b;
	uint64_t bias = f->map_bias;
	uint32_t gen = f->img_gen, nb;
	unsigned int key = b->type == CST_INSN_BRANCH && s->link == &b->link[0] ? b->isa : blk_next_key(b);

	settle_mark(s);
	f->addr = (uint32_t)s->addr;
	f->isa = blk_key_isa(key);
	f->it = blk_key_it(key);
	nb = cst_flow_block(f);
	/* a link is good while the cache is not emptied, within one map */
	if (nb && s->linked && f->img_gen == gen && f->map_sec == sec && f->map_bias == bias && links_hold(f))
		*s->link = nb;
	return found(s, nb);
}

void cst_flow_insns_back(struct insns *s)
{
	struct cst_flow *f = s->f;
	const struct cst_generic *g;

	settle_mark(s);
	for (g = s->mark_from; g < s->g; g++)
		if (g->kind == CST_GEN_RANGE && g->flags & CST_GF_EXEC &&
		    (g->last_type == CST_INSN_BRANCH || g->last_type == CST_INSN_INDIRECT))
			s->branches--;
	s->insns -= s->code[*s->mark].n;
	s->g = s->mark_from;
	s->p = s->mark;
	s->mark = NULL;
	s->left = 0;
	s->b = NULL;
	s->addr = s->mark_from->addr;
	f->isa = blk_key_isa(s->mark_key);
	f->it = blk_key_it(s->mark_key);
	f->need_addr = f->told = 0;
	if (f->cfg->data_trace) {
		f->transfer = s->mark_transfer;
		f->transfer_known = s->mark_transfer_known;
	}
}
