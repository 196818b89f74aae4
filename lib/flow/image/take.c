/* SPDX-License-Identifier: BSD-3-Clause */
/* take.c - moves the counts of a section to the caller. */
#include <cstrace/error.h>

#include "flow/image/counts_int.h"

int cst_counts_take(struct cst_counts *c, uint32_t section, struct cst_pairs *ranges, struct cst_pairs *edges)
{
	const struct cst_pairs *r, *e;
	struct section_counts *s;
	int err;

	/* most pairs of the blocks are not in the tables yet; tables that do not exist yet are made as hash tables */
	if (section && section <= c->nr_sec) {
		s = &c->sec[section - 1];
		if (!cst_pairs_list(&s->ranges) || !cst_pairs_list(&s->edges))
			return -CST_ERR_NOMEM;
	}
	err = cst_counts_section(c, section, &r, &e);
	if (err)
		return err;
	s = &c->sec[section - 1];
	cst_pairs_sort(&s->ranges);
	cst_pairs_sort(&s->edges);
	*ranges = s->ranges;
	*edges = s->edges;
	s->ranges = s->edges = (struct cst_pairs){ .slot = NULL };
	return 0;
}
