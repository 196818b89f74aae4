/* SPDX-License-Identifier: GPL-2.0-only */
/* inject.c - perf-cstrace inject: perf.data with trace in, perf.data with samples out. */
#include <inttypes.h>
#include <stdio.h>

#include "machine/images/dso.h"
#include "machine/images/library.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/summary.h"
#include "outputs/profile/readers.h"
#include "outputs/synth/injector.h"
#include "perfdata/comp.h"
#include "session/import/bare.h"

static const char more[] =
	"--itrace letters: i[PERIOD[i|t|ns|us|ms]] instructions samples (default i100000ns), b branches,\n"
	"c calls, r returns, e[-o][-l] errors, x transactions, w instrumentation (ptwrite),\n"
	"I events of the trace unit, l[N] branch stack of N entries (default 64) on\n"
	"instructions samples, g[N] call chain, L[N] and G[N] the same on the samples that perf\n"
	"recorded, sN leave out the first N samples, Z without timestamps,\n"
	"T timestamps are the kernel's time, A for script -F +ipc. Without --itrace: ibe.\n"
	"The output has no AUX data. Time periods need timestamps in the trace; without them one\n"
	"instruction counts as one nanosecond.\n";

/* Branch stacks are read for optimisation, and what is optimised is a program. */
static void report_readers(struct session *ss)
{
	struct dso *d;
	size_t pos = 0;

	while ((d = session_next_used(ss, &pos)))
		if (!library_name(dso_path(d)))
			readers_report(stderr, "inject", d, READER_SAMPLES);
}

/* Parses the level of compression; NULL is none, and "" the one that perf record -z has. */
static int take_level(const struct cmd_desc *cmd, const char *text, int *level)
{
	uint64_t v = 1;

	if (!text)
		return CMD_GO_ON;
	if (*text && (!cmd_number(text, &v) || !v || v > PD_COMP_MAX_LEVEL))
		return cmd_usage_error(cmd, "--compression-level: found '%s', expected a level "
				       "from 1 to %d", text, PD_COMP_MAX_LEVEL);
	if (!pd_comp_available())
		return cmd_usage_error(cmd, "--compression-level: this program was made without "
				       "zstd (NO_ZSTD)");
	*level = (int)v;
	return CMD_GO_ON;
}

/* Says what L and G found for the samples that perf recorded. */
static void report_joined(struct session *ss, const struct injector *in)
{
	const struct join_counts *c = injector_joined(in);

	if (!c)
		return;
	fprintf(stderr, "cstrace inject: %s: %" PRIu64 " samples of other events", session_name(ss),
		c->samples);
	if (c->stacks)
		fprintf(stderr, "; branch stacks: %" PRIu64 " full, %" PRIu64 " in part, %" PRIu64
			" empty", c->full, c->stacks - c->full - c->empty, c->empty);
	if (c->chains)
		fprintf(stderr, "; call chains: %" PRIu64 " with callers, %" PRIu64 " without",
			c->callers, c->chains - c->callers);
	fprintf(stderr, "%s\n", c->samples ? "" : ": L and G in --itrace add nothing");
	if (c->cut)
		fprintf(stderr, "cstrace inject: %s: %" PRIu64 " of these stacks have the newest "
			"branches only: a record has no room for more\n", session_name(ss), c->cut);
	if (c->samples && !injector_follows(in))
		fprintf(stderr, "cstrace inject: %s: L and G find the trace before a sample by its "
			"time: both need timestamps, and Z leaves them out\n", session_name(ss));
}

static int inject_run(struct session *ss, const struct injector_opts *o)
{
	struct injector *in = injector_open(ss, o);
	uint64_t left_out, large;
	int rc;

	if (!in)
		return CMD_ERROR;
	rc = injector_run(in);
	left_out = injector_left_out(in);
	large = injector_too_large(in);
	if (!rc) {
		if (left_out)
			fprintf(stderr, "cstrace inject: %s: %" PRIu64 " samples are left out: their events are damaged in the header, "
				"or have fields that this program does not know; 'perf script' of a newer perf may show them\n",
				session_name(ss), left_out);
		if (large)
			fprintf(stderr, "cstrace inject: %s: %" PRIu64 " samples are left out: "
				"their records have no room for more\n", session_name(ss), large);
		report_joined(ss, in);
		session_print_end(ss, stderr);
		if (o->itrace.stack || o->itrace.add_stack)
			report_readers(ss);
	}
	injector_close(in);
	if (rc)
		return CMD_ERROR;
	return cmd_decoded(ss, left_out || large);
}

