/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step.h - the rules of one P0 element, each in one function: the range that it ends, the next address, the return
 * stack (Arm ARM K10.5.5.3; IHI 0035B chapter 2). The loops of all protocols and the slow path use them. The second
 * part has the rules of the graph of decoded blocks: validity and creation of links.
 */
#ifndef CST_LIB_FLOW_STEP_H
#define CST_LIB_FLOW_STEP_H

#include <stddef.h>
#include <string.h>

#include <cstrace/isa.h>

#include "flow/flow_int.h"

#define STEP_INLINE static inline __attribute__((always_inline))

/* the last eight bytes of struct blk are copied into struct cst_generic by one store */
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

/* Adjacent fields of struct cst_generic are written with one store, since the loop consists of stores. */
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

/* flags, num, isa and last_* of a range that ends with block b, as one word. */
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

/* The same word without a block; the caller adds the instruction set. */
static inline uint64_t flags_alone(uint32_t flags)
{
	struct blk none = { .off = 0 };

	return flags_word(&none, flags);
}

/*
 * The fields that elements of one kind in one section share: context_id, vmid; section, kind, trace_id, el, security.
 */
struct ids {
	uint64_t who, where;
};

static inline struct ids ids_of_kind(const struct cst_flow *f, enum cst_generic_kind kind, uint32_t section)
{
	struct cst_generic g;
	struct ids ids;

	memcpy(&g.context_id, &f->emit.tmpl.context_id, sizeof(ids));
	g.section = section;
	g.kind = kind;
	memcpy(&ids, &g.context_id, sizeof(ids));
	return ids;
}

/* Shared fields of ranges in the current map. */
static inline struct ids ids_of(const struct cst_flow *f)
{
	return ids_of_kind(f, CST_GEN_RANGE, f->cache.map_sec->id);
}

/*
 * Writes the range that ends with block b by atom `e`, in eight wide stores. `flags`: enum cst_generic_flags of all
 * ranges; `off`: section offset of its first instruction.
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

/*
 * The next instruction after atom `e` of the last one of block b (K10.5.5, IHI 0014Q 7.3). True if the opcode does not
 * say where it is. Otherwise step_next() is its address, for step_wrap(), and step_isa() its instruction set. The block
 * begins at `addr`.
 */
static inline int step_indirect(const struct blk *b, uint64_t e)
{
	return e && b->type == CST_INSN_INDIRECT;
}

static inline uint64_t step_next(const struct blk *b, uint64_t e, uint64_t addr)
{
	return addr + (int64_t)b->step[e];
}

/* Instructions left in the IT block after atom `e` of f->span: a branch that is taken leaves it. */
static inline uint8_t step_it(const struct cst_flow *f, uint64_t e)
{
	return e && cst_insn_is_branch(f->work.span.b.type) ? 0 : f->work.span.it;
}

/* Instruction set after atom `e`; after an indirect branch that of the branch, until its target is known. */
static inline uint8_t step_isa(const struct blk *b, uint64_t e)
{
	return e && b->type == CST_INSN_BRANCH ? b->next_isa : b->isa;
}

/* Truncates an address to 32 bits unless `isa` is A64. */
static inline uint64_t step_wrap(uint64_t addr, unsigned int isa)
{
	return isa == CST_ISA_A64 ? addr : (uint32_t)addr;
}

/* Instruction set of a Target Address with sub-ISA `is` (K10.5.5.5). */
static inline uint8_t step_address_isa(const struct cst_flow *f, uint8_t is)
{
	if (f->cfg->profile == CST_PROFILE_M)
		return CST_ISA_T32;
	return f->emit.tmpl.flags & CST_GF_BITS64 ? CST_ISA_A64 : is ? CST_ISA_T32 : CST_ISA_A32;
}

/*
 * Pushes the return address of a call (K10.5.5.3). `call`: offset of its block in the block cache, or 0. The stack is a
 * ring: a push onto a full one replaces the oldest entry.
 */
static inline void step_push(struct cst_flow *f, uint64_t addr, uint8_t isa, uint32_t call)
{
	unsigned int t = (f->ret.stack_top + 1) % RETURN_STACK;

	f->ret.stack_top = t;
	f->ret.stack[t].addr = addr;
	f->ret.stack[t].map = f->cache.map_id;
	f->ret.stack[t].call = call;
	f->ret.stack[t].isa = isa;
}

static inline int step_stack_empty(const struct cst_flow *f)
{
	return !f->ret.stack[f->ret.stack_top].map;
}

/* Removes the newest entry of the return stack, which must not be empty. */
STEP_INLINE void step_drop(struct cst_flow *f)
{
	f->ret.stack[f->ret.stack_top].map = 0;
	f->ret.stack_top = (f->ret.stack_top - 1) % RETURN_STACK;
}

/* Pops the newest entry of the return stack, which must not be empty. */
static inline struct return_entry step_pop(struct cst_flow *f)
{
	const struct return_entry r = f->ret.stack[f->ret.stack_top];

	step_drop(f);
	return r;
}

/* Drops what the return stack has of calls besides their return addresses. */
static inline void step_forget_calls(struct cst_flow *f)
{
	unsigned int i;

	for (i = 0; i < RETURN_STACK; i++)
		f->ret.stack[i].call = 0;
}

static inline void step_empty_stack(struct cst_flow *f)
{
	unsigned int i;

	for (i = 0; i < RETURN_STACK; i++)
		f->ret.stack[i].map = 0;
}

