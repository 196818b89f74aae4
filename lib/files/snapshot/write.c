/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * write.c - the INI files of a snapshot. Everything is checked before the first file is written, so
 * that what is written reads back as the same snapshot.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/text.h"
#include "files/snapshot/snapshot_int.h"

#define VERSION "1.0"
#define INDEX "snapshot.ini"
#define METADATA "trace.ini"

/* What a text may not contain where it stands. A comment character ends a line everywhere. */
#define AS_VALUE "#;"
#define AS_ITEM "#;,"
#define AS_KEY "#;=[]"
#define AS_NAME_KEY "#;=[]("
#define AS_SECTION "#;[],"

struct writer {
	const struct cst_snapshot *ss;
	const struct cst_snap_sink *sink;
	const char *index, *metadata;
	const struct cst_snap_device *dev;	/* whose file is written */
};

static int refuse(const struct writer *w, const char *file, int error, const char *text)
{
	struct cst_snap_note note = { .file = file, .error = error, .text = text };

	if (w->sink->note)
		w->sink->note(w->sink->ctx, &note);
	return error;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int writable(const char *s, const char *without)
{
	const char *p;

	if (!s || !*s || is_blank(*s))
		return 0;
	for (p = s; *p; p++)
		if ((unsigned char)*p < 0x20 || strchr(without, *p))
			return 0;
	return !is_blank(p[-1]);
}

/* ---- checks ------------------------------------------------------------------------------------ */

static int check_device(const struct writer *w, size_t i)
{
	const struct cst_snap_device *d = &w->ss->devices[i];
	size_t k;

	if (!writable(d->file, AS_VALUE))
		return refuse(w, w->index, -CST_ERR_INVAL, "a device has no file name that can be written");
	if (!strcmp(d->file, w->index) || !strcmp(d->file, w->metadata))
		return refuse(w, d->file, -CST_ERR_INVAL, "a device has the name of another file of the snapshot");
	if (!writable(d->name, AS_VALUE) || (d->type && *d->type && !writable(d->type, AS_VALUE)) ||
	    (d->location && *d->location && !writable(d->location, AS_VALUE)))
		return refuse(w, d->file, -CST_ERR_INVAL,
			      "name, type or location of the device cannot be written as a line of INI text");
	for (k = 0; k < i; k++)
		if (!strcmp(d->file, w->ss->devices[k].file) || !strcmp(d->name, w->ss->devices[k].name))
			return refuse(w, d->file, -CST_ERR_INVAL, "two devices have one name or one file");
	for (k = 0; k < d->n_regs; k++)
		if (!writable(d->regs[k].name, AS_NAME_KEY) || d->regs[k].bits > 64)
			return refuse(w, d->file, -CST_ERR_INVAL, "register that cannot be written");
	for (k = 0; k < d->n_dumps; k++) {
		if (!writable(d->dumps[k].file, AS_VALUE))
			return refuse(w, d->file, -CST_ERR_INVAL, "file of a memory dump cannot be written");
		if (!cst_snap_space_name(d->dumps[k].space))
			return refuse(w, d->file, -CST_ERR_INVAL,
				      "the format has no name for the memory space of a dump");
	}
	return 0;
}

static int check_buffer(const struct writer *w, size_t i)
{
	static const char *const taken[] = { "trace_buffers", "core_trace_sources", "source_buffers" };
	const struct cst_snap_buffer *b = &w->ss->buffers[i];
	size_t k;

	if (!writable(b->id, AS_SECTION) || !writable(b->name, AS_VALUE) ||
	    !writable(b->format_name, AS_VALUE) || !b->n_files)
		return refuse(w, w->metadata, -CST_ERR_INVAL,
			      "a trace buffer lacks id, name, format or file, or they cannot be written");
	for (k = 0; k < sizeof(taken) / sizeof(taken[0]); k++)
		if (cst_ini_is(cst_ini_str(b->id), taken[k]))
			return refuse(w, w->metadata, -CST_ERR_INVAL,
				      "a trace buffer has the name of another section");
	for (k = 0; k < i; k++)
		if (!strcmp(b->id, w->ss->buffers[k].id))
			return refuse(w, w->metadata, -CST_ERR_INVAL, "two trace buffers have one id");
	for (k = 0; k < b->n_files; k++)
		if (!writable(b->files[k], AS_ITEM))
			return refuse(w, w->metadata, -CST_ERR_INVAL, "file of a trace buffer cannot be written");
	return 0;
}

static int check_links(const struct writer *w, const char *file, const struct cst_snap_link *l, size_t n,
		       const char *from, const char *to)
{
	for (; n; n--, l++)
		if (!writable(l->from, from) || !writable(l->to, to))
			return refuse(w, file, -CST_ERR_INVAL,
				      "a name in clusters, core_trace_sources or source_buffers cannot be written");
	return 0;
}

static int check(const struct writer *w)
{
	const struct cst_snapshot *ss = w->ss;
	size_t i;
	int err = 0;

	if (ss->version && strcmp(ss->version, VERSION))
		return refuse(w, w->index, -CST_ERR_VERSION, "version of the snapshot is not " VERSION);
	if (!writable(w->index, AS_VALUE) || !writable(w->metadata, AS_VALUE) ||
	    !strcmp(w->index, w->metadata))
		return refuse(w, w->index, -CST_ERR_INVAL, "names of the index and the trace metadata");
	if (ss->description && *ss->description && !writable(ss->description, AS_VALUE))
		return refuse(w, w->index, -CST_ERR_INVAL,
			      "the description cannot be written as a line of INI text");
	if (!ss->n_devices)
		return refuse(w, w->index, -CST_ERR_INVAL, "a snapshot needs a device");
	if (!ss->n_buffers && (ss->n_core_sources || ss->n_source_buffers))
		return refuse(w, w->metadata, -CST_ERR_INVAL, "trace sources without a trace buffer");
	if (ss->n_buffers > SNAP_MAX_BUFFERS)
		return refuse(w, w->metadata, -CST_ERR_LIMIT, "more trace buffers than readers take");
	for (i = 0; !err && i < ss->n_devices; i++)
		err = check_device(w, i);
	for (i = 0; !err && i < ss->n_buffers; i++)
		err = check_buffer(w, i);
	if (!err)
		err = check_links(w, w->index, ss->clusters, ss->n_clusters, AS_KEY, AS_ITEM);
	if (!err)
		err = check_links(w, w->metadata, ss->core_sources, ss->n_core_sources, AS_KEY, AS_VALUE);
	if (!err)
		err = check_links(w, w->metadata, ss->source_buffers, ss->n_source_buffers, AS_NAME_KEY,
				  AS_ITEM);
	return err;
}

/* ---- text -------------------------------------------------------------------------------------- */

static void line(struct cst_text *t, const char *key, const char *value)
{
	cst_text_str_in(t, key, "=", value);
	cst_text_char(t, '\n');
}

static void number(struct cst_text *t, const char *key, uint64_t value)
{
	cst_text_str(t, key);
	cst_text_hex_in(t, "=0x", value, 1, "\n");
}

static void section(struct cst_text *t, const char *name)
{
	if (t->len)
		cst_text_char(t, '\n');
	cst_text_str_in(t, "[", name, "]\n");
}

/* One line for neighbours with the same left side. */
static void links(struct cst_text *t, const struct cst_snap_link *l, size_t n, int lists)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (lists && i && !strcmp(l[i].from, l[i - 1].from) && l[i].stream == l[i - 1].stream &&
		    l[i].has_stream == l[i - 1].has_stream) {
			cst_text_char(t, ',');
		} else {
			if (i)
				cst_text_char(t, '\n');
			cst_text_str(t, l[i].from);
			if (l[i].has_stream || l[i].stream)
				cst_text_dec_in(t, "(stream:", l[i].stream, ")");
			cst_text_char(t, '=');
		}
		cst_text_str(t, l[i].to);
	}
	if (n)
		cst_text_char(t, '\n');
}

