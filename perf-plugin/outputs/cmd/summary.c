/* SPDX-License-Identifier: GPL-2.0-only */
/* summary.c - --summary=FILE: what a run read, lost and took, as one JSON object. */
#include "outputs/cmd/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cstrace/version.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "base/name.h"
#include "counting/counts/model.h"
#include "machine/images/dso.h"
#include "outputs/cmd/options.h"
#include "perfdata/branch_list.h"
#include "session/parts.h"
#include "session/session.h"

/* ---- lists ----------------------------------------------------------------------------------- */

/* Begins an object of the list. */
static FILE *list_add(struct summary_list *l)
{
	if (!l->f)
		l->f = open_memstream(&l->text, &l->size);
	if (!l->f)
		mem_refused(0);
	fprintf(l->f, "%s\n  {", ftell(l->f) ? "," : "");
	return l->f;
}

static const char *list_text(struct summary_list *l)
{
	if (!l->f)
		return "";
	if (fclose(l->f) || !l->text)
		mem_refused(0);
	l->f = NULL;
	return l->text;
}

static void list_free(struct summary_list *l)
{
	if (l->f)
		fclose(l->f);
	free(l->text);
}

static void put_string(FILE *f, const char *s)
{
	char text[6 * 4096 + 2];

	fwrite(text, 1, (size_t)(name_json(text, text + sizeof(text), s) - text), f);
}

static void put_binary(struct summary *s, const char *name, const char *kind, const uint8_t *id,
		       size_t len)
{
	FILE *f = list_add(&s->binaries);
	size_t i;

	fprintf(f, "\"name\":");
	put_string(f, name);
	if (len)
		fprintf(f, ",\"%s\":\"", kind);
	for (i = 0; i < len; i++)
		fprintf(f, "%02x", id[i]);
	fprintf(f, "%s}", len ? "\"" : "");
}

/* ---- what was read --------------------------------------------------------------------------- */

/* A cause as count files have it: "no-file" for NO_FILE. */
static void put_loss(struct summary *s, enum loss cause, const struct loss_amount *a)
{
	FILE *f = list_add(&s->losses);
	const char *p;

	fprintf(f, "\"cause\":\"");
	for (p = loss_name(cause); *p; p++)
		fputc(*p == '_' ? '-' : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 'a' : *p, f);
	fprintf(f, "\",\"count\":%" PRIu64 ",\"bytes\":%" PRIu64 "}", a->count, a->bytes);
}

void summary_session(struct summary *s, struct session *ss)
{
	const struct session_totals *t = session_totals(ss);
	const struct losses *ls = session_losses(ss);
	const struct dso *d;
	size_t pos = 0;
	int i;

	if (!s->file)
		return;
	s->counted = true;
	/* what a filter selects of the branches is not counted */
	s->has_branches = !session_filtered(ss);
	s->has_decoded = session_filtered(ss);
	s->recordings = 1;
	s->bytes = t->aux_bytes;
	s->filtered = t->filtered_bytes;
	s->instructions = s->has_decoded ? t->chosen_insns : t->dec.insns;
	s->decoded_insns = t->dec.insns;
	s->branches = t->dec.branches;
	s->share = session_share(ss);
	for (i = 0; i < NR_LOSSES; i++)
		if (ls->cause[i].count)
			put_loss(s, (enum loss)i, &ls->cause[i]);
	while ((d = session_next_used(ss, &pos))) {
		const struct build_id *id = d->recorded.len ? &d->recorded : &d->image.found;

		put_binary(s, dso_path(d), "build_id", id->id, id->len);
	}
}

static void take_total(struct summary *s, const char *name, uint64_t value)
{
	FILE *f;

	count_lost_add(&s->lost, name, value);
	if (!strcmp(name, "recordings"))
		s->recordings = value;
	if (!strcmp(name, "bytes.traced"))
		s->bytes = value;
	if (!strcmp(name, "bytes.filtered"))
		s->filtered = value;
	if (!strcmp(name, "instructions"))
		s->instructions = value;
	if (strncmp(name, "loss.", 5))
		return;
	f = list_add(&s->losses);
	fprintf(f, "\"cause\":");
	put_string(f, name + 5);
	fprintf(f, ",\"count\":%" PRIu64 "}", value);
}

static void take_binary(struct summary *s, const struct cst_count_binary *b)
{
	put_binary(s, b->name, b->id_kind == CST_COUNT_ID_BUILD ? "build_id" : "digest", b->id,
		   b->id_len);
}

