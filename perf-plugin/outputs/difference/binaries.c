/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * binaries.c - pairs the binaries of both sides: by id, by path, by name, and the program that is
 * left with that one.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/path.h"
#include "machine/images/dso.h"
#include "outputs/difference/internal.h"
#include "outputs/profile/choose.h"

static bool same_id(const struct cst_count_binary *a, const struct cst_count_binary *b)
{
	return a->id_kind == b->id_kind && a->id_len == b->id_len &&
	       !memcmp(a->id, b->id, a->id_len);
}

static bool by_id(const struct model_binary *a, const struct model_binary *b)
{
	return same_id(&a->is, &b->is);
}

static bool by_path(const struct model_binary *a, const struct model_binary *b)
{
	return a->is.type == b->is.type && !strcmp(a->is.name, b->is.name);
}

static bool by_name(const struct model_binary *a, const struct model_binary *b)
{
	return a->is.type == b->is.type && !strcmp(path_label(a->is.name), path_label(b->is.name));
}

/*
 * True for a method, or a BPF program: its name is that of the function, and each copy has another
 * id.
 */
static bool is_generated(const struct model_binary *b)
{
	return b->is.type == CST_COUNT_JIT ||
	       (b->is.type == CST_COUNT_MEMORY && !strncmp(b->is.name, "bpf_", 4));
}

static void add_group(struct diff_state *s, uint32_t before, uint32_t after)
{
	const uint32_t number = (uint32_t)s->nr_groups;
	struct group *g = ARRAY_ADD(s->groups, s->nr_groups, s->cap_groups);
	const struct model *const m[] = { s->side[DIFF_BEFORE].whole.model,
					  s->side[DIFF_AFTER].whole.model };

	*g = (struct group){ .binary = { before, after } };
	if (before != CST_COUNT_NO_BINARY)
		s->side[DIFF_BEFORE].group[before] = number;
	if (after != CST_COUNT_NO_BINARY)
		s->side[DIFF_AFTER].group[after] = number;
	if (before == CST_COUNT_NO_BINARY || after == CST_COUNT_NO_BINARY)
		return;
	g->same = same_id(&m[DIFF_BEFORE]->binaries[before].is, &m[DIFF_AFTER]->binaries[after].is);
	s->d->same_build &= g->same;
}

/* Pairs each binary with the first one that `same` finds. */
static void pair(struct diff_state *s,
		 bool (*same)(const struct model_binary *a, const struct model_binary *b))
{
	const struct model *const before = s->side[DIFF_BEFORE].whole.model,
				  *const after = s->side[DIFF_AFTER].whole.model;
	size_t i, k;

	for (i = 0; i < after->nr_binaries; i++) {
		if (s->side[DIFF_AFTER].group[i] != DIFF_NONE)
			continue;
		for (k = 0; k < before->nr_binaries; k++)
			if (s->side[DIFF_BEFORE].group[k] == DIFF_NONE &&
			    same(&before->binaries[k], &after->binaries[i])) {
				add_group(s, (uint32_t)k, (uint32_t)i);
				break;
			}
	}
}

/* The only program of a side that has no pair; NULL: there are none or several. */
static struct model_binary *program_left(const struct side *side)
{
	const struct model *m = side->whole.model;
	struct model_binary **v = mem_array(m->nr_binaries + 1, sizeof(struct model_binary *)),
			    *found;
	size_t i, n = 0;

	for (i = 0; i < m->nr_binaries; i++)
		if (side->group[i] == DIFF_NONE && m->binaries[i].insns)
			v[n++] = &m->binaries[i];
	found = choose_main(v, n);
	free(v);
	return found;
}

static void pair_programs(struct diff_state *s)
{
	const struct model_binary *before = program_left(&s->side[DIFF_BEFORE]),
				  *after = program_left(&s->side[DIFF_AFTER]);

	if (before && after)
		add_group(s, before->number, after->number);
}

static void begin_side(struct side *side)
{
	const struct model *m = side->whole.model;
	size_t i;

	side->group = mem_array(m->nr_binaries + 1, sizeof(*side->group));
	for (i = 0; i < m->nr_binaries; i++)
		side->group[i] = is_generated(&m->binaries[i]) ? GROUP_GENERATED : DIFF_NONE;
}

static void rest(struct diff_state *s, enum diff_side side)
{
	const struct model *m = s->side[side].whole.model;
	size_t i;

	for (i = 0; i < m->nr_binaries; i++)
		if (s->side[side].group[i] == DIFF_NONE)
			add_group(s, side == DIFF_BEFORE ? (uint32_t)i : CST_COUNT_NO_BINARY,
				  side == DIFF_AFTER ? (uint32_t)i : CST_COUNT_NO_BINARY);
}

void diff_pair_binaries(struct diff_state *s)
{
	size_t i;

	for (i = 0; i < NR_OTHER_GROUPS; i++)
		*ARRAY_ADD(s->groups, s->nr_groups, s->cap_groups) =
			(struct group){ .binary = { CST_COUNT_NO_BINARY, CST_COUNT_NO_BINARY } };
	begin_side(&s->side[DIFF_BEFORE]);
	begin_side(&s->side[DIFF_AFTER]);
	pair(s, by_id);
	pair(s, by_path);
	pair(s, by_name);
	pair_programs(s);
	rest(s, DIFF_BEFORE);
	rest(s, DIFF_AFTER);
}
