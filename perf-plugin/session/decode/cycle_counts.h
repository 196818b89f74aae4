/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle_counts.h - which elements have a count of cycles, and what a gap in the trace does to it.
 */
#ifndef CSTRACE_SESSION_DECODE_CYCLE_COUNTS_H
#define CSTRACE_SESSION_DECODE_CYCLE_COUNTS_H

#include <stdbool.h>

#include <cstrace/config.h>
#include <cstrace/flow.h>

enum cycle_count {
	CYCLES_NONE,
	CYCLES_COUNTED,	/* cst_generic.cc is a count, up to here */
	CYCLES_UNKNOWN,	/* a count ends here, and its value is unknown */
	CYCLES_GAP,	/* a stretch of trace ends */
};

/*
 * What an element is for the counts of cycles. A range without CST_GF_CC has none: a later element
 * has the count.
 */
static inline enum cycle_count cycle_count_of(const struct cst_config *cfg,
					      const struct cst_generic *g)
{
	const bool known = g->flags & CST_GF_CC;

	switch (g->kind) {
	case CST_GEN_RANGE:
	case CST_GEN_NOPATH:
		return known ? CYCLES_COUNTED : CYCLES_NONE;
	case CST_GEN_CYCLE_COUNT:
		if (g->num == CST_CYCLES_GAP)
			return CYCLES_NONE;
		return known ? CYCLES_COUNTED : CYCLES_UNKNOWN;
	case CST_GEN_EXCEPTION:
	case CST_GEN_TIMESTAMP:
		/* that of an ETMv4 timestamp is a part of the next count */
		return known && cfg->protocol == CST_PROTO_PTM ? CYCLES_COUNTED : CYCLES_NONE;
	case CST_GEN_TRACE_ON:
	case CST_GEN_NO_SYNC:
	case CST_GEN_EO_TRACE:
	case CST_GEN_ADDR_UNKNOWN:
	case CST_GEN_NACC:
		return CYCLES_GAP;
	}
	return CYCLES_NONE;
}

/* True for an element whose instructions are in a count. */
static inline bool cycle_count_covers(const struct cst_generic *g)
{
	return (g->kind == CST_GEN_RANGE || g->kind == CST_GEN_NOPATH) && g->n_insn;
}

/*
 * True if the first count after a gap began before it: the counters of ETMv3 and PTM have a count
 * of the gap itself.
 */
static inline bool cycle_count_spans_gaps(const struct cst_config *cfg)
{
	return cfg->protocol != CST_PROTO_ETMV3 && cfg->protocol != CST_PROTO_PTM;
}

#endif
