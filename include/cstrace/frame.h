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
	/*
	 * The input is a DSTREAM probe's: blocks of 512 bytes, 504 of trace and 8 of the probe's own, the first at
	 * offset 0. Offsets in fragments count the trace alone: cst_dstream_offset().
	 */
	CST_FRAME_DSTREAM = 8,
	/*
	 * Packed: instead of unpacked bytes the frames as they stand (CST_FRAG_FRAME), and what was between
	 * them (CST_FRAG_FSYNC, CST_FRAG_HSYNC). For listings.
	 */
	CST_FRAME_PACKED = 16,
	CST_FRAME_FINDINGS = 32,	/* what is reserved makes CST_FRAG_FINDING fragments, before those of its frame */
	CST_FRAME_STRICT = 64,		/* a frame that holds something reserved is an error */
};

#define CST_ID_UNKNOWN 0xff		/* bytes before the first ID of a stream */

/* What a fragment is. */
enum cst_frag_kind {
	CST_FRAG_DATA,		/* bytes of one trace ID */
	CST_FRAG_RESET,		/* barrier: every decoder starts anew; no bytes */
	CST_FRAG_ERROR,		/* `error` says what; `len` raw bytes were skipped, no data */
	CST_FRAG_FINDING,	/* `error` is an enum cst_finding (log.h), `id` the trace ID it is about; no bytes */
	CST_FRAG_FRAME,		/* PACKED: the 16 bytes of a sound frame, without half synchronisation in it */
	CST_FRAG_FSYNC,		/* PACKED: a synchronisation word; HSYNC: half a word, before the frame that it is in */
	CST_FRAG_HSYNC,
};

struct cst_fragment {
	uint64_t offset;	/* raw offset that the fragment's first byte is reported with */
	uint32_t pos;		/* first byte in the output buffer */
	uint16_t len;		/* bytes */
	uint8_t id;		/* trace ID, CST_ID_UNKNOWN before the first one */
	uint8_t kind;		/* enum cst_frag_kind */
	int error;		/* ERROR: enum cst_error, negative; FINDING: enum cst_finding */
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
	uint64_t filtered;	/* bytes of any ID that the filter keeps back; in no other count */
};

/*
 * State of one formatted stream. Plain data: the caller owns it, no allocation. Its size stays: what is added takes from
 * `reserved`.
 */
struct cst_deframer {
	uint64_t offset;	/* raw offset of the next input byte */
	uint8_t flags;		/* enum cst_frame_flags */
	uint8_t id;		/* current trace ID */
	uint8_t fill;		/* bytes in part[] */
	uint8_t synced;		/* FSYNC mode: frame boundary known */
	uint8_t part[16];	/* frame that the input has cut */
	uint64_t pair[8];	/* raw offset of each byte pair in part[] */
	uint64_t filter[2];	/* IDs that make no fragments, by bit */
	uint8_t tail;		/* FSYNC mode: the byte before part[] was FF, the last one of a frame */
	struct cst_frame_stats stats;
	uint64_t reserved[8];	/* 0 */
};

CST_API void cst_deframer_init(struct cst_deframer *df, unsigned flags);
/*
 * Only these IDs make data fragments from now on: bit i of ids[i / 64] for ID i. NULL: all do. Bytes before the
 * first ID are never kept back.
 */
CST_EXPERIMENTAL
CST_API void cst_deframer_filter(struct cst_deframer *df, const uint64_t ids[2]);

/*
 * Unpack frames. Takes `len` bytes at `in`, whose raw offset is `offset`. If that does not continue the
 * last call's, bytes are missing: the partial frame is dropped and counted, and the trace ID is
 * unknown until the next ID byte. (A caller that has itself cut something out from between the bytes,
 * as DSTREAM footers, says so by setting df->offset to the new offset before the call.)
 * Writes data bytes to `out` (`out_cap` >= 16) and one record per run of bytes of one ID within one
 * frame to `frag` (`frag_cap` >= 9; with CST_FRAME_FINDINGS >= 11), padding and reserved IDs too. Adjacent frames are not merged:
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

/*
 * A deframer that is new begins in the middle: the next input is at `offset`, where a frame begins, and until the
 * first ID byte the bytes belong to `id`.
 */
CST_EXPERIMENTAL
CST_API void cst_deframer_start(struct cst_deframer *df, uint64_t offset, uint8_t id);

/* End of the stream: drops and counts a partial frame. Returns its length in bytes, 0 if there is none. */
CST_EXPERIMENTAL
CST_API int cst_deframer_end(struct cst_deframer *df);

/*
 * The trace IDs that frames back to back name, found without unpacking them: bit i of ids[i / 64] is set for ID i, reserved
 * ones included; other bits stay. `pos`: which byte of its frame in[0] is, 0 to 15. Returns that of the byte behind the last
 * one, for the next call where the input comes in pieces. Pure.
 */
CST_API unsigned cst_frame_ids(const uint8_t *in, size_t len, unsigned pos, uint64_t ids[2]);

#define CST_FRAME_RAW_BYTES 12
/*
 * 1: unframed trace of an ETMv4 or ETE begins here, with the CST_FRAME_RAW_BYTES of an A-sync packet; frames of a buffer begin
 * with an ID byte. 0 also where there are fewer bytes. Pure.
 */
CST_API int cst_frame_is_raw(const uint8_t *in, size_t len);

/* DSTREAM: where in the input the trace byte is that fragments give `offset` for. */
CST_EXPERIMENTAL
CST_API uint64_t cst_dstream_offset(uint64_t offset);

/*
 * A circular buffer (ETB, ETF, ETR) whose memory was read out as it lies: which parts are trace, oldest first.
 * Offsets in a buffer that wrapped start in its middle: piece 0 goes from the write pointer to the end, piece 1
 * from the start to the write pointer.
 */
struct cst_unwrapped {
	struct {
		uint64_t start;	/* in the buffer */
		uint64_t len;	/* may be 0 */
	} piece[2];
	uint64_t len;		/* bytes of trace: the sum */
	uint64_t cut;		/* bytes left out: the rest of the oldest frame, which the newest one overwrote in part */
	uint64_t trigger;	/* with `after`: position in the trace, 0 = oldest byte */
};

/*
 * `size` bytes of memory, `write`: position of the write pointer (RWP) in it, `full`: it has wrapped (STS.FULL),
 * `unit`: 16 for frames, which start at multiples of 16 in the memory, 1 for raw trace. `after`: bytes that were
 * written after the trigger event (from the trigger counter), for `trigger`; more than there are is the oldest
 * byte. -CST_ERR_INVAL when write > size or unit is 0.
 */
CST_EXPERIMENTAL
CST_SIZED int cst_unwrap(struct cst_unwrapped *u, uint64_t size, uint64_t write, int full, unsigned unit,
			 uint64_t after);

/* What the functions of these names call with the sizes that a caller was compiled with (cstrace.h). */
CST_API int cst_unwrap_sized(struct cst_unwrapped *u, size_t u_size, uint64_t size, uint64_t write, int full,
			     unsigned unit, uint64_t after);
#ifndef CST_BUILDING
CST_SIZED int cst_unwrap(struct cst_unwrapped *u, uint64_t size, uint64_t write, int full, unsigned unit,
			 uint64_t after)
{
	return cst_unwrap_sized(u, sizeof(*u), size, write, full, unit, after);
}
#endif

CST_END

#endif
