/* SPDX-License-Identifier: GPL-2.0-only */
/* line_blocks.c - lines of two builds, function by function, in pieces whose runs changed alike. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "outputs/difference/internal.h"

/* A line of a function of both sides. */
struct run_line {
	uint32_t subject, file;
	unsigned int line;
	bool gone;	/* a line of DIFF_BEFORE that DIFF_AFTER does not have */
	uint64_t runs[DIFF_SIDES], insns[DIFF_SIDES];
};

static int compare(const void *pa, const void *pb)
{
	const struct run_line *a = pa, *b = pb;

	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->gone != b->gone)
		return (int)a->gone - (int)b->gone;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void join(void *to, void *more)
{
	struct run_line *a = to, *b = more;
	unsigned int i;

	for (i = 0; i < DIFF_SIDES; i++) {
		a->runs[i] = b->runs[i] > a->runs[i] ? b->runs[i] : a->runs[i];
		a->insns[i] = model_sum(a->insns[i], b->insns[i]);
	}
}

/* The subject of a line, if its builds differ; DIFF_NONE: of one build, blocks have addresses. */
static uint32_t subject_of(const struct diff_state *s, enum diff_side side,
			   const struct line_cost *c)
{
	const struct side *of = &s->side[side];
	const uint32_t sub = c->function < of->nr_functions ? of->subject[c->function] : DIFF_NONE;

	if (sub == DIFF_NONE || s->groups[s->subjects[sub].group].same)
		return DIFF_NONE;
	return s->subjects[sub].renamed_to == DIFF_NONE ? sub : s->subjects[sub].renamed_to;
}

static struct run_line *lines_of(const struct diff_state *s, size_t *n)
{
	struct run_line *v = mem_array(
		s->side[DIFF_BEFORE].nr_costs + s->side[DIFF_AFTER].nr_costs + 1, sizeof(*v));
	unsigned int side;
	size_t i;

	*n = 0;
	for (side = 0; side < DIFF_SIDES; side++)
		for (i = 0; i < s->side[side].nr_costs; i++) {
			const struct line_cost *c = &s->side[side].costs[i];
			struct run_line l = { .file = c->file };

			l.subject = subject_of(s, (enum diff_side)side, c);
			if (l.subject == DIFF_NONE)
				continue;
			l.line =
				diff_line_after(s, (enum diff_side)side, c->file, c->line, &l.gone);
			l.runs[side] = side == DIFF_AFTER ? diff_scaled(s->d, c->runs) : c->runs;
			l.insns[side] = side == DIFF_AFTER ? diff_scaled(s->d, c->insns) : c->insns;
			v[(*n)++] = l;
		}
	*n = ARRAY_JOIN(v, *n, compare, join);
	return v;
}

/* True for lines of one block. Lines without code may be between them. */
static bool alike(const struct run_line *a, const struct run_line *b)
{
	return a->subject == b->subject && a->file == b->file && a->gone == b->gone &&
	       !memcmp(a->runs, b->runs, sizeof(a->runs));
}

void diff_make_line_blocks(struct diff_state *s, size_t *cap)
{
	struct difference *d = s->d;
	size_t n, i, k, next;
	struct run_line *v = lines_of(s, &n);

	for (i = 0; i < n; i = next) {
		struct diff_block b = { .binary = CST_COUNT_NO_BINARY,
					.function = v[i].subject,
					.first = v[i].line };

		for (next = i + 1; next < n && alike(&v[i], &v[next]); next++)
			;
		b.last = v[next - 1].line;
		memcpy(b.executions, v[i].runs, sizeof(b.executions));
		for (k = i; k < next; k++) {
			b.insns[DIFF_BEFORE] =
				model_sum(b.insns[DIFF_BEFORE], v[k].insns[DIFF_BEFORE]);
			b.insns[DIFF_AFTER] =
				model_sum(b.insns[DIFF_AFTER], v[k].insns[DIFF_AFTER]);
		}
		if (!diff_size(b.insns)) {
			d->unchanged_blocks++;
			continue;
		}
		b.file = mem_text(s->files.v[v[i].file]);
		*ARRAY_ADD(d->blocks, d->nr_blocks, *cap) = b;
	}
	free(v);
}
