/* SPDX-License-Identifier: GPL-2.0-only */
/* reasons.c - the reasons of losses in a snapshot or bare trace that are not those of a recording by perf (losses.def). */
#include "session/losses/reasons.h"

#include <stddef.h>

static const char *const snapshot[NR_LOSSES] = {
	[LOSS_NO_MAP] = "no program and no memory contents cover the address",
	[LOSS_NO_THREAD] = "nothing says what code is in memory",
	[LOSS_CONTEXT] = "nothing says in which context it ran",
	[LOSS_FIRMWARE] = "code of EL3 is in no program and no memory contents that are given",
	[LOSS_SECURE] = "code of the secure world is in no program and no memory contents that are given",
	[LOSS_CONFLICT] = "the programs are not those that ran, or memory had other code at the time",
};

const char *loss_reason(enum loss cause, enum session_recorder by)
{
	return by == RECORDER_SNAPSHOT && snapshot[cause] ? snapshot[cause] : loss_why(cause);
}
