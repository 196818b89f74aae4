/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c - splits plain frames into the bytes of each trace ID, in the same runs as unpack.c but without fragments. */
#include <string.h>

#include "frame/read.h"
#include "frame/split.h"

/* Sink of the current ID, and its open run. */
struct run {
	struct frame_sink *sink;
	uint8_t *data;
	struct seg *seg;	/* record of the open run */
	size_t pos, start;	/* next byte, and first byte of the run */
	uint64_t offset;
};

static inline void open_sink(struct run *r, struct frame_sink *sink)
{
	r->sink = sink;
	r->data = sink->data;
	r->seg = sink->end;
	r->pos = r->start = sink->pos;
}

static inline void close_sink(const struct run *r)
{
	r->sink->end = r->seg;
	r->sink->pos = (uint32_t)r->pos;
}

/* Ends the run, which is recorded if it has bytes. */
static inline int close_run(struct run *r)
{
	int some = r->pos != r->start;

	r->seg->pos = (uint32_t)r->start;
	r->seg->offset = r->offset;
	r->seg += some;
	return some;
}

/* Writes both halves of a frame with their data bits to the open run; the next write overwrites excess bytes. */
static inline void put_frame(const struct run *r, uint64_t lo, uint64_t hi)
{
	store64(r->data + r->pos, lo);
	store64(r->data + r->pos + 8, hi);
}

/*
 * Splits frame `f` with ID bytes at `ids`. All of it was written to the open run; at each change of the ID the rest
 * is written to the next run. `u` is the frame with its data bits restored and FRAME_SIZE bytes of slack.
 */
static inline void split(struct run *r, struct frame_sink *sink, const uint8_t *f, const uint8_t *u, unsigned int ids,
			 uint64_t base)
{
	const size_t aux = f[FRAME_DATA];
	struct frame_change c;
	struct frame_sink *to;
	size_t next = 0;

	r->start = r->pos;
	r->offset = base;
	do {
		c = frame_change(f, ids, aux);
		ids &= ids - 1;
		to = sink + c.id;
		r->pos += c.at - next;
		next = c.at + 1;
		if (to != r->sink) {
			r->data[r->pos] = f[next];
			r->pos += c.behind;
			next += c.behind;
			if (close_run(r))
				r->offset = base + c.at;
			close_sink(r);
			open_sink(r, to);
		}
		memcpy(r->data + r->pos, u + next, FRAME_SIZE);
	} while (ids);
	r->pos += FRAME_DATA - next;
	close_run(r);
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
	struct run r;

	open_sink(&r, &sink[df->id]);
	for (; f < end; f += FRAME_SIZE, offset += FRAME_SIZE) {
		uint64_t lo = load64(f), hi = load64(f + 8), even;
		unsigned int aux = f[FRAME_DATA], ids;

		if (!has_ids(lo, hi)) {
			put_frame(&r, lo | scatter(aux), hi | scatter(aux >> 4));
			r.seg->pos = (uint32_t)r.pos;
			r.seg->offset = offset;
			r.seg++;
			r.pos += FRAME_DATA;
			continue;
		}
		even = even_bytes(lo, hi);
		ids = gather(even);
		if (odd_ids(even) || (look && ids >> (FRAME_DATA - 1) && aux & 0x80))
			break;
		lo |= scatter(aux);
		hi |= scatter(aux >> 4);
		store64(u, lo);
		store64(u + 8, hi);
		put_frame(&r, lo, hi);
		split(&r, sink, f, u, ids, offset);
	}
	close_sink(&r);
	df->id = (uint8_t)(r.sink - sink);
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