static void numbered(struct cst_text *t, const char *name, size_t n)
{
	cst_text_str(t, name);
	cst_text_dec(t, n);
}

static void index_text(const struct writer *w, struct cst_text *t)
{
	const struct cst_snapshot *ss = w->ss;
	size_t i;

	section(t, "snapshot");
	line(t, "version", VERSION);
	if (ss->description && *ss->description)
		line(t, "description", ss->description);
	section(t, "device_list");
	for (i = 0; i < ss->n_devices; i++) {
		numbered(t, "device", i);
		line(t, "", ss->devices[i].file);
	}
	if (ss->n_clusters) {
		section(t, "clusters");
		links(t, ss->clusters, ss->n_clusters, 1);
	}
	if (ss->n_buffers) {
		section(t, "trace");
		line(t, "metadata", w->metadata);
	}
}

static void reg_text(const struct cst_snap_reg *r, struct cst_text *t)
{
	cst_text_str(t, r->name);
	if (r->has_id || r->bits != 32) {
		cst_text_char(t, '(');
		if (r->has_id)
			cst_text_hex_in(t, "id:0x", r->id, 1, "");
		if (r->has_id && r->bits != 32)
			cst_text_char(t, ',');
		if (r->bits != 32)
			cst_text_dec_in(t, "size:", r->bits, "");
		cst_text_char(t, ')');
	}
	number(t, "", r->value);
}

