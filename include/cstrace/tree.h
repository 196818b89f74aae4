/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - decoders, and the decode tree that routes a trace buffer to them by trace ID.
 *
 * Use: feed bytes; pull elements until 0 comes back; feed more; at the end call ..._end and pull the rest. The caller
 * owns input and output memory; input must stay valid until pull returns 0. Every pull gives the reason why it
 * returned (struct cst_pull). A caller that asked for no stop gets 0 for two reasons only, CST_STOP_INPUT and
 * CST_STOP_END, so the loop need not look at the reason:
 *
 *	while ((n = cst_tree_pull(tree, out, cap, NULL)) > 0)
 *		use(out, n);
 *
 * With cst_decoder_set_stop() a pull ends at certain elements, as the last of those it returns: the caller may then
 * change the address space before execution goes on.
 *
 * Thread safety: a tree with its decoders belongs to one thread at a time, as does the image it uses.
 */
#ifndef CSTRACE_TREE_H
#define CSTRACE_TREE_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/flow.h>
#include <cstrace/frame.h>
#include <cstrace/image.h>
#include <cstrace/log.h>
#include <cstrace/packet.h>
#include <cstrace/protocol.h>

CST_BEGIN

struct cst_decoder;
struct cst_tree;

/* What was decoded and what was lost, per trace ID. Bytes are bytes of this ID's stream. */
struct cst_stats {
	uint64_t bytes;		/* fed */
	uint64_t packets;	/* parsed; unsynchronised bytes are none */
	uint64_t bad_packets;	/* reserved, bad sequence, incomplete */
	uint64_t unsynced;	/* bytes skipped while looking for A-sync */
	uint64_t overflows;
	uint64_t discards;
	uint64_t resyncs;	/* times decoding had to start anew because of an error */
	uint64_t elements;	/* generic elements */
	uint64_t ranges;
	uint64_t insns;
	uint64_t branches;	/* taken: atoms E on branches, source addresses */
	uint64_t nacc;		/* ranges that ended at missing memory */
	uint64_t atoms_lost;	/* atoms without a known address or context */
	uint64_t image_conflicts; /* atoms that contradict the program image */
	uint64_t stack_empty;	/* return stack used when empty */
	uint64_t nopath;	/* Q elements whose path is unknown */
	uint64_t trans_failed;	/* transactions dropped */
	uint64_t uncommitted;	/* P0 elements dropped at discard, overflow or end of trace */
	uint64_t data_lost;	/* times that data trace was suppressed: transfers are missing */
	uint64_t times_unknown;	/* ETMv3, PTM: timestamps whose upper bits were not sent since the last loss: no time */
	uint64_t master_errors;	/* STM: times that writes of a master were dropped, for want of room */
	uint64_t global_errors;	/* STM: the same, of several masters */
};

/* Add `more` to `sum`, counter by counter. */
CST_SIZED void cst_stats_add(struct cst_stats *sum, const struct cst_stats *more);
CST_SIZED void cst_frame_stats_add(struct cst_frame_stats *sum, const struct cst_frame_stats *more);

/* Why a pull returned. */
enum cst_stop {
	CST_STOP_NONE = 0,	/* there is more to pull: `out` is full, or the next elements come from elsewhere */
	/* Stops that cst_decoder_set_stop() asks for. */
	CST_STOP_CONTEXT = 1,	/* a PE_CONTEXT element is the last one returned */
	CST_STOP_TRACE_ON = 2,	/* a TRACE_ON element is the last one returned */
	CST_STOP_TIMESTAMP = 4,	/* a TIMESTAMP element is the last one returned */
	/*
	 * The next instruction is in a lazy section that has no bytes yet, or in a space on demand where nothing is
	 * mapped (image.h): cst_decoder_section(), cst_decoder_wanted(). No element may have been returned. The caller
	 * supplies the code and pulls again. Not asked for: such code counts as missing (CST_GEN_NACC).
	 */
	CST_STOP_SECTION = 8,
	/* an EXCEPTION is the last one returned, or an EXCEPTION_RET that has a packet of its own (ETMv4) */
	CST_STOP_EXCEPTION = 16,
	/* Always on: the configuration of cst_decoder_reconfigure() took effect; its NO_SYNC is the last one returned. */
	CST_STOP_CONFIG = 32,
	/* The pull returned 0. */
	CST_STOP_PACKET = 64,	/* all elements of the packet that ..._next_packet() returned: take the next packet */
	CST_STOP_INPUT = 128,	/* all bytes fed are decoded: feed more, or call ..._end */
	CST_STOP_END = 256,	/* ..._end was called, and everything was returned */
};

