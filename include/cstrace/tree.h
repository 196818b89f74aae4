/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tree.h - decoders, and the decode tree that routes a trace buffer to them by trace ID.
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

/* Statistics of decoding and losses, per trace ID. Byte counts are of this ID's stream. */
struct cst_stats {
	uint64_t bytes;		/* bytes fed */
	uint64_t packets;	/* parsed; unsynchronised bytes do not count */
	uint64_t bad_packets;	/* reserved, bad sequence, incomplete */
	uint64_t unsynced;	/* bytes skipped while looking for A-sync */
	uint64_t overflows;
	uint64_t discards;
	uint64_t resyncs;	/* losses of synchronisation because of an error */
	uint64_t elements;	/* generic elements returned */
	uint64_t ranges;
	uint64_t insns;
	uint64_t branches;	/* taken: atoms E on branches, source addresses */
	uint64_t nacc;		/* ranges that ended at missing memory */
	uint64_t atoms_lost;	/* atoms without a known address or context */
	uint64_t image_conflicts; /* atoms that contradict the program image */
	uint64_t stack_empty;	/* returns with an empty return stack */
	uint64_t nopath;	/* Q elements whose path is unknown */
	uint64_t trans_failed;	/* failed transactions, whose elements were dropped */
	uint64_t uncommitted;	/* P0 elements dropped at discard, overflow or end of trace */
	uint64_t data_lost;	/* times that data trace was suppressed */
	/* ETMv3, PTM: timestamps without a time, since their upper bits were not traced after a loss */
	uint64_t times_unknown;
	uint64_t master_errors;	/* STM: times that writes of a master were dropped for want of space */
	uint64_t global_errors;	/* STM: the same for several masters at once */
};

/* Adds `more` to `sum`, counter by counter. */
CST_SIZED void cst_stats_add(struct cst_stats *sum, const struct cst_stats *more);
CST_SIZED void cst_frame_stats_add(struct cst_frame_stats *sum, const struct cst_frame_stats *more);

/* Reason why a pull returned. */
enum cst_stop {
	CST_STOP_NONE = 0,	/* more to pull: `out` is full, or the next elements are of another decoder */
	/* Stops that cst_decoder_set_stop() enables. */
	CST_STOP_CONTEXT = 1,	/* a PE_CONTEXT element is the last one returned */
	CST_STOP_TRACE_ON = 2,	/* a TRACE_ON element is the last one returned */
	CST_STOP_TIMESTAMP = 4,	/* a TIMESTAMP element is the last one returned */
	/*
	 * The next instruction is in a lazy section without bytes, or in an on-demand space at an unmapped address
	 * (image.h); see cst_decoder_section() and cst_decoder_wanted(). The pull may have returned no element. The
	 * caller supplies the code and pulls again. If not enabled, such code counts as missing (CST_GEN_NACC).
	 */
	CST_STOP_SECTION = 8,
	/* an EXCEPTION, or an EXCEPTION_RET with a packet of its own (ETMv4), is the last one returned */
	CST_STOP_EXCEPTION = 16,
	/*
	 * Always enabled: the configuration of cst_decoder_reconfigure() took effect; its NO_SYNC is the last one
	 * returned.
	 */
	CST_STOP_CONFIG = 32,
	/* Reasons of a pull that returned 0. */
	/* all elements of the packet that ..._next_packet() returned were pulled: get the next packet */
	CST_STOP_PACKET = 64,
	CST_STOP_INPUT = 128,	/* all bytes fed are decoded: feed more, or call ..._end() */
	CST_STOP_END = 256,	/* ..._end() was called, and all elements were returned */
};

/* Result of a pull besides the elements. */
struct cst_pull {
	enum cst_stop why;
	/* The decoder of all elements returned. NULL: no elements, or a single BARRIER of the tree itself. */
	struct cst_decoder *dec;
};

