/* SPDX-License-Identifier: BSD-3-Clause */
/* deframe.c - the de-formatter: entry points, and streams of consecutive frames. */
#include <limits.h>
#include <string.h>
#include "bytes/frame/frame_int.h"

void cst_deframer_init(struct cst_deframer *df, unsigned flags)
{
	memset(df, 0, sizeof(*df));
	flags &= ~(unsigned)FRAME_FILTERED;
	if (flags & CST_FRAME_HSYNC)
		flags |= CST_FRAME_FSYNC;
	/* with FSYNC, four synchronisation words between frames are no barrier */
	if (flags & CST_FRAME_FSYNC)
		flags &= ~(unsigned)CST_FRAME_RESET_4X;
	df->flags = (uint8_t)flags;
	df->id = CST_ID_UNKNOWN;
}

void cst_deframer_filter(struct cst_deframer *df, const uint64_t ids[2])
{
	df->flags &= (uint8_t)~FRAME_FILTERED;
	if (!ids)
		return;
	df->flags |= FRAME_FILTERED;
	df->filter[0] = ~ids[0];
	df->filter[1] = ~ids[1];
}

struct cst_fragment *cst_frame_record(struct frame_out *o, enum cst_frag_kind kind, uint64_t offset)
{
	struct cst_fragment *f = &o->frag[o->n++];

	f->offset = offset;
	f->pos = o->pos;
	f->len = 0;
	f->id = CST_ID_UNKNOWN;
	f->kind = kind;
	f->error = 0;
	return f;
}

void cst_frame_error(struct cst_deframer *df, int error, uint64_t offset, unsigned len,
		     struct frame_out *o)
{
	struct cst_fragment *f = cst_frame_record(o, CST_FRAG_ERROR, offset);

	f->len = (uint16_t)len;
	f->error = error;
	df->stats.errors++;
	df->stats.skipped += len;
	df->id = CST_ID_UNKNOWN;
}

/* Handles a barrier, which the kernel writes where the trace does not continue. */
static void barrier(struct cst_deframer *df, uint64_t offset, struct frame_out *o)
{
	cst_frame_record(o, CST_FRAG_RESET, offset);
	df->stats.barriers++;
	df->stats.overhead += FRAME_SIZE;
	df->id = CST_ID_UNKNOWN;
}

/* Handles 16 bytes in which the even byte of pair `bad` is FF. */
static void odd_frame(struct cst_deframer *df, const uint8_t *f, unsigned bad, uint64_t base,
		      struct frame_out *o)
{
	/* four FSYNC words */
	static const uint8_t words[] = {
		SYNC_BYTE, SYNC_BYTE, SYNC_BYTE, SYNC_LAST,
		SYNC_BYTE, SYNC_BYTE, SYNC_BYTE, SYNC_LAST,
		SYNC_BYTE, SYNC_BYTE, SYNC_BYTE, SYNC_LAST,
		SYNC_BYTE, SYNC_BYTE, SYNC_BYTE, SYNC_LAST,
	};

	if ((df->flags & CST_FRAME_RESET_4X) && !memcmp(f, words, FRAME_SIZE))
		barrier(df, base, o);
	else
		cst_frame_error(df, frame_pair_error(f + 2 * bad), base, FRAME_SIZE, o);
}

/* Unpacks df->part, a frame that was completed over several calls. */
static void cut_frame(struct cst_deframer *df, struct frame_out *o)
{
	unsigned bad = cst_frame_bad_pair(df->part);

	if (bad == FRAME_NO_PAIR) {
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

		if (bad == FRAME_NO_PAIR)
			cst_frame_unpack(df, f, df->offset, o);
		else
			odd_frame(df, f, bad, df->offset, o);
		df->offset += FRAME_SIZE;
	}
	if (len - used < FRAME_SIZE)
		used += gather_cut(df, in + used, len - used);
	return used;
}

/* Handles missing bytes before `offset`. */
static void gap(struct cst_deframer *df, uint64_t offset, struct frame_out *o)
{
	int cut = df->fill && (df->synced || !(df->flags & CST_FRAME_FSYNC));

	if (cut)
		cst_frame_error(df, -CST_ERR_FRAME_CUT, df->pair[0], df->fill, o);
	else
		df->stats.skipped += df->fill;
	df->fill = 0;
	df->synced = df->tail = 0;
	df->id = CST_ID_UNKNOWN;
	df->offset = offset;
}

/* Consumes input at raw offset `offset`. Returns the number of bytes. */
static size_t take(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset, struct frame_out *o)
{
	if (offset != df->offset)
		gap(df, offset, o);
	if (df->flags & CST_FRAME_FSYNC)
		return cst_frame_synced(df, in, len, o);
	return aligned(df, in, len, o);
}

/* As take(), but drops the bytes that a DSTREAM probe adds to its blocks. */
static size_t take_blocks(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
			  struct frame_out *o)
{
	size_t used = 0, n, part;
	uint64_t pos;

	while (used < len) {
		pos = offset % DSTREAM_BLOCK;
		part = (pos < DSTREAM_DATA ? DSTREAM_DATA : DSTREAM_BLOCK) - pos;
		part = part < len - used ? part : len - used;
		if (pos < DSTREAM_DATA) {
			n = take(df, in + used, part, offset / DSTREAM_BLOCK * DSTREAM_DATA + pos, o);
		} else {
			n = part;
			df->stats.overhead += n;
		}
		used += n;
		offset += n;
		if (n < part)
			break;
	}
	return used;
}

void cst_deframer_start(struct cst_deframer *df, uint64_t offset, uint8_t id)
{
	uint64_t pos = offset % DSTREAM_BLOCK;

	df->offset = offset;
	if (df->flags & CST_FRAME_DSTREAM)
		df->offset = offset / DSTREAM_BLOCK * DSTREAM_DATA + (pos < DSTREAM_DATA ? pos : DSTREAM_DATA);
	df->id = id;
	df->synced = 1;
}

uint64_t cst_dstream_offset(uint64_t offset)
{
	return offset / DSTREAM_DATA * DSTREAM_BLOCK + offset % DSTREAM_DATA;
}

int cst_deframe(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
		uint8_t *out, size_t out_cap, struct cst_fragment *frag, size_t frag_cap,
		size_t *used)
{
	struct frame_out o = { .data = out, .frag = frag };

	*used = 0;
	o.need = FRAME_FRAGS + (df->flags & CST_FRAME_FINDINGS ? FRAME_FINDINGS : 0);
	if (out_cap < FRAME_SIZE || frag_cap < o.need)
		return -CST_ERR_INVAL;
	o.data_cap = out_cap > UINT32_MAX ? UINT32_MAX : (uint32_t)out_cap;
	o.frag_cap = frag_cap > INT_MAX ? INT_MAX : (uint32_t)frag_cap;
	if (!len)
		return 0;
	if (df->flags & CST_FRAME_DSTREAM)
		*used = take_blocks(df, in, len, offset, &o);
	else
		*used = take(df, in, len, offset, &o);
	return (int)o.n;
}

int cst_deframer_end(struct cst_deframer *df)
{
	int searching = (df->flags & CST_FRAME_FSYNC) && !df->synced;
	int cut = searching ? 0 : df->fill;

	df->stats.skipped += df->fill;
	df->stats.errors += cut != 0;
	df->fill = 0;
	df->synced = df->tail = 0;
	df->id = CST_ID_UNKNOWN;
	return cut;
}
