/* SPDX-License-Identifier: GPL-2.0-only */
/* main.c - perf-cstrace COMMAND: opens the standard descriptors, finds the command, checks its output at the end. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cstrace/version.h>

#include "base/files/guard.h"
#include "base/files/mapped.h"
#include "base/files/std.h"
#include "base/thread.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"
#include "outputs/disasm/disasm.h"
#include "perfdata/decomp.h"

static int cmd_help(int argc, const char **argv);

static const struct command {
	const char *name;
	int (*run)(int argc, const char **argv);
	const char *help;
} commands[] = {
	{ "inject", cmd_inject, "perf.data with trace in, perf.data with samples out" },
	{ "script", cmd_script, "print samples as perf script does" },
	{ "dump", cmd_dump, "list frames, packets and trace elements" },
	{ "profile", cmd_profile, "exact counts of executed branches and ranges for compilers" },
	{ "report", cmd_report, "a folder of pages to look at: counts, code, flame graph, coverage" },
	{ "merge", cmd_merge, "add the count files of any number of recordings" },
	{ "timeline", cmd_timeline, "calls and threads over time, for viewers" },
	{ "info", cmd_info, "what a file holds, how it was recorded, what was lost and why" },
	{ "convert", cmd_convert, "perf.data, trace packages and Arm snapshots into one another" },
	{ "compare", cmd_compare, "executed instructions against Tarmac text or another trace" },
	{ "verify", cmd_verify, "which rules of the architecture a trace violates" },
	{ "index", cmd_index, "where decoding can begin, and what is where: for dump --from" },
	{ "live", cmd_live, "run perf itself, decoding with cstrace" },
	{ "help", cmd_help, "help on a command" },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* NULL, after a message: there is no such command. */
static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	fprintf(stderr, "cstrace: '%s' is not a command. See 'perf-cstrace --help'.\n", name);
	return NULL;
}

static void usage(FILE *out)
{
	size_t i;

	fprintf(out, "Usage: perf-cstrace COMMAND [OPTIONS]\n\n"
		     "Decodes Arm CoreSight trace: ETMv3, PTM, ETMv4 and ETE in perf.data files, these, STM and\n"
		     "ITM in snapshots and in files from a probe (--trace).\n\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n  --version, --list-cmds, --help; 'perf-cstrace help COMMAND' for one command.\n"
		     "Exit codes: 0 decoded, 1 error, 3 decoded with losses, 4 differences (compare) or violated rules\n"
		     "(verify), 129 wrong usage.\n");
}

static int cmd_help(int argc, const char **argv)
{
	static const char *help[] = { NULL, "--help", NULL };
	const struct command *c;

	if (argc < 2 || argv[1][0] == '-') {
		usage(stdout);
		return CMD_OK;
	}
	c = find_command(argv[1]);
	if (!c)
		return CMD_USAGE;
	if (c->run == cmd_help) {
		usage(stdout);
		return CMD_OK;
	}
	help[0] = c->name;
	return c->run(2, help);
}

static void list_commands(void)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		printf("%s%s", i ? " " : "", commands[i].name);
	putchar('\n');
}

/* The version, and which of the optional libraries are in (make help). */
static void print_version(void)
{
	const struct {
		const char *name;
		bool in;
	} parts[] = {
		{ "libtraceevent",
#ifdef HAVE_LIBTRACEEVENT
		  true },
#else
		  false },
#endif
		{ "lzma",
#ifdef HAVE_LZMA
		  true },
#else
		  false },
#endif
		{ "zstd", pd_decomp_available() },
		{ "capstone", disasm_available() },
	};
	size_t i;

	printf("cstrace version %s\n", CST_VERSION_TEXT);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		printf("%s: %s\n", parts[i].name, parts[i].in ? "on" : "off");
}

static int dispatch(int argc, const char **argv)
{
	const struct command *c;

	if (argc < 2) {
		usage(stderr);
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-v")) {
		print_version();
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--list-cmds")) {
		list_commands();
		return CMD_OK;
	}
	c = find_command(argv[1]);
	if (!c)
		return CMD_USAGE;
	return c->run(argc - 1, argv + 1);
}

/* A full disk must not look like a short listing, nor a file that was cut while it was read like a whole one. */
static int check_end(int rc)
{
	int error = std_close_output();
	struct error err = { .code = 0 };

	if (rc == CMD_USAGE)
		return rc;
	if (mapped_check(&err) && rc != CMD_ERROR)
		fprintf(stderr, "cstrace: %s\n", err.msg);
	if (error && error != EPIPE)
		fprintf(stderr, "cstrace: writing to standard output failed: %s; what is there is not whole\n",
			error > 0 ? strerror(error) : "the system no longer says why");
	return error || err.code ? CMD_ERROR : rc;
}

int main(int argc, const char **argv)
{
	int rc;

	if (std_open()) {
		fprintf(stderr, "cstrace: descriptors 0 to 2 are not all open, and /dev/null cannot be opened for them: %s\n",
			strerror(errno));
		return CMD_ERROR;
	}
	guard_install();
	rc = thread_run_first(dispatch, argc, argv);
	return check_end(rc);
}
