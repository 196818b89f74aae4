/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fast_out.h - how the fast loops write their ranges: from a block and what all ranges have in common, a few
 * wide stores each.
 */
#ifndef CST_LIB_FAST_OUT_H
#define CST_LIB_FAST_OUT_H

#include <stddef.h>
#include <string.h>

#include "flow/flow.h"

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
 * Before a loop begins: the block where execution is, and the one it came from, are forgotten when the caller has
 * changed the maps since, or the cache was emptied.
 */
static inline void forget_stale(struct cst_flow *f)
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
 * from, whose links hold; or it is NULL. `kind`: LINK_CAREFUL or 0.
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
		place = *link & ~(LINK_CAREFUL | LINK_BITS);
		if (place && blk_off(BLK_AT(base, place)) == f->addr - f->map_bias && BLK_AT(base, place)->isa == f->isa)
			return place;
	}
	return link_block(f, link, LINK_CAREFUL);
}

/* A call's return address; `call` is its block, from which a return finds its way. */
static inline void push_call(struct cst_flow *f, uint64_t addr, uint8_t isa, uint32_t call)
{
	unsigned int t = (f->stack_top + 1) % RETURN_STACK;

	f->stack_top = t;
	f->stack[t].addr = isa == CST_ISA_A64 ? addr : (uint32_t)addr;
	f->stack[t].isa = isa;
	f->stack[t].call = call;
	f->stack[t].sec = f->map_sec;
	f->stack_count += f->stack_count < RETURN_STACK;
}

#endif
