/* SPDX-License-Identifier: BSD-3-Clause */
/* section.c - images, their code sections and the cache of decoded blocks. */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/flow.h>
#include <cstrace/isa.h>

#include "base/grow.h"
#include "flow/image/counts_int.h"
#include "flow/isa/a64.h"

#ifndef DEFAULT_CACHE
#define DEFAULT_CACHE (128u << 20)
#endif
#define MIN_BLOCKS 4096u
#define MIN_TABLES (16 * CODE_PAGE / 2 * sizeof(uint32_t))

/* Allocates blocks at their full number: pages that are never touched cost no memory. */
static int allocate_blocks(struct cst_image *img, uint32_t stride)
{
	void *memory = NULL;
	struct blk *blk = cst_large_reserve(&memory, (size_t)img->blocks.blk_max * stride);

	if (!blk)
		return 0;
	free(img->blocks.blk_memory);
	img->blocks.blk_memory = memory;
	img->blocks.blk = blk;
	img->blocks.blk_stride = stride;
	img->blocks.blk_count = 1;
	memset(img->blocks.blk, 0, stride);
	return 1;
}

int cst_image_new(struct cst_image **out, size_t cache_limit)
{
	struct cst_image *img = calloc(1, sizeof(*img));
	size_t n;

	if (!img)
		return -CST_ERR_NOMEM;
	if (!cache_limit)
		cache_limit = DEFAULT_CACHE;
	/* one half for the blocks, one half for their page tables */
	n = cache_limit / 2 / sizeof(struct blk);
	if (n < MIN_BLOCKS)
		n = MIN_BLOCKS;
	if (n > BLK_LIMIT)
		n = BLK_LIMIT;
	img->blocks.blk_max = n;
	img->table_max = cache_limit / 2;
	if (img->table_max < MIN_TABLES)
		img->table_max = MIN_TABLES;
	img->table_memory.most = img->table_max;
	if (!allocate_blocks(img, BLK_STRIDE)) {
		free(img);
		return -CST_ERR_NOMEM;
	}
	*out = img;
	return 0;
}

static size_t page_count(const struct cst_section *sec)
{
	return (sec->size + CODE_PAGE - 1) / CODE_PAGE;
}

/* Drops everything decoded of a section; its page tables are freed already. */
static void forget(struct cst_section *sec)
{
	unsigned int t;

	for (t = 0; t < BLK_TABLES; t++) {
		free(sec->pages[t]);
		sec->pages[t] = NULL;
		free(sec->spans[t]);
		sec->spans[t] = NULL;
	}
}

static void drop_tables(struct cst_image *img)
{
	struct page_table *t;

	for (t = img->tables; t; t = t->next)
		*t->at = NULL;
	img->tables = NULL;
	cst_arena_drop(&img->table_memory);
}

/* Empties the block cache, which invalidates all places. */
static void flush(struct cst_image *img)
{
	size_t i;

	if (img->dropping)
		img->dropping(img->dropping_data);
	if (img->counts)
		cst_counts_drain(img->counts);
	if (img->crossings)
		memset(img->crossings, 0, sizeof(*img->crossings));
	drop_tables(img);
	img->blocks.blk_count = 1;
	for (i = 0; i < img->sec_count; i++)
		img->sec[i]->link_len = 0;
	img->table_bytes = 0;
	img->generation++;
}

int cst_crossings_new(struct cst_image *img)
{
	if (!img->crossings)
		img->crossings = calloc(1, sizeof(*img->crossings));
	return img->crossings != NULL;
}

int cst_image_set_stride(struct cst_image *img, uint32_t stride)
{
	if (img->blocks.blk_stride != stride && !allocate_blocks(img, stride))
		return 0;
	flush(img);
	return 1;
}

void cst_image_free(struct cst_image *img)
{
	size_t i;

	if (!img)
		return;
	while (img->spaces)
		cst_space_free(img->spaces);
	drop_tables(img);
	for (i = 0; i < img->sec_count; i++) {
		forget(img->sec[i]);
		free(img->sec[i]);
	}
	free(img->sec);
	free(img->crossings);
	free(img->blocks.blk_memory);
	free(img);
}

