/* SPDX-License-Identifier: GPL-2.0-only */
/* options.c - parses a command line by the command's table, and prints usage, --help and --list-opts from it. */
#include "outputs/cmd/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/files/input.h"
#include "base/name.h"
#include "base/near.h"
#include "base/number.h"
#include "outputs/cmd/jobs.h"
#include "outputs/cmd/unknown.h"
#include "session/session.h"

#define HELP_COLUMN 28
#define HELP_WIDTH 100

static const struct cmd_opt *find_letter(const struct cmd_opt *o, char letter)
{
	for (; o->name; o++)
		if (letter && o->letter == letter)
			return o;
	return NULL;
}

static const struct cmd_opt *find_name(const struct cmd_opt *o, const char *name, size_t len)
{
	for (; o->name; o++)
		if (len && strlen(o->name) == len && !memcmp(o->name, name, len))
			return o;
	return NULL;
}

int cmd_usage_error(const struct cmd_desc *cmd, const char *fmt, ...)
{
	char what[2048];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	fprintf(stderr, "cstrace %s: %s\nTry 'perf-cstrace %s --help'.\n", cmd->name, name_shown(what), cmd->name);
	return CMD_USAGE;
}

int cmd_value_error(const struct cmd_desc *cmd, const char *option, const char *value,
		    const char *names)
{
	struct near near;

	return cmd_usage_error(cmd, "--%s: found '%s', expected %s%s", option, value, names,
			       near_hint_among(&near, value, names));
}

int cmd_values(const char *text, const char *value)
{
	struct near near;

	fprintf(stderr, "cstrace %s%s\n", text, near_hint_among(&near, value, text));
	return -1;
}

bool cmd_number(const char *text, uint64_t *value)
{
	uint64_t v, unit = 1;
	const char *end = number_read(text, &v);

	if (!end)
		return false;
	if (*end == 'k' || *end == 'K')
		unit = 1000;
	else if (*end == 'm' || *end == 'M')
		unit = 1000000;
	else if (*end == 'g' || *end == 'G')
		unit = 1000000000;
	if (end[unit > 1] || v > UINT64_MAX / unit)
		return false;
	*value = v * unit;
	return true;
}

/* False, after a message, if `arg` is no argument of the filter. */
static bool is_filter(const char *name, const char *arg)
{
	static const char *const names[] = {
		[FILTER_TIME] = "time", [FILTER_CPU] = "cpu", [FILTER_PID] = "pid",
		[FILTER_TID] = "tid", [FILTER_COMM] = "comm",
	};
	enum filter_word word = FILTER_TIME;
	char msg[400];

	while (strcmp(names[word], name))
		word++;
	if (filter_check(word, arg, msg, sizeof(msg)))
		return true;
	fprintf(stderr, "cstrace: %s\n", msg);
	return false;
}

/* `arg` is NULL when the option has none. */
static int take(const struct cmd_desc *cmd, const struct cmd_opt *o, const char *arg)
{
	int rc = cmd_given_add(cmd, o, arg);

	if (rc != CMD_GO_ON)
		return rc;
	switch (o->kind) {
	case CMD_OPT_FLAG:
		*(bool *)o->value = true;
		return CMD_GO_ON;
	case CMD_OPT_STRING:
		*(const char **)o->value = arg;
		return CMD_GO_ON;
	case CMD_OPT_FILE:
	case CMD_OPT_FILES:
	case CMD_OPT_PLACE:
		*(const char **)o->value = *arg ? arg : NULL;
		return CMD_GO_ON;
	case CMD_OPT_FOLDER:
		/* an empty one is not the default of another option (--with-symfs) */
		*(const char **)o->value = arg;
		return CMD_GO_ON;
	case CMD_OPT_OPTIONAL:
		*(const char **)o->value = arg ? arg : "";
		return CMD_GO_ON;
	case CMD_OPT_NUMBER:
		if (cmd_number(arg, o->value))
			return CMD_GO_ON;
		return cmd_usage_error(cmd, "--%s: '%s' is not a number", o->name, arg);
	case CMD_OPT_FILTER:
		*(const char **)o->value = arg;
		if (is_filter(o->name, arg))
			return CMD_GO_ON;
		break;
	case CMD_OPT_CALL:
	case CMD_OPT_EACH:
		rc = o->call(o->value, arg);
		if (rc >= 0)
			return rc ? CMD_OK : CMD_GO_ON;
		break;
	case CMD_OPT_HEADING:
		break;
	}
	return cmd_usage_error(cmd, "--%s: '%s' was not understood", o->name, arg);
}

