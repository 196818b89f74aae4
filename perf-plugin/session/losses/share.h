/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share.h - the losses of a recording as one share of its trace, for --max-loss. It is the greatest
 * of three:
 * - bytes of trace lost, of the bytes that the recording has or should have. Where a cause has no
 *   bytes, as discards and ranges of unknown threads, each of its losses is one byte.
 * - AUX records with a gap at their end (truncated, partial, collision), of all AUX records:
 *   nothing says how long a gap is.
 * - records that were lost or cannot be read, of all records.
 * A cut file, compressed records beyond the limit and unusable jitdump records say nothing of what
 * is missing: all of it is taken for lost.
 */
#ifndef CSTRACE_SESSION_LOSSES_SHARE_H
#define CSTRACE_SESSION_LOSSES_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "session/losses/losses.h"

/* 100 % */
#define LOSS_SHARE_ALL 1000000u

/* What a recording has. */
struct loss_base {
	/* of trace, with those that are missing, without those that a filter left out */
	uint64_t bytes;
	uint64_t aux_records, records;
};

/* The share is lost / of; with losses both are at least 1, and `lost` is at most `of`. */
struct loss_share {
	uint64_t lost, of;	/* bytes of trace */
	uint64_t unknown;	/* recordings that are not in it: nothing says what they lost */
};

struct loss_share losses_share(const struct losses *ls, const struct loss_base *base);
/* Adds losses that losses.def does not have, a byte each. */
void loss_share_add(struct loss_share *s, uint64_t count);
/* True if the share is greater than `max` millionths. */
bool loss_share_above(const struct loss_share *s, uint32_t max);
/* Prints the share, and the greatest that is accepted; nothing without losses. */
void loss_share_print(const struct loss_share *s, uint32_t max, FILE *out);
/*
 * Reads "2%", "0.05%": *max in millionths. False: it is no share from 0% to 100%, or has more than
 * four decimals.
 */
bool loss_share_read(const char *text, uint32_t *max);

#endif
