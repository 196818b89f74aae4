/* SPDX-License-Identifier: GPL-2.0-only */
/* coverage.c - counts lines by the basic blocks that have code of them. */
#include "outputs/profile/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bisect.h"
#include "base/name.h"
#include "machine/images/dso.h"
#include "outputs/profile/blocks.h"
#include "outputs/sources/demangle.h"
#include "outputs/profile/places.h"

/* A piece of code of one line. */
struct piece {
	uint64_t begin, end;
	struct at_line at;
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

/* A line has code in a block, the first of it at an offset. */
struct member {
	struct at_line at;
	uint32_t block;
	uint64_t offset;
	struct block_share share;
};

struct mappings {
	struct source_mapping *v;
	size_t n, cap;
};

/* The tables while they are built. */
struct builder {
	struct coverage *out;
	const struct whole *w;
	size_t cap_lines, cap_functions, cap_branches;
	/* of the binary that is read */
	const struct model_binary *binary;
	struct pieces rows;
	struct mappings mappings;
	struct blocks blocks;
	struct {
		const char *name;
		uint32_t number;
	} last_file;
};

/* Returns the number of a file. */
static uint32_t file_number(struct builder *c, const char *name)
{
	if (name != c->last_file.name) {
		c->last_file.number = strings_number(&c->out->files, name);
		c->last_file.name = name;
	}
	return c->last_file.number;
}

/* ---- one binary ------------------------------------------------------------------------------- */

static void add_row(void *data, const struct source_row *r)
{
	struct builder *c = data;
	const uint32_t file = file_number(c, r->place.file);

	*ARRAY_ADD(c->rows.v, c->rows.n, c->rows.cap) =
		(struct piece){ .begin = r->begin, .end = r->end, .at = { file, r->place.line } };
}

static void add_mapping(void *data, const struct source_mapping *m)
{
	struct builder *c = data;
	*ARRAY_ADD(c->mappings.v, c->mappings.n, c->mappings.cap) = *m;
}

static int compare_mappings(const void *pa, const void *pb)
{
	const struct source_mapping *a = pa, *b = pb;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

static int compare_pieces(const void *pa, const void *pb)
{
	const struct piece *a = pa, *b = pb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return coverage_compare(&a->at, &b->at);
}

/* Sorts the rows; of code that several units have, one remains. */
static void sort_rows(struct pieces *rows)
{
	size_t i, n = 0;

	if (!rows->n)
		return;
	qsort(rows->v, rows->n, sizeof(*rows->v), compare_pieces);
	for (i = 1; i < rows->n; i++)
		if (rows->v[i].begin >= rows->v[n].end)
			rows->v[++n] = rows->v[i];
	rows->n = n + 1;
}

/* The code that has lines. */
static struct code_part *code_of(const struct pieces *rows, size_t *n)
{
	struct code_part *v = mem_array(rows->n, sizeof(*v));
	size_t i;

	*n = 0;
	for (i = 0; i < rows->n; i++) {
		if (*n && v[*n - 1].end == rows->v[i].begin)
			v[*n - 1].end = rows->v[i].end;
		else
			v[(*n)++] = (struct code_part){ .begin = rows->v[i].begin, .end = rows->v[i].end };
	}
	return v;
}

static int compare_members(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;
	int order = coverage_compare(&a->at, &b->at);

	if (order || a->block != b->block)
		return order ? order : a->block < b->block ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The part of a row that is in a block. */
static struct member member_of(const struct builder *c, const struct piece *row, size_t block)
{
	const struct block *b = &c->blocks.v[block];
	struct member m = { .at = row->at, .block = (uint32_t)block,
			   .offset = row->begin > b->begin ? row->begin : b->begin };

	if (b->count)
		m.share = blocks_share(&c->blocks, c->binary, block, m.offset,
				       row->end < b->end ? row->end : b->end);
	return m;
}

/* Adds what another row of the line has in the same block. */
static void join_members(struct member *to, const struct member *more)
{
	to->share.executed |= more->share.executed;
	to->share.untraced |= more->share.untraced;
	if (more->share.taken > to->share.taken)
		to->share.taken = more->share.taken;
}

/* Which lines have code in which blocks, sorted. */
static struct member *members_of(const struct builder *c, size_t *n)
{
	const struct blocks *bs = &c->blocks;
	struct member *v = NULL;
	size_t cap = 0, i, k, b = 0;

	*n = 0;
	for (i = 0; i < c->rows.n; i++) {
		while (b < bs->n && bs->v[b].end <= c->rows.v[i].begin)
			b++;
		for (k = b; k < bs->n && bs->v[k].begin < c->rows.v[i].end; k++)
			*ARRAY_ADD(v, *n, cap) = member_of(c, &c->rows.v[i], k);
	}
	if (!*n)
		return mem_zeroed(1, sizeof(*v));
	qsort(v, *n, sizeof(*v), compare_members);
	for (i = 1, k = 0; i < *n; i++)
		if (v[k].block != v[i].block || coverage_compare(&v[k].at, &v[i].at))
			v[++k] = v[i];
		else
			join_members(&v[k], &v[i]);
	*n = k + 1;
	return v;
}

/* Returns the member of a line that is in a block, NULL if none is. */
static const struct member *member_in(const struct member *v, size_t n, uint32_t block)
{
	size_t lo = 0, hi = n;

	BISECT(lo, hi, mid, v[mid].block < block);
	return lo < n && v[lo].block == block ? &v[lo] : NULL;
}

/* Executions of block v[i] that no way forward from another block of the line led to. */
static uint64_t arrivals(const struct blocks *bs, const struct member *v, size_t n, size_t i)
{
	const uint32_t b = v[i].block;
	uint64_t inside = b && i && v[i - 1].block == b - 1 ? bs->v[b].through : 0;
	size_t lo = 0, hi = bs->nr_jumps;

	BISECT(lo, hi, mid, bs->jumps[mid].to < b);
	for (; lo < bs->nr_jumps && bs->jumps[lo].to == b; lo++)
		if (bs->jumps[lo].from < b && member_in(v, n, bs->jumps[lo].from))
			inside = model_sum(inside, bs->jumps[lo].count);
	return bs->v[b].count > inside ? bs->v[b].count - inside : 0;
}

/*
 * True if all that the line has in the block of v[i] is an unconditional jump back to a block of it: a detour of the compiler, as
 * from a "break" to the next time around the outer loop.
 */
static bool detour(const struct blocks *bs, const struct member *v, size_t n, size_t i)
{
	const struct block *b = &bs->v[v[i].block];

	return b->jump == v[i].offset && b->jump_to < v[i].block && member_in(v, n, b->jump_to);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Counts the executions of a line that has code in the blocks of `v`. Those that are traced are at
 * least the ones that began in a block where it is traced, and at least the executions of each of
 * these blocks: a way that leads forward is in a block once.
 */
static struct coverage_line count_line(const struct blocks *bs, const struct member *v, size_t n)
{
	uint64_t all = 0, began = 0, most = 0, came, known;
	const struct block_share *share;
	size_t i;

	for (i = 0; i < n; i++) {
		if (detour(bs, v, n, i))
			continue;
		share = &v[i].share;
		came = arrivals(bs, v, n, i);
		known = bs->v[v[i].block].count;
		if (!share->executed)
			known = least(share->taken, known);
		all = model_sum(all, share->executed || share->untraced ? came : least(came, known));
		began = model_sum(began, least(came, known));
		most = known > most ? known : most;
	}
	known = least(all, began > most ? began : most);
	return (struct coverage_line){ .at = v->at, .count = all, .untraced = all - known,
				      .reached = all && !known };
}

static void add_lines(struct builder *c)
{
	size_t n, i, next;
	struct member *v = members_of(c, &n);
	struct coverage_line *to;

	for (i = 0; i < n; i = next) {
		for (next = i + 1; next < n && !coverage_compare(&v[i].at, &v[next].at);)
			next++;
		to = ARRAY_ADD(c->out->lines, c->out->nr_lines, c->cap_lines);
		*to = count_line(&c->blocks, v + i, next - i);
		if (c->w->traced_only)
			to->count -= to->untraced;
	}
	free(v);
}

static void add_branches(struct builder *c)
{
	const struct block_branch *b;
	struct coverage_branch *to;
	size_t row = 0;
	size_t left;

	for (b = c->blocks.branches, left = c->blocks.nr_branches; left; left--, b++) {
		while (row < c->rows.n && c->rows.v[row].end <= b->offset)
			row++;
		if (row == c->rows.n || c->rows.v[row].begin > b->offset)
			continue;
		to = ARRAY_ADD(c->out->branches, c->out->nr_branches, c->cap_branches);
		*to = (struct coverage_branch){ .at = c->rows.v[row].at, .place = c->out->nr_branches, .taken = b->taken,
					    .not_taken = b->not_taken, .executed = b->executed };
	}
}

static void add_function(void *data, const struct source_function *f)
{
	struct builder *c = data;
	const uint32_t file = file_number(c, f->place.file);
	char *plain = c->w->demangle ? demangled(f->name) : NULL, *comma;
	struct coverage_function *to =
		ARRAY_ADD(c->out->functions, c->out->nr_functions, c->cap_functions);

	*to = (struct coverage_function){ .at = { file, f->place.line },
					  .name = mem_text(name_shown(plain ? plain : f->name)),
				    .begin = f->begin };
	free(plain);
	/* a comma ends the name for some readers */
	for (comma = to->name; (comma = strchr(comma, ','));)
		*comma = ';';
}

static void count_functions(struct builder *c, size_t first)
{
	struct coverage_function *f;
	size_t block;

	for (; first < c->out->nr_functions; first++) {
		f = &c->out->functions[first];
		block = blocks_at(&c->blocks, f->begin);
		f->count = block == SIZE_MAX ? 0 : c->blocks.v[block].count;
	}
}

static void add_binary(struct builder *c, const struct model_binary *b)
{
	struct source *source = b->insns ? places_source(c->w->places, b->number) : NULL;
	const size_t first = c->out->nr_functions;
	struct code_kinds kinds;
	struct code_part *code;
	size_t n;

	if (!source)
		return;
	c->binary = b;
	c->rows.n = c->mappings.n = 0;
	source_each_row(source, add_row, c);
	source_each_function(source, add_function, c);
	source_each_mapping(source, add_mapping, c);
	sort_rows(&c->rows);
	ARRAY_SORT(c->mappings.v, c->mappings.n, compare_mappings);
	kinds = (struct code_kinds){ c->mappings.v, c->mappings.n };
	code = code_of(&c->rows, &n);
	blocks_init(&c->blocks, b, code, n, &kinds);
	add_lines(c);
	add_branches(c);
	count_functions(c, first);
	free(code);
	blocks_free(&c->blocks);
}

/* ---- all binaries ----------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b)
{
	return coverage_compare(&((const struct coverage_line *)a)->at, &((const struct coverage_line *)b)->at);
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct coverage_function *a = pa, *b = pb;
	int order = coverage_compare(&a->at, &b->at);

	return order ? order : strcmp(a->name, b->name);
}

static int compare_branches(const void *pa, const void *pb)
{
	const struct coverage_branch *a = pa, *b = pb;
	int order = coverage_compare(&a->at, &b->at);

	return order ? order : a->place < b->place ? -1 : 1;
}

/* Adds the executions of a line in another binary. One that executed it for sure is enough. */
static void join_lines(void *line, void *other)
{
	struct coverage_line *to = line, *more = other;
	const bool known = (to->count && !to->reached) || (more->count && !more->reached);

	to->reached = !known && (to->reached || more->reached);
	to->count = model_sum(to->count, more->count);
	to->untraced = model_sum(to->untraced, more->untraced);
}

static void join_functions(void *function, void *other)
{
	struct coverage_function *to = function, *more = other;

	to->count = model_sum(to->count, more->count);
	free(more->name);
	more->name = NULL;
}

/* Adds equal lines and functions: of several binaries, of copies of a function. */
static void add_up(struct coverage *c)
{
	c->nr_lines = ARRAY_JOIN(c->lines, c->nr_lines, compare_lines, join_lines);
	c->nr_functions = ARRAY_JOIN(c->functions, c->nr_functions, compare_functions,
				     join_functions);
	ARRAY_SORT(c->branches, c->nr_branches, compare_branches);
}

static int compare_names(const void *pa, const void *pb, void *data)
{
	const struct coverage *c = data;
	const uint32_t *a = pa, *b = pb;

	return strcmp(c->files.v[*a], c->files.v[*b]);
}

/* Numbers the files by name: all tables are then in the order of the text. */
static void order_files(struct coverage *c)
{
	uint32_t *order = mem_array(c->files.n ? c->files.n : 1, sizeof(*order));
	uint32_t *rank = mem_array(c->files.n ? c->files.n : 1, sizeof(*rank));
	char **files = mem_array(c->files.n ? c->files.n : 1, sizeof(*files));
	size_t i;

	for (i = 0; i < c->files.n; i++)
		order[i] = (uint32_t)i;
	if (c->files.n)
		qsort_r(order, c->files.n, sizeof(*order), compare_names, c);
	for (i = 0; i < c->files.n; i++) {
		rank[order[i]] = (uint32_t)i;
		files[i] = c->files.v[order[i]];
	}
	for (i = 0; i < c->nr_lines; i++)
		c->lines[i].at.file = rank[c->lines[i].at.file];
	for (i = 0; i < c->nr_functions; i++)
		c->functions[i].at.file = rank[c->functions[i].at.file];
	for (i = 0; i < c->nr_branches; i++)
		c->branches[i].at.file = rank[c->branches[i].at.file];
	if (c->files.n)
		memcpy(c->files.v, files, c->files.n * sizeof(*files));
	free(order);
	free(rank);
	free(files);
}

void coverage_init(struct coverage *c, const struct whole *w)
{
	struct builder b = { .out = c, .w = w };
	size_t i;

	*c = (struct coverage){ .lines = NULL };
	for (i = 0; i < w->model->nr_binaries; i++)
		if (whole_has(w, (uint32_t)i))
			add_binary(&b, &w->model->binaries[i]);
	free(b.rows.v);
	free(b.mappings.v);
	order_files(c);
	add_up(c);
}

void coverage_free(struct coverage *c)
{
	size_t i;

	for (i = 0; i < c->nr_functions; i++)
		free(c->functions[i].name);
	strings_free(&c->files);
	free(c->lines);
	free(c->functions);
	free(c->branches);
	*c = (struct coverage){ .lines = NULL };
}

bool coverage_next(const struct coverage *c, struct coverage_file *f)
{
	const struct coverage_line *line = f->lines ? f->lines + f->nr_lines : c->lines;
	const struct coverage_function *function = f->functions ? f->functions + f->nr_functions : c->functions;
	const struct coverage_branch *branch = f->branches ? f->branches + f->nr_branches : c->branches;
	const uint32_t file = f->next;

	if (file >= c->files.n)
		return false;
	*f = (struct coverage_file){ .next = file + 1, .name = c->files.v[file], .lines = line, .functions = function,
				     .branches = branch };
	for (; line < c->lines + c->nr_lines && line->at.file == file; line++, f->nr_lines++) {
		f->lines_hit += line->count > 0;
		f->lines_reached += line->reached;
	}
	for (; function < c->functions + c->nr_functions && function->at.file == file; function++, f->nr_functions++)
		f->functions_hit += function->count > 0;
	for (; branch < c->branches + c->nr_branches && branch->at.file == file; branch++, f->nr_branches++)
		f->directions_hit += (branch->taken > 0) + (branch->not_taken > 0);
	return true;
}
