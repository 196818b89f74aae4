/* SPDX-License-Identifier: GPL-2.0-only */
/* index_book.c - the indexes of an input, and the file that keeps them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "session/index_book.h"
#include "perfdata/output.h"

#define IN_FOLDER "cstrace.cstidx"
#define SUFFIX ".cstidx"
#define MAX_FILE (1u << 30)

int index_book_init(struct index_book *b, const char *who, const char *input, const char *file)
{
	struct stat st;

	b->who = who;
	b->keep = file != NULL;
	b->only_id = -1;
	if (file) {
		b->path = strdup(file);
		return b->path ? 0 : -1;
	}
	if (!strcmp(input, "-"))
		return 0;
	if (!stat(input, &st) && S_ISDIR(st.st_mode))
		return asprintf(&b->path, "%s/" IN_FOLDER, input) < 0 ? -1 : 0;
	return asprintf(&b->path, "%s" SUFFIX, input) < 0 ? -1 : 0;
}

void index_book_free(struct index_book *b)
{
	unsigned int i;

	for (i = 0; i < b->nr_made; i++)
		cst_index_free(b->made[i]);
	free(b->made);
	cst_index_file_free(b->file);
	free(b->path);
}

static void refuse(struct index_book *b, const char *what, uint64_t found, uint64_t expected)
{
	const char *then = b->no_trace ? "is not shown" : b->keep ?
		"is not used; one is made for this run ('perf-cstrace index' writes one)" : "is not used; it is made anew";

	fprintf(stderr, "%s: %s: %s: found 0x%llx, expected 0x%llx: this index %s\n", b->who, b->path, what,
		(unsigned long long)found, (unsigned long long)expected, then);
	b->refused = true;
}

/* The whole file; NULL after a message, or with *none. */
static uint8_t *read_file(const struct index_book *b, size_t *len, bool *none)
{
	FILE *f = fopen(b->path, "rb");
	uint8_t *p = NULL, *grown;
	size_t n, cap = 0;

	*len = 0;
	*none = !f && errno == ENOENT;
	if (!f) {
		if (!*none)
			fprintf(stderr, "%s: %s: %s\n", b->who, b->path, strerror(errno));
		return NULL;
	}
	do {
		if (*len == cap) {
			cap = cap ? 2 * cap : 1 << 16;
			grown = cap <= MAX_FILE ? realloc(p, cap) : NULL;
			if (!grown) {
				fprintf(stderr, "%s: %s: too large for an index\n", b->who, b->path);
				free(p);
				fclose(f);
				return NULL;
			}
			p = grown;
		}
		n = fread(p + *len, 1, cap - *len, f);
		*len += n;
	} while (n);
	if (ferror(f)) {
		fprintf(stderr, "%s: %s: %s\n", b->who, b->path, strerror(errno));
		free(p);
		p = NULL;
	}
	fclose(f);
	return p;
}

int index_book_read(struct index_book *b)
{
	struct cst_index_problem problem;
	char what[200];
	uint8_t *data;
	size_t len;
	bool none;
	int err;

	if (!b->path)
		return 0;
	data = read_file(b, &len, &none);
	if (!data)
		return none ? 0 : -1;
	err = cst_index_read(&b->file, data, len, &problem);
	free(data);
	if (!err)
		return 1;
	snprintf(what, sizeof(what), "%s (%s)", err == -CST_ERR_SYNTAX ? "not an index" :
		 err == -CST_ERR_INCOMPLETE ? "the file is cut" : cst_strerror(err), problem.text);
	refuse(b, what, problem.found, problem.expected);
	return -1;
}

static uint64_t identity(const struct index_section *s)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < s->nr_parts; i++)
		sum = cst_index_sample(sum, s->parts[i].data, s->parts[i].size);
	return sum;
}

