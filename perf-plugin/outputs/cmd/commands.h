/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * commands.h - the commands and their table. An entry point returns the exit code of the process.
 */
#ifndef CSTRACE_OUTPUTS_CMD_COMMANDS_H
#define CSTRACE_OUTPUTS_CMD_COMMANDS_H

#include <stdio.h>

int cmd_inject(int argc, const char **argv);
int cmd_script(int argc, const char **argv);
int cmd_dump(int argc, const char **argv);
int cmd_profile(int argc, const char **argv);
int cmd_timeline(int argc, const char **argv);
int cmd_report(int argc, const char **argv);
int cmd_merge(int argc, const char **argv);
int cmd_info(int argc, const char **argv);
int cmd_verify(int argc, const char **argv);
int cmd_compare(int argc, const char **argv);
int cmd_convert(int argc, const char **argv);
int cmd_index(int argc, const char **argv);
int cmd_check(int argc, const char **argv);
int cmd_record(int argc, const char **argv);
int cmd_live(int argc, const char **argv);

struct cmd_desc;

struct command {
	const char *name;
	int (*run)(int argc, const char **argv);
	const char *help;
};

/* Calls `visit` with the options of each command. */
void commands_visit(void (*visit)(void *data, const struct cmd_desc *cmd), void *data);
/* NULL, after a message: there is no such command. */
const struct command *command_find(const char *name);
/* The commands in the order of --help; NULL behind the last one. */
const struct command *command_at(size_t i);
/* perf-cstrace --help, --list-cmds. */
void commands_print(FILE *out);
void commands_list(void);

struct session;
struct timeline_opts;
/* timeline.c: writes a timeline of a session, and prints how it ended. Returns an exit code. */
int cmd_timeline_write(struct session *ss, const struct timeline_opts *o);

#endif
