/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * findings.h - what a target's facts mean for a recording: findings with their cures, and what
 * can be recorded. The table is findings.def.
 */
#ifndef CSTRACE_OUTPUTS_TARGET_FINDINGS_H
#define CSTRACE_OUTPUTS_TARGET_FINDINGS_H

#include "outputs/target/target.h"

enum finding_state {
	FINDING_OK,
	FINDING_NOTE,		/* worth knowing; nothing is lost */
	FINDING_LIMIT,		/* some recordings are not possible, or less complete */
	FINDING_MISSING,	/* nothing can be recorded */
};

enum target_ability {
	ABLE_USER,		/* a program of the user */
	ABLE_KERNEL,		/* what the kernel does for it */
	ABLE_SYSTEM,		/* all threads of all CPUs */
	ABLE_SNAPSHOT,		/* the last buffer before a signal */
	ABLE_STROBING,		/* windows, for AutoFDO */
	ABLE_TIMELINE,		/* with timestamps */
	NR_ABILITIES
};

enum finding_id {
#define FINDING(id, state, blocks, limits, when, text) FINDING_##id,
#define EACH(id, next) FINDING_##id,
#define CURE(id, when, text)
#include "outputs/target/findings.def"
#undef FINDING
#undef EACH
#undef CURE
	NR_FINDINGS
};

struct target_finding {
	enum finding_id id;
	enum finding_state state;
	uint32_t blocks, limits;	/* abilities, as bits */
	char *text;			/* one line; names of the target are escaped */
	char *cure;			/* what helps and was not done; NULL: nothing is known to */
};

struct target_findings {
	struct target_finding *v;	/* in the order of the table */
	size_t nr, cap;
};

/* Judges the facts. To be freed with findings_free(). */
void findings_of(const struct target *t, struct target_findings *fs);
void findings_free(struct target_findings *fs);

/* "PMU_ABSENT" */
const char *finding_name(enum finding_id id);
/* "ok", "note", "limit", "missing" */
const char *finding_state_name(enum finding_state state);

enum able {
	ABLE_NO,
	ABLE_LIMITED,
	ABLE_YES,
};

/*
 * Whether this can be recorded; *why, which may be NULL, is the first finding against it, NULL:
 * none.
 */
enum able findings_able(const struct target_findings *fs, enum target_ability ability,
			const struct target_finding **why);
/* "user", for programs, and "user programs", for people. */
const char *ability_name(enum target_ability ability);
const char *ability_text(enum target_ability ability);
/* A command line that does it on this target, to be freed. */
char *ability_command(const struct target *t, enum target_ability ability);

#endif
