/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alignment.c - finds the first frame in captured trace without synchronisation before it. Each of the 16 places is
 * tried: read from a wrong one, the auxiliary byte of a frame is another byte. The lowest bits of data are then noise,
 * the IDs of the sources are many, padding is not zero, and bytes repeat less.
 */
#include "base/alloc.h"
#include "session/import/frames.h"

#include <stdlib.h>
#include <string.h>

#include <cstrace/frame.h>

#define FRAME		16u
#define SAMPLE		16384u	/* bytes that are tried */
#define FRAGS		(SAMPLE / FRAME * 9)
#define HASHES		65536u
#define IDS		128u
#define LAST_SOURCE	0x6fu
/* What counts against a place, in the same unit as a sequence of bytes that was not seen before. */
#define PER_ERROR	16u
#define PER_ID		16u
#define PER_BYTE	4u	/* of padding that is not zero, and of reserved IDs */
/* Of frames that should be aligned, a place behind byte 0 is taken only if it has less than 3/4 of byte 0 against it ... */
#define CLEARLY_LESS(a, b) ((a) < (b) / 4 * 3)
/* ... in enough frames. */
#define FRAMES_ENOUGH 64u
/* Bytes that are no frames have errors, reserved IDs or wrong padding in more than 1 of 16 bytes. */
#define NO_FRAMES(against, size) ((against) > (size) / 16)

static const uint8_t fsync[4] = { 0xff, 0xff, 0xff, 0x7f };

struct trial {
	uint8_t out[SAMPLE];
	struct cst_fragment frag[FRAGS];
	uint8_t seen[HASHES / 8];
	/* of each ID, and of bytes before the first one: the last three bytes; whether there are any */
	uint32_t last[IDS + 1];
	uint8_t ids[IDS + 1];
};

struct verdict {
	unsigned int rules;	/* violated rules of frames */
	unsigned int all;	/* and what is improbable, in 65,536ths of the bytes in the frames: not all places have as many */
};

/* Counts sequences of three bytes that were not seen before. */
static unsigned int new_sequences(struct trial *t, unsigned int id, const uint8_t *p, size_t n)
{
	unsigned int count = 0, hash;
	size_t i;

	for (i = 0; i < n; i++) {
		t->last[id] = (t->last[id] << 8 | p[i]) & 0xffffff;
		hash = (t->last[id] * 2654435761u) >> 16;
		count += !(t->seen[hash / 8] >> hash % 8 & 1);
		t->seen[hash / 8] |= (uint8_t)(1u << hash % 8);
	}
	return count;
}

static void judge_data(struct trial *t, const struct cst_fragment *f, struct verdict *v)
{
	const unsigned int id = f->id < IDS ? f->id : IDS;
	const uint8_t *p = t->out + f->pos;
	unsigned int i;

	for (i = 0; !id && i < f->len; i++)
		v->rules += p[i] ? PER_BYTE : 0;
	if (!id)
		return;
	if (id > LAST_SOURCE && id < IDS)
		v->rules += PER_BYTE * f->len;
	v->all += t->ids[id] ? 0 : PER_ID;
	t->ids[id] = 1;
	v->all += new_sequences(t, id, p, f->len);
}

static struct verdict try_at(struct trial *t, const uint8_t *in, size_t len, unsigned int flags, unsigned int at)
{
	struct verdict v = { 0, 0 };
	struct cst_deframer df;
	uint64_t bytes;
	size_t used;
	int i, n;

	memset(t->seen, 0, sizeof(t->seen));
	memset(t->last, 0, sizeof(t->last));
	memset(t->ids, 0, sizeof(t->ids));
	cst_deframer_init(&df, flags | CST_FRAME_FINDINGS);
	cst_deframer_start(&df, at, CST_ID_UNKNOWN);
	n = cst_deframe(&df, in + at, len - at, at, t->out, sizeof(t->out), t->frag, FRAGS, &used);
	for (i = 0; i < n; i++) {
		if (t->frag[i].kind == CST_FRAG_DATA)
			judge_data(t, &t->frag[i], &v);
		else if (t->frag[i].kind == CST_FRAG_ERROR)
			v.rules += PER_ERROR;
		else if (t->frag[i].kind == CST_FRAG_FINDING)
			v.rules += PER_BYTE;
	}
	bytes = df.stats.data + df.stats.null + df.stats.reserved + df.stats.unknown;
	v.all = (unsigned int)(((uint64_t)v.all + v.rules) * 65536 / (bytes + 1));
	return v;
}

/* True if a full synchronisation is in the first two frames: less than those are lost before it. */
static int is_synchronised(const uint8_t *in, size_t len)
{
	size_t i;

	for (i = 0; i + sizeof(fsync) <= len && i < 2 * FRAME; i++)
		if (!memcmp(in + i, fsync, sizeof(fsync)))
			return 1;
	return 0;
}

int frames_begin(const uint8_t *in, size_t len, unsigned int flags)
{
	const size_t size = len < SAMPLE ? len : SAMPLE;
	struct verdict first, best, v;
	unsigned int at, found = 0;
	struct trial *t;

	if (flags & CST_FRAME_DSTREAM || (flags & CST_FRAME_FSYNC && is_synchronised(in, len)) ||
	    len < (flags & CST_FRAME_FSYNC ? 2 : FRAMES_ENOUGH) * FRAME)
		return FRAMES_SEARCH;
	t = mem_new(sizeof(*t));
	first = best = try_at(t, in, size, flags, 0);
	for (at = 1; at < FRAME; at++) {
		v = try_at(t, in, size, flags, at);
		if (v.all < best.all) {
			best = v;
			found = at;
		}
	}
	free(t);
	if (!(flags & CST_FRAME_FSYNC) && !CLEARLY_LESS(best.all, first.all))
		return 0;
	return NO_FRAMES(best.rules, size) ? FRAMES_SEARCH : (int)found;
}
