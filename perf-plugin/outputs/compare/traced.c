/* SPDX-License-Identifier: GPL-2.0-only */
/* traced.c - the instructions of a trace, and why some may be missing between them. */
#include "outputs/compare/sides.h"

/* The cause that says most; the gap before the first instruction is the trace's beginning. */
static void widen(struct traced *t, enum align_gap gap)
{
	static const uint8_t weight[NR_GAPS] = {
		[GAP_FILTERED] = 1, [GAP_BUFFER] = 2, [GAP_ADDRESS] = 3, [GAP_NO_CODE] = 4, [GAP_OVERFLOW] = 5,
		[GAP_DISCARD] = 6, [GAP_ERROR] = 7, [GAP_BEGIN] = 8,
	};

	if (weight[gap] > weight[t->gap])
		t->gap = gap;
}

static enum align_gap gap_of(const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_NO_SYNC:
		return g->num == CST_UNSYNC_OVERFLOW ? GAP_OVERFLOW : g->num == CST_UNSYNC_DISCARD ? GAP_DISCARD :
		       g->num == CST_UNSYNC_BAD_PACKET || g->num == CST_UNSYNC_BAD_IMAGE ? GAP_ERROR : GAP_BUFFER;
	case CST_GEN_TRACE_ON:
		return g->num == CST_ON_OVERFLOW ? GAP_OVERFLOW : GAP_FILTERED;
	case CST_GEN_NACC:
		return GAP_NO_CODE;
	case CST_GEN_NOPATH:
	case CST_GEN_ADDR_UNKNOWN:
		return GAP_ADDRESS;
	case CST_GEN_EO_TRACE:
		return GAP_BUFFER;
	default:
		return GAP_NONE;
	}
}

static int put_range(struct traced *t, const struct stream *s, const struct cst_generic *g,
		     int (*put)(void *data, const struct align_insn *insn), void *data)
{
	struct align_insn out = { .pos = g->index, .where = s->queue, .isa = g->isa, .flags = ALIGN_HAS_OPCODE };
	struct insn insn;
	int rc = 0;

	out.el = g->flags & CST_GF_EL ? g->el : ALIGN_UNKNOWN;
	out.security = g->flags & CST_GF_EL ? g->security : ALIGN_UNKNOWN;
	insns_begin(&t->insns, s, g, &t->it);
	while (!rc && insns_next(&t->insns, &insn)) {
		out.addr = insn.addr;
		out.opcode = insn.opcode;
		out.size = insn.size;
		out.result = insn.result == INSN_EITHER ? ALIGN_UNKNOWN : insn.result;
		out.gap = (uint8_t)t->gap;
		t->gap = GAP_NONE;
		rc = put(data, &out);
	}
	if (!rc && insns_left(&t->insns))
		widen(t, GAP_NO_CODE);
	return rc;
}

int traced_batch(struct traced *t, const struct stream *s, const struct cst_generic *g, size_t n,
		 int (*put)(void *data, const struct align_insn *insn), void *data)
{
	size_t i;
	int rc = 0;

	if (!t->begun)
		widen(t, GAP_BEGIN);
	t->begun = true;
	for (i = 0; i < n && !rc; i++) {
		if (g[i].kind == CST_GEN_RANGE)
			rc = put_range(t, s, &g[i], put, data);
		else
			widen(t, gap_of(&g[i]));
	}
	return rc;
}
