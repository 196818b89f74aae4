/* SPDX-License-Identifier: GPL-2.0-only */
/* unpack.c - decompresses gzip, xz and zstd files into memory, with a limit of the size. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/alloc.h"
#include "machine/images/unpack.h"

#define FIRST_SIZE	(256u << 10)
#define ZSTD_WINDOW_LOG	27		/* 128 MB, the largest that zstd(1) makes */
#define XZ_MEMORY	(128u << 20)	/* for a dictionary of 64 MB, the largest that xz(1) makes */

struct output {
	uint8_t *p;
	size_t len, cap, max;
	enum unpack_result failed;	/* why there is no more room */
};

static bool make_room(struct output *o)
{
	size_t cap = o->cap ? o->cap * 2 : FIRST_SIZE;

	if (o->len < o->cap)
		return true;
	if (o->cap == o->max) {
		o->failed = UNPACK_LARGE;
		return false;
	}
	if (cap > o->max)
		cap = o->max;
	o->p = mem_more(o->p, cap, 1);
	o->cap = cap;
	return true;
}

static enum unpack_result unpack_gz(const uint8_t *p, size_t len, struct output *o)
{
	z_stream z = { .next_in = (uint8_t *)p, .avail_in = (uInt)len };
	int rc = Z_OK;

	if (len > UINT32_MAX)
		return UNPACK_LARGE;
	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		mem_refused(0);
	while (rc == Z_OK && make_room(o)) {
		z.next_out = o->p + o->len;
		z.avail_out = (uInt)(o->cap - o->len);
		rc = inflate(&z, Z_NO_FLUSH);
		o->len = o->cap - z.avail_out;
	}
	inflateEnd(&z);
	if (rc == Z_MEM_ERROR)
		mem_refused(0);
	return rc == Z_STREAM_END ? UNPACK_DONE : UNPACK_DAMAGED;
}

#ifdef HAVE_LZMA
static enum unpack_result unpack_xz(const uint8_t *p, size_t len, struct output *o)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret rc = lzma_stream_decoder(&z, XZ_MEMORY, 0);

	z.next_in = p;
	z.avail_in = len;
	while (rc == LZMA_OK && make_room(o)) {
		z.next_out = o->p + o->len;
		z.avail_out = o->cap - o->len;
		rc = lzma_code(&z, LZMA_FINISH);
		o->len = o->cap - z.avail_out;
	}
	lzma_end(&z);
	if (rc == LZMA_MEM_ERROR)
		mem_refused(0);
	return rc == LZMA_STREAM_END ? UNPACK_DONE : rc == LZMA_MEMLIMIT_ERROR ? UNPACK_LARGE :
	       UNPACK_DAMAGED;
}
#else
#define unpack_xz NULL
#endif

#ifdef HAVE_ZSTD
static enum unpack_result unpack_zst(const uint8_t *p, size_t len, struct output *o)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { p, len, 0 };
	ZSTD_outBuffer out;
	size_t rc = 1;

	if (!z || ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG)))
		mem_refused(0);
	while (rc && make_room(o)) {
		out = (ZSTD_outBuffer){ o->p, o->cap, o->len };
		rc = ZSTD_decompressStream(z, &out, &in);
		/* end of the input without more output: the file is cut */
		if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
			mem_refused(0);
		if (ZSTD_isError(rc) || (rc && in.pos == in.size && out.pos < out.size))
			break;
		o->len = out.pos;
	}
	ZSTD_freeDStream(z);
	return rc ? UNPACK_DAMAGED : UNPACK_DONE;
}
#else
#define unpack_zst NULL
#endif

static const struct {
	uint8_t len;
	uint8_t magic[6];
	enum unpack_result (*unpack)(const uint8_t *p, size_t len, struct output *o);	/* NULL: built without it */
} formats[] = {
	{ 2, { 0x1f, 0x8b }, unpack_gz },
	{ 6, { 0xfd, '7', 'z', 'X', 'Z', 0 }, unpack_xz },
	{ 4, { 0x28, 0xb5, 0x2f, 0xfd }, unpack_zst },
};

#define NR_FORMATS (sizeof(formats) / sizeof(formats[0]))

static size_t find_format(const uint8_t *p, size_t len)
{
	size_t i;

	for (i = 0; i < NR_FORMATS; i++)
		if (len >= formats[i].len && !memcmp(p, formats[i].magic, formats[i].len))
			break;
	return i;
}

bool is_packed(const uint8_t *p, size_t len)
{
	return find_format(p, len) < NR_FORMATS;
}

enum unpack_result unpack(const uint8_t *p, size_t len, uint8_t **out, size_t *out_len)
{
	size_t f = find_format(p, len);
	struct output o = { .max = len < UNPACK_MAX / UNPACK_RATIO ? len * UNPACK_RATIO : UNPACK_MAX };
	enum unpack_result rc = UNPACK_DAMAGED;

	if (o.max < FIRST_SIZE)
		o.max = FIRST_SIZE;
	if (f < NR_FORMATS && !formats[f].unpack)
		return UNPACK_LEFT_OUT;
	if (f < NR_FORMATS)
		rc = formats[f].unpack(p, len, &o);
	if (rc != UNPACK_DONE && o.failed)
		rc = o.failed;
	if (rc == UNPACK_DONE && !o.len)
		rc = UNPACK_DAMAGED;
	if (rc != UNPACK_DONE) {
		free(o.p);
		return rc;
	}
	*out = o.p;
	*out_len = o.len;
	return UNPACK_DONE;
}