/* What a pull says besides the elements. */
struct cst_pull {
	enum cst_stop why;
	/*
	 * All elements of one call come from this decoder. NULL: from the tree itself, which is a BARRIER, alone, or
	 * there are none.
	 */
	struct cst_decoder *dec;
};

/*
 * Create a decoder for one trace ID's stream. The configuration is copied. -CST_ERR_PROTOCOL: its protocol has no decoder
 * here. -CST_ERR_NOMEM.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_decoder_new(struct cst_decoder **dec, const struct cst_config *cfg);
/*
 * The same with a protocol of the caller's own; cfg->protocol is CST_PROTO_CUSTOM. `ops` is copied, its texts
 * and tables are not; `user` is handed to its functions. -CST_ERR_INVAL when its sizes cannot
 * be, or a function is missing; -CST_ERR_NOMEM; what its stage_init returns.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_decoder_new_custom(struct cst_decoder **dec, const struct cst_config *cfg,
				     const struct cst_protocol_ops *ops, void *user);
CST_EXPERIMENTAL
CST_API void cst_decoder_free(struct cst_decoder *dec);
/* Back to the state after _new, statistics kept; `reason` is reported in the next NO_SYNC. */
CST_EXPERIMENTAL
CST_API void cst_decoder_reset(struct cst_decoder *dec, enum cst_unsync_reason reason);
/*
 * The trace unit is set up anew: `cfg`, of the same trace ID, is waiting, and takes effect at the next
 * synchronisation of this stream: an A-sync packet, or a reset. Until then the old one decodes. What is not
 * committed by then is dropped and counted; a NO_SYNC element (CST_UNSYNC_RESET) shows the place, where a
 * pull returns with CST_STOP_CONFIG. A second call before that replaces what is waiting.
 */
CST_SIZED int cst_decoder_reconfigure(struct cst_decoder *dec, const struct cst_config *cfg);
/* Address space that instructions are read from, from the next instruction on; NULL: none. Not owned. */
CST_API void cst_decoder_set_space(struct cst_decoder *dec, struct cst_space *space);
/*
 * The decoder takes its address space from a table, by context (image.h), now and at each context element; NULL:
 * no more. Before the first one it is that of non-secure EL1. cst_decoder_set_space() holds until the next context.
 * Not owned. Calling it again with the same table makes a change to it count at once.
 */
CST_API void cst_decoder_set_images(struct cst_decoder *dec, const struct cst_images *images);
/* Mask of enum cst_stop, CST_STOP_CONTEXT to CST_STOP_EXCEPTION; a new decoder has 0. */
CST_API void cst_decoder_set_stop(struct cst_decoder *dec, unsigned mask);
CST_API const struct cst_config *cst_decoder_config(const struct cst_decoder *dec);
CST_API const struct cst_stats *cst_decoder_stats(const struct cst_decoder *dec);
/*
 * Record what is found wrong in the stream (log.h); NULL: nothing more. Not owned; it must live as long as it
 * is attached. Several decoders may have the same one.
 */
