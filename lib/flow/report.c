/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - findings of the flow stage, for the log. */
#include <cstrace/decoder.h>

#include "base/log_int.h"
#include "flow/analyze.h"

void cst_flow_report(struct cst_flow *f, unsigned int finding, uint64_t addr)
{
	if (!f->emit.log)
		return;
	cst_flow_report_rest(f);
	cst_log_finding(f->emit.log, CST_LOG_FLOW, f->emit.tmpl.trace_id, f->work.elem.index,
			finding, addr);
}

void cst_flow_report_lasting(struct cst_flow *f, unsigned int finding, uint64_t addr)
{
	struct lasting *l = &f->lasting;

	if (!f->emit.log)
		return;
	if (l->finding == finding && l->ranges == f->stats->ranges) {
		cst_log_again(f->emit.log, f->emit.tmpl.trace_id, finding);
		l->more++;
		l->index = f->work.elem.index;
		return;
	}
	cst_flow_report(f, finding, addr);
	l->finding = finding;
	l->ranges = f->stats->ranges;
}

void cst_flow_report_rest(struct cst_flow *f)
{
	struct lasting *l = &f->lasting;

	if (l->more)
		cst_log_rest(f->emit.log, CST_LOG_FLOW, f->emit.tmpl.trace_id, l->index, l->finding,
			     l->more);
	l->finding = 0;
	l->more = 0;
}

void cst_flow_report_over(struct cst_flow *f)
{
	if (f->lasting.ranges != f->stats->ranges)
		cst_flow_report_rest(f);
}

void cst_flow_report_conflicts(const struct cst_flow *f, const struct cst_generic *g, size_t n)
{
	for (; n; n--, g++)
		if (g->kind == CST_GEN_RANGE && cst_generic_conflicts(g))
			cst_log_finding(f->emit.log, CST_LOG_FLOW, f->emit.tmpl.trace_id, g->index,
					CST_FIND_IMAGE_CONFLICT, g->end - g->last_size);
}
