/* SPDX-License-Identifier: GPL-2.0-only */
/* counted.c - counts a recording, or reads a count file, into a model. */
#include "outputs/cmd/counted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name.h"
#include "counting/branchlists/walk.h"
#include "counting/countfiles/count_input.h"
#include "counting/counts/collect.h"
#include "counting/counts/stored.h"
#include "machine/buffers/units.h"
#include "outputs/cmd/count.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/summary.h"
#include "outputs/profile/choose.h"
#include "perfdata/branch_list.h"
#include "session/parts.h"
#include "session/session.h"

bool counted_is(const char *path)
{
	return count_file_is(path) || branch_lists_are(path);
}

const char *counted_kind(const char *path)
{
	return count_file_is(path) ? "a count file" : "a file of branch lists";
}

int counted_check(const struct cmd_desc *cmd, const struct session_opts *so, enum metric metric)
{
	const struct filter_opts *f = &so->filter;
	const char *kind = counted_kind(so->input);
	const bool counts = count_file_is(so->input);

	if (metric)
		return cmd_usage_error(
			cmd,
			"%s is %s, which has neither cycles nor times: --metric=%s is "
			"for the "
			"recording that was counted",
			name_shown(so->input), kind, metric_words[metric].name);
	if (so->bare)
		return cmd_usage_error(cmd, "%s is %s, which has no trace: --elf is for trace",
				       name_shown(so->input), kind);
	if (f->time || f->cpu || f->pid || f->tid || f->comm)
		return cmd_usage_error(cmd,
				       "%s is %s, in which nothing says when, where and by "
				       "whom its code was executed: filter the recording that is "
				       "counted",
				       name_shown(so->input), kind);
	cmd_no_effect(cmd,
		      "kcore kallsyms jitdump contextid ts-freq max-expand no-text-copies jobs",
		      counts ? "a count file has no trace" : "branch lists have no trace");
	return CMD_GO_ON;
}

/* What the recorder needs, by enum session_recorder, to trace what a metric is made of. */
static const struct {
	const char *lacks;
	const char *cure[3];
} needed[NR_METRICS] = {
	[METRIC_CYCLES] = { "the trace has no counts of cycles",
			    { "record with cs_etm/cycacc/", "record with --record-cycles",
			      "count cycles in the trace (TRCCONFIGR.CCI, ETMCR bit 12)" } },
	[METRIC_TIME] = { "the trace has no timestamps",
			  { "record with cs_etm/timestamp/", "record with --record-timestamp",
			    "trace timestamps, too (TRCCONFIGR.TS, ETMCR bit 28)" } },
};

const char *counted_lacks(const struct session *ss, enum metric metric, const char **cure)
{
	const struct trace_units *tu = session_units(ss);
	uint32_t i;

	/* without metadata nothing is known */
	if (metric == METRIC_INSNS || !tu->info.nr_cpu)
		return NULL;
	for (i = 0; i < tu->info.nr_cpu; i++)
		if (metric == METRIC_CYCLES ? tu->v[i].config.cycle_count : tu->v[i].timestamps)
			return NULL;
	*cure = needed[metric].cure[session_recorder(ss)];
	return needed[metric].lacks;
}

int counted_session(const char *command, struct session *ss, const struct counted_how *how,
		    struct model *m, struct counted_lost *lost)
{
	const char *cure, *lacks = counted_lacks(ss, how->metric, &cure);
	struct collect *c;
	int rc;

	model_init(m);
	if (lacks) {
		fprintf(stderr, "cstrace %s: %s: --metric=%s: %s; %s: nothing was written\n",
			command, session_name(ss), metric_words[how->metric].name, lacks, cure);
		return CMD_ERROR;
	}
	c = collect_new(ss, how->mode, how->depth);
	collect_measure(c, how->metric);
	if (how->by_thread)
		collect_by_thread(c);
	rc = collect_run(c);
	if (!rc)
		rc = mem_code(collect_model(c, m));
	collect_free(c);
	if (rc)
		return CMD_ERROR;
	session_print_end(ss, stderr);
	if (!session_matched(ss)) {
		fprintf(stderr, "cstrace %s: %s: nothing was written\n", command, session_name(ss));
		return CMD_NOTHING;
	}
	lost->any = count_undecoded(command, session_name(ss), model_total(m, "loss.undecoded"));
	lost->above = lost->any || session_lossy(ss);
	lost->any |= session_has_losses(ss);
	return CMD_GO_ON;
}

static void find_by(struct dso_table *files, const struct session_opts *so)
{
	dso_table_init(files);
	files->search.symfs = so->symfs && so->symfs[0] ? so->symfs : NULL;
	files->search.vmlinux = so->vmlinux;
	files->search.buildid_dir = so->buildid_dir;
	files->search.debuginfod = so->debuginfod;
	files->search.force = so->force;
}

/* Walks along the branch lists of the input; NULL after a message. */
static struct list_walks *walk_lists(const char *command, const char *path, struct dso_table *files)
{
	struct list_walks *w = list_walks_new(files);
	struct error err = { .code = 0 };

