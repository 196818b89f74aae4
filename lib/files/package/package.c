/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * package.c - contents.ini of a trace package, and the trace metadata it names.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>
#include <cstrace/files/package.h>

#include "base/sized.h"
#include "files/ini/doc_int.h"

#define DEFAULT_TEXT ((size_t)1 << 20)
#define METADATA_TEXTS 16	/* of the largest allowed size: all metadata files together */
#define MAX_BUFFERS 4096
#define MAX_TRACE_ITEMS (2 * MAX_BUFFERS + 64)
#define NS_PER_SECOND 1000000000

/* `pub` comes first, so that a pointer to it is a pointer to this. */
struct package {
	struct cst_package pub;
	struct mem_list mem;
	const struct cst_snap_io *io;
	const char *index;
	const char **metadata_names;	/* of pub.metadata */
	size_t n_metadata_names;
	size_t metadata_text;		/* bytes of them */
};

/* A note with the names of a problem; returns its error. */
static int say(const struct package *p, const char *file, const struct cst_problem *why)
{
	struct cst_snap_note note = { file, why->line, why->error, why->text, why->section, why->item,
				      why->other };

	if (p->io->note)
		p->io->note(p->io->ctx, &note);
	return why->error;
}

static int wrong(const struct package *p, int error, const struct cst_doc_section *s, const char *item,
		 const char *text)
{
	const struct cst_item *at = cst_doc_item(s, item);
	struct cst_problem why;

	cst_problem_set(&why, error, s, item, at ? at->line : s ? s->line : 0, text);
	return say(p, p->index, &why);
}

static int full(const struct package *p)
{
	return wrong(p, -CST_ERR_LIMIT, NULL, "", "package needs more memory than is there or allowed");
}

int cst_package_name_ok(const char *name)
{
	const char *p, *end;

	if (!*name || *name == '/')
		return 0;
	for (p = name; *p; p = *end ? end + 1 : end) {
		for (end = p; *end && *end != '/'; end++)
			if ((unsigned char)*end < 0x20 || *end == '\\')
				return 0;
		if (end - p == 2 && p[0] == '.' && p[1] == '.')
			return 0;
	}
	return 1;
}

static size_t text_limit(const struct package *p)
{
	return p->io->limits.text ? p->io->limits.text : DEFAULT_TEXT;
}

static int open_text(const struct package *p, const char *name, const uint8_t **text, size_t *len)
{
	struct cst_problem why;
	int err = 0;

	*text = NULL;
	*len = 0;
	if (p->io->open(p->io->ctx, name, text, len) < 0)
		err = cst_problem_set(&why, -CST_ERR_IO, NULL, "", 0, "file cannot be read");
	else if (*len > text_limit(p))
		err = cst_problem_set(&why, -CST_ERR_LIMIT, NULL, "", 0,
				      "file is too large for a description");
	return err ? say(p, name, &why) : 0;
}

/* "buffer12" is 12; -1: no such name. */
static int64_t numbered(const char *key, const char *begin)
{
	struct cst_str rest;
	uint64_t n;

	if (!cst_ini_rest(key, begin, &rest) || !rest.n)
		return -1;
	return rest.p[0] == '0' && rest.n > 1 ? -1 :
	       cst_ini_number(rest, &n) || n > UINT32_MAX ? -1 : (int64_t)n;
}

