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
	 * The input is of a DSTREAM probe: blocks of 512 bytes, 504 of trace and 8 of the probe, the first at offset 0.
	 * Offsets in fragments count trace bytes only; cst_dstream_offset() converts them.
	 */
	CST_FRAME_DSTREAM = 8,
	/*
	 * Packed, for listings: whole frames (CST_FRAG_FRAME) and the synchronisation between them (CST_FRAG_FSYNC,
	 * CST_FRAG_HSYNC) instead of unpacked bytes.
	 */
	CST_FRAME_PACKED = 16,
	/* reserved values make CST_FRAG_FINDING fragments, before the other fragments of their frame */
	CST_FRAME_FINDINGS = 32,
	CST_FRAME_STRICT = 64,		/* a frame with a reserved value is an error */
};

#define CST_ID_UNKNOWN 0xff		/* bytes before the first ID of a stream */

/* Kind of a fragment. */
enum cst_frag_kind {
	CST_FRAG_DATA,		/* bytes of one trace ID */
	CST_FRAG_RESET,		/* barrier: all decoders are reset; no bytes */
	CST_FRAG_ERROR,		/* `error` gives the reason; `len` raw bytes were skipped, no data */
	CST_FRAG_FINDING,	/* `error` is an enum cst_finding (log.h), `id` the trace ID it is about; no bytes */
	CST_FRAG_FRAME,		/* PACKED: the 16 bytes of a sound frame, without half synchronisation in it */
	CST_FRAG_FSYNC,		/* PACKED: a synchronisation word; HSYNC: half a word, before the frame that contains it */
	CST_FRAG_HSYNC,
};

struct cst_fragment {
	uint64_t offset;	/* raw offset of the fragment's first byte */
	uint32_t pos;		/* offset of the first byte in the output buffer */
	uint16_t len;		/* length in bytes */
	uint8_t id;		/* trace ID, CST_ID_UNKNOWN before the first one */
	uint8_t kind;		/* enum cst_frag_kind */
	int error;		/* ERROR: enum cst_error, negative; FINDING: enum cst_finding */
};

/*
 * Counts of bytes by their use, and of events; 64-bit counters only. `data` counts unpacked bytes,
 * the others raw input.
 */
struct cst_frame_stats {
	uint64_t frames;
	uint64_t data;		/* bytes of trace IDs 0x01..0x6F */
	uint64_t null;		/* padding bytes (ID 0) */
	uint64_t reserved;	/* bytes of IDs 0x70..0x7F */
	uint64_t unknown;	/* bytes before the first ID */
	uint64_t overhead;	/* ID bytes, auxiliary bytes, synchronisation patterns, barriers */
	uint64_t skipped;	/* bytes dropped because of errors or a cut last frame */
	uint64_t barriers;
	uint64_t errors;
	uint64_t triggers;	/* changes to ID 0x7D; also fragments of that ID */
	uint64_t filtered;	/* bytes of any ID that the filter drops; in no other count */
};

/*
 * State of one formatted stream: plain data owned by the caller, without allocations. The size of the struct is part of
 * the binary interface: new fields are taken from `reserved`.
 */
struct cst_deframer {
	uint64_t offset;	/* raw offset of the next input byte */
	uint8_t flags;		/* enum cst_frame_flags */
	uint8_t id;		/* current trace ID */
	uint8_t fill;		/* bytes in part[] */
	uint8_t synced;		/* FSYNC mode: frame boundary known */
	uint8_t part[16];	/* partial frame at the end of the last input */
	uint64_t pair[8];	/* raw offset of each byte pair in part[] */
	uint64_t filter[2];	/* bit per ID: no fragments for it */
	uint8_t tail;		/* FSYNC mode: the byte before part[], the last one of a frame, was FF */
	struct cst_frame_stats stats;
	uint64_t reserved[8];	/* must be 0 */
};

CST_API void cst_deframer_init(struct cst_deframer *df, unsigned flags);
/*
 * Restricts data fragments to the IDs in `ids` from now on: bit i of ids[i / 64] for ID i. NULL: all IDs. Bytes before
 * the first ID are never filtered.
 */
CST_EXPERIMENTAL
CST_API void cst_deframer_filter(struct cst_deframer *df, const uint64_t ids[2]);

