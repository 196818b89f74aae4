/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - the decode tree, which routes a trace buffer to decoders (decoder.h) by trace ID.
 *
 * Use: feed bytes; pull elements until a pull returns 0; feed more; at the end call ..._end() and pull the rest. The caller
 * owns input and output memory; input must stay valid until pull returns 0. Every pull gives the reason why it
 * returned (struct cst_pull). A caller that enabled no stop gets 0 for two reasons only, CST_STOP_INPUT and
 * CST_STOP_END, so the loop need not look at the reason:
 *
 *	while ((n = cst_tree_pull(tree, out, cap, NULL)) > 0)
 *		use(out, n);
 *
 * With cst_decoder_set_stop() a pull ends at certain elements, as the last of those it returns: the caller may then
 * change the address space for the instructions after it.
 *
 * Thread safety: a tree with its decoders belongs to one thread at a time, as does the image it uses.
 */
#ifndef CSTRACE_TREE_H
#define CSTRACE_TREE_H

#include <cstrace/decoder.h>
#include <cstrace/frame.h>

CST_BEGIN

struct cst_tree;

/* Adds `more` to `sum`, counter by counter. */
static inline void cst_frame_stats_add(struct cst_frame_stats *sum,
				       const struct cst_frame_stats *more)
{
	cst_counters_add((uint64_t *)(void *)sum, (const uint64_t *)(const void *)more,
			 sizeof(*sum) / sizeof(uint64_t));
}

/* Layout of a buffer. */
enum cst_tree_format {
	CST_TREE_RAW,		/* one stream, no frames */
	CST_TREE_FRAMES,	/* 16-byte frames; `flags` are enum cst_frame_flags */
};

/* Creates a tree. It owns its decoders and frees them. -CST_ERR_NOMEM. */
CST_API int cst_tree_new(struct cst_tree **tree, enum cst_tree_format format, unsigned flags);
CST_API void cst_tree_free(struct cst_tree *tree);
/* Returns the format and flags of cst_tree_new(). */
CST_API enum cst_tree_format cst_tree_layout(const struct cst_tree *tree, unsigned *flags);
/*
 * Order of the elements of different IDs in a tree with frames. Elements of one ID are always in the order of the
 * trace.
 */
enum cst_tree_order {
	CST_ORDER_FRAMES,	/* the order in which the frames complete them; default */
	/*
	 * Any order between two barriers or damaged frames, but within 16 KB of trace. If many sources share the
	 * frames, this is several times faster. It suits consumers that count, keep the IDs apart or merge them by
	 * time, but not those that need one source's elements to decode another's, such as the task to which the
	 * timestamps of all processors belong. Elements, offsets and statistics of each ID are unchanged. A decoder
	 * that is added between pulls may miss the bytes up to the end of these 16 KB. A tree with a log keeps the
	 * order of the frames.
	 */
	CST_ORDER_BY_ID,
};
/*
 * Sets the order until it is changed, preferably before bytes are fed. Allocates up to 50 KB per decoder. No effect on
 * RAW. -CST_ERR_BUSY: bytes taken in the other order are pending; -CST_ERR_NOMEM.
 */
CST_API int cst_tree_set_order(struct cst_tree *tree, enum cst_tree_order order);
/*
 * Adds a decoder for cfg->trace_id; RAW takes one only. *dec is valid until the tree is freed. -CST_ERR_INVAL: the ID
 * is above 0x7f or has a decoder, or the tree is RAW and has one; else as cst_decoder_new() and
 * cst_decoder_new_custom().
 */
CST_API int cst_tree_add(struct cst_tree *tree, const struct cst_config *cfg,
			 struct cst_decoder **dec);
CST_API int cst_tree_add_custom(struct cst_tree *tree, const struct cst_config *cfg,
				const struct cst_protocol_ops *ops, void *user,
				struct cst_decoder **dec);
/* Removes and frees a decoder; further bytes of its ID are unrouted. */
CST_API void cst_tree_remove(struct cst_tree *tree, struct cst_decoder *dec);
CST_API struct cst_decoder *cst_tree_decoder(const struct cst_tree *tree, uint8_t trace_id);
/* cst_decoder_reconfigure() of the decoder for an ID; -CST_ERR_INVAL: there is none. */
CST_EXPERIMENTAL
CST_API int cst_tree_reconfigure(struct cst_tree *tree, uint8_t trace_id,
				 const struct cst_config *cfg);
/* Attaches a log to the frames and to all present and future decoders, as cst_decoder_set_log(). */
CST_API void cst_tree_set_log(struct cst_tree *tree, struct cst_log *log);
/* Resets all decoders and the de-formatter (a new AUX fragment). */
CST_API void cst_tree_reset(struct cst_tree *tree);
/*
 * Drops the bytes that were fed and are not decoded yet, without counting a loss. cst_tree_reset() must follow before
 * bytes are fed.
 */
