/* SPDX-License-Identifier: GPL-2.0-only */
/* cures.h - what helps against a loss, and was not done yet. */
#ifndef CSTRACE_SESSION_LOSSES_CURES_H
#define CSTRACE_SESSION_LOSSES_CURES_H

#include <stddef.h>
#include <stdint.h>

#include "session/losses/losses.h"

enum cure_fact {
#define FACT(name, text) FACT_##name,
#include "session/losses/facts.def"
#undef FACT
	NR_FACTS
};

/* A set of facts, each as a bit. */
typedef uint64_t cure_facts;

#define CURE_FACT(name) ((cure_facts)1 << FACT_##name)

/* How a recording was made, and is read. */
struct cure_case {
	enum session_recorder recorder;
	cure_facts facts;
};

/* Bytes that hold all cures of a loss. */
#define CURE_TEXT 1024

/*
 * Writes the cures that were not done, joined with "or"; returns `out`, or NULL: none helps, or all
 * were done.
 */
const char *cure_text(enum loss cause, const struct cure_case *c, char out[CURE_TEXT]);
/* Writes what was done of the cures, if all were; NULL: there is none, or one that was not done. */
const char *cure_done_text(enum loss cause, const struct cure_case *c, char out[CURE_TEXT]);
/* "context IDs are traced" */
const char *cure_fact_text(enum cure_fact fact);

/* One row of cures.def, for tests. */
struct cure {
	uint8_t cause, recorders;	/* bits of enum session_recorder */
	cure_facts when, never, done;
	const char *text;
};

const struct cure *cure_rows(size_t *nr);

#endif
