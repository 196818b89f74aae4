/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_maps.h - the files /tmp/perf-PID.map of the recorded processes, each read when it is first asked for. */
#ifndef CSTRACE_IMAGES_PERF_MAPS_H
#define CSTRACE_IMAGES_PERF_MAPS_H

#include "base/intmap.h"
#include "images/perfmap.h"

struct perf_maps {
	const char *symfs;	/* where the files of the recorded machine are; NULL: not known */
	const char *hostname;	/* of that machine; NULL: not known */
	struct intmap by_pid;
};

/* NULL: no memory. Without a file for the process, a map without names. */
const struct perf_map *perf_maps_get(struct perf_maps *pms, int pid);
void perf_maps_free(struct perf_maps *pms);

#endif
