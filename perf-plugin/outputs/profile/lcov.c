/* SPDX-License-Identifier: GPL-2.0-only */
/* lcov.c - tracefiles of geninfo(1): executions of lines and functions, and directions of branches. */
#include "base/name.h"
#include "outputs/profile/coverage.h"
#include "outputs/profile/lines.h"

/* KEY:A,B */
static void put_pair(struct lines *l, const char *key, uint64_t a, uint64_t b)
{
	lines_string(l, key);
	lines_unsigned(l, a, ',');
	lines_unsigned(l, b, '\n');
}

/* FOUND:N and HIT:N */
static void put_sums(struct lines *l, const char *found, size_t n, const char *hit, size_t h)
{
	lines_string(l, found);
	lines_unsigned(l, n, '\n');
	lines_string(l, hit);
	lines_unsigned(l, h, '\n');
}

/* KEY:N,NAME */
static void put_function(struct lines *l, const char *key, uint64_t n, const char *name)
{
	lines_string(l, key);
	lines_unsigned(l, n, ',');
	lines_string(l, name);
	lines_string(l, "\n");
}

static void put_functions(struct lines *l, const struct coverage_file *f)
{
	size_t i;

	for (i = 0; i < f->nr_functions; i++)
		put_function(l, "FN:", f->functions[i].at.line, f->functions[i].name);
	for (i = 0; i < f->nr_functions; i++)
		put_function(l, "FNDA:", f->functions[i].count, f->functions[i].name);
	put_sums(l, "FNF:", f->nr_functions, "FNH:", f->functions_hit);
}

/* BRDA:LINE,BLOCK,BRANCH,TAKEN: block is the number of the branch in its line; branch 0 is not taken, 1 is taken. */
static void put_direction(struct lines *l, const struct coverage_branch *b, size_t block, unsigned int branch)
{
	lines_string(l, "BRDA:");
	lines_unsigned(l, b->at.line, ',');
	lines_unsigned(l, block, ',');
	lines_unsigned(l, branch, ',');
	if (b->executed)
		lines_unsigned(l, branch ? b->taken : b->not_taken, '\n');
	else
		lines_string(l, "-\n");
}

static void put_branches(struct lines *l, const struct coverage_file *f)
{
	const struct coverage_branch *b = f->branches;
	size_t i, block = 0;

	for (i = 0; i < f->nr_branches; i++, b++) {
		block = i && !coverage_compare(&b[-1].at, &b->at) ? block + 1 : 0;
		put_direction(l, b, block, 0);
		put_direction(l, b, block, 1);
	}
	put_sums(l, "BRF:", 2 * f->nr_branches, "BRH:", f->directions_hit);
}

/*
 * #untraced:LINE,N: N times execution came to the line, and the trace does not show whether it was
 * executed. #reached:N: lines of which no execution is known. Readers of tracefiles take them for
 * comments.
 */
static void put_untraced(struct lines *l, const struct coverage_file *f)
{
	size_t i;

	for (i = 0; i < f->nr_lines; i++)
		if (f->lines[i].untraced)
			put_pair(l, "#untraced:", f->lines[i].at.line, f->lines[i].untraced);
	if (!f->lines_reached)
		return;
	lines_string(l, "#reached:");
	lines_unsigned(l, f->lines_reached, '\n');
}

static void put_lines(struct lines *l, const struct coverage_file *f)
{
	size_t i;

	for (i = 0; i < f->nr_lines; i++)
		put_pair(l, "DA:", f->lines[i].at.line, f->lines[i].count);
	put_sums(l, "LF:", f->nr_lines, "LH:", f->lines_hit);
	put_untraced(l, f);
}

static void put_all(struct lines *l, const struct coverage *c)
{
	struct coverage_file f = { .next = 0 };

	while (coverage_next(c, &f)) {
		lines_string(l, "TN:\nSF:");
		lines_string(l, name_shown(f.name));
		lines_string(l, "\n");
		put_functions(l, &f);
		put_branches(l, &f);
		put_lines(l, &f);
		lines_string(l, "end_of_record\n");
	}
}

int lcov_write(struct pd_output *out, const struct whole *w)
{
	struct coverage c = { .lines = NULL };
	struct lines l;
	size_t lines;

	coverage_init(&c, w);
	lines_init(&l, out);
	put_all(&l, &c);
	lines_flush(&l);
	lines = c.nr_lines;
	coverage_free(&c);
	return !lines;
}
