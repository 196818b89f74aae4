/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - what is counted while decoding, and the sections of the output that have a file of their own. */
#ifndef CSTRACE_OUTPUTS_INFO_INTERNAL_H
#define CSTRACE_OUTPUTS_INFO_INTERNAL_H

#include "session/parts.h"

/* Longer lists are cut unless --all is given. */
#define INFO_SHORT_LIST 16

struct info_counts {
	struct session *ss;
	uint64_t first, last;		/* perf times of what was decoded; first > last: none is known */
	uint64_t elsewhere;		/* instructions in no file */
	uint32_t section;		/* of the last range, and where its instructions are counted (NULL: nowhere) */
	uint64_t *insns;
};

/* Decodes everything, and counts the instructions of each file in struct dso. 0, or what session_run() returned. */
int info_count_all(struct info_counts *c, struct session *ss);
/* Files that instructions were decoded in or missing from, the busiest first; *list is to be freed. */
size_t info_binaries(const struct session *ss, struct dso ***list);
void info_print_binaries(const struct session *ss, const struct info_counts *c, bool all);
void info_print_span(const struct info_counts *c);

/* next.c: calls `put` with each command line that comes next. */
void info_next(const struct session *ss, void (*put)(void *data, const char *line), void *data);

/* "perf", "simpleperf" or "snapshot". */
const char *info_recorder(const struct session *ss);

/* who.c */
void info_who(const struct session *ss);

#endif
