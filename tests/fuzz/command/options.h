/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the command lines of fuzz_command. */
#ifndef CSTRACE_TESTS_FUZZ_COMMAND_OPTIONS_H
#define CSTRACE_TESTS_FUZZ_COMMAND_OPTIONS_H

#include "fuzz/command/archive.h"

enum option_kind {
	OPTION_FLAG,
	OPTION_CHOICE,		/* one of the values; @ stands for the folder */
	OPTION_TEXT,		/* any text; the values are those that the mutator begins with */
};

struct option_row {
	const char *name;
	uint16_t commands;	/* a bit for each command that has it */
	enum option_kind kind;
	const char *const *values;	/* ends with NULL */
};

struct command_row {
	const char *name;
	int (*run)(int argc, const char **argv);
};

/* The order of both tables is part of the format of the inputs: new rows come last. */
extern const struct option_row option_rows[];
extern const unsigned int nr_option_rows;
extern const struct command_row command_rows[];
extern const unsigned int nr_command_rows;

#define COMMAND_LINE_WORDS (ARCHIVE_OPTIONS + 3)
#define COMMAND_LINE_WORD 512u

struct command_line {
	const struct command_row *command;
	int argc;
	const char *argv[COMMAND_LINE_WORDS + 1];
	char words[COMMAND_LINE_WORDS][COMMAND_LINE_WORD];
};

/* Options that the command does not have are left out; an input and a limit on expanded records are always there. */
void command_line(struct command_line *l, const struct archive *a, const char *folder);
/* The value of an option in the line, NULL if it is not there. */
const char *command_line_value(const struct command_line *l, const char *name);
unsigned int option_nr_values(const struct option_row *row);

#endif
