/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deframe.c - the de-formatter: entry points, and streams of frames back to back.
 */
#include <limits.h>
#include <string.h>
#include "frame/frame.h"

void cst_deframer_init(struct cst_deframer *df, unsigned flags)
{
	memset(df, 0, sizeof(*df));
	if (flags & CST_FRAME_HSYNC)
		flags |= CST_FRAME_FSYNC;
	/* FSYNC words between frames are plain synchronisation there. */
	if (flags & CST_FRAME_FSYNC)
		flags &= ~(unsigned)CST_FRAME_RESET_4X;
	df->flags = (uint8_t)flags;
	df->id = CST_ID_UNKNOWN;
}

void cst_frame_error(struct cst_deframer *df, int error, uint64_t offset, unsigned len,
		     struct frame_out *o)
{
	struct cst_fragment *f = &o->frag[o->n++];

	f->offset = offset;
	f->pos = o->pos;
	f->len = (uint16_t)len;
	f->id = CST_ID_UNKNOWN;
	f->kind = CST_FRAG_ERROR;
	f->error = error;
	df->stats.errors++;
	df->stats.skipped += len;
	df->id = CST_ID_UNKNOWN;
}

/* Leading FSYNC words of 16 bytes. */
static unsigned leading_fsyncs(const uint8_t *f)
{
	static const uint8_t fsync[FSYNC_SIZE] = { SYNC_BYTE, SYNC_BYTE, SYNC_BYTE, SYNC_LAST };
	unsigned n;

	for (n = 0; n < FRAME_SIZE / FSYNC_SIZE; n++)
		if (memcmp(f + n * FSYNC_SIZE, fsync, FSYNC_SIZE))
			break;
	return n;
}

/* The kernel writes a barrier where the trace does not continue what came before. */
static void barrier(struct cst_deframer *df, uint64_t offset, struct frame_out *o)
{
	struct cst_fragment *f = &o->frag[o->n++];

	f->offset = offset;
	f->pos = o->pos;
	f->len = 0;
	f->id = CST_ID_UNKNOWN;
	f->kind = CST_FRAG_RESET;
	f->error = 0;
	df->stats.barriers++;
	df->stats.overhead += FRAME_SIZE;
	df->id = CST_ID_UNKNOWN;
}

/* 16 bytes in which pair `bad` begins with FF. */
static void odd_frame(struct cst_deframer *df, const uint8_t *f, unsigned bad, uint64_t base,
		      struct frame_out *o)
{
	if ((df->flags & CST_FRAME_RESET_4X) && leading_fsyncs(f) == FRAME_SIZE / FSYNC_SIZE)
		barrier(df, base, o);
	else
		cst_frame_error(df, frame_pair_error(f + 2 * bad), base, FRAME_SIZE, o);
}

/* A frame that calls have cut is complete. */
static void cut_frame(struct cst_deframer *df, struct frame_out *o)
{
	unsigned bad = cst_frame_bad_pair(df->part);

	if (bad == FRAME_BAD) {
		cst_frame_unpack_part(df, o);
		return;
	}
	df->fill = 0;
	odd_frame(df, df->part, bad, df->pair[0], o);
}

static size_t gather_cut(struct cst_deframer *df, const uint8_t *in, size_t len)
{
	size_t n = 0;

	for (; n < len && df->fill < FRAME_SIZE; n++, df->offset++) {
		if (!(df->fill & 1))
			df->pair[df->fill / 2] = df->offset;
		df->part[df->fill++] = in[n];
	}
	return n;
}

static size_t aligned(struct cst_deframer *df, const uint8_t *in, size_t len, struct frame_out *o)
{
	size_t used = 0;

	if (df->fill && frame_room(o)) {
		used = gather_cut(df, in, len);
		if (df->fill == FRAME_SIZE)
			cut_frame(df, o);
	}
	if (df->fill)
		return used;
	for (; len - used >= FRAME_SIZE && frame_room(o); used += FRAME_SIZE) {
		const uint8_t *f = in + used;
		unsigned bad = cst_frame_bad_pair(f);

		if (bad == FRAME_BAD)
			cst_frame_unpack(df, f, df->offset, o);
		else
			odd_frame(df, f, bad, df->offset, o);
		df->offset += FRAME_SIZE;
	}
	if (len - used < FRAME_SIZE)
		used += gather_cut(df, in + used, len - used);
	return used;
}

/* Bytes are missing before `offset`. */
static void gap(struct cst_deframer *df, uint64_t offset, struct frame_out *o)
{
	int cut = df->fill && (df->synced || !(df->flags & CST_FRAME_FSYNC));

	if (cut)
		cst_frame_error(df, -CST_ERR_FRAME_CUT, df->pair[0], df->fill, o);
	else
		df->stats.skipped += df->fill;
	df->fill = 0;
	df->synced = 0;
	df->id = CST_ID_UNKNOWN;
	df->offset = offset;
}

int cst_deframe(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
		uint8_t *out, size_t out_cap, struct cst_fragment *frag, size_t frag_cap,
		size_t *used)
{
	struct frame_out o = { .data = out, .frag = frag };

	*used = 0;
	if (out_cap < FRAME_SIZE || frag_cap < FRAME_FRAGS)
		return -CST_ERR_INVAL;
	o.data_cap = out_cap > UINT32_MAX ? UINT32_MAX : (uint32_t)out_cap;
	o.frag_cap = frag_cap > INT_MAX ? INT_MAX : (uint32_t)frag_cap;
	if (!len)
		return 0;
	if (offset != df->offset)
		gap(df, offset, &o);
	if (df->flags & CST_FRAME_FSYNC)
		*used = cst_frame_synced(df, in, len, &o);
	else
		*used = aligned(df, in, len, &o);
	return (int)o.n;
}

int cst_deframer_end(struct cst_deframer *df)
{
	int searching = (df->flags & CST_FRAME_FSYNC) && !df->synced;
	int cut = searching ? 0 : df->fill;

	df->stats.skipped += df->fill;
	df->stats.errors += cut != 0;
	df->fill = 0;
	df->synced = 0;
	df->id = CST_ID_UNKNOWN;
	return cut;
}