static bool needs_value(const struct cmd_opt *o)
{
	return o->kind != CMD_OPT_FLAG && o->kind != CMD_OPT_OPTIONAL;
}

/* Text from column `at` on, in lines that end before HELP_WIDTH; those that follow begin at `indent`. */
static void print_wrapped(const char *text, size_t at, unsigned int indent)
{
	const char *word = text;
	size_t len;

	while (*word) {
		len = strcspn(word, " \n");
		if (word != text && at + 1 + len > HELP_WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		} else if (word != text && at > indent) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)len, word);
		at += len;
		word += len;
		if (*word == '\n') {
			printf("\n%*s", word[1] ? (int)indent : 0, "");
			at = indent;
			word++;
		}
		word += strspn(word, " ");
	}
	if (at > indent)
		putchar('\n');
}

static void print_opt(const struct cmd_opt *o)
{
	char text[80];
	int n = 0;

	if (o->letter)
		n = snprintf(text, sizeof(text), "-%c, ", o->letter);
	else
		n = snprintf(text, sizeof(text), "    ");
	n += snprintf(text + n, sizeof(text) - n, "--%s", o->name);
	if (o->arg)
		snprintf(text + n, sizeof(text) - n, o->kind == CMD_OPT_OPTIONAL ? "[=%s]" : " %s",
			 o->arg);
	if (strlen(text) >= HELP_COLUMN)
		printf("  %s\n  %*s", text, HELP_COLUMN, "");
	else
		printf("  %-*s", HELP_COLUMN, text);
	print_wrapped(o->help, 2 + HELP_COLUMN, 2 + HELP_COLUMN);
}

/* Prints options up to the end of their group. Returns the first row that is not printed. */
static const struct cmd_opt *print_group(const struct cmd_opt *o)
{
	for (; o->name && o->kind != CMD_OPT_HEADING; o++)
		print_opt(o);
	return o;
}

/* The command's own options, --help itself, its text, and the groups that commands share. */
static void print_help(const struct cmd_desc *cmd)
{
	static const struct cmd_opt builtin[] = {
		{ 'h', "help", CMD_OPT_FLAG, NULL, NULL, "show this text", NULL },
		{ 0, "list-opts", CMD_OPT_FLAG, NULL, NULL, "list the long options", NULL },
		CMD_OPT_END
	};
	const struct cmd_opt *o;

	printf("perf-cstrace %s - %s\n\nUsage: perf-cstrace %s [OPTIONS]%s%s\n\n", cmd->name,
	       cmd->summary, cmd->name, cmd->operands ? " " : "",
	       cmd->operands ? cmd->operands : "");
	o = print_group(cmd->opts);
	print_group(builtin);
	if (cmd->more) {
		putchar('\n');
		print_wrapped(cmd->more, 0, 0);
	}
	while (o->name) {
		printf("\n%s:\n", o->help);
		o = print_group(o + 1);
	}
}

static int builtin_option(const struct cmd_desc *cmd, const char *name)
{
	const struct cmd_opt *o;

	/* scripts ask by --help whether the options before it can be used */
	if (!strcmp(name, "help")) {
		if (cmd_given_exist(cmd) != CMD_GO_ON)
			return CMD_ERROR;
		print_help(cmd);
		return CMD_OK;
	}
	if (!strcmp(name, "list-opts")) {
		for (o = cmd->opts; o->name; o++)
			if (o->kind != CMD_OPT_HEADING)
				printf("--%s ", o->name);
		putchar('\n');
		return CMD_OK;
	}
	return CMD_GO_ON;
}

