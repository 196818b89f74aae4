/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_maps.h - the files /tmp/perf-PID.map of the recorded processes, each read when first needed. */
#ifndef CSTRACE_MACHINE_IMAGES_PERF_MAPS_H
#define CSTRACE_MACHINE_IMAGES_PERF_MAPS_H

#include "base/intmap.h"
#include "machine/images/perfmap.h"

struct perf_maps {
	const char *symfs;	/* root of the recorded machine's files; NULL: unknown */
	const char *hostname;	/* name of that machine; NULL: unknown */
	struct intmap by_pid;
};

/* Returns the map of a process, without names if it has no file. */
const struct perf_map *perf_maps_get(struct perf_maps *pms, int pid);
void perf_maps_free(struct perf_maps *pms);

#endif