static void dump_text(const struct cst_snap_dump *d, struct cst_text *t)
{
	line(t, "file", d->file);
	if (d->space != CST_MEM_ANY)
		line(t, "space", cst_snap_space_name(d->space));
	number(t, "address", d->address);
	if (d->length)
		number(t, "length", d->length);
	if (d->offset)
		number(t, "offset", d->offset);
}

static void device_text(const struct writer *w, struct cst_text *t)
{
	const struct cst_snap_device *d = w->dev;
	const char *class_ = cst_snap_class_name(d->class_);
	size_t i;

	section(t, "device");
	line(t, "name", d->name);
	if (class_)
		line(t, "class", class_);
	if (d->type && *d->type)
		line(t, "type", d->type);
	if (d->location && *d->location)
		line(t, "location", d->location);
	if (d->n_regs)
		section(t, "regs");
	for (i = 0; i < d->n_regs; i++)
		reg_text(&d->regs[i], t);
	for (i = 0; i < d->n_dumps; i++) {
		cst_text_str(t, "\n[");
		numbered(t, "dump", i + 1);
		cst_text_str(t, "]\n");
		dump_text(&d->dumps[i], t);
	}
}

static void trace_text(const struct writer *w, struct cst_text *t)
{
	const struct cst_snapshot *ss = w->ss;
	size_t i, k;

	section(t, "trace_buffers");
	cst_text_str(t, "buffers=");
	for (i = 0; i < ss->n_buffers; i++) {
		if (i)
			cst_text_char(t, ',');
		cst_text_str(t, ss->buffers[i].id);
	}
	cst_text_char(t, '\n');
	for (i = 0; i < ss->n_buffers; i++) {
		const struct cst_snap_buffer *b = &ss->buffers[i];

		section(t, b->id);
		line(t, "name", b->name);
		cst_text_str(t, "file=");
		for (k = 0; k < b->n_files; k++) {
			if (k)
				cst_text_char(t, ',');
			cst_text_str(t, b->files[k]);
		}
		cst_text_char(t, '\n');
		line(t, "format", b->format_name);
	}
	if (ss->n_source_buffers) {
		section(t, "source_buffers");
		links(t, ss->source_buffers, ss->n_source_buffers, 1);
	}
	if (ss->n_core_sources) {
		section(t, "core_trace_sources");
		links(t, ss->core_sources, ss->n_core_sources, 0);
	}
}

/* The text is made twice: for its length, and for its bytes. */
static int put(const struct writer *w, const char *name,
	       void (*make)(const struct writer *w, struct cst_text *t))
{
	struct cst_text t;
	size_t len;
	char *out;
	int err;

	cst_text_init(&t, NULL, 0);
	make(w, &t);
	len = t.len;
	out = malloc(len);
	if (!out)
		return refuse(w, name, -CST_ERR_NOMEM, "not enough memory for the text of a file");
	cst_text_init(&t, out, len);
	make(w, &t);
	err = w->sink->write(w->sink->ctx, name, out, len);
	free(out);
	return err < 0 ? refuse(w, name, -CST_ERR_IO, "file cannot be written") : 0;
}

int cst_snapshot_write(const struct cst_snapshot *ss, const struct cst_snap_sink *sink, const char *index,
		       const char *metadata)
{
	struct cst_snap_sink own;
	struct writer w = { .ss = ss,
			    .sink = TAKE(cst_snap_sink, sink, own),
			    .index = index ? index : INDEX,
			    .metadata = metadata ? metadata : METADATA };
	size_t i;
	int err;

	if (!ss || !w.sink || !w.sink->write)
		return -CST_ERR_INVAL;
	err = check(&w);
	for (i = 0; !err && i < ss->n_devices; i++) {
		w.dev = &ss->devices[i];
		err = put(&w, w.dev->file, device_text);
	}
	if (!err && ss->n_buffers)
		err = put(&w, w.metadata, trace_text);
	return err ? err : put(&w, w.index, index_text);
}
