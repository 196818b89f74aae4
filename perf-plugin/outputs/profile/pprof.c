/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof.c - pprof's profile.proto (github.com/google/pprof, proto/README.md), packed by gzip.
 *
 * The file is a sequence of messages Profile, each with a few elements: readers of protobuf add
 * them up ("Encoding", last one wins, repeated fields are joined). So memory does not grow with the
 * number of samples.
 */
#include "outputs/profile/whole.h"

#include <stdlib.h>

#include "base/name.h"
#include "base/protobuf.h"
#include "outputs/profile/choose.h"
#include "outputs/profile/gzip.h"
#include "outputs/profile/locations.h"
#include "outputs/profile/places.h"
#include "outputs/profile/pprof_samples.h"
#include "base/strings.h"
#include "outputs/profile/tree.h"

/* Fields of Profile, and of its messages. Names are indexes into the table of strings. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4, PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6, PROFILE_DEFAULT_TYPE = 14,
	VALUE_TYPE = 1, VALUE_UNIT = 2,
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_OFFSET = 4, MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7, MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4,
	LINE_FUNCTION = 1, LINE_NUMBER = 2,
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4,
	FUNCTION_START_LINE = 5,
};

struct pprof {
	const struct whole *w;
	struct functions fs;
	struct strings strings;
	struct locations places;
	struct protobuf m;	/* a message Profile with one element */
	struct gzip *gz;
};

static void put(struct pprof *c)
{
	gzip_write(c->gz, c->m.bytes, c->m.n);
	c->m.n = 0;
}

static uint32_t string(struct pprof *c, const char *text)
{
	return strings_number(&c->strings, text);
}

/* ---- tables --------------------------------------------------------------------------------- */

/* The function that a location is in. Code in no binary is named by its offset. */
static uint32_t function_of(struct pprof *c, const struct location *l)
{
	return l->binary == CST_COUNT_NO_BINARY ? (uint32_t)l->offset :
	       functions_at(&c->fs, l->binary, l->offset);
}

static void put_location(struct pprof *c, size_t i)
{
	const struct location *l = &c->places.v[i];
	const bool known = l->binary != CST_COUNT_NO_BINARY;
	const size_t location = protobuf_begin(&c->m, PROFILE_LOCATION);
	uint64_t address = 0;
	size_t line;

	protobuf_number(&c->m, LOCATION_ID, i + 1);
	if (known) {
		protobuf_number(&c->m, LOCATION_MAPPING, l->binary + 1);
		/* code without segments has its offset */
		model_vaddr(&c->w->model->binaries[l->binary], l->offset, &address);
		protobuf_nonzero(&c->m, LOCATION_ADDRESS, address);
	}
	line = protobuf_begin(&c->m, LOCATION_LINE);
	protobuf_number(&c->m, LINE_FUNCTION, function_of(c, l) + 1);
	if (known)
		protobuf_nonzero(&c->m, LINE_NUMBER,
				 places_at(c->w->places, l->binary, l->offset).line);
	protobuf_end(&c->m, line);
	protobuf_end(&c->m, location);
	put(c);
}

static void put_function(struct pprof *c, size_t i)
{
	const struct function *f = &c->fs.v[i];
	const struct source_place place = places_at(c->w->places, f->binary, f->start);
	const uint32_t name = string(c, f->name);
	const size_t begin = protobuf_begin(&c->m, PROFILE_FUNCTION);

	protobuf_number(&c->m, FUNCTION_ID, i + 1);
	protobuf_nonzero(&c->m, FUNCTION_NAME, name);
	protobuf_nonzero(&c->m, FUNCTION_SYSTEM_NAME, name);
	if (place.line) {
		protobuf_nonzero(&c->m, FUNCTION_FILE, string(c, name_shown(place.file)));
		protobuf_number(&c->m, FUNCTION_START_LINE, place.line);
	}
	protobuf_end(&c->m, begin);
	put(c);
}

