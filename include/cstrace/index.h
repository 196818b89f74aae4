/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * index.h - indexes of a trace buffer: positions at which decoding can begin, and their contents (reference decoder
 * design, "source indexer", "trace ID stream indexer", "index reader").
 *
 * The index of a buffer has one source part and one stream part per trace ID. The source part lists, for each block of
 * the buffer, the trace IDs that occur, triggers, barriers and bad frames. A stream part divides the stream into blocks
 * that begin where a decoder can begin, with counts, times and contexts; a full index also records each occurrence. All
 * offsets are trace offsets as they were fed. Building an index takes the packets, not the program.
 *
 * A decoder fed from block.start on emits the same generic elements from index block.valid on as one that was fed from
 * the beginning of the trace. The builder proves this by decoding the packets both ways until the states are equal (Arm
 * ARM K10.5.2.1 "Retained state", K10.5.3).
 *
 * Threads: a builder belongs to one thread at a time; an index that nobody changes may be shared. Errors are negative
 * enum cst_error.
 */
#ifndef CSTRACE_INDEX_H
#define CSTRACE_INDEX_H

#include <cstrace/config.h>
#include <cstrace/frame.h>
#include <cstrace/tree.h>

CST_BEGIN

#define CST_INDEX_GRANULARITY 0x20000u	/* default size of a block in bytes of the buffer */
#define CST_INDEX_CONTEXTS 63		/* distinct contexts that a stream records */
#define CST_INDEX_EL(el) (1u << (el))	/* bits of cst_index_stream.worlds */
#define CST_INDEX_SECURITY(s) (0x10u << (s))

enum cst_index_kind {
	CST_INDEX_TIMESTAMP,	/* value: time in ticks of the trace; unknown times (0) are left out */
	CST_INDEX_EVENT,	/* value: mask of events; 1 for a trigger */
	CST_INDEX_CONTEXT,	/* value: context ID, VMID << 32 */
	CST_INDEX_LOSS,		/* value: enum cst_unsync_reason */
	CST_INDEX_TRACE_ON,	/* value: enum cst_trace_on_reason */
	CST_INDEX_SYNC,		/* an alignment synchronisation */
	CST_INDEX_KINDS
};

/* A block of a stream. It covers the elements from `valid` to `valid` of the next block. */
struct cst_index_block {
	uint64_t start;		/* offset at which feeding begins */
	/* offset of the first element that is valid; in the first block both are the begin of the index */
	uint64_t valid;
	uint64_t bytes;		/* bytes of this trace ID in the block */
	uint32_t counts[CST_INDEX_KINDS];
	uint32_t event_mask;
	/* first, last, lowest and highest timestamp; 0 without timestamps */
	uint64_t time_first, time_last, time_min, time_max;
	uint64_t contexts;	/* bit i: contexts[i] of the stream occurs; last bit: another context */
};

/* One occurrence, in a full index. */
struct cst_index_record {
	uint64_t offset;	/* trace offset of the element or packet */
	uint64_t value;
	uint8_t kind;		/* enum cst_index_kind */
};

struct cst_index_stream {
	uint8_t trace_id;
	uint8_t protocol;	/* enum cst_protocol */
	uint64_t config;	/* cst_index_config() of the configuration used */
	uint8_t worlds;		/* exception levels 0..3 that occur in contexts: bits 0..3; enum cst_security: bits 4..7 */
	uint32_t granularity;	/* granularity of the index, or a coarser one if there were too many blocks */
	struct cst_index_block *blocks;	/* at least one */
	uint32_t n_blocks, cap_blocks;
	uint64_t contexts[CST_INDEX_CONTEXTS];
	uint32_t n_contexts;
	struct cst_index_record *records; /* sorted by offset */
	uint32_t n_records, cap_records;
	uint64_t records_end;	/* records are complete up to this offset; 0: no records */
};

/* A block of the buffer, up to the offset of the next one. It begins at a frame boundary. */
struct cst_index_source {
	uint64_t offset;
	uint64_t ids[2];	/* trace IDs 0..0x7f with bytes in the block, by bit; 0: padding */
	uint64_t digest;	/* cst_index_digest() of its bytes */
	uint32_t triggers, barriers, errors, syncs;
	uint8_t frame_id;	/* trace ID of the first bytes */
};

struct cst_index {
	char *name;		/* name of the buffer; never NULL */
	uint8_t format;		/* enum cst_tree_format */
	uint8_t flags;		/* enum cst_frame_flags */
	uint8_t full;		/* has records */
	uint32_t granularity;
	uint64_t offset, end;	/* indexed part of the buffer */
	uint64_t trace_offset, trace_size; /* whole buffer */
	uint64_t trace_digest;	/* set by the caller, see cst_index_sample(); 0: unknown */
	struct cst_index_source *sources;
	uint32_t n_sources, cap_sources;
	struct cst_index_stream *streams;	/* sorted by trace ID */
	uint32_t n_streams;
};

struct cst_index_opts {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint32_t granularity;	/* bytes of the buffer per block; 0: CST_INDEX_GRANULARITY, 1: finest */
	uint8_t full;		/* record each occurrence */
	uint32_t max_blocks;	/* per stream, default 65536 (0); the index gets coarser when it is reached */
	uint32_t max_records;	/* per stream, default 1048576 (0); recording ends when it is reached */
};

