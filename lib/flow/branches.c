/* SPDX-License-Identifier: BSD-3-Clause */
/* branches.c - taken branches out of generic elements. */
#include <cstrace/flow.h>
#include <cstrace/isa.h>

/* Returns the address to which the branch before the element led, 0 if it is not known. */
static uint64_t target_of(const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_RANGE:
	case CST_GEN_NACC:
	case CST_GEN_NOPATH:
		return g->addr;
	case CST_GEN_EXCEPTION:
		return g->flags & CST_GF_RET_ADDR ? g->end : 0;
	case CST_GEN_TRACE_ON:
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
		return (g->flags & (CST_GF_NEXT | CST_GF_DOUBTFUL)) == CST_GF_NEXT ? g->addr : 0;
	}
	return 0;
}

/* True if execution does not continue at the last range after the element. */
static int is_event(const struct cst_generic *g)
{
	return g->kind == CST_GEN_EXCEPTION || g->kind == CST_GEN_BARRIER ||
	       cst_generic_loses_flow(g->kind) || cst_generic_is_run(g->kind);
}

/* The open branch after a range: one of size 0 if it does not end with a taken branch. */
static struct cst_branch open_after(const struct cst_generic *g)
{
	const unsigned int want = CST_GF_EXEC | CST_GF_WAYPOINT;

	if ((g->flags & want) != want || !cst_insn_is_branch(g->last_type))
		return (struct cst_branch){ .last_size = 0 };
	return (struct cst_branch){ .from = g->end - g->last_size,
				    .flags = g->flags,
				    .num = g->num,
				    .isa = g->isa,
				    .last_type = g->last_type,
				    .last_subtype = g->last_subtype,
				    .last_size = g->last_size };
}

size_t cst_branches_find(struct cst_branch *open, const struct cst_generic *elements, size_t n,
			 struct cst_branch *out)
{
	const struct cst_generic *g = elements, *end = elements + n;
	struct cst_branch last = *open;
	size_t found = 0;

	for (; g < end; g++) {
		if (g->kind != CST_GEN_RANGE && !is_event(g))
			continue;
		if (last.last_size) {
			last.to = target_of(g);
			out[found] = last;
			found += last.to != 0;
		}
		last = g->kind == CST_GEN_RANGE ? open_after(g) :
						  (struct cst_branch){ .last_size = 0 };
	}
	*open = last;
	return found;
}
