/* SPDX-License-Identifier: GPL-2.0-only */
/* able.c - what can be recorded on a target, and with which command. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/format.h"
#include "base/name.h"
#include "outputs/target/findings.h"
#include "outputs/target/values.h"

enum able findings_able(const struct target_findings *fs, enum target_ability ability,
			const struct target_finding **why)
{
	const uint32_t bit = 1u << ability;
	const struct target_finding *f, *limit = NULL;
	size_t i;

	for (i = 0; i < fs->nr; i++) {
		f = &fs->v[i];
		if (f->blocks & bit) {
			if (why)
				*why = f;
			return ABLE_NO;
		}
		if (f->limits & bit && !limit)
			limit = f;
	}
	if (why)
		*why = limit;
	return limit ? ABLE_LIMITED : ABLE_YES;
}

const char *ability_name(enum target_ability ability)
{
	static const char *const names[NR_ABILITIES] = {
		[ABLE_USER] = "user",	       [ABLE_KERNEL] = "kernel",
		[ABLE_SYSTEM] = "system-wide", [ABLE_SNAPSHOT] = "snapshot",
		[ABLE_STROBING] = "strobing",  [ABLE_TIMELINE] = "timeline",
	};

	return names[ability];
}

const char *ability_text(enum target_ability ability)
{
	static const char *const texts[NR_ABILITIES] = {
		[ABLE_USER] = "a program",
		[ABLE_KERNEL] = "the kernel",
		[ABLE_SYSTEM] = "all threads",
		[ABLE_SNAPSHOT] = "a snapshot",
		[ABLE_STROBING] = "AutoFDO, with strobing",
		[ABLE_TIMELINE] = "a timeline, with timestamps",
	};

	return texts[ability];
}

/* Kernels before 5.9 choose no sink themselves. */
static char *sink_term(const struct target *t)
{
	const struct target_kernel *k = &t->kernel;

	if (!t->pmu.nr_sinks || !k->major || k->major > 5 || (k->major == 5 && k->minor > 8))
		return mem_text("");
	return format_text("@%s", name_shown(t->pmu.sinks[0].name));
}

/* %s is the sink with an @, or nothing. */
static const char *const perf_commands[NR_ABILITIES] = {
	[ABLE_USER] = "perf record -e cs_etm/%s/u PROGRAM",
	[ABLE_KERNEL] = "perf record -e cs_etm/%s/k PROGRAM",
	[ABLE_SYSTEM] = "perf record -a -e cs_etm/%s/ sleep 1",
	[ABLE_SNAPSHOT] =
		"perf record -S -e cs_etm/%s/u PROGRAM, and kill -USR2 of perf at the moment",
	[ABLE_STROBING] = "perf record -e cs_etm/autofdo,preset=9%s/u PROGRAM",
	[ABLE_TIMELINE] = "perf record -e cs_etm/timestamp%s/u PROGRAM",
};

/* Those of Android's recorder, which has no snapshots, strobing or terms. */
static const char *const simpleperf_commands[NR_ABILITIES] = {
	[ABLE_USER] = "simpleperf record -e cs-etm:u PROGRAM",
	[ABLE_KERNEL] = "simpleperf record -e cs-etm:k PROGRAM",
	[ABLE_SYSTEM] = "simpleperf record -a -e cs-etm --duration 1",
	[ABLE_TIMELINE] = "simpleperf record --record-timestamp -e cs-etm:u PROGRAM",
};

/*
 * Per thread is all that perf does with ETMv3 and PTM; a copy of the kernel's code is of use
 * where it is traced.
 */
static const char *first_options(const struct target *t, enum target_ability ability)
{
	const bool kcore = (ability == ABLE_KERNEL || ability == ABLE_SYSTEM) &&
			   t->kernel.kcore == TARGET_SEEN;

	if (cpus_count(t, CPUS_OLD))
		return kcore ? " --per-thread --kcore" : " --per-thread";
	return kcore ? " --kcore" : "";
}

char *ability_command(const struct target *t, enum target_ability ability)
{
	char *sink, *command, *end;
	const char *text = perf_commands[ability];

	if (!t->perf.path && t->perf.simpleperf) {
		text = simpleperf_commands[ability];
		return text ? mem_text(text) : NULL;
	}
	sink = sink_term(t);
	/* a term before the sink needs a comma between them */
	end = format_text("%s%s", *sink && ability >= ABLE_STROBING ? "," : "", sink);
	command = format_text("perf record%s%.*s%s%s", first_options(t, ability),
			      (int)(strstr(text, "%s") - text - 11), text + 11, end,
			      strstr(text, "%s") + 2);
	free(end);
	free(sink);
	return command;
}
