/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.c - trace metadata (trace.ini): the buffers, and which source goes where.
 */
#include <string.h>

#include "files/snapshot/snapshot_int.h"

static const struct {
	const char *name;
	uint8_t format;
} formats[] = {
	{ "coresight", CST_SNAP_FMT_CORESIGHT },
	{ "source_data", CST_SNAP_FMT_SOURCE_DATA },
	{ "dstream_coresight", CST_SNAP_FMT_DSTREAM },
};

/* `stream` -1: not given. */
static int add_link(struct snap_file *f, struct cst_snap_link **list, size_t *n, struct cst_str from,
		    struct cst_str to, int stream, unsigned int line)
{
	struct cst_snap_link link = { .has_stream = stream >= 0 }, *at;

	link.stream = stream >= 0 ? (uint8_t)stream : 0;
	if (cst_snap_copy(f, &link.from, from, line) || cst_snap_copy(f, &link.to, to, line))
		return -CST_ERR_LIMIT;
	at = cst_mem_append(&f->ss->mem, list, n, sizeof(*at));
	if (!at)
		return cst_snap_full(f, line);
	*at = link;
	return 0;
}

/* "ETM_0(stream:1)=ETB_0,ETB_1" */
static int source_buffer(struct snap_file *f, const struct ini_line *l)
{
	static const char mark[] = "(stream:";
	struct cst_str rest = l->value, item, name = l->key, number;
	const char *open = memchr(name.p, '(', name.n);
	uint64_t stream = 0;
	int err = 0;

	if (open) {
		number.p = open + sizeof(mark) - 1;
		name.n = (size_t)(open - name.p);
		if (l->key.n < name.n + sizeof(mark) || memcmp(open, mark, sizeof(mark) - 1) ||
		    l->key.p[l->key.n - 1] != ')')
			return cst_snap_skip(f, l->line, -CST_ERR_SYNTAX,
					     "source is not NAME or NAME(stream:N)");
		number.n = l->key.n - 1 - (size_t)(number.p - l->key.p);
		if (cst_ini_number(number, &stream) || stream > 255)
			return cst_snap_skip(f, l->line, -CST_ERR_SYNTAX,
					     "stream number is not 0..255");
	}
	while (!err && cst_ini_item(&rest, &item))
		if (item.n)
			err = add_link(f, &f->ss->pub.source_buffers, &f->ss->pub.n_source_buffers,
				       cst_ini_trim(name), item, open ? (int)stream : -1, l->line);
	return err;
}

static int buffer_key(struct snap_file *f, struct cst_snap_buffer *buf, const struct ini_line *l)
{
	struct cst_str rest = l->value, item;
	const char **file;
	size_t i;

	if (cst_ini_is(l->key, "name"))
		return cst_snap_copy(f, &buf->name, l->value, l->line);
	if (cst_ini_is(l->key, "format")) {
		buf->format = CST_SNAP_FMT_OTHER;
		for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
			if (cst_ini_is(l->value, formats[i].name))
				buf->format = formats[i].format;
		return cst_snap_copy(f, &buf->format_name, l->value, l->line);
	}
	if (!cst_ini_is(l->key, "file"))
		return 0;
	while (cst_ini_item(&rest, &item)) {
		if (!item.n)
			continue;
		file = cst_mem_append(&f->ss->mem, &buf->files, &buf->n_files, sizeof(*file));
		if (!file)
			return cst_snap_full(f, l->line);
		if (cst_snap_copy(f, file, item, l->line))
			return -CST_ERR_LIMIT;
	}
	return 0;
}

/* First pass: which sections are buffers. The list may stand after them. */
static int find_list(struct snap_file *f, struct cst_str *list)
{
	struct ini_reader ini = f->ini;
	struct cst_str rest, item;
	struct ini_line l;
	size_t n = 0;

	for (cst_ini_next(&ini, &l); l.kind != INI_END; cst_ini_next(&ini, &l)) {
		if (l.kind != INI_KEY || !cst_ini_is(l.section, "trace_buffers") ||
		    !cst_ini_is(l.key, "buffers"))
			continue;
		*list = rest = l.value;
		while (cst_ini_item(&rest, &item))
			n++;
		if (n > SNAP_MAX_BUFFERS)
			return cst_snap_say(f->io, f->name, l.line, -CST_ERR_LIMIT,
					    "more than 256 trace buffers");
		return 0;
	}
	return cst_snap_say(f->io, f->name, 0, -CST_ERR_NOT_FOUND, "no buffers= in [trace_buffers]");
}

