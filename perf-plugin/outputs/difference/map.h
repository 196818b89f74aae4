/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - where a line of DIFF_BEFORE is in the source of DIFF_AFTER, without the text of either:
 * functions that both sides declare are anchors, and between two anchors lines move as one edit,
 * made where most lines with code fit, moves them.
 */
#ifndef CSTRACE_OUTPUTS_DIFFERENCE_MAP_H
#define CSTRACE_OUTPUTS_DIFFERENCE_MAP_H

#include "outputs/difference/internal.h"

/* A line of a file, at which a function of this base name is declared. */
struct declared {
	uint32_t file, name;
	unsigned int line;
};

/* Lines of DIFF_BEFORE from `line` on, up to the next stretch of the file. */
struct stretch {
	uint32_t file;
	unsigned int line;
	int shift;	/* of its lines before `edit` */
	unsigned int edit;	/* the first line with the other shift ... */
	int shift_behind;	/* ... which is this one */
};

struct line_map {
	struct stretch *v;	/* by file and line */
	size_t n, cap;
};

struct line_map *map_new(struct diff_state *s);
void map_free(struct line_map *map);

/* Returns the line; 0: it is not in DIFF_AFTER. */
unsigned int map_line(const struct line_map *map, uint32_t file, unsigned int line);

#endif
