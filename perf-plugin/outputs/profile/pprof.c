/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof.c - pprof's profile.proto, packed by gzip.
 *
 * The file is a sequence of messages Profile, each with a few elements: readers of protobuf add them up ("Encoding", last
 * one wins, repeated fields are joined). So memory does not grow with the number of samples.
 */
#include "outputs/profile/whole.h"

#ifdef HAVE_PROTOBUF_C
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/name.h"
#include "outputs/profile/choose.h"
#include "outputs/profile/gzip.h"
#include "outputs/profile/locations.h"
#include "outputs/profile/messages.h"
#include "outputs/profile/places.h"
#include "outputs/profile/pprof_samples.h"
#include "base/strings.h"
#include "outputs/profile/tree.h"

struct pprof {
	const struct whole *w;
	struct functions fs;
	struct strings strings;
	struct locations places;
	uint8_t *bytes;		/* of one message */
	size_t room;
	bool nomem;
	struct gzip *gz;
};

static void put(struct pprof *c, const Pprof__Profile *m)
{
	size_t n = pprof__profile__get_packed_size(m);
	uint8_t *bigger;

	if (n > c->room) {
		bigger = realloc(c->bytes, 2 * n);
		if (!bigger) {
			c->nomem = true;
			return;
		}
		c->bytes = bigger;
		c->room = 2 * n;
	}
	gzip_write(c->gz, c->bytes, pprof__profile__pack(m, c->bytes));
}

static int64_t string(struct pprof *c, const char *text)
{
	uint32_t n = strings_number(&c->strings, text);

	c->nomem |= n == STRINGS_NONE;
	return n == STRINGS_NONE ? 0 : n;
}

/* ---- tables ------------------------------------------------------------------------------------- */

/* The function that a location is in. Code in no binary is named by its offset. */
static uint32_t function_of(struct pprof *c, const struct location *l)
{
	uint32_t f = l->binary == CST_COUNT_NO_BINARY ? (uint32_t)l->offset : functions_at(&c->fs, l->binary, l->offset);

	c->nomem |= f == FUNCTION_NONE;
	return f == FUNCTION_NONE ? FUNCTION_ELSEWHERE : f;
}

static void put_location(struct pprof *c, size_t i)
{
	const struct location *l = &c->places.v[i];
	Pprof__Profile m = PPROF__PROFILE__INIT;
	Pprof__Location loc = PPROF__LOCATION__INIT, *one = &loc;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;

	loc.id = i + 1;
	line.function_id = function_of(c, l) + 1;
	if (l->binary != CST_COUNT_NO_BINARY) {
		loc.mapping_id = l->binary + 1;
		model_vaddr(&c->w->model->binaries[l->binary], l->offset, &loc.address);
		line.line = places_at(c->w->places, l->binary, l->offset).line;
	}
	loc.n_line = 1;
	loc.line = &lines;
	m.n_location = 1;
	m.location = &one;
	put(c, &m);
}

static void put_function(struct pprof *c, size_t i)
{
	const struct function *f = &c->fs.v[i];
	struct source_place place = places_at(c->w->places, f->binary, f->start);
	Pprof__Profile m = PPROF__PROFILE__INIT;
	Pprof__Function fn = PPROF__FUNCTION__INIT, *one = &fn;

	fn.id = i + 1;
	fn.name = fn.system_name = string(c, f->name);
	fn.filename = place.line ? string(c, name_shown(place.file)) : 0;
	fn.start_line = place.line;
	m.n_function = 1;
	m.function = &one;
	put(c, &m);
}

static int64_t build_id(struct pprof *c, const struct cst_count_binary *b)
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
	Pprof__Profile m = PPROF__PROFILE__INIT;
	Pprof__Mapping map = PPROF__MAPPING__INIT, *one = &map;
	const struct cst_count_segment *s;
	size_t left;

	map.id = b->number + 1;
	map.memory_start = UINT64_MAX;
	for (s = b->segs, left = b->nr_segs; left; left--, s++) {
		if (!s->exec)
			continue;
		if (s->vaddr < map.memory_start) {
			map.memory_start = s->vaddr;
			map.file_offset = s->offset;
		}
		if (model_sum(s->vaddr, s->size) > map.memory_limit)
			map.memory_limit = model_sum(s->vaddr, s->size);
	}
	if (!map.memory_limit) {
		map.memory_start = 0;
		map.memory_limit = UINT64_MAX;
	}
	map.filename = string(c, name_shown(b->is.name));
	map.build_id = build_id(c, &b->is);
	map.has_functions = true;
	map.has_filenames = map.has_line_numbers = places_source(c->w->places, b->number) != NULL;
	m.n_mapping = 1;
	m.mapping = &one;
	put(c, &m);
}

/* Values: pprof shows the last one, unless it is asked for another. */
static void put_types(struct pprof *c)
{
	Pprof__Profile m = PPROF__PROFILE__INIT;
	Pprof__ValueType calls = PPROF__VALUE_TYPE__INIT, insns = PPROF__VALUE_TYPE__INIT;
	Pprof__ValueType *types[2] = { &calls, &insns };

	string(c, "");
	calls.type = string(c, "calls");
	insns.type = string(c, "instructions");
	calls.unit = insns.unit = string(c, "count");
	m.n_sample_type = 2;
	m.sample_type = types;
	m.default_sample_type = insns.type;
	put(c, &m);
}

static void put_strings(struct pprof *c)
{
	size_t i;

	for (i = 0; i < c->strings.n; i++) {
		Pprof__Profile m = PPROF__PROFILE__INIT;

		m.n_string_table = 1;
		m.string_table = &c->strings.v[i];
		put(c, &m);
	}
}

/* The mapping that readers take for that of the program, whose name they show and whose file an argument replaces. */
static const struct model_binary *first_mapping(struct pprof *c)
{
	const struct model_binary *first = c->w->only;
	struct model_binary **v;

	if (first)
		return first;
	v = model_busiest(c->w->model);
	c->nomem |= !v;
	if (v)
		first = choose_first(v, c->w->model->nr_binaries);
	free(v);
	return first;
}

static void put_mappings(struct pprof *c)
{
	const struct model_binary *first = first_mapping(c), *b;
	const struct model *m = c->w->model;
	size_t left;

	if (first && !c->nomem)
		put_mapping(c, first);
	for (b = m->binaries, left = m->nr_binaries; left && !c->nomem; left--, b++)
		if (b != first && (whole_has(c->w, b->number) || m->nr_nodes))
			put_mapping(c, b);
}

static void put_profile(struct pprof *c)
{
	size_t i;

	put_types(c);
	put_mappings(c);
	c->nomem |= !pprof_samples(c->w, &c->places, c->gz);
	for (i = 0; i < c->places.nr && !c->nomem; i++)
		put_location(c, i);
	/* locations add the functions that they are in */
	for (i = 0; i < c->fs.nr && !c->nomem; i++)
		put_function(c, i);
	put_strings(c);
}

int pprof_write(struct pd_output *out, const struct whole *w)
{
	struct pprof c = { .w = w, .gz = gzip_new(out) };
	bool ok = c.gz && functions_init(&c.fs, w->model, w->demangle);

	if (ok)
		put_profile(&c);
	ok = ok && !c.nomem;
	if (ok)
		gzip_end(c.gz);
	else
		gzip_free(c.gz);
	functions_free(&c.fs);
	strings_free(&c.strings);
	locations_free(&c.places);
	free(c.bytes);
	return ok ? 0 : ERR_NOMEM;
}
#endif
