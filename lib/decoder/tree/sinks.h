/* SPDX-License-Identifier: BSD-3-Clause */
/* sinks.h - memory for CST_ORDER_BY_ID: the bytes of a stretch of frames, collected by trace ID. */
#ifndef CST_LIB_DECODER_TREE_SINKS_H
#define CST_LIB_DECODER_TREE_SINKS_H

#include "bytes/frame/split.h"

struct sink_memory;

struct sinks {
	struct frame_sink sink[SPLIT_IDS];
	unsigned int at;	/* IDs from `at` on have bytes that are not decoded */
	struct sink_memory *memory[SPLIT_IDS];
	struct sink_memory *scrap;	/* shared by all IDs without a decoder, whose bytes are only counted */
};

struct sinks *cst_sinks_new(void);
void cst_sinks_free(struct sinks *k);
/* Collects the bytes of this ID from the next stretch on. -CST_ERR_NOMEM. */
int cst_sinks_add(struct sinks *k, unsigned int id);
/* Stops collecting for an ID. Returns how many of its bytes were not decoded. */
uint32_t cst_sinks_remove(struct sinks *k, unsigned int id);
/* Drops all bytes collected. */
void cst_sinks_clear(struct sinks *k);
/* Returns the next ID with bytes, which are valid until the next cst_sinks_fill(). NULL: none. */
struct frame_sink *cst_sinks_next(struct sinks *k, unsigned int *id);
/* Fills the sinks, which must be empty, from a stretch of frames, as cst_frame_split(); `len` up to SINK_CHUNK. */
#define SINK_CHUNK 16384u
size_t cst_sinks_fill(struct sinks *k, struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset);

#endif
