/* SPDX-License-Identifier: GPL-2.0-only */
/* side_perf.h - the records of perf.data as a source of events about threads and maps. */
#ifndef CSTRACE_MACHINE_SIDEBAND_SIDE_PERF_H
#define CSTRACE_MACHINE_SIDEBAND_SIDE_PERF_H

#include "machine/sideband/side.h"

struct side_events;

/*
 * On the pass over all records it is given each of them: side_perf_take() says whether the record
 * makes an event (1, 0). Later passes are the source's own.
 */
struct side_source *side_perf_new(struct side_events *se);
int side_perf_take(struct side_source *src, const struct pd_record *rec, struct side_event *e);
/* After the last record: the code that records carry can be read. */
void side_perf_finish(struct side_source *src);

#endif
