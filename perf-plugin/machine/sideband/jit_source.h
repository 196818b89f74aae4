/* SPDX-License-Identifier: GPL-2.0-only */
/* jit_source.h - the code of a jitdump file, as it appears in memory: events of maps. */
#ifndef CSTRACE_MACHINE_SIDEBAND_JIT_SOURCE_H
#define CSTRACE_MACHINE_SIDEBAND_JIT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/sideband/side.h"

/* Where the times of a dump are on the time line of the session. */
struct jitdump_place {
	int pid;			/* process whose code it is */
	uint64_t time, seq;		/* of the record that says that the process opened it; 0: not known */
	bool use_times;			/* else everything happens at `time` */
	uint64_t (*convert)(void *data, uint64_t ticks); /* arch_time to perf time */
	void *data;
};

/* The events of a dso made by jitdump_dso(). */
struct side_source *jitdump_source(struct dso *d, const struct jitdump_place *place);

#endif
