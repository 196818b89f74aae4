/* SPDX-License-Identifier: GPL-2.0-only */
/* report.c - perf-cstrace report: a folder of pages to look at. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/alloc.h"
#include "counting/counts/stored.h"
#include "machine/buffers/units.h"
#include "outputs/cmd/base.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/count.h"
#include "outputs/cmd/counted.h"
#include "outputs/cmd/options.h"
#include "outputs/info/info.h"
#include "outputs/profile/choose.h"
#include "outputs/profile/formats.h"
#include "outputs/profile/places.h"
#include "outputs/report/report.h"
#include "outputs/timeline/latency.h"
#include "outputs/timeline/longest.h"
#include "session/import/bare.h"
#include "session/parts.h"
#include "session/session.h"

#define COMMAND	"report"
#define TIMELINE_CALLS	5000u	/* on its page: the longest ones */

struct request {
	const char *want;		/* --binary; NULL: not given */
	const char *output;
	const char *symfs;
	bool demangle;
	bool traced_only;		/* --untraced=uncovered */
	uint64_t functions, files;	/* pages */
	const char *source;
	bool timeline;
	enum metric metric;
	struct base_opts base;
};

/* Writes the pages, and those of what changed if there is a base. Returns as report_write(). */
static int write_pages(struct outdir *out, const struct request *r, const struct base *before,
		       const struct whole *w, struct report_about *about, bool *lossy,
		       struct error *err)
{
	const struct report_limits limits = { .functions = r->functions,
					      .files = r->files,
					      .source = r->source,
					      .symfs = r->symfs };
	struct diff_given given;
	struct difference d;
	int rc;

	if (!before->opened)
		return report_write(out, w, about, &limits, err);
	base_given(&given, before, &r->base, w, about->incomplete || about->unknown);
	given.lines = given.stacks = true;
	rc = difference_init(&d, &given, err);
	about->difference = &d;
	about->base = r->base.input;
	if (!rc)
		rc = report_write(out, w, about, &limits, err);
	about->difference = NULL;
	/* of one build it is the same */
	*lossy |= before->lost.above |
		  profile_report_missing(COMMAND, &given.whole[DIFF_BEFORE], !d.same_build);
	difference_free(&d);
	return rc;
}

/*
 * Writes the pages of the chosen binary or of all. `out` is finished or aborted. `lossy`: more was
 * lost than the user accepts.
 */
static int write_chosen(struct outdir *out, const struct request *r, const struct base *before,
			struct report_about *about, const struct model *m, bool lossy)
{
	struct whole whole = { .model = m, .places = places_new(m),
			      .demangle = r->demangle,
			       .traced_only = r->traced_only };
	struct model_binary **v = model_busiest(m), *b = NULL;
	struct error err = { .code = 0 };
	int rc = CMD_ERROR;

	if (r->want)
		whole.only = b = choose_named(v, m->nr_binaries, r->want);
	if ((r->want && (!b || choose_empty(b))) || !whole_instructions(&whole)) {
		rc = counted_nothing(COMMAND, about->input, r->want, r->want, b, v, m);
		outdir_abort(out);
	} else if (write_pages(out, r, before, &whole, about, &lossy, &err)) {
		outdir_abort(out);
		fprintf(stderr, "cstrace " COMMAND ": %s\n", err.msg);
	} else if (outdir_finish(out, &err)) {
		fprintf(stderr, "cstrace " COMMAND ": %s\n", err.msg);
	} else {
		profile_report_unmeasured(COMMAND, m);
		rc = profile_report_missing(COMMAND, &whole, true) || lossy ? CMD_LOSSES : CMD_OK;
		count_print_order(COMMAND, model_total(m, "calls.estimated"), model_total(m, "calls.unordered"),
				  model_total(m, "calls.unjoined"));
	}
	places_free(whole.places);
	free(v);
	return rc;
}

/* What `info` prints, in memory that the caller frees. */
static char *words(struct session *ss, bool result)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		mem_refused(0);
	if (result)
		info_print_result(ss, false, f);
	else
		info_print_recording(ss, false, f);
	if (fclose(f) || !text)
		mem_refused(0);
	return text;
}

/* True if exceptions led to code that was traced. */
static bool has_handlers(const struct model *m)
{
	size_t i;

	for (i = 0; i < m->nr_nodes; i++)
		if (m->nodes[i].is.kind == CST_COUNT_EXCEPTION)
			return true;
	return false;
}

/* Calls for the timeline; one that has no times is left out after a message. */
static int find_calls(struct session *ss, const struct request *r, struct long_calls *calls)
{
	int rc = long_calls_find(ss, TIMELINE_CALLS, r->demangle, calls);

	if (!rc && !calls->n)
		fprintf(stderr,
			"cstrace " COMMAND ": no timeline: no call has a time; "
			"record timestamps\n");
	return rc;
}

static int report_run(struct session *ss, const struct request *r, const struct base *before,
		      struct outdir *out)
{
	char *recorded = words(ss, false), *result = NULL;
	const struct counted_how how = { .mode = COUNTS_CALLS,
					 .metric = r->metric,
					 .by_thread = true };
	struct report_about about = { .input = session_name(ss), .recorded = recorded, .ss = ss };
	struct latencies latencies = { .n = 0 };
	struct long_calls calls = { .n = 0 };
	const char *cure;
	struct model m;
	struct counted_lost lost = { .any = false };
	int rc = counted_session(COMMAND, ss, &how, &m, &lost);

