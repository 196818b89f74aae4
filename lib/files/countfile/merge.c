/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge.c - adds count files record by record. A sum, a weight and the least name are associative and commutative, and the output
 * has one form; so it depends on the inputs and their weights alone, whatever their order and grouping is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "files/countfile/countfile_int.h"
#include "files/countfile/tournament.h"

struct source {
	struct cst_count_record rec;	/* next one, with the binaries' numbers of the output */
	uint32_t *map;			/* number of the output by its own number of a binary */
	size_t binaries, map_cap;
};

#define NAMES_MAX (8u << 20)	/* bytes of names: of generated code there may be one for each method of each machine */

/* Names of the output's first binaries, for messages about their counts. Those with a build-id come first. */
struct names {
	char *text;
	size_t len, cap;
	size_t *at;			/* by number */
	size_t at_cap;
	uint32_t n;
};

struct merge {
	struct cst_count_input *inputs;
	struct source *sources;
	struct tournament t;
	struct names names;
	uint32_t binaries;		/* of the output so far */
	size_t failed;			/* input with the error; n: none */
	const char *conflict;		/* name of the binary that inputs contradict each other about */
	struct cst_count_record sum;	/* of the records that are taken */
	char name[CST_COUNT_NAME_MAX + 1];	/* of the last total or binary of the sum */
	size_t added;			/* records in the sum */
	size_t with_segments;		/* inputs that have segments of the last binary */
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t weight)
{
	uint64_t product;

	return __builtin_mul_overflow(a, weight, &product) ? UINT64_MAX : product;
}

static uint32_t map_binary(const struct source *src, uint32_t binary)
{
	return binary == CST_COUNT_NO_BINARY ? binary : src->map[binary];
}

/* Reads the next record of an input, and gives its binaries the numbers of the output, which are in the same order. */
static int fetch(struct merge *m, size_t i)
{
	struct source *src = &m->sources[i];
	struct cst_count_record *rec = &src->rec;
	int rc = cst_count_read(m->inputs[i].reader, rec);

	if (rc <= 0) {
		m->t.keys[i].w[0] = KEY_END;
		if (rc)
			m->failed = i;
		return rc;
	}
	if (rec->kind == CST_COUNT_NODE) {
		rec->node.from_binary = map_binary(src, rec->node.from_binary);
		rec->node.binary = map_binary(src, rec->node.binary);
	} else if (count_of_binary(rec->kind)) {
		/* `binary` is the first member of each of the four */
		rec->range.binary = src->map[rec->range.binary];
	}
	m->inputs[i].counts += rec->kind >= CST_COUNT_RANGE;
	m->t.keys[i] = cst_count_key(rec, &m->t.keys[i]);
	return 0;
}

/* Numbers the input's binary as the one that the output gets next. */
static int number_binary(struct merge *m, size_t i)
{
	struct source *src = &m->sources[i];
	int err = array_reserve(&src->map, &src->map_cap, src->binaries + 1, sizeof(*src->map));

	if (!err)
		src->map[src->binaries++] = m->binaries;
	return err;
}

static int keep_name(struct names *names, const char *name)
{
	size_t len = strlen(name) + 1;
	int err;

	if (names->len > NAMES_MAX)
		return 0;
	err = array_reserve(&names->text, &names->cap, names->len + len, 1);
	if (!err)
		err = array_reserve(&names->at, &names->at_cap, (size_t)names->n + 1,
				    sizeof(*names->at));
	if (err)
		return err;
	memcpy(names->text + names->len, name, len);
	names->at[names->n++] = names->len;
	names->len += len;
	return 0;
}

/* Begins the sum of records like that of an input, without any count. */
static void begin_sum(struct merge *m, size_t i)
{
	struct cst_count_record *sum = &m->sum;
	uint64_t *value;

	*sum = m->sources[i].rec;
	m->added = 0;
	value = count_value(sum);
	if (value)
		*value = 0;
	switch (sum->kind) {
	case CST_COUNT_TOTAL:
		strcpy(m->name, sum->total.name);
		sum->total.name = m->name;
		break;
	case CST_COUNT_BINARY:
		strcpy(m->name, sum->binary.name);
		sum->binary.name = m->name;
		m->with_segments = 0;
		break;
	case CST_COUNT_NODE:
		sum->node.calls = 0;
		sum->node.insns = 0;
		break;
	}
}

static int conflict(struct merge *m, size_t i, const char *name)
{
	m->failed = i;
	m->conflict = name;
	return -CST_ERR_CONFLICT;
}

static int conflict_of_counts(struct merge *m, size_t i, uint32_t binary)
{
	return conflict(m, i, binary < m->names.n ? m->names.text + m->names.at[binary] : "");
}

static int same_segment(const struct cst_count_segment *a, const struct cst_count_segment *b)
{
	return a->offset == b->offset && a->size == b->size && a->vaddr == b->vaddr && a->exec == b->exec;
}

