/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline.h - a recording over time, for viewers: on a track for each thread the functions that it called, on a track for
 * each CPU the threads that it ran, and what interrupted the trace.
 */
#ifndef CSTRACE_OUTPUTS_TIMELINE_TIMELINE_H
#define CSTRACE_OUTPUTS_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

struct timeline_format;

struct timeline_opts {
	const struct timeline_format *format;
	const char *output;
	uint64_t min;		/* leave out shorter calls: ns; instructions without timestamps. 0: none */
	uint32_t depth;		/* leave out calls at this depth and below; 0: none */
	bool demangle;		/* names of C++ functions as in the source */
	const char *who;	/* begins each message: "cstrace timeline" */
	/*
	 * of timeline_graph: only these functions with what they call, names or patterns with
	 * commas; NULL: all
	 */
	const char *functions;
	uint32_t graph_depth;	/* of it: levels that are shown; 0: all */
};

/* Text as the function_graph tracer of Linux prints it, for script --function-graph. */
extern const struct timeline_format timeline_graph;

#define TIMELINE_EMPTY	1	/* nothing was decoded; said on stderr, and no file was written */

/* Returns the format of this name, NULL if there is none; the names with commas between them. */
const struct timeline_format *timeline_format(const char *name);
const char *timeline_format_names(void);

/* False: the program was made without the library that writes databases (sqlite). */
bool timeline_database_available(void);
/* True for a format that is a database. */
bool timeline_is_database(const struct timeline_format *f);

/* Decodes and writes. Returns TIMELINE_x, or negative after a message on stderr. */
int timeline_write(struct session *ss, const struct timeline_opts *o);

#endif
