/* SPDX-License-Identifier: GPL-2.0-only */
/* direct.c - records of the counts of counts.h. */
#include "profile/direct.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "images/dso.h"

static uint8_t type_of(const struct dso *d)
{
	switch (d->kind) {
	case DSO_FILE:
		return CST_COUNT_FILE;
	case DSO_VMLINUX:
		return CST_COUNT_KERNEL;
	case DSO_MODULE:
		return CST_COUNT_MODULE;
	case DSO_JIT:
		return CST_COUNT_JIT;
	}
	return CST_COUNT_MEMORY;
}

/* Without a build-id: by the number of the file in its table. */
static void identify(const struct dso *d, struct cst_count_binary *b)
{
	size_t len;
	const uint8_t *id = dso_build_id(d, &len);

	b->id_kind = id ? CST_COUNT_ID_BUILD : CST_COUNT_ID_NAME;
	b->id_len = (uint8_t)(id ? len : sizeof(d->number));
	memcpy(b->id, id ? id : (const void *)&d->number, b->id_len);
}

static int compare_segments(const void *pa, const void *pb)
{
	const struct cst_count_segment *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int add_segments(struct model *m, const struct dso *d)
{
	struct cst_count_record rec = { .kind = CST_COUNT_SEGMENT };
	struct model_binary *b;
	size_t i;
	int rc = 0;

	for (i = 0; i < d->nr_segs && !rc; i++) {
		rec.segment = (struct cst_count_segment){ .offset = d->segs[i].offset, .size = d->segs[i].filesz,
							  .vaddr = d->segs[i].vaddr, .exec = d->segs[i].exec };
		rc = model_add(m, &rec);
	}
	b = &m->binaries[m->nr_binaries - 1];
	if (b->nr_segs)
		qsort(b->segs, b->nr_segs, sizeof(*b->segs), compare_segments);
	return rc;
}

static int add_binary(struct model *m, const struct binary *b)
{
	struct cst_count_record rec = { .kind = CST_COUNT_BINARY,
					.binary = { .type = type_of(b->dso), .machine = b->dso->machine,
						    .name = dso_path(b->dso) } };
	int rc;

	identify(b->dso, &rec.binary);
	rc = model_add(m, &rec);
	return rc ? rc : add_segments(m, b->dso);
}

static int add_ranges(struct model *m, uint32_t number, struct cst_pairs *ranges, uint8_t flags)
{
	const struct cst_pair *r = cst_pairs_sort(ranges);
	struct cst_count_record rec = { .kind = CST_COUNT_RANGE };
	size_t i;
	int rc = 0;

	for (i = 0; i < ranges->used && !rc; i++) {
		rec.range = (struct cst_count_range){ .binary = number, .flags = flags, .start = r[i].a, .last = r[i].b,
						      .count = r[i].count };
		rc = model_add(m, &rec);
	}
	return rc;
}

static int add_edges(struct model *m, uint32_t number, struct cst_pairs *edges)
{
	const struct cst_pair *e = cst_pairs_sort(edges);
	struct cst_count_record rec = { .kind = CST_COUNT_EDGE };
	size_t i;
	int rc = 0;

	for (i = 0; i < edges->used && !rc; i++) {
		rec.edge = (struct cst_count_edge){ .binary = number, .from = e[i].a, .count = e[i].count,
						    .to = e[i].b == COUNTS_OUTSIDE ? CST_COUNT_OUTSIDE : e[i].b };
		rc = model_add(m, &rec);
	}
	return rc;
}

static int add_entries(struct model *m, uint32_t number, struct cst_pairs *entries)
{
	const struct cst_pair *e = cst_pairs_sort(entries);
	struct cst_count_record rec = { .kind = CST_COUNT_ENTRY };
	size_t i;
	int rc = 0;

	for (i = 0; i < entries->used && !rc; i++) {
		rec.entry = (struct cst_count_entry){ .binary = number, .offset = e[i].a, .count = e[i].count };
		rc = model_add(m, &rec);
	}
	return rc;
}

static int add_counts(struct model *m, uint32_t number, struct binary *b)
{
	int rc = add_ranges(m, number, &b->ranges, 0);

	if (!rc)
		rc = add_ranges(m, number, &b->arrivals, CST_COUNT_ARRIVED);
	if (!rc)
		rc = add_edges(m, number, &b->edges);
	if (!rc)
		rc = add_entries(m, number, &b->entries);
	m->binaries[number].dso = b->dso;
	m->binaries[number].insns = b->insns;
	return rc;
}

int direct_model(struct counts *c, struct model *m)
{
	struct cst_count_record rec = { .kind = CST_COUNT_TOTAL,
					.total = { .name = "instructions.elsewhere", .value = counts_elsewhere(c) } };
	struct binary **v;
	uint32_t i, n = (uint32_t)counts_binaries(c, &v);
	int rc = model_add(m, &rec);

	for (i = 0; i < n && !rc; i++)
		rc = add_binary(m, v[i]);
	for (i = 0; i < n && !rc; i++)
		rc = add_counts(m, i, v[i]);
	return rc;
}
