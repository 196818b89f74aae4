/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * learned.h - what decoding finds out about the recorded system on its way from buffer to buffer: its security
 * state and VMID (world.h), and what context IDs hold (contextid.h). A piece that is decoded beside the pieces
 * before it begins with what is known by then, and keeps a log of the answers it was given. When those pieces are
 * done, the same questions are asked again: if all answers are the same, so is what was decoded with them.
 */
#ifndef CSTRACE_TASKS_LEARNED_H
#define CSTRACE_TASKS_LEARNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tasks/contextid.h"
#include "tasks/world.h"

struct learned {
	struct own_world own;
	struct contextid contextid;
};

enum learn_kind { LEARN_SECURITY, LEARN_VMID, LEARN_CONTEXTID, NR_LEARN_KINDS };

struct learn_entry {
	uint8_t kind;		/* enum learn_kind */
	uint8_t bits;		/* LEARN_CONTEXTID: traced bits of the value */
	bool proof;		/* the others */
	uint8_t answer;		/* bool, or enum contextid_format */
	uint32_t value;
	struct contextid_evidence ev;
};

#define LEARN_ENTRIES 1024u

struct learn_log {
	struct learn_entry v[LEARN_ENTRIES];
	size_t nr;
	uint16_t last[NR_LEARN_KINDS];	/* index of the last entry of a kind, plus 1 */
	bool full;			/* questions were left out */
	bool ordered;			/* something else was asked that depends on what came before (an ASID's owner) */
};

/* An entry that repeats the last one of its kind changes nothing, in whatever state, and is left out. NULL: no log. */
void learn_note(struct learn_log *log, const struct learn_entry *e);

/*
 * A piece was begun with `in` and ended with `out`; `now` is what the pieces before it left. True when it would
 * have been decoded the same with that: then `now` becomes what is known behind the piece. Else `now` is unchanged.
 */
bool learned_holds(struct learned *now, const struct learned *in, const struct learned *out,
		   const struct learn_log *log);

#endif
