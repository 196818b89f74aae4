/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inlined.c - counts of code that one side has inlined and the other side calls. A call of function
 * F that is inlined in function H moves from H to F if the other side has executed F as a function
 * and has no call of it inlined in H: so both sides count it for F. Where both sides have inlined
 * it, it is a part of H in both.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/slots.h"
#include "outputs/difference/base_name.h"
#include "outputs/difference/chains.h"
#include "outputs/difference/internal.h"
#include "outputs/profile/costs.h"

/* Function `inner` is inlined in `outer`, or in what is inlined there: numbers of subjects. */
struct inside {
	uint32_t inner, outer;
};

/*
 * Damaged DWARF may have more pairs: then it is not known which are missing, and nothing is moved.
 */
#define MANY_PAIRS 4000000u

struct inside_set {
	struct inside *v;
	size_t n, cap;
	struct slots slots;
};

struct binary_chains {
	struct chains chains;
	struct strings names;
	/* by number of the name; DIFF_NONE: it is not executed as a function */
	uint32_t *subject;
	struct inside_set inside;
};

/* A group while its counts are moved. */
struct moving {
	struct diff_state *s;
	const struct model_binary *binary[DIFF_SIDES];
	struct binary_chains of[DIFF_SIDES];
};

static uint64_t inside_hash(const void *array, uint32_t i)
{
	const struct inside *in = (const struct inside *)array + i;

	return ((uint64_t)in->inner << 32 | in->outer) * 0x9e3779b97f4a7c15u >> 16;
}

/* Returns the slot of a pair. The set has slots. */
static size_t inside_slot(const struct inside_set *set, struct inside in)
{
	size_t at;

	SLOTS_FIND(&set->slots, at, inside_hash(&in, 0),
		   !memcmp(&set->v[set->slots.v[at] - 1], &in, sizeof(in)));
	return at;
}

static void inside_add(struct inside_set *set, struct inside in)
{
	size_t at;

	slots_reserve(&set->slots, set->n, set->v, inside_hash);
	at = inside_slot(set, in);
	if (set->slots.v[at] || set->n == MANY_PAIRS)
		return;
	*ARRAY_ADD(set->v, set->n, set->cap) = in;
	set->slots.v[at] = (uint32_t)set->n;
}

static bool inside_has(const struct inside_set *set, struct inside in)
{
	return set->n && set->slots.v[inside_slot(set, in)];
}

/* The subject of a function; DIFF_NONE: it was not executed when subjects were made. */
static uint32_t host_of(const struct diff_state *s, enum diff_side side, uint32_t binary,
			uint64_t offset)
{
	struct side *of = &((struct diff_state *)s)->side[side];
	const uint32_t function = functions_at(&of->fs, binary, offset);
	const char *name;
	uint32_t group = of->group[binary];

	if (function < of->nr_functions)
		return of->subject[function];
	name = of->fs.v[function].name;
	return diff_subject_named(s, group, name);
}

/* Adds what is inlined in the function that a piece of code is in, and in each other. */
static void add_inside(struct moving *m, enum diff_side side, const struct chain_piece *piece)
{
	struct binary_chains *of = &m->of[side];
	uint32_t names[SOURCE_INLINED_DEPTH];
	const unsigned int n = chains_names(&of->chains, piece, names);
	const uint32_t host = host_of(m->s, side, m->binary[side]->number, piece->begin);
	uint32_t i, k, inner;

	for (i = 0; i < n; i++) {
		inner = of->subject[names[i]];
		if (inner == DIFF_NONE)
			continue;
		if (host != DIFF_NONE)
			inside_add(&of->inside, (struct inside){ inner, host });
		for (k = 0; k < i; k++)
			if (of->subject[names[k]] != DIFF_NONE)
				inside_add(&of->inside,
					   (struct inside){ inner, of->subject[names[k]] });
	}
}

