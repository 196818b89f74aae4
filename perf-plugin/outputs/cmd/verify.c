/* SPDX-License-Identifier: GPL-2.0-only */
/* verify.c - perf-cstrace verify: which rules of the architecture a trace violates. */
#include <stdio.h>
#include <string.h>

#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/software.h"
#include "outputs/verify/verify.h"
#include "session/import/bare.h"

static const char more[] =
	"Exit codes: 0 no rule is violated; 4 rules are violated (errors, warnings); 3 none, but trace is missing (notes).\n";

static int set_format(void *data, const char *arg)
{
	if (strcmp(arg, "text") && strcmp(arg, "json"))
		return cmd_values("verify: formats are text and json", arg);
	*(bool *)data = !strcmp(arg, "json");
	return 0;
}

int cmd_verify(int argc, const char **argv)
{
	struct bare_opts bare = { .nr_words = 0 };
	struct session_opts so = { .progress = true };
	struct verify_opts o = { .who = "cstrace verify", .output = "-" };
	struct verify_result result;
	bool incomplete = false;
	const struct cmd_opt opts[] = {
		{ 0, "strict", CMD_OPT_FLAG, &so.strict, NULL,
		  "take violations in packets and frames for errors: decoding restarts behind them", NULL },
		{ 0, "format", CMD_OPT_CALL, &o.json, "FORMAT", "text (default) or json, one object for each rule", set_format },
		{ 'o', "output", CMD_OPT_STRING, &o.output, "FILE", "write to FILE instead of stdout", NULL },
		CMD_TRACE_OPTS(so, bare),
		CMD_OPT_END
	};
	const struct cmd_desc cmd = { "verify", "check a trace against the rules of the architecture", NULL, opts, more };
	int rc = cmd_input(&cmd, &argc, argv, &bare, &so);

	if (rc != CMD_GO_ON)
		return rc;
	if (software_only(so.bare) ? software_verify(so.bare, so.strict, &o, &result, &incomplete) :
				     verify_run(&so, &o, &result, &incomplete))
		return CMD_ERROR;
	if (result.rules[CST_LOG_ERROR] || result.rules[CST_LOG_WARNING])
		return CMD_DIFFERENT;
	if (!result.packets)
		return CMD_NOTHING;
	return incomplete ? CMD_LOSSES : CMD_OK;
}
