/* SPDX-License-Identifier: GPL-2.0-only */
/* info.h - inside the info command: what is counted while decoding, and the sections of its output. */
#ifndef CSTRACE_CMD_INFO_H
#define CSTRACE_CMD_INFO_H

#include "decode/decode.h"
#include "session/internal.h"

/* Longer lists are cut unless --all is given. */
#define INFO_SHORT_LIST 16

struct info_counts {
	struct session *ss;
	uint64_t first, last;		/* perf times of what was decoded; first > last: none is known */
	uint64_t elsewhere;		/* instructions in no file */
	uint32_t section;		/* of the last range, and where its instructions are counted (NULL: nowhere) */
	uint64_t *insns;
};

/* For struct session_consumer; `data` is a struct info_counts. Adds to struct dso's insns. */
int info_count(void *data, const struct stream *s, const struct cst_generic *g, size_t n);
void info_counts_init(struct info_counts *c, struct session *ss);
/* Of one piece (struct session_consumer); to be freed with free(). */
void *info_piece_new(void *data, struct session *ss);
int info_piece_take(void *data, void *piece);
/* Files that instructions were decoded in or missing from, the busiest first; *list is to be freed. */
size_t info_binaries(const struct session *ss, struct dso ***list);
void info_print_binaries(const struct session *ss, const struct info_counts *c, bool all);
void info_print_span(const struct info_counts *c);

/* info_next.c: calls `put` with each command line that comes next. */
void info_next(const struct session *ss, void (*put)(void *data, const char *line), void *data);

/* "perf", "simpleperf" or "snapshot". */
const char *info_recorder(const struct session *ss);

/* info_json.c */
void info_json(const struct session *ss, const struct info_counts *c);

#endif
