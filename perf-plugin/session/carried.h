/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * carried.h - what decoding a piece of a recording has found out about the whole of it, for the
 * pieces that follow. One process of this program writes it for another.
 */
#ifndef CSTRACE_SESSION_CARRIED_H
#define CSTRACE_SESSION_CARRIED_H

#include <stddef.h>
#include <stdint.h>

#include "machine/clocks/clocks.h"
#include "machine/tasks/identity.h"
#include "machine/tasks/learned.h"
#include "session/session.h"

/*
 * Windows of clocks that are carried; of more every second one is left out, so that they are of all
 * of the time before.
 */
#define CARRIED_WINDOWS 16384u

struct session_carried {
	struct carried_facts {
		struct learned learned;
		uint64_t lost_records;
		struct identity_seen seen;
		size_t nr_pairs, nr_brackets;
	} facts;
	struct id_pair *pairs;
	struct clock_bracket *brackets;
};

/* Before the records are read. */
void carried_begin(struct session *ss, const struct session_carried *c);
/* After that. */
void carried_apply(struct session *ss, const struct session_carried *c);

#endif