static int add_binary(struct merge *m, size_t i, struct cst_count_binary *sum)
{
	const struct cst_count_binary *b = &m->sources[i].rec.binary;
	int same = b->type == sum->type && (!b->machine || !sum->machine || b->machine == sum->machine);

	if (!sum->machine)
		sum->machine = b->machine;
	if (strcmp(b->name, m->name) < 0)
		strcpy(m->name, b->name);
	return same ? number_binary(m, i) : conflict(m, i, m->name);
}

/* Adds the record of an input to the sum. */
static int add_to_sum(struct merge *m, size_t i)
{
	struct cst_count_record *rec = &m->sources[i].rec, *sum = &m->sum;
	uint64_t weight = m->inputs[i].weight, *value = count_value(sum);

	if (value)
		*value = add(*value, times(*count_value(rec), weight));
	switch (sum->kind) {
	case CST_COUNT_BINARY:
		return add_binary(m, i, &sum->binary);
	case CST_COUNT_SEGMENT:
		return same_segment(&rec->segment, &sum->segment) ? 0 : conflict(m, i, m->name);
	case CST_COUNT_RANGE:
		return rec->range.insns == sum->range.insns ? 0 : conflict_of_counts(m, i, sum->range.binary);
	case CST_COUNT_NOT_TAKEN:
		return rec->not_taken.size == sum->not_taken.size ? 0 : conflict_of_counts(m, i, sum->not_taken.binary);
	case CST_COUNT_NODE:
		sum->node.calls = add(sum->node.calls, times(rec->node.calls, weight));
		sum->node.insns = add(sum->node.insns, times(rec->node.insns, weight));
		break;
	}
	return 0;
}

/* Adds the record of an input, and reads its next one. */
static int take(void *data, size_t i)
{
	struct merge *m = data;
	int err = add_to_sum(m, i);

	if (!err)
		err = fetch(m, i);
	if (err)
		return err;
	m->added++;
	if (m->sum.kind == CST_COUNT_BINARY && m->t.keys[i].w[0] != KEY_END)
		m->with_segments += m->sources[i].rec.kind == CST_COUNT_SEGMENT;
	return 0;
}

/* Adds the records that come next, of all inputs that have them. */
static int add_next(struct merge *m)
{
	size_t i = tournament_winner(&m->t);
	int err;

	begin_sum(m, i);
	err = cst_tournament_take(&m->t);
	if (err)
		return err;
	if (m->sum.kind == CST_COUNT_BINARY) {
		m->binaries++;
		return keep_name(&m->names, m->name);
	}
	/* Inputs that have segments of a binary have the same ones. */
	if (m->sum.kind == CST_COUNT_SEGMENT && m->added != m->with_segments)
		return conflict(m, i, m->name);
	return 0;
}

static int same_total(const void *data, size_t i)
{
	const struct merge *m = data;

	return !strcmp(m->sources[i].rec.total.name, m->name);
}

static int compare_totals(const void *data, size_t a, size_t b)
{
	const struct merge *m = data;

	return strcmp(m->sources[a].rec.total.name, m->sources[b].rec.total.name);
}

static int begin(struct merge *m, size_t n)
{
	size_t i;
	int err = 0;

	if (n > UINT32_MAX / 2)
		return -CST_ERR_LIMIT;
	m->sources = calloc(n ? n : 1, sizeof(*m->sources));
	if (cst_tournament_init(&m->t, n) || !m->sources)
		return -CST_ERR_NOMEM;
	m->t.order = compare_totals;
	m->t.same = same_total;
	m->t.take = take;
	m->t.data = m;
	for (i = 0; i < n && !err; i++) {
		m->inputs[i].counts = 0;
		if (!m->inputs[i].reader || !m->inputs[i].weight) {
			m->failed = i;
			return -CST_ERR_INVAL;
		}
		err = fetch(m, i);
	}
	if (!err && n)
		cst_tournament_start(&m->t);
	return err;
}

static void end(struct merge *m, size_t n, char *name, size_t size)
{
	size_t i, len = strlen(m->conflict);

	if (name && size) {
		len = len < size ? len : size - 1;
		memcpy(name, m->conflict, len);
		name[len] = 0;
	}
	for (i = 0; m->sources && i < n; i++)
		free(m->sources[i].map);
	free(m->sources);
	free(m->names.text);
	free(m->names.at);
	cst_tournament_free(&m->t);
	free(m);
}

int cst_count_merge(struct cst_count_input *inputs, size_t n, cst_count_record_fn out, void *data, size_t *failed,
		    char *name, size_t size)
{
	struct merge *m = calloc(1, sizeof(*m));
	int err;

	if (failed)
		*failed = n;
	if (!m)
		return -CST_ERR_NOMEM;
	m->inputs = inputs;
	m->failed = n;
	m->conflict = "";
	err = begin(m, n);
	while (!err && !tournament_over(&m->t)) {
		err = add_next(m);
		if (!err)
			err = out(data, &m->sum);
	}
	if (failed)
		*failed = m->failed;
	end(m, n, name, size);
	return err;
}
