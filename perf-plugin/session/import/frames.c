/* SPDX-License-Identifier: GPL-2.0-only */
/* frames.c - takes the frames out of captured trace, and finds the trace IDs in them. */
#include "session/import/frames.h"

#include <stdlib.h>
#include <string.h>

#include <cstrace/frame.h>

#include "base/alloc.h"
#include "base/array.h"

#define FRAME	16u
#define OUT	4096u
#define FRAGS	512u

/* Four FSYNC words, which reset all decoders of aligned frames (CST_FRAME_RESET_4X). */
static const uint8_t barrier[FRAME] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
					0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };

struct frame {
	uint8_t bytes[FRAME];
};

struct part {
	struct cst_deframer df;
	uint8_t out[OUT];
	struct cst_fragment frag[FRAGS];
};

/* Fragments of the next part of the input, from *at on; 0: there are none. */
static int next_part(struct part *p, const uint8_t *in, size_t len, size_t *at)
{
	size_t used;
	int n;

	do {
		n = cst_deframe(&p->df, in + *at, len - *at, *at, p->out, OUT, p->frag, FRAGS, &used);
		*at += used;
	} while (!n && used && *at < len);
	return n > 0 ? n : 0;
}

/* Starts with the first frame at `begin`, or with the search for it. Returns the offset of the first byte to read. */
static size_t start(struct cst_deframer *df, unsigned int flags, int begin)
{
	cst_deframer_init(df, flags);
	if (begin <= 0 && !(flags & CST_FRAME_FSYNC && !begin))
		return 0;
	cst_deframer_start(df, (uint64_t)begin, CST_ID_UNKNOWN);
	return (size_t)begin;
}

void frames_align(const uint8_t *in, size_t len, unsigned int flags, int begin, uint8_t **out,
		  size_t *out_len,
		 uint64_t *lost)
{
	struct part *p = mem_new(sizeof(*p));
	struct frame *frame = NULL, *to;
	size_t at = 0, nr = 0, cap = 0;
	int n, i;

	array_reserve(&frame, 0, &cap, sizeof(*frame));
	at = start(&p->df, flags | CST_FRAME_PACKED, begin);
	*lost += at;
	while ((n = next_part(p, in, len, &at)) > 0)
		for (i = 0; i < n; i++) {
			const struct cst_fragment *f = &p->frag[i];

			if (f->kind != CST_FRAG_FRAME && f->kind != CST_FRAG_ERROR)
				continue;
			to = ARRAY_ADD(frame, nr, cap);
			memcpy(to->bytes, f->kind == CST_FRAG_FRAME ? p->out + f->pos : barrier, FRAME);
		}
	cst_deframer_end(&p->df);
	*lost += p->df.stats.skipped;
	free(p);
	*out = (uint8_t *)frame;
	*out_len = nr * FRAME;
}

void frames_of_id(const uint8_t *in, size_t len, uint8_t id, uint8_t **out, size_t *out_len,
		  uint64_t *others)
{
	struct part *p = mem_new(sizeof(*p));
	uint8_t *buf = mem_new(len ? len : 1);
	size_t at = 0, to = 0;
	int n, i;

	cst_deframer_init(&p->df, CST_FRAME_ALIGNED | CST_FRAME_RESET_4X);
	while ((n = next_part(p, in, len, &at)) > 0)
		for (i = 0; i < n; i++) {
			const struct cst_fragment *f = &p->frag[i];

			if (f->kind != CST_FRAG_DATA)
				continue;
			if (f->id == id) {
				memcpy(buf + to, p->out + f->pos, f->len);
				to += f->len;
			} else if (f->id) {
				*others += f->len;
			}
		}
	cst_deframer_end(&p->df);
	*others += p->df.stats.skipped;
	free(p);
	*out = buf;
	*out_len = to;
}

void frames_count_ids(const uint8_t *in, size_t len, unsigned int flags, int begin, uint64_t count[128])
{
	struct part *p = mem_new(sizeof(*p));
	size_t at = 0;
	int n, i;

	at = start(&p->df, flags, begin);
	while ((n = next_part(p, in, len, &at)) > 0)
		for (i = 0; i < n; i++)
			if (p->frag[i].kind == CST_FRAG_DATA && p->frag[i].id < 128)
				count[p->frag[i].id] += p->frag[i].len;
	free(p);
}