/* The metadata of that name, read once. */
static int get_metadata(struct package *p, const struct cst_doc_section *s, const struct cst_item *item,
			const struct cst_metadata **out)
{
	struct cst_metadata *md, **slot;
	struct cst_problem why;
	const uint8_t *text;
	const char **name;
	size_t len, i;
	int err;

	for (i = 0; i < p->n_metadata_names; i++)
		if (!strcmp(p->metadata_names[i], item->value)) {
			*out = p->pub.metadata[i];
			return 0;
		}
	if (!cst_package_name_ok(item->value))
		return wrong(p, -CST_ERR_SYNTAX, s, item->key, "not the name of a file in the package");
	err = open_text(p, item->value, &text, &len);
	if (err)
		return err;
	/* one file has many names: "a", "./a", ".//a" */
	p->metadata_text += len;
	if (p->metadata_text > METADATA_TEXTS * text_limit(p))
		return wrong(p, -CST_ERR_LIMIT, s, item->key, "metadata files are too large together");
	err = cst_metadata_read(&md, text, len, &why);
	if (err)
		return say(p, item->value, &why);
	slot = cst_mem_append(&p->mem, &p->pub.metadata, &p->pub.n_metadata, sizeof(*slot));
	if (!slot) {
		cst_metadata_free(md);
		return full(p);
	}
	*slot = md;
	*out = md;
	name = cst_mem_append(&p->mem, &p->metadata_names, &p->n_metadata_names, sizeof(*name));
	if (!name)
		return full(p);
	*name = item->value;
	return 0;
}

/* A buffer and the number it is sorted by. */
struct numbered_buffer {
	int64_t number;
	const struct cst_item *item;
};

static int by_number(const void *a, const void *b)
{
	int64_t x = ((const struct numbered_buffer *)a)->number;
	int64_t y = ((const struct numbered_buffer *)b)->number;

	return x < y ? -1 : x > y;
}

static int read_files(struct package *p, const struct cst_doc_section *s, const struct cst_item *item,
		      struct cst_package_buffer *buf)
{
	struct cst_str rest = cst_item_str(item), one;
	const char **file;

	while (cst_ini_item(&rest, &one)) {
		if (!one.n)
			continue;
		file = cst_mem_append(&p->mem, &buf->files, &buf->n_files, sizeof(*file));
		if (!file)
			return full(p);
		*file = cst_mem_copy(&p->mem, one);
		if (!*file)
			return full(p);
		if (!cst_package_name_ok(*file))
			return wrong(p, -CST_ERR_SYNTAX, s, item->key,
				     "not the name of a file in the package");
	}
	return buf->n_files ? 0 : wrong(p, -CST_ERR_NOT_FOUND, s, item->key, "buffer without a file");
}

static int read_buffer(struct package *p, const struct cst_doc_section *s, const struct numbered_buffer *nb)
{
	const struct cst_item *item = cst_doc_item(s, "metadata"), *own = NULL;
	struct cst_package_buffer *buf;
	struct cst_problem why;
	size_t i;
	int err;

	for (i = 0; i < s->n_items && !own; i++)
		if (numbered(s->items[i].key, "metadata") == nb->number)
			own = &s->items[i];
	buf = cst_mem_append(&p->mem, &p->pub.buffers, &p->pub.n_buffers, sizeof(*buf));
	if (!buf)
		return full(p);
	buf->id = nb->item->key;
	err = read_files(p, s, nb->item, buf);
	if (err)
		return err;
	if (!own && !item)
		return wrong(p, -CST_ERR_NOT_FOUND, s, "metadata", "no trace metadata for a buffer");
	own = own ? own : item;
	err = get_metadata(p, s, own, &buf->metadata);
	if (err)
		return err;
	err = cst_meta_buffer_format(buf->metadata, buf->id, &why);
	if (err < 0)
		return say(p, own->value, &why);
	buf->format = (uint8_t)err;
	return 0;
}

