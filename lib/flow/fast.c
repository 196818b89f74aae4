/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fast.c - the loop over atom packets where the time goes: a walk over the graph of decoded blocks.
 * It knows only what is common; anything else is left, atom by atom, to flow.c and walk.c.
 */
#include <stddef.h>
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/fast_out.h"

static inline __attribute__((always_inline)) uint32_t target_block(struct cst_flow *f)
{
	struct blk *from = NULL;
	uint32_t nb, gen = f->img_gen;
	const struct cst_section *sec = f->map_sec;
	struct blk *base;

	if (f->from && f->map_len && f->map_sec == f->from_sec && links_hold(f)) {
		base = sec->img->blk;
		from = &base[f->from];
		nb = from->link_e;
		if (nb && blk_off(&base[nb]) == f->addr - f->map_bias && base[nb].isa == f->isa)
			return nb;
	}
	nb = cst_flow_block(f);
	if (nb && from && f->img_gen == gen && f->map_sec == sec && links_hold(f))
		from->link_e = nb;
	return nb;
}

uint32_t cst_flow_target_block(struct cst_flow *f)
{
	return target_block(f);
}

/* An atom N of a block that ends without a condition. */
static __attribute__((noinline)) int forbidden(struct cst_flow *f, const struct blk *b)
{
	if (f->cfg->checks && cst_flow_forbids_n(f, b->type, b->isa, (int64_t)b->disp - (b->len - b->last_size),
						 b->last_size))
		return 1;
	f->stats->image_conflicts += b->isa == CST_ISA_A64;
	return 0;
}

