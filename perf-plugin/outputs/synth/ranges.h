/* SPDX-License-Identifier: GPL-2.0-only */
/* ranges.h - consecutive ranges: the number of their instructions, and a ring of their last taken branches. */
#ifndef CSTRACE_OUTPUTS_SYNTH_RANGES_H
#define CSTRACE_OUTPUTS_SYNTH_RANGES_H

#include "outputs/synth/ring.h"
#include "session/decode/branch.h"

/*
 * Pushes the taken branches at the end of the ranges [from, to), each with the next range as its target, as many as the
 * ring holds. `flags` are those of an entry, by branch_index(). The first branch has the cycles *cycles, which are 0 then.
 */
void ranges_push(struct ring *r, uint32_t *cycles, const uint64_t flags[BRANCH_INDICES], const struct cst_generic *from,
		 const struct cst_generic *to);

/*
 * Adds the instructions of ranges from `g` on to *insns, four at a time, as long as ranges follow and *insns stays below
 * `next`. Returns the first range that is not counted.
 */
static inline const struct cst_generic *ranges_count(const struct cst_generic *g, const struct cst_generic *end, uint64_t *insns,
						     uint64_t next)
{
	uint64_t sum = *insns, more;

	for (; end - g > 4; g += 4) {
		more = sum + g[0].n_insn + g[1].n_insn + g[2].n_insn + g[3].n_insn;
		if (more >= next || g[1].kind != CST_GEN_RANGE || g[2].kind != CST_GEN_RANGE ||
		    g[3].kind != CST_GEN_RANGE || g[4].kind != CST_GEN_RANGE)
			break;
		sum = more;
	}
	*insns = sum;
	return g;
}

#endif
