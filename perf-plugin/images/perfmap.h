/* SPDX-License-Identifier: GPL-2.0-only */
/* perfmap.h - names of generated code, as compilers write them to /tmp/perf-PID.map. There is no code in it. */
#ifndef CSTRACE_IMAGES_PERFMAP_H
#define CSTRACE_IMAGES_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map;

/* Over text of lines "START SIZE NAME" (hex), which it takes over (malloc). NULL: no memory. */
struct perf_map *perf_map_read(char *text);
void perf_map_free(struct perf_map *pm);
/* Of several names of an address the one that was written last. */
bool perf_map_find(const struct perf_map *pm, uint64_t addr, const char **name, uint64_t *start,
		   uint64_t *size);

#endif
