/* SPDX-License-Identifier: BSD-3-Clause */
/* unpack.c - unpacks one 16-byte frame into fragments. */
#include <string.h>
#include "bytes/frame/runs.h"

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

/* Where the runs of a frame go. */
struct unpack {
	struct cst_deframer *df;
	struct frame_out *o;
};

/* Appends a fragment and counts its bytes, or drops them if there is a filter of their ID. */
static inline int close_run(struct frame_run *r, void *user)
{
	const struct unpack *u = user;
	const unsigned int len = (unsigned int)(r->pos - r->start), id = r->id;
	struct cst_deframer *df = u->df;
	struct frame_out *o = u->o;
	struct cst_fragment *f;

	if (!len)
		return 0;
	if (df->flags & FRAME_FILTERED && id < 128 && df->filter[id >> 6] >> (id & 63) & 1) {
		df->stats.filtered += len;
		r->pos = r->start;
		return 1;
	}
	f = &o->frag[o->n++];
	f->offset = r->offset;
	f->pos = o->pos;
	f->len = (uint16_t)len;
	f->id = (uint8_t)id;
	f->kind = CST_FRAG_DATA;
	f->error = 0;
	o->pos += len;
	r->start = r->pos;
	count_bytes(&df->stats, id, len);
	return 1;
}

static inline void change_id(struct frame_run *r, unsigned int id, void *user)
{
	const struct unpack *u = user;

	r->id = id;
	u->df->stats.triggers += id == ID_TRIGGER;
}

void cst_frame_unpack(struct cst_deframer *df, const uint8_t *f, uint64_t base, struct frame_out *o)
{
	static const struct frame_verbs verbs = { close_run, change_id };
	uint64_t lo = load64(f), hi = load64(f + 8);
	unsigned aux = f[FRAME_DATA], ids = has_ids(lo, hi) ? gather(even_bytes(lo, hi)) : 0;
	uint8_t u[2 * FRAME_SIZE], data[2 * FRAME_SIZE], *const to = o->data + o->pos;
	struct unpack where = { df, o };
	struct frame_run r = { .data = data, .offset = base, .id = df->id };

	if (df->flags & FRAME_LOOKED_AT && !cst_frame_look(df, f, base, o))
		return;
	df->stats.frames++;
	df->stats.overhead++;
	restore_bits(&lo, &hi, aux);
	if (ids) {
		memset(u + FRAME_SIZE, 0, FRAME_SIZE);
		store64(u, lo);
		store64(u + 8, hi);
		memcpy(data, u, FRAME_SIZE);
		df->stats.overhead += frame_runs(&r, u, ids, base, &verbs, &where);
		df->id = (uint8_t)r.id;
		memcpy(to, data, FRAME_SIZE);
	} else {
		store64(to, lo);
		store64(to + 8, hi);
		r.pos = FRAME_DATA;
		close_run(&r, &where);
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
