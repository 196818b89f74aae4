/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ipc.h - instructions and cycles between samples, as perf has them for Intel PT (perf-intel-pt(1),
 * "IPC"): both up to the last count of cycles, so that their ratio is exact, or, with letter A, the
 * instructions up to the sample.
 */
#ifndef CSTRACE_OUTPUTS_SYNTH_IPC_H
#define CSTRACE_OUTPUTS_SYNTH_IPC_H

#include "session/decode/cycle_counts.h"
#include "session/decode/stream.h"

struct ipc {
	uint64_t insns, cycles;
};

enum ipc_sample { IPC_BRANCHES, IPC_INSNS, NR_IPC_SAMPLES };

/* State of a stream. */
struct ipc_state {
	uint64_t insns;		/* executed so far */
	struct ipc counted;	/* up to the last count */
	struct ipc shown[NR_IPC_SAMPLES]; /* up to the last sample of each kind that had both */
	bool cut;		/* the next count is of code that was not traced, too */
};

/* The instructions and cycles before this are in no sample. */
void ipc_drop(struct ipc_state *st);
/* Takes an element other than a range, after its samples. */
void ipc_element(struct ipc_state *st, const struct stream *s, const struct cst_generic *g);
void ipc_count(struct ipc_state *st, uint32_t cycles);

/* Takes a range, after the branch that led to it. */
static inline void ipc_range(struct ipc_state *st, const struct cst_generic *g)
{
	st->insns += g->n_insn;
	if (g->flags & CST_GF_CC)
		ipc_count(st, g->cc);
}

/* Returns what was counted since the last sample of that kind; cycles 0: no count ended since. */
struct ipc ipc_take(struct ipc_state *st, enum ipc_sample of, bool approximate);

#endif
