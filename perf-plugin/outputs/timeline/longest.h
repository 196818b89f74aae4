/* SPDX-License-Identifier: GPL-2.0-only */
/* longest.h - the calls of a recording that took longest, in time. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_LONGEST_H
#define CSTRACE_OUTPUTS_TIMELINE_LONGEST_H

#include "counting/calls/slices.h"

struct dso;
struct session;

struct long_call {
	struct calls_slice is;
	char *function;
	const struct dso *dso;	/* of is.entry; NULL: none */
};

struct long_calls {
	struct long_call *v;	/* by thread, begin and depth: callers before their callees */
	size_t n, cap;
	uint64_t left_out;	/* shorter ones */
	uint64_t untimed;	/* those without times */
};

/* Decodes the recording. Returns 0, or negative after a message. */
int long_calls_find(struct session *ss, size_t max, bool demangle, struct long_calls *v);
void long_calls_free(struct long_calls *v);

#endif
