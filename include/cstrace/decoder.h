/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decoder.h - decoders: the bytes of one trace ID become generic elements.
 *
 * Use: feed bytes; pull elements until a pull returns 0; feed more; at the end call cst_decoder_end() and pull the rest.
 * The caller owns input and output memory; input must stay valid until pull returns 0. Every pull gives the reason why it
 * returned (struct cst_pull). A buffer of several trace IDs needs a tree (tree.h), which owns its decoders.
 *
 * With cst_decoder_set_stop() a pull ends at certain elements, as the last of those it returns: the caller may then
 * change the address space for the instructions after it.
 *
 * Thread safety: a decoder belongs to one thread at a time, as does the image it uses.
 */
#ifndef CSTRACE_DECODER_H
#define CSTRACE_DECODER_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/flow.h>
#include <cstrace/image.h>
#include <cstrace/log.h>
#include <cstrace/packet.h>
#include <cstrace/protocol.h>

CST_BEGIN

struct cst_counts;
struct cst_decoder;

/*
 * Statistics of decoding and losses, per trace ID; 64-bit counters only. Byte counts are of this
 * ID's stream.
 */
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
	uint64_t image_conflicts; /* atoms and traced addresses that contradict the program image */
	uint64_t stack_empty;	/* returns with an empty return stack */
	uint64_t nopath;	/* Q elements whose path is unknown */
	uint64_t trans_failed;	/* failed transactions, whose elements were dropped */
	/*
	 * P0 elements dropped although nothing says that they were not executed: those that were speculative, or inside a
	 * transaction, at a discard, an overflow, an error or the end of trace
	 */
	uint64_t uncommitted;
	uint64_t data_lost;	/* times that data trace was suppressed */
	/* ETMv3, PTM: timestamps without a time, since their upper bits were not traced after a loss */
	uint64_t times_unknown;
	uint64_t master_errors;	/* STM: times that writes of a master were dropped for want of space */
	uint64_t global_errors;	/* STM: the same for several masters at once */
	uint64_t boundaries_tried; /* ITM: times that packets begin where trial found it (cst_config.itm_sync) */
};

/* Adds `more` to `sum`, counter by counter. */
static inline void cst_stats_add(struct cst_stats *sum, const struct cst_stats *more)
{
	cst_counters_add((uint64_t *)(void *)sum, (const uint64_t *)(const void *)more,
			 sizeof(*sum) / sizeof(uint64_t));
}

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
 * decoder for its protocol; -CST_ERR_INVAL: a field of it has a value that none may have, as a context ID of more than
 * four bytes; -CST_ERR_NOMEM.
 */
CST_EXPERIMENTAL
CST_API int cst_decoder_new(struct cst_decoder **dec, const struct cst_config *cfg);
/*
 * Creates a decoder with a protocol of the caller; cfg->protocol is CST_PROTO_CUSTOM. `ops` is copied, its texts and
 * tables are not; `user` is passed to its functions. -CST_ERR_INVAL: a size is invalid, a function is missing, or
 * as for cst_decoder_new(); -CST_ERR_NOMEM; else the error of its stage_init.
 */
CST_EXPERIMENTAL
CST_API int cst_decoder_new_custom(struct cst_decoder **dec, const struct cst_config *cfg,
				   const struct cst_protocol_ops *ops, void *user);
CST_EXPERIMENTAL
CST_API void cst_decoder_free(struct cst_decoder *dec);
/* Resets the decoder to the state after _new, but keeps its statistics. The next NO_SYNC has `reason`. */
CST_EXPERIMENTAL
CST_API void cst_decoder_reset(struct cst_decoder *dec, enum cst_unsync_reason reason);
/*
 * Changes the configuration of the trace unit to `cfg`, of the same trace ID, at the next synchronisation of the
 * stream: an A-sync packet or a reset. -CST_ERR_INVAL: another ID, or as for cst_decoder_new(). Until then the old configuration is used. Elements that are not committed at
 * that point are dropped and counted, a NO_SYNC element (CST_UNSYNC_RESET) marks it, and the pull returns with
 * CST_STOP_CONFIG. A second call before that replaces the pending configuration.
 */
