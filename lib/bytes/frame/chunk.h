/* SPDX-License-Identifier: BSD-3-Clause */
/* chunk.h - frames that are unpacked a chunk at a time, and the runs of one trace ID in a chunk. */
#ifndef CST_LIB_BYTES_FRAME_CHUNK_H
#define CST_LIB_BYTES_FRAME_CHUNK_H

#include <cstrace/frame.h>

#include "bytes/reader/cursor.h"

/* Raw bytes unpacked at a time: unpacked bytes and decoders' state fit into the cache. */
#define CHUNK_BYTES 16384u

struct chunk {
	struct cst_fragment *frag; /* those of [at, count) were not taken yet */
	struct seg *seg;	   /* of the last run taken */
	uint8_t *data;		   /* unpacked bytes, to which the fragments refer */
	uint32_t at, count;
};

/* Allocates an empty chunk. -CST_ERR_NOMEM; cst_chunk_free() is called in either case. */
int cst_chunk_init(struct chunk *c);
void cst_chunk_free(struct chunk *c);
/*
 * Unpacks the next `len` bytes of input, at most CHUNK_BYTES, when all fragments were taken.
 * Returns how many of them were used, at least one.
 */
size_t cst_chunk_unpack(struct chunk *c, struct cst_deframer *df, const uint8_t *in, size_t len,
			uint64_t offset);

/* True if no decoder can continue behind a fragment: a barrier, or lost frames. */
static inline int cst_chunk_resets(const struct cst_fragment *fr)
{
	return fr->kind == CST_FRAG_RESET || fr->kind == CST_FRAG_ERROR;
}

/*
 * Takes consecutive data fragments of one ID, from fragment `at` on, as one run of `len` bytes,
 * with their trace offsets in c->seg. Returns their number.
 */
static inline uint32_t cst_chunk_run(struct chunk *c, size_t *len)
{
	const struct cst_fragment *frag = &c->frag[c->at];
	const uint32_t count = c->count - c->at;
	struct seg *const seg = c->seg;
	uint32_t i;

	*len = 0;
	for (i = 0; i < count && frag[i].kind == CST_FRAG_DATA && frag[i].id == frag[0].id; i++) {
		seg[i].pos = (uint32_t)*len;
		seg[i].offset = frag[i].offset;
		*len += frag[i].len;
	}
	c->at += i;
	return i;
}

#endif
