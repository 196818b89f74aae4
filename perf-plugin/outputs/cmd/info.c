/* SPDX-License-Identifier: GPL-2.0-only */
/* info.c - the info command: what a perf.data holds, how it was recorded, what was lost and why. */
#include <string.h>

#include "base/name.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/counted.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/software.h"
#include "outputs/info/info.h"
#include "perfdata/branch_list.h"
#include "session/import/bare.h"
#include "session/session.h"

/* Branch lists are shown as they are: neither programs nor trace are read. */
static int show_lists(const struct cmd_desc *desc, const struct session_opts *so, bool json)
{
	int rc = counted_check(desc, so, METRIC_INSNS);

	if (rc != CMD_GO_ON)
		return rc;
	cmd_no_effect(desc, "no-decode all symfs vmlinux buildid-dir debuginfod force",
		      "branch lists are shown whole, and as they are");
	return info_branch_lists(so->input, json) ? CMD_ERROR : CMD_OK;
}

int cmd_info(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	/* with --time, too, all losses on the way are reported */
	struct session_opts so = { .progress = true };
	bool no_decode = false, all = false, json;
	const char *format = "text";
	const struct cmd_opt opts[] = {
		{ 0, "no-decode", CMD_OPT_FLAG, &no_decode, NULL,
		  "do not decode: no missing images, no losses inside the trace", NULL },
		{ 0, "format", CMD_OPT_STRING, &format, "NAME",
		  "text (default), or json: what was decoded and lost, for programs", NULL },
		{ 0, "all", CMD_OPT_FLAG, &all, NULL, "do not shorten long lists", NULL },
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END
	};
	const struct cmd_desc desc = {
		.name = "info",
		.summary = "what a file holds, how it was recorded, what was lost and why",
		.opts = opts,
	};
	struct session *ss;
	int rc = cmd_input(&desc, &argc, argv, &bare, &so);

	if (rc != CMD_GO_ON)
		return rc;
	json = !strcmp(format, "json");
	if (!json && strcmp(format, "text"))
		return cmd_value_error(&desc, "format", format, "text or json");
	if (json && no_decode)
		return cmd_usage_error(&desc, "--format=json tells what decoding found, --no-decode leaves it out");
	if (json)
		cmd_no_effect(&desc, "all", "--format=json has whole lists");
	if (no_decode)
		cmd_no_effect_in(&desc, &so.filter, sizeof(so.filter), "", "--no-decode decodes nothing that they could leave out");
	if (software_only(so.bare))
		return json || no_decode ? cmd_usage_error(&desc, "%s: --trace has software trace alone, of which there is text only",
							   json ? "--format=json" : "--no-decode") : software_info(so.bare);
	if (so.input && branch_lists_are(so.input))
		return show_lists(&desc, &so, json);
	ss = session_open(&so);
	if (!ss)
		return CMD_ERROR;
	if (json ? info_json(ss) : info_text(ss, !no_decode, all))
		rc = CMD_ERROR;
	else
		rc = no_decode ? CMD_OK : cmd_decoded(ss, false);
	session_close(ss);
	return rc;
}