size_t cst_flow_fast(struct cst_flow *f, const struct atom_code *code, const uint8_t *p, size_t len,
		     uint64_t index, struct cst_generic *out, size_t *pn, size_t cap)
{
	struct cst_generic *g = out + *pn, *const limit = out + cap;
	uint64_t insns = 0, branches = 0, others = 0;
	uint64_t addr, tail;
	struct ids ids;
	const uint32_t tflags = f->tmpl.flags;
	const int stack = f->cfg->ret_stack && !f->no_push;
	uint32_t cur, next, bits, linked;
	unsigned int k = 0;
	struct blk *base, *b;
	size_t i = 0;

	if (f->not_fast)
		return 0;
	/* the careful way finds out */
	if (f->after_n && f->addr != f->next_n)
		return 0;
	if (!f->map_len || f->map_space != f->space || f->map_gen != f->space->generation ||
	    f->img_gen != f->map_sec->img->generation)
		f->blk = f->from = 0;
	if (!f->blk) {
		f->blk = target_block(f);
		f->from = 0;
		if (!f->blk)
			return 0;
	}
	tail = tail_of(f, CST_GEN_RANGE);
	base = f->map_sec->img->blk;
	linked = links_hold(f) ? ~0u : 0;
	ids = ids_of(f);
	cur = f->blk;
	addr = f->addr;
	bits = 0;
	f->popped = 0;

	for (; i < len; i++, index++) {
		if (p[i] < 0xc0)
			break;
		bits = code[p[i] - 0xc0].bits;
		k = code[p[i] - 0xc0].n;
		if ((size_t)(limit - g) < k + FLOW_ROOM) {
			k = 0;
			break;
		}
		do {
			uint64_t end;
			uint32_t e = bits & 1;

			b = &base[cur];
			end = addr + b->len;
			g->index = index;
			g->addr = addr;
			g->end = end;
			store8(&g->n_insn, pair(b->n_insn, 0));
			memcpy(&g->context_id, &ids, sizeof(ids));
			store8(&g->kind, tail | load8(b->zero0));
			_Static_assert(CST_GF_EXEC == 1, "an atom's bit is the flag");
			store8(&g->flags, flags_word(tflags | b->gflags | e, b->off * 2));
			g++;
			insns += b->n_insn;
			bits >>= 1;
			k--;
			if (!e) {
				if (b->flags & BLK_ALWAYS && forbidden(f, b)) {
					g--;
					insns -= b->n_insn;
					goto mismatch;
				}
				addr = end;
				next = b->link_n & linked;
			} else if (b->type == CST_INSN_BRANCH) {
				branches++;
				if (b->flags & BLK_LINK && stack)
					push_call(f, end, b->isa, cur);
				addr += (int64_t)b->disp;
				next = b->link_e & linked;
			} else if (b->type == CST_INSN_INDIRECT) {
				branches++;
				if (b->flags & BLK_LINK && stack)
					push_call(f, end, b->isa, cur);
				goto indirect;
			} else {
				addr = end;
				next = b->link_n & linked;
			}
			/* blocks that are linked are in one map: no wrap at 4 GiB between them */
			if (next) {
				cur = next;
				continue;
			}
			f->isa = e && b->type == CST_INSN_BRANCH ? b->next_isa : b->isa;
			if (f->isa != CST_ISA_A64)
				addr = (uint32_t)addr;
			f->addr = addr;
			goto unlinked;
indirect:
			f->isa = b->isa;
			f->addr = b->isa == CST_ISA_A64 ? end : (uint32_t)end;
			f->need_addr = f->stale = 1;
			f->pop_pending = f->cfg->ret_stack;
			f->from = linked ? cur : 0;
			f->from_sec = f->map_sec;
			if (b->subtype == CST_INSN_ERET) {
				size_t n = g - out;

				f->el.index = index;
				cst_flow_eret(f, out, &n);
				others += n - (g - out);
				g = out + n;
				goto leave;
			}
			/* the target is on the return stack if a P0 element follows without an address */
			if (!f->pop_pending || !f->stack_count || (!k && (i + 1 >= len || p[i + 1] < 0xc0)))
				goto leave;
			{
				unsigned int t = f->stack_top;

				b = NULL;
				if (f->stack[t].call && f->stack[t].img_gen == f->img_gen &&
				    f->stack[t].sec == f->map_sec)
					b = &base[f->stack[t].call];
				addr = f->stack[t].addr;
				f->addr = addr;
				f->isa = f->stack[t].isa;
				f->stack_count--;
				f->stack_top = (t - 1) % RETURN_STACK;
				f->need_addr = f->stale = f->pop_pending = 0;
				f->from = 0;
				next = b ? b->link_n & linked : 0;
				if (next && blk_off(&base[next]) == addr - f->map_bias) {
					cur = next;
					continue;
				}
				e = 0;
			}
unlinked:
			{
				uint32_t gen = f->img_gen;
				const struct cst_section *sec = f->map_sec;
				uint64_t bias = f->map_bias;

				next = cst_flow_block(f);
				f->blk = next;
				if (!next)
					goto leave_at;
				/* a link is good while the cache is not emptied, within one map */
				linked = links_hold(f) ? ~0u : 0;
				if (linked && b && f->img_gen == gen && f->map_sec == sec && f->map_bias == bias) {
					if (e && b->type == CST_INSN_BRANCH)
						b->link_e = next;
					else
						b->link_n = next;
				}
				ids = ids_of(f);
				base = f->map_sec->img->blk;
				cur = next;
			}
		} while (k);
	}
	f->addr = addr;
	f->blk = cur;
	f->isa = base[cur].isa;
	goto done;
mismatch:
	f->addr = addr;
	f->blk = 0;
	f->el.index = index;
	cst_flow_mismatch(f);
	i++;
	goto done;
leave:
	f->blk = 0;
leave_at:
	/* the byte is used; its atoms that are left wait in f->el */
	if (i < len && p[i] >= 0xc0) {
		cst_flow_give_atoms(f, bits, k, index);
		if (!k)
			f->busy = 0;
		i++;
	}
done:
	f->stats->insns += insns;
	f->stats->ranges += g - out - *pn - others;
	f->stats->branches += branches;
	if (f->cfg->checks & CST_CHECK_CONTINUE && g != out + *pn) {
		f->after_n = g[-1].kind == CST_GEN_RANGE && !(g[-1].flags & CST_GF_EXEC);
		f->next_n = g[-1].isa == CST_ISA_A64 ? g[-1].end : (uint32_t)g[-1].end;
	}
	*pn = g - out;
	return i;
}
