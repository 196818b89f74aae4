/* SPDX-License-Identifier: BSD-3-Clause */
/* image_int.h - internals of images: sections with their block caches, address spaces with their maps. */
#ifndef CST_LIB_FLOW_IMAGE_IMAGE_INT_H
#define CST_LIB_FLOW_IMAGE_IMAGE_INT_H

#include <stddef.h>

#include <cstrace/image.h>
#include <cstrace/isa.h>
#include <cstrace/types.h>

#include "base/arena.h"

/* Flags of a block. A block ends at a P0 instruction, at a cut, or at the end of the section's bytes. */
enum blk_flags {
	BLK_P0 = 1,
	BLK_COND = 2,
	BLK_LINK = 4,
	BLK_CUT = 8,		/* cut: the next block starts where this one ends */
	BLK_SECTION_END = 16,	/* the next instruction is not completely in the section */
	BLK_ALWAYS = 32,	/* unconditional P0 instruction: an atom N contradicts it */
	/*
	 * T32: an IT block has 1 to 3 instructions after the last one. Such a block is not linked, since the next block
	 * depends on the IT block.
	 */
	BLK_IT = 64 | 128,
};

/*
 * Decoded block: the instructions from `off` up to and including the P0 instruction, independent of their address. A
 * block is identified by its byte offset in the image's array (its place, BLK_AT), which spares the loop a
 * multiplication.
 */
struct blk {
	uint32_t off;		/* section offset / 2, which allows sections of 8 GiB */
	uint16_t n_insn;
	uint8_t flags;		/* enum blk_flags */
	uint8_t next_isa;	/* enum cst_isa after a taken direct branch, else that of the block */
	/*
	 * Distance from the start of the block to the next address after atom N (the size of the block) and after atom
	 * E (the target of a direct branch, else the size).
	 */
	int32_t step[2];
	/*
	 * Places of the next block after atom N and E, 0 unknown; after an indirect branch the last target. Valid only
	 * in maps of the section with link_off and link_len.
	 */
	uint32_t link[2];
	/* the rest is laid out as in struct cst_generic, so that one store copies eight bytes */
	uint16_t gflags;	/* enum cst_generic_flags of a range that ends with the block, except EXEC */
	uint16_t num;		/* enum cst_range_flags */
	uint8_t isa;
	uint8_t type, subtype;	/* last instruction: enum cst_insn_type, _subtype */
	uint8_t last_size;
};

/*
 * In a link: leaving the block takes more than following the link (a push, a pop, a check of atom N). With
 * CST_ISA_RUNS, whose loop looks at each block, it is set for indirect branches only.
 */
#define LINK_SLOW 0x80000000u

/*
 * In the low bits of a link, which are 0 in a place, if atoms stand for P0 instructions: the link is that of a taken
 * branch; of a branch, taken or not; of a taken indirect branch; of a direct call whose place is known, which takes a
 * push besides following the link; of an indirect branch that does not push, and is no exception return: it follows
 * the return stack, if it has a target there, and not the link. A link without a place has these bits, too.
 */
#define LINK_TAKEN 1u
#define LINK_BRANCH 2u
#define LINK_INDIRECT 4u
#define LINK_CALL 8u
#define LINK_POP 16u
#define LINK_BITS 31u
/* Bits of a link that the loop needs to follow it: with LINK_SLOW it is negative. */
#define LINK_FOLLOW (LINK_CALL | LINK_POP)
#define LINK_MASK (~(int64_t)(LINK_BITS & ~LINK_FOLLOW))
/* What is not the place in a link so masked. */
#define LINK_NOT_PLACE (LINK_SLOW | LINK_FOLLOW)

/* Maximum number of blocks, whose places must be below LINK_SLOW. */
#define BLK_LIMIT (LINK_SLOW / BLK_STRIDE_COUNTS)

#define BLK_AT(base, place) ((struct blk *)((unsigned char *)(base) + (place)))

/* Distance from one block to the next, without and with a struct blk_count (counts_int.h) behind each block. */
#define BLK_STRIDE sizeof(struct blk)
#define BLK_STRIDE_COUNTS (2 * sizeof(struct blk))

