/* SPDX-License-Identifier: GPL-2.0-only */
/* commands.c - the table of commands; help on them, and which of them has which option. */
#include "outputs/cmd/commands.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/name.h"
#include "base/near.h"
#include "outputs/cmd/complete.h"
#include "outputs/cmd/options.h"
#include "outputs/cmd/unknown.h"

static int cmd_help(int argc, const char **argv);

static const struct command commands[] = {
	{ "inject", cmd_inject, "perf.data with trace in, perf.data with samples out" },
	{ "script", cmd_script, "print samples as perf script does" },
	{ "dump", cmd_dump, "list frames, packets and trace elements" },
	{ "profile", cmd_profile, "exact counts of executed branches and ranges for compilers" },
	{ "report", cmd_report,
	  "a folder of pages to look at: counts, code, flame graph, coverage" },
	{ "merge", cmd_merge, "add the count files of any number of recordings" },
	{ "timeline", cmd_timeline, "calls and threads over time, for viewers" },
	{ "info", cmd_info, "what a file holds, how it was recorded, what was lost and why" },
	{ "convert", cmd_convert, "perf.data, trace packages and Arm snapshots into one another" },
	{ "compare", cmd_compare, "executed instructions against Tarmac text or another trace" },
	{ "verify", cmd_verify, "which rules of the architecture a trace violates" },
	{ "index", cmd_index, "where decoding can begin, and what is where: for dump --from" },
	{ "check", cmd_check, "what can be recorded on this machine, and what is missing" },
	{ "record", cmd_record,
	  "record with perf what a purpose needs, and pack it for another host" },
	{ "live", cmd_live, "run perf itself, decoding with cstrace" },
	{ "help", cmd_help, "help on a command" },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

void commands_visit(void (*visit)(void *data, const struct cmd_desc *cmd), void *data)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (commands[i].run != cmd_help)
			cmd_visit(commands[i].run, visit, data);
}

const struct command *command_at(size_t i)
{
	return i < NR_COMMANDS ? &commands[i] : NULL;
}

const struct command *command_find(const char *name)
{
	const char *habit;
	struct near near;
	size_t i;

	near_begin(&near, name, strlen(name));
	for (i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		near_try(&near, commands[i].name, strlen(commands[i].name));
	}
	habit = unknown_command(name);
	if (habit)
		fprintf(stderr, "cstrace: '%s' is a command of perf: %s\n", name, habit);
	else
		fprintf(stderr, "cstrace: '%s' is not a command%s See 'perf-cstrace --help'.\n",
			name_shown(name), near.best ? near_hint(&near, "") : ".");
	return NULL;
}

void commands_print(FILE *out)
{
	size_t i;

	fprintf(out,
		"Usage: perf-cstrace COMMAND [OPTIONS]\n\n"
		"Decodes Arm CoreSight trace: ETMv3, PTM, ETMv4 and ETE in perf.data files,\n"
		"these, STM and ITM in snapshots and in files from a probe (--trace).\n\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-10s%s\n", commands[i].name, commands[i].help);
	fprintf(out,
		"\n  --version, --list-cmds, --help; 'perf-cstrace help COMMAND' for one command,\n"
		"  'perf-cstrace help options' for all options and the commands that have them.\n"
		"Exit codes: 0 decoded, 1 error, 3 decoded with losses, 4 differences (compare)\n"
		"or violated rules (verify), 5 nothing decoded or written, 129 wrong usage.\n");
}

void commands_list(void)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		printf("%s%s", i ? " " : "", commands[i].name);
	putchar('\n');
}

/* ---- options of all commands -------------------------------------------------------------- */

struct shared_opt {
	const char *name;	/* first, for sorting */
	char letter;
	char commands[160];	/* the names of those that have it, a space before each */
};

struct shared_opts {
	struct shared_opt *v;
	size_t nr, cap;
};

static struct shared_opt *find_shared(const struct shared_opts *all, const struct cmd_opt *o)
{
	struct shared_opt *s;

	for (s = all->v; s < all->v + all->nr; s++)
		if (!strcmp(s->name, o->name) && s->letter == o->letter)
			return s;
	return NULL;
}

static void add_options(void *data, const struct cmd_desc *cmd)
{
	struct shared_opts *all = data;
	const struct cmd_opt *o;
	struct shared_opt *s;
	size_t n;

	for (o = cmd->opts; o->name; o++) {
		if (o->kind == CMD_OPT_HEADING)
			continue;
		s = find_shared(all, o);
		if (!s) {
			s = ARRAY_ADD(all->v, all->nr, all->cap);
			*s = (struct shared_opt){ .name = o->name, .letter = o->letter };
		}
		n = strlen(s->commands);
		snprintf(s->commands + n, sizeof(s->commands) - n, " %s", cmd->name);
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct shared_opt *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ? rc : x->letter - y->letter;
}

static void print_shared(const struct shared_opt *o)
{
	if (o->letter)
		printf("  -%c, ", o->letter);
	else
		printf("      ");
	printf("--%-18s%s\n", o->name, o->commands);
}

/* The tables of all commands in one. */
static int help_options(void)
{
	struct shared_opts all = { .nr = 0 };
	size_t i;

	commands_visit(add_options, &all);
	ARRAY_SORT(all.v, all.nr, compare_names);
	for (i = 0; i < all.nr; i++)
		print_shared(&all.v[i]);
	free(all.v);
	return CMD_OK;
}

/* help completion [COMMAND] */
static int help_completion(const char *name)
{
	const struct command *c = name ? command_find(name) : NULL;

	if (name && !c)
		return CMD_USAGE;
	return c && c->run == cmd_help ? CMD_OK : complete_print(c);
}

static int cmd_help(int argc, const char **argv)
{
	static const char *help[] = { NULL, "--help", NULL };
	const struct command *c = NULL;

	if (argc > 1 && !strcmp(argv[1], "options"))
		return help_options();
	if (argc > 1 && !strcmp(argv[1], "completion"))
		return help_completion(argc > 2 ? argv[2] : NULL);
	if (argc > 1 && argv[1][0] != '-') {
		c = command_find(argv[1]);
		if (!c)
			return CMD_USAGE;
	}
	if (!c || c->run == cmd_help) {
		commands_print(stdout);
		return CMD_OK;
	}
	help[0] = c->name;
	return c->run(2, help);
}
