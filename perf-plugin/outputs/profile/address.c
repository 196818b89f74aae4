/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * address.c - converts a file offset to the number that a reader of the profile expects, and removes counts without a
 * number.
 */
#include "outputs/profile/address.h"

void profile_address_init(struct profile_address *a, const struct model_binary *b, enum profile_base base)
{
	uint64_t offset;

	*a = (struct profile_address){ .binary = b, .base = base };
	a->unlinked = b->dso && dso_unlinked_text(b->dso, &a->text);
	if (base != PROFILE_FIRST_LOAD)
		return;
	/* the ELF header is at offset 0; a kernel image does not map it, so its first segment is code */
	a->code_at_zero = a->unlinked || (model_first_segment(b, &offset, &a->first_vaddr) && offset);
}

uint64_t profile_address_linked(const struct profile_address *a, uint64_t offset)
{
	uint64_t vaddr;

	if (a->base == PROFILE_FIRST_LOAD && a->unlinked)
		return offset - a->text.offset + a->text.vaddr;
	model_vaddr(a->binary, offset, &vaddr);
	return vaddr - a->first_vaddr;
}

static bool in_text(const struct profile_address *a, uint64_t offset)
{
	return !a->unlinked || (offset >= a->text.offset && offset - a->text.offset < a->text.size);
}

static void limit_ranges(const struct profile_address *a, struct flat *f, struct profile_removed *removed)
{
	const struct cst_count_range *r;
	size_t n = 0;
	size_t left;

	for (r = f->ranges, left = f->nr_ranges; left; left--, r++) {
		if (in_text(a, r->start) && in_text(a, r->last)) {
			f->own_ranges[n++] = *r;
		} else {
			removed->ranges++;
			removed->executed = model_sum(removed->executed, r->count);
		}
	}
	f->nr_ranges = n;
}

static void limit_edges(const struct profile_address *a, struct flat *f, struct profile_removed *removed)
{
	const struct cst_count_edge *e = f->edges, *end = e + f->nr_edges;
	struct cst_count_edge *kept = f->own_edges, leaving;

	while (e < end) {
		leaving = (struct cst_count_edge){ .binary = e->binary, .from = e->from, .to = CST_COUNT_OUTSIDE };
		for (; e < end && e->from == leaving.from; e++) {
			if (!in_text(a, e->from))
				removed->edges++;
			else if (e->to != CST_COUNT_OUTSIDE && in_text(a, e->to))
				*kept++ = *e;
			else if (!a->code_at_zero)
				leaving.count = model_sum(leaving.count, e->count);
		}
		/* it replaces one that was not kept */
		if (leaving.count)
			*kept++ = leaving;
	}
	f->nr_edges = (size_t)(kept - f->own_edges);
}

void profile_address_limit(const struct profile_address *a, struct flat *f,
			   struct profile_removed *removed)
{
	*removed = (struct profile_removed){ .ranges = 0 };
	if (a->base == PROFILE_VADDR || !(a->unlinked || a->code_at_zero))
		return;
	flat_own(f);
	limit_ranges(a, f, removed);
	limit_edges(a, f, removed);
}
