/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * index_int.h - internals of the indexer: the stream of one trace ID, decoded up to its trace elements by two decoders, of
 * which the second began at a later synchronisation.
 */
#ifndef CST_LIB_DECODER_INDEX_INDEX_INT_H
#define CST_LIB_DECODER_INDEX_INDEX_INT_H

#include <cstrace/index.h>

#include "bytes/reader/cursor.h"
#include "protocols/protocol/protocol_int.h"

/* Packet stage and element stage of one decoder. */
struct side {
	struct cursor cur;
	void *parser, *stage;
};

/* Elements that the flow stage received since the synchronisation at which the second decoder began. */
struct flow_state {
	uint64_t digest;	/* of the elements since Trace Info, or since the I-sync packet */
	uint8_t context, address;
	uint8_t sync_known;	/* a context came with the I-sync packet at sync_index */
	uint8_t unsure;		/* instructions that may still be in an IT block from before the synchronisation */
	uint64_t sync_index;
};

struct stream_index {
	struct cst_config cfg;
	const struct protocol *pr;
	struct cst_stats stats;	/* not read; the stages require counters */
	struct side main;	/* decoder that began with the stream */
	struct side late;	/* decoder that began at `start`; active while `trying` */
	struct flow_state main_flow, late_flow;
	uint8_t trying;
	uint8_t has_places;	/* a decoder of this stream can begin at synchronisations */
	uint8_t has_isync;	/* protocol with I-sync packets; others have Trace Info, context and address */
	uint32_t tried;		/* packets since `start` */
	uint64_t start;
	uint64_t next_valid;	/* 1: the decoders agree, the next packet begins a block */
	uint64_t last_index;	/* trace offset of the last packet */
	struct cst_index_stream ix;
	uint32_t max_blocks, max_records;
	uint8_t full;
	int error;
};

int cst_stream_index_init(struct stream_index *s, const struct cst_config *cfg, const struct cst_index_opts *opts);
void cst_stream_index_free(struct stream_index *s);
/* Sets the trace offset at which the buffer begins. */
int cst_stream_index_begin(struct stream_index *s, uint64_t offset);
/* Decodes a run of the stream's bytes, all of it. Returns -CST_ERR_NOMEM. */
int cst_stream_index_feed(struct stream_index *s, const uint8_t *data, size_t len, const struct seg *seg,
			  uint32_t seg_count);
/* Copies the index so far. Elements that wait for their commit are included as if they were committed. */
int cst_stream_index_take(const struct stream_index *s, struct cst_index_stream *out);
/* Handles a reset of the decoder at this point of the buffer. */
void cst_stream_index_reset(struct stream_index *s);

/* blocks.c: blocks and records of a stream. */
void cst_blocks_coarsen(struct cst_index_stream *ix);
int cst_blocks_add(struct stream_index *s, uint64_t start, uint64_t valid);
void cst_blocks_element(struct stream_index *s, const struct cst_element *e);
void cst_blocks_sync(struct stream_index *s, uint64_t index);
void cst_blocks_bytes(struct stream_index *s, uint64_t index, uint32_t n);
/* True if a synchronisation at `start` begins a new block, provided that decoding can begin there. */
int cst_blocks_wanted(const struct stream_index *s, uint64_t start);

/* copy.c */
int cst_index_copy_stream(struct cst_index_stream *to, const struct cst_index_stream *from);
void cst_index_free_stream(struct cst_index_stream *s);
/* array_reserve() for one more entry, with numbers of 32 bits. */
int cst_index_grow(void *array, uint32_t n, uint32_t *cap, size_t size);

/* codec.c: numbers of a file. */
struct writer {
	uint8_t *data;
	size_t len, cap;
	int error;
};
void cst_put_bytes(struct writer *w, const void *data, size_t len);
void cst_put_number(struct writer *w, uint64_t v);	/* seven bits per byte, the low ones first */
void cst_put_signed(struct writer *w, int64_t v);
void cst_put_fixed(struct writer *w, uint64_t v, unsigned int bytes);

struct reader {
	const uint8_t *p, *end;
	int error;
};
uint64_t cst_get_number(struct reader *r);
int64_t cst_get_signed(struct reader *r);
uint64_t cst_get_fixed(struct reader *r, unsigned int bytes);
/* Reads a count of entries that take at least `least` bytes each; an error if the file is too short for them. */
uint32_t cst_get_count(struct reader *r, unsigned int least);

/* Checksum of a file; the field of the checksum itself counts as zero. */
uint64_t cst_index_sum(const uint8_t *data, size_t len);

#endif
