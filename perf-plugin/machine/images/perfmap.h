/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmap.h - names of generated code in the format of /tmp/perf-PID.map, which has no code. */
#ifndef CSTRACE_MACHINE_IMAGES_PERFMAP_H
#define CSTRACE_MACHINE_IMAGES_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map;

/* Parses lines "START SIZE NAME" (hex) of `text`, which it takes over (malloc). */
struct perf_map *perf_map_read(char *text);
void perf_map_free(struct perf_map *pm);
/* Finds the name of an address; the last one in the file if there are several. Code of which a part was replaced has none. */
bool perf_map_find(const struct perf_map *pm, uint64_t addr, const char **name, uint64_t *start,
		   uint64_t *size);

/* True if a part of [start, end) has a name. */
bool perf_map_within(const struct perf_map *pm, uint64_t start, uint64_t end);

#endif