int cst_section_new(struct cst_section **out, struct cst_image *img, const void *bytes, uint64_t size,
		    void *cookie)
{
	struct cst_section *sec;

	if (size > (uint64_t)UINT32_MAX * 2)
		return -CST_ERR_LIMIT;
	if (array_reserve(&img->sec, &img->sec_cap, img->sec_count + 1, sizeof(*img->sec)))
		return -CST_ERR_NOMEM;
	sec = calloc(1, sizeof(*sec));
	if (!sec)
		return -CST_ERR_NOMEM;
	sec->img = img;
	sec->bytes = bytes;
	sec->size = size;
	sec->cookie = cookie;
	sec->lazy = !bytes;
	img->sec[img->sec_count++] = sec;
	sec->id = img->sec_count;
	*out = sec;
	return 0;
}

int cst_section_set_bytes(struct cst_section *sec, const void *bytes, uint64_t size)
{
	if (!sec->lazy || size > sec->size)
		return -CST_ERR_INVAL;
	sec->lazy = 0;
	sec->bytes = bytes;
	sec->size = bytes ? size : 0;
	return 0;
}

void cst_section_renew(struct cst_section *sec, const void *bytes, uint64_t size)
{
	unsigned int t;

	for (t = 0; t < BLK_TABLES && !sec->pages[t]; t++)
		;
	if (t < BLK_TABLES)
		flush(sec->img);
	forget(sec);
	sec->lazy = 0;
	sec->bytes = bytes;
	sec->size = bytes ? size : 0;
	sec->link_len = 0;
	sec->last_map.id = 0;
}

void *cst_section_cookie(const struct cst_section *sec)
{
	return sec->cookie;
}

uint32_t cst_section_id(const struct cst_section *sec)
{
	return sec->id;
}

struct cst_section *cst_image_section(const struct cst_image *img, uint32_t id)
{
	return id && id <= img->sec_count ? img->sec[id - 1] : NULL;
}

static uint32_t *new_table(struct cst_image *img, size_t bytes, uint32_t **at)
{
	struct page_table *table;

	if (img->table_bytes + bytes > img->table_max)
		return NULL;
	table = cst_arena_zeroed(&img->table_memory, sizeof(*table) + bytes);
	if (!table)
		return NULL;
	table->at = at;
	table->next = img->tables;
	img->tables = table;
	img->table_bytes += bytes;
	return table->place;
}

/* Returns the table slot of the block at `off` and creates its page table if needed; NULL: out of memory. */
static uint32_t *find_slot(struct cst_section *sec, uint64_t off, unsigned int key, unsigned int table)
{
	unsigned int step = 1u << blk_shift(blk_key_isa(key));
	uint32_t ***pages = &sec->pages[table];
	size_t i = off / CODE_PAGE;

	if (!*pages)
		*pages = calloc(page_count(sec), sizeof(**pages));
	if (!*pages)
		return NULL;
	if (!(*pages)[i])
		(*pages)[i] = new_table(sec->img, CODE_PAGE / step * sizeof(uint32_t), &(*pages)[i]);
	if (!(*pages)[i])
		return NULL;
	table_with((*pages)[i])->used |= 1ull << off % CODE_PAGE / TABLE_PART;
	return &(*pages)[i][off % CODE_PAGE / step];
}

/*
 * Returns the index into pages[] for these flags. If there are more combinations than tables, all tables are emptied.
 */
static unsigned int find_table(struct cst_image *img, unsigned int key, unsigned int flags)
{
	unsigned int table = blk_table(img, key, flags);
	size_t i;

	if (table != BLK_TABLES)
		return table;
	if (img->variants == BLK_VARIANTS) {
		flush(img);
		for (i = 0; i < img->sec_count; i++)
			forget(img->sec[i]);
		img->variants = 0;
	}
	img->isa_flags[img->variants++] = flags;
	return blk_table(img, key, flags);
}

/* Decodes the block at `off`: classifies instructions up to a P0 instruction, a cut or the end of the section. */
static void build(const struct cst_section *sec, struct blk *b, uint64_t off, unsigned int key, uint64_t pc,
		  unsigned int flags);