CST_EXPERIMENTAL
CST_API void cst_decoder_set_log(struct cst_decoder *dec, struct cst_log *log);
/* Caller's word attached to a decoder. */
CST_API void cst_decoder_set_cookie(struct cst_decoder *dec, void *cookie);
CST_API void *cst_decoder_cookie(const struct cst_decoder *dec);

/*
 * Give bytes of the stream; `offset` is the trace offset of data[0]. -CST_ERR_BUSY while the last
 * bytes are not used up. The bytes stay the caller's and must be valid until pull returns 0.
 */
CST_EXPERIMENTAL
CST_API int cst_decoder_feed(struct cst_decoder *dec, const uint8_t *data, size_t len,
			     uint64_t offset);
/*
 * Begin later: bytes of the stream with a trace offset below `offset` are passed over, and counted nowhere.
 * For a decoder that is new or was reset, before bytes are fed; holds until the next reset. An index
 * (index.h) knows the offsets at which this can be done.
 */
CST_API void cst_decoder_start_at(struct cst_decoder *dec, uint64_t offset);
/* No more bytes: the next pulls return what is left, then EO_TRACE. */
CST_EXPERIMENTAL
CST_API void cst_decoder_end(struct cst_decoder *dec);
#define CST_PULL_MIN 4	/* room that a pull needs at least */
/*
 * Take generic elements: returns how many were written to out[0..cap); *pull (NULL: not wanted) says why it
 * returned. 0 means CST_STOP_INPUT or CST_STOP_END; CST_STOP_PACKET, where packets are taken one by one; or
 * CST_STOP_SECTION, where the caller asked for it. Negative: `cap` is below CST_PULL_MIN or cannot be counted.
 */
CST_API int cst_decoder_pull(struct cst_decoder *dec, struct cst_generic *out, size_t cap, struct cst_pull *pull);
/* The lazy section that CST_STOP_SECTION is about; NULL: nothing is mapped at cst_decoder_wanted(). */
CST_API struct cst_section *cst_decoder_section(const struct cst_decoder *dec);
/* With a space on demand (image.h): the address that something has to be mapped at. */
CST_API uint64_t cst_decoder_wanted(const struct cst_decoder *dec);
/*
 * Parse exactly one packet and queue its elements without decoding them. Returns 1 when there is something to pull:
 * pull->why is CST_STOP_PACKET when *pkt is filled (fields that the packet does not have are 0), CST_STOP_NONE for
 * the end of the stream, which has elements but no packet. Returns 0 with CST_STOP_INPUT or CST_STOP_END. For
 * listings: print the packet, then pull (which, in this mode, parses nothing further) until 0, then take the next
 * one. The first call switches the decoder to this mode.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_decoder_next_packet(struct cst_decoder *dec, struct cst_packet *pkt, struct cst_pull *pull);
/* As cst_packet_text() and cst_packet_role(), for custom protocols as well. */
CST_SIZED size_t cst_decoder_packet_text(const struct cst_decoder *dec, const struct cst_packet *pkt, char *out,
					 size_t cap);
CST_API enum cst_packet_role cst_decoder_packet_role(const struct cst_decoder *dec,
						     const struct cst_packet *pkt);
/* Where execution goes on, when the trace says so before the next instruction: 1 and *addr, else 0. */
CST_API int cst_decoder_peek_address(struct cst_decoder *dec, uint64_t *addr);

/* How a buffer is laid out. */
enum cst_tree_format {
	CST_TREE_RAW,		/* one stream, no frames */
	CST_TREE_FRAMES,	/* 16-byte frames; `flags` are enum cst_frame_flags */
};

