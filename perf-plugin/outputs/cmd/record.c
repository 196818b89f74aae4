/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.c - perf-cstrace record: plans a recording for a purpose, runs perf, and packs what
 * decoding elsewhere needs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/name.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/record/record.h"

static const char more[] =
	"report: counts, calls and code of a program, as pages. autofdo: a profile for "
	"compilers, with strobing where the machine has it. coverage: each line and branch that "
	"ran, for lcov. timeline: which function ran when, for viewers. kernel: what the kernel "
	"did, for the program or in all. snapshot: the last moments before a signal, or the "
	"end.\n"
	"What this machine can record, and what helps where it cannot, is what 'perf-cstrace "
	"check' says; cstrace-recording(7) has more. Without COMMAND and --duration, -a and -p "
	"record until an interrupt (Ctrl-C).\n";

struct record_cmd {
	struct record_ask ask;
	const char *root;
	bool dry_run, no_package;
};

static int take_purpose(void *data, const char *arg)
{
	struct record_ask *ask = data;
	const char *name;
	unsigned int i;

	for (i = 0; (name = record_purpose_name(i)); i++)
		if (!strcmp(name, arg)) {
			ask->purpose = i;
			return 0;
		}
	return cmd_values(
		"record: purposes are report, autofdo, coverage, timeline, kernel and snapshot",
		arg);
}

static int take_pids(void *data, const char *arg)
{
	struct record_ask *ask = data;

	ask->pid = arg;
	if (*arg >= '0' && *arg <= '9' && !arg[strspn(arg, "0123456789,")])
		return 0;
	fprintf(stderr, "cstrace record: -p: process numbers with commas between them\n");
	return -1;
}

/* Options that contradict each other, and what is not said. */
static int check_ask(const struct cmd_desc *cmd, const struct record_cmd *c)
{
	const struct record_ask *ask = &c->ask;

	if (ask->all_cpus && ask->pid)
		return cmd_usage_error(cmd, "-a and -p exclude each other");
	if (!ask->seconds && cmd_was_given("duration"))
		return cmd_usage_error(cmd, "--duration: from 1 second on; without it SIGINT ends "
					    "the recording");
	if (ask->seconds && ask->command[0])
		return cmd_usage_error(cmd, "--duration is for -a and -p without a command, "
					    "which has an end of its own");
	if (ask->seconds && !ask->all_cpus && !ask->pid)
		return cmd_usage_error(cmd, "--duration is for -a and -p");
	if (!ask->command[0] && !ask->all_cpus && !ask->pid)
		return cmd_usage_error(cmd, "what shall be recorded: COMMAND, -p PID or -a");
	if (!*ask->output || !strcmp(ask->output, "-"))
		return cmd_usage_error(cmd, "-o: expected the name of a file");
	return CMD_GO_ON;
}

/* Why the target cannot do it, with what helps. */
static bool is_able(const struct target_findings *fs, enum target_ability ability)
{
	const struct target_finding *why = NULL;

	if (findings_able(fs, ability, &why) != ABLE_NO)
		return true;
	fprintf(stderr, "cstrace record: %s cannot be recorded here: %s; %s\n",
		ability_text(ability), why->text,
		why->cure ? why->cure : "'perf-cstrace check' says more");
	return false;
}

/* Android's recorder has a command line of its own. */
static bool has_perf(const struct target *t, enum target_ability ability)
{
	char *command;

	if (t->perf.path || !t->perf.simpleperf)
		return true;
	command = ability_command(t, ability);
	fprintf(stderr, "cstrace record: there is no perf here, but simpleperf%s%s\n",
		command ? ": " : ", which does not do this", command ? command : "");
	free(command);
	return false;
}

static int plan_for(const struct record_cmd *c, const struct target *t, struct record_plan *plan)
{
	const enum target_ability ability = record_purpose_ability(c->ask.purpose);
	struct target_findings fs = { .nr = 0 };
	char *why;
	bool able;

	findings_of(t, &fs);
	able = is_able(&fs, ability) && (!c->ask.all_cpus || is_able(&fs, ABLE_SYSTEM)) &&
	       has_perf(t, ability);
	findings_free(&fs);
	if (!able)
		return CMD_ERROR;
	why = record_plan(plan, t, &c->ask);
	if (!why)
		return CMD_GO_ON;
	fprintf(stderr, "cstrace record: %s\n", why);
	free(why);
	return CMD_ERROR;
}

