/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * split.c - plain frames to the bytes of each trace ID. What a frame makes of its runs is what unpack.c makes of
 * them; no fragment is written, and no byte is copied twice.
 */
#include <string.h>

#include "frame/frame.h"
#include "frame/split.h"
#include "frame/word.h"

/* Append up to 16 bytes; what is too much is written over by the next run. */
static inline void put(struct frame_sink *s, uint32_t pos, const uint8_t *from)
{
	memcpy(s->data + (pos & s->mask), from, FRAME_SIZE);
}

/* The run that began at `pos` ends; it counts when it has bytes. */
static inline uint32_t close_run(struct frame_sink *s, uint32_t pos, uint64_t offset)
{
	struct seg *seg = &s->seg[s->n & s->seg_mask];
	uint32_t some = s->pos != pos;

	seg->pos = pos;
	seg->offset = offset;
	s->n += some;
	return some;
}

/* A frame with ID bytes at the pairs set in `ids`; `u` has 16 bytes more than the frame. */
static inline unsigned int split(struct frame_sink *sink, unsigned int cur, const uint8_t *u, unsigned int ids,
				 uint64_t base)
{
	struct frame_sink *s = &sink[cur];
	/* the last pair has no second byte that could come before the change */
	unsigned int aux = u[FRAME_DATA] & 0x7f, next = 0;
	uint64_t offset = base;
	uint32_t pos = s->pos;

	for (; ids; ids &= ids - 1) {
		unsigned int k = (unsigned int)__builtin_ctz(ids), id = u[2 * k] >> 1, delayed = aux >> k & 1;

		put(s, s->pos, u + next);
		s->pos += 2 * k - next;
		next = 2 * k + 1;
		if (id == cur)
			continue;
		s->data[s->pos & s->mask] = u[next];
		s->pos += delayed;
		next += delayed;
		offset = close_run(s, pos, offset) ? base + 2 * k : offset;
		cur = id;
		s = &sink[cur];
		pos = s->pos;
	}
	put(s, s->pos, u + next);
	s->pos += FRAME_DATA - next;
	close_run(s, pos, offset);
	return cur;
}

/* Frames from `f` on, while they are plain; how many. `look`: changes in the last pair must be plain, too. */
static size_t frames(struct cst_deframer *df, const uint8_t *f, size_t count, uint64_t base, int look,
		     struct frame_sink *sink)
{
	unsigned int cur = df->id;
	size_t i;

	for (i = 0; i < count; i++, f += FRAME_SIZE, base += FRAME_SIZE) {
		uint64_t lo = load64(f), hi = load64(f + 8);
		unsigned int aux = f[FRAME_DATA], ids;

		if (odd_ids(lo) | odd_ids(hi) || (look && f[FRAME_DATA - 1] & 1 && aux & 0x80))
			break;
		ids = gather(lo) | gather(hi) << 4;
		lo |= scatter(aux);
		hi |= scatter(aux >> 4);
		if (ids) {
			uint8_t u[2 * FRAME_SIZE] = { 0 };

			store64(u, lo);
			store64(u + 8, hi);
			cur = split(sink, cur, u, ids, base);
		} else {
			struct frame_sink *s = &sink[cur];
			uint32_t pos = s->pos;

			store64(s->data + (pos & s->mask), lo);
			store64(s->data + (pos & s->mask) + 8, hi);
			s->pos += FRAME_DATA;
			close_run(s, pos, base);
		}
	}
	df->id = (uint8_t)cur;
	df->stats.frames += i;
	return i;
}

/* Frames for which every sink surely has room. */
static size_t frames_room(const struct frame_sink *sink)
{
	uint32_t room = UINT32_MAX, i;

	for (i = 0; i < SPLIT_IDS; i++)
		if (sink[i].seg_mask && sink[i].seg_mask - sink[i].n < room)
			room = sink[i].seg_mask - sink[i].n;
	return room / SPLIT_RUNS;
}

size_t cst_frame_split(struct cst_deframer *df, const uint8_t *in, size_t len, uint64_t offset,
		       struct frame_sink sink[SPLIT_IDS])
{
	const unsigned int plain = CST_FRAME_RESET_4X | CST_FRAME_FINDINGS | CST_FRAME_STRICT;
	const int look = df->flags & (CST_FRAME_FINDINGS | CST_FRAME_STRICT);
	uint32_t before[SPLIT_IDS], i, data = 0, null;
	size_t used = 0, n, done;

	if (df->flags & ~plain || df->fill || df->offset != offset || df->id >= SPLIT_IDS)
		return 0;
	for (i = 0; i < SPLIT_IDS; i++)
		before[i] = sink[i].pos;
	do {
		n = (len - used) / FRAME_SIZE;
		if (n > frames_room(sink))
			n = frames_room(sink);
		done = frames(df, in + used, n, offset + used, look, sink);
		used += done * FRAME_SIZE;
	} while (n && done == n);
	df->offset += used;
	null = sink[ID_NULL].pos - before[ID_NULL];
	for (i = ID_NULL + 1; i < SPLIT_IDS; i++)
		data += sink[i].pos - before[i];
	df->stats.null += null;
	df->stats.data += data;
	df->stats.overhead += used - null - data;
	return used;
}
