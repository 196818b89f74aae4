/* SPDX-License-Identifier: GPL-2.0-only */
/* frames.h - captured frames, as a probe or a trace port gives them, and the aligned frames that perf.data holds. */
#ifndef CSTRACE_IMPORT_FRAMES_H
#define CSTRACE_IMPORT_FRAMES_H

#include <stddef.h>
#include <stdint.h>

/*
 * The frames in `len` bytes at `in` (flags: enum cst_frame_flags), without the synchronisation between them and the
 * bytes of a probe, in a new buffer for the caller to free. Where bytes are no frame, a barrier of four FSYNC words
 * stands for them, which resets the decoders; *lost counts these bytes. 0, or ERR_NOMEM.
 */
int frames_align(const uint8_t *in, size_t len, unsigned int flags, uint8_t **out, size_t *out_len, uint64_t *lost);

/*
 * The bytes of a trace ID in aligned frames, in a new buffer for the caller to free; *others counts those of other IDs and of no
 * frame. 0, or ERR_NOMEM.
 */
int frames_of_id(const uint8_t *in, size_t len, uint8_t id, uint8_t **out, size_t *out_len, uint64_t *others);

/* Adds the bytes of each trace ID in the frames to count[0..127]. */
void frames_count_ids(const uint8_t *in, size_t len, unsigned int flags, uint64_t count[128]);

#endif
