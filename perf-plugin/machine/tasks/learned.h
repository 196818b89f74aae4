/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * learned.h - facts about the recorded system that decoding learns in the order of the buffers: its security state and
 * VMID (world.h), and the format of context IDs (contextid.h). A part that is decoded in parallel begins with the facts
 * known by then and logs the answers it used. When the parts before it are done, all queries are repeated: if the
 * answers are the same, the result of the part is valid.
 */
#ifndef CSTRACE_MACHINE_TASKS_LEARNED_H
#define CSTRACE_MACHINE_TASKS_LEARNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/tasks/contextid.h"
#include "machine/tasks/world.h"

struct learned {
	struct own_world own;
	struct contextid contextid;
};

enum learn_kind { LEARN_SECURITY, LEARN_VMID, LEARN_CONTEXTID, NR_LEARN_KINDS };

struct learn_entry {
	uint8_t kind;		/* enum learn_kind */
	uint8_t bits;		/* LEARN_CONTEXTID: traced bits of the value */
	bool proof;		/* other kinds: the context had a thread of the file, so its value is proof */
	uint8_t answer;		/* bool or enum contextid_format */
	uint32_t value;
	struct contextid_evidence ev;
};

#define LEARN_ENTRIES 1024u

struct learn_log {
	struct learn_entry v[LEARN_ENTRIES];
	size_t nr;
	uint16_t last[NR_LEARN_KINDS];	/* index of the last entry of a kind, plus 1 */
	bool full;			/* entries were left out */
	bool ordered;			/* the part used an ASID's owner, which depends on earlier parts */
};

/*
 * Appends an entry unless it repeats the last one of its kind, which has the same answer in any state. `log` may be
 * NULL.
 */
void learn_note(struct learn_log *log, const struct learn_entry *e);

/*
 * A part began with `in` and ended with `out`; `now` is the state after the parts before it. Returns true if the part
 * would have had the same result with `now`, and updates `now` to the state after the part. Otherwise `now` is
 * unchanged.
 */
bool learned_holds(struct learned *now, const struct learned *in, const struct learned *out,
		   const struct learn_log *log);

#endif
