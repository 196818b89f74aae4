/* SPDX-License-Identifier: BSD-3-Clause */
/* frame_int.h - internal interface between the parts of the de-formatter. */
#ifndef CST_LIB_BYTES_FRAME_FRAME_INT_H
#define CST_LIB_BYTES_FRAME_FRAME_INT_H

#include <cstrace/error.h>
#include <cstrace/frame.h>

enum {
	FRAME_SIZE = 16,
	FRAME_DATA = 15,	/* maximum data bytes of a frame */
	FRAME_FRAGS = 9,	/* maximum fragments that one step appends, without findings */
	FRAME_FINDINGS = 2,	/* maximum findings that one step appends */
	FRAME_FILTERED = 128,	/* flag of struct cst_deframer: a filter is set */
	/* flags with which cst_frame_look() inspects each frame */
	FRAME_LOOKED_AT = CST_FRAME_PACKED | CST_FRAME_FINDINGS | CST_FRAME_STRICT,
	FRAME_NO_PAIR = 8,	/* returned for a frame without a bad pair */

	SYNC_BYTE = 0xff,	/* FSYNC is FF FF FF 7F, HSYNC is FF 7F */
	SYNC_LAST = 0x7f,
	FSYNC_SIZE = 4,
	HSYNC_SIZE = 2,

	DSTREAM_BLOCK = 512,
	DSTREAM_DATA = 504,

	ID_NULL = 0x00,
	ID_LAST_SOURCE = 0x6f,
	ID_FLUSH = 0x7b,
	ID_TRIGGER = 0x7d,
};

/* The caller's output arrays and how far they are filled. */
struct frame_out {
	uint8_t *data;
	struct cst_fragment *frag;
	uint32_t data_cap;
	uint32_t frag_cap;
	uint32_t need;		/* maximum fragments that one step appends */
	uint32_t pos;
	uint32_t n;
};

/* True if there is room for the fragments and bytes of one step. */
static inline int frame_room(const struct frame_out *o)
{
	return o->data_cap - o->pos >= FRAME_SIZE && o->frag_cap - o->n >= o->need;
}

/*
 * Returns the first byte pair of a frame whose even byte is FF (ID 0x7F or a synchronisation pattern), else
 * FRAME_NO_PAIR.
 */
unsigned cst_frame_bad_pair(const uint8_t *f);

/* Unpacks one sound frame; `base` is the raw offset of its first byte. Needs frame_room(). */
void cst_frame_unpack(struct cst_deframer *df, const uint8_t *f, uint64_t base, struct frame_out *o);

/* Unpacks df->part, whose pairs need not be adjacent in the stream, and empties it. */
void cst_frame_unpack_part(struct cst_deframer *df, struct frame_out *o);

/* Appends an error fragment; the trace ID is unknown after it. */
void cst_frame_error(struct cst_deframer *df, int error, uint64_t offset, unsigned len,
		     struct frame_out *o);

/* Appends a fragment without data. */
struct cst_fragment *cst_frame_record(struct frame_out *o, enum cst_frag_kind kind, uint64_t offset);
/* Handles PACKED, FINDINGS and STRICT for a sound frame before it is unpacked. Returns 0 if it must not be unpacked. */
int cst_frame_look(struct cst_deframer *df, const uint8_t *f, uint64_t base, struct frame_out *o);
/* Appends the fragment of a synchronisation pattern (PACKED). */
void cst_frame_pattern(const struct cst_deframer *df, enum cst_frag_kind kind, uint64_t offset,
		       struct frame_out *o);

/* Error of a pair whose even byte is FF. */
static inline int frame_pair_error(const uint8_t *pair)
{
	return pair[1] == SYNC_BYTE || pair[1] == SYNC_LAST ? -CST_ERR_FRAME_SYNC : -CST_ERR_FRAME_ID;
}

/* Consumes bytes of a stream with synchronisation patterns; returns their number. */
size_t cst_frame_synced(struct cst_deframer *df, const uint8_t *in, size_t len, struct frame_out *o);

#endif
