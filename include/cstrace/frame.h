/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frame.h - the de-formatter: 16-byte CoreSight formatter frames in, bytes per trace ID out
 * (CoreSight architecture, "trace formatter"; the first stage of the reference decoder design).
 */
#ifndef CSTRACE_FRAME_H
#define CSTRACE_FRAME_H

#include <cstrace/types.h>

CST_BEGIN

enum cst_frame_flags {
	CST_FRAME_ALIGNED = 0,		/* frames back to back from the first byte (ETB, ETF, ETR, perf) */
	CST_FRAME_FSYNC = 1,		/* full synchronisation words between frames (TPIU); a frame start is searched for */
	CST_FRAME_HSYNC = 2,		/* half synchronisation as well; implies CST_FRAME_FSYNC */
	CST_FRAME_RESET_4X = 4,		/* with ALIGNED: a 16-byte barrier of four FSYNC words resets all decoders (Linux) */
};

#define CST_ID_UNKNOWN 0xff		/* bytes before the first ID of a stream */

/* What a fragment is. */
enum cst_frag_kind {
	CST_FRAG_DATA,		/* bytes of one trace ID */
	CST_FRAG_RESET,		/* barrier: every decoder starts anew; no bytes */
	CST_FRAG_ERROR,		/* `error` says what; `len` raw bytes were skipped, no data */
};

struct cst_fragment {
	uint64_t offset;	/* raw offset that the fragment's first byte is reported with */
	uint32_t pos;		/* first byte in the output buffer */
	uint16_t len;		/* bytes */
	uint8_t id;		/* trace ID, CST_ID_UNKNOWN before the first one */
	uint8_t kind;		/* enum cst_frag_kind */
	int error;		/* CST_FRAG_ERROR: enum cst_error, negative */
};

/* Bytes by what became of them; all counts are of raw input except `data`. */
struct cst_frame_stats {
	uint64_t frames;
	uint64_t data;		/* bytes given to trace IDs 0x01..0x6F */
	uint64_t null;		/* padding, ID 0 */
	uint64_t reserved;	/* bytes of IDs 0x70..0x7F */
	uint64_t unknown;	/* bytes before the first ID */
	uint64_t overhead;	/* ID bytes, auxiliary bytes, synchronisation patterns, barriers */
	uint64_t skipped;	/* bytes dropped because of errors or a cut last frame */
	uint64_t barriers;
	uint64_t errors;
	uint64_t triggers;	/* changes to ID 0x7D; also fragments of that ID */
};

/* State of one formatted stream. Plain data: the caller owns it, no allocation. */
struct cst_deframer {
	struct cst_frame_stats stats;
	uint64_t offset;	/* raw offset of the next input byte */
	uint8_t flags;		/* enum cst_frame_flags */
	uint8_t id;		/* current trace ID */
	uint8_t fill;		/* bytes in part[] */
	uint8_t synced;		/* FSYNC mode: frame boundary known */
	uint8_t part[16];	/* frame that the input has cut */
	uint64_t pair[8];	/* raw offset of each byte pair in part[] */
};

CST_API void cst_deframer_init(struct cst_deframer *df, unsigned flags);

/*
 * Unpack frames. Takes `len` bytes at `in`, whose raw offset is `offset`. If that does not continue the
 * last call's, bytes are missing: the partial frame is dropped and counted, and the trace ID is
 * unknown until the next ID byte. (A caller that has itself cut something out from between the bytes,
 * as DSTREAM footers, says so by setting df->offset to the new offset before the call.)
 * Writes data bytes to `out` (`out_cap` >= 16) and one record per run of bytes of one ID within one
 * frame to `frag` (`frag_cap` >= 9), padding and reserved IDs too. Adjacent frames are not merged:
 * `offset` of each fragment is exact. The fragments do not depend on how the input is cut into calls.
 * A frame that cannot be right is dropped whole as a CST_FRAG_ERROR; then, too, the ID is unknown, and
 * with FSYNC the next synchronisation is searched for (those bytes are counted, but make no fragment).
 * Returns the number of fragments, or -CST_ERR_INVAL when an output is smaller than said above;
 * *used says how many input bytes were taken (less than `len` when an output is full: call again with
 * the rest). Thread-safe for different deframers.
 */
CST_API int cst_deframe(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
			uint8_t *out, size_t out_cap, struct cst_fragment *frag, size_t frag_cap,
			size_t *used);

/* End of the stream: drops and counts a partial frame. Returns its length in bytes, 0 if there is none. */
CST_API int cst_deframer_end(struct cst_deframer *df);

CST_END

#endif
