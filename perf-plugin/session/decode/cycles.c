/* SPDX-License-Identifier: GPL-2.0-only */
/* cycles.c - divides counts of cycles between the ranges that they are of. */
#include "session/decode/cycles.h"

#include "base/wide.h"
#include "machine/buffers/units.h"
#include "session/decode/cycle_counts.h"

void cycles_begin(struct stream_state *st)
{
	st->cycles = (struct stream_cycles){ .first = NO_BATCH, .cut = true };
}

/* Ends the wait of the ranges; `each` gets them in order. */
static void each_waiting(struct pending *p, struct stream_state *st, uint64_t cycles,
			 void (*each)(struct cst_generic *g, uint64_t cycles, uint64_t done,
				      uint64_t all))
{
	const struct stream_cycles was = st->cycles;
	uint32_t number = was.first;
	uint64_t done = 0;
	struct batch *b;
	size_t i;

	st->cycles.first = NO_BATCH;
	st->cycles.insns = 0;
	for (; done < was.insns; number++) {
		b = pending_nth(p, number);
		for (i = number == was.first ? was.at : 0;
		     b->st == st && i < b->n && done < was.insns; i++) {
			/* elements of pending batches are in the ring */
			struct cst_generic *g = p->el + (b->g - p->el) + i;

			if (!cycle_count_covers(g))
				continue;
			each(g, cycles, done, was.insns);
			done += g->n_insn;
		}
	}
}

static void set_share(struct cst_generic *g, uint64_t cycles, uint64_t done, uint64_t all)
{
	g->flags |= CST_GF_CC;
	g->cc = (uint32_t)(wide_mul_div(cycles, done + g->n_insn, all) -
			   wide_mul_div(cycles, done, all));
}

static void set_none(struct cst_generic *g, uint64_t cycles, uint64_t done, uint64_t all)
{
	(void)cycles;
	(void)done;
	(void)all;
	g->flags &= (uint16_t)~CST_GF_CC;
	g->cc = 0;
}

void cycles_give_up(struct pending *p, struct stream_state *st)
{
	if (st->cycles.first == NO_BATCH)
		return;
	each_waiting(p, st, 0, set_none);
	st->cycles.cut = true;
}

/* Ends a stretch of trace. */
static void end_stretch(struct pending *p, struct stream_state *st)
{
	cycles_give_up(p, st);
	st->cycles.early = 0;
	st->cycles.cut = cycle_count_spans_gaps(&st->unit->config);
}

/* Takes a count, of the ranges that wait or of the next one. */
static void take_count(struct pending *p, struct stream_state *st, uint64_t cycles)
{
	struct stream_cycles *c = &st->cycles;

	if (c->cut) {
		cycles_give_up(p, st);
		c->cut = false;
		c->early = 0;
		return;
	}
	c->early += cycles;
	if (c->first == NO_BATCH)
		return;
	/* a range has 32 bits for its cycles; the next one has the rest */
	cycles = c->early < UINT32_MAX ? c->early : UINT32_MAX;
	c->early -= cycles;
	each_waiting(p, st, cycles, set_share);
}

/* Makes the instructions of an element wait for a count. */
static void await_count(struct stream_cycles *c, const struct cst_generic *g, uint32_t number,
			size_t at)
{
	if (!cycle_count_covers(g))
		return;
	if (c->first == NO_BATCH) {
		c->first = number;
		c->at = at;
	}
	c->insns += g->n_insn;
}

static void take_element(struct pending *p, struct stream_state *st, const struct cst_generic *g)
{
	switch (cycle_count_of(&st->unit->config, g)) {
	case CYCLES_NONE:
		break;
	case CYCLES_UNKNOWN:
		/* the next count begins here */
		st->cycles.cut = true;
		/* fall through */
	case CYCLES_COUNTED:
		take_count(p, st, g->cc);
		break;
	case CYCLES_GAP:
		end_stretch(p, st);
	}
}

void cycles_take(struct pending *p, struct stream_state *st, uint32_t number)
{
	const struct batch *b = pending_nth(p, number);
	size_t i;

	for (i = 0; i < b->n && st->unit->config.cycle_count; i++) {
		await_count(&st->cycles, &b->g[i], number, i);
		take_element(p, st, &b->g[i]);
	}
}
