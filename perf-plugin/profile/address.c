/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * address.c - converts a file offset to the number that a reader of the profile expects, and removes counts without a
 * number.
 */
#include "profile/address.h"

#include "images/dso.h"

void profile_address_init(struct profile_address *a, const struct dso *dso, enum profile_base base)
{
	uint64_t offset;

	*a = (struct profile_address){ .dso = dso, .base = base };
	a->unlinked = dso_unlinked_text(dso, &a->text);
	if (base != PROFILE_FIRST_LOAD)
		return;
	/* the ELF header is at offset 0; a kernel image does not map it, so its first segment is code */
	a->code_at_zero = a->unlinked || (dso_first_load(dso, &offset, &a->first_vaddr) && offset);
}

uint64_t profile_address(const struct profile_address *a, uint64_t offset)
{
	uint64_t vaddr;

	if (a->base == PROFILE_OFFSET)
		return offset;
	if (a->base == PROFILE_FIRST_LOAD && a->unlinked)
		return offset - a->text.offset + a->text.vaddr;
	if (!dso_vaddr(a->dso, offset, &vaddr))
		vaddr = offset;
	return vaddr - a->first_vaddr;
}

static bool in_text(const struct profile_address *a, uint32_t offset)
{
	return !a->unlinked || (offset >= a->text.offset && offset - a->text.offset < a->text.size);
}

static bool limit_ranges(const struct profile_address *a, struct cst_pairs *ranges, struct profile_removed *removed)
{
	const struct cst_pair *r = cst_pairs_sort(ranges);
	struct cst_pairs kept = { .slot = NULL };
	size_t i;

	for (i = 0; i < ranges->used; i++) {
		if (!in_text(a, r[i].a) || !in_text(a, r[i].b)) {
			removed->ranges++;
			removed->executed += r[i].count;
		} else if (!cst_pairs_insert(&kept, r[i].a, r[i].b, r[i].count)) {
			cst_pairs_free(&kept);
			return false;
		}
	}
	cst_pairs_free(ranges);
	*ranges = kept;
	return true;
}

static bool limit_edges(const struct profile_address *a, struct cst_pairs *edges, struct profile_removed *removed)
{
	const struct cst_pair *e = cst_pairs_sort(edges);
	struct cst_pairs kept = { .slot = NULL };
	uint32_t to;
	size_t i;

	for (i = 0; i < edges->used; i++) {
		to = in_text(a, e[i].b) ? e[i].b : COUNTS_OUTSIDE;
		if (!in_text(a, e[i].a)) {
			removed->edges++;
		} else if (!(a->code_at_zero && to == COUNTS_OUTSIDE) && !cst_pairs_insert(&kept, e[i].a, to, e[i].count)) {
			cst_pairs_free(&kept);
			return false;
		}
	}
	cst_pairs_free(edges);
	*edges = kept;
	return true;
}

bool profile_address_limit(const struct profile_address *a, struct binary *b, struct profile_removed *removed)
{
	*removed = (struct profile_removed){ .ranges = 0 };
	if (a->base == PROFILE_VADDR || !(a->unlinked || a->code_at_zero))
		return true;
	return limit_ranges(a, &b->ranges, removed) && limit_edges(a, &b->edges, removed);
}
