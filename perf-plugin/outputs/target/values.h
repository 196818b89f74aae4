/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - facts in words, for the texts of findings.def, and the questions that its
 * conditions ask.
 */
#ifndef CSTRACE_OUTPUTS_TARGET_VALUES_H
#define CSTRACE_OUTPUTS_TARGET_VALUES_H

#include "outputs/target/target.h"

/* The text with each {name} replaced by its value (values.def), to be freed. */
char *value_text(const struct target *t, const char *text);

/* Lines of EACH rows: the nth one, to be freed; NULL: there are no more. */
char *value_unit(const struct target *t, size_t nth);
char *value_sink(const struct target *t, size_t nth);

/* CPUs that a finding is about. */
enum cpu_set {
	CPUS_OFFLINE,
	CPUS_TRACED,		/* online, with a trace unit */
	CPUS_UNTRACED,		/* online, without */
	CPUS_UNREAD,		/* online, with a trace unit whose registers cannot be read */
	CPUS_OLD,		/* ETMv3 and PTM */
	CPUS_NO_TIMESTAMPS,	/* of those with ETMv4 and ETE */
	CPUS_NO_CYCLES,
	/* they cannot trace the register that this kernel writes thread IDs to */
	CPUS_NO_THREADS,
	CPUS_NO_STROBING,
	CPUS_NO_TRBE,		/* others have one */
	CPUS_WITH_ID,		/* traced, and their trace ID is valid */
	CPUS_NO_ID,
};

/* How many there are. */
uint32_t cpus_count(const struct target *t, enum cpu_set set);

/* True if the configuration says that this option is off. */
bool option_off(const struct target *t, enum target_option option);
/* Modules of use on this target that are there and not loaded: how many. */
uint32_t modules_unloaded(const struct target *t);
/* True if perf can record to this machine's sinks. */
bool sinks_usable(const struct target *t);
/* True if the buffers of all of them are on the chip. */
bool sinks_on_chip(const struct target *t);
/* True if what perf would use needs trace IDs: all but TRBEs. */
bool sinks_framed(const struct target *t);
/* True if timestamps of the trace units can be converted to perf's time. */
bool clock_known(const struct target *t);
/* KB of memory that perf locks for the default buffers of this user, and that it may lock. */
uint64_t locked_needed_kb(const struct target *t);
uint64_t locked_allowed_kb(const struct target *t);
/* True if addresses of the kernel are hidden from this user by kptr_restrict itself. */
bool kptr_hidden(const struct target *t);
/* -1 to 4; -2: unknown. */
int paranoid_of(const struct target *t);

#endif
