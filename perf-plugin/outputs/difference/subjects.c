/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * subjects.c - the functions of both sides, paired by place in one build and by name in two. A name
 * that several functions of a build have, static ones, is that of those in one source file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/format.h"
#include "base/name.h"
#include "base/path.h"
#include "machine/images/dso.h"
#include "outputs/difference/base_name.h"
#include "outputs/difference/internal.h"

/* Returns the entry of a name in a group. */
static struct base *base_of(struct diff_state *s, const char *key)
{
	const size_t known = s->names.n;
	const uint32_t number = strings_number(&s->names, key);

	if (s->names.n > known) {
		array_reserve(&s->bases, known, &s->cap_bases, sizeof(*s->bases));
		s->bases[number] = (struct base){ .subject = DIFF_NONE };
	}
	return &s->bases[number];
}

/* The key of the first `len` bytes of a name; the caller frees it. */
static char *name_key(uint32_t group, const char *name, size_t len)
{
	return format_text("%u %.*s", group, (int)(len < NAME_SHOWN_MAX ? len : NAME_SHOWN_MAX),
			   name);
}

/* Names of the symbols of a binary; those that functions at several places have are marked. */
static void read_symbols(struct diff_state *s, enum diff_side side, uint32_t group)
{
	const uint32_t number = s->groups[group].binary[side];
	const struct dso *d = number == CST_COUNT_NO_BINARY ?
				      NULL :
				      s->side[side].whole.model->binaries[number].dso;
	struct base *b;
	char *key;
	size_t i;

	for (i = 0; d && i < d->symbols.nr_syms; i++) {
		const char *name = d->symbols.syms[i].name;

		if (!name || base_name_len(name) != strlen(name))
			continue;
		key = name_key(group, name, strlen(name));
		b = base_of(s, key);
		free(key);
		b->several |= b->seen[side] && b->offset[side] != d->symbols.syms[i].offset;
		b->seen[side] = true;
		b->offset[side] = d->symbols.syms[i].offset;
	}
}

/* The last part of the name of the source file that a function begins in; "": unknown. */
static const char *file_of(const struct side *side, const struct function *f)
{
	return path_label(places_at(side->whole.places, f->binary, f->start).file);
}

static bool is_unnamed(const struct function *f)
{
	return f->name[0] == '[' && strstr(f->name, "+0x");
}

/* True for code that has nothing to be paired by: places of two builds say nothing. */
static bool is_lumped(const struct diff_state *s, uint32_t group, const struct function *f)
{
	return group >= NR_OTHER_GROUPS && !s->groups[group].same && is_unnamed(f);
}

/* What a function is paired by, with its group; the caller frees it. */
static char *subject_key(struct diff_state *s, const struct side *side, uint32_t group,
			 const struct function *f)
{
	size_t len = base_name_len(f->name);
	char *key, *with_file;

	if (group >= NR_OTHER_GROUPS && s->groups[group].same)
		return format_text("%u @%" PRIx64, group, f->start);
	if (is_lumped(s, group, f))
		return format_text("%u []", group);
	key = name_key(group, f->name, len);
	if (group < NR_OTHER_GROUPS || !base_of(s, key)->several)
		return key;
	with_file = format_text("%s\n%s", key, file_of(side, f));
	free(key);
	return with_file;
}

static uint32_t group_of(const struct side *side, const struct function *f)
{
	return f->binary == CST_COUNT_NO_BINARY ? GROUP_ELSEWHERE : side->group[f->binary];
}

/* Returns the subject of a function. */
static uint32_t subject_of(struct diff_state *s, enum diff_side which, uint32_t function)
{
	const struct side *side = &s->side[which];
	const struct function *f = &side->fs.v[function];
	const uint32_t group = group_of(side, f);
	char *key = subject_key(s, side, group, f);
	struct base *b = base_of(s, key);

	free(key);
	if (b->subject == DIFF_NONE) {
		b->subject = (uint32_t)s->nr_subjects;
		*ARRAY_ADD(s->subjects, s->nr_subjects, s->cap_subjects) = (struct subject){
			.is = { .host = { DIFF_NONE, DIFF_NONE } },
			.group = group,
			.first = { DIFF_NONE, DIFF_NONE },
			.unnamed = is_lumped(s, group, f),
			.renamed_to = DIFF_NONE,
		};
	}
	return b->subject;
}

static void add_function(struct diff_state *s, enum diff_side side, uint32_t function)
{
	const uint32_t number = subject_of(s, side, function);
	struct subject *sub = &s->subjects[number];

	s->side[side].subject[function] = number;
	/* the one without a suffix names it */
	if (sub->first[side] == DIFF_NONE || base_name_len(s->side[side].fs.v[function].name) ==
						     strlen(s->side[side].fs.v[function].name))
		sub->first[side] = function;
}

static void add_counts(struct diff_state *s, enum diff_side side, const struct hot_function *h)
{
	struct subject *sub = &s->subjects[s->side[side].subject[h->index]];

	sub->is.insns[side] = model_sum(sub->is.insns[side], h->insns);
	sub->is.calls[side] = model_sum(sub->is.calls[side], h->calls);
	sub->is.parts[side]++;
	sub->own[side] = sub->is.insns[side];
}

static void add_side(struct diff_state *s, enum diff_side which)
{
	struct side *side = &s->side[which];
	size_t i;

	side->nr_functions = side->fs.nr;
	side->subject = mem_array(side->nr_functions, sizeof(*side->subject));
	for (i = 0; i < side->nr_functions; i++)
		add_function(s, which, (uint32_t)i);
	for (i = 0; i < side->hot.n; i++)
		add_counts(s, which, &side->hot.v[i]);
}

void diff_make_subjects(struct diff_state *s)
{
	size_t i;

	for (i = NR_OTHER_GROUPS; i < s->nr_groups; i++)
		if (!s->groups[i].same) {
			read_symbols(s, DIFF_BEFORE, (uint32_t)i);
			read_symbols(s, DIFF_AFTER, (uint32_t)i);
		}
	add_side(s, DIFF_BEFORE);
	add_side(s, DIFF_AFTER);
}

uint32_t diff_subject_named(const struct diff_state *s, uint32_t group, const char *name)
{
	char *key = name_key(group, name, base_name_len(name));
	const uint32_t number = strings_find(&s->names, key);

	free(key);
	return number == UINT32_MAX || s->bases[number].several ? DIFF_NONE :
								  s->bases[number].subject;
}