/* The tree owns its decoders and frees them. -CST_ERR_NOMEM. */
CST_API int cst_tree_new(struct cst_tree **tree, enum cst_tree_format format, unsigned flags);
CST_API void cst_tree_free(struct cst_tree *tree);
/* As it was made. */
CST_API enum cst_tree_format cst_tree_layout(const struct cst_tree *tree, unsigned *flags);
/* In what order the elements of a tree with frames come. Those of one ID always come in the order of the trace. */
enum cst_tree_order {
	CST_ORDER_FRAMES,	/* of different IDs: in the order in which the frames complete them; as a tree is made */
	/*
	 * Of different IDs: in any order between two barriers or damaged frames, but within 16 KB of trace. Where many
	 * sources share the frames, this is several times faster. It is for those who count, who keep the IDs apart,
	 * or who merge them by time: not where one source's element tells the caller something that another's need, such
	 * as the task that all processors' timestamps belong to. The elements, their offsets and the statistics of each
	 * ID are the same. A decoder that is added while elements are pulled may miss the bytes up to the end of these 16 KB.
	 * With a log the order stays that of the frames.
	 */
	CST_ORDER_BY_ID,
};
/*
 * Set it, at best before anything is fed; holds until it is changed. Takes up to 50 KB of memory for each decoder.
 * RAW: nothing happens. -CST_ERR_BUSY while bytes wait that were taken in another order, -CST_ERR_NOMEM.
 */
CST_API int cst_tree_set_order(struct cst_tree *tree, enum cst_tree_order order);
/*
 * Add a decoder for cfg->trace_id; RAW takes one only. *dec stays valid until the tree is freed. -CST_ERR_INVAL: the ID is
 * above 0x7f or has a decoder, or the tree is RAW and has one; else as cst_decoder_new() and cst_decoder_new_custom().
 */
CST_SIZED int cst_tree_add(struct cst_tree *tree, const struct cst_config *cfg, struct cst_decoder **dec);
CST_SIZED int cst_tree_add_custom(struct cst_tree *tree, const struct cst_config *cfg,
				  const struct cst_protocol_ops *ops, void *user, struct cst_decoder **dec);
/* Take a decoder out and free it; bytes of its ID are unrouted from now on. */
CST_API void cst_tree_remove(struct cst_tree *tree, struct cst_decoder *dec);
CST_API struct cst_decoder *cst_tree_decoder(const struct cst_tree *tree, uint8_t trace_id);
/* cst_decoder_reconfigure() of the decoder for an ID; -CST_ERR_INVAL when there is none. */
CST_EXPERIMENTAL
CST_SIZED int cst_tree_reconfigure(struct cst_tree *tree, uint8_t trace_id, const struct cst_config *cfg);
/* One log for the frames and for all decoders, those added later too. As cst_decoder_set_log(). */
CST_API void cst_tree_set_log(struct cst_tree *tree, struct cst_log *log);
/* All decoders and the de-formatter start anew (a new AUX fragment). */
CST_API void cst_tree_reset(struct cst_tree *tree);
/*
 * What was fed and is not decoded yet is not wanted: it is left out, and does not count as lost. cst_tree_reset() has
 * to follow before more is fed.
 */
CST_API void cst_tree_drop(struct cst_tree *tree);
/* As cst_decoder_feed; the bytes must stay valid until pull returns 0. */
CST_API int cst_tree_feed(struct cst_tree *tree, const uint8_t *data, size_t len, uint64_t offset);
/*
 * The same with the memory of a circular buffer as it lies (cst_unwrap() in frame.h): `size` bytes at `data`,
 * written last before data[write]. Offsets count the trace, oldest byte first, from `offset` on.
 */
CST_EXPERIMENTAL
CST_API int cst_tree_feed_wrapped(struct cst_tree *tree, const uint8_t *data, size_t size, size_t write,
				  int full, uint64_t offset);
/*
 * The bytes fed next do not begin the buffer: they begin a frame at `offset`, and until its first ID byte the
 * bytes belong to `frame_id` (CST_ID_UNKNOWN: to nobody). For a tree that is new or was reset. Without
 * frames it does nothing.
 */