/* Nothing that is there is written over, neither by perf, which renames it, nor by the package. */
static bool is_free(const char *path)
{
	struct stat st;

	if (lstat(path, &st) && errno == ENOENT)
		return true;
	fprintf(stderr,
		"cstrace record: %s is there already, or cannot be written; -o names another "
		"file\n",
		name_shown(path));
	return false;
}

/* Everything that decoding elsewhere needs, in a folder. */
static int pack(const struct record_plan *plan)
{
	const char *argv[] = { "convert",  "-i", plan->output,	"--to=package",
			       "--images", "-o", plan->package, NULL };
	int rc;

	if (!plan->package)
		return CMD_OK;
	rc = cmd_convert(7, argv);
	if (rc == CMD_ERROR)
		fprintf(stderr, "cstrace record: no package was made; %s is the recording\n",
			name_shown(plan->output));
	return rc;
}

/* Each step is printed before it is done; the output of perf and of the program comes between. */
static int run_plan(const struct record_plan *plan)
{
	int rc;

	if (!is_free(plan->output) || (plan->package && !is_free(plan->package)))
		return CMD_ERROR;
	record_print_perf(plan, stderr);
	if (record_run(plan))
		return CMD_ERROR;
	record_print_pack(plan, stderr);
	rc = pack(plan);
	if (rc != CMD_ERROR)
		record_print_home(plan, stderr);
	return rc;
}

static int print_plan(const struct record_plan *plan)
{
	record_print_perf(plan, stdout);
	record_print_pack(plan, stdout);
	record_print_home(plan, stdout);
	return CMD_OK;
}

int cmd_record(int argc, const char **argv)
{
	struct record_cmd c = { .ask = { .output = "perf.data" } };
	const struct cmd_opt opts[] = {
		{ 0, "for", CMD_OPT_CALL, &c.ask, "PURPOSE",
		  "what the recording is for: report (default), autofdo, coverage, timeline, "
		  "kernel or snapshot",
		  take_purpose },
		{ 'a', "all-cpus", CMD_OPT_FLAG, &c.ask.all_cpus, NULL,
		  "record all threads of all CPUs", NULL },
		{ 'p', "pid", CMD_OPT_CALL, &c.ask, "PID,...", "record processes that run already",
		  take_pids },
		{ 0, "duration", CMD_OPT_NUMBER, &c.ask.seconds, "SECONDS",
		  "with -a and -p: how long", NULL },
		{ 0, "cycles", CMD_OPT_FLAG, &c.ask.cycles, NULL,
		  "count cycles, for IPC: more trace", NULL },
		{ 0, "sink", CMD_OPT_STRING, &c.ask.sink, "NAME",
		  "where the trace goes, of those in sinks/ of the PMU (default: the kernel picks)",
		  NULL },
		{ 'o', "output", CMD_OPT_STRING, &c.ask.output, "FILE",
		  "the recording (default: perf.data); FILE.package is what is to be copied",
		  NULL },
		{ 0, "no-package", CMD_OPT_FLAG, &c.no_package, NULL, "record only", NULL },
		{ 'n', "dry-run", CMD_OPT_FLAG, &c.dry_run, NULL,
		  "print what would be run, and run nothing", NULL },
		{ 0, "root", CMD_OPT_FOLDER, &c.root, "DIR",
		  "read what this machine is below DIR: a saved tree, or the host's root in a "
		  "container",
		  NULL },
		{ 0, "perf", CMD_OPT_STRING, &c.ask.perf, "FILE",
		  "the perf to run (default: PERF, else perf from PATH)", NULL },
		CMD_OPT_END
	};
	const struct cmd_desc cmd = {
		.name = "record",
		.summary = "record with perf what a purpose needs, and pack it for another host",
		.operands = "[--] COMMAND...",
		.opts = opts,
		.more = more,
	};
	struct record_plan plan = { .output = NULL };
	struct target target;
	int rc = cmd_options_before(&cmd, &argc, argv);

	if (rc != CMD_GO_ON)
		return rc;
	if (!c.ask.perf)
		c.ask.perf = getenv("PERF") && *getenv("PERF") ? getenv("PERF") : "perf";
	argv[argc] = NULL;
	c.ask.command = argv;
	c.ask.package = !c.no_package;
	rc = check_ask(&cmd, &c);
	if (rc != CMD_GO_ON)
		return rc;
	target_read(&target,
		    &(struct target_how){ .root = c.root, .perf = c.root ? NULL : c.ask.perf });
	rc = plan_for(&c, &target, &plan);
	if (rc == CMD_GO_ON)
		rc = c.dry_run ? print_plan(&plan) : run_plan(&plan);
	record_plan_free(&plan);
	target_free(&target);
	return rc;
}
