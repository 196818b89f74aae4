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
	       NEXT_TO(section, error, 4) && NEXT_TO(flags, num, 2) && NEXT_TO(num, sect_off, 2),
	       "layout of struct cst_generic");

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint64_t pair(uint32_t first, uint32_t second)
{
	return first | (uint64_t)second << 32;
}

static inline uint64_t flags_word(uint32_t flags, uint32_t sect_off)
{
	return flags | (uint64_t)sect_off << 32;
}
#else
static inline uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)first << 32 | second;
}

static inline uint64_t flags_word(uint32_t flags, uint32_t sect_off)
{
	return (uint64_t)flags << 48 | sect_off;
}
#endif

/* context_id, vmid, section, error. */
struct ids {
	uint64_t who, where;
};

static inline struct ids ids_of(const struct cst_flow *f)
{
	return (struct ids){ load8(&f->tmpl.context_id), pair(f->map_sec->id, 0) };
}

/* The last eight bytes of every element of a kind, but for what a block adds. */
static inline uint64_t tail_of(const struct cst_flow *f, enum cst_generic_kind kind)
{
	uint8_t bytes[8];

	memcpy(bytes, &f->tmpl.kind, 8);
	bytes[offsetof(struct cst_generic, kind) - GEN_TAIL] = (uint8_t)kind;
	return load8(bytes);
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

/* A call's return address; `call` is its block, from which a return finds its way. */
static inline void push_call(struct cst_flow *f, uint64_t addr, uint8_t isa, uint32_t call)
{
	unsigned int t = (f->stack_top + 1) % RETURN_STACK;

	f->stack_top = t;
	f->stack[t].addr = isa == CST_ISA_A64 ? addr : (uint32_t)addr;
	f->stack[t].isa = isa;
	f->stack[t].call = call;
	f->stack[t].img_gen = f->img_gen;
	f->stack[t].sec = f->map_sec;
	f->stack_count += f->stack_count < RETURN_STACK;
}

#endif