int summary_record(void *data, const struct cst_count_record *rec)
{
	struct summary *s = data;

	s->counted = true;
	if (rec->kind == CST_COUNT_TOTAL)
		take_total(s, rec->total.name, rec->total.value);
	else if (rec->kind == CST_COUNT_BINARY)
		take_binary(s, &rec->binary);
	s->share = count_lost_share(&s->lost);
	return 0;
}

void summary_model(struct summary *s, const struct model *m)
{
	size_t i;

	if (!s->file)
		return;
	s->counted = true;
	for (i = 0; i < m->nr_totals; i++)
		take_total(s, m->totals[i].name, m->totals[i].value);
	for (i = 0; i < m->nr_binaries; i++)
		take_binary(s, &m->binaries[i].is);
	s->share = count_lost_share(&s->lost);
}

void summary_lists(struct summary *s, const struct branch_lists *l, uint64_t n)
{
	size_t i;

	if (!s->file)
		return;
	s->counted = s->no_trace = true;
	s->recordings = n;
	s->share = (struct loss_share){ .of = 1, .unknown = n };
	for (i = 0; i < l->nr; i++)
		put_binary(s, l->v[i].path, "build_id", l->v[i].id, l->v[i].id_len);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void who(char out[64], const char *command)
{
	snprintf(out, 64, "cstrace %s", command);
}

int summary_begin(struct summary *s, const char *command, const char *output)
{
	char name[64];

	if (!s->file)
		return CMD_GO_ON;
	who(name, command);
	if (!strcmp(s->file, "-") && !strcmp(output, "-")) {
		fprintf(stderr, "%s: --summary=-: the output goes to standard output; name a file\n",
			name);
		return CMD_USAGE;
	}
	clock_gettime(CLOCK_MONOTONIC, &s->start);
	if (pd_output_begin(&s->out, name, s->file, false))
		return CMD_ERROR;
	if (!output_meets(&s->out, output))
		return CMD_GO_ON;
	fprintf(stderr, "%s: --summary=%s: the output goes there, too; name another file\n", name,
		name_shown(s->file));
	pd_output_abort(&s->out);
	return CMD_USAGE;
}

int summary_failed(struct summary *s, const char *command, const char *output, const char *input)
{
	return summary_begin(s, command, output) == CMD_GO_ON ?
		       summary_end(s, command, input, CMD_ERROR) :
		       CMD_ERROR;
}

bool summary_refused(const struct summary *s)
{
	struct stat st;

	return s->out.path && !stat(s->out.path, &st) && input_noted(&st);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void write_counted(struct summary *s)
{
	struct pd_output *o = &s->out;

	pd_output_printf(o, " \"recordings\":%" PRIu64 ",\n", s->recordings);
	if (!s->no_trace)
		pd_output_printf(o,
				 " \"bytes\":%" PRIu64 ",\n \"bytes_filtered\":%" PRIu64
				 ",\n \"instructions\":%" PRIu64 ",\n",
				 s->bytes, s->filtered, s->instructions);
	if (s->has_decoded)
		pd_output_printf(o, " \"instructions_decoded\":%" PRIu64 ",\n", s->decoded_insns);
	if (s->has_branches)
		pd_output_printf(o, " \"branches\":%" PRIu64 ",\n", s->branches);
	pd_output_printf(o, " \"lost\":{\"bytes\":%" PRIu64 ",\"of\":%" PRIu64 ",", s->share.lost,
			 s->share.of);
	if (s->share.unknown)
		pd_output_printf(o, "\"share\":null,\"unknown\":%" PRIu64 "},\n",
				 s->share.unknown);
	else
		pd_output_printf(o, "\"share\":%.9f},\n",
				 (double)s->share.lost / (double)s->share.of);
	pd_output_printf(o, " \"losses\":[%s],\n", list_text(&s->losses));
	pd_output_printf(o, " \"binaries\":[%s],\n", list_text(&s->binaries));
}

int summary_end(struct summary *s, const char *command, const char *input, int rc)
{
	char text[6 * 4096 + 3], name[64];

	if (!s->file)
		return rc;
	pd_output_printf(&s->out, "{\"version\":\"%s\",\n \"command\":\"%s\",\n", CST_VERSION_TEXT,
			 command);
	if (input) {
		*name_json(text, text + sizeof(text) - 1, input) = 0;
		pd_output_printf(&s->out, " \"input\":%s,\n", text);
	}
	if (s->counted)
		write_counted(s);
	pd_output_printf(&s->out, " \"time\":%lld,\n \"seconds\":%.3f,\n \"exit_code\":%d}\n",
			 (long long)time(NULL), seconds_since(&s->start), rc);
	list_free(&s->losses);
	list_free(&s->binaries);
	who(name, command);
	return pd_output_end(&s->out, name) ? CMD_ERROR : rc;
}
