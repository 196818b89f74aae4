/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * index.h - indexes of a trace buffer: where decoding can begin, and what is where (reference decoder design,
 * "source indexer", "trace ID stream indexer", "index reader").
 *
 * An index of one buffer has a source part: per block of the buffer the trace IDs that occur, triggers,
 * barriers, bad frames; and for each trace ID a stream part: blocks of the stream that begin where a decoder can
 * begin, with counts, times and contexts, and in a full index each occurrence. All offsets are trace offsets,
 * as they are fed. Building needs the packets, not the program.
 *
 * Where a block begins, a decoder that is fed from block.start on goes on exactly as one that was fed from the
 * beginning: every generic element whose index is block.valid or more is the same. That is found out by
 * decoding the packets both ways until the states agree (Arm ARM K10.5.2.1 "Retained state", K10.5.3).
 *
 * Thread safety: a builder belongs to one thread at a time; an index that is not changed may be shared.
 * Errors are negative enum cst_error.
 */
#ifndef CSTRACE_INDEX_H
#define CSTRACE_INDEX_H

#include <cstrace/config.h>
#include <cstrace/frame.h>
#include <cstrace/tree.h>

CST_BEGIN

#define CST_INDEX_GRANULARITY 0x20000u	/* bytes of the buffer, when nothing else is asked for */
#define CST_INDEX_CONTEXTS 63		/* contexts of a stream that are told apart */
#define CST_INDEX_EL(el) (1u << (el))	/* bits of cst_index_stream.worlds */
#define CST_INDEX_SECURITY(s) (0x10u << (s))

enum cst_index_kind {
	CST_INDEX_TIMESTAMP,	/* value: the time in the trace's ticks */
	CST_INDEX_EVENT,	/* value: mask of events; a trigger without a number: 1 */
	CST_INDEX_CONTEXT,	/* value: context ID, VMID << 32 */
	CST_INDEX_LOSS,		/* value: enum cst_unsync_reason */
	CST_INDEX_TRACE_ON,	/* value: enum cst_trace_on_reason */
	CST_INDEX_SYNC,		/* an alignment synchronisation */
	CST_INDEX_KINDS
};

/* A stretch of a stream: from `valid` to that of the next block. */
struct cst_index_block {
	uint64_t start;		/* feed from here to ... */
	uint64_t valid;		/* ... have the elements from here on. First block: both are where the index begins */
	uint64_t bytes;		/* of this trace ID */
	uint32_t counts[CST_INDEX_KINDS];
	uint32_t event_mask;
	uint64_t time_first, time_last, time_min, time_max; /* with timestamps */
	uint64_t contexts;	/* bit per entry of the stream's `contexts`; the last bit: others */
};

/* Full index: one occurrence. */
struct cst_index_record {
	uint64_t offset;	/* of the element, or the packet */
	uint64_t value;
	uint8_t kind;		/* enum cst_index_kind */
};

struct cst_index_stream {
	uint8_t trace_id;
	uint8_t protocol;	/* enum cst_protocol */
	uint64_t config;	/* cst_index_config() of what it was made with */
	uint8_t worlds;		/* exception levels 0..3 that contexts had: bits 0..3; enum cst_security: bits 4..7 */
	uint32_t granularity;	/* that of the index, or coarser when there were too many blocks */
	struct cst_index_block *blocks;	/* at least one */
	uint32_t n_blocks, cap_blocks;
	uint64_t contexts[CST_INDEX_CONTEXTS];
	uint32_t n_contexts;
	struct cst_index_record *records; /* in the order of their offsets */
	uint32_t n_records, cap_records;
	uint64_t records_end;	/* all up to here are told; 0: sparse */
};

/* A stretch of the buffer, to the offset of the next one. It begins between frames. */
struct cst_index_source {
	uint64_t offset;
	uint64_t ids[2];	/* trace IDs 0..0x7f that have bytes in it; 0: padding */
	uint64_t digest;	/* cst_index_digest() of its bytes */
	uint32_t triggers, barriers, errors, syncs;
	uint8_t frame_id;	/* whose the first bytes are */
};