	about.incomplete = lost.any;
	about.latencies = &latencies;
	about.has_cycles = session_units(ss)->info.nr_cpu &&
			   !counted_lacks(ss, METRIC_CYCLES, &cure);
	if (rc == CMD_GO_ON) {
		about.result = result = words(ss, true);
		if (latencies_find(ss, has_handlers(&m), &latencies))
			rc = CMD_ERROR;
	}
	if (rc == CMD_GO_ON && r->timeline && find_calls(ss, r, &calls))
		rc = CMD_ERROR;
	about.calls = &calls;
	if (rc == CMD_GO_ON) {
		rc = write_chosen(out, r, before, &about, &m, lost.above);
	} else {
		outdir_abort(out);
	}
	model_free(&m);
	latencies_free(&latencies);
	long_calls_free(&calls);
	free(recorded);
	free(result);
	return rc;
}

static int run_stored(const struct session_opts *so, const struct request *r,
		      const struct base *before, struct outdir *out)
{
	struct report_about about = { .input = so->input };
	struct counted_lost lost = { .any = false };
	struct dso_table files;
	int rc = CMD_ERROR;
	struct model m;

	if (!counted_file(COMMAND, so, &m, &files, &lost)) {
		about.incomplete = lost.any;
		about.unknown = lost.unknown;
		rc = write_chosen(out, r, before, &about, &m, lost.above);
	} else {
		outdir_abort(out);
	}
	model_free(&m);
	dso_table_free(&files);
	return rc;
}

static int report(const struct session_opts *so, const struct request *r)
{
	struct error err = { .code = 0 };
	const bool stored = so->input && counted_is(so->input);
	struct session *ss = stored ? NULL : session_open(so);
	const struct counted_how how = { .mode = COUNTS_CALLS, .metric = r->metric };
	struct base before;
	struct outdir out;
	int rc;

	if (!stored && !ss)
		return CMD_ERROR;
	/* decoding may take long: an output that cannot be is refused before */
	if (outdir_open_kind(&out, r->output, &report_kind, &err)) {
		fprintf(stderr, "cstrace " COMMAND ": %s\n", err.msg);
		session_close(ss);
		return CMD_ERROR;
	}
	rc = base_open(&before, COMMAND, &r->base, so, &how);
	if (rc != CMD_GO_ON)
		outdir_abort(&out);
	else
		rc = stored ? run_stored(so, r, &before, &out) :
			      report_run(ss, r, &before, &out);
	base_close(&before);
	session_close(ss);
	return rc;
}

int cmd_report(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	/* counts are those of profile, which has ranges end at the branches that a Source Address passes */
	struct session_opts so = { .progress = true, .split_source = true };
	struct request r = { .functions = 200, .files = 300 };
	const struct cmd_opt opts[] = {
		{ 'o', "output", CMD_OPT_STRING, &r.output, "DIR",
		  "folder to write: a new one, an empty one, or an earlier report, which is replaced", NULL },
		{ 0, "binary", CMD_OPT_STRING, &r.want, "PATH",
		  "only this binary: as recorded, its name, or build-id:HEX", NULL },
		{ 0, "demangle", CMD_OPT_FLAG, &r.demangle, NULL, "names of C++ functions as in the source", NULL },
		CMD_UNTRACED_OPT(r.traced_only),
		CMD_METRIC_OPT(r.metric),
		{ 0, "source", CMD_OPT_FOLDER, &r.source, "DIR",
		  "search source files below DIR first: the path of the compilation, or its end", NULL },
		{ 0, "functions", CMD_OPT_NUMBER, &r.functions, "N",
		  "pages of functions, those with most instructions (default: 200)", NULL },
		{ 0, "files", CMD_OPT_NUMBER, &r.files, "N",
		  "pages of source files, those with most instructions (default: 300)", NULL },
		{ 0, "timeline", CMD_OPT_FLAG, &r.timeline, NULL,
		  "a page with the longest calls in time: the trace is decoded once more", NULL },
		CMD_BASE_OPTS(r.base),
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END,
	};
	static const char more[] =
		"DIR/index.html begins: what was recorded and lost, the hottest functions and lines. Behind it: the\n"
		"  flame graph, the code of functions with exact counts and branch directions, coverage by file.\n"
		"With --base there are pages of what changed, and a flame graph of it.\n"
		"The pages need no server and no network. FILE may be a count file of profile --format=cstrace.\n";
	const struct cmd_desc cmd = { COMMAND, "a folder of pages to look at: counts, code, flame graph, coverage",
				      NULL, opts, more };
	int rc = cmd_input(&cmd, &argc, argv, &bare, &so);

	if (rc == CMD_GO_ON && (!r.output || !*r.output))
		rc = cmd_usage_error(&cmd, "-o DIR is needed: the folder to write");
	if (rc == CMD_GO_ON)
		rc = base_check(&cmd, &r.base, &so, r.metric);
	if (rc == CMD_GO_ON && so.input && counted_is(so.input)) {
		rc = counted_check(&cmd, &so, r.metric);
		if (rc == CMD_GO_ON)
			cmd_no_effect(&cmd, "timeline", "a count file has no times");
	}
	if (rc != CMD_GO_ON)
		return rc;
	r.symfs = so.symfs;
	return report(&so, &r);
}