/* Sets the state after an indirect branch that ends at `end`: the target is traced next, or is on the return stack. */
static inline void step_await(struct cst_flow *f, const struct blk *b, uint64_t end)
{
	f->isa = b->isa;
	f->addr = step_wrap(end, b->isa);
	f->it = f->cache.blk = f->each.gap_reported = 0;
	f->need_addr = 1;
	f->gap = f->cfg->atom_per_insn ? GAP_NONE : GAP_PENDING;
	f->ret.pop_pending = f->cfg->ret_stack && !f->ret.pop_first;
}

/* Makes a cached map the current one. */
static inline void step_take_map(struct cst_flow *f, const struct near_map *nm)
{
	f->cache.map_start = nm->start;
	f->cache.map_len = nm->len;
	f->cache.map_bias = nm->bias;
	f->cache.map_sec = nm->sec;
	f->cache.map_space = f->code.space;
	f->cache.map_gen = f->code.space->generation;
	f->cache.map_id = nm->id;
}

/* Entry of the cache of maps in which the map around address `a` would be. */
static inline struct near_map *step_map_slot(struct cst_flow *f, uint64_t a)
{
	return &f->cache.near_maps[a / CODE_PAGE % NEAR_MAPS];
}

/* Returns the cached map around address `a`; one without an id if it is not cached. */
static inline const struct near_map *step_near_map(struct cst_flow *f, uint64_t a)
{
	static const struct near_map none;
	const struct near_map *nm = step_map_slot(f, a);

	/* an entry with the tag is of f->space */
	if (nm->tag != f->cache.map_tag || f->cache.near_gen != f->code.space->generation ||
	    a - nm->start >= nm->len)
		return &none;
	return nm;
}

/* Makes the map around address `a` the current one if it is cached. Returns 0 if it is not. */
static inline int step_cached_map(struct cst_flow *f, uint64_t a)
{
	const struct near_map *nm;

	if (cst_flow_in_map(f, a))
		return 1;
	nm = step_near_map(f, a);
	if (!nm->id)
		return 0;
	step_take_map(f, nm);
	return 1;
}

/* Entry of the cache of searched blocks in which the block at `addr` would be. */
static inline struct near_block *step_block_slot(struct cst_flow *f, uint64_t addr)
{
	return &f->cache.near_blocks[(addr >> 1 ^ addr >> 9) % NEAR_BLOCKS];
}

/* As cst_flow_block() at `addr`, for a block that was searched before; 0: it was not, or is not in the cache any more. */
static inline uint32_t step_near_block(struct cst_flow *f, uint64_t addr)
{
	const struct near_block *near = step_block_slot(f, addr);

	/* the image is compared first: the last one may be gone */
	if (near->addr == addr && near->tag == (f->cache.near_tag | f->isa) &&
	    !(f->it | f->no_graph) && step_cached_map(f, addr) && near->map == f->cache.map_id &&
	    f->cache.map_sec->img == f->cache.img && f->cache.img_gen == f->cache.img->generation)
		return near->place;
	return 0;
}

/* True if the block at offset `place` is the code at `addr` in instruction set `isa`. */
static inline int step_leads_to(const struct cst_flow *f, const struct blk *base, uint32_t place, uint64_t addr,
				unsigned int isa)
{
	const struct blk *b = BLK_AT(base, place);

	return blk_off(b) == addr - f->cache.map_bias && b->isa == isa;
}

/*
 * Drops the current block and the last indirect branch if the caller has changed the maps, or the block cache was
 * emptied. Called before a loop begins.
 */
static inline void drop_void_blocks(struct cst_flow *f)
{
	if (!f->cache.map_len || f->cache.map_space != f->code.space ||
	    f->cache.map_gen != f->code.space->generation ||
	    f->cache.img != f->cache.map_sec->img || f->cache.img_gen != f->cache.img->generation)
		f->cache.blk = f->ret.from = 0;
}

/*
 * True if links are valid in the current map. All links of a section belong to the map, or to maps of the same part of
 * the section, in which the first link was made. Maps of other parts, which are rare, use no links.
 */
static inline int links_hold(const struct cst_flow *f)
{
	struct cst_section *sec = f->cache.map_sec;
	uint64_t off = f->cache.map_start - f->cache.map_bias;

	if (!sec->link_len) {
		sec->link_off = off;
		sec->link_len = f->cache.map_len;
	}
	return sec->link_off == off && sec->link_len == f->cache.map_len;
}

/*
 * As cst_flow_block(), and sets *link to the block found, with `bits` (blk_link_bits()). `link` is NULL or a link of a
 * block in the map that is current before the call, in which links are valid.
 */
static inline uint32_t link_block(struct cst_flow *f, uint32_t *link, uint32_t bits)
{
	const uint64_t map = f->cache.map_id;
	const uint32_t gen = f->cache.img_gen;
	const uint32_t place = cst_flow_block(f);

	/* a link is valid within one map, until the cache is emptied */
	if (place && link && f->cache.map_id == map && f->cache.img_gen == gen)
		*link = place | bits;
	return place;
}

/* As cst_flow_block(), at the target of an indirect branch in block f->from: most branches repeat their last target. */
static inline __attribute__((always_inline)) uint32_t cst_flow_target_block(struct cst_flow *f)
{
	struct blk *base, *b;
	uint32_t place;

	if (f->ret.from && f->cache.map_len && f->cache.map_sec == f->ret.from_sec &&
	    links_hold(f)) {
		base = f->cache.map_sec->img->blocks.blk;
		b = BLK_AT(base, f->ret.from);
		place = b->link[1] & ~(LINK_SLOW | LINK_BITS);
		if (place && step_leads_to(f, base, place, f->addr, f->isa))
			return place;
		return link_block(f, &b->link[1], blk_link_bits(b, 1));
	}
	return cst_flow_block(f);
}

#endif