struct cst_index {
	char *name;		/* which buffer; never NULL */
	uint8_t format;		/* enum cst_tree_format */
	uint8_t flags;		/* enum cst_frame_flags */
	uint8_t full;		/* records were asked for */
	uint32_t granularity;
	uint64_t offset, end;	/* what is indexed */
	uint64_t trace_offset, trace_size; /* what there is */
	uint64_t trace_digest;	/* caller's, see cst_index_sample(); 0 not known */
	struct cst_index_source *sources;
	uint32_t n_sources, cap_sources;
	struct cst_index_stream *streams;	/* in the order of their IDs */
	uint32_t n_streams;
};

struct cst_index_opts {
	uint32_t granularity;	/* bytes of the buffer per block; 0: CST_INDEX_GRANULARITY, 1: as fine as can be */
	uint8_t full;		/* a record for each occurrence */
	uint32_t max_blocks;	/* per stream; coarser when there would be more. 0: 65536 */
	uint32_t max_records;	/* per stream; records end there. 0: 1048576 */
};

struct cst_index_builder;

/* For a buffer of this layout. The builder makes a decoder's memory per stream, and what `opts` limits. -CST_ERR_NOMEM. */
CST_SIZED int cst_index_builder_new(struct cst_index_builder **b, enum cst_tree_format format, unsigned flags,
				    const struct cst_index_opts *opts);
CST_API void cst_index_builder_free(struct cst_index_builder *b);
/*
 * A stream to index, under its configuration; IDs without one are in the source part only. RAW takes one. -CST_ERR_INVAL:
 * the ID is above 0x7f or was added before, bytes were fed, or a second one of RAW; -CST_ERR_PROTOCOL; -CST_ERR_NOMEM.
 */
CST_SIZED int cst_index_builder_add(struct cst_index_builder *b, const struct cst_config *cfg);
/*
 * Bytes of the buffer, in order; what comes first is where the index begins. May be called any number of times;
 * the bytes need not stay. -CST_ERR_NOMEM ends it.
 */
CST_API int cst_index_builder_feed(struct cst_index_builder *b, const uint8_t *data, size_t len, uint64_t offset);
/* The index of what was fed so far, the caller's to free; more can be fed after that. -CST_ERR_NOMEM, then or before. */
CST_API int cst_index_builder_take(struct cst_index_builder *b, struct cst_index **index);
CST_API void cst_index_free(struct cst_index *index);

/*
 * Put `next`, an index of the same buffer, streams and granularity that begins inside `index`, behind it. A
 * place in the middle of a trace is proven by what came before it only, so `next` must share a block with
 * `index` in every stream that it has blocks to add to: let it begin two blocks and a synchronisation early.
 * -CST_ERR_CONFLICT when it does not fit; then `index` is as before.
 */
CST_EXPERIMENTAL
CST_API int cst_index_merge(struct cst_index *index, const struct cst_index *next);

struct cst_index_query {
	uint8_t kind;		/* enum cst_index_kind; CST_INDEX_KINDS: the offset alone */
	uint64_t value;		/* TIMESTAMP: this time or later; EVENT: any of these, 0 any; CONTEXT: this context ID */
	uint64_t from;		/* not before this offset */
};

struct cst_index_place {
	uint64_t start, valid;	/* of the block to begin with */
	uint64_t offset;	/* nothing that was asked for is before this */
	uint8_t found;		/* 0: nothing of it is indexed; the place is where the index ends */
	uint8_t exact;		/* `offset` is that of what was asked for */
};

CST_API const struct cst_index_stream *cst_index_find_stream(const struct cst_index *index, uint8_t trace_id);
/* Where the first of what was asked for is, in one stream. Always a place from which decoding shows it. */
CST_SIZED void cst_index_search(const struct cst_index *index, const struct cst_index_stream *stream,
				const struct cst_index_query *query, struct cst_index_place *place);
