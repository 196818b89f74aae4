/* SPDX-License-Identifier: GPL-2.0-only */
/* timeline.c - perf-cstrace timeline: calls and threads over time, for viewers. */
#include <stdio.h>
#include <string.h>

#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/timeline/timeline.h"
#include "session/import/bare.h"

static const char more[] =
	"json: Chrome's Trace Event Format, for https://ui.perfetto.dev and chrome://tracing.\n"
	"speedscope: for https://speedscope.app, where functions can be summed over all their calls.\n"
	"perfetto: a trace for https://ui.perfetto.dev and trace_processor.\n"
	"sqlite: a database with the tables of perf's export-to-sqlite.py.\n"
	"Without --min-duration and --depth the file is kept below 20 MB: the shortest calls are left\n"
	"out, which is said. A trace without timestamps has instructions as its axis.\n";

int cmd_timeline_write(struct session *ss, const struct timeline_opts *o)
{
	int rc = timeline_write(ss, o);

	if (rc < 0)
		return CMD_ERROR;
	session_print_end(ss, stderr);
	return rc == TIMELINE_EMPTY ? CMD_NOTHING : cmd_decoded(ss, false);
}

int cmd_timeline(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	struct session_opts so = { .progress = true, .split_source = true };
	struct timeline_opts o = { .who = "cstrace timeline" };
	const char *format = "json";
	uint64_t depth = 0;
	const struct cmd_opt opts[] = {
		{ 'o', "output", CMD_OPT_STRING, &o.output, "FILE", "write to FILE; - for stdout", NULL },
		{ 0, "format", CMD_OPT_STRING, &format, "NAME",
		  "json (default), speedscope, perfetto or sqlite", NULL },
		{ 0, "min-duration", CMD_OPT_NUMBER, &o.min, "NS",
		  "leave out calls that took less: nanoseconds, or instructions without timestamps", NULL },
		{ 0, "depth", CMD_OPT_NUMBER, &depth, "N", "leave out calls with N or more callers", NULL },
		{ 0, "demangle", CMD_OPT_FLAG, &o.demangle, NULL, "names of C++ functions as in the source", NULL },
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END,
	};
	const struct cmd_desc cmd = { "timeline", "calls and threads over time, for viewers", NULL, opts, more };
	struct session *ss;
	int rc = cmd_input(&cmd, &argc, argv, &bare, &so);

	if (rc != CMD_GO_ON)
		return rc;
	o.format = timeline_format(format);
	if (!o.format)
		return cmd_value_error(&cmd, "format", format, timeline_format_names());
	if (timeline_is_database(o.format) && !timeline_database_available())
		return cmd_usage_error(&cmd, "--format=%s: this program was made without sqlite "
				       "(NO_SQLITE)", format);
	if (!o.output)
		return cmd_usage_error(&cmd, "-o FILE is missing: where to write (- for stdout)");
	if (timeline_is_database(o.format) && !strcmp(o.output, "-"))
		return cmd_usage_error(&cmd, "-o -: standard output is no file, and a database is "
				       "written in any order: name a file");
	o.depth = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
	ss = session_open(&so);
	if (!ss)
		return CMD_ERROR;
	rc = cmd_timeline_write(ss, &o);
	session_close(ss);
	return rc;
}