static int read_buffers(struct package *p, const struct cst_doc_section *s)
{
	struct numbered_buffer *list;
	size_t i, n = 0;
	int err = 0;

	if (s->n_items > MAX_TRACE_ITEMS)
		return wrong(p, -CST_ERR_LIMIT, s, "", "more than 4096 trace buffers");
	list = calloc(s->n_items + 1, sizeof(*list));
	if (!list)
		return full(p);
	for (i = 0; i < s->n_items; i++) {
		list[n].number = numbered(s->items[i].key, "buffer");
		list[n].item = &s->items[i];
		n += list[n].number >= 0;
	}
	if (n > MAX_BUFFERS)
		err = wrong(p, -CST_ERR_LIMIT, s, "", "more than 4096 trace buffers");
	qsort(list, n, sizeof(*list), by_number);
	for (i = 1; i < n && !err; i++)
		if (list[i].number == list[i - 1].number)
			err = wrong(p, -CST_ERR_CONFLICT, s, list[i].item->key, "given twice");
	for (i = 0; i < n && !err; i++)
		err = read_buffer(p, s, &list[i]);
	free(list);
	if (!err && !n)
		err = wrong(p, -CST_ERR_NOT_FOUND, s, "buffer0", "no trace buffer");
	return err;
}

static int read_log(struct package *p, const struct cst_doc_section *s)
{
	const struct cst_item *log = cst_doc_item(s, "event_log"), *unit = cst_doc_item(s, "event_time");
	const struct cst_item *freq = cst_doc_item(s, "event_frequency");

	if (!log)
		return 0;
	if (!cst_package_name_ok(log->value))
		return wrong(p, -CST_ERR_SYNTAX, s, "event_log", "not the name of a file in the package");
	p->pub.event_log = log->value;
	if (!unit)
		return wrong(p, -CST_ERR_NOT_FOUND, s, "event_time", "the event log needs a unit: ns or ticks");
	if (cst_ini_is(cst_item_str(unit), "ns")) {
		p->pub.event_frequency = NS_PER_SECOND;
		return 0;
	}
	if (!cst_ini_is(cst_item_str(unit), "ticks"))
		return wrong(p, -CST_ERR_SYNTAX, s, "event_time", "neither ns nor ticks");
	if (!freq)
		return wrong(p, -CST_ERR_NOT_FOUND, s, "event_frequency", "ticks need their number per second");
	if (cst_item_number(freq, &p->pub.event_frequency) || !p->pub.event_frequency)
		return wrong(p, -CST_ERR_SYNTAX, s, "event_frequency", "not a number above 0");
	return 0;
}

/* Left out, with a note. */
static int skip(struct package *p, int error, const struct cst_doc_section *s, const char *item,
		const char *text)
{
	p->pub.n_skipped++;
	wrong(p, error, s, item, text);
	return 1;
}

/* 0: *file is good; 1: the section is left out. */
static int file_of(struct package *p, const struct cst_doc_section *s, const char **file)
{
	const struct cst_item *item = cst_doc_item(s, "file");

	if (!item)
		return skip(p, -CST_ERR_NOT_FOUND, s, "file", "section without a file is left out");
	if (!cst_package_name_ok(item->value))
		return skip(p, -CST_ERR_SYNTAX, s, "file", "not the name of a file in the package; left out");
	*file = item->value;
	return 0;
}

static int read_image(struct package *p, const struct cst_doc_section *s)
{
	const struct cst_item *name = cst_doc_item(s, "name"), *uuid = cst_doc_item(s, "uuid");
	struct cst_package_image *img;
	const char *file;

	if (file_of(p, s, &file))
		return 0;
	img = cst_mem_append(&p->mem, &p->pub.images, &p->pub.n_images, sizeof(*img));
	if (!img)
		return full(p);
	img->file = file;
	img->name = name ? name->value : file;
	img->uuid = uuid ? uuid->value : "";
	return 0;
}

/* An optional number: 0, or 1 when the section is left out. */
static int number_of(struct package *p, const struct cst_doc_section *s, const char *key, uint64_t *to)
{
	const struct cst_item *item = cst_doc_item(s, key);

	if (item && cst_item_number(item, to))
		return skip(p, -CST_ERR_SYNTAX, s, key, "not a number; the section is left out");
	return 0;
}

