/* SPDX-License-Identifier: GPL-2.0-only */
/* complete.h - perf-cstrace help completion: what the completions of the shells read. */
#ifndef CSTRACE_OUTPUTS_CMD_COMPLETE_H
#define CSTRACE_OUTPUTS_CMD_COMPLETE_H

#include "outputs/cmd/commands.h"

/*
 * Prints the options of a command, a line each with tabs between its fields: --NAME, -LETTER or -,
 * the kind of the value (flag, value, file, folder, optional), what the usage calls it or -, and
 * the help. NULL: the commands, each with its help. Returns CMD_OK.
 */
int complete_print(const struct command *c);

#endif
