/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * section.c - images and their code sections.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/flow.h>
#include <cstrace/isa.h>

#include "image.h"

#define DEFAULT_CACHE (128u << 20)
#define MIN_BLOCKS 4096u
#define MIN_TABLES (16 * CODE_PAGE / 2 * sizeof(uint32_t))

int cst_image_new(struct cst_image **out, size_t cache_limit)
{
	struct cst_image *img = calloc(1, sizeof(*img));
	size_t n;

	if (!img)
		return -CST_ERR_NOMEM;
	if (!cache_limit)
		cache_limit = DEFAULT_CACHE;
	/* half for the blocks, half for the tables that find them */
	n = cache_limit / 2 / sizeof(struct blk);
	if (n < MIN_BLOCKS)
		n = MIN_BLOCKS;
	if (n > UINT32_MAX - 1)
		n = UINT32_MAX - 1;
	img->blk_max = n;
	img->table_max = cache_limit / 2;
	if (img->table_max < MIN_TABLES)
		img->table_max = MIN_TABLES;
	/* untouched memory costs nothing: the array is as large as it may ever get */
	img->blk = malloc(n * sizeof(struct blk));
	if (!img->blk) {
		free(img);
		return -CST_ERR_NOMEM;
	}
	img->blk_count = 1;
	*out = img;
	return 0;
}

static size_t page_count(const struct cst_section *sec)
{
	return (sec->size + CODE_PAGE - 1) / CODE_PAGE;
}

static void drop_pages(struct cst_section *sec)
{
	unsigned int isa;
	size_t i;

	for (isa = 0; isa < BLK_TABLES; isa++) {
		for (i = 0; sec->pages[isa] && i < page_count(sec); i++)
			free(sec->pages[isa][i]);
		free(sec->pages[isa]);
		sec->pages[isa] = NULL;
	}
}

/* Empty the block cache: every block number is void afterwards. */
static void flush(struct cst_image *img)
{
	size_t i;

	for (i = 0; i < img->sec_count; i++)
		drop_pages(img->sec[i]);
	img->blk_count = 1;
	for (i = 0; i < img->sec_count; i++)
		img->sec[i]->link_len = 0;
	img->table_bytes = 0;
	img->generation++;
}

void cst_image_free(struct cst_image *img)
{
	size_t i;

	if (!img)
		return;
	while (img->spaces)
		cst_space_free(img->spaces);
	for (i = 0; i < img->sec_count; i++) {
		drop_pages(img->sec[i]);
		free(img->sec[i]);
	}
	free(img->sec);
	free(img->blk);
	free(img);
}

