/* SPDX-License-Identifier: GPL-2.0-only */
/* base.c - opens and counts what --base names. */
#include "outputs/cmd/base.h"

#include <stdio.h>

#include "base/name.h"
#include "outputs/cmd/options.h"
#include "outputs/profile/places.h"
#include "session/session.h"

int base_check(const struct cmd_desc *cmd, const struct base_opts *o, const struct session_opts *so,
	       enum metric metric)
{
	const struct filter_opts *f = &so->filter;

	if (!o->input) {
		if (o->symfs || o->scale)
			return cmd_usage_error(cmd, "--%s is for --base FILE",
					       o->scale ? "scale" : "base-symfs");
		return CMD_GO_ON;
	}
	if (!counted_is(o->input))
		return CMD_GO_ON;
	if (metric)
		return cmd_usage_error(
			cmd,
			"--base: %s is %s, which has neither cycles nor times: "
			"--metric=%s is for two recordings",
			name_shown(o->input), counted_kind(o->input), metric_words[metric].name);
	if (f->time || f->cpu || f->pid || f->tid || f->comm)
		return cmd_usage_error(
			cmd,
			"--base: %s is %s, which cannot be filtered: name the recording "
			"that was counted",
			name_shown(o->input), counted_kind(o->input));
	return CMD_GO_ON;
}

static int open_recording(struct base *b, const char *command, const struct session_opts *so,
			  const struct counted_how *how)
{
	b->ss = session_open(so);
	return b->ss ? counted_session(command, b->ss, how, &b->model, &b->lost) : CMD_ERROR;
}

int base_open(struct base *b, const char *command, const struct base_opts *o,
	      const struct session_opts *so, const struct counted_how *how)
{
	struct session_opts before = *so;
	int rc = CMD_GO_ON;

	*b = (struct base){ .opened = o->input };
	if (!b->opened)
		return CMD_GO_ON;
	before.input = o->input;
	/* trace without a recording, and program files of a snapshot, are those of the input */
	before.bare = NULL;
	before.symfs = o->symfs ? o->symfs : so->symfs;
	model_init(&b->model);
	dso_table_init(&b->files);
	if (!counted_is(o->input))
		rc = open_recording(b, command, &before, how);
	else if (counted_file(command, &before, &b->model, &b->files, &b->lost))
		rc = CMD_ERROR;
	b->places = places_new(&b->model);
	return rc;
}

void base_close(struct base *b)
{
	if (!b->opened)
		return;
	places_free(b->places);
	model_free(&b->model);
	dso_table_free(&b->files);
	session_close(b->ss);
}

void base_given(struct diff_given *given, const struct base *b, const struct base_opts *o,
		const struct whole *after, bool incomplete)
{
	*given = (struct diff_given){ .scale = o->scale,
				      .inexact =
					      b->lost.any || b->lost.unknown ||
					      incomplete || after->model->metric };
	given->whole[DIFF_AFTER] = *after;
	given->whole[DIFF_BEFORE] = (struct whole){ .model = &b->model,
						    .places = b->places,
						    .demangle = after->demangle };
}
