/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pprof.c - pprof's profile.proto, packed by gzip.
 *
 * The file is a sequence of messages Profile, each with a few elements: readers of protobuf add them up ("Encoding", last
 * one wins, repeated fields are joined). So memory does not grow with the number of samples.
 */
#include "profile/whole.h"

#ifdef HAVE_PROTOBUF_C
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/name.h"
#include "profile/costs.h"
#include "profile/messages.h"
#include "profile/places.h"
#include "profile/strings.h"
#include "profile/tree.h"

struct gzip {
	struct pd_output *out;
	z_stream z;
	uint8_t buf[65536];
};

/* A place that a sample refers to; its id is the index + 1. */
struct location {
	uint32_t binary;
	uint64_t offset;
};

struct pprof {
	const struct whole *w;
	struct functions fs;
	struct places places;
	struct strings strings;
	struct location *locations;
	size_t nr_locations, cap_locations;
	uint32_t *slot;		/* open addressing: id of a location, by its place */
	size_t nr_slots;
	uint64_t *ids;		/* locations of one sample */
	size_t nr_ids, cap_ids;
	uint32_t *sites;	/* for each node: location of its call in the caller */
	uint8_t *bytes;		/* of one message */
	size_t room;
	bool nomem;
	struct gzip gz;
};

static void gzip_write(struct gzip *g, const void *data, size_t n, int flush)
{
	g->z.next_in = (uint8_t *)data;
	g->z.avail_in = (uInt)n;
	do {
		g->z.next_out = g->buf;
		g->z.avail_out = sizeof(g->buf);
		deflate(&g->z, flush);
		pd_output_write(g->out, g->buf, sizeof(g->buf) - g->z.avail_out);
	} while (!g->z.avail_out);
}

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
	gzip_write(&c->gz, c->bytes, pprof__profile__pack(m, c->bytes), Z_NO_FLUSH);
}

