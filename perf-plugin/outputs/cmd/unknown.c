/* SPDX-License-Identifier: GPL-2.0-only */
/* unknown.c - commands and options that are not known: perf's, another command's, mistyped ones. */
#include "outputs/cmd/unknown.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "outputs/cmd/commands.h"
#include "outputs/cmd/options.h"

static const struct habit {
	const char *commands;	/* whose option it is, "*": of all; NULL: it is a command itself */
	const char *name;
	const char *does;	/* what does the work; NULL: `same` */
	const char *same;	/* our name of the option */
	char letter;
} habits[] = {
#define COMMAND(name, does) { NULL, name, does, NULL, 0 },
#define SAME(name, option) { "*", name, NULL, option, 0 },
#define HABIT(commands, letter, name, does) { commands, name, does, NULL, letter },
#define AFTER(command, letter, name)						\
	{ command, name, "'perf-cstrace inject -o OUT' and 'perf " command	\
	  " -i OUT --" name "' do it", NULL, letter },
#include "outputs/cmd/habits.def"
};

#define HABITS_END (habits + sizeof(habits) / sizeof(habits[0]))

static bool is_word(const char *word, const char *name, size_t len)
{
	return strlen(word) == len && !memcmp(word, name, len);
}

const char *unknown_command(const char *name)
{
	const struct habit *h;

	for (h = habits; h < HABITS_END; h++)
		if (!h->commands && !strcmp(h->name, name))
			return h->does;
	return NULL;
}

const char *unknown_same(const char *name, size_t len)
{
	const struct habit *h;

	for (h = habits; h < HABITS_END; h++)
		if (h->same && is_word(h->name, name, len))
			return h->same;
	return NULL;
}

static bool is_asked(const struct unknown *u, char letter, const char *name)
{
	return u->name ? is_word(name, u->name, u->len) : letter && letter == u->letter;
}

static const struct habit *find_habit(const char *command, const struct unknown *u)
{
	const struct habit *h;

	for (h = habits; h < HABITS_END; h++)
		if (h->commands && h->does && is_asked(u, h->letter, h->name) &&
		    (*h->commands == '*' || cmd_is_named(h->commands, command)))
			return h;
	return NULL;
}

/* The commands that have the option, for a message. */
struct owners {
	const struct unknown *unknown;
	char text[200];
};

static void note_owner(void *data, const struct cmd_desc *cmd)
{
	struct owners *own = data;
	const struct cmd_opt *o;
	size_t n = strlen(own->text);

	for (o = cmd->opts; o->name; o++)
		if (o->kind != CMD_OPT_HEADING && is_asked(own->unknown, o->letter, o->name)) {
			snprintf(own->text + n, sizeof(own->text) - n, "%s%s",
				 n ? ", " : "; it is an option of ", cmd->name);
			return;
		}
}

/* What is near to the name, or has it. */
static void find_meant(const struct cmd_desc *cmd, const struct unknown *u, struct owners *own,
		       struct near *near)
{
	const struct cmd_opt *o;

	commands_visit(note_owner, own);
	if (own->text[0] || !u->name)
		return;
	for (o = cmd->opts; o->name; o++)
		near_try(near, o->name, strlen(o->name));
}

int unknown_option(const struct cmd_desc *cmd, const struct unknown *u)
{
	const struct habit *h = find_habit(cmd->name, u);
	struct owners own = { .unknown = u };
	struct near near;

	near_begin(&near, u->name, u->len);
	if (!h)
		find_meant(cmd, u, &own, &near);
	if (u->name)
		return cmd_usage_error(cmd, "unknown option '--%.*s'%s%s%s%s", (int)u->len, u->name,
				       h ? ": " : "", h ? h->does : "", own.text,
				       near_hint(&near, "--"));
	return cmd_usage_error(cmd, "unknown option '-%c'%s%s%s", u->letter, h ? ": " : "",
			       h ? h->does : "", own.text);
}
