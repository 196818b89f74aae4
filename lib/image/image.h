/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * image.h - inside images: sections with their block caches, address spaces with their maps.
 */
#ifndef CST_LIB_IMAGE_IMAGE_H
#define CST_LIB_IMAGE_IMAGE_H

#include <cstrace/image.h>
#include <cstrace/types.h>

/* A block ends at a P0 instruction, or is cut, or ends where the section's bytes end. */
enum blk_flags {
	BLK_P0 = 1,
	BLK_COND = 2,
	BLK_LINK = 4,
	BLK_CUT = 8,		/* goes on in the next block, which starts where this one ends */
	BLK_SECTION_END = 16,	/* the next instruction is not (wholly) in the section */
	BLK_ALWAYS = 32,	/* P0 instruction without a condition: an atom N contradicts it */
	/*
	 * T32: the last instruction stands in an IT block that has 1 to 3 instructions more. Such a block is not linked:
	 * the block behind it depends on them.
	 */
	BLK_IT = 64 | 128,
};

/*
 * Decoded block: instructions from `off` up to and including the P0 instruction. Position independent. Blocks
 * are told apart by their place in the image's array, in bytes (BLK_AT), so that a loop adds and does not shift.
 */
struct blk {
	uint32_t off;		/* in units of 2 bytes, so that sections may have 8 GiB */
	uint16_t n_insn;
	uint8_t flags;		/* enum blk_flags */
	uint8_t next_isa;	/* enum cst_isa after a taken direct branch, else of the block */
	/* Bytes from its start to where execution goes on after atom N (the length), and E (or the length). */
	int32_t step[2];
	/*
	 * Places of the successors in the section after atom N and E, 0 not known yet. Of an indirect branch, the
	 * last target seen. They hold in maps with the section's link_off and link_len only.
	 */
	uint32_t link[2];
	/* from here on laid out as in struct cst_generic, so that eight bytes can be copied at once */
	uint16_t gflags;	/* enum cst_generic_flags of a range that ends here, but EXEC */
	uint16_t zero;
	uint8_t isa;
	uint8_t type, subtype;	/* of the last instruction: enum cst_insn_type, _subtype */
	uint8_t last_size;
};

/*
 * In a link: leaving the block needs more than following it (a push, a pop, an illegal N). Where an atom
 * stands for one instruction (CST_ISA_RUNS), whose loop looks at each block, it is not set but for the last target of an
 * indirect branch.
 */
#define LINK_SLOW 0x80000000u

/*
 * In the lower bits of a link, which are 0 in places, where single atoms are not looked at: a branch that is taken leads
 * there; it is a branch, taken or not. LINK_INDIRECT is only in what a loop knows of the link it follows.
 */
#define LINK_TAKEN 1u
#define LINK_BRANCH 2u
#define LINK_INDIRECT 4u
#define LINK_BITS 31u

/* So many blocks have places below it. */
#define BLK_LIMIT (LINK_SLOW / sizeof(struct blk))

#define BLK_AT(base, place) ((struct blk *)((unsigned char *)(base) + (place)))

#define CODE_PAGE 4096u
#define BLK_IT_SHIFT 6

/*
 * Where blocks end that meet no P0 instruction: at a multiple of BLK_SPAN, so that hostile trace cannot
 * make the same long stretch be decoded from every start; but not before BLK_MORE bytes after it were
 * tried, so that ordinary code is not cut.
 */
#define BLK_SPAN 16384u
#define BLK_MORE 1024u

/*
 * Tables of blocks' places by start offset: one for each page of code and instruction set; and for each
 * combination of enum cst_isa_flags in use, as decoders of different protocols share an image.
 */
#define BLK_ISAS 4		/* A32, T32, A64, ThumbEE */
#define BLK_KEYS (BLK_ISAS + 4)
#define BLK_VARIANTS 4
#define BLK_TABLES (BLK_KEYS * BLK_VARIANTS)

/*
 * A block without a P0 instruction that is cut where the next span of code begins, as its decoding left it. It is
 * kept when the cache is emptied: of code without P0 instructions, which is walked again for every atom, no more than
 * the beginning is analysed again, however small the cache is.
 */