/* --name, --name=VALUE, --name VALUE; *i moves on when the next word is the value. */
static int long_option(const struct cmd_desc *cmd, int *i, int argc, const char **argv)
{
	const char *name = argv[*i] + 2;
	const char *eq = strchr(name, '='), *same;
	const size_t len = eq ? (size_t)(eq - name) : strlen(name);
	const struct cmd_opt *o = find_name(cmd->opts, name, len);
	int rc;

	same = o ? NULL : unknown_same(name, len);
	if (same)
		o = find_name(cmd->opts, same, strlen(same));

	if (!o) {
		rc = builtin_option(cmd, name);
		if (rc == CMD_GO_ON)
			rc = unknown_option(cmd, &(struct unknown){ name, len, 0 });
		return rc;
	}
	if (o->kind == CMD_OPT_FLAG && eq)
		return cmd_usage_error(cmd, "option --%s takes no value", o->name);
	if (eq)
		return take(cmd, o, eq + 1);
	if (!needs_value(o))
		return take(cmd, o, NULL);
	if (*i + 1 >= argc)
		return cmd_usage_error(cmd, "option --%s needs a value: %s", o->name, o->arg);
	return take(cmd, o, argv[++*i]);
}

/* -x, -xVALUE, -x VALUE, and flags in one word: -vf. */
static int short_options(const struct cmd_desc *cmd, int *i, int argc, const char **argv)
{
	const char *p = argv[*i] + 1;
	const struct cmd_opt *o;
	int rc;

	for (; *p; p++) {
		o = find_letter(cmd->opts, *p);
		if (!o && *p == 'h')
			return builtin_option(cmd, "help");
		if (!o)
			return unknown_option(cmd, &(struct unknown){ .letter = *p });
		if (needs_value(o)) {
			if (p[1])
				return take(cmd, o, p + 1);
			if (*i + 1 >= argc)
				return cmd_usage_error(cmd, "option -%c needs a value: %s", *p, o->arg);
			return take(cmd, o, argv[++*i]);
		}
		if (o->kind == CMD_OPT_OPTIONAL)
			return take(cmd, o, p[1] ? p + 1 : NULL);
		rc = take(cmd, o, NULL);
		if (rc != CMD_GO_ON)
			return rc;
	}
	return CMD_GO_ON;
}

/* cmd_visit() in progress; `visit` is NULL without one. */
static struct {
	void (*visit)(void *data, const struct cmd_desc *cmd);
	void *data;
} visitor;

void cmd_visit(int (*run)(int argc, const char **argv),
	       void (*visit)(void *data, const struct cmd_desc *cmd), void *data)
{
	visitor.visit = visit;
	visitor.data = data;
	run(0, NULL);
	visitor.visit = NULL;
}

static int parse(const struct cmd_desc *cmd, int *argc, const char **argv, bool before)
{
	int i, nr = *argc, operands = 0, rc = CMD_GO_ON;
	bool options = true;

	if (visitor.visit) {
		visitor.visit(visitor.data, cmd);
		return CMD_OK;
	}
	cmd_given_start();
	for (i = 1; i < nr; i++) {
		const char *a = argv[i];

		if (!options || a[0] != '-' || !a[1]) {
			if (!cmd->operands)
				return cmd_usage_error(cmd, "unexpected argument '%s'", a);
			argv[operands++] = a;
			options &= !before;
		} else if (!strcmp(a, "--")) {
			options = false;
		} else if (a[1] == '-') {
			rc = long_option(cmd, &i, nr, argv);
		} else {
			rc = short_options(cmd, &i, nr, argv);
		}
		if (rc != CMD_GO_ON)
			return rc;
	}
	*argc = operands;
	return cmd_given_exist(cmd);
}

int cmd_options(const struct cmd_desc *cmd, int *argc, const char **argv)
{
	return parse(cmd, argc, argv, false);
}

int cmd_options_before(const struct cmd_desc *cmd, int *argc, const char **argv)
{
	return parse(cmd, argc, argv, true);
}

int cmd_input(const struct cmd_desc *cmd, int *argc, const char **argv,
	      const struct bare_opts *bare, struct session_opts *so)
{
	int rc = cmd_options(cmd, argc, argv);

	/* an output that is the input is refused before anything is read */
	if (so->input)
		input_note_file(so->input);
	if (rc == CMD_GO_ON)
		rc = cmd_bare_check(cmd, bare, so, NULL);
	if (rc == CMD_GO_ON)
		rc = cmd_jobs_default(cmd, so);
	return rc;
}
