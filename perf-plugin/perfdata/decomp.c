/* SPDX-License-Identifier: GPL-2.0-only */
/* decomp.c - expands compressed records with zstd's streaming interface into a fixed buffer. */
#include "perfdata/decomp.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#include "base/alloc.h"

/* The largest window that zstd(1) and perf record use: the memory of a decompressor. */
#define WINDOW_LOG	27

/* Four times the largest record, so that moving the rest to the front is rare. */
#define OUT_SIZE	(256u << 10)

struct pd_decomp {
	ZSTD_DStream *z;
	ZSTD_inBuffer in;
	size_t head;
	size_t tail;
	uint64_t total;
	const char *error;
	_Alignas(8) uint8_t out[OUT_SIZE];
};

struct pd_decomp *pd_decomp_new(void)
{
	struct pd_decomp *d = mem_zeroed(1, sizeof(*d));

	d->z = ZSTD_createDStream();
	if (!d->z || ZSTD_isError(ZSTD_DCtx_setParameter(d->z, ZSTD_d_windowLogMax, WINDOW_LOG)))
		mem_refused(0);
	pd_decomp_reset(d);
	return d;
}

void pd_decomp_free(struct pd_decomp *d)
{
	if (!d)
		return;
	ZSTD_freeDStream(d->z);
	free(d);
}

void pd_decomp_reset(struct pd_decomp *d)
{
	ZSTD_initDStream(d->z);
	memset(&d->in, 0, sizeof(d->in));
	d->head = 0;
	d->tail = 0;
	d->total = 0;
	d->error = NULL;
}

void pd_decomp_feed(struct pd_decomp *d, const void *src, size_t len)
{
	d->in = (ZSTD_inBuffer){ src, len, 0 };
}

size_t pd_decomp_peek(struct pd_decomp *d, size_t want, uint8_t **p, const char **error)
{
	size_t before, used, rc;

	*error = NULL;
	while (d->tail - d->head < want && !d->error) {
		ZSTD_outBuffer out = { d->out, OUT_SIZE, 0 };

		if (OUT_SIZE - d->head < want + 8) {
			memmove(d->out, d->out + d->head, d->tail - d->head);
			d->tail -= d->head;
			d->head = 0;
		}
		before = d->tail;
		used = d->in.pos;
		out.pos = d->tail;
		/* Called with all input used up as well: the stream may still hold output. */
		rc = ZSTD_decompressStream(d->z, &out, &d->in);
		d->tail = out.pos;
		d->total += d->tail - before;
		if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
			mem_refused(0);
		if (ZSTD_isError(rc))
			d->error = ZSTD_getErrorName(rc);
		else if (d->tail == before && d->in.pos == used)
			break;
	}
	if (d->error && d->tail - d->head < want) {
		*error = d->error;
		return 0;
	}
	*p = d->out + d->head;
	return d->tail - d->head;
}

void pd_decomp_consume(struct pd_decomp *d, size_t n)
{
	d->head += n;
	if (d->head == d->tail) {
		d->head = 0;
		d->tail = 0;
	}
}

uint64_t pd_decomp_total(const struct pd_decomp *d)
{
	return d->total;
}

bool pd_decomp_available(void)
{
	return true;
}

#else	/* nobody calls the others when there is none */
#pragma GCC diagnostic ignored "-Wunused-parameter"

struct pd_decomp *pd_decomp_new(void)
{
	return NULL;
}

void pd_decomp_free(struct pd_decomp *d)
{
}

void pd_decomp_reset(struct pd_decomp *d)
{
}

void pd_decomp_feed(struct pd_decomp *d, const void *src, size_t len)
{
}

size_t pd_decomp_peek(struct pd_decomp *d, size_t want, uint8_t **p, const char **error)
{
	return 0;
}

void pd_decomp_consume(struct pd_decomp *d, size_t n)
{
}

uint64_t pd_decomp_total(const struct pd_decomp *d)
{
	return 0;
}

bool pd_decomp_available(void)
{
	return false;
}

#endif
