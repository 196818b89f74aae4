/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_fast.c - the loop over P-headers where the time of an ETMv3 decoder goes: a walk over the graph of blocks
 * of one instruction each. Anything unusual is left to insn.c, a packet at a time.
 */
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/fast_out.h"

/* Put out by one atom packet at most. */
#define ATOMS_MAX 16

/* A number that no block has. */
#define NO_BLOCK 0u

/* Cycles without an instruction. */
static inline struct cst_generic *put_cycles(const struct cst_flow *f, struct cst_generic *g, uint64_t index,
					     uint8_t isa, uint32_t cc)
{
	*g = f->tmpl;
	g->kind = CST_GEN_CYCLE_COUNT;
	g->index = index;
	g->isa = isa;
	g->flags |= CST_GF_CC;
	g->cc = cc;
	return g + 1;
}

/* Everything before `pos` was taken; how much that is. */
static size_t used_up(struct insn_input *in, size_t pos)
{
	size_t used = pos - in->pos;

	in->pos = pos;
	return used;
}

/* `transfers`: a constant; without data trace nobody asks which instruction loaded or stored last. */
static inline __attribute__((always_inline)) size_t walk(struct cst_flow *f, const struct insn_code *code,
							  struct insn_input *in, struct cst_generic *out, size_t *pn,
							  size_t cap, struct insn_mark *mark, const int transfers)
{
	const struct seg *seg = &in->seg[in->seg_i], *const last_seg = &in->seg[in->seg_count - 1];
	size_t i = in->pos, stretch = seg < last_seg ? seg[1].pos : in->len;
	uint64_t bias = seg->offset - seg->pos;
	struct cst_generic *g = out + *pn, *limit;
	const uint8_t *const p = in->p;
	const uint32_t tflags = f->tmpl.flags | (f->cfg->cycle_count ? CST_GF_CC : 0);
	uint64_t ranges = 0, branches = 0, addr = f->addr, tail;
	struct blk *base = NULL, *b;
	struct ids ids = { 0, 0 };
	uint32_t cur, next, linked = 0;

	if (cap - *pn < ATOMS_MAX + FLOW_ROOM)
		return 0;
	limit = out + cap - (ATOMS_MAX + FLOW_ROOM);
	if (!f->map_len || f->map_space != f->space || f->map_gen != f->space->generation ||
	    f->img_gen != f->map_sec->img->generation)
		f->blk = NO_BLOCK;
	cur = f->blk;
	if (cur) {
		base = f->map_sec->img->blk;
		linked = links_hold(f) ? ~0u : 0;
		ids = ids_of(f);
	}
	tail = tail_of(f);
	for (; i < in->len; i++) {
		const struct insn_code *c = &code[(p[i] & 0x7f) >> 1];
		uint32_t bits = c->bits, k = c->n, cc = c->first;
		uint64_t index;

		if ((p[i] & 0x81) != 0x80 || !c->fast || g > limit)
			break;
		while (i >= stretch) {
			seg++;
			stretch = seg < last_seg ? seg[1].pos : in->len;
			bias = seg->offset - seg->pos;
		}
		index = bias + i;
		if (!k) {
			if (c->cycles)
				g = put_cycles(f, g, index, cur ? base[cur].isa : f->isa, cc);
			continue;
		}
		/* the rest of an IT block is for the careful way, as its IT was */
		if (f->not_fast)
			break;
		mark->pos = i;
		mark->from = g;
		if (transfers) {
			mark->transfer = f->transfer;
			mark->transfer_known = f->transfer_known;
		}
		do {
			uint32_t e = bits & 1;
			uint64_t end;

			if (!cur) {
				f->addr = addr;
				cur = cst_flow_block(f);
				if (!cur)
					goto back;
				base = f->map_sec->img->blk;
				linked = links_hold(f) ? ~0u : 0;
				ids = ids_of(f);
			}
			b = &base[cur];
			end = addr + b->len;
			g->index = index;
			g->addr = addr;
			g->end = end;
			store8(&g->n_insn, pair(1, cc));
			memcpy(&g->context_id, &ids, sizeof(ids));
			store8(&g->kind, tail | load8(b->zero0));
			store8(&g->flags, flags_word(tflags | b->gflags | e, b->off * 2));
			g++;
			ranges++;
			cc = c->later;
			bits >>= 1;
			if (transfers && e && b->flags & BLK_TRANSFER) {
				f->transfer = addr;
				f->transfer_known = 1;
			}
			if (!e || (b->type != CST_INSN_BRANCH && b->type != CST_INSN_INDIRECT)) {
				addr = end;
				next = b->link_n & linked;
			} else if (b->type == CST_INSN_BRANCH) {
				branches++;
				addr += (int64_t)b->disp;
				next = b->link_e & linked;
			} else {
				branches++;
				addr = (uint32_t)end;
				f->isa = b->isa;
				f->need_addr = 1;
				f->told = 0;
				cur = NO_BLOCK;
				if (k > 1)
					goto back;
				continue;
			}
			if (!next) {
				uint32_t gen = f->img_gen, from = cur;
				const struct cst_section *sec = f->map_sec;
				uint64_t map_bias = f->map_bias;

				f->isa = e && b->type == CST_INSN_BRANCH ? b->next_isa : b->isa;
				addr = (uint32_t)addr;
				f->addr = addr;
				next = cst_flow_block(f);
				if (next) {
					base = f->map_sec->img->blk;
					linked = links_hold(f) ? ~0u : 0;
					ids = ids_of(f);
					/* a link is good while the cache is not emptied, within one map */
					if (linked && f->img_gen == gen && f->map_sec == sec && f->map_bias == map_bias) {
						if (e && base[from].type == CST_INSN_BRANCH)
							base[from].link_e = next;
						else
							base[from].link_n = next;
					}
				}
			}
			cur = next;
		} while (--k);
	}
	f->addr = addr;
	f->blk = cur;
	if (cur)
		f->isa = base[cur].isa;
	f->stats->insns += ranges;
	f->stats->ranges += ranges;
	f->stats->branches += branches;
	*pn = g - out;
	return used_up(in, i);
back:
	/* the packet that could not be done wholly is undone */
	f->stats->insns += ranges;
	f->stats->ranges += ranges;
	f->stats->branches += branches;
	*pn = g - out;
	cst_flow_back(f, mark, out, pn);
	mark->from = NULL;
	return used_up(in, i);
}

