/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * side_order.h - reads the events of all sources in order of time, any number of times. The first pass measures how far
 * out of order each source is, so that later passes buffer no more events than that. The events of a short recording are
 * kept in memory instead.
 */
#ifndef CSTRACE_MACHINE_SIDEBAND_SIDE_ORDER_H
#define CSTRACE_MACHINE_SIDEBAND_SIDE_ORDER_H

#include "base/strings.h"
#include "machine/sideband/side.h"

/* Events of a recording that are kept in memory. */
#define SIDE_KEEP 16384u

struct side_reader;

struct side_order {
	struct side_reader **readers;
	size_t nr, cap;
	struct strings names;	/* of commands: each is kept once, for the session */
	size_t keep;		/* SIDE_KEEP; tests change it before the first event */
	uint64_t events;	/* that one pass gives */
	bool timed;		/* events of the first source have times: they are the order */
};

void side_order_init(struct side_order *so);
void side_order_free(struct side_order *so);

/* Takes over `src`. */
struct side_reader *side_order_add(struct side_order *so, struct side_source *src);
/* An event of the first pass over a source. */
void side_order_note(struct side_order *so, struct side_reader *r, const struct side_event *e);
/* End of the first passes; makes those of all sources that nothing was noted for. 0, or negative. */
void side_order_finish(struct side_order *so);

/* Events are kept, not read again. */
bool side_order_kept(const struct side_order *so);
void side_order_rewind(struct side_order *so);
/* 1: the next event, 0: no more, negative: error. Command names live as long as `so`. */
bool side_order_next(struct side_order *so, struct side_event *e);

#endif
