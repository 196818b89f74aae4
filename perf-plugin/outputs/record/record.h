/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - the command line of perf that records on a target what a purpose needs: planned
 * from the target's facts,
 * with a reason for each option, printed, and run.
 */
#ifndef CSTRACE_OUTPUTS_RECORD_RECORD_H
#define CSTRACE_OUTPUTS_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "outputs/target/findings.h"
#include "outputs/target/target.h"

enum record_purpose {
#define PURPOSE(id, name, ability, modifier, ms, flags, home) RECORD_FOR_##id,
#include "outputs/record/purposes.def"
#undef PURPOSE
	NR_PURPOSES
};

/* "autofdo"; NULL behind the last one. */
const char *record_purpose_name(unsigned int purpose);
enum target_ability record_purpose_ability(enum record_purpose purpose);

struct record_ask {
	enum record_purpose purpose;
	const char *perf; /* the program */
	const char *output; /* perf's file; the package is beside it */
	const char *sink; /* NULL: the kernel picks one */
	const char *pid; /* -p; NULL: none */
	bool all_cpus; /* -a */
	bool cycles;
	bool package;
	uint64_t seconds; /* 0: to the end of the command, or an interrupt */
	const char *const *command; /* NULL at its end; empty with -a, -p */
};

struct record_lines {
	char **v;
	size_t nr, cap;
};

struct record_plan {
	struct record_lines perf; /* words of the command line, NULL behind them */
	struct record_lines notes; /* why, a line each */
	struct record_lines home; /* command lines for the other host */
	char *package; /* the folder to be copied; NULL: none is made */
	const char *output; /* of record_ask */
	bool snapshot;
};

/*
 * Plans a recording. Returns NULL, or why it is not possible, in one line with what helps, to be
 * freed. The plan is to be
 * freed in either case.
 */
char *record_plan(struct record_plan *plan, const struct target *t, const struct record_ask *ask);
void record_plan_free(struct record_plan *plan);

/*
 * Print it as a shell script: how perf is run and why, how the package is made, and the lines
 * for home.
 */
void record_print_perf(const struct record_plan *plan, FILE *out);
void record_print_pack(const struct record_plan *plan, FILE *out);
void record_print_home(const struct record_plan *plan, FILE *out);

/*
 * Runs perf, which gets the signals of the terminal itself. Returns 0 when the recording is
 * there, -1 after a message.
 */
int record_run(const struct record_plan *plan);

#endif
