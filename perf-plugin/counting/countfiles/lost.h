/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lost.h - the share of trace that the recordings of a count file, or of a sum of them, lost: by
 * its totals (cstrace-profile(5)).
 */
#ifndef CSTRACE_COUNTING_COUNTFILES_LOST_H
#define CSTRACE_COUNTING_COUNTFILES_LOST_H

#include <stdint.h>

#include "session/losses/share.h"

/* Names of the totals that a recording with losses has; bytes.traced is in all files. */
#define LOST_BYTES "bytes.lost"		/* losses_share() */
#define LOST_ABSENT "bytes.absent"	/* bytes that should be there, beyond bytes.traced */
#define LOST_MEASURED "losses.measured"	/* sum of all its loss.NAME, which are in the bytes */
/* How many of the recordings are branch lists, which do not say what was lost of their trace. */
#define LOST_UNKNOWN "losses.unknown"
/* What outputs say in place of losses, or behind those that are counted. */
#define LOST_UNKNOWN_WORDS "not known of branch lists"

/* Sums of totals, at first 0. */
struct count_lost {
	uint64_t unknown;
	uint64_t traced, absent, lost, measured;
	uint64_t losses;	/* all loss.NAME */
};

void count_lost_add(struct count_lost *l, const char *name, uint64_t value);
/* All is taken for lost where losses are not measured: files of cstrace 0.2.0. */
struct loss_share count_lost_share(const struct count_lost *l);

#endif