/* The link out of block b after atom `e`, without a place. */
static inline uint32_t blk_link_kind(const struct blk *b, unsigned int e)
{
	if (!cst_insn_is_branch(b->type))
		return LINK_SLOW;
	if (!e)
		return (b->flags & BLK_ALWAYS ? LINK_SLOW : 0) | LINK_BRANCH;
	if (b->type == CST_INSN_BRANCH)
		return (b->flags & BLK_LINK ? LINK_SLOW : 0) | LINK_TAKEN | LINK_BRANCH;
	return LINK_SLOW | LINK_TAKEN | LINK_BRANCH | LINK_INDIRECT |
	       (b->flags & BLK_LINK || b->subtype == CST_INSN_ERET ? 0 : LINK_POP);
}

/* What that link has besides a place if it has one. */
static inline uint32_t blk_link_bits(const struct blk *b, unsigned int e)
{
	return blk_link_kind(b, e) | (e && b->type == CST_INSN_BRANCH && b->flags & BLK_LINK ? LINK_CALL : 0);
}

#define CODE_PAGE 4096u
#define BLK_IT_SHIFT 6

/*
 * A block without a P0 instruction is cut BLK_MORE bytes after the next multiple of BLK_SPAN. Fixed positions prevent
 * hostile trace from having the same long stretch decoded from every start address; BLK_MORE spares ordinary code the
 * cut.
 */
#define BLK_SPAN 16384u
#define BLK_MORE 1024u

/*
 * Tables of places by start offset: one per page of code, instruction set and combination of enum cst_isa_flags, since
 * decoders of different protocols may share an image.
 */
#define BLK_ISAS 4		/* A32, T32, A64, ThumbEE */
#define BLK_KEYS (BLK_ISAS + 4)
#define BLK_VARIANTS 4
#define BLK_TABLES (BLK_KEYS * BLK_VARIANTS)

/*
 * Decoded form of a block without a P0 instruction between two cut positions. It is kept when the cache is emptied:
 * code without P0 instructions is walked again for every atom, and only its first block is then decoded again, however
 * small the cache is.
 */
struct blk_span {
	uint16_t n_insn;	/* 0: unknown */
	uint8_t over;		/* halfwords of the last instruction after the cut */
	uint8_t flags;		/* enum blk_span_flags */
};

enum blk_span_flags {
	SPAN_COND = 1,		/* the last instruction is in an IT block */
	SPAN_LAST_4 = 2,	/* the last instruction has four bytes */
};

/* Possible starts of such a block: the cut position, or in T32 2 bytes after it. */
#define BLK_PHASES 2

/* Key of a block: its instruction set and, for T32, the instructions left in the IT block including its first one. */
static inline unsigned int blk_key(unsigned int isa, unsigned int it)
{
	if (isa >= BLK_ISAS)
		return BLK_KEYS;	/* not an instruction set with blocks */
	return it ? BLK_ISAS - 1 + it : isa;
}

static inline enum cst_isa blk_key_isa(unsigned int key)
{
	return key < BLK_ISAS ? (enum cst_isa)key : CST_ISA_T32;
}

static inline unsigned int blk_key_it(unsigned int key)
{
	return key < BLK_ISAS ? 0 : key - (BLK_ISAS - 1);
}

struct cst_counts;
struct crossings;

struct map {
	uint64_t start, end;	/* end exclusive; 0 means 2^64 */
	uint64_t off;		/* section offset of start */
	uint64_t id;		/* not 0; equal only in maps of the same addresses, bytes and offset */
	struct cst_section *sec;
};

struct cst_section {
	struct cst_image *img;
	const uint8_t *bytes;
	uint64_t size;
	void *cookie;
	uint32_t id;
	uint64_t link_off, link_len; /* section range of the maps in which links are valid */
	struct map last_map;	/* the map made last: when it is made again, what was cached under its number is valid */
	uint8_t lazy;		/* bytes are not supplied yet */
	struct blk_span *spans[BLK_TABLES]; /* by blk_table(), offset / BLK_SPAN, phase; NULL until used */
	uint32_t **pages[BLK_TABLES];	/* places of blocks by blk_table() and offset / CODE_PAGE; NULL until used */
};