static int read_memory(struct package *p, const struct cst_doc_section *s)
{
	struct cst_package_memory m = { .pid = CST_EVENT_KERNEL }, *to;
	uint64_t pid = CST_EVENT_KERNEL;

	if (file_of(p, s, &m.file))
		return 0;
	if (!cst_doc_item(s, "address")) {
		skip(p, -CST_ERR_NOT_FOUND, s, "address", "memory without an address is left out");
		return 0;
	}
	if (number_of(p, s, "address", &m.address) || number_of(p, s, "offset", &m.offset) ||
	    number_of(p, s, "length", &m.length) || number_of(p, s, "pid", &pid))
		return 0;
	if (pid > INT64_MAX) {
		skip(p, -CST_ERR_SYNTAX, s, "pid", "not a process; the section is left out");
		return 0;
	}
	m.pid = (int64_t)pid;
	to = cst_mem_append(&p->mem, &p->pub.memory, &p->pub.n_memory, sizeof(*to));
	if (!to)
		return full(p);
	*to = m;
	return 0;
}

static int read_code(struct package *p, const struct cst_doc_section *s)
{
	struct cst_package_code *to;
	size_t i;

	for (i = 0; i < s->n_items; i++) {
		if (!cst_package_name_ok(s->items[i].value)) {
			skip(p, -CST_ERR_SYNTAX, s, s->items[i].key,
			     "not the name of a file in the package; left out");
			continue;
		}
		to = cst_mem_append(&p->mem, &p->pub.code, &p->pub.n_code, sizeof(*to));
		if (!to)
			return full(p);
		to->id = s->items[i].key;
		to->file = s->items[i].value;
	}
	return 0;
}

static int read_contents(struct package *p)
{
	const struct cst_doc *doc = p->pub.contents;
	const struct cst_doc_section *s = cst_doc_section(doc, "trace");
	size_t i;
	int err;

	if (!s)
		return wrong(p, -CST_ERR_NOT_FOUND, NULL, "trace", "no [trace]: not the contents of a package");
	err = read_buffers(p, s);
	if (!err)
		err = read_log(p, s);
	for (i = 0; !err && i < doc->n_sections; i++) {
		s = &doc->sections[i];
		if (cst_ini_begins(s->name, "image"))
			err = read_image(p, s);
		else if (cst_ini_begins(s->name, "memory"))
			err = read_memory(p, s);
		else if (cst_ini_begins(s->name, "code") && strlen(s->name) == strlen("code"))
			err = read_code(p, s);
	}
	return err;
}

static int read_package(struct package *p)
{
	struct cst_problem why;
	const uint8_t *text;
	size_t len;
	int err = open_text(p, p->index, &text, &len);

	if (err)
		return err;
	err = cst_doc_new(&p->pub.contents, p->io->limits.memory);
	if (err)
		return full(p);
	err = cst_doc_parse(p->pub.contents, text, len, &why);
	return err ? say(p, p->index, &why) : read_contents(p);
}

int cst_package_read(struct cst_package **out, const struct cst_snap_io *io, const char *index)
{
	struct cst_snap_io own;
	struct package *p;
	int err;

	*out = NULL;
	io = TAKE(cst_snap_io, io, own);
	if (!io || !io->open)
		return -CST_ERR_INVAL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -CST_ERR_NOMEM;
	p->io = io;
	p->index = index ? index : "contents.ini";
	p->mem.limit = io->limits.memory ? io->limits.memory : (size_t)64 << 20;
	err = read_package(p);
	p->io = NULL;
	p->index = NULL;
	if (err) {
		cst_package_free(&p->pub);
		return err;
	}
	*out = &p->pub;
	return 0;
}

void cst_package_free(struct cst_package *pub)
{
	struct package *p = (struct package *)pub;
	size_t i;

	if (!p)
		return;
	for (i = 0; i < pub->n_metadata; i++)
		cst_metadata_free(pub->metadata[i]);
	cst_doc_free(pub->contents);
	cst_mem_free(&p->mem);
	free(p);
}
