/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - splits plain frames into the bytes of each trace ID, in the same runs as unpack.c but without fragments. */
#include <string.h>

#include "bytes/frame/runs.h"
#include "bytes/frame/split.h"

/* The sinks, that of the open run, and the record of the run there. */
struct split {
	struct frame_sink *sink, *to;
	struct seg *seg;
};

static inline void open_sink(struct frame_run *r, unsigned int id, struct split *s)
{
	r->id = id;
	s->to = s->sink + id;
	s->seg = s->to->end;
	r->data = s->to->data;
	r->start = r->pos = s->to->pos;
}

static inline void leave_sink(const struct frame_run *r, struct split *s)
{
	s->to->end = s->seg;
	s->to->pos = (uint32_t)r->pos;
}

static inline int close_run(struct frame_run *r, void *user)
{
	struct split *s = user;
	int some = r->pos != r->start;

	/* the next record overwrites that of an empty run */
	s->seg->pos = (uint32_t)r->start;
	s->seg->offset = r->offset;
	s->seg += some;
	return some;
}

static inline void change_sink(struct frame_run *r, unsigned int id, void *user)
{
	leave_sink(r, user);
	open_sink(r, id, user);
}

/* Writes both halves of a frame with their data bits to the open run; the next write overwrites excess bytes. */
static inline void put_frame(const struct frame_run *r, uint64_t lo, uint64_t hi)
{
	store64(r->data + r->pos, lo);
	store64(r->data + r->pos + 8, hi);
}

/*
 * Splits frames from `f` on while they are plain; returns their number. With `look`, a frame whose byte 14 is an ID with
 * its auxiliary bit set (CST_FIND_FRAME_AUX) is not plain.
 */
static size_t frames(struct cst_deframer *df, const uint8_t *f, size_t count, uint64_t offset, int look,
		     struct frame_sink *sink)
{
	const uint8_t *const first = f, *const end = f + count * FRAME_SIZE;
	uint8_t u[2 * FRAME_SIZE] = { 0 };
	static const struct frame_verbs verbs = { close_run, change_sink };
	struct split s = { .sink = sink };
	struct frame_run r;

	open_sink(&r, df->id, &s);
	for (; f < end; f += FRAME_SIZE, offset += FRAME_SIZE) {
		const unsigned int aux = f[FRAME_DATA];
		uint64_t lo = load64(f), hi = load64(f + 8), even;
		unsigned int ids;

		if (!has_ids(lo, hi)) {
			restore_bits(&lo, &hi, aux);
			put_frame(&r, lo, hi);
			r.start = r.pos;
			r.offset = offset;
			r.pos += FRAME_DATA;
			close_run(&r, &s);
			continue;
		}
		even = even_bytes(lo, hi);
		ids = gather(even);
		if (odd_ids(even) || (look && ids >> (FRAME_DATA - 1) && aux & 0x80))
			break;
		restore_bits(&lo, &hi, aux);
		store64(u, lo);
		store64(u + 8, hi);
		put_frame(&r, lo, hi);
		frame_runs(&r, u, ids, offset, &verbs, &s);
	}
	leave_sink(&r, &s);
	df->id = (uint8_t)r.id;
	return (size_t)(f - first) / FRAME_SIZE;
}

size_t cst_frame_split(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
		       struct frame_sink sink[SPLIT_IDS])
{
	const unsigned int plain = CST_FRAME_RESET_4X | CST_FRAME_FINDINGS | CST_FRAME_STRICT;
	const int look = df->flags & (CST_FRAME_FINDINGS | CST_FRAME_STRICT);
	size_t n, used;
	uint32_t i, data = 0;

	if (df->flags & ~plain || df->fill || df->offset != offset || df->id >= SPLIT_IDS)
		return 0;
	for (i = 0; i < SPLIT_IDS; i++) {
		sink[i].pos = 0;
		sink[i].end = sink[i].seg;
	}
	n = frames(df, in, len / FRAME_SIZE, offset, look, sink);
	used = n * FRAME_SIZE;
	df->offset += used;
	for (i = ID_NULL + 1; i < SPLIT_IDS; i++)
		data += sink[i].pos;
	df->stats.frames += n;
	df->stats.null += sink[ID_NULL].pos;
	df->stats.data += data;
	df->stats.overhead += used - sink[ID_NULL].pos - data;
	return used;
}