/* Offset at which a block from `off` is cut if it has no P0 instruction. */
static uint64_t cut_of(uint64_t off)
{
	return (off | (BLK_SPAN - 1)) + 1 + BLK_MORE;
}

/* True if a block that begins at `off` can be in sec->spans[]. */
static inline int begins_span(uint64_t off, unsigned int key)
{
	return (off - BLK_MORE) % BLK_SPAN < 2 * BLK_PHASES && off >= BLK_MORE && key < BLK_ISAS;
}

static size_t span_number(uint64_t off)
{
	return (off - BLK_MORE) / BLK_SPAN * BLK_PHASES + (off - BLK_MORE) % BLK_SPAN / 2;
}

static __attribute__((noinline)) void keep_span(struct cst_section *sec, const struct blk *b, uint64_t off, unsigned int table)
{
	uint64_t over = (off + (uint64_t)b->step[0] - cut_of(off)) / 2;
	struct blk_span *s;

	/* other blocks end before the cut */
	if (b->flags & ~(BLK_CUT | BLK_COND) || off + (uint64_t)b->step[0] < cut_of(off) || over > UINT8_MAX)
		return;
	if (!sec->spans[table])
		sec->spans[table] = calloc(sec->size / BLK_SPAN + 1, BLK_PHASES * sizeof(*s));
	if (!sec->spans[table])
		return;
	s = &sec->spans[table][span_number(off)];
	s->n_insn = b->n_insn;
	s->over = over;
	s->flags = (b->flags & BLK_COND ? SPAN_COND : 0) | (b->last_size == 4 ? SPAN_LAST_4 : 0);
}

/* Restores the block at `off` from sec->spans[] without decoding it. Returns 0 if it is not there. */
static __attribute__((noinline)) int restore_span(const struct cst_section *sec, struct blk *b, uint64_t off, unsigned int key,
			unsigned int table)
{
	const struct blk_span *s = sec->spans[table] ? &sec->spans[table][span_number(off)] : NULL;

	if (!s || !s->n_insn)
		return 0;
	memset(b, 0, sizeof(*b));
	b->off = off / 2;
	b->n_insn = s->n_insn;
	b->flags = BLK_CUT | (s->flags & SPAN_COND ? BLK_COND : 0);
	b->isa = b->next_isa = blk_key_isa(key);
	b->step[0] = b->step[1] = cut_of(off) - off + 2 * s->over;
	b->gflags = s->flags & SPAN_COND ? CST_GF_COND : 0;
	b->num = s->flags & SPAN_COND && blk_shift(b->isa) == 1 ? CST_RANGE_IT : 0;
	b->type = CST_INSN_OTHER;
	b->last_size = s->flags & SPAN_LAST_4 ? 4 : 2;
	return 1;
}

struct blk *cst_block(struct cst_section *sec, uint64_t off, unsigned int key, uint64_t pc, unsigned int flags)
{
	struct cst_image *img = sec->img;
	unsigned int table;
	uint32_t *slot;
	struct blk *b;
	int span;

	if (off >= sec->size || key >= BLK_KEYS || off & ((1u << blk_shift(blk_key_isa(key))) - 1))
		return NULL;
	table = find_table(img, key, flags);
	slot = find_slot(sec, off, key, table);
	if (slot && *slot)
		return BLK_AT(img->blocks.blk, *slot);
	if (!slot || img->blocks.blk_count == img->blocks.blk_max) {
		flush(img);
		slot = find_slot(sec, off, key, table);
		if (!slot)
			return NULL;
	}
	b = BLK_AT(img->blocks.blk, img->blocks.blk_count++ * img->blocks.blk_stride);
	*slot = blk_place(img, b);
	if (img->counts)
		memset(cst_blk_counters(b), 0, sizeof(struct blk_count));
	span = begins_span(off, key);
	if (span && restore_span(sec, b, off, key, table))
		return b;
	build(sec, b, off, key, pc, flags);
	img->analysed += b->n_insn;
	if (span)
		keep_span(sec, b, off, table);
	return b;
}

static uint32_t le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le32(const uint8_t *p)
{
	return le16(p) | le16(p + 2) << 16;
}

