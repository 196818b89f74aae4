/* SPDX-License-Identifier: GPL-2.0-only */
/* index_book.c - the indexes of an input, and the file that keeps them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/format.h"
#include "base/messages.h"
#include "base/name.h"
#include "base/files/input.h"
#include "base/files/output.h"
#include "session/indexes/index_book.h"
#include "machine/buffers/queues.h"

#define IN_FOLDER "cstrace.cstidx"
#define SUFFIX ".cstidx"
#define MAX_FILE (1u << 30)

void index_book_init(struct index_book *b, const char *who, const char *input, const char *file)
{
	struct stat st;

	b->who = who;
	b->keep = file != NULL;
	b->only_id = -1;
	if (file) {
		b->path = mem_text(file);
		return;
	}
	if (!strcmp(input, "-"))
		return;
	if (!stat(input, &st) && S_ISDIR(st.st_mode))
		b->path = format_text("%s/" IN_FOLDER, input);
	else
		b->path = format_text("%s" SUFFIX, input);
}

void index_book_free(struct index_book *b)
{
	unsigned int i;

	for (i = 0; i < b->nr_made; i++)
		cst_index_free(b->made[i]);
	free(b->made);
	cst_index_file_free(b->file);
	free(b->dropped);
	free(b->path);
}

void index_book_section(struct index_section *s, const struct session_fragment *f)
{
	s->data = f->data;
	s->offset = f->offset;
	s->size = f->size;
	snprintf(s->name, sizeof(s->name), "buffer %u, offset %llu", f->queue, (unsigned long long)f->offset);
}

static void refuse(struct index_book *b, const char *what, uint64_t found, uint64_t expected)
{
	const char *then = b->no_trace ? "is not shown" : b->keep ?
		"is not used; one is made for this run ('perf-cstrace index' writes one)" : "is not used; it is made anew";

	fprintf(message_stream(), "%s: %s: %s: found 0x%llx, expected 0x%llx: this index %s\n", b->who, name_shown(b->path), name_shown(what),
		(unsigned long long)found, (unsigned long long)expected, then);
	b->refused = true;
}

/* The whole file; NULL after a message, or with *none. */
static char *read_file(struct index_book *b, size_t *len, bool *none)
{
	char *p = input_read(b->path, MAX_FILE, len);

	b->was_read = p != NULL;
	*none = !p && errno == ENOENT;
	if (!p && !*none)
		fprintf(message_stream(), "%s: %s: %s: this index is not used\n", b->who, name_shown(b->path), errno == EFBIG ?
			"too large for an index" : input_error(errno));
	return p;
}

int index_book_read(struct index_book *b)
{
	struct cst_index_problem problem;
	char what[200];
	char *data;
	size_t len;
	bool none;
	int err;

	if (!b->path)
		return 0;
	data = read_file(b, &len, &none);
	if (!data)
		return none ? 0 : ERR_REPORTED;
	err = mem_code(cst_index_read(&b->file, (const uint8_t *)data, len, &problem));
	free(data);
	if (!err) {
		b->dropped = mem_zeroed(b->file->n + 1, sizeof(*b->dropped));
		return 1;
	}
	snprintf(what, sizeof(what), "%s (%s)", err == -CST_ERR_SYNTAX ? "not an index" :
		 err == -CST_ERR_INCOMPLETE ? "the file is cut" : error_text(err), problem.text);
	refuse(b, what, problem.found, problem.expected);
	return ERR_REPORTED;
}

static uint64_t identity(const struct index_section *s)
{
	return cst_index_sample(0, s->data, s->size);
}

/* `ix`, which stays the caller's if that fails, goes into b->made under the section's name. */
static void keep_made(struct index_book *b, struct cst_index *ix, const char *section)
{
	char *name = mem_text(section);

	array_reserve(&b->made, b->nr_made, &b->cap_made, sizeof(*b->made));
	free(ix->name);
	ix->name = name;
	b->made[b->nr_made++] = ix;
}

int index_book_make(struct index_book *b, const struct index_section *s)
{
	struct cst_index_builder *ib = NULL;
	struct cst_index *ix = NULL;
	unsigned int i, flags;
	enum cst_tree_format format = cst_tree_layout(s->tree, &flags);
	int err;

	err = mem_code(cst_index_builder_new(&ib, format, flags, &b->opts));
	for (i = 0; i < 128 && !err; i++) {
		const struct cst_decoder *dec = cst_tree_decoder(s->tree, (uint8_t)i);

		if (dec && (b->only_id < 0 || b->only_id == (int)i))
			err = mem_code(cst_index_builder_add(ib, cst_decoder_config(dec)));
	}
	if (!err)
		err = mem_code(cst_index_builder_feed(ib, s->data, s->size, s->offset));
	if (!err)
		err = mem_code(cst_index_builder_take(ib, &ix));
	cst_index_builder_free(ib);
	if (!err)
		keep_made(b, ix, s->name);
	if (err) {
		fprintf(message_stream(), "%s: %s: no index can be made: %s\n", b->who, name_shown(s->name), error_text(err));
		cst_index_free(ix);
		return ERR_REPORTED;
	}
	ix->trace_digest = identity(s);
	ix->trace_offset = s->offset;
	ix->trace_size = s->size;
	return 0;
}

