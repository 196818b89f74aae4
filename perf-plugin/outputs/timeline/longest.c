/* SPDX-License-Identifier: GPL-2.0-only */
/* longest.c - keeps the longest calls of a recording, with the names of their functions. */
#include "outputs/timeline/longest.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "counting/calls/places.h"
#include "outputs/timeline/labels.h"
#include "outputs/timeline/slices_run.h"

static void add(struct long_calls *v, struct labels *labels, const struct calls_slice *s)
{
	struct long_call *c;

	if (!s->begin.time || s->end.time < s->begin.time) {
		v->untimed++;
		return;
	}
	c = ARRAY_ADD(v->v, v->n, v->cap);
	*c = (struct long_call){
		.is = *s,
		.function = mem_text(labels_of(labels, s->entry)),
		.dso = s->entry == CALLS_NO_PLACE ? NULL : labels_dso(labels, s->entry)
	};
}

int long_calls_find(struct session *ss, size_t max, bool demangle, struct long_calls *v)
{
	const struct calls_slice_opts o = { .max = max };
	struct calls_code code = calls_places_code(ss);
	struct labels *labels = labels_new(ss, &code, demangle);
	const struct calls_slice *slices;
	struct calls *calls;
	size_t nr, i;
	int rc;

	*v = (struct long_calls){ .v = NULL };
	code = labels_code(labels);
	calls = slices_run(ss, &code, &o, &rc);
	if (!rc) {
		calls_slices(calls, &nr, &v->left_out);
		calls_limit_slices(calls, max);
		slices = calls_slices(calls, &nr, &v->left_out);
		for (i = 0; i < nr; i++)
			add(v, labels, &slices[i]);
	}
	calls_free(calls);
	labels_free(labels);
	return rc;
}

void long_calls_free(struct long_calls *v)
{
	size_t i;

	for (i = 0; i < v->n; i++)
		free(v->v[i].function);
	free(v->v);
}
