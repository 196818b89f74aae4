/* SPDX-License-Identifier: GPL-2.0-only */
/* file.c - writes the records of a piece in the order of the pipe, and its trace behind them. */
#include "session/pieces/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/files/guard.h"
#include "base/files/output.h"

/* Bytes that are written at a time. */
#define BUFFER ((size_t)256 << 10)

struct writing {
	int fd, error;
	struct perfdata *pd;
	uint8_t *buf;
	size_t used;
};

static void flush(struct writing *w)
{
	if (!w->error && w->used)
		w->error = output_write_all(w->fd, w->buf, w->used);
	w->used = 0;
}

static void put(struct writing *w, const void *bytes, uint64_t size)
{
	if (size > BUFFER - w->used)
		flush(w);
	if (size > BUFFER) {
		if (!w->error)
			w->error = output_write_all(w->fd, bytes, size);
		return;
	}
	memcpy(w->buf + w->used, bytes, size);
	w->used += size;
}

static void put_trace(void *data, const struct perf_record_auxtrace *head, uint64_t at,
		      uint64_t size)
{
	struct perf_record_auxtrace h = *head;
	struct writing *w = data;

	h.header.size = sizeof(h);
	/* without padding, which a recorder adds: there may be some at the end already */
	h.size = size;
	put(w, &h, sizeof(h));
	put(w, perfdata_bytes(w->pd, at), size);
}

/* Records that are kept for a later piece are not in this one. */
static void put_records(struct writing *w, const struct piece_source *from)
{
	const struct piece_buffers *bs = from->buffers;
	size_t i, aux = 0;

	for (i = 0; i < from->kept->nr; i++) {
		const struct kept *k = from->kept->v[i];

		/* both lists are in the order of the pipe */
		if (k->keep == KEEP_AUX &&
		    (aux >= bs->nr_aux || bs->aux[aux].record != k || !bs->aux[aux++].ready))
			continue;
		if (k->keep != KEEP_NOT)
			put(w, k->bytes, k->size);
	}
}

int piece_file_new(const struct piece_source *from, struct error *err)
{
	const uint64_t header[2] = { PD_MAGIC, PD_PIPE_HEADER_SIZE };
	struct writing w = { .fd = guard_temp(NULL), .pd = from->pd };

	if (w.fd < 0)
		return error_set(
			err, ERR_IO,
			"%s: cannot create a temporary file for a piece of it: %s; set TMPDIR to a "
			"writable directory",
			perfdata_name(from->pd), strerror(errno));
	w.buf = mem_new(BUFFER);
	put(&w, header, sizeof(header));
	put_records(&w, from);
	buffers_pass(from->buffers, put_trace, &w);
	flush(&w);
	free(w.buf);
	perfdata_release(from->pd);
	if (!w.error)
		return w.fd;
	close(w.fd);
	return error_set(err, ERR_IO,
			 "%s: cannot write a temporary file for a piece of it: %s; set TMPDIR to a "
			 "folder with more room",
			 perfdata_name(from->pd), strerror(w.error));
}