/* As fine as the one in whose place it is made. */
static const struct cst_index *made_anew(struct index_book *b, const struct index_section *s,
					 const struct cst_index *old)
{
	if (old) {
		b->opts.granularity = old->granularity;
		b->opts.full = old->full;
	}
	return index_book_make(b, s) ? NULL : b->made[b->nr_made - 1];
}

/* Options of a listing that the configuration has, too (struct cst_config). */
#define LISTING_OPTIONS 3

/* True if `digest` is that of the same configuration with other listing options. */
static bool other_options(const struct cst_config *cfg, uint64_t digest)
{
	struct cst_config c = *cfg;
	unsigned int bits;

	for (bits = 0; bits < 1u << LISTING_OPTIONS; bits++) {
		c.strict = bits & 1;
		c.as_reference = bits >> 1 & 1;
		c.hold_transactions = bits >> 2 & 1;
		if (cst_index_config(&c) == digest)
			return true;
	}
	return false;
}

static void tell_options(struct index_book *b)
{
	if (!b->reported)
		fprintf(message_stream(), "%s: %s: this index is for listings with other options (--strict, --format=opencsd): %s\n",
			b->who, name_shown(b->path), b->keep ? "one is made for this run, and it stays" : "one is made for these, too");
	b->reported = true;
}

static void tell_none(struct index_book *b, const struct index_section *s)
{
	if (b->file && !b->reported)
		fprintf(message_stream(), "%s: %s: there is no index of '%s' in it: decoding begins at the beginning "
			"('perf-cstrace index' writes one)\n", b->who, name_shown(b->path), name_shown(s->name));
	b->reported |= b->file != NULL;
}

void index_book_unused(struct index_book *b, const struct index_section *s, const char *reason)
{
	if (b->file && !b->reported)
		fprintf(message_stream(), "%s: %s: '%s' is decoded from its beginning in spite of its index: %s\n", b->who, name_shown(b->path),
			name_shown(s->name), reason);
	b->reported |= b->file != NULL;
}

/* What an index of the file is to a section. */
struct verdict {
	enum { FITS, OTHER_OPTIONS, REFUSED } kind;
	char what[256];		/* REFUSED: why */
	uint64_t found, expected;
};

static void deny(struct verdict *v, const struct index_section *s, const char *what, uint64_t found, uint64_t expected)
{
	v->kind = REFUSED;
	snprintf(v->what, sizeof(v->what), "%s: %s", s->name, what);
	v->found = found;
	v->expected = expected;
}

static bool has_id(const struct cst_index *ix, unsigned int id)
{
	uint64_t bits = 0;
	uint32_t i;

	for (i = 0; i < ix->n_sources; i++)
		bits |= ix->sources[i].ids[id >> 6];
	return ix->format == CST_TREE_RAW || bits >> (id & 63) & 1;
}

/* Checks that the streams to decode are those of the index. */
static void judge_streams(const struct index_book *b, const struct cst_index *ix, const struct index_section *s,
			  struct verdict *v)
{
	const struct cst_index_stream *st;
	const struct cst_decoder *dec;
	uint64_t config;
	unsigned int id;
	char what[100];

	for (id = 0; id < 128 && v->kind != REFUSED; id++) {
		dec = cst_tree_decoder(s->tree, (uint8_t)id);
		if (!dec || (b->only_id >= 0 && b->only_id != (int)id))
			continue;
		st = cst_index_find_stream(ix, (uint8_t)id);
		config = cst_index_config(cst_decoder_config(dec));
		if (st && st->config == config)
			continue;
		if (st && other_options(cst_decoder_config(dec), st->config)) {
			v->kind = OTHER_OPTIONS;
		} else if (st) {
			snprintf(what, sizeof(what), "trace ID 0x%02x: made for another configuration", id);
			deny(v, s, what, st->config, config);
		} else if (has_id(ix, id)) {
			snprintf(what, sizeof(what), "streams of trace ID 0x%02x", id);
			deny(v, s, what, 0, 1);
		}
	}
}

static void judge(const struct index_book *b, const struct cst_index *ix, const struct index_section *s,
		  struct verdict *v)
{
	unsigned int flags, format = cst_tree_layout(s->tree, &flags);
	uint64_t sum;