CST_API void cst_tree_start_at(struct cst_tree *tree, uint64_t offset, uint8_t frame_id);
CST_API void cst_tree_end(struct cst_tree *tree);
/*
 * As cst_decoder_pull; all elements of one call come from one decoder, pull->dec. Elements of different IDs come in
 * the order in which the frames complete them (but see cst_tree_set_order()); EO_TRACE last, in order of ID. Where the
 * frames reset the decoders, a BARRIER comes between the elements of before and after it, without a decoder.
 */
CST_API int cst_tree_pull(struct cst_tree *tree, struct cst_generic *out, size_t cap, struct cst_pull *pull);
/* As cst_decoder_next_packet; *pkt came from pull->dec. A barrier has an element and no packet, as the end does. */
CST_SIZED int cst_tree_next_packet(struct cst_tree *tree, struct cst_packet *pkt, struct cst_pull *pull);
/*
 * Next run of unpacked bytes, for frame listings: 1 and *frag with `frag->pos` relative to *data.
 * Works only on a tree that is fed but never pulled. With CST_FRAME_PACKED: the frames as they stand.
 */
CST_API int cst_tree_next_fragment(struct cst_tree *tree, struct cst_fragment *frag,
				   const uint8_t **data);

/* What is found in the packets of a buffer without decoding elements. */
enum cst_scan_kind {
	CST_SCAN_TIMESTAMP,	/* `ts` is not 0, which stands for an unknown time */
	CST_SCAN_BREAK,		/* an exception, a Trace On, a loss or a new configuration: the program can have changed */
	CST_SCAN_BARRIER,	/* all decoders start anew; no ID */
};

struct cst_scan {
	uint64_t index;		/* trace offset of the packet: that of the elements which it makes */
	uint64_t ts;		/* CST_SCAN_TIMESTAMP: the trace's ticks */
	uint8_t kind;		/* enum cst_scan_kind */
	uint8_t trace_id;
};

/*
 * The next such place of any ID with a decoder: 1 and *found, or 0 when all input is used. It costs a small part of decoding,
 * and needs no code: for a caller who must know a time before it can say which code ran until then, from a second tree
 * that is fed the same bytes. Works only on a tree that is never pulled.
 */
CST_API int cst_tree_scan(struct cst_tree *tree, struct cst_scan *found);
CST_API const struct cst_frame_stats *cst_tree_frame_stats(const struct cst_tree *tree);
/*
 * FRAMES: where the newest trigger event (trace ID 0x7D) was, in what has been pulled so far: 1 and *offset, or
 * 0. How many there were: cst_frame_stats.triggers.
 */
CST_EXPERIMENTAL
CST_API int cst_tree_trigger(const struct cst_tree *tree, uint64_t *offset);
/* FRAMES: as cst_deframer_filter(); the bytes of other IDs do not reach their decoders. */
CST_EXPERIMENTAL
CST_API void cst_tree_filter(struct cst_tree *tree, const uint64_t ids[2]);
/* Bytes of valid IDs that no decoder was added for and that are not ignored. */
CST_API uint64_t cst_tree_unrouted(const struct cst_tree *tree);
/* Nobody wants this ID: without a decoder its bytes are counted apart. */
CST_API void cst_tree_ignore(struct cst_tree *tree, uint8_t trace_id);
CST_API uint64_t cst_tree_ignored(const struct cst_tree *tree);

/* What the functions of these names call with the sizes that a caller was compiled with (cstrace.h). */
CST_API void cst_stats_add_sized(struct cst_stats *sum, const struct cst_stats *more, size_t size);
CST_API void cst_frame_stats_add_sized(struct cst_frame_stats *sum, const struct cst_frame_stats *more, size_t size);
CST_API int cst_decoder_new_sized(struct cst_decoder **dec, const struct cst_config *cfg, size_t size);
CST_API int cst_decoder_new_custom_sized(struct cst_decoder **dec, const struct cst_config *cfg, size_t cfg_size,
					 const struct cst_protocol_ops *ops, size_t ops_size, void *user);
