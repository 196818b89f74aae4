/* SPDX-License-Identifier: GPL-2.0-only */
/* functions.c - finds the function of a place by symbols, and by the targets of calls where there are none. */
#include "outputs/profile/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/name.h"
#include "base/path.h"
#include "machine/images/dso.h"
#include "machine/images/stubs.h"
#include "machine/images/unwind.h"
#include "outputs/sources/demangle.h"

const char *functions_binary(const struct model *m, uint32_t binary)
{
	const char *name;

	if (binary == CST_COUNT_NO_BINARY)
		return "[elsewhere]";
	name = m->binaries[binary].is.name;
	return name_shown(path_label(name));
}

#define NR_RECENT	8192u	/* a power of two */

static size_t hash(uint32_t binary, uint64_t start)
{
	return (size_t)((start ^ (uint64_t)binary << 48) * 0x9e3779b97f4a7c15u >> 20);
}

static struct function_place *recent_of(const struct functions *fs, uint32_t binary, uint64_t offset)
{
	return &fs->recent[hash(binary, offset) & (NR_RECENT - 1)];
}

static void forget_recent(struct functions *fs)
{
	size_t i;

	for (i = 0; i < NR_RECENT; i++)
		fs->recent[i].binary = CST_COUNT_NO_BINARY;
}

static void add_target(struct functions *fs, uint32_t binary, uint64_t offset)
{
	struct function_place *r = recent_of(fs, binary, offset);
	struct function_targets *t = &fs->targets[binary];

	if (r->binary == binary && r->offset == offset)
		return;
	*r = (struct function_place){ .offset = offset, .binary = binary };
	*ARRAY_ADD(t->v, t->n, t->cap) = offset;
}

/* The callees of all calls, and where programs begin. A ROOT begins anywhere in its function. */
static void read_targets(struct functions *fs)
{
	const struct model *m = fs->model;
	uint64_t entry;
	size_t i;

	fs->targets = mem_zeroed(m->nr_binaries ? m->nr_binaries : 1, sizeof(*fs->targets));
	for (i = 0; i < m->nr_nodes; i++) {
		const struct cst_count_node *n = &m->nodes[i].is;

		if (n->kind != CST_COUNT_ROOT && n->kind != CST_COUNT_CUT &&
		    n->binary != CST_COUNT_NO_BINARY)
			add_target(fs, n->binary, n->entry);
	}
	for (i = 0; i < m->nr_binaries; i++) {
		const struct dso *d = m->binaries[i].dso;
		struct function_targets *t = &fs->targets[i];

		if (d && unwind_entry(d, &entry))
			add_target(fs, (uint32_t)i, entry);
		t->n = ARRAY_JOIN(t->v, t->n, array_compare_u64, NULL);
	}
}

static uint64_t hash_at(const void *array, uint32_t i)
{
	const struct function *f = (const struct function *)array + i;

	return hash(f->binary, f->start);
}

static const char *copy_name(const struct functions *fs, const char *name)
{
	char *plain = fs->demangle ? demangled(name) : NULL;
	const char *copy = mem_text(name_shown(plain ? plain : name));

	free(plain);
	return copy;
}

/* Adds a function, or returns the one that is there. The name is copied. */
static uint32_t add_function(struct functions *fs, const struct function *f)
{
	const uint32_t *slot;
	struct function *to;
	size_t at;

	slots_reserve(&fs->slots, fs->nr, fs->v, hash_at);
	slot = fs->slots.v;
	SLOTS_FIND(&fs->slots, at, hash(f->binary, f->start),
		   fs->v[slot[at] - 1].binary == f->binary && fs->v[slot[at] - 1].start == f->start);
	if (slot[at])
		return slot[at] - 1;
	to = ARRAY_ADD(fs->v, fs->nr, fs->cap);
	*to = *f;
	to->name = copy_name(fs, f->name);
	fs->slots.v[at] = (uint32_t)fs->nr;
	return (uint32_t)fs->nr - 1;
}

void functions_init(struct functions *fs, const struct model *m, bool demangle)
{
	static const struct function none[] = {
		{ CST_COUNT_NO_BINARY, 0, 1, "[elsewhere]" },
		{ CST_COUNT_NO_BINARY, 1, 2, "[cut]" },
	};

	*fs = (struct functions){ .model = m, .demangle = demangle,
				  .recent = mem_array(NR_RECENT, sizeof(*fs->recent)) };
	forget_recent(fs);
	read_targets(fs);
	add_function(fs, &none[FUNCTION_ELSEWHERE]);
	add_function(fs, &none[FUNCTION_CUT]);
	forget_recent(fs);
}