	v->kind = FITS;
	flags &= ~(unsigned)(CST_FRAME_PACKED | CST_FRAME_FINDINGS);
	if (ix->trace_offset != s->offset || ix->trace_size != s->size) {
		deny(v, s, "bytes of the trace", ix->trace_size, s->size);
		return;
	}
	sum = identity(s);
	if (ix->trace_digest != sum) {
		deny(v, s, "made of another trace (digest)", ix->trace_digest, sum);
		return;
	}
	if (ix->format != format || (ix->flags | CST_FRAME_STRICT) != (flags | CST_FRAME_STRICT)) {
		deny(v, s, "layout of the buffer", ix->flags | ix->format << 8, flags | format << 8);
		return;
	}
	if (ix->flags != flags)
		v->kind = OTHER_OPTIONS;
	judge_streams(b, ix, s, v);
}

static void drop(struct index_book *b, const struct cst_index *ix)
{
	uint32_t i;

	for (i = 0; b->file && i < b->file->n; i++)
		b->dropped[i] |= b->file->indexes[i] == ix;
}

/* One that was made in this run already. */
static const struct cst_index *made_already(const struct index_book *b, const struct index_section *s)
{
	struct verdict v;
	unsigned int i;

	for (i = 0; i < b->nr_made; i++) {
		if (strcmp(b->made[i]->name, s->name))
			continue;
		judge(b, b->made[i], s, &v);
		if (v.kind == FITS)
			return b->made[i];
	}
	return NULL;
}

/* Several may have the section's name, each for other options. */
const struct cst_index *index_book_get(struct index_book *b, const struct index_section *s)
{
	const struct cst_index *ix = made_already(b, s), *other = NULL, *refused = NULL;
	struct verdict v, why = { 0 };
	uint32_t i;

	if (ix)
		return ix;
	for (i = 0; b->file && i < b->file->n; i++) {
		ix = b->file->indexes[i];
		if (strcmp(ix->name, s->name) || b->dropped[i])
			continue;
		judge(b, ix, s, &v);
		if (v.kind == FITS)
			return ix;
		if (v.kind == OTHER_OPTIONS) {
			other = ix;
			continue;
		}
		why = v;
		refused = ix;
		b->dropped[i] = true;
	}
	if (refused) {
		refuse(b, why.what, why.found, why.expected);
		return made_anew(b, s, refused);
	}
	if (other) {
		tell_options(b);
		b->added = true;
		return made_anew(b, s, other);
	}
	if (b->refused && !b->file)
		return made_anew(b, s, NULL);
	tell_none(b, s);
	return NULL;
}

const struct cst_index *index_book_check(struct index_book *b, const struct cst_index *ix,
					 const struct index_section *s, uint64_t start)
{
	const struct cst_index_source *src = cst_index_source_at(ix, start);
	uint64_t end, sum;
	bool inside;
	char what[200];

	if (!src)
		return ix;
	end = src + 1 < ix->sources + ix->n_sources ? src[1].offset : ix->end;
	/* a file may say anything */
	inside = src->offset >= s->offset && src->offset <= end && end - s->offset <= s->size;
	sum = inside ? cst_index_digest(0, s->data + (src->offset - s->offset), end - src->offset) : 0;
	if (inside && sum == src->digest)
		return ix;
	snprintf(what, sizeof(what), "%s: bytes at offset %llu (digest)", s->name, (unsigned long long)src->offset);
	refuse(b, what, src->digest, sum);
	drop(b, ix);
	return made_anew(b, s, ix);
}

int index_book_write(struct index_book *b)
{
	unsigned int i, n = 0, old = b->file ? b->file->n : 0;
	const struct cst_index **all = mem_zeroed(b->nr_made + old + 1, sizeof(*all));
	struct error err = { .code = 0 };
	struct pd_output out;
	struct stat st;
	uint8_t *data;
	size_t len;
	int rc;

	for (i = 0; i < b->nr_made; i++)
		all[n++] = b->made[i];
	for (i = 0; i < old; i++)
		if (!b->dropped[i])
			all[n++] = b->file->indexes[i];
	rc = cst_index_write(all, n, &data, &len);
	free(all);
	if (rc) {
		fprintf(message_stream(), "%s: %s: %s\n", b->who, name_shown(b->path), error_text(rc));
		return ERR_REPORTED;
	}
	if (b->was_read)
		input_forget(b->path);
	b->was_read = false;
	if (!b->keep && !stat(b->path, &st) && !S_ISREG(st.st_mode))
		rc = error_set(&err, ERR_USAGE, "%s: is there and not a regular file: no index is written to it", b->path);
	else
		rc = pd_output_open_binary(&out, b->path, &err);
	if (!rc) {
		pd_output_write(&out, data, len);
		rc = pd_output_finish(&out, &err);
	}
	free(data);
	if (rc)
		fprintf(message_stream(), "%s: %s\n", b->who, err.msg);
	return rc ? ERR_REPORTED : 0;
}

void index_book_finish(struct index_book *b)
{
	if (b->keep || !b->nr_made || (!b->refused && !b->added) || index_book_write(b))
		return;
	fprintf(message_stream(), "%s: %s: written %s\n", b->who, name_shown(b->path), b->refused ? "anew" : "for these options, too");
}