/* The block of the buffer in which feeding has to begin to have the byte at `offset`. NULL: before the index. */
CST_API const struct cst_index_source *cst_index_source_at(const struct cst_index *index, uint64_t offset);
/*
 * Set up a tree that is new or was reset to begin at places, one per stream of the index; decoders of other IDs
 * show nothing. Returns the offset from which the buffer is to be fed.
 */
CST_API uint64_t cst_index_start_tree(const struct cst_index *index, const struct cst_index_place *places,
				      struct cst_tree *tree);

/* What stands for a configuration: equal when elements are the same. */
CST_SIZED uint64_t cst_index_config(const struct cst_config *cfg);
/* What stands for bytes; digest 0 begins. A change of some bytes next to each other always shows. */
CST_API uint64_t cst_index_digest(uint64_t digest, const void *data, size_t len);
/* The same of the size and of samples all over the bytes: quick for any size. */
CST_API uint64_t cst_index_sample(uint64_t digest, const uint8_t *data, size_t len);

/* Indexes as a file (man page cstrace-index(5)). The bytes are the caller's to free(). */
CST_API int cst_index_write(const struct cst_index *const *indexes, uint32_t n, uint8_t **data, size_t *len);

struct cst_index_file {
	struct cst_index **indexes;
	uint32_t n;
};

/* What a file that is refused has, and what was expected. Numbers that `error` does not speak of are 0. */
struct cst_index_problem {
	int error;		/* as returned */
	const char *text;	/* static: what it is about */
	uint64_t found, expected;
};

/*
 * Read a whole file. -CST_ERR_SYNTAX: not an index; -CST_ERR_VERSION; -CST_ERR_INCOMPLETE: cut;
 * -CST_ERR_DAMAGED: the checksum does not fit, or the content does not follow the rules. `problem` may be NULL.
 * Memory is bounded by a small multiple of `len`.
 */
CST_API int cst_index_read(struct cst_index_file **file, const uint8_t *data, size_t len,
			   struct cst_index_problem *problem);
CST_API void cst_index_file_free(struct cst_index_file *file);
CST_EXPERIMENTAL
CST_API const struct cst_index *cst_index_by_name(const struct cst_index_file *file, const char *name);

/* What the functions of these names call with the sizes that a caller was compiled with (cstrace.h). */
CST_API int cst_index_builder_new_sized(struct cst_index_builder **b, enum cst_tree_format format, unsigned flags,
					const struct cst_index_opts *opts, size_t size);
CST_API int cst_index_builder_add_sized(struct cst_index_builder *b, const struct cst_config *cfg, size_t size);
CST_API void cst_index_search_sized(const struct cst_index *index, const struct cst_index_stream *stream,
				    const struct cst_index_query *query, size_t size, struct cst_index_place *place);
CST_API uint64_t cst_index_config_sized(const struct cst_config *cfg, size_t size);
#ifndef CST_BUILDING
CST_SIZED int cst_index_builder_new(struct cst_index_builder **b, enum cst_tree_format format, unsigned flags,
				    const struct cst_index_opts *opts)
{
	return cst_index_builder_new_sized(b, format, flags, opts, sizeof(*opts));
}

CST_SIZED int cst_index_builder_add(struct cst_index_builder *b, const struct cst_config *cfg)
{
	return cst_index_builder_add_sized(b, cfg, sizeof(*cfg));
}

CST_SIZED void cst_index_search(const struct cst_index *index, const struct cst_index_stream *stream,
				const struct cst_index_query *query, struct cst_index_place *place)
{
	cst_index_search_sized(index, stream, query, sizeof(*query), place);
}

CST_SIZED uint64_t cst_index_config(const struct cst_config *cfg)
{
	return cst_index_config_sized(cfg, sizeof(*cfg));
}
#endif

CST_END

#endif