int index_book_make(struct index_book *b, const struct index_section *s)
{
	struct cst_index_builder *ib = NULL;
	uint64_t offset = s->offset;
	struct cst_index *ix = NULL;
	unsigned int i, flags;
	enum cst_tree_format format = cst_tree_layout(s->tree, &flags);
	struct cst_index **grown;
	int err;

	err = cst_index_builder_new(&ib, format, flags, &b->opts);
	for (i = 0; i < 128 && !err; i++) {
		const struct cst_decoder *dec = cst_tree_decoder(s->tree, (uint8_t)i);

		if (dec && (b->only_id < 0 || b->only_id == (int)i))
			err = cst_index_builder_add(ib, cst_decoder_config(dec));
	}
	for (i = 0; i < s->nr_parts && !err; i++) {
		err = cst_index_builder_feed(ib, s->parts[i].data, s->parts[i].size, offset);
		offset += s->parts[i].size;
	}
	if (!err)
		err = cst_index_builder_take(ib, &ix);
	cst_index_builder_free(ib);
	if (!err && b->nr_made == b->cap_made) {
		b->cap_made = b->cap_made ? 2 * b->cap_made : 16;
		grown = realloc(b->made, b->cap_made * sizeof(*grown));
		b->made = grown ? grown : b->made;
		err = grown ? 0 : -CST_ERR_NOMEM;
	}
	if (err) {
		fprintf(stderr, "%s: %s: no index can be made: %s\n", b->who, s->name, cst_strerror(err));
		cst_index_free(ix);
		return -1;
	}
	free(ix->name);
	ix->name = strdup(s->name);
	ix->trace_digest = identity(s);
	ix->trace_offset = s->offset;
	ix->trace_size = s->size;
	b->made[b->nr_made++] = ix;
	if (!ix->name) {
		ix->name = calloc(1, 1);
		return -1;
	}
	return 0;
}

/* As fine as the one that is refused, if it could be read. */
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

/* Is `digest` that of the same configuration under other options? */
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
	if (!b->told)
		fprintf(stderr, "%s: %s: this index is for listings with other options (--strict, --format=opencsd): it is "
			"not used, and stays; decoding begins at the beginning\n", b->who, b->path);
	b->told = true;
}

static void tell_none(struct index_book *b, const struct index_section *s)
{
	if (b->file && !b->told)
		fprintf(stderr, "%s: %s: there is no index of '%s' in it: decoding begins at the beginning "
			"('perf-cstrace index' writes one)\n", b->who, b->path, s->name);
	b->told |= b->file != NULL;
}

/* The streams that will be decoded are those of the index. If not, *stays tells that the index is good for others. */
static bool streams_fit(struct index_book *b, const struct cst_index *ix, const struct index_section *s, bool *stays)
{
	const struct cst_index_stream *st;
	const struct cst_decoder *dec;
	uint64_t config, bits;
	unsigned int id;
	char what[200];
	uint32_t i;

	for (id = 0; id < 128; id++) {
		dec = cst_tree_decoder(s->tree, (uint8_t)id);
		if (!dec || (b->only_id >= 0 && b->only_id != (int)id))
			continue;
		st = cst_index_find_stream(ix, (uint8_t)id);
		if (st) {
			config = cst_index_config(cst_decoder_config(dec));
			if (st->config == config)
				continue;
			*stays = other_options(cst_decoder_config(dec), st->config);
			if (*stays) {
				tell_options(b);
				return false;
			}
			snprintf(what, sizeof(what), "%s, trace ID 0x%02x: made for another configuration or other "
				 "options", s->name, id);
			refuse(b, what, st->config, config);
			return false;
		}
		for (bits = 0, i = 0; i < ix->n_sources; i++)
			bits |= ix->sources[i].ids[id >> 6] >> (id & 63) & 1;
		if (bits || ix->format == CST_TREE_RAW) {
			snprintf(what, sizeof(what), "%s: streams of trace ID 0x%02x", s->name, id);
			refuse(b, what, 0, 1);
			return false;
		}
	}
	return true;
}

