/* SPDX-License-Identifier: BSD-3-Clause */
/* chunk.c - memory of a chunk of unpacked frames. */
#include <stdlib.h>

#include <cstrace/error.h>

#include "bytes/frame/chunk.h"

/* A frame has up to eight runs of an ID. */
#define CHUNK_FRAGS (CHUNK_BYTES / 16 * 8)

int cst_chunk_init(struct chunk *c)
{
	c->at = c->count = 0;
	c->frag = malloc(CHUNK_FRAGS * sizeof(*c->frag));
	c->seg = malloc(CHUNK_FRAGS * sizeof(*c->seg));
	c->data = malloc(CHUNK_BYTES);
	return c->frag && c->seg && c->data ? 0 : -CST_ERR_NOMEM;
}

void cst_chunk_free(struct chunk *c)
{
	free(c->frag);
	free(c->seg);
	free(c->data);
}

size_t cst_chunk_unpack(struct chunk *c, struct cst_deframer *df, const uint8_t *in, size_t len,
			uint64_t offset)
{
	size_t used;
	int n;

	n = cst_deframe(df, in, len, offset, c->data, CHUNK_BYTES, c->frag, CHUNK_FRAGS, &used);
	c->at = 0;
	c->count = (uint32_t)n;
	return used;
}
