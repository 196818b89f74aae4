/* SPDX-License-Identifier: GPL-2.0-only */
/* given.c - which options were given, with which values: twice, without an effect, naming what is not there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/files/input.h"
#include "base/name.h"
#include "outputs/cmd/options.h"

#define MAX_GIVEN 64u

/* The options of this run, each once. */
static struct given {
	const struct cmd_opt *opt;
	const char *value;	/* NULL: none */
} given[MAX_GIVEN];
static unsigned int nr_given;

void cmd_given_start(void)
{
	nr_given = 0;
}

int cmd_given_add(const struct cmd_desc *cmd, const struct cmd_opt *o, const char *value)
{
	bool list = o->arg && (!strcmp(o->arg, "LIST") || !strcmp(o->arg, "RANGES"));
	const struct given *g;

	for (g = given; g < given + nr_given && g->opt != o; g++)
		;
	if (g == given + nr_given) {
		if (nr_given < MAX_GIVEN)
			given[nr_given++] = (struct given){ o, value };
		return CMD_GO_ON;
	}
	/* a flag twice says the same */
	if (o->kind == CMD_OPT_EACH || (!value && !g->value))
		return CMD_GO_ON;
	if (value && g->value && !strcmp(value, g->value)) {
		fprintf(stderr, "cstrace %s: warning: --%s %s is given twice\n", cmd->name, o->name, name_shown(value));
		return CMD_GO_ON;
	}
	return cmd_usage_error(cmd, "--%s is given twice, as '%s' and as '%s', and only one can hold%s", o->name,
			       g->value ? g->value : "", value ? value : "",
			       list ? ": give all of them in one list" : "");
}

/* The kind that is expected at `path`; else a message. */
static bool is_there(const struct cmd_desc *cmd, const struct cmd_opt *o, const char *path)
{
	const char *kind = o->kind == CMD_OPT_FOLDER ? "folder" : o->kind == CMD_OPT_PLACE ? "file or folder" : "file";
	const char *wrong = NULL;
	struct stat st;

	if (!strcmp(path, "-") && access(path, F_OK)) {
		fprintf(stderr,
			"cstrace %s: --%s -: standard input is not read here; give the name of a "
			"%s\n",
			cmd->name, o->name, kind);
		return false;
	}
	if (stat(path, &st) || access(path, R_OK)) {
		fprintf(stderr, "cstrace %s: --%s %s: %s; give a %s that exists and that you may read\n", cmd->name, o->name,
			name_shown(path), strerror(errno), kind);
		return false;
	}
	if (o->kind == CMD_OPT_FOLDER && !S_ISDIR(st.st_mode))
		wrong = "found a file, expected a folder";
	else if ((o->kind == CMD_OPT_FILE || o->kind == CMD_OPT_FILES) && S_ISDIR(st.st_mode))
		wrong = "found a folder, expected a file";
	if (wrong)
		fprintf(stderr, "cstrace %s: --%s %s: %s\n", cmd->name, o->name, name_shown(path), wrong);
	else
		input_note_file(path);
	return !wrong;
}

/* The file of PID:FILE, or of FILE. */
static const char *without_pid(const char *value)
{
	size_t digits = strspn(value, "0123456789");

	return digits && digits < 10 && value[digits] == ':' ? value + digits + 1 : value;
}

/* Checks the files of one option. */
static bool are_there(const struct cmd_desc *cmd, const struct cmd_opt *o, const char *value)
{
	size_t len = strlen(value), n;
	bool there = true;
	char *path;

	/* an empty --symfs is none, as perf has it */
	for (; *value && there; value += n + (value[n] == ','), len = strlen(value)) {
		if (o->kind == CMD_OPT_FILES) {
			value = without_pid(value);
			len = strlen(value);
		}
		n = o->kind == CMD_OPT_FILES ? strcspn(value, ",") : len;
		if (!n)
			continue;
		/* whole: a longer name than the system takes must not pass for the file that its beginning names */
		path = mem_text_part(value, n);
		there = is_there(cmd, o, path);
		free(path);
	}
	return there;
}

int cmd_given_exist(const struct cmd_desc *cmd)
{
	unsigned int i;

	for (i = 0; i < nr_given; i++) {
		switch (given[i].opt->kind) {
		case CMD_OPT_FILE:
		case CMD_OPT_FILES:
		case CMD_OPT_PLACE:
		case CMD_OPT_FOLDER:
			if (!are_there(cmd, given[i].opt, given[i].value))
				return CMD_ERROR;
			break;
		default:
			break;
		}
	}
	return CMD_GO_ON;
}

bool cmd_is_named(const char *list, const char *name)
{
	size_t len = strlen(name), n;

	for (; *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (n == len && !memcmp(list, name, n))
			return true;
	}
	return false;
}

bool cmd_was_given(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_given; i++)
		if (!strcmp(given[i].opt->name, name))
			return true;
	return false;
}

static void no_effect(const struct cmd_desc *cmd, const struct cmd_opt *o, const char *why)
{
	fprintf(stderr, "cstrace %s: warning: --%s has no effect: %s\n", cmd->name, o->name, why);
}

void cmd_no_effect(const struct cmd_desc *cmd, const char *names, const char *why)
{
	unsigned int i;

	for (i = 0; i < nr_given; i++)
		if (cmd_is_named(names, given[i].opt->name))
			no_effect(cmd, given[i].opt, why);
}

void cmd_no_effect_in(const struct cmd_desc *cmd, const void *values, size_t size, const char *but, const char *why)
{
	const char *from = values, *value;
	unsigned int i;

	for (i = 0; i < nr_given; i++) {
		value = given[i].opt->value;
		if (value >= from && value < from + size && !cmd_is_named(but, given[i].opt->name))
			no_effect(cmd, given[i].opt, why);
	}
}
