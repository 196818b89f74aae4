/* SPDX-License-Identifier: GPL-2.0-only */
/* complete.c - what shells complete words with: the tables of the commands, as lines of fields. */
#include "outputs/cmd/complete.h"

#include <stdio.h>
#include <string.h>

#include "outputs/cmd/options.h"

/* What the word behind the option, or behind its "=", is. */
static const char *kind_of(const struct cmd_opt *o)
{
	switch (o->kind) {
	case CMD_OPT_FLAG:
		return "flag";
	case CMD_OPT_FILE:
	case CMD_OPT_FILES:
	case CMD_OPT_PLACE:
		return "file";
	case CMD_OPT_FOLDER:
		return "folder";
	case CMD_OPT_OPTIONAL:
		return "optional";
	case CMD_OPT_STRING:
	case CMD_OPT_FILTER:
	case CMD_OPT_NUMBER:
	case CMD_OPT_CALL:
	case CMD_OPT_EACH:
		/* of an output, which need not be there */
		return strcmp(o->arg, "DIR") ? "value" : "folder";
	case CMD_OPT_HEADING:
		break;
	}
	return NULL;
}

static void print_option(const struct cmd_opt *o)
{
	const char letter[] = { '-', o->letter, 0 };

	printf("--%s\t%s\t%s\t%s\t%s\n", o->name, letter, kind_of(o), o->arg ? o->arg : "-",
	       o->help);
}

static void print_command(void *data, const struct cmd_desc *cmd)
{
	const struct cmd_opt *o;

	(void)data;
	for (o = cmd->opts; o->name; o++)
		if (o->kind != CMD_OPT_HEADING)
			print_option(o);
	printf("--help\t-h\tflag\t-\tshow the options of %s\n", cmd->name);
}

int complete_print(const struct command *c)
{
	size_t i;

	if (c) {
		cmd_visit(c->run, print_command, NULL);
		return CMD_OK;
	}
	for (i = 0; (c = command_at(i)); i++)
		printf("%s\t%s\n", c->name, c->help);
	return CMD_OK;
}