static void read_side(struct moving *m, enum diff_side side, uint32_t group)
{
	struct binary_chains *of = &m->of[side];
	size_t i;

	chains_init(&of->chains,
		    places_source(m->s->side[side].whole.places, m->binary[side]->number),
		    &of->names);
	of->subject = mem_array(of->names.n + 1, sizeof(*of->subject));
	for (i = 0; i < of->names.n; i++)
		of->subject[i] = diff_subject_named(m->s, group, of->names.v[i]);
	for (i = 0; i < of->chains.nr_pieces; i++)
		add_inside(m, side, &of->chains.pieces[i]);
}

/* The subject that code of a piece belongs to, in the function `host`. */
static uint32_t owner_of(const struct moving *m, enum diff_side side,
			 const struct chain_piece *piece, uint32_t host)
{
	const enum diff_side other = side == DIFF_BEFORE ? DIFF_AFTER : DIFF_BEFORE;
	const struct binary_chains *of = &m->of[side];
	uint32_t names[SOURCE_INLINED_DEPTH], inner;
	const unsigned int n = chains_names(&of->chains, piece, names);
	unsigned int i;

	if (m->of[other].inside.n == MANY_PAIRS)
		return host;
	for (i = 0; i < n; i++) {
		inner = of->subject[names[i]];
		if (inner != DIFF_NONE && m->s->subjects[inner].own[other] &&
		    !inside_has(&m->of[other].inside, (struct inside){ inner, host }))
			host = inner;
	}
	return host;
}

static void move(struct diff_state *s, enum diff_side side, uint32_t from, uint32_t to,
		 uint64_t insns)
{
	struct diff_function *a = &s->subjects[from].is, *b = &s->subjects[to].is;

	a->insns[side] = a->insns[side] > insns ? a->insns[side] - insns : 0;
	b->insns[side] = model_sum(b->insns[side], insns);
	b->inlined[side] = model_sum(b->inlined[side], insns);
	b->host[side] = from;
}

/* Moves the counts of instructions that were executed equally often, piece by piece. */
static void move_cost(struct moving *m, enum diff_side side, const struct cost *c)
{
	const struct chain_piece *piece;
	uint64_t at = c->begin, insns;
	uint32_t host, owner;

	while (at < c->end && (piece = chains_from(&m->of[side].chains, at)) &&
	       piece->begin < c->end) {
		if (at < piece->begin)
			costs_pass(m->binary[side], c, &at, piece->begin);
		host = at < c->end ? host_of(m->s, side, m->binary[side]->number, at) : DIFF_NONE;
		insns = costs_pass(m->binary[side], c, &at, piece->end);
		owner = host == DIFF_NONE ? host : owner_of(m, side, piece, host);
		if (owner != host)
			move(m->s, side, host, owner, model_product(insns, c->count));
	}
}

static void move_side(struct moving *m, enum diff_side side)
{
	const struct model *model = m->s->side[side].whole.model;
	struct costs costs;
	size_t i;

	costs_measured(&costs, model, m->binary[side]);
	for (i = 0; i < costs.n; i++)
		if (!costs.v[i].whole)
			move_cost(m, side, &costs.v[i]);
	costs_free(&costs);
}

static void release(struct binary_chains *of)
{
	chains_free(&of->chains);
	strings_free(&of->names);
	free(of->subject);
	free(of->inside.v);
	slots_free(&of->inside.slots);
}

static void move_group(struct diff_state *s, uint32_t group)
{
	struct moving m = { .s = s };
	unsigned int i;

	for (i = 0; i < DIFF_SIDES; i++) {
		m.binary[i] = &s->side[i].whole.model->binaries[s->groups[group].binary[i]];
		read_side(&m, (enum diff_side)i, group);
	}
	move_side(&m, DIFF_BEFORE);
	move_side(&m, DIFF_AFTER);
	release(&m.of[DIFF_BEFORE]);
	release(&m.of[DIFF_AFTER]);
}

void diff_move_inlined(struct diff_state *s)
{
	size_t i;

	for (i = NR_OTHER_GROUPS; i < s->nr_groups; i++)
		if (!s->groups[i].same && s->groups[i].lines)
			move_group(s, (uint32_t)i);
}
