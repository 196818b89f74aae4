/* SPDX-License-Identifier: GPL-2.0-only */
/* writer.c - the stream of records of an output, through one buffer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "perfdata/writer_internal.h"

static struct perf_writer *open_writer(const char *path, int fd, struct error *err)
{
	struct perf_writer *w;
	struct pw_state *st = mem_zeroed(1, sizeof(*st));

	if (fd >= 0) {
		pd_output_fd(&st->out, fd, path);
	} else if (pd_output_open_binary(&st->out, path, err)) {
		free(st);
		return NULL;
	}
	w = mem_zeroed(1, sizeof(*w));
	w->st = st;
	st->buf = w->cur = mem_new(PW_BUFFER);
	w->end = w->cur + PW_BUFFER;
	return w;
}

struct perf_writer *pw_open(const char *path, struct error *err)
{
	return open_writer(path, -1, err);
}

struct perf_writer *pw_open_fd(int fd, const char *name, struct error *err)
{
	return open_writer(name, fd, err);
}

static void writer_free(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	unsigned int i;

	for (i = 0; i < st->nr_attrs; i++) {
		free(st->attrs[i].ids);
		free(st->attrs[i].name);
	}
	free(st->attrs);
	for (i = 0; i < PD_FEATURE_BITS; i++)
		free(st->feat[i].data);
	pd_comp_free(st->comp);
	free(st->buf);
	free(st);
	free(w);
}

int pw_add_attr(struct perf_writer *w, const struct perf_event_attr *attr, const uint64_t *ids,
		uint32_t nr_ids, const char *name, struct error *err)
{
	struct pw_state *st = w->st;
	struct pw_attr *a;
	size_t size = attr->size && attr->size < sizeof(*attr) ? attr->size : sizeof(*attr);

	if (st->started)
		return error_set(err, ERR_USAGE, "%s: an event was added after the first record", st->out.name);
	if (st->out.stream && nr_ids > (PD_MAX_RECORD - 8 - PD_ATTR_SIZE_OUT) / 8)
		return error_set(err, ERR_USAGE, "%s: an event with %u ids does not fit into the "
				 "pipe form of perf.data; write to a file with -o",
				 st->out.name, nr_ids);
	a = ARRAY_ADD(st->attrs, st->nr_attrs, st->cap_attrs);
	memset(a, 0, sizeof(*a));
	memcpy(&a->attr, attr, size);
	a->attr.size = PD_ATTR_SIZE_OUT;
	a->name = mem_text(name);
	a->ids = mem_new(nr_ids * sizeof(*ids) + 1);
	if (nr_ids)
		memcpy(a->ids, ids, nr_ids * sizeof(*ids));
	a->nr_ids = nr_ids;
	return (int)st->nr_attrs - 1;
}

int pw_start(struct perf_writer *w, struct error *err)
{
	struct pw_state *st = w->st;

	if (!st->nr_attrs)
		return error_set(err, ERR_USAGE, "%s: perf.data without an event cannot be written", st->out.name);
	if (st->level)
		pw_compression_feature(w);
	pw_header_start(w);
	st->started = true;
	pw_compression_begin(w);
	return 0;
}

/* Number of bytes in the buffer, or in the chunk that will be compressed. */
static size_t in_buffer(const struct perf_writer *w)
{
	return (size_t)(w->cur - (w->st->comp ? pd_comp_chunk(w->st->comp) : w->st->buf));
}

static void set_buffer(struct perf_writer *w, uint8_t *buf, size_t size)
{
	w->cur = buf;
	w->end = buf + size;
}

void pw_flush(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	size_t n = in_buffer(w);

	st->data_bytes += n;
	if (!st->comp) {
		pd_output_write(&st->out, st->buf, n);
		w->cur = st->buf;
	} else if (n) {
		set_buffer(w, pd_comp_next(st->comp, n), PD_COMP_CHUNK);
	}
}

/* Fills chunks: which records are in one does not depend on how many are written at once. */
static void write_chunks(struct perf_writer *w, const uint8_t *p, size_t len)
{
	size_t n;

	while (len) {
		n = pd_comp_fit(p, len, (size_t)(w->end - w->cur));
		memcpy(w->cur, p, n);
		w->cur += n;
		p += n;
		len -= n;
		if (len)
			pw_flush(w);
	}
}

void pw_write(struct perf_writer *w, const void *data, size_t len)
{
	if (!len)
		return;
	if (len <= (size_t)(w->end - w->cur)) {
		memcpy(w->cur, data, len);
		w->cur += len;
		return;
	}
	if (w->st->comp) {
		write_chunks(w, data, len);
		return;
	}
	pw_flush(w);
	if (len < PW_BUFFER / 4) {
		memcpy(w->cur, data, len);
		w->cur += len;
		return;
	}
	pd_output_write(&w->st->out, data, len);
	w->st->data_bytes += len;
}

/* ---- compression ---------------------------------------------------------------------------- */

void pw_set_compression(struct perf_writer *w, int level, unsigned int threads)
{
	w->st->level = level;
	w->st->threads = threads;
}

static int write_compressed(void *data, const void *bytes, size_t len)
{
	struct pd_output *out = data;

	pd_output_write(out, bytes, len);
	return pd_output_failed(out);
}

void pw_compression_begin(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	struct pd_comp_opts o = { .level = st->level, .threads = st->threads,
				  .write = write_compressed, .data = &st->out };

	if (!st->level)
		return;
	st->comp = pd_comp_new(&o);
	set_buffer(w, pd_comp_chunk(st->comp), PD_COMP_CHUNK);
}

void pw_compression_end(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	size_t n = in_buffer(w);

	if (!st->comp)
		return;
	pd_comp_finish(st->comp, n);
	pd_comp_free(st->comp);
	st->comp = NULL;
	st->data_bytes += n;
	set_buffer(w, st->buf, PW_BUFFER);
}

/* ---- the end -------------------------------------------------------------------------------- */

bool pw_failed(const struct perf_writer *w)
{
	const struct pw_state *st = w->st;

	return st->comp ? pd_comp_error(st->comp) != 0 : st->out.error != 0;
}

uint64_t pw_data_bytes(const struct perf_writer *w)
{
	return w->st->data_bytes + in_buffer(w);
}

uint64_t pw_position(const struct perf_writer *w)
{
	return w->st->data_offset + pw_data_bytes(w);
}

/* Writes what is in the buffer, and the header. */
static int complete(struct perf_writer *w, struct error *err)
{
	struct pw_state *st = w->st;
	int rc;

	if (!st->started) {
		rc = error_set(err, ERR_USAGE, "%s: finished before it was started", st->out.name);
		pw_abort(w);
		return rc;
	}
	pw_compression_end(w);
	pw_flush(w);
	pw_header_finish(w);
	return 0;
}

int pw_finish(struct perf_writer *w, struct error *err)
{
	int rc = complete(w, err);

	if (rc)
		return rc;
	rc = pd_output_finish(&w->st->out, err);
	writer_free(w);
	return rc;
}

int pw_finish_if(struct perf_writer *w, const char *who, bool anything)
{
	struct error err = { .code = 0 };
	int rc = complete(w, &err);

	if (rc) {
		fprintf(stderr, "%s: %s\n", who, err.msg);
		return rc;
	}
	rc = pd_output_end_if(&w->st->out, who, anything);
	writer_free(w);
	return rc;
}

void pw_abort(struct perf_writer *w)
{
	if (!w)
		return;
	pd_output_abort(&w->st->out);
	writer_free(w);
}