struct cst_index_builder;

/*
 * Creates a builder for a buffer of this layout. It allocates a decoder per stream and what `opts` limits.
 * -CST_ERR_NOMEM.
 */
CST_API int cst_index_builder_new(struct cst_index_builder **b, enum cst_tree_format format,
				  unsigned flags, const struct cst_index_opts *opts);
CST_API void cst_index_builder_free(struct cst_index_builder *b);
/*
 * Adds a stream to index, with its configuration. IDs without one are in the source part only; RAW takes one stream.
 * -CST_ERR_INVAL: the ID is above 0x7f or was added before, bytes were fed, or a second stream of RAW;
 * -CST_ERR_PROTOCOL; -CST_ERR_NOMEM.
 */
CST_API int cst_index_builder_add(struct cst_index_builder *b, const struct cst_config *cfg);
/*
 * Feeds bytes of the buffer in order; the first call sets where the index begins. The bytes are not needed after the
 * call. -CST_ERR_NOMEM ends the building.
 */
CST_API int cst_index_builder_feed(struct cst_index_builder *b, const uint8_t *data, size_t len, uint64_t offset);
/*
 * Returns the index of the bytes fed so far, which the caller frees; feeding may continue. -CST_ERR_NOMEM, also for an
 * earlier failure.
 */
CST_API int cst_index_builder_take(struct cst_index_builder *b, struct cst_index **index);
CST_API void cst_index_free(struct cst_index *index);

/*
 * Appends `next` to `index`. Both must be of the same buffer, streams and granularity, and `next` must begin inside
 * `index`. Since a decoder's position is proven only by earlier trace, `next` must share a block with `index` in each
 * stream that it extends: let it begin two blocks and a synchronisation early. -CST_ERR_CONFLICT: it does not fit,
 * `index` is unchanged.
 */
CST_EXPERIMENTAL
CST_API int cst_index_merge(struct cst_index *index, const struct cst_index *next);

struct cst_index_query {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint8_t kind;		/* enum cst_index_kind; CST_INDEX_KINDS: search by offset only */
	/* TIMESTAMP: this time or later; EVENT: any event of the mask, 0: any; CONTEXT: this context ID */
	uint64_t value;
	uint64_t from;		/* lowest offset of a match */
};

struct cst_index_place {
	uint64_t start, valid;	/* those of the block at which decoding begins */
	uint64_t offset;	/* no match is before this offset */
	uint8_t found;		/* 0: there is no match; the position is the end of the index */
	uint8_t exact;		/* 1: `offset` is the offset of the match */
};

CST_API const struct cst_index_stream *cst_index_find_stream(const struct cst_index *index, uint8_t trace_id);
/*
 * Finds the first match of a query in one stream. Decoding from the position in *place always shows
 * the match. Returns 0.
 */
CST_API int cst_index_search(const struct cst_index *index, const struct cst_index_stream *stream,
			     const struct cst_index_query *query, struct cst_index_place *place);
/* Returns the block of the buffer from which to feed to get the byte at `offset`; NULL: it is before the index. */
CST_API const struct cst_index_source *cst_index_source_at(const struct cst_index *index, uint64_t offset);
/*
 * Makes a tree that is new or was reset begin at `places`, one per stream of the index. Decoders of other IDs emit
 * nothing. Returns the offset from which to feed the buffer.
 */
CST_API uint64_t cst_index_start_tree(const struct cst_index *index, const struct cst_index_place *places,
				      struct cst_tree *tree);

/* 64-bit hash of all configuration fields that change the decoded elements. */
CST_API uint64_t cst_index_config(const struct cst_config *cfg);
/*
 * Extends a digest by `len` bytes; 0 is the digest of no bytes. A change in consecutive bytes always changes the
 * digest.
 */
CST_API uint64_t cst_index_digest(uint64_t digest, const void *data, size_t len);
/* As cst_index_digest() for the size and for samples of the bytes: fast for any size. */
CST_API uint64_t cst_index_sample(uint64_t digest, const uint8_t *data, size_t len);

/* Writes indexes as a file (man page cstrace-index(5)). The caller frees the bytes with free(). */
CST_API int cst_index_write(const struct cst_index *const *indexes, uint32_t n, uint8_t **data, size_t *len);

struct cst_index_file {
	struct cst_index **indexes;
	uint32_t n;
};

/* Why a file was rejected: the value found and the value expected, 0 if they do not apply to `error`. */
struct cst_index_problem {
	int error;		/* error that the function returned */
	const char *text;	/* static text: what the values are */
	uint64_t found, expected;
};

/*
 * Reads a whole file. -CST_ERR_SYNTAX: not an index; -CST_ERR_VERSION; -CST_ERR_INCOMPLETE: truncated;
 * -CST_ERR_DAMAGED: wrong checksum, or content against the rules of the format. `problem` may be NULL. Memory is
 * bounded by a small multiple of `len`.
 */
CST_API int cst_index_read(struct cst_index_file **file, const uint8_t *data, size_t len,
			   struct cst_index_problem *problem);
CST_API void cst_index_file_free(struct cst_index_file *file);
CST_EXPERIMENTAL
CST_API const struct cst_index *cst_index_by_name(const struct cst_index_file *file, const char *name);

CST_END

#endif
