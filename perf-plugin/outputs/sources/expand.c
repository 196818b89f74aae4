/* SPDX-License-Identifier: GPL-2.0-only */
/* expand.c - compressed debug sections (zlib, zstd), within a limit of their size. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/alloc.h"
#include "base/ordered.h"
#include "outputs/sources/sections.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD	2
#endif

#define OLD_HEAD	12u	/* "ZLIB", size of the contents (big-endian) */

struct packed {
	uint64_t type, size;	/* ch_type and ch_size of the header */
	size_t head;		/* bytes of the header */
};

/* Reads the header of a compressed section. False: there is none. */
static bool read_head(struct packed *h, const struct contents *c, bool old, int class, bool big)
{
	h->head = old ? OLD_HEAD : class == ELFCLASS32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
	if (c->size < h->head || (old && memcmp(c->p, "ZLIB", 4)))
		return false;
	h->type = old ? ELFCOMPRESS_ZLIB : ordered_number(c->p, 4, big);
	h->size = old ? ordered_number(c->p + 4, 8, true) : class == ELFCLASS32 ? ordered_number(c->p + 4, 4, big) : ordered_number(c->p + 8, 8, big);
	return true;
}

static bool expand_zlib(uint8_t *to, size_t size, const uint8_t *p, size_t len)
{
	uLongf n = size;
	int rc = uncompress(to, &n, p, len);

	if (rc == Z_MEM_ERROR)
		mem_refused(0);
	return rc == Z_OK && n == size;
}

#ifdef HAVE_ZSTD
static bool expand_zstd(uint8_t *to, size_t size, const uint8_t *p, size_t len)
{
	size_t n = ZSTD_decompress(to, size, p, len);

	if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		mem_refused(0);
	return n == size;
}
#else
#define expand_zstd NULL
#endif

enum sections_lack section_expand(struct contents *c, bool old, int class, bool big)
{
	bool (*expand)(uint8_t *to, size_t size, const uint8_t *p, size_t len);
	struct packed h;
	size_t len;
	uint8_t *to;

	if (!read_head(&h, c, old, class, big))
		return SECTIONS_DAMAGED;
	if (h.type != ELFCOMPRESS_ZLIB && h.type != ELFCOMPRESS_ZSTD)
		return SECTIONS_PACKING;
	expand = h.type == ELFCOMPRESS_ZLIB ? expand_zlib : expand_zstd;
	if (!expand)
		return SECTIONS_LEFT_OUT;
	len = c->size - h.head;
	if (h.size > EXPAND_SMALL && h.size / EXPAND_RATIO > len)
		return SECTIONS_LARGE;
	to = mem_new(h.size);
	if (!expand(to, h.size, c->p + h.head, len)) {
		free(to);
		return SECTIONS_DAMAGED;
	}
	*c = (struct contents){ .p = to, .size = h.size, .own = to };
	return SECTIONS_FINE;
}
