/* SPDX-License-Identifier: BSD-3-Clause */
/* unpack.c - unpacks one 16-byte frame into fragments. Only frames with an ID byte need a loop. */
#include <string.h>
#include "frame/read.h"

/* Sets the top bit of the lowest lane whose even byte is FF, and no lower bit. */
static uint64_t find_ff(uint64_t v)
{
	uint64_t t = ~v & (LANES * 0xff);

	return (t - LANES) & ~t & (LANES << 15);
}

unsigned cst_frame_bad_pair(const uint8_t *f)
{
	uint64_t lo = load64(f), hi = load64(f + 8);
	unsigned i;

	/* an even byte FF has bit 0 set, as ID bytes have */
	if (!has_ids(lo, hi) || !(find_ff(lo) | find_ff(hi)))
		return FRAME_NO_PAIR;
	for (i = 0; f[2 * i] != SYNC_BYTE; i++)
		;
	return i;
}

static void count_bytes(struct cst_frame_stats *st, unsigned id, unsigned len)
{
	if (id - 1 < ID_LAST_SOURCE)
		st->data += len;
	else if (id == ID_NULL)
		st->null += len;
	else if (id == CST_ID_UNKNOWN)
		st->unknown += len;
	else
		st->reserved += len;
}

/* Ends a run of bytes of df->id: appends its fragment and counts it. Returns 0 if the filter drops it. */
static int close_run(struct cst_deframer *df, uint64_t offset, unsigned len, struct frame_out *o)
{
	struct cst_fragment *f;

	if (df->flags & FRAME_FILTERED && df->id < 128 && df->filter[df->id >> 6] >> (df->id & 63) & 1) {
		df->stats.filtered += len;
		return 0;
	}
	f = &o->frag[o->n++];
	f->offset = offset;
	f->pos = o->pos;
	f->len = (uint16_t)len;
	f->id = df->id;
	f->kind = CST_FRAG_DATA;
	f->error = 0;
	o->pos += len;
	count_bytes(&df->stats, df->id, len);
	return 1;
}

/* Appends the bytes [from, end) of a frame. It copies 16 bytes, since both buffers have slack. Returns the new length. */
static unsigned append(uint8_t *to, unsigned n, const uint8_t *u, unsigned from, unsigned end)
{
	memcpy(to + n, u + from, 16);
	return n + end - from;
}

/*
 * Unpacks a frame with ID bytes at `ids`; `u` is the frame with the data bits restored. As in the reference
 * de-formatter, a run has the offset of the pair with its ID byte, even if the change is delayed past that pair; a run
 * that began in an earlier frame has that of the frame.
 */
static void unpack_ids(struct cst_deframer *df, const uint8_t *u, unsigned ids, uint64_t base,
		       struct frame_out *o)
{
	uint8_t data[2 * FRAME_SIZE];
	unsigned aux = u[FRAME_DATA];
	unsigned n = 0, run = 0, next = 0;	/* bytes copied, start of the run, next byte to copy */
	uint64_t offset = base;
	uint32_t first = o->pos;

	for (; ids; ids &= ids - 1) {
		const struct frame_change c = frame_change(u, ids, aux);

		df->stats.overhead++;
		n = append(data, n, u, next, c.at);
		next = c.at + 1;
		if (c.id == df->id)
			continue;
		if (c.behind)
			data[n++] = u[next++];
		if (n > run) {
			if (close_run(df, offset, n - run, o))
				run = n;
			else
				n = run;
			offset = base + c.at;
		}
		df->id = (uint8_t)c.id;
		df->stats.triggers += c.id == ID_TRIGGER;
	}
	n = append(data, n, u, next, FRAME_DATA);
	if (n > run)
		close_run(df, offset, n - run, o);
	memcpy(o->data + first, data, FRAME_SIZE);
}

void cst_frame_unpack(struct cst_deframer *df, const uint8_t *f, uint64_t base, struct frame_out *o)
{
	uint64_t lo = load64(f), hi = load64(f + 8);
	unsigned aux = f[FRAME_DATA], ids = has_ids(lo, hi) ? gather(even_bytes(lo, hi)) : 0;

	if (df->flags & FRAME_LOOKED_AT && !cst_frame_look(df, f, base, o))
		return;
	df->stats.frames++;
	df->stats.overhead++;
	/* ID bytes have bit 0 set, so this changes data bytes only */
	lo |= scatter(aux);
	hi |= scatter(aux >> 4);
	if (ids) {
		uint8_t u[2 * FRAME_SIZE] = { 0 };

		store64(u, lo);
		store64(u + 8, hi);
		unpack_ids(df, u, ids, base, o);
	} else {
		store64(o->data + o->pos, lo);
		store64(o->data + o->pos + 8, hi);
		close_run(df, base, FRAME_DATA, o);
	}
}

void cst_frame_unpack_part(struct cst_deframer *df, struct frame_out *o)
{
	uint32_t i = o->n;

	cst_frame_unpack(df, df->part, 0, o);
	df->fill = 0;
	for (; i < o->n; i++)
		o->frag[i].offset = df->pair[o->frag[i].offset / 2];
}
