/* SPDX-License-Identifier: GPL-2.0-only */
/* frames.h - captured frames, as a probe or a trace port gives them, and the aligned frames that perf.data holds. */
#ifndef CSTRACE_SESSION_IMPORT_FRAMES_H
#define CSTRACE_SESSION_IMPORT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/* frames_begin(): the first frame is to be searched for, or is byte 0 where frames are aligned. */
#define FRAMES_SEARCH (-1)

/*
 * Where the first frame begins, 0 to 15, if no synchronisation says so: the place from which the bytes are read as frames
 * with the fewest contradictions. FRAMES_SEARCH: there is a synchronisation, or the bytes are no frames from any place.
 */
int frames_begin(const uint8_t *in, size_t len, unsigned int flags);

/*
 * The frames in `len` bytes at `in` (flags: enum cst_frame_flags), without the synchronisation between them and the
 * bytes of a probe, in a new buffer for the caller to free. Where bytes are no frame, a barrier of four FSYNC words
 * stands for them, which resets the decoders; *lost counts these bytes. `begin` is a result of
 * frames_begin().
 */
void frames_align(const uint8_t *in, size_t len, unsigned int flags, int begin, uint8_t **out,
		  size_t *out_len,
		 uint64_t *lost);

/*
 * The bytes of a trace ID in aligned frames, in a new buffer for the caller to free; *others counts those of other IDs and of no
 * frame.
 */
void frames_of_id(const uint8_t *in, size_t len, uint8_t id, uint8_t **out, size_t *out_len,
		  uint64_t *others);

/* Adds the bytes of each trace ID in the frames to count[0..127]. */
void frames_count_ids(const uint8_t *in, size_t len, unsigned int flags, int begin, uint64_t count[128]);

#endif
