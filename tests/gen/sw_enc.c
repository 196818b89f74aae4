/* SPDX-License-Identifier: BSD-3-Clause */
#include "sw_enc.h"

#include <stdlib.h>
#include <string.h>

struct cst_generic *sw_trace_element(struct sw_trace *t, enum cst_generic_kind kind, uint64_t index)
{
	struct cst_generic *g;

	if (t->n_el == t->cap_el) {
		t->cap_el = t->cap_el ? 2 * t->cap_el : 256;
		t->el = gen_realloc(t->el, t->cap_el * sizeof(*t->el));
	}
	g = &t->el[t->n_el++];
	memset(g, 0, sizeof(*g));
	g->kind = kind;
	g->index = index;
	return g;
}

struct sw_sync *sw_trace_sync(struct sw_trace *t, uint64_t start)
{
	struct sw_sync *s;

	if (t->n_sync == t->cap_sync) {
		t->cap_sync = t->cap_sync ? 2 * t->cap_sync : 16;
		t->sync = gen_realloc(t->sync, t->cap_sync * sizeof(*t->sync));
	}
	s = &t->sync[t->n_sync++];
	s->start = s->least = s->end = start;
	return s;
}

void sw_trace_free(struct sw_trace *t)
{
	gbuf_free(&t->out);
	free(t->el);
	free(t->sync);
	memset(t, 0, sizeof(*t));
}
