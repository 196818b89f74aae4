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

/* struct blk's tail and struct cst_generic have these eight bytes in common. */
#define GEN_TAIL offsetof(struct cst_generic, kind)
#define BLK_TAIL offsetof(struct blk, zero0)
_Static_assert(offsetof(struct cst_generic, last_size) - GEN_TAIL == 7, "layout of struct cst_generic");
_Static_assert(offsetof(struct blk, last_size) - BLK_TAIL == 7, "layout of struct blk");
_Static_assert(offsetof(struct blk, isa) - BLK_TAIL == offsetof(struct cst_generic, isa) - GEN_TAIL,
	       "isa stands at the same place");
_Static_assert(offsetof(struct blk, type) - BLK_TAIL == offsetof(struct cst_generic, last_type) - GEN_TAIL,
	       "type stands at the same place");
_Static_assert(sizeof(struct blk) == 32, "two blocks in a cache line");
_Static_assert(sizeof(struct cst_generic) == 64, "one cache line");

static inline uint64_t load8(const void *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* The block is wholly in the map; `at` is its address minus the map's start, and may have wrapped. */
static inline int in_map(const struct blk *b, uint64_t at, uint64_t map_len)
{
	return at < map_len && map_len - at >= b->len;
}

size_t cst_flow_fast(struct cst_flow *f, const struct atom_code *code, const uint8_t *p, size_t len,
		     uint64_t index, struct cst_generic *out, size_t *pn, size_t cap)
{
	struct cst_generic *g = out + *pn, *const limit = out + cap;
	uint64_t insns = 0, ranges = 0, branches = 0;
	uint64_t addr, start, map_len, tail, amask;
	const uint64_t ids = load8(&f->tmpl.context_id);
	const uint16_t tflags = f->tmpl.flags;
	uint32_t cur, next, bits, section;
	unsigned int k = 0;
	struct blk *base, *b;
	uint8_t tail_bytes[8];
	size_t i = 0;

	_Static_assert(offsetof(struct cst_generic, vmid) == offsetof(struct cst_generic, context_id) + 4,
		       "context_id and vmid are copied at once");
	if (f->need_addr | f->need_ctx)
		return 0;
	if (!f->map_len || f->map_space != f->space || f->map_gen != f->space->generation ||
	    f->img_gen != f->map_sec->img->generation)
		f->blk = 0;
	if (!f->blk) {
		f->blk = cst_flow_block(f);
		if (!f->blk)
			return 0;
	}
	memcpy(tail_bytes, &f->tmpl.kind, 8);
	tail_bytes[offsetof(struct cst_generic, kind) - GEN_TAIL] = CST_GEN_RANGE;
	tail = load8(tail_bytes);
	amask = f->isa == CST_ISA_A64 ? ~0ull : 0xffffffffull;
	base = f->map_sec->img->blk;
	start = f->map_start;
	map_len = f->map_len;
	section = f->map_sec->id;
	cur = f->blk;
	addr = f->addr;
	bits = 0;

	for (; i < len; i++) {
		if (p[i] < 0xc0)
			break;
		bits = code[p[i] - 0xc0].bits;
		k = code[p[i] - 0xc0].n;
		if ((size_t)(limit - g) < k + FLOW_ROOM) {
			k = 0;
			break;
		}
		do {
			uint64_t end, w;
			uint32_t e = bits & 1;

			b = &base[cur];
			end = addr + b->len;
			g->index = index + i;
			g->addr = addr;
			g->end = end;
			g->n_insn = b->n_insn;
			g->cc = 0;
			memcpy(&g->context_id, &ids, 8);
			g->section = section;
			g->error = 0;
			w = tail | load8(b->zero0);
			memcpy(&g->kind, &w, 8);
			g->flags = tflags | b->gflags | (e ? CST_GF_EXEC : 0);
			g->num = 0;
			g->sect_off = b->off * 2;
			g++;
			insns += b->n_insn;
			ranges++;
			bits >>= 1;
			k--;
			if (e) {
				if (b->flags & BLK_LINK && f->cfg->ret_stack && !f->no_push) {
					unsigned int t = (f->stack_top + 1) % RETURN_STACK;

					f->stack_top = t;
					f->stack[t].addr = end & amask;
					f->stack[t].isa = b->isa;
					f->stack[t].call = cur;
					f->stack[t].img_gen = f->img_gen;
					f->stack[t].sec = f->map_sec;
					f->stack_count += f->stack_count < RETURN_STACK;
				}
				if (b->type == CST_INSN_BRANCH) {
					branches++;
					addr += (int64_t)b->disp;
					next = b->link_e;
				} else if (b->type == CST_INSN_INDIRECT) {
					branches++;
					f->need_addr = 1;
					f->pop_pending = f->cfg->ret_stack;
					goto indirect;
				} else {
					addr = end;
					next = b->link_n;
				}
			} else {
				f->stats->image_conflicts += b->flags >> 5 & 1;
				addr = end;
				next = b->link_n;
			}
			addr &= amask;
			if (next && in_map(&base[next], addr - start, map_len)) {
				cur = next;
				continue;
			}
			f->addr = addr;
			f->isa = e && b->type == CST_INSN_BRANCH ? b->next_isa : b->isa;
			goto unlinked;
indirect:
			f->isa = b->isa;
			f->addr = (addr + b->len) & amask;
			f->stale = 1;
			if (b->subtype == CST_INSN_ERET) {
				size_t n = g - out;

				f->el.index = index + i;
				cst_flow_eret(f, out, &n);
				g = out + n;
				goto leave;
			}
			/* the target is on the return stack if a P0 element follows without an address */
			if (!f->pop_pending || !f->stack_count || (!k && (i + 1 >= len || p[i + 1] < 0xc0)))
				goto leave;
			{
				unsigned int t = f->stack_top;
				struct blk *call = NULL;

				if (f->stack[t].call && f->stack[t].img_gen == f->img_gen &&
				    f->stack[t].sec == f->map_sec)
					call = &base[f->stack[t].call];
				addr = f->stack[t].addr;
				f->addr = addr;
				f->isa = f->stack[t].isa;
				f->stack_count--;
				f->stack_top = (t - 1) % RETURN_STACK;
				f->need_addr = f->pop_pending = 0;
				next = call ? call->link_n : 0;
				if (next && blk_off(&base[next]) == addr - f->map_bias &&
				    in_map(&base[next], addr - start, map_len)) {
					cur = next;
					continue;
				}
				e = 0;
				b = call;
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
				if (b && f->img_gen == gen && f->map_sec == sec && f->map_bias == bias) {
					if (e && b->type == CST_INSN_BRANCH)
						b->link_e = next;
					else
						b->link_n = next;
				}
				start = f->map_start;
				map_len = f->map_len;
				section = f->map_sec->id;
				base = f->map_sec->img->blk;
				cur = next;
			}
		} while (k);
	}
	f->addr = addr;
	f->blk = cur;
	f->isa = base[cur].isa;
	goto done;
leave:
	f->blk = 0;
leave_at:
	/* the byte is used; its atoms that are left wait in f->el */
	if (i < len && p[i] >= 0xc0) {
		cst_flow_give_atoms(f, bits, k, index + i);
		if (!k)
			f->busy = 0;
		i++;
	}
done:
	f->stats->insns += insns;
	f->stats->ranges += ranges;
	f->stats->branches += branches;
	*pn = g - out;
	return i;
}