CST_API int cst_decoder_reconfigure(struct cst_decoder *dec, const struct cst_config *cfg);
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

/* What a decoder emits for the ranges that were executed. All other elements are the same. */
enum cst_emit {
	CST_EMIT_RANGES,	/* a CST_GEN_RANGE for each; default */
	/*
	 * Counts ranges and edges in `counts` (counts.h), which are of the image of the decoder's
	 * code, and emits a CST_GEN_COUNTED for those that it has counted. cst_counts_add() counts
	 * what is still an element. A run of counted ranges continues in another section where an
	 * indirect branch leads to an address again. It ends where the branch leads there for the
	 * first time, or where another one has its entry in the table of 2,048 such branches.
	 */
	CST_EMIT_COUNTS,
	/*
	 * Leaves out ranges between samples, which a caller takes every `period` instructions:
	 * where cst_stats.insns reaches `next`, next + period and so on. A CST_GEN_SKIPPED stands
	 * for what is left out. Each range with a sample, and those of the last CST_SAMPLE_BRANCHES
	 * taken branches before it and before any element that is no range, are still elements.
	 * They have no section, and may be several ranges in one, with branches between them that
	 * were not taken. Where the flow is lost (NO_SYNC, TRACE_ON, EO_TRACE, NACC, NOPATH,
	 * ADDR_UNKNOWN) the decoder continues with CST_EMIT_RANGES until the next call.
	 */
	CST_EMIT_SAMPLES,
	/*
	 * Adds taken branches to `list` and emits a CST_GEN_LISTED for consecutive ranges whose
	 * branches were added. Ranges are still elements where they are few, or while the list has
	 * no room. A pull returns when the list is full; the caller sets list->n to 0, and to
	 * nothing else, when it has no more use for the branches of the elements it got. The
	 * decoder does not own the list.
	 */
	CST_EMIT_BRANCHES,
};

/* Branches before a sample that CST_EMIT_SAMPLES leaves in the elements. */
#define CST_SAMPLE_BRANCHES 64u
/* Smallest capacity of a list of branches; a smaller one may be left unused. */
#define CST_LIST_MIN 1024u

struct cst_emit_opts {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	struct cst_counts *counts;	/* COUNTS */
	struct cst_branch_list *list;	/* BRANCHES */
	uint64_t next, period;		/* SAMPLES: instructions; period is not 0 */
};

/*
 * Chooses what the decoder emits for ranges, from the next pull on; resets do not change it. `opts`
 * has what the choice needs, NULL for CST_EMIT_RANGES. Precedence: the last call replaces the one
 * before; while the decoder has a log, which records each range with its offset, or while its
 * configuration has checks, which compare each range with the one before, it emits ranges; so do
 * all protocols but ETMv4 and ETE. In each mode the ranges at the ends of runs, and all that the
 * fast loop of the decoder does not decode, are CST_GEN_RANGE elements. -CST_ERR_INVAL: an unknown
 * choice, or what it needs is missing; -CST_ERR_NOMEM. After an error the decoder emits as before.
 */
CST_API int cst_decoder_emit(struct cst_decoder *dec, enum cst_emit what,
			     const struct cst_emit_opts *opts);
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
CST_API int cst_decoder_next_packet(struct cst_decoder *dec, struct cst_packet *pkt,
				    struct cst_pull *pull);
/* As cst_packet_text() and cst_packet_role(), also for custom protocols. */
CST_API size_t cst_decoder_packet_text(const struct cst_decoder *dec, const struct cst_packet *pkt,
				       char *out, size_t cap);
CST_API enum cst_packet_role cst_decoder_packet_role(const struct cst_decoder *dec,
						     const struct cst_packet *pkt);
/* Returns 1 and the address of the next instruction if the trace has it before that instruction, else 0. */
CST_API int cst_decoder_peek_address(struct cst_decoder *dec, uint64_t *addr);

CST_END

#endif
