/* SPDX-License-Identifier: GPL-2.0-only */
/* ipc.c - adds up instructions and cycles between samples. */
#include "outputs/synth/ipc.h"

void ipc_drop(struct ipc_state *st)
{
	unsigned int i;

	st->counted.insns = st->insns;
	for (i = 0; i < NR_IPC_SAMPLES; i++)
		st->shown[i] = st->counted;
}

void ipc_count(struct ipc_state *st, uint32_t cycles)
{
	if (st->cut)
		ipc_drop(st);
	else
		st->counted.cycles += cycles;
	st->cut = false;
	st->counted.insns = st->insns;
}

void ipc_element(struct ipc_state *st, const struct stream *s, const struct cst_generic *g)
{
	switch (cycle_count_of(s->config, g)) {
	case CYCLES_NONE:
		break;
	case CYCLES_UNKNOWN:
		st->cut = true;
		/* fall through */
	case CYCLES_COUNTED:
		ipc_count(st, g->cc);
		break;
	case CYCLES_GAP:
		ipc_drop(st);
		st->cut = cycle_count_spans_gaps(s->config);
	}
}

struct ipc ipc_take(struct ipc_state *st, enum ipc_sample of, bool approximate)
{
	const struct ipc now = { approximate ? st->insns : st->counted.insns, st->counted.cycles };
	const struct ipc since = { now.insns - st->shown[of].insns,
				   now.cycles - st->shown[of].cycles };

	if (since.cycles)
		st->shown[of] = now;
	return since;
}
