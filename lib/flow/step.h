/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step.h - the rules of one P0 element, each written once: the range that ends with it, where execution goes on, the
 * return stack (Arm ARM K10.5.5.3; IHI 0035B chapter 2). The loops of all protocols and the slow path are made of
 * these functions. What follows the first part is the graph of decoded blocks: when its links hold, and how one is made.
 */
#ifndef CST_LIB_FLOW_STEP_H
#define CST_LIB_FLOW_STEP_H

#include <stddef.h>
#include <string.h>

#include <cstrace/isa.h>

#include "flow/flow.h"

#define STEP_INLINE static inline __attribute__((always_inline))

/* struct blk's tail and struct cst_generic have these eight bytes in common. */
_Static_assert(offsetof(struct blk, last_size) - offsetof(struct blk, gflags) == 7, "layout of struct blk");
#define LIKE_BLK(a) (offsetof(struct blk, a) - offsetof(struct blk, gflags) == \
		     offsetof(struct cst_generic, a) - offsetof(struct cst_generic, flags))
_Static_assert(LIKE_BLK(isa) && sizeof(struct blk) == 32, "two blocks in a cache line");
_Static_assert(offsetof(struct blk, type) - offsetof(struct blk, isa) ==
	       offsetof(struct cst_generic, last_type) - offsetof(struct cst_generic, isa), "type stands at the same place");
_Static_assert(sizeof(struct cst_generic) == 64, "one cache line");

