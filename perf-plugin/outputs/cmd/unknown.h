/* SPDX-License-Identifier: GPL-2.0-only */
/* unknown.h - what a command or an option that is not known may be meant to be. */
#ifndef CSTRACE_OUTPUTS_CMD_UNKNOWN_H
#define CSTRACE_OUTPUTS_CMD_UNKNOWN_H

#include <stddef.h>

struct cmd_desc;

/* An option as it was given. */
struct unknown {
	const char *name;	/* `len` bytes behind "--"; NULL: a letter */
	size_t len;
	char letter;
};

/* Returns what does the work of a command of perf, NULL: perf has no such command either. */
const char *unknown_command(const char *name);
/* Returns our name of an option that perf has under another one, NULL: there is none. */
const char *unknown_same(const char *name, size_t len);
/* Complains about an option that the command does not have. Returns CMD_USAGE. */
int unknown_option(const struct cmd_desc *cmd, const struct unknown *u);

#endif