struct blk_span {
	uint16_t n_insn;	/* 0: not known */
	uint8_t over;		/* halfwords of the last instruction behind the cut */
	uint8_t flags;		/* enum blk_span_flags */
};

enum blk_span_flags {
	SPAN_COND = 1,		/* the last instruction stands in an IT block */
	SPAN_LAST_4 = 2,	/* ... has four bytes */
};

/* Where such a block begins: here, or 2 bytes later in T32. */
#define BLK_PHASES 2

/*
 * A key says as what code was decoded: the instruction set, and of T32 how many instructions, the first one
 * included, an IT block still has.
 */
static inline unsigned int blk_key(unsigned int isa, unsigned int it)
{
	if (isa >= BLK_ISAS)
		return BLK_KEYS;	/* nothing that blocks are made of */
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

struct cst_section {
	struct cst_image *img;
	const uint8_t *bytes;
	uint64_t size;
	void *cookie;
	uint32_t id;
	uint64_t link_off, link_len; /* part of the section that the maps show in which blocks were linked */
	uint8_t lazy;		/* bytes were not supplied yet */
	struct blk_span *spans[BLK_TABLES]; /* by blk_table(), offset / BLK_SPAN, phase; NULL until used */
	uint32_t **pages[BLK_TABLES];	/* places of blocks by blk_table() and offset / CODE_PAGE; NULL until used */
};

struct cst_image {
	struct blk *blk;	/* the first one is not used: 0 is no place */
	uint32_t blk_count, blk_max;
	struct page_table *tables; /* the code page tables in use */
	size_t table_bytes, table_max; /* of these */
	uint64_t analysed;	/* instructions that blocks were made of */
	struct cst_counts *counts; /* of these blocks, or NULL */
	uint32_t generation;	/* changes when the cache is emptied: places of blocks are void */
	struct cst_section **sec;
	size_t sec_count, sec_cap;
	struct cst_space *spaces;
	/* enum cst_isa_flags that blocks were made with: those of a variant make a graph of their own */
	unsigned int isa_flags[BLK_VARIANTS];
	unsigned int variants;
};

/* The places of the blocks that begin in a page of code. */
struct page_table {
	struct page_table *next;
	uint32_t **at;		/* where a section has it */
	uint32_t place[];
};

struct map {
	uint64_t start, end;	/* end exclusive; 0 means 2^64 */
	uint64_t off;		/* section offset of start */
	struct cst_section *sec;
};

struct cst_space {
	struct cst_image *img;
	struct cst_space *next, **prev;
	struct map *map;	/* sorted, disjoint */
	size_t count, cap;
	uint32_t generation;	/* changes when something that was mapped is not any more */
	uint8_t on_demand;	/* the owner maps what is asked for */
};

struct cst_images;

/* Another number after each change of the table. */
uint32_t cst_images_generation(const struct cst_images *images);

/* The map that holds `addr`, or NULL. */
const struct map *cst_space_find(const struct cst_space *space, uint64_t addr);

/*
 * The block that starts at section offset `off` (`pc` is its address; its low bits matter for T32),
 * made when it is not cached. NULL: out of memory, or off is outside. `flags`: enum cst_isa_flags; an IT block's key
 * only with CST_ISA_RUNS. May empty the cache (img->generation changes).
 */
struct blk *cst_block(struct cst_section *sec, uint64_t off, unsigned int key, uint64_t pc, unsigned int flags);

/* Instructions start at multiples of 1 << this. */
static inline unsigned int blk_shift(enum cst_isa isa)
{
	return isa == CST_ISA_T32 || isa == CST_ISA_TEE ? 1 : 2;
}

/* Index into pages[], BLK_TABLES when no block was made with these flags. */
static inline unsigned int blk_table(const struct cst_image *img, unsigned int key, unsigned int flags)
{
	unsigned int v;

	for (v = 0; v < img->variants; v++)
		if (img->isa_flags[v] == flags)
			return v * BLK_KEYS + key;
	return BLK_TABLES;
}

/* As cst_block(), but 0 when it was not made yet: its place. */
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
	return (const unsigned char *)b - (const unsigned char *)img->blk;
}

static inline uint64_t blk_off(const struct blk *b)
{
	return (uint64_t)b->off * 2;
}

#endif