/*
 * Creates a decoder for the stream of one trace ID. The configuration is copied. -CST_ERR_PROTOCOL: the library has no
 * decoder for its protocol; -CST_ERR_NOMEM.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_decoder_new(struct cst_decoder **dec, const struct cst_config *cfg);
/*
 * Creates a decoder with a protocol of the caller; cfg->protocol is CST_PROTO_CUSTOM. `ops` is copied, its texts and
 * tables are not; `user` is passed to its functions. -CST_ERR_INVAL: a size is invalid or a function is missing;
 * -CST_ERR_NOMEM; else the error of its stage_init.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_decoder_new_custom(struct cst_decoder **dec, const struct cst_config *cfg,
				     const struct cst_protocol_ops *ops, void *user);
CST_EXPERIMENTAL
CST_API void cst_decoder_free(struct cst_decoder *dec);
/* Resets the decoder to the state after _new, but keeps its statistics. The next NO_SYNC has `reason`. */
CST_EXPERIMENTAL
CST_API void cst_decoder_reset(struct cst_decoder *dec, enum cst_unsync_reason reason);
/*
 * Changes the configuration of the trace unit to `cfg`, of the same trace ID, at the next synchronisation of the
 * stream: an A-sync packet or a reset. Until then the old configuration is used. Elements that are not committed at
 * that point are dropped and counted, a NO_SYNC element (CST_UNSYNC_RESET) marks it, and the pull returns with
 * CST_STOP_CONFIG. A second call before that replaces the pending configuration.
 */
CST_SIZED int cst_decoder_reconfigure(struct cst_decoder *dec, const struct cst_config *cfg);
/* Sets the address space from which the next instructions are read; NULL: none. The decoder does not own it. */
CST_API void cst_decoder_set_space(struct cst_decoder *dec, struct cst_space *space);
/*
 * Makes the decoder select its address space from a table by context (image.h), now and at each context element; NULL:
 * no table. Before the first context the space is that of Non-secure EL1. cst_decoder_set_space() overrides the table
 * until the next context. The decoder does not own the table. A further call with the same table applies a change to it
 * at once.
 */
CST_API void cst_decoder_set_images(struct cst_decoder *dec, const struct cst_images *images);
/* Sets the mask of enabled stops, CST_STOP_CONTEXT to CST_STOP_EXCEPTION; a new decoder has 0. */
CST_API void cst_decoder_set_stop(struct cst_decoder *dec, unsigned mask);
CST_API const struct cst_config *cst_decoder_config(const struct cst_decoder *dec);
CST_API const struct cst_stats *cst_decoder_stats(const struct cst_decoder *dec);
/*
 * Attaches a log for errors and findings in the stream (log.h); NULL: none. The decoder does not own it; it must
 * outlive the attachment. Several decoders may share a log.
 */
CST_EXPERIMENTAL
CST_API void cst_decoder_set_log(struct cst_decoder *dec, struct cst_log *log);
/* A pointer for the caller's own use. */
CST_API void cst_decoder_set_cookie(struct cst_decoder *dec, void *cookie);
CST_API void *cst_decoder_cookie(const struct cst_decoder *dec);

/*
 * Feeds bytes of the stream; `offset` is the trace offset of data[0]. The bytes must stay valid until pull returns 0.
 * -CST_ERR_BUSY: the last bytes are not consumed.
 */
CST_EXPERIMENTAL
CST_API int cst_decoder_feed(struct cst_decoder *dec, const uint8_t *data, size_t len,
			     uint64_t offset);
/*
 * Skips bytes of the stream before trace offset `offset`, without counting them. For a decoder that is new or was
 * reset, before bytes are fed; in effect until the next reset. An index (index.h) has the offsets at which decoding can
 * begin.
 */