CST_API void cst_tree_drop(struct cst_tree *tree);
/* Feeds bytes as cst_decoder_feed(); they must stay valid until pull returns 0. */
CST_API int cst_tree_feed(struct cst_tree *tree, const uint8_t *data, size_t len, uint64_t offset);
/*
 * Feeds the memory of a circular buffer (cst_unwrap() in frame.h): `size` bytes at `data`, of which data[write] is the
 * oldest if the buffer wrapped. Trace offsets count from `offset`, oldest byte first.
 */
CST_EXPERIMENTAL
CST_API int cst_tree_feed_wrapped(struct cst_tree *tree, const uint8_t *data, size_t size, size_t write,
				  int full, uint64_t offset);
/*
 * Declares that the next bytes are not the begin of the buffer but of a frame at `offset`; bytes before its first ID
 * byte belong to `frame_id` (CST_ID_UNKNOWN: to no ID). For a tree that is new or was reset. No effect without frames.
 */
CST_API void cst_tree_start_at(struct cst_tree *tree, uint64_t offset, uint8_t frame_id);
CST_API void cst_tree_end(struct cst_tree *tree);
/*
 * Pulls elements as cst_decoder_pull(); all elements of one call are of the decoder pull->dec. Elements of different
 * IDs are in the order in which the frames complete them (but see cst_tree_set_order()); the EO_TRACE elements are
 * last, sorted by ID. A BARRIER without a decoder separates the elements before and after a reset by the frames. A call
 * costs as much as about 30 elements, which is little beside some thousand of them.
 */
CST_API int cst_tree_pull(struct cst_tree *tree, struct cst_generic *out, size_t cap, struct cst_pull *pull);
/* As cst_decoder_next_packet(); *pkt is of pull->dec. A barrier, like the end, has an element but no packet. */
CST_API int cst_tree_next_packet(struct cst_tree *tree, struct cst_packet *pkt,
				 struct cst_pull *pull);
/*
 * Returns 1 and the next run of unpacked bytes, for frame listings; frag->pos is relative to *data. Only for a tree
 * that is fed and never pulled. With CST_FRAME_PACKED it returns whole frames. The log receives what is not data.
 */
CST_API int cst_tree_next_fragment(struct cst_tree *tree, struct cst_fragment *frag,
				   const uint8_t **data);

/* Kinds of packets that cst_tree_scan() finds. */
enum cst_scan_kind {
	CST_SCAN_TIMESTAMP,	/* a timestamp; `ts` is not 0, which would mean an unknown time */
	/* an exception, a Trace On, a loss or a new configuration: another program may run after it */
	CST_SCAN_BREAK,
	CST_SCAN_BARRIER,	/* all decoders are reset; no trace ID */
};

struct cst_scan {
	uint64_t index;		/* trace offset of the packet, which is that of its elements */
	uint64_t ts;		/* CST_SCAN_TIMESTAMP: time in ticks of the trace */
	uint8_t kind;		/* enum cst_scan_kind */
	uint8_t trace_id;
};

/*
 * Finds the next packet of these kinds, of any ID with a decoder: returns 1 and *found, or 0 at the end of the input. A
 * scan costs a small part of decoding and needs no code. It is for callers that need the next timestamp to select the
 * code up to it: they scan with a second tree that is fed the same bytes and never pulled.
 */
CST_API int cst_tree_scan(struct cst_tree *tree, struct cst_scan *found);
/*
 * Returns a number that stands for the state of the tree and its decoders between two inputs. Two trees of one layout
 * and one configuration emit equal elements for equal input if their states are equal (Arm ARM K10.5.2.1 "Retained
 * state"). Callers that decode parts of a buffer side by side use it to prove that a tree which began at a
 * synchronisation has caught up with one that began earlier. Not part of the state: statistics, the log, the newest
 * trigger, what cst_counts_add() keeps. 0: there is input left, or elements; the end was reached; or a decoder has state
 * that no synchronisation traces again: conditional instructions, data transfers, cst_config.checks, a custom protocol.
 */
CST_API uint64_t cst_tree_digest(const struct cst_tree *tree);
CST_API const struct cst_frame_stats *cst_tree_frame_stats(const struct cst_tree *tree);
/*
 * FRAMES: returns 1 and the offset of the newest trigger event (trace ID 0x7D) in the trace pulled so far, or 0.
 * cst_frame_stats.triggers counts all.
 */
CST_EXPERIMENTAL
CST_API int cst_tree_trigger(const struct cst_tree *tree, uint64_t *offset);
/* FRAMES: as cst_deframer_filter(); filtered bytes do not reach their decoders. */
CST_EXPERIMENTAL
CST_API void cst_tree_filter(struct cst_tree *tree, const uint64_t ids[2]);
/* Returns the number of bytes of valid IDs that have no decoder and are not ignored. */
CST_API uint64_t cst_tree_unrouted(const struct cst_tree *tree);
/* Makes bytes of an ID without a decoder count as ignored, not as unrouted. */
CST_API void cst_tree_ignore(struct cst_tree *tree, uint8_t trace_id);
CST_API uint64_t cst_tree_ignored(const struct cst_tree *tree);

CST_END

#endif
