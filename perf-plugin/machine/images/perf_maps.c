/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_maps.c - finds and reads /tmp/perf-PID.map. */
#include "machine/images/perf_maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/alloc.h"
#include "base/files/input.h"

/* Reads the file of a process. /tmp is that of this machine unless --symfs gives the recorded machine's. */
static struct perf_map *read_file(const struct perf_maps *pms, int pid)
{
	struct utsname here;
	char name[32], *path = NULL, *text;
	size_t size;

	if (!pms->symfs && (!pms->hostname || uname(&here) || strcmp(pms->hostname, here.nodename)))
		return NULL;
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", pid);
	if (pms->symfs)
		path = input_in_root(pms->symfs, name);
	text = pms->symfs && !path ? NULL : input_read(path ? path : name, INPUT_MAX_TEXT, &size);
	free(path);
	return text ? perf_map_read(text) : NULL;
}

const struct perf_map *perf_maps_get(struct perf_maps *pms, int pid)
{
	struct perf_map *pm = intmap_get(&pms->by_pid, pid);

	if (pm)
		return pm;
	pm = read_file(pms, pid);
	if (!pm)	/* a missing file is recorded, too */
		pm = perf_map_read(mem_text(""));
	intmap_put(&pms->by_pid, pid, pm);
	return pm;
}

void perf_maps_free(struct perf_maps *pms)
{
	struct perf_map *pm;
	size_t i;

	for (i = 0; (pm = intmap_next(&pms->by_pid, &i));)
		perf_map_free(pm);
	intmap_free(&pms->by_pid);
}
