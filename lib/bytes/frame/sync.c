/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync.c - streams with synchronisation patterns (TPIU; IHI 0029 D4.2), and frames that are cut between calls. FSYNC
 * (FF FF FF 7F) is between frames, HSYNC (FF 7F) between any two byte pairs. An even byte of a frame is never FF, so
 * FSYNC cannot occur in sound frames at any alignment: the byte after it always starts a frame.
 */
#include <string.h>
#include "bytes/frame/frame_int.h"

/* Searches one byte for FSYNC; df->fill counts the FF bytes that may begin it. A fourth FF drops the first one. */
static void search(struct cst_deframer *df, uint8_t byte, struct frame_out *o)
{
	if (byte == SYNC_BYTE) {
		if (df->fill == FSYNC_SIZE - 1)
			df->stats.skipped++;
		else
			df->fill++;
		return;
	}
	if (byte == SYNC_LAST && df->fill == FSYNC_SIZE - 1) {
		df->stats.overhead += FSYNC_SIZE;
		cst_frame_pattern(df, CST_FRAG_FSYNC, df->offset - (FSYNC_SIZE - 1), o);
		df->synced = 1;
		df->tail = 0;
	} else {
		df->stats.skipped += df->fill + 1u;
	}
	df->fill = 0;
}

/*
 * Drops the frame up to the pair at byte `at`, which cannot be in a frame, and starts a search. If the frame was cut
 * after an odd number of bytes, the first FF of the pattern is the byte before the pair.
 */
static void lose_sync(struct cst_deframer *df, unsigned at, struct frame_out *o)
{
	uint8_t rest[FRAME_SIZE];
	int error = frame_pair_error(df->part + at);
	unsigned i, n;

	if (at && df->part[at - 1] == SYNC_BYTE && df->pair[at / 2 - 1] + 2 == df->pair[at / 2])
		at--;
	n = df->fill - at;
	memcpy(rest, df->part + at, n);
	cst_frame_error(df, error, df->pair[0], at, o);
	df->synced = 0;
	df->fill = 0;
	if (!at && df->tail) {
		/* the last byte of the frame before belongs to the pattern */
		df->stats.overhead--;
		df->fill = 1;
	}
	df->tail = 0;
	/* search() needs the offset of each byte; the last one restores it */
	df->offset -= n - 1;
	for (i = 0; i < n; i++, df->offset++) {
		if (!df->synced) {
			search(df, rest[i], o);
			continue;
		}
		df->pair[0] = df->offset;
		df->part[df->fill++] = rest[i];
	}
	df->offset--;
}

/* Handles a pair whose even byte is FF in the partial frame. */
static void sync_pair(struct cst_deframer *df, struct frame_out *o)
{
	const uint8_t *pair = df->part + df->fill - 2;

	if (df->fill == FSYNC_SIZE && df->part[0] == SYNC_BYTE) {
		if (pair[1] == SYNC_LAST) {
			df->stats.overhead += FSYNC_SIZE;
			cst_frame_pattern(df, CST_FRAG_FSYNC, df->pair[0], o);
			df->fill = df->tail = 0;
			return;
		}
		lose_sync(df, 0, o);
		return;
	}
	if (df->fill == 2 && pair[1] == SYNC_BYTE)
		return;		/* the next pair shows whether it is an FSYNC or an error */
	if ((df->flags & CST_FRAME_HSYNC) && pair[1] == SYNC_LAST) {
		df->stats.overhead += HSYNC_SIZE;
		df->fill -= HSYNC_SIZE;
		cst_frame_pattern(df, CST_FRAG_HSYNC, df->pair[df->fill / 2], o);
		if (!df->fill)
			df->tail = 0;
		return;
	}
	lose_sync(df, df->fill - 2u, o);
}

static void take_byte(struct cst_deframer *df, uint8_t byte, struct frame_out *o)
{
	if (!df->synced) {
		search(df, byte, o);
		return;
	}
	if (!(df->fill & 1))
		df->pair[df->fill / 2] = df->offset;
	df->part[df->fill++] = byte;
	if (df->fill & 1)
		return;
	if (df->part[df->fill - 2] == SYNC_BYTE) {
		sync_pair(df, o);
	} else if (df->fill == 4 && df->part[0] == SYNC_BYTE) {
		lose_sync(df, 0, o);
	} else if (df->fill == FRAME_SIZE) {
		cst_frame_unpack_part(df, o);
		df->tail = df->part[FRAME_SIZE - 1] == SYNC_BYTE;
	}
}

size_t cst_frame_synced(struct cst_deframer *df, const uint8_t *in, size_t len, struct frame_out *o)
{
	size_t used = 0;

	while (used < len && frame_room(o)) {
		if (df->synced && !df->fill && len - used >= FRAME_SIZE &&
		    cst_frame_bad_pair(in + used) == FRAME_NO_PAIR) {
			cst_frame_unpack(df, in + used, df->offset, o);
			df->tail = in[used + FRAME_SIZE - 1] == SYNC_BYTE;
			used += FRAME_SIZE;
			df->offset += FRAME_SIZE;
		} else {
			take_byte(df, in[used], o);
			used++;
			df->offset++;
		}
	}
	return used;
}
