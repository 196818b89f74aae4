/* SPDX-License-Identifier: GPL-2.0-only */
/* script.c - perf-cstrace script: samples as text, as perf script prints them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/jobs.h"
#include "cmd/options.h"
#include "import/bare.h"
#include "synth/listing.h"

static const char more[] =
	"Fields: comm pid tid cpu time period event flags ip sym symoff dso addr brstack insn insnlen;\n"
	"+FIELD and -FIELD change the default list. --itrace as in 'inject'; the default is ce.\n";

static int run(struct session *ss, const struct itrace_opts *o, unsigned int fields,
	       const char *output)
{
	struct listing *l = listing_open(ss, o, fields, output);
	int rc;

	if (!l)
		return CMD_ERROR;
	rc = listing_run(l);
	if (!rc) {
		session_print_end(ss, stderr);
	}
	listing_close(l);
	if (rc)
		return CMD_ERROR;
	return session_incomplete(ss) ? CMD_LOSSES : CMD_OK;
}

int cmd_script(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	struct session_opts so = { .input = NULL };
	struct itrace_opts o;
	const char *output = "-", *itrace = NULL, *list = NULL;
	unsigned int fields = LISTING_DEFAULT;
	bool ns = false;
	char msg[400];
	const struct cmd_opt opts[] = {
		CMD_SESSION_OPTS(so),
		CMD_BARE_OPTS(bare),
		CMD_FILTER_OPTS(so.filter),
		CMD_JOBS_OPT(so),
		{ 0, "itrace", CMD_OPT_OPTIONAL, &itrace, "LETTERS",
		  "which samples to make of the trace (default: ce)", NULL },
		{ 'F', "fields", CMD_OPT_STRING, &list, "LIST", "what to print of each, see below",
		  NULL },
		{ 0, "ns", CMD_OPT_FLAG, &ns, NULL, "times in nanoseconds (default: microseconds)", NULL },
		{ 'o', "output", CMD_OPT_STRING, &output, "FILE", "write to FILE instead of stdout",
		  NULL },
		CMD_OPT_END,
	};
	const struct cmd_desc cmd = { "script", "print samples as perf script does", NULL, opts, more };
	struct session *ss;
	int rc = cmd_options(&cmd, &argc, argv);

	if (rc == CMD_GO_ON)
		rc = cmd_bare_check(&cmd, &bare, &so, NULL);
	if (rc == CMD_GO_ON)
		rc = cmd_jobs_default(&cmd, &so);
	if (rc != CMD_GO_ON)
		return rc;
	if (!itrace || !*itrace)
		itrace_default(&o, true);
	else if (!itrace_parse(&o, itrace, msg, sizeof(msg)))
		return cmd_usage_error(&cmd, "%s", msg);
	if (list && !listing_fields(&fields, list, msg, sizeof(msg)))
		return cmd_usage_error(&cmd, "%s", msg);
	if (o.unused[0])
		fprintf(stderr, "cstrace script: --itrace letters without a meaning for CoreSight: %s\n",
			o.unused);
	if (!o.instructions && (o.stack || o.chain))
		return cmd_usage_error(&cmd, "--itrace=%s: l and g add to instructions samples: use them with i", itrace);
	if (!o.instructions && !o.branches && !o.errors)
		return cmd_usage_error(&cmd, "--itrace=%s: nothing to print is asked for: use i, b, c, r or e", itrace);
	if (o.stack && !(fields & LIST_BRSTACK))
		fprintf(stderr, "cstrace script: warning: l in --itrace has no effect: -F +brstack prints branch stacks\n");
	if (fields & LIST_BRSTACK && !(o.instructions && o.stack))
		return cmd_usage_error(&cmd, "-F brstack: there are branch stacks only with --itrace=i..l");
	if (ns && !(fields & LIST_TIME))
		cmd_no_effect(&cmd, "ns", "time is not among the fields (-F)");
	fields |= ns ? LIST_NS : 0;
	/* lines of text on a terminal show themselves how far it is */
	so.progress = strcmp(output, "-") || !isatty(STDOUT_FILENO);
	ss = session_open(&so);
	if (!ss)
		return CMD_ERROR;
	rc = run(ss, &o, fields, output);
	session_close(ss);
	return rc;
}