int cmd_inject(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	struct session_opts so = { .progress = true };
	struct injector_opts o = { .output = "-" };
	const char *itrace = NULL, *level = NULL;
	struct summary sum = { .file = NULL };
	bool strip = false, tiles = false;
	char msg[400];
	const struct cmd_opt opts[] = {
		{ 'o', "output", CMD_OPT_STRING, &o.output, "FILE",
		  "where the result goes, - for stdout in pipe form (default)", NULL },
		{ 0, "itrace", CMD_OPT_OPTIONAL, &itrace, "LETTERS",
		  "which samples to make of the trace, see below", NULL },
		{ 0, "strip", CMD_OPT_FLAG, &strip, NULL,
		  "accepted as perf does; AUX data is left out in any case", NULL },
		{ 0, "hw-index", CMD_OPT_FLAG, &o.hw_index, NULL,
		  "branch stacks with the index field, which AutoFDO's readers cannot parse", NULL },
		{ 0, "no-branch-view", CMD_OPT_FLAG, &o.no_branch_view, NULL,
		  "with l: perf report starts with samples, not with branches", NULL },
		{ 0, "switch-events", CMD_OPT_FLAG, &o.switches, NULL,
		  "keep records of context switches, of which AutoFDO's readers complain", NULL },
		{ 0, "tiles", CMD_OPT_FLAG, &tiles, NULL,
		  "with il: a sample per full branch stack, so that each branch is in exactly one", NULL },
		{ 'z', "compression-level", CMD_OPT_OPTIONAL, &level, "LEVEL",
		  "compress the records, as perf record does: 1 (default) is fastest, 22 smallest; "
		  "AutoFDO's readers do not take them", NULL },
		CMD_SUMMARY_OPT(sum),
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END,
	};
	const struct cmd_desc cmd = { "inject", "perf.data with trace in, perf.data with samples out",
				      NULL, opts, more };
	struct session *ss;
	int rc = cmd_input(&cmd, &argc, argv, &bare, &so);

	if (rc == CMD_ERROR)
		return summary_failed(&sum, cmd.name, o.output, so.input);
	if (rc == CMD_GO_ON)
		rc = take_level(&cmd, level, &o.level);
	if (rc != CMD_GO_ON)
		return rc;
	if (!itrace || !*itrace)
		itrace_default(&o.itrace, false);
	else if (!itrace_parse(&o.itrace, itrace, msg, sizeof(msg)))
		return cmd_usage_error(&cmd, "%s", msg);
	if (o.itrace.approximate_ipc)
		fprintf(stderr,
			"cstrace inject: warning: A in --itrace has no effect: samples have no "
			"field for instructions and "
			"cycles; script -F +ipc prints them\n");
	if (o.itrace.unused[0])
		fprintf(stderr, "cstrace inject: --itrace letters without a meaning for CoreSight: %s\n",
			o.itrace.unused);
	if (!o.itrace.instructions && (o.itrace.chain || (o.itrace.stack && !o.itrace.branches)))
		return cmd_usage_error(&cmd, "--itrace=%s: l adds to samples of instructions or "
				       "branches, g to those of instructions: use them with i or b",
				       itrace);
	if (tiles && !(o.itrace.stack && o.itrace.instructions))
		return cmd_usage_error(&cmd, "--tiles: needs branch stacks, --itrace=il");
	o.itrace.tiles = tiles;
	so.kernel_time = o.itrace.kernel_time;
	if (!o.itrace.stack && !o.itrace.add_stack)
		cmd_no_effect(&cmd, "hw-index no-branch-view",
			      "without l or L in --itrace there are no branch stacks");
	if (!o.itrace.instructions && !o.itrace.branches && !itrace_events(&o.itrace) &&
	    !o.itrace.add_stack && !o.itrace.add_chain)
		return cmd_usage_error(&cmd, "--itrace=%s: no samples are asked for: use i, b, x, "
				       "w, I, L or G", itrace);
	rc = summary_begin(&sum, cmd.name, o.output);
	if (rc != CMD_GO_ON)
		return rc;
	ss = session_open(&so);
	rc = ss && !summary_refused(&sum) ? inject_run(ss, &o) : CMD_ERROR;
	if (ss)
		summary_session(&sum, ss);
	session_close(ss);
	return summary_end(&sum, cmd.name, so.input, rc);
}
