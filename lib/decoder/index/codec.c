/* SPDX-License-Identifier: BSD-3-Clause */
/* codec.c - encoding and decoding of the numbers in an index file. */
#include <string.h>

#include <cstrace/error.h>

#include "base/grow.h"
#include "base/bits.h"
#include "base/digest.h"
#include "decoder/index/file.h"

void cst_put_bytes(struct writer *w, const void *data, size_t len)
{
	if (!w->error)
		w->error = array_reserve(&w->data, &w->cap, w->len + len, 1);
	if (w->error)
		return;
	if (len)
		memcpy(w->data + w->len, data, len);
	w->len += len;
}

void cst_put_number(struct writer *w, uint64_t v)
{
	uint8_t b[10];
	size_t n = 0;

	do {
		b[n++] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
	cst_put_bytes(w, b, n);
}

void cst_put_signed(struct writer *w, int64_t v)
{
	cst_put_number(w, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

void cst_put_fixed(struct writer *w, uint64_t v, unsigned int bytes)
{
	uint8_t b[8];

	le_put(b, v, bytes);
	cst_put_bytes(w, b, bytes);
}

uint64_t cst_get_number(struct reader *r)
{
	uint64_t v = 0;
	unsigned int shift;
	uint8_t b;

	for (shift = 0; shift < 64 && r->p < r->end && !r->error; shift += 7) {
		b = *r->p++;
		/* each number has one valid encoding: no bits beyond 64, no zero byte at the end */
		if ((shift == 63 && b > 1) || (shift && !b))
			break;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	r->error = -CST_ERR_DAMAGED;
	return 0;
}

int64_t cst_get_signed(struct reader *r)
{
	uint64_t v = cst_get_number(r);

	return (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
}

uint64_t cst_get_fixed(struct reader *r, unsigned int bytes)
{
	if (r->error || (size_t)(r->end - r->p) < bytes) {
		r->error = -CST_ERR_DAMAGED;
		return 0;
	}
	r->p += bytes;
	return le_get(r->p - bytes, bytes);
}

uint32_t cst_get_count(struct reader *r, unsigned int least)
{
	uint64_t n = cst_get_number(r);

	if (n > (uint64_t)(r->end - r->p) / least || n > 1u << 30) {
		r->error = -CST_ERR_DAMAGED;
		return 0;
	}
	return (uint32_t)n;
}

uint64_t cst_index_sum(const uint8_t *data, size_t len)
{
	static const uint8_t none[8];
	uint64_t digest = cst_digest_bytes(DIGEST_START, data, INDEX_SUM_AT);

	digest = cst_digest_bytes(digest, none, sizeof(none));
	return cst_digest_bytes(digest, data + INDEX_SUM_AT + 8, len - INDEX_SUM_AT - 8);
}
