/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sinks.h - CST_ORDER_BY_ID: the bytes of a stretch of frames by trace ID, each to be decoded as one run.
 */
#ifndef CST_LIB_TREE_SINKS_H
#define CST_LIB_TREE_SINKS_H

#include "frame/split.h"

struct sink_memory;

struct sinks {
	struct frame_sink sink[SPLIT_IDS];
	unsigned int at;	/* IDs from here on still have their bytes */
	struct sink_memory *memory[SPLIT_IDS];
	struct sink_memory *scrap;	/* of all IDs without a decoder, whose bytes are only counted */
};

struct sinks *cst_sinks_new(void);
void cst_sinks_free(struct sinks *k);
/* Bytes of this ID are kept from now on; those that are waiting are not. -CST_ERR_NOMEM. */
int cst_sinks_add(struct sinks *k, unsigned int id);
/* No more; returns how many bytes were waiting. */
uint32_t cst_sinks_remove(struct sinks *k, unsigned int id);
/* Drop what is waiting. */
void cst_sinks_clear(struct sinks *k);
/* The next ID that has bytes, which are now the caller's up to the next cst_sinks_fill(). NULL: none. */
struct frame_sink *cst_sinks_next(struct sinks *k, unsigned int *id);
/* Fills the sinks, which must be empty, from a stretch of frames, as cst_frame_split(); `len` up to SINK_CHUNK. */
#define SINK_CHUNK 16384u
size_t cst_sinks_fill(struct sinks *k, struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset);

#endif