static uint32_t build_id(struct pprof *c, const struct cst_count_binary *b)
{
	char text[2 * CST_COUNT_ID_MAX + 1];
	size_t i;

	if (b->id_kind != CST_COUNT_ID_BUILD)
		return 0;
	for (i = 0; i < b->id_len && i < CST_COUNT_ID_MAX; i++) {
		text[2 * i] = "0123456789abcdef"[b->id[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[b->id[i] & 15];
	}
	text[2 * i] = 0;
	return string(c, text);
}

/* From the first to the last executable segment, by virtual address. */
static void put_mapping(struct pprof *c, const struct model_binary *b)
{
	const bool lines = places_source(c->w->places, b->number) != NULL;
	uint64_t start = UINT64_MAX, limit = 0, offset = 0;
	const struct cst_count_segment *s;
	size_t left, begin;

	for (s = b->segs, left = b->nr_segs; left; left--, s++) {
		if (!s->exec)
			continue;
		if (s->vaddr < start) {
			start = s->vaddr;
			offset = s->offset;
		}
		if (model_sum(s->vaddr, s->size) > limit)
			limit = model_sum(s->vaddr, s->size);
	}
	if (!limit) {
		start = 0;
		limit = UINT64_MAX;
	}
	begin = protobuf_begin(&c->m, PROFILE_MAPPING);
	protobuf_number(&c->m, MAPPING_ID, b->number + 1);
	protobuf_nonzero(&c->m, MAPPING_START, start);
	protobuf_number(&c->m, MAPPING_LIMIT, limit);
	protobuf_nonzero(&c->m, MAPPING_OFFSET, offset);
	protobuf_nonzero(&c->m, MAPPING_FILE, string(c, name_shown(b->is.name)));
	protobuf_nonzero(&c->m, MAPPING_BUILD_ID, build_id(c, &b->is));
	protobuf_number(&c->m, MAPPING_HAS_FUNCTIONS, true);
	protobuf_nonzero(&c->m, MAPPING_HAS_FILES, lines);
	protobuf_nonzero(&c->m, MAPPING_HAS_LINES, lines);
	protobuf_end(&c->m, begin);
	put(c);
}

static void put_type(struct pprof *c, const char *type, const char *unit)
{
	const uint32_t t = string(c, type), u = string(c, unit);
	const size_t begin = protobuf_begin(&c->m, PROFILE_SAMPLE_TYPE);

	protobuf_number(&c->m, VALUE_TYPE, t);
	protobuf_number(&c->m, VALUE_UNIT, u);
	protobuf_end(&c->m, begin);
}

/*
 * Values: pprof shows the last one, unless it is asked for another. Go's compiler weighs calls by
 * samples, and refuses a profile without them (go build -pgo): they are the same as the last one.
 * The first string of a profile is empty.
 */
static void put_types(struct pprof *c)
{
	const struct metric_words *of = &metric_words[c->w->model->metric];

	string(c, "");
	string(c, "calls");
	string(c, of->value);
	put_type(c, "calls", "count");
	put_type(c, "samples", "count");
	put_type(c, of->value, of->value_unit);
	protobuf_number(&c->m, PROFILE_DEFAULT_TYPE, string(c, of->value));
	put(c);
}

static void put_strings(struct pprof *c)
{
	size_t i;

	for (i = 0; i < c->strings.n; i++) {
		protobuf_text(&c->m, PROFILE_STRING, c->strings.v[i]);
		put(c);
	}
}

/*
 * The mapping that readers take for that of the program, whose name they show and whose file an
 * argument replaces.
 */
static const struct model_binary *first_mapping(struct pprof *c)
{
	const struct model_binary *first = c->w->only;
	struct model_binary **v;

	if (first)
		return first;
	v = model_busiest(c->w->model);
	first = choose_first(v, c->w->model->nr_binaries);
	free(v);
	return first;
}

static void put_mappings(struct pprof *c)
{
	const struct model_binary *first = first_mapping(c), *b;
	const struct model *m = c->w->model;
	size_t left;

	if (first)
		put_mapping(c, first);
	for (b = m->binaries, left = m->nr_binaries; left; left--, b++)
		if (b != first && (whole_has(c->w, b->number) || m->nr_nodes))
			put_mapping(c, b);
}

static void put_profile(struct pprof *c)
{
	size_t i;

	put_types(c);
	put_mappings(c);
	pprof_samples(c->w, &c->places, c->gz);
	for (i = 0; i < c->places.nr; i++)
		put_location(c, i);
	/* locations add the functions that they are in */
	for (i = 0; i < c->fs.nr; i++)
		put_function(c, i);
	put_strings(c);
}

int pprof_write(struct pd_output *out, const struct whole *w)
{
	struct pprof c = { .w = w, .gz = gzip_new(out) };

	functions_init(&c.fs, w->model, w->demangle);
	put_profile(&c);
	gzip_end(c.gz);
	functions_free(&c.fs);
	strings_free(&c.strings);
	locations_free(&c.places);
	protobuf_free(&c.m);
	return 0;
}
