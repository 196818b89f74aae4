/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - where a line of DIFF_BEFORE is in the source of DIFF_AFTER, without the text of either:
 * functions that both sides declare are anchors, and between two anchors lines move as one edit,
 * made where most lines with code fit, moves them.
 */
#ifndef CSTRACE_OUTPUTS_DIFFERENCE_MAP_H
#define CSTRACE_OUTPUTS_DIFFERENCE_MAP_H

#include "outputs/difference/internal.h"

/* Needs the costs of lines of both sides. */
struct line_map *map_new(struct diff_state *s);
void map_free(struct line_map *map);

/* Returns the line; 0: it is not in DIFF_AFTER. */
unsigned int map_line(const struct line_map *map, uint32_t file, unsigned int line);

#endif
