/* SPDX-License-Identifier: GPL-2.0-only */
/* model.c - fills the model of counts from records, and finds places in it. */
#include "counting/counts/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
}

void model_free(struct model *m)
{
	size_t i;

	for (i = 0; i < m->nr_totals; i++)
		free(m->totals[i].name);
	for (i = 0; i < m->nr_binaries; i++) {
		struct model_binary *b = &m->binaries[i];

		free((char *)b->is.name);
		free(b->segs);
		free(b->ranges);
		free(b->not_taken);
		free(b->edges);
		free(b->entries);
		free(b->spent);
	}
	free(m->totals);
	free(m->binaries);
	free(m->nodes);
	free(m->path);
	model_init(m);
}

static void add_total(struct model *m, const struct cst_count_total *t)
{
	*ARRAY_ADD(m->totals, m->nr_totals, m->cap_totals) =
		(struct model_total){ .name = mem_text(t->name), .value = t->value };
}

static void add_binary(struct model *m, const struct cst_count_binary *b)
{
	struct model_binary *to = ARRAY_ADD(m->binaries, m->nr_binaries, m->cap_binaries);

	if (m->nr_binaries > CST_COUNT_NO_BINARY)
		mem_refused(SIZE_MAX);
	*to = (struct model_binary){ .is = *b, .number = (uint32_t)(m->nr_binaries - 1) };
	to->is.name = mem_text(b->name);
}

int model_compare_ranges(const void *pa, const void *pb)
{
	const struct cst_count_range *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return (int)a->flags - (int)b->flags;
}

static void add_range(struct model_binary *b, const struct cst_count_range *r)
{
	*ARRAY_ADD(b->ranges, b->nr_ranges, b->cap.cap_ranges) = *r;
	b->insns = model_sum(b->insns, model_product(r->insns, r->count));
}

static void add_edge(struct model_binary *b, const struct cst_count_edge *e)
{
	*ARRAY_ADD(b->edges, b->nr_edges, b->cap.cap_edges) = *e;
	b->branches = model_sum(b->branches, e->count);
	if (e->to != CST_COUNT_OUTSIDE)
		b->inside = model_sum(b->inside, e->count);
}

static bool known(const struct model *m, uint32_t binary)
{
	return binary == CST_COUNT_NO_BINARY || binary < m->nr_binaries;
}

static int add_node(struct model *m, const struct cst_count_node *n)
{
	struct model_node *to;
	uint32_t *last;

	if (n->depth > m->nr_path || !known(m, n->binary) || !known(m, n->from_binary))
		return ERR_RECORD;
	m->nr_path = n->depth;
	if (m->nr_nodes >= MODEL_NO_NODE)
		mem_refused(SIZE_MAX);
	to = ARRAY_ADD(m->nodes, m->nr_nodes, m->cap_nodes);
	last = ARRAY_ADD(m->path, m->nr_path, m->cap_path);
	*to = (struct model_node){ .is = *n, .parent = n->depth ? last[-1] : MODEL_NO_NODE };
	*last = (uint32_t)(m->nr_nodes - 1);
	return 0;
}

/* The binary that a record belongs to; NULL: none of this number. */
static struct model_binary *binary_of(struct model *m, const struct cst_count_record *rec)
{
	/* segments follow their binary */
	uint64_t number = (uint64_t)m->nr_binaries - 1;

	switch (rec->kind) {
	case CST_COUNT_RANGE:
		number = rec->range.binary;
		break;
	case CST_COUNT_NOT_TAKEN:
		number = rec->not_taken.binary;
		break;
	case CST_COUNT_EDGE:
		number = rec->edge.binary;
		break;
	case CST_COUNT_ENTRY:
		number = rec->entry.binary;
		break;
	}
	return number < m->nr_binaries ? &m->binaries[number] : NULL;
}

int model_add(void *model, const struct cst_count_record *rec)
{
	struct model *m = model;
	struct model_binary *b;

	switch (rec->kind) {
	case CST_COUNT_TOTAL:
		add_total(m, &rec->total);
		return 0;
	case CST_COUNT_BINARY:
		add_binary(m, &rec->binary);
		return 0;
	case CST_COUNT_NODE:
		return add_node(m, &rec->node);
	}
	b = binary_of(m, rec);
	if (!b)
		return ERR_RECORD;
	switch (rec->kind) {
	case CST_COUNT_SEGMENT:
		*ARRAY_ADD(b->segs, b->nr_segs, b->cap.cap_segs) = rec->segment;
		return 0;
	case CST_COUNT_RANGE:
		add_range(b, &rec->range);
		return 0;
	case CST_COUNT_NOT_TAKEN:
		*ARRAY_ADD(b->not_taken, b->nr_not_taken, b->cap.cap_not_taken) = rec->not_taken;
		return 0;
	case CST_COUNT_EDGE:
		add_edge(b, &rec->edge);
		return 0;
	case CST_COUNT_ENTRY:
		*ARRAY_ADD(b->entries, b->nr_entries, b->cap.cap_entries) = rec->entry;
		return 0;
	}
	return ERR_RECORD;
}

uint64_t model_total(const struct model *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->nr_totals; i++)
		if (!strcmp(m->totals[i].name, name))
			return m->totals[i].value;
	return 0;
}

static int compare_busiest(const void *pa, const void *pb)
{
	const struct model_binary *a = *(struct model_binary *const *)pa, *b = *(struct model_binary *const *)pb;
	int order;

	if (a->insns != b->insns)
		return a->insns > b->insns ? -1 : 1;
	order = strcmp(a->is.name, b->is.name);
	/* equal names: by number, which is the order of the ids */
	return order ? order : a->number < b->number ? -1 : 1;
}

struct model_binary **model_busiest(const struct model *m)
{
	struct model_binary **v = mem_array(m->nr_binaries ? m->nr_binaries : 1, sizeof(*v));
	size_t i;

	for (i = 0; i < m->nr_binaries; i++)
		v[i] = &m->binaries[i];
	ARRAY_SORT(v, m->nr_binaries, compare_busiest);
	return v;
}

bool model_vaddr(const struct model_binary *b, uint64_t offset, uint64_t *vaddr)
{
	const struct cst_count_segment *s;
	size_t left;

	for (s = b->segs, left = b->nr_segs; left; left--, s++)
		if (offset >= s->offset && offset - s->offset < s->size) {
			*vaddr = s->vaddr + (offset - s->offset);
			return true;
		}
	*vaddr = offset;
	return false;
}

bool model_first_segment(const struct model_binary *b, uint64_t *offset, uint64_t *vaddr)
{
	*offset = b->nr_segs ? b->segs[0].offset : 0;
	*vaddr = b->nr_segs ? b->segs[0].vaddr : 0;
	return b->nr_segs;
}

bool model_without_file(const struct model_binary *b)
{
	return b->is.type == CST_COUNT_JIT || b->is.type == CST_COUNT_MEMORY;
}