struct cst_image {
	struct {
		/* at a cache line; the first block is not used, since place 0 means none */
		struct blk *blk;
		void *blk_memory;	/* the allocation that contains them */
		uint32_t blk_stride;
		uint32_t blk_count, blk_max;
	} blocks;
	struct page_table *tables; /* all page tables in use */
	struct arena table_memory;
	size_t table_bytes, table_max; /* size of the page tables and its limit */
	uint64_t analysed;	/* instructions decoded into blocks */
	struct cst_counts *counts; /* counts of these blocks, or NULL */
	struct crossings *crossings; /* branches between sections, or NULL */
	void (*dropping)(void *data); /* called before the cache is emptied; NULL: not needed */
	void *dropping_data;
	uint32_t generation;	/* changes when the cache is emptied, which invalidates places */
	struct cst_section **sec;
	size_t sec_count, sec_cap;
	struct cst_space *spaces;
	uint64_t map_ids;	/* number of the newest map */
	/* enum cst_isa_flags of each variant; each has a graph of its own */
	unsigned int isa_flags[BLK_VARIANTS];
	unsigned int variants;
};

/* Places of the blocks that begin in a page of code. */
struct page_table {
	struct page_table *next;
	uint32_t **at;		/* the section's pointer to this table */
	uint64_t used;		/* bit n: a block may begin in bytes [n * TABLE_PART, (n + 1) * TABLE_PART) of the page */
	uint32_t place[];
};

#define TABLE_PART (CODE_PAGE / 64)

/* The table whose places are `place`. */
static inline struct page_table *table_with(uint32_t *place)
{
	return (struct page_table *)((unsigned char *)place - offsetof(struct page_table, place));
}

struct cst_space {
	struct cst_image *img;
	struct cst_space *next, **prev;
	struct map *map;	/* sorted, disjoint */
	size_t count, cap;
	size_t newest;		/* place of the map that was made last, if it is still there */
	uint32_t generation;	/* changes when a map is removed or replaced */
	uint8_t on_demand;	/* the owner maps addresses when the decoder asks for them */
	cst_space_mapper mapper; /* asked first; NULL: none */
	void *mapper_data;
};

struct cst_images;

/*
 * Drops all decoded blocks, and gives the blocks of the image this distance. Returns 0 without memory; nothing has
 * changed then.
 */
int cst_image_set_stride(struct cst_image *img, uint32_t stride);

/* Returns a number that changes with each change of the table. */
uint32_t cst_images_generation(const struct cst_images *images);

/* Returns the map that contains `addr`, or NULL. */
const struct map *cst_space_find(const struct cst_space *space, uint64_t addr);

/*
 * Returns the block that starts at section offset `off`, decoded if it is not cached; NULL: out of memory, or `off` is
 * outside the section. `pc` is its address, whose low bits matter for T32. `flags`: enum cst_isa_flags; keys of IT
 * blocks only with CST_ISA_RUNS. May empty the cache (img->generation changes).
 */
struct blk *cst_block(struct cst_section *sec, uint64_t off, unsigned int key, uint64_t pc, unsigned int flags);

/* Base-2 logarithm of the alignment of instructions. */
static inline unsigned int blk_shift(enum cst_isa isa)
{
	return isa == CST_ISA_T32 || isa == CST_ISA_TEE ? 1 : 2;
}

/* Index into pages[]; BLK_TABLES if no block was decoded with these flags. */
static inline unsigned int blk_table(const struct cst_image *img, unsigned int key, unsigned int flags)
{
	unsigned int v;

	for (v = 0; v < img->variants; v++)
		if (img->isa_flags[v] == flags)
			return v * BLK_KEYS + key;
	return BLK_TABLES;
}

/* Returns the place of a block, 0 if it is not cached. */
static inline uint32_t cst_block_known(const struct cst_section *sec, uint64_t off, unsigned int key,
				       unsigned int flags)
{
	unsigned int shift = blk_shift(blk_key_isa(key)), t;
	uint32_t *const *pages, *table;

	if (off >= sec->size || key >= BLK_KEYS || off & ((1u << shift) - 1))
		return 0;
	t = blk_table(sec->img, key, flags);
	if (t == BLK_TABLES)
		return 0;
	pages = sec->pages[t];
	table = pages ? pages[off / CODE_PAGE] : NULL;
	return table ? table[off % CODE_PAGE >> shift] : 0;
}

static inline uint32_t blk_place(const struct cst_image *img, const struct blk *b)
{
	return (const unsigned char *)b - (const unsigned char *)img->blocks.blk;
}

static inline uint64_t blk_off(const struct blk *b)
{
	return (uint64_t)b->off * 2;
}

#endif
