/* SPDX-License-Identifier: GPL-2.0-only */
/* writer.c - the stream of records of an output, through one buffer. */
#include <inttypes.h>
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
	pw_header_start(w);
	st->started = true;
	return 0;
}

void pw_flush(struct perf_writer *w)
{
	struct pw_state *st = w->st;
	size_t n = (size_t)(w->cur - st->buf);

	pd_output_write(&st->out, st->buf, n);
	st->data_bytes += n;
	w->cur = st->buf;
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
	pw_flush(w);
	if (len < PW_BUFFER / 4) {
		memcpy(w->cur, data, len);
		w->cur += len;
		return;
	}
	pd_output_write(&w->st->out, data, len);
	w->st->data_bytes += len;
}

bool pw_failed(const struct perf_writer *w)
{
	return w->st->out.error != 0;
}

uint64_t pw_data_bytes(const struct perf_writer *w)
{
	return w->st->data_bytes + (uint64_t)(w->cur - w->st->buf);
}

uint64_t pw_position(const struct perf_writer *w)
{
	return w->st->data_offset + pw_data_bytes(w);
}

int pw_finish(struct perf_writer *w, struct error *err)
{
	struct pw_state *st = w->st;
	int rc;

	if (!st->started) {
		rc = error_set(err, ERR_USAGE, "%s: finished before it was started", st->out.name);
		pw_abort(w);
		return rc;
	}
	pw_flush(w);
	pw_header_finish(w);
	rc = pd_output_finish(&st->out, err);
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
