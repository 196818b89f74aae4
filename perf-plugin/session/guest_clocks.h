/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest_clocks.h - finds by how much the clock of a guest's recording is ahead of the host's, where
 * the user does not say: the offset with which most changes of the guest's thread in the trace are
 * switches of its recording.
 */
#ifndef CSTRACE_SESSION_GUEST_CLOCKS_H
#define CSTRACE_SESSION_GUEST_CLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct session;

/* A thread that begins to run. */
struct guest_turn {
	uint64_t time;
	int tid;
};

/* How well an offset fits. */
struct guest_fit {
	int64_t offset;
	size_t changes;		/* changes of the thread in the trace */
	size_t fitting;		/* of these, changes that are switches with this offset */
	size_t other;		/* the same with the best other offset */
};

/*
 * Finds the offset of the times in `b` from those in `a`, each in any order. fit->fitting and
 * `other` say how sure it is; see guest_fit_is_sure().
 */
void guest_clock_fit(const struct guest_turn *a, size_t na, const struct guest_turn *b, size_t nb,
		     struct guest_fit *fit);
/* True if the offset explains most changes, and no other one nearly as many. */
int guest_fit_is_sure(const struct guest_fit *fit);

/*
 * Sets the offsets of all guests, after the clocks were made. Returns 0, or ERR_REPORTED after a
 * message.
 */
int session_guest_clocks(struct session *ss);

#endif
