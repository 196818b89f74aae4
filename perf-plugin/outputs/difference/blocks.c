/* SPDX-License-Identifier: GPL-2.0-only */
/* blocks.c - code of one build, in pieces whose executions changed alike. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "outputs/difference/internal.h"
#include "outputs/profile/costs.h"

/* A binary of one build while its blocks are found. */
struct pieces {
	struct diff_state *s;
	const struct model_binary *b;	/* of DIFF_AFTER */
	uint32_t binary[DIFF_SIDES];
	struct costs costs[DIFF_SIDES];
	uint64_t *bound;	/* offsets at which executions may change */
	size_t nr_bounds, cap_bounds;
};

static void add_bounds(struct pieces *p, const struct costs *c, bool t32)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->v[i].t32 == t32 && !c->v[i].whole) {
			*ARRAY_ADD(p->bound, p->nr_bounds, p->cap_bounds) = c->v[i].begin;
			*ARRAY_ADD(p->bound, p->nr_bounds, p->cap_bounds) = c->v[i].end;
		}
}

/* Adds a block, or counts it if nothing changed. */
static void add_block(struct pieces *p, const struct cost *piece, uint64_t begin, uint64_t end,
		      size_t *cap)
{
	struct difference *d = p->s->d;
	struct side *after = &p->s->side[DIFF_AFTER];
	struct diff_block b = { .binary = p->b->number, .begin = begin, .end = end };
	uint64_t at = begin;
	uint32_t function = functions_at(&after->fs, p->b->number, begin);

	b.size = costs_pass(p->b, piece, &at, end);
	b.executions[DIFF_BEFORE] = costs_at(&p->costs[DIFF_BEFORE], piece->t32, begin);
	b.executions[DIFF_AFTER] =
		diff_scaled(d, costs_at(&p->costs[DIFF_AFTER], piece->t32, begin));
	b.insns[DIFF_BEFORE] = model_product(b.size, b.executions[DIFF_BEFORE]);
	b.insns[DIFF_AFTER] = model_product(b.size, b.executions[DIFF_AFTER]);
	if (!diff_size(b.insns)) {
		d->unchanged_blocks += b.executions[DIFF_BEFORE] > 0;
		return;
	}
	/* code that only the other side has executed has its function there */
	if (function >= after->nr_functions) {
		struct side *before = &p->s->side[DIFF_BEFORE];

		function = functions_at(&before->fs, p->binary[DIFF_BEFORE], begin);
		b.function =
			function < before->nr_functions ? before->subject[function] : DIFF_NONE;
	} else {
		b.function = after->subject[function];
	}
	*ARRAY_ADD(d->blocks, d->nr_blocks, *cap) = b;
}

static void find(struct pieces *p, bool t32, size_t *cap)
{
	struct cost piece = { .t32 = t32 };
	uint64_t end;
	size_t i;

	p->nr_bounds = 0;
	add_bounds(p, &p->costs[DIFF_BEFORE], t32);
	add_bounds(p, &p->costs[DIFF_AFTER], t32);
	p->nr_bounds = ARRAY_JOIN(p->bound, p->nr_bounds, array_compare_u64, NULL);
	for (i = 0; i + 1 < p->nr_bounds; i++) {
		piece.begin = p->bound[i];
		piece.end = p->bound[i + 1];
		if (!costs_at(&p->costs[DIFF_BEFORE], t32, piece.begin) &&
		    !costs_at(&p->costs[DIFF_AFTER], t32, piece.begin))
			continue;
		for (; piece.begin < piece.end; piece.begin = end) {
			struct functions *fs = &p->s->side[DIFF_AFTER].fs;
			const struct function *f =
				&fs->v[functions_at(fs, p->b->number, piece.begin)];

			/* a block does not go beyond its function */
			end = f->end > piece.begin && f->end < piece.end ? f->end : piece.end;
			add_block(p, &piece, piece.begin, end, cap);
		}
	}
}

static void find_in(struct diff_state *s, const struct group *g, size_t *cap)
{
	struct pieces p = {
		.s = s, .b = &s->side[DIFF_AFTER].whole.model->binaries[g->binary[DIFF_AFTER]]
	};
	unsigned int i;

	for (i = 0; i < DIFF_SIDES; i++) {
		const struct model *m = s->side[i].whole.model;

		p.binary[i] = g->binary[i];
		costs_measured(&p.costs[i], m, &m->binaries[g->binary[i]]);
	}
	find(&p, false, cap);
	find(&p, true, cap);
	costs_free(&p.costs[DIFF_BEFORE]);
	costs_free(&p.costs[DIFF_AFTER]);
	free(p.bound);
}

static int compare_blocks(const void *pa, const void *pb)
{
	const struct diff_block *a = pa, *b = pb;
	const uint64_t x = diff_size(a->insns), y = diff_size(b->insns);

	if (x != y)
		return x > y ? -1 : 1;
	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	/* of two builds */
	if (a->file && strcmp(a->file, b->file))
		return strcmp(a->file, b->file);
	return a->first < b->first ? -1 : a->first > b->first;
}

void diff_make_blocks(struct diff_state *s)
{
	size_t i, cap = 0;

	for (i = NR_OTHER_GROUPS; i < s->nr_groups; i++)
		if (s->groups[i].same &&
		    whole_has(&s->side[DIFF_AFTER].whole, s->groups[i].binary[DIFF_AFTER]))
			find_in(s, &s->groups[i], &cap);
	diff_make_line_blocks(s, &cap);
	ARRAY_SORT(s->d->blocks, s->d->nr_blocks, compare_blocks);
}
