/* SPDX-License-Identifier: BSD-3-Clause */
/* look.c - inspects frames without unpacking them: packed frames for listings, reserved values, and the IDs in use. */
#include <string.h>

#include <cstrace/log.h>

#include "bytes/frame/read.h"

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
	/* the second half of an FSYNC word is an HSYNC */
	memcpy(o->data + o->pos, fsync + FSYNC_SIZE - f->len, f->len);
	o->pos += f->len;
}

int cst_frame_look(struct cst_deframer *df, const uint8_t *f, uint64_t base, struct frame_out *o)
{
	unsigned int ids = frame_id_bytes(f), reserved = 0, at = 0;
	int aux = f[FRAME_DATA - 1] & 1 && f[FRAME_DATA] & 0x80;
	struct cst_fragment *fr;

	for (; ids && !reserved; ids &= ids - 1) {
		at = (unsigned int)__builtin_ctz(ids);
		if (is_reserved(f[at] >> 1))
			reserved = f[at] >> 1;
	}
	if (reserved && df->flags & CST_FRAME_FINDINGS) {
		fr = cst_frame_record(o, CST_FRAG_FINDING, base + at);
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

/*
 * Returns the number of leading bytes, in whole blocks, of frames whose only ID byte is `known` (ID << 1 | 1). Most
 * trace has one ID, so this makes the search for others cheap.
 */
static size_t skip_known(const uint8_t *p, size_t n, uint8_t known)
{
	enum { BLOCK = 64 * FRAME_SIZE };
	const uint64_t want = known * LANES;
	uint64_t x, other;
	size_t done;
	unsigned int i;

	for (done = 0; n - done >= BLOCK; done += BLOCK) {
		other = 0;
		for (i = 0; i < BLOCK; i += 8) {
			x = load64(p + done + i);
			other |= (x ^ want) & (x & LANES) * 0xff;
		}
		if (other)
			break;
	}
	return done;
}

static void note_id(uint64_t ids[2], uint8_t byte)
{
	ids[byte >> 7] |= UINT64_C(1) << (byte >> 1 & 63);
}

unsigned cst_frame_ids(const uint8_t *in, size_t len, unsigned pos, uint64_t ids[2])
{
	const uint8_t *p = in, *const end = in + len;
	unsigned int bytes;
	uint8_t last = 0;

	while (p < end) {
		if (pos || end - p < FRAME_SIZE) {
			if (!(pos & 1) && *p & 1)
				note_id(ids, *p);
			pos = (pos + 1) % FRAME_SIZE;
			p++;
			continue;
		}
		for (bytes = frame_id_bytes(p); bytes; bytes &= bytes - 1) {
			last = p[__builtin_ctz(bytes)];
			note_id(ids, last);
		}
		p += FRAME_SIZE;
		if (last)
			p += skip_known(p, (size_t)(end - p), last);
	}
	return pos;
}

int cst_frame_is_raw(const uint8_t *in, size_t len)
{
	static const uint8_t async[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80 };

	return len >= sizeof(async) && !memcmp(in, async, sizeof(async));
}
