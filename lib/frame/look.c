/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * look.c - what is done with frames besides unpacking them: shown as they stand, looked through for reserved
 * values.
 */
#include <string.h>

#include <cstrace/log.h>

#include "frame/frame.h"

static int is_reserved(unsigned int id)
{
	return id > ID_LAST_SOURCE && id != ID_TRIGGER && id != ID_FLUSH;
}

void cst_frame_pattern(const struct cst_deframer *df, enum cst_frag_kind kind, uint64_t offset,
		       struct frame_out *o)
{
	static const uint8_t fsync[FSYNC_SIZE] = { SYNC_BYTE, SYNC_BYTE, SYNC_BYTE, SYNC_LAST };
	struct cst_fragment *f;

	if (!(df->flags & CST_FRAME_PACKED))
		return;
	f = cst_frame_record(o, kind, offset);
	f->len = kind == CST_FRAG_FSYNC ? FSYNC_SIZE : HSYNC_SIZE;
	/* half a word is its second half */
	memcpy(o->data + o->pos, fsync + FSYNC_SIZE - f->len, f->len);
	o->pos += f->len;
}

int cst_frame_look(struct cst_deframer *df, const uint8_t *f, uint64_t base, struct frame_out *o)
{
	unsigned int reserved = 0, k;
	int aux = f[FRAME_DATA - 1] & 1 && f[FRAME_DATA] & 0x80;
	struct cst_fragment *fr;

	for (k = 0; k < FRAME_SIZE / 2 && !reserved; k++)
		if (f[2 * k] & 1 && is_reserved(f[2 * k] >> 1))
			reserved = f[2 * k] >> 1;
	if (reserved && df->flags & CST_FRAME_FINDINGS) {
		fr = cst_frame_record(o, CST_FRAG_FINDING, base + 2 * (k - 1));
		fr->id = (uint8_t)reserved;
		fr->error = CST_FIND_FRAME_RESERVED_ID;
	}
	if (aux && df->flags & CST_FRAME_FINDINGS) {
		fr = cst_frame_record(o, CST_FRAG_FINDING, base + FRAME_DATA - 1);
		fr->error = CST_FIND_FRAME_AUX;
	}
	if ((reserved || aux) && df->flags & CST_FRAME_STRICT) {
		cst_frame_error(df, -CST_ERR_FRAME_RESERVED, base, FRAME_SIZE, o);
		if (df->flags & CST_FRAME_FSYNC)
			df->synced = 0;
		return 0;
	}
	if (!(df->flags & CST_FRAME_PACKED))
		return 1;
	fr = cst_frame_record(o, CST_FRAG_FRAME, base);
	fr->len = FRAME_SIZE;
	memcpy(o->data + o->pos, f, FRAME_SIZE);
	o->pos += FRAME_SIZE;
	df->stats.frames++;
	df->stats.overhead += FRAME_SIZE;
	return 0;
}