void functions_free(struct functions *fs)
{
	size_t i;

	for (i = 0; i < fs->nr; i++)
		free((char *)fs->v[i].name);
	for (i = 0; fs->targets && i < fs->model->nr_binaries; i++)
		free(fs->targets[i].v);
	free(fs->targets);
	free(fs->recent);
	slots_free(&fs->slots);
	free(fs->v);
	*fs = (struct functions){ .model = NULL };
}

/* Narrows [f->start, f->end) to the code between two targets of calls around `offset`. */
static void between_targets(const struct function_targets *t, uint64_t offset, struct function *f)
{
	size_t lo = 0, hi = t->n;

	BISECT(lo, hi, mid, t->v[mid] <= offset);
	if (lo && t->v[lo - 1] > f->start)
		f->start = t->v[lo - 1];
	if (lo < t->n && t->v[lo] < f->end)
		f->end = t->v[lo];
}

/* A function ends where a symbol behind `offset` begins, also one inside of it. Returns the index of that symbol. */
static size_t until_symbol(const struct dso *d, uint64_t offset, struct function *f)
{
	size_t lo = 0, hi = d->symbols.nr_syms;

	BISECT(lo, hi, mid, d->symbols.syms[mid].offset <= offset);
	if (lo < d->symbols.nr_syms && d->symbols.syms[lo].offset < f->end)
		f->end = d->symbols.syms[lo].offset;
	return lo;
}

/* Narrows [f->start, f->end) to the code between two symbols. */
static void between_symbols(const struct dso *d, uint64_t offset, struct function *f)
{
	size_t next = until_symbol(d, offset, f);
	uint64_t end, start, size;
	const char *name;

	if (!next)
		return;
	end = d->symbols.syms[next - 1].offset + d->symbols.syms[next - 1].size;
	/* one without a size has an end, too, unless only its start is known */
	if (dso_symbol(d, d->symbols.syms[next - 1].offset, &name, &start, &size) &&
	    start == d->symbols.syms[next - 1].offset)
		end = start + size;
	if (end <= offset && end > f->start)
		f->start = end;
}

/* The executable segment that holds `offset`. */
static void in_segment(const struct model_binary *b, uint64_t offset, struct function *f)
{
	const struct cst_count_segment *s;
	size_t left;

	for (s = b->segs, left = b->nr_segs; left; left--, s++)
		if (s->exec && offset >= s->offset && offset - s->offset < s->size) {
			f->start = s->offset;
			f->end = s->offset + s->size;
		}
}

static uint32_t unnamed(struct functions *fs, const struct model_binary *b, uint64_t offset)
{
	struct function f = { .binary = b->number, .start = 0, .end = UINT64_MAX };
	char name[300];

	in_segment(b, offset, &f);
	if (b->dso) {
		between_symbols(b->dso, offset, &f);
		stubs_between(b->dso, offset, &f.start, &f.end);
	}
	between_targets(&fs->targets[b->number], offset, &f);
	snprintf(name, sizeof(name), "[%.250s+0x%" PRIx64 "]", functions_binary(fs->model, b->number), f.start);
	f.name = name;
	return add_function(fs, &f);
}

uint32_t functions_at(struct functions *fs, uint32_t binary, uint64_t offset)
{
	const struct function *last = &fs->v[fs->last];
	struct function_place *recent;
	const struct model_binary *b;
	struct function f = { .binary = binary };
	uint64_t size;
	uint32_t found;

	if (binary == CST_COUNT_NO_BINARY)
		return FUNCTION_ELSEWHERE;
	if (last->binary == binary && offset >= last->start && offset < last->end)
		return fs->last;
	recent = recent_of(fs, binary, offset);
	if (recent->binary == binary && recent->offset == offset)
		return recent->function;
	b = &fs->model->binaries[binary];
	if (b->is.type == CST_COUNT_JIT || (b->is.type == CST_COUNT_MEMORY && !strncmp(b->is.name, "bpf_", 4))) {
		f.end = UINT64_MAX;
		f.name = b->is.name;
		found = add_function(fs, &f);
	} else if (b->dso && dso_symbol(b->dso, offset, &f.name, &f.start, &size)) {
		f.end = size > UINT64_MAX - f.start ? UINT64_MAX : f.start + size;
		until_symbol(b->dso, offset, &f);
		found = add_function(fs, &f);
	} else {
		found = unnamed(fs, b, offset);
	}
	fs->last = found;
	*recent = (struct function_place){ .offset = offset, .binary = binary, .function = found };
	return found;
}

uint32_t functions_of_node(struct functions *fs, const struct cst_count_node *n)
{
	return n->kind == CST_COUNT_CUT ? FUNCTION_CUT : functions_at(fs, n->binary, n->entry);
}
