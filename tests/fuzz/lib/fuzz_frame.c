/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz_frame.c - any bytes with any flags: the fragments do not depend on how the input is cut into
 * calls or how large the outputs are, nothing is out of bounds, and each input byte is counted once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cstrace/error.h>
#include <cstrace/frame.h>

#define MAX_IN 2048
#define MAX_FRAGS (MAX_IN * 8)
#define MAX_DATA (2 * MAX_IN)

struct run {
	struct cst_fragment frag[MAX_FRAGS];
	uint8_t data[MAX_DATA];
	uint32_t frags, bytes, packed;	/* packed: bytes of frames and patterns as they stand */
	struct cst_deframer df;
};

static void check(int ok)
{
	if (!ok)
		abort();
}

/* One call of the de-formatter with outputs of exactly the given sizes. */
static size_t call(struct run *r, const uint8_t *in, size_t len, uint64_t offset, size_t out_cap,
		   size_t frag_cap)
{
	uint8_t *out = malloc(out_cap), *src = malloc(len);
	struct cst_fragment *frag = malloc(frag_cap * sizeof(*frag));
	size_t used;
	int i, n;

	check(out && src && frag);
	memcpy(src, in, len);
	n = cst_deframe(&r->df, src, len, offset, out, out_cap, frag, frag_cap, &used);
	check(n >= 0 && (size_t)n <= frag_cap && used <= len && (n || used));
	for (i = 0; i < n; i++) {
		struct cst_fragment f = frag[i];

		check(f.offset < offset + len);
		if (f.kind == CST_FRAG_DATA) {
			check(f.len >= 1 && f.len <= 15 && f.pos + f.len <= out_cap);
			check((f.id < 0x7f || f.id == CST_ID_UNKNOWN) && !f.error);
			memcpy(r->data + r->bytes, out + f.pos, f.len);
			r->bytes += f.len;
		} else if (f.kind >= CST_FRAG_FRAME) {
			check(f.len == (f.kind == CST_FRAG_FRAME ? 16 : f.kind == CST_FRAG_FSYNC ? 4 : 2));
			check(f.pos + f.len <= out_cap && !f.error && r->df.flags & CST_FRAME_PACKED);
			memcpy(r->data + r->bytes, out + f.pos, f.len);
			r->bytes += f.len;
			r->packed += f.len;
		} else if (f.kind == CST_FRAG_FINDING) {
			check(!f.len && f.error > 0 && r->df.flags & CST_FRAME_FINDINGS);
		} else {
			check(f.kind == CST_FRAG_RESET ? !f.len && !f.error : f.error < 0);
		}
		f.pos = r->bytes;
		r->frag[r->frags++] = f;
	}
	free(frag);
	free(src);
	free(out);
	return used;
}

static void finish(struct run *r, size_t len)
{
	const struct cst_frame_stats *s = &r->df.stats;
	int cut = cst_deframer_end(&r->df);

	check(cut >= 0 && cut < 16);
	check(s->data + s->null + s->reserved + s->unknown + s->overhead + s->skipped + s->filtered == len);
	check(s->data + s->null + s->reserved + s->unknown == r->bytes - r->packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct run whole, cut;
	uint64_t ids[2], *filter;
	unsigned flags, step_seed, need;
	size_t at = 0;

	if (size < 2)
		return 0;
	flags = data[0];
	step_seed = data[1];
	data += 2;
	size = size - 2 > MAX_IN ? MAX_IN : size - 2;
	/* the first bytes also say which IDs are wanted */
	memset(ids, 0, sizeof(ids));
	memcpy(ids, data, size < sizeof(ids) ? size : sizeof(ids));
	filter = flags & 128 ? ids : NULL;
	need = flags & CST_FRAME_FINDINGS ? 11 : 9;

	whole.frags = whole.bytes = whole.packed = cut.frags = cut.bytes = cut.packed = 0;
	cst_deframer_init(&whole.df, flags);
	cst_deframer_filter(&whole.df, filter);
	while (at < size)
		at += call(&whole, data + at, size - at, at, MAX_IN + 16, MAX_FRAGS);
	finish(&whole, size);

	cst_deframer_init(&cut.df, flags);
	cst_deframer_filter(&cut.df, filter);
	for (at = 0; at < size;) {
		size_t len;

		step_seed = step_seed * 1103515245 + 12345;
		len = 1 + (step_seed >> 16) % 40;
		len = len < size - at ? len : size - at;
		at += call(&cut, data + at, len, at, 16 + (step_seed >> 8 & 31), need + (step_seed >> 13 & 7));
	}
	finish(&cut, size);

	check(whole.frags == cut.frags && whole.bytes == cut.bytes);
	check(!memcmp(whole.data, cut.data, whole.bytes));
	check(!memcmp(&whole.df.stats, &cut.df.stats, sizeof(whole.df.stats)));
	for (at = 0; at < whole.frags; at++) {
		const struct cst_fragment *a = &whole.frag[at], *b = &cut.frag[at];

		check(a->offset == b->offset && a->pos == b->pos && a->len == b->len &&
		      a->id == b->id && a->kind == b->kind && a->error == b->error);
	}

	/* A gap anywhere loses a partial frame at most, and counts it. */
	if (size > 32) {
		size_t first = step_seed % size;

		whole.frags = whole.bytes = whole.packed = 0;
		cst_deframer_init(&whole.df, flags);
		for (at = 0; at < first;)
			at += call(&whole, data + at, first - at, at, MAX_IN + 16, MAX_FRAGS);
		for (at = first; at < size;)
			at += call(&whole, data + at, size - at, at + 1000, MAX_IN + 16, MAX_FRAGS);
		finish(&whole, size);
	}
	return 0;
}