static int in_list(struct cst_str list, struct cst_str id)
{
	struct cst_str item;

	while (cst_ini_item(&list, &item))
		if (item.n && item.n == id.n && !memcmp(item.p, id.p, id.n))
			return 1;
	return 0;
}

static struct cst_snap_buffer *begin_section(struct snap_file *f, struct cst_str list,
					     struct cst_str section, int *err)
{
	struct cst_snapshot *pub = &f->ss->pub;
	struct cst_snap_buffer *buf;
	size_t i;

	if (!in_list(list, section))
		return NULL;
	if (cst_ini_is(section, "trace_buffers") || cst_ini_is(section, "source_buffers") ||
	    cst_ini_is(section, "core_trace_sources")) {
		cst_snap_skip(f, f->ini.line, -CST_ERR_CONFLICT, "a trace buffer has the name of another section");
		return NULL;
	}
	for (i = 0; i < pub->n_buffers; i++)
		if (cst_str_is(section, pub->buffers[i].id))
			return &pub->buffers[i];
	buf = cst_mem_append(&f->ss->mem, &pub->buffers, &pub->n_buffers, sizeof(*buf));
	*err = buf ? cst_snap_copy(f, &buf->id, section, f->ini.line) :
		     cst_snap_full(f, f->ini.line);
	if (buf) {
		buf->name = buf->id;
		buf->format_name = "";
	}
	return buf;
}

/* Every name in buffers= must have its section, and every buffer a file and a format. */
static int check_buffers(struct snap_file *f, struct cst_str list)
{
	struct cst_snapshot *pub = &f->ss->pub;
	struct cst_str item;
	size_t i, kept = 0;
	int found;

	while (cst_ini_item(&list, &item)) {
		for (i = 0, found = 0; i < pub->n_buffers && !found; i++)
			found = cst_str_is(item, pub->buffers[i].id);
		if (item.n && !found)
			cst_snap_skip(f, 0, -CST_ERR_NOT_FOUND, "a buffer in buffers= has no section");
	}
	for (i = 0; i < pub->n_buffers; i++) {
		if (!pub->buffers[i].n_files || !*pub->buffers[i].format_name) {
			cst_snap_skip(f, 0, -CST_ERR_NOT_FOUND,
				      "trace buffer without file= or format=; it is left out");
			continue;
		}
		pub->buffers[kept++] = pub->buffers[i];
	}
	pub->n_buffers = kept;
	return kept ? 0 : cst_snap_say(f->io, f->name, 0, -CST_ERR_NOT_FOUND, "no trace buffer");
}

int cst_snap_read_trace(struct snap_file *f)
{
	struct cst_snapshot *pub = &f->ss->pub;
	struct cst_snap_buffer *buf = NULL;
	struct cst_str list;
	struct ini_line l;
	int err;

	err = find_list(f, &list);
	while (!err) {
		cst_ini_next(&f->ini, &l);
		if (l.kind == INI_END)
			break;
		if (l.kind == INI_BAD)
			cst_snap_skip(f, l.line, -CST_ERR_SYNTAX, "neither a [section] nor key=value");
		else if (l.kind == INI_SECTION)
			buf = begin_section(f, list, l.section, &err);
		else if (buf)
			err = buffer_key(f, buf, &l);
		else if (cst_ini_is(l.section, "source_buffers"))
			err = source_buffer(f, &l);
		else if (cst_ini_is(l.section, "core_trace_sources"))
			err = add_link(f, &pub->core_sources, &pub->n_core_sources, l.key, l.value, -1,
				       l.line);
	}
	return err ? err : check_buffers(f, list);
}