CST_API void cst_decoder_start_at(struct cst_decoder *dec, uint64_t offset);
/* Ends the stream: the next pulls return the remaining elements, then EO_TRACE. */
CST_EXPERIMENTAL
CST_API void cst_decoder_end(struct cst_decoder *dec);
#define CST_PULL_MIN 4	/* minimum room of a pull, in elements */
/*
 * Pulls generic elements: writes up to `cap` to `out` and returns their number. *pull (may be NULL) gets the reason. 0
 * means CST_STOP_INPUT or CST_STOP_END; CST_STOP_PACKET if packets are taken one by one; CST_STOP_SECTION if enabled.
 * Negative: `cap` is below CST_PULL_MIN or too large.
 */
CST_API int cst_decoder_pull(struct cst_decoder *dec, struct cst_generic *out, size_t cap, struct cst_pull *pull);
/* Returns the lazy section of a CST_STOP_SECTION; NULL: nothing is mapped at cst_decoder_wanted(). */
CST_API struct cst_section *cst_decoder_section(const struct cst_decoder *dec);
/* Returns the address at which an on-demand space (image.h) needs a map. */
CST_API uint64_t cst_decoder_wanted(const struct cst_decoder *dec);
/*
 * Parses one packet and queues its elements without decoding them, for listings: print the packet, pull until 0, take
 * the next packet. The first call switches the decoder to this mode, in which a pull parses nothing. Returns 1 if there
 * is something to pull: pull->why is CST_STOP_PACKET if *pkt is filled (fields that the packet does not have are 0),
 * CST_STOP_NONE for the end of the stream, which has elements but no packet. Returns 0 with CST_STOP_INPUT or
 * CST_STOP_END.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_decoder_next_packet(struct cst_decoder *dec, struct cst_packet *pkt, struct cst_pull *pull);
/* As cst_packet_text() and cst_packet_role(), also for custom protocols. */
CST_SIZED size_t cst_decoder_packet_text(const struct cst_decoder *dec, const struct cst_packet *pkt, char *out,
					 size_t cap);
CST_API enum cst_packet_role cst_decoder_packet_role(const struct cst_decoder *dec,
						     const struct cst_packet *pkt);
/* Returns 1 and the address of the next instruction if the trace has it before that instruction, else 0. */
CST_API int cst_decoder_peek_address(struct cst_decoder *dec, uint64_t *addr);

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
CST_SIZED int cst_tree_add(struct cst_tree *tree, const struct cst_config *cfg, struct cst_decoder **dec);
CST_SIZED int cst_tree_add_custom(struct cst_tree *tree, const struct cst_config *cfg,
				  const struct cst_protocol_ops *ops, void *user, struct cst_decoder **dec);
/* Removes and frees a decoder; further bytes of its ID are unrouted. */
CST_API void cst_tree_remove(struct cst_tree *tree, struct cst_decoder *dec);
CST_API struct cst_decoder *cst_tree_decoder(const struct cst_tree *tree, uint8_t trace_id);
/* cst_decoder_reconfigure() of the decoder for an ID; -CST_ERR_INVAL: there is none. */
CST_EXPERIMENTAL
CST_SIZED int cst_tree_reconfigure(struct cst_tree *tree, uint8_t trace_id, const struct cst_config *cfg);
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
 * last, sorted by ID. A BARRIER without a decoder separates the elements before and after a reset by the frames.
 */
CST_API int cst_tree_pull(struct cst_tree *tree, struct cst_generic *out, size_t cap, struct cst_pull *pull);
/* As cst_decoder_next_packet(); *pkt is of pull->dec. A barrier, like the end, has an element but no packet. */
CST_SIZED int cst_tree_next_packet(struct cst_tree *tree, struct cst_packet *pkt, struct cst_pull *pull);
/*
 * Returns 1 and the next run of unpacked bytes, for frame listings; frag->pos is relative to *data. Only for a tree
 * that is fed and never pulled. With CST_FRAME_PACKED it returns whole frames.
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

/* Exported forms of the inline functions, with the sizes that the caller was compiled with (cstrace.h). */
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
