/* SPDX-License-Identifier: GPL-2.0-only */
/* branch_list.c - writes branch lists of a model in one of their forms. */
#include "outputs/profile/branch_list.h"

#include <stdio.h>

#include "counting/branchlists/make.h"
#include "perfdata/branch_list.h"

static int write_form(struct pd_output *out, const struct whole *w, enum branch_list_form form)
{
	struct branch_lists l = { .v = NULL };
	struct list_silence silence;
	size_t i, n = 0;

	lists_make(&l, w->model, w->only ? w->only->number : UINT32_MAX, &silence);
	for (i = 0; i < l.nr; i++)
		n += l.v[i].nr;
	if (n) {
		branch_lists_write(&l, form, out);
		fprintf(stderr, "cstrace profile: %zu branch lists, binaries: %zu\n", n, l.nr);
	}
	list_silence_print(&silence, "profile", stderr);
	branch_lists_free(&l);
	return !n;
}

int branch_list_write(struct pd_output *out, const struct whole *w)
{
	return write_form(out, w, BRANCH_LIST_PLAIN);
}

int branch_list_write_packed(struct pd_output *out, const struct whole *w)
{
	return write_form(out, w, BRANCH_LIST_PACKED);
}

int branch_list_write_old(struct pd_output *out, const struct whole *w)
{
	return write_form(out, w, BRANCH_LIST_OLD);
}