/* Reads the opcode at `at` as cst_isa_classify() takes it. Returns 0 if it does not end inside the section. */
static inline int fetch(const struct cst_section *sec, uint64_t at, enum cst_isa isa, uint32_t *op)
{
	const uint64_t left = sec->size - at;
	const uint8_t *p = sec->bytes + at;

	if (blk_shift(isa) == 2) {
		if (left < 4)
			return 0;
		*op = le32(p);
		return 1;
	}
	if (left < 2 || left < cst_t32_size(le16(p)))
		return 0;
	*op = le16(p) << 16 | (cst_t32_size(le16(p)) == 4 ? le16(p + 2) : 0);
	return 1;
}

/*
 * Adds the A64 instructions from `off` up to the first that may be a P0 instruction or UDF, at most up to the cut.
 * Returns the offset after them.
 */
static uint64_t skip_others(const struct cst_section *sec, struct blk *b, uint64_t off, uint64_t cut)
{
	const uint64_t end = cut < sec->size ? cut : sec->size;
	uint64_t at = off;
	uint32_t op;

	for (; end - at >= 4; at += 4) {
		op = le32(sec->bytes + at);
		if (a64_is_branch_group(op) || !(op >> 16))
			break;
	}
	b->n_insn = (uint16_t)((at - off) / 4);
	if (at > off) {
		b->last_size = 4;
		b->type = CST_INSN_OTHER;
	}
	return at;
}

static void build(const struct cst_section *sec, struct blk *b, uint64_t off, unsigned int key, uint64_t pc,
		  unsigned int flags)
{
	uint64_t at = off, cut = cut_of(off);
	unsigned int it = blk_key_it(key), cond = 0, undefined = 0;
	int32_t target = 0;
	enum cst_isa isa = blk_key_isa(key);
	struct cst_insn in;
	uint32_t op;

	memset(b, 0, sizeof(*b));
	b->off = off / 2;
	b->isa = b->next_isa = isa;
	if (isa == CST_ISA_A64)
		at = skip_others(sec, b, off, cut);
	for (;;) {
		if (at >= cut && !it) {
			b->flags |= BLK_CUT;
			break;
		}
		if (!fetch(sec, at, isa, &op)) {
			b->flags |= BLK_SECTION_END;
			break;
		}
		/*
		 * for CST_CHECK_UNDEFINED, UDF instructions form blocks of their own, which never end with a P0
		 * instruction
		 */
		if (isa == CST_ISA_A64 && b->n_insn && undefined != !(op >> 16)) {
			b->flags |= BLK_CUT;
			break;
		}
		undefined = !(op >> 16);
		cst_isa_classify(&in, isa, op, pc + (at - off), flags);
		at += in.size;
		b->n_insn++;
		b->last_size = in.size;
		cond = in.cond | it << 1;
		if (it)
			it--;
		if (in.it_count)
			it = in.it_count;
		if (cst_insn_is_p0(&in, flags)) {
			b->flags |= BLK_P0 | (in.link ? BLK_LINK : 0);
			b->type = in.type;
			b->subtype = in.subtype;
			if (in.type == CST_INSN_BRANCH) {
				target = (int32_t)(at - in.size - off) + in.disp;
				b->next_isa = in.next_isa;
			}
			break;
		}
		b->type = CST_INSN_OTHER;
	}
	/* 4 is left only after an IT instruction at the end of the section, where no block follows */
	b->flags |= it < 4 ? it << BLK_IT_SHIFT : 0;
	if (cond)
		b->flags |= BLK_COND;
	else if (b->flags & BLK_P0)
		b->flags |= BLK_ALWAYS;
	b->step[0] = at - off;
	b->step[1] = b->type == CST_INSN_BRANCH ? target : b->step[0];
	b->gflags = (b->flags & BLK_P0 ? CST_GF_WAYPOINT : 0) |
		    (b->flags & BLK_COND ? CST_GF_COND : 0) | (b->flags & BLK_LINK ? CST_GF_LINK : 0);
	b->num = cond > 1 ? CST_RANGE_IT : 0;
	if (!(flags & CST_ISA_RUNS)) {
		b->link[0] = blk_link_kind(b, 0);
		b->link[1] = blk_link_kind(b, 1);
	}
}
