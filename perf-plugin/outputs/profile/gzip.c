/* SPDX-License-Identifier: GPL-2.0-only */
/* gzip.c - collects bytes for zlib's deflate, whose calls are expensive for a few bytes each. */
#include "outputs/profile/gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"

struct gzip {
	struct pd_output *out;
	z_stream z;
	size_t used;		/* bytes in `plain` */
	uint8_t plain[65536], packed[65536];
};

struct gzip *gzip_new(struct pd_output *out)
{
	enum { GZIP = 16 };	/* zlib.h, deflateInit2(): added to the window's bits */
	struct gzip *g = mem_zeroed(1, sizeof(*g));

	g->out = out;
	if (deflateInit2(&g->z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL - 1,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		mem_refused(0);
	return g;
}

static void pack(struct gzip *g, int flush)
{
	g->z.next_in = g->plain;
	g->z.avail_in = (uInt)g->used;
	do {
		g->z.next_out = g->packed;
		g->z.avail_out = sizeof(g->packed);
		deflate(&g->z, flush);
		pd_output_write(g->out, g->packed, sizeof(g->packed) - g->z.avail_out);
	} while (!g->z.avail_out);
	g->used = 0;
}

void gzip_write(struct gzip *g, const void *data, size_t n)
{
	const uint8_t *p = data;
	size_t part;

	/* memcpy() takes no null pointer, not even for nothing */
	if (!n)
		return;
	while (n > sizeof(g->plain) - g->used) {
		part = sizeof(g->plain) - g->used;
		memcpy(g->plain + g->used, p, part);
		g->used += part;
		p += part;
		n -= part;
		pack(g, Z_NO_FLUSH);
	}
	memcpy(g->plain + g->used, p, n);
	g->used += n;
}

void gzip_end(struct gzip *g)
{
	pack(g, Z_FINISH);
	deflateEnd(&g->z);
	free(g);
}