/*
 * Unpacks frames from the `len` bytes at `in`, whose raw offset is `offset`.
 *
 * If `offset` does not continue the last call's input, bytes are missing: the partial frame is dropped and counted, and
 * the trace ID is unknown until the next ID byte. A caller that itself removes bytes (DSTREAM footers) sets df->offset
 * to the new offset before the call.
 *
 * Writes data bytes to `out` (`out_cap` >= 16) and, to `frag` (`frag_cap` >= 9; with CST_FRAME_FINDINGS >= 11), one
 * record per run of bytes of one ID within one frame, padding and reserved IDs included. Fragments of adjacent frames
 * are not merged, so that `offset` of each is exact, and do not depend on how the input is cut into calls. A malformed
 * frame is dropped as a whole with a CST_FRAG_ERROR; the ID is then unknown, too, and with FSYNC the next
 * synchronisation is searched for (the bytes up to it are counted, but make no fragment).
 *
 * Returns the number of fragments, or -CST_ERR_INVAL if an output is smaller than required. *used is the number of
 * input bytes consumed: less than `len` if an output is full, and the caller passes the rest again. Thread-safe for
 * different deframers.
 */
CST_API int cst_deframe(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
			uint8_t *out, size_t out_cap, struct cst_fragment *frag, size_t frag_cap,
			size_t *used);

/*
 * Makes a new deframer begin in the middle of a stream: the next input is at `offset`, a frame boundary, and bytes
 * before the first ID byte belong to `id`.
 */
CST_API void cst_deframer_start(struct cst_deframer *df, uint64_t offset, uint8_t id);

/* End of the stream: drops and counts a partial frame. Returns its length in bytes, 0 if there is none. */
CST_API int cst_deframer_end(struct cst_deframer *df);

/*
 * Collects the trace IDs of consecutive frames without unpacking them: sets bit i of ids[i / 64] for ID i, reserved IDs
 * included, and keeps other bits. `pos`, 0 to 15, is the position of in[0] in its frame. Returns the position of the
 * byte after the last one, for the next call on input in pieces. Pure.
 */
CST_API unsigned cst_frame_ids(const uint8_t *in, size_t len, unsigned pos, uint64_t ids[2]);

#define CST_FRAME_RAW_BYTES 12
/*
 * Returns 1 if the bytes are an A-sync packet of CST_FRAME_RAW_BYTES, with which unframed trace of an ETMv4 or ETE
 * begins (frames begin with an ID byte); 0 also for fewer bytes. Pure.
 */
CST_API int cst_frame_is_raw(const uint8_t *in, size_t len);

/* DSTREAM: converts an offset of a fragment into the offset of that byte in the input. */
CST_EXPERIMENTAL
CST_API uint64_t cst_dstream_offset(uint64_t offset);

/*
 * The parts of a circular buffer (ETB, ETF, ETR) that are trace, oldest first, for a linear copy of the memory. In a
 * buffer that wrapped, piece 0 is from the write pointer to the end and piece 1 from the start to the write pointer.
 */
struct cst_unwrapped {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	struct {
		uint64_t start;	/* offset in the buffer */
		uint64_t len;	/* length in bytes, may be 0 */
	} piece[2];
	uint64_t len;		/* bytes of trace: the sum */
	uint64_t cut;		/* bytes left out: the rest of the oldest frame, of which the newest one overwrote a part */
	uint64_t trigger;	/* with `after`: position of the trigger event in the trace, 0 = oldest byte */
};

/*
 * Fills `u` for a memory of `size` bytes. `write` is the position of the write pointer (RWP) in it; `full`: it has
 * wrapped (STS.FULL); `unit`: 16 for frames, which start at multiples of 16 in the memory, 1 for raw trace; `after`:
 * bytes written after the trigger event (from the trigger counter), which gives `trigger`; if it exceeds the trace,
 * `trigger` is the oldest byte. -CST_ERR_INVAL: write > size, or unit is 0.
 */
CST_EXPERIMENTAL
CST_API int cst_unwrap(struct cst_unwrapped *u, uint64_t size, uint64_t write, int full,
		       unsigned unit, uint64_t after);

CST_END

#endif
