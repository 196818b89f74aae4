/* SPDX-License-Identifier: GPL-2.0-only */
/* check.c - the check command: what the machine that records can do, and what is missing. */
#include <string.h>

#include "outputs/check/check.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"

static const char more[] =
	"Run it where the recording is made. A tree for --root is saved by collect-target, which\n"
	"needs a shell only (PREFIX/share/perf-cstrace/; in the sources scripts/). Each line is a\n"
	"finding: its state (ok, note, limit, missing), what was found, and behind -> what helps\n"
	"and was not done.\n"
	"Exit codes: 0 all can be recorded, 3 with limits, 1 nothing can be recorded.\n";

int cmd_check(int argc, const char **argv)
{
	static const int codes[] = {
		[ABLE_NO] = CMD_ERROR, [ABLE_LIMITED] = CMD_LOSSES, [ABLE_YES] = CMD_OK
	};
	struct target_how how = { .root = NULL };
	const char *format = "text";
	const struct cmd_opt opts[] = {
		{ 0, "root", CMD_OPT_FOLDER, &how.root, "DIR",
		  "a saved tree of another machine: no other file is read, no program run", NULL },
		{ 0, "perf", CMD_OPT_STRING, &how.perf, "FILE",
		  "the perf to ask (default: perf, from PATH)", NULL },
		{ 0, "format", CMD_OPT_STRING, &format, "NAME",
		  "text (default), or json: with all facts, for programs", NULL },
		CMD_OPT_END
	};
	const struct cmd_desc desc = {
		.name = "check",
		.summary = "what can be recorded on this machine, and what is missing",
		.opts = opts,
		.more = more,
	};
	struct target_findings fs;
	struct target t;
	int rc = cmd_options(&desc, &argc, argv);
	bool json;

	if (rc != CMD_GO_ON)
		return rc;
	json = !strcmp(format, "json");
	if (!json && strcmp(format, "text"))
		return cmd_value_error(&desc, "format", format, "text or json");
	target_read(&t, &how);
	findings_of(&t, &fs);
	(json ? check_json : check_text)(&t, &fs);
	rc = codes[check_verdict(&fs)];
	findings_free(&fs);
	target_free(&t);
	return rc;
}