static inline uint64_t load8(const void *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

static inline void store8(void *p, uint64_t v)
{
	memcpy(p, &v, 8);
}

/*
 * Adjacent fields of struct cst_generic are stored together: fewer stores, and the loop is made of
 * stores.
 */
#define NEXT_TO(a, b, size) (offsetof(struct cst_generic, b) == offsetof(struct cst_generic, a) + (size))
_Static_assert(NEXT_TO(n_insn, cc, 4) && NEXT_TO(context_id, vmid, 4) && NEXT_TO(vmid, section, 4) &&
	       NEXT_TO(section, kind, 4) && NEXT_TO(kind, flags, 4) && NEXT_TO(flags, num, 2) &&
	       NEXT_TO(flags, last_size, 7) && NEXT_TO(flags, error, 8) && NEXT_TO(error, sect_off, 4),
	       "layout of struct cst_generic");

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint64_t pair(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

/* flags, num, isa, last_*: of a range that ends with `b`. */
static inline uint64_t flags_word(const struct blk *b, uint32_t flags)
{
	return load8(&b->gflags) | flags;
}

static inline uint64_t flag_exec(uint64_t e)
{
	_Static_assert(CST_GF_EXEC == 1, "an atom's bit is the flag");
	return e;
}
#else
static inline uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

static inline uint64_t flags_word(const struct blk *b, uint32_t flags)
{
	return load8(&b->gflags) | (uint64_t)flags << 48;
}

static inline uint64_t flag_exec(uint64_t e)
{
	return e << 48;
}
#endif

/* The same word without a block; instruction sets are added to it. */
static inline uint64_t flags_alone(uint32_t flags)
{
	struct blk none = { .off = 0 };

	return flags_word(&none, flags);
}

/* context_id, vmid; section, kind, trace_id, el, security: what elements of one kind in one section have in common. */
struct ids {
	uint64_t who, where;
};

static inline struct ids ids_of_kind(const struct cst_flow *f, enum cst_generic_kind kind, uint32_t section)
{
	struct cst_generic g;
	struct ids ids;

	memcpy(&g.context_id, &f->tmpl.context_id, sizeof(ids));
	g.section = section;
	g.kind = kind;
	memcpy(&ids, &g.context_id, sizeof(ids));
	return ids;
}

/* Of ranges in the map where execution is. */
static inline struct ids ids_of(const struct cst_flow *f)
{
	return ids_of_kind(f, CST_GEN_RANGE, f->map_sec->id);
}

/*
 * The range that ends with block b by atom `e`, in eight wide stores: a loop over atoms is made of stores. `flags`: enum
 * cst_generic_flags of all ranges; `off`: section offset of its first instruction.
 */
STEP_INLINE void step_range(struct cst_generic *g, const struct blk *b, uint64_t e, uint64_t addr, uint64_t end,
			    uint32_t n_insn, uint32_t cc, uint32_t off, const struct ids *ids, uint64_t index,
			    uint32_t flags)
{
	g->index = index;
	g->addr = addr;
	g->end = end;
	store8(&g->n_insn, pair(n_insn, cc));
	memcpy(&g->context_id, ids, sizeof(*ids));
	store8(&g->flags, flags_word(b, flags) | flag_exec(e));
	store8(&g->error, pair(0, off));
}

_Static_assert(CST_INSN_BRANCH == 1 && CST_INSN_INDIRECT == 2, "the two that may go elsewhere");

/* Does an atom E of the block's last instruction lead elsewhere than behind it? */
static inline int step_is_branch(const struct blk *b)
{
	return b->type - 1u <= 1;
}

/* Instruction set after atom `e`; of an indirect branch, the one that it stands in. */
static inline uint8_t step_isa(const struct blk *b, uint64_t e)
{
	return e && b->type == CST_INSN_BRANCH ? b->next_isa : b->isa;
}

/* An address in instruction set `isa`: those of AArch32 have 32 bits. */
static inline uint64_t step_wrap(uint64_t addr, unsigned int isa)
{
	return isa == CST_ISA_A64 ? addr : (uint32_t)addr;
}

/* Instruction set of a Target Address, whose packet says `is` (K10.5.5.5). */
static inline uint8_t step_address_isa(const struct cst_flow *f, uint8_t is)
{
	if (f->cfg->profile == CST_PROFILE_M)
		return CST_ISA_T32;
	return f->tmpl.flags & CST_GF_BITS64 ? CST_ISA_A64 : is ? CST_ISA_T32 : CST_ISA_A32;
}

/* A call pushes its return address (K10.5.5.3). `call`: place of its block in the map's image, or 0. */
static inline void step_push(struct cst_flow *f, uint64_t addr, uint8_t isa, uint32_t call)
{
	unsigned int t = (f->stack_top + 1) % RETURN_STACK;

	f->stack_top = t;
	f->stack[t].addr = step_wrap(addr, isa);
	f->stack[t].isa = isa;
	f->stack[t].call = call;
	f->stack[t].sec = f->map_sec;
	f->stack_count += f->stack_count < RETURN_STACK;
}

/* The newest entry of the return stack, which is not empty. Valid until the next push. */
static inline const struct return_entry *step_pop(struct cst_flow *f)
{
	const struct return_entry *r = &f->stack[f->stack_top];

	f->stack_count--;
	f->stack_top = (f->stack_top - 1) % RETURN_STACK;
	return r;
}

/* Behind an indirect branch, `end` is the address behind it: the target is traced next, or on the return stack. */
static inline void step_await(struct cst_flow *f, const struct blk *b, uint64_t end)
{
	f->isa = b->isa;
	f->addr = step_wrap(end, b->isa);
	f->it = f->blk = f->gap_reported = 0;
	f->need_addr = 1;
	f->gap_pending = !f->cfg->atom_per_insn;
	f->pop_pending = f->cfg->ret_stack && !f->pop_first;
}

/* Is the block at `place` of the map's image the code at `addr` in instruction set `isa`? */
static inline int step_leads_to(const struct cst_flow *f, const struct blk *base, uint32_t place, uint64_t addr,
				unsigned int isa)
{
	const struct blk *b = BLK_AT(base, place);

	return blk_off(b) == addr - f->map_bias && b->isa == isa;
}

/*
 * Before a loop begins: the block where execution is, and the one it came from, are forgotten when the caller has
 * changed the maps since, or the cache was emptied.
 */
static inline void drop_void_blocks(struct cst_flow *f)
{
	if (!f->map_len || f->map_space != f->space || f->map_gen != f->space->generation ||
	    f->img != f->map_sec->img || f->img_gen != f->img->generation)
		f->blk = f->from = 0;
}

/*
 * Links between blocks hold in maps that show one certain part of their section, the one of the first
 * link. Other maps of the section (rare) go without.
 */
static inline int links_hold(const struct cst_flow *f)
{
	struct cst_section *sec = f->map_sec;
	uint64_t off = f->map_start - f->map_bias;

	if (!sec->link_len) {
		sec->link_off = off;
		sec->link_len = f->map_len;
	}
	return sec->link_off == off && sec->link_len == f->map_len;
}

/*
 * As cst_flow_block(). `link` leads there from now on, where that is a link of a block in the map where execution comes
 * from, whose links hold; or it is NULL. `kind`: LINK_SLOW or 0.
 */
static inline uint32_t link_block(struct cst_flow *f, uint32_t *link, uint32_t kind)
{
	const struct cst_section *sec = f->map_sec;
	const uint64_t bias = f->map_bias;
	const uint32_t gen = f->img_gen;
	const uint32_t place = cst_flow_block(f);

	/* a link is good while the cache is not emptied, within one map */
	if (place && link && f->img_gen == gen && f->map_sec == sec && f->map_bias == bias && links_hold(f))
		*link = place | kind;
	return place;
}

/* As cst_flow_block(); at the target of an indirect branch from f->from: most go where they went the last time. */
static inline __attribute__((always_inline)) uint32_t cst_flow_target_block(struct cst_flow *f)
{
	uint32_t *link = NULL, place;
	struct blk *base;

	if (f->from && f->map_len && f->map_sec == f->from_sec && links_hold(f)) {
		base = f->map_sec->img->blk;
		link = &BLK_AT(base, f->from)->link[1];
		place = *link & ~(LINK_SLOW | LINK_BITS);
		if (place && step_leads_to(f, base, place, f->addr, f->isa))
			return place;
	}
	return link_block(f, link, LINK_SLOW);
}

#endif