	if (list_walks_read(w, path, &err)) {
		fprintf(stderr, "cstrace %s: %s\n", command, err.msg);
		list_walks_free(w);
		return NULL;
	}
	list_walks_end(w);
	list_walks_print(w, command, path, stderr);
	return w;
}

static int read_lists(const char *command, const char *path, struct model *m,
		      struct dso_table *files)
{
	struct list_walks *w = walk_lists(command, path, files);
	int rc = w ? mem_code(list_walks_model(w, m)) : ERR_REPORTED;

	list_walks_free(w);
	return rc;
}

int counted_file(const char *command, const struct session_opts *so, struct model *m,
		 struct dso_table *files, struct counted_lost *lost)
{
	struct loss_share share;
	int rc;

	model_init(m);
	find_by(files, so);
	if (count_file_is(so->input)) {
		rc = stored_read(command, so->input, m);
		if (!rc)
			model_find_files(m, files);
	} else {
		rc = read_lists(command, so->input, m, files);
	}
	if (!rc)
		stored_print(so->input_name ? so->input_name : so->input, m);
	share = stored_share(m);
	lost->any = stored_incomplete(m);
	lost->unknown = share.unknown;
	lost->above = cmd_loss_above(&share, so->max_loss);
	return rc;
}

static int take_lost(void *lost, const struct cst_count_record *rec)
{
	if (rec->kind == CST_COUNT_TOTAL)
		count_lost_add(lost, rec->total.name, rec->total.value);
	return 0;
}

/* What a count file of the lists says that was lost. */
static struct loss_share share_of(struct list_walks *w)
{
	struct count_lost lost = { 0 };

	list_walks_pass(w, take_lost, &lost);
	return count_lost_share(&lost);
}

int counted_lists(const char *command, const struct session_opts *so, const char *path,
		  struct pd_output *out, struct summary *sum)
{
	struct list_walks *w;
	struct loss_share share;
	struct dso_table files;
	int rc = CMD_ERROR;

	find_by(&files, so);
	w = walk_lists(command, path, &files);
	if (!w) {
		pd_output_abort(out);
	} else if (sum && list_walks_empty(w)) {
		fprintf(stderr,
			"cstrace %s: %s: nothing to %s: no branch of the lists is counted\n",
			command, name_shown(path), command);
		pd_output_abort(out);
		rc = CMD_NOTHING;
	} else if (!stored_write_records(command, list_walks_pass, w, out)) {
		share = share_of(w);
		rc = sum && cmd_loss_above(&share, so->max_loss) ? CMD_LOSSES : CMD_OK;
	}
	if (rc != CMD_ERROR && sum && sum->file)
		list_walks_pass(w, summary_record, sum);
	list_walks_free(w);
	dso_table_free(&files);
	return rc;
}

int counted_nothing(const char *command, const char *name, const char *want, bool one, const struct model_binary *b,
		    struct model_binary **v, const struct model *m)
{
	size_t n = m->nr_binaries;

	name = name_shown(name);
	fprintf(stderr, "cstrace %s: %s: ", command, name);
	if (m->metric && m->unmeasured.insns && !want) {
		fprintf(stderr, "nothing to %s: all %" PRIu64 " instructions %s\n", command,
			m->unmeasured.insns, metric_words[m->metric].base);
		return CMD_NOTHING;
	}
	if (b)
		fprintf(stderr, "nothing to %s: nothing of %s was decoded; the trace shows:\n", command, name_shown(b->is.name));
	else if (want)
		fprintf(stderr, "nothing to %s: --binary asks for %s, and the trace shows%s\n", command, name_shown(want),
			n ? ":" : " no binary");
	else if (n && one)
		fprintf(stderr, "several binaries ran; choose one with --binary:\n");
	else if (n)
		fprintf(stderr, "nothing to %s: nothing was decoded; the trace shows:\n", command);
	else
		fprintf(stderr, "nothing to %s: the trace shows no binary\n", command);
	if (!n && model_total(m, "loss.list-no-code"))
		fprintf(stderr, "  branch lists need their programs: give the directory with them "
				"with --symfs DIR, a kernel with --vmlinux FILE\n");
	else
		choose_list(stderr, v, n, model_total(m, "instructions.elsewhere"),
			    metric_words[m->metric].unit);
	return b || want || !n || !one ? CMD_NOTHING : CMD_ERROR;
}

int counted_untraced(void *data, const char *arg)
{
	bool *traced_only = data;

	*traced_only = !strcmp(arg, "uncovered");
	if (*traced_only || !strcmp(arg, "covered"))
		return 0;
	fprintf(stderr, "cstrace: --untraced: found '%s', expected covered or uncovered\n", arg);
	return -1;
}

int counted_metric(void *data, const char *arg)
{
	enum metric *metric = data;
	unsigned int i;

	for (i = 0; i < NR_METRICS; i++) {
		if (!strcmp(arg, metric_words[i].name)) {
			*metric = (enum metric)i;
			return 0;
		}
	}
	fprintf(stderr, "cstrace: --metric: found '%s', expected instructions, cycles or time\n",
		arg);
	return -1;
}
