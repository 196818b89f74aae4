/* SPDX-License-Identifier: GPL-2.0-only */
/* piped.h - profile -i -: counts a recording while it comes through a pipe. */
#ifndef CSTRACE_OUTPUTS_CMD_PIPED_H
#define CSTRACE_OUTPUTS_CMD_PIPED_H

#include <stdbool.h>
#include <stdint.h>

#include "session/session.h"

struct perfdata;

/* Default of --spool. */
#define PIPED_SPOOL ((uint64_t)1 << 30)

struct piped_sum {
	bool last;	/* the recording has ended */
	bool empty;	/* nothing of any binary was counted */
};

struct piped {
	const struct session_opts *so;
	bool calls;	/* count calls in their contexts */
	uint32_t depth;
	uint64_t spool;	/* bytes of temporary files */
	uint64_t interval;	/* seconds between two sums; 0: one at the end */
	/*
	 * Writes the output of the sum of all counts so far, the count file `path`. Returns the
	 * exit code.
	 */
	int (*write)(void *data, const char *path, const struct piped_sum *sum);
	void *data;
};

#define CMD_SPOOL_OPT(p)									\
	{ 0, "spool", CMD_OPT_NUMBER, &(p).spool, "SIZE",					\
	  "with -i -: room for trace that is not counted yet (default: 1g)", NULL }

/*
 * Counts the recording in standard input, and returns the exit code. Returns CMD_GO_ON with *whole
 * if the recording has ended and was not cut: it is to be counted as a file.
 */
int piped_run(const struct piped *p, struct perfdata **whole);

#endif
