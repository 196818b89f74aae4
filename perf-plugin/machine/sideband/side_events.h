/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * side_events.h - threads, maps and kernel code of a recording over time, as events (side.h) of several sources, and the
 * files that the events name. One pass over all records collects the events, which can then be read in order of time any
 * number of times (side_order.h).
 */
#ifndef CSTRACE_MACHINE_SIDEBAND_SIDE_EVENTS_H
#define CSTRACE_MACHINE_SIDEBAND_SIDE_EVENTS_H

#include "machine/images/dso_table.h"
#include "machine/images/kernel.h"
#include "machine/sideband/jit.h"
#include "machine/sideband/jit_owner.h"
#include "machine/sideband/phone.h"
#include "machine/sideband/side_kernel.h"
#include "machine/sideband/side_order.h"
#include "perfdata/decode.h"
#include "perfdata/reader.h"

struct side_events {
	/* The caller's, set before side_events_start(). */
	struct perfdata *pd;
	const char *name;		/* of the input, as messages show it */
	struct dso_table *dsos;
	struct kernel_images *kernel;
	const struct pd_time_conv *conv; /* before side_events_finish(); NULL: the file has none */

	struct side_order order;
	struct side_source *records;	/* those of perf.data */
	struct side_reader *reader;	/* and what is learned about them */
	struct jit_files jit;
	struct jit_processes processes;	/* for files that no record mentions */
	struct bpf_programs bpf;
	struct phone phone;
	uint64_t bad_records;		/* unusable, and left out */
};

void side_events_init(struct side_events *se);
void side_events_free(struct side_events *se);

/* Before the pass over the records. */
void side_events_start(struct side_events *se);
/* One record of the pass: true, and the event that it makes; false: none. */
bool side_events_take(struct side_events *se, const struct pd_record *rec, struct side_event *e);
/* After the last record: all sources can be read in order of time. 0, or negative. */
int side_events_finish(struct side_events *se);

#endif