int cst_section_new(struct cst_section **out, struct cst_image *img, const void *bytes, uint64_t size,
		    void *cookie)
{
	struct cst_section *sec, **grown;
	size_t cap;

	if (size > (uint64_t)UINT32_MAX * 2)
		return -CST_ERR_LIMIT;
	if (img->sec_count == img->sec_cap) {
		cap = img->sec_cap ? img->sec_cap * 2 : 16;
		grown = realloc(img->sec, cap * sizeof(*grown));
		if (!grown)
			return -CST_ERR_NOMEM;
		img->sec = grown;
		img->sec_cap = cap;
	}
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
	unsigned int isa;

	for (isa = 0; isa < BLK_TABLES && !sec->pages[isa]; isa++)
		;
	if (isa < BLK_TABLES)
		flush(sec->img);
	sec->lazy = 0;
	sec->bytes = bytes;
	sec->size = bytes ? size : 0;
	sec->link_len = 0;
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

static void *new_table(struct cst_image *img, size_t bytes)
{
	void *table;

	if (img->table_bytes + bytes > img->table_max)
		return NULL;
	table = calloc(1, bytes);
	if (table)
		img->table_bytes += bytes;
	return table;
}

/* Slot that holds the number of the block at `off`, with its page made; NULL: out of memory. */
static uint32_t *find_slot(struct cst_section *sec, uint64_t off, enum cst_isa isa)
{
	unsigned int step = isa == CST_ISA_T32 ? 2 : 4;
	uint32_t ***pages = &sec->pages[isa];
	size_t i = off / CODE_PAGE;

	if (!*pages)
		*pages = calloc(page_count(sec), sizeof(**pages));
	if (!*pages)
		return NULL;
	if (!(*pages)[i])
		(*pages)[i] = new_table(sec->img, CODE_PAGE / step * sizeof(uint32_t));
	return (*pages)[i] ? &(*pages)[i][off % CODE_PAGE / step] : NULL;
}

/* Make the block at `off`: classify instructions up to a P0 one, a cut or the section's end. */
static void build(const struct cst_section *sec, struct blk *b, uint64_t off, enum cst_isa isa,
		  uint64_t pc, unsigned int flags);

struct blk *cst_block(struct cst_section *sec, uint64_t off, enum cst_isa isa, uint64_t pc,
		      unsigned int flags)
{
	struct cst_image *img = sec->img;
	uint32_t *slot;

	if (off >= sec->size || isa >= BLK_TABLES || off & (isa == CST_ISA_T32 ? 1 : 3))
		return NULL;
	if (img->isa_flags != flags) {
		if (img->blk_count > 1)
			flush(img);
		img->isa_flags = flags;
	}
	slot = find_slot(sec, off, isa);
	if (slot && *slot)
		return &img->blk[*slot];
	if (!slot || img->blk_count == img->blk_max) {
		flush(img);
		slot = find_slot(sec, off, isa);
		if (!slot)
			return NULL;
	}
	*slot = img->blk_count++;
	build(sec, &img->blk[*slot], off, isa, pc, flags);
	return &img->blk[*slot];
}

static uint32_t le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le32(const uint8_t *p)
{
	return le16(p) | le16(p + 2) << 16;
}


static int is_p0(const struct cst_insn *in)
{
	return in->type != CST_INSN_OTHER && in->type != CST_INSN_BARRIER;
}

static void build(const struct cst_section *sec, struct blk *b, uint64_t off, enum cst_isa isa,
		  uint64_t pc, unsigned int flags)
{
	uint64_t at = off, cut = (off | (BLK_SPAN - 1)) + 1 + BLK_MORE;
	unsigned int it = 0, cond = 0;
	struct cst_insn in;
	uint32_t op;

	memset(b, 0, sizeof(*b));
	b->off = off / 2;
	b->isa = b->next_isa = isa;
	for (;;) {
		if (at >= cut) {
			b->flags |= BLK_CUT;
			break;
		}
		if (isa == CST_ISA_T32) {
			if (sec->size - at < 2) {
				b->flags |= BLK_SECTION_END;
				break;
			}
			op = le16(sec->bytes + at) << 16;
			if (cst_t32_size(op >> 16) == 4) {
				if (sec->size - at < 4) {
					b->flags |= BLK_SECTION_END;
					break;
				}
				op |= le16(sec->bytes + at + 2);
			}
		} else {
			if (sec->size - at < 4) {
				b->flags |= BLK_SECTION_END;
				break;
			}
			op = le32(sec->bytes + at);
		}
		cst_isa_classify(&in, isa, op, pc + (at - off), flags);
		at += in.size;
		b->n_insn++;
		b->last_size = in.size;
		cond = in.cond || it;
		if (it)
			it--;
		if (is_p0(&in)) {
			b->flags |= BLK_P0 | (in.link ? BLK_LINK : 0);
			b->type = in.type;
			b->subtype = in.subtype;
			if (in.type == CST_INSN_BRANCH) {
				b->disp = (int32_t)(at - in.size - off) + in.disp;
				b->next_isa = in.next_isa;
			}
			break;
		}
		if (in.it_count)
			it = in.it_count;
		b->type = CST_INSN_OTHER;
	}
	if (cond)
		b->flags |= BLK_COND;
	else if (b->flags & BLK_P0 && isa == CST_ISA_A64)
		b->flags |= BLK_ALWAYS;
	b->len = at - off;
	b->gflags = (b->flags & BLK_P0 ? CST_GF_WAYPOINT : 0) |
		    (b->flags & BLK_COND ? CST_GF_COND : 0) | (b->flags & BLK_LINK ? CST_GF_LINK : 0);
}