static __attribute__((noinline)) size_t walk_transfers(struct cst_flow *f, const struct insn_code *code,
							struct insn_input *in, struct cst_generic *out, size_t *pn,
							size_t cap, struct insn_mark *mark)
{
	return walk(f, code, in, out, pn, cap, mark, 1);
}

size_t cst_flow_fast_insns(struct cst_flow *f, const struct insn_code *code, struct insn_input *in,
			   struct cst_generic *out, size_t *pn, size_t cap, struct insn_mark *mark)
{
	if (f->cfg->data_trace)
		return walk_transfers(f, code, in, out, pn, cap, mark);
	return walk(f, code, in, out, pn, cap, mark, 0);
}

void cst_flow_back(struct cst_flow *f, const struct insn_mark *mark, const struct cst_generic *out, size_t *n)
{
	const struct cst_generic *g, *const end = out + *n;

	for (g = mark->from; g < end; g++) {
		if (g->kind != CST_GEN_RANGE)
			continue;
		f->stats->ranges--;
		f->stats->insns--;
		if (g->flags & CST_GF_EXEC &&
		    (g->last_type == CST_INSN_BRANCH || g->last_type == CST_INSN_INDIRECT))
			f->stats->branches--;
	}
	if (mark->from < end) {
		f->addr = mark->from->addr;
		f->isa = mark->from->isa;
		f->need_addr = f->told = 0;
	}
	f->blk = NO_BLOCK;
	if (f->cfg->data_trace) {
		f->transfer = mark->transfer;
		f->transfer_known = mark->transfer_known;
	}
	*n = mark->from - out;
}