const struct cst_index *index_book_get(struct index_book *b, const struct index_section *s)
{
	const struct cst_index *ix = b->file ? cst_index_by_name(b->file, s->name) : NULL;
	unsigned int flags, format = cst_tree_layout(s->tree, &flags);
	bool stays = false;
	uint64_t sum;
	char what[200];

	if (!ix && b->refused && !b->file)
		return made_anew(b, s, NULL);
	if (!ix) {
		tell_none(b, s);
		return NULL;
	}
	if (ix->trace_offset != s->offset || ix->trace_size != s->size) {
		snprintf(what, sizeof(what), "%s: bytes of the trace", s->name);
		refuse(b, what, ix->trace_size, s->size);
		return made_anew(b, s, ix);
	}
	sum = identity(s);
	if (ix->trace_digest != sum) {
		snprintf(what, sizeof(what), "%s: made of another trace (digest)", s->name);
		refuse(b, what, ix->trace_digest, sum);
		return made_anew(b, s, ix);
	}
	flags &= ~(unsigned)(CST_FRAME_PACKED | CST_FRAME_FINDINGS);
	if (ix->format == format && (ix->flags ^ flags) == CST_FRAME_STRICT) {
		tell_options(b);
		return NULL;
	}
	if (ix->format != format || ix->flags != flags) {
		snprintf(what, sizeof(what), "%s: layout of the buffer", s->name);
		refuse(b, what, ix->flags | ix->format << 8, flags | format << 8);
		return made_anew(b, s, ix);
	}
	if (streams_fit(b, ix, s, &stays))
		return ix;
	return stays ? NULL : made_anew(b, s, ix);
}

/* Bytes of a section in one piece; *copy is to be freed. NULL: not enough memory. */
static const uint8_t *bytes_at(const struct index_section *s, uint64_t offset, uint64_t len, uint8_t **copy)
{
	uint64_t at = s->offset, n, from;
	size_t done = 0;
	unsigned int i;

	*copy = malloc(len ? len : 1);
	if (!*copy)
		return NULL;
	for (i = 0; i < s->nr_parts && done < len; at += s->parts[i++].size) {
		if (offset + done - at >= s->parts[i].size)
			continue;
		from = offset + done - at;
		n = s->parts[i].size - from;
		n = n < len - done ? n : len - done;
		memcpy(*copy + done, s->parts[i].data + from, n);
		done += n;
	}
	return done == len ? *copy : NULL;
}

const struct cst_index *index_book_check(struct index_book *b, const struct cst_index *ix,
					 const struct index_section *s, uint64_t start)
{
	const struct cst_index_source *src = cst_index_source_at(ix, start);
	uint64_t end, sum;
	uint8_t *copy;
	const uint8_t *p;
	char what[200];

	if (!src)
		return ix;
	end = src + 1 < ix->sources + ix->n_sources ? src[1].offset : ix->end;
	p = bytes_at(s, src->offset, end - src->offset, &copy);
	sum = p ? cst_index_digest(0, p, end - src->offset) : 0;
	free(copy);
	if (sum == src->digest)
		return ix;
	snprintf(what, sizeof(what), "%s: bytes at offset %llu (digest)", s->name, (unsigned long long)src->offset);
	refuse(b, what, src->digest, sum);
	return made_anew(b, s, ix);
}

static bool is_made(const struct index_book *b, const char *name)
{
	unsigned int i;

	for (i = 0; i < b->nr_made; i++)
		if (!strcmp(b->made[i]->name, name))
			return true;
	return false;
}

int index_book_write(struct index_book *b)
{
	unsigned int i, n = 0, old = b->file ? b->file->n : 0;
	const struct cst_index **all = calloc(b->nr_made + old + 1, sizeof(*all));
	struct pd_error err = { .code = 0 };
	struct pd_output out;
	uint8_t *data;
	size_t len;
	int rc;

	for (i = 0; all && i < b->nr_made; i++)
		all[n++] = b->made[i];
	for (i = 0; all && i < old; i++)
		if (!is_made(b, b->file->indexes[i]->name))
			all[n++] = b->file->indexes[i];
	rc = all ? cst_index_write(all, n, &data, &len) : -CST_ERR_NOMEM;
	free(all);
	if (rc) {
		fprintf(stderr, "%s: %s: %s\n", b->who, b->path, cst_strerror(rc));
		return -1;
	}
	rc = pd_output_open(&out, b->path, &err);
	if (!rc) {
		pd_output_write(&out, data, len);
		rc = pd_output_finish(&out, &err);
	}
	free(data);
	if (rc)
		fprintf(stderr, "%s: %s\n", b->who, err.msg);
	return rc ? -1 : 0;
}