static int64_t clamped(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

static int64_t string(struct pprof *c, const char *text)
{
	uint32_t n = strings_number(&c->strings, text);

	c->nomem |= n == STRINGS_NONE;
	return n == STRINGS_NONE ? 0 : n;
}

/* ---- locations -------------------------------------------------------------------------------- */

static size_t hash(uint32_t binary, uint64_t offset)
{
	return (size_t)((offset ^ (uint64_t)binary << 40) * 0x9e3779b97f4a7c15u >> 16);
}

static uint32_t *slot_of(const struct pprof *c, uint32_t *slots, size_t n, uint32_t binary, uint64_t offset)
{
	size_t i = hash(binary, offset) & (n - 1);

	while (slots[i] && (c->locations[slots[i] - 1].binary != binary || c->locations[slots[i] - 1].offset != offset))
		i = (i + 1) & (n - 1);
	return &slots[i];
}

static bool grow_slots(struct pprof *c)
{
	size_t n = c->nr_slots ? 2 * c->nr_slots : 4096, i;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (i = 0; i < c->nr_locations; i++)
		*slot_of(c, slots, n, c->locations[i].binary, c->locations[i].offset) = (uint32_t)i + 1;
	free(c->slot);
	c->slot = slots;
	c->nr_slots = n;
	return true;
}

/* Returns the id of a place, 0 without memory. */
static uint32_t location_of(struct pprof *c, uint32_t binary, uint64_t offset)
{
	struct location *to;
	uint32_t *slot;

	if (2 * (c->nr_locations + 1) > c->nr_slots && !grow_slots(c)) {
		c->nomem = true;
		return 0;
	}
	slot = slot_of(c, c->slot, c->nr_slots, binary, offset);
	if (!*slot) {
		to = ARRAY_ADD(c->locations, c->nr_locations, c->cap_locations);
		if (!to) {
			c->nomem = true;
			return 0;
		}
		*to = (struct location){ .binary = binary, .offset = offset };
		*slot = (uint32_t)c->nr_locations;
	}
	return *slot;
}

/* Adds a location to the sample. */
static inline void add_id(struct pprof *c, uint32_t id)
{
	uint64_t *to = ARRAY_ADD(c->ids, c->nr_ids, c->cap_ids);

	if (to)
		*to = id;
	c->nomem |= !to;
}

/* The function that a location is in. Code in no binary is named by its offset. */
static uint32_t function_of(struct pprof *c, const struct location *l)
{
	uint32_t f = l->binary == CST_COUNT_NO_BINARY ? (uint32_t)l->offset : functions_at(&c->fs, l->binary, l->offset);

	c->nomem |= f == FUNCTION_NONE;
	return f == FUNCTION_NONE ? FUNCTION_ELSEWHERE : f;
}

/* ---- samples ---------------------------------------------------------------------------------- */

/* Writes the sample whose places were added. */
static void put_sample(struct pprof *c, uint64_t insns, uint64_t calls)
{
	Pprof__Profile m = PPROF__PROFILE__INIT;
	Pprof__Sample s = PPROF__SAMPLE__INIT, *one = &s;
	int64_t value[2] = { clamped(calls), clamped(insns) };

	s.n_location_id = c->nr_ids;
	s.location_id = c->ids;
	s.n_value = 2;
	s.value = value;
	m.n_sample = 1;
	m.sample = &one;
	put(c, &m);
	c->nr_ids = 0;
}

/* Where the callee of a node began. */
static uint32_t entry_of(struct pprof *c, const struct cst_count_node *n)
{
	if (n->kind == CST_COUNT_CUT || n->binary == CST_COUNT_NO_BINARY)
		return location_of(c, CST_COUNT_NO_BINARY, n->kind == CST_COUNT_CUT ? FUNCTION_CUT : FUNCTION_ELSEWHERE);
	return location_of(c, n->binary, n->entry);
}

/* Where the call of a node is in its caller. */
static uint32_t site_of(struct pprof *c, const struct model_node *n)
{
	if (n->is.from_binary == CST_COUNT_NO_BINARY || n->is.from == CST_COUNT_OUTSIDE)
		return entry_of(c, &c->w->model->nodes[n->parent].is);
	return location_of(c, n->is.from_binary, n->is.from);
}

/* A node's stack: where its function begins, then the places of the calls, from the innermost one on. */
static void put_node(struct pprof *c, size_t i)
{
	const struct model_node *nodes = c->w->model->nodes, *n = &nodes[i];
	const uint64_t insns = n->is.insns, calls = n->is.kind == CST_COUNT_ROOT ? 0 : n->is.calls;

	if (!(insns | calls))
		return;
	add_id(c, entry_of(c, &n->is));
	for (; nodes[i].parent != MODEL_NO_NODE; i = nodes[i].parent)
		add_id(c, c->sites[i]);
	put_sample(c, insns, calls);
}

/* Finds the places of all calls. */
static void find_sites(struct pprof *c)
{
	const struct model *m = c->w->model;
	size_t i;

	c->sites = calloc(m->nr_nodes ? m->nr_nodes : 1, sizeof(*c->sites));
	c->nomem |= !c->sites;
	for (i = 0; i < m->nr_nodes && !c->nomem; i++)
		if (m->nodes[i].parent != MODEL_NO_NODE)
			c->sites[i] = site_of(c, &m->nodes[i]);
}

/* Without calls: a sample for each instruction. */
static void put_flat(struct pprof *c, const struct model_binary *b)
{
	struct costs costs;
	uint64_t at;
	size_t i;

	if (!costs_init(&costs, b)) {
		c->nomem = true;
		return;
	}
	for (i = 0; i < costs.n && !c->nomem; i++)
		for (at = costs.v[i].begin; at < costs.v[i].end; at += costs_size(b, &costs.v[i], at)) {
			add_id(c, location_of(c, b->number, at));
			put_sample(c, costs.v[i].count, 0);
		}
	costs_free(&costs);
}

static void put_samples(struct pprof *c)
{
	const struct model *m = c->w->model;
	uint64_t have = 0, all = whole_instructions(c->w);
	size_t i;

	find_sites(c);
	for (i = 0; i < m->nr_nodes && !c->nomem; i++)
		if (whole_has(c->w, m->nodes[i].is.binary)) {
			put_node(c, i);
			have += m->nodes[i].is.insns;
		}
	if (!m->nr_nodes) {
		have = all - (c->w->only ? 0 : model_total(m, "instructions.elsewhere"));
		for (i = 0; i < m->nr_binaries && !c->nomem; i++)
			if (whole_has(c->w, (uint32_t)i))
				put_flat(c, &m->binaries[i]);
	}
	if (have < all) {
		add_id(c, location_of(c, CST_COUNT_NO_BINARY, FUNCTION_ELSEWHERE));
		put_sample(c, all - have, 0);
	}
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void put_location(struct pprof *c, size_t i)
{
	const struct location *l = &c->locations[i];
	Pprof__Profile m = PPROF__PROFILE__INIT;
	Pprof__Location loc = PPROF__LOCATION__INIT, *one = &loc;
	Pprof__Line line = PPROF__LINE__INIT, *lines = &line;

	loc.id = i + 1;
	line.function_id = function_of(c, l) + 1;
	if (l->binary != CST_COUNT_NO_BINARY) {
		loc.mapping_id = l->binary + 1;
		model_vaddr(&c->w->model->binaries[l->binary], l->offset, &loc.address);
		line.line = places_at(&c->places, l->binary, l->offset).line;
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
	struct source_place place = places_at(&c->places, f->binary, f->start);
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
		if (s->vaddr + s->size > map.memory_limit)
			map.memory_limit = s->vaddr + s->size;
	}
	if (!map.memory_limit) {
		map.memory_start = 0;
		map.memory_limit = UINT64_MAX;
	}
	map.filename = string(c, name_shown(b->is.name));
	map.build_id = build_id(c, &b->is);
	map.has_functions = true;
	map.has_filenames = map.has_line_numbers = places_source(&c->places, b->number) != NULL;
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

static void put_profile(struct pprof *c)
{
	const struct model *m = c->w->model;
	size_t i;

	put_types(c);
	for (i = 0; i < m->nr_binaries && !c->nomem; i++)
		if (whole_has(c->w, (uint32_t)i) || m->nr_nodes)
			put_mapping(c, &m->binaries[i]);
	put_samples(c);
	for (i = 0; i < c->nr_locations && !c->nomem; i++)
		put_location(c, i);
	/* locations add the functions that they are in */
	for (i = 0; i < c->fs.nr && !c->nomem; i++)
		put_function(c, i);
	put_strings(c);
	gzip_write(&c->gz, NULL, 0, Z_FINISH);
}

int pprof_write(struct pd_output *out, const struct whole *w)
{
	enum { GZIP = 16 };	/* zlib.h, deflateInit2(): added to the window's bits */
	struct pprof *c = calloc(1, sizeof(*c));
	bool ok;

	if (!c)
		return ERR_NOMEM;
	c->w = w;
	c->gz.out = out;
	ok = deflateInit2(&c->gz.z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
	     functions_init(&c->fs, w->model, w->demangle) && places_init(&c->places, w->model, w->symfs);
	if (ok)
		put_profile(c);
	ok = ok && !c->nomem;
	deflateEnd(&c->gz.z);
	if (c->places.v)
		places_free(&c->places);
	functions_free(&c->fs);
	strings_free(&c->strings);
	free(c->locations);
	free(c->slot);
	free(c->ids);
	free(c->sites);
	free(c->bytes);
	free(c);
	return ok ? 0 : ERR_NOMEM;
}
#endif