CST_API int cst_decoder_reconfigure_sized(struct cst_decoder *dec, const struct cst_config *cfg, size_t size);
CST_API int cst_decoder_next_packet_sized(struct cst_decoder *dec, struct cst_packet *pkt, size_t size,
					  struct cst_pull *pull);
CST_API size_t cst_decoder_packet_text_sized(const struct cst_decoder *dec, const struct cst_packet *pkt, size_t size,
					     char *out, size_t cap);
CST_API int cst_tree_add_sized(struct cst_tree *tree, const struct cst_config *cfg, size_t size,
			       struct cst_decoder **dec);
CST_API int cst_tree_add_custom_sized(struct cst_tree *tree, const struct cst_config *cfg, size_t cfg_size,
				      const struct cst_protocol_ops *ops, size_t ops_size, void *user,
				      struct cst_decoder **dec);
CST_API int cst_tree_reconfigure_sized(struct cst_tree *tree, uint8_t trace_id, const struct cst_config *cfg,
				       size_t size);
CST_API int cst_tree_next_packet_sized(struct cst_tree *tree, struct cst_packet *pkt, size_t size,
				       struct cst_pull *pull);
#ifndef CST_BUILDING
CST_SIZED void cst_stats_add(struct cst_stats *sum, const struct cst_stats *more)
{
	cst_stats_add_sized(sum, more, sizeof(*sum));
}

CST_SIZED void cst_frame_stats_add(struct cst_frame_stats *sum, const struct cst_frame_stats *more)
{
	cst_frame_stats_add_sized(sum, more, sizeof(*sum));
}

CST_SIZED int cst_decoder_new(struct cst_decoder **dec, const struct cst_config *cfg)
{
	return cst_decoder_new_sized(dec, cfg, sizeof(*cfg));
}

CST_SIZED int cst_decoder_new_custom(struct cst_decoder **dec, const struct cst_config *cfg,
				     const struct cst_protocol_ops *ops, void *user)
{
	return cst_decoder_new_custom_sized(dec, cfg, sizeof(*cfg), ops, sizeof(*ops), user);
}

CST_SIZED int cst_decoder_reconfigure(struct cst_decoder *dec, const struct cst_config *cfg)
{
	return cst_decoder_reconfigure_sized(dec, cfg, sizeof(*cfg));
}

CST_SIZED int cst_decoder_next_packet(struct cst_decoder *dec, struct cst_packet *pkt, struct cst_pull *pull)
{
	return cst_decoder_next_packet_sized(dec, pkt, sizeof(*pkt), pull);
}

CST_SIZED size_t cst_decoder_packet_text(const struct cst_decoder *dec, const struct cst_packet *pkt, char *out,
					 size_t cap)
{
	return cst_decoder_packet_text_sized(dec, pkt, sizeof(*pkt), out, cap);
}

CST_SIZED int cst_tree_add(struct cst_tree *tree, const struct cst_config *cfg, struct cst_decoder **dec)
{
	return cst_tree_add_sized(tree, cfg, sizeof(*cfg), dec);
}

CST_SIZED int cst_tree_add_custom(struct cst_tree *tree, const struct cst_config *cfg,
				  const struct cst_protocol_ops *ops, void *user, struct cst_decoder **dec)
{
	return cst_tree_add_custom_sized(tree, cfg, sizeof(*cfg), ops, sizeof(*ops), user, dec);
}

CST_SIZED int cst_tree_reconfigure(struct cst_tree *tree, uint8_t trace_id, const struct cst_config *cfg)
{
	return cst_tree_reconfigure_sized(tree, trace_id, cfg, sizeof(*cfg));
}

CST_SIZED int cst_tree_next_packet(struct cst_tree *tree, struct cst_packet *pkt, struct cst_pull *pull)
{
	return cst_tree_next_packet_sized(tree, pkt, sizeof(*pkt), pull);
}
#endif

CST_END

#endif
