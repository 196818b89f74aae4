/* SPDX-License-Identifier: GPL-2.0-only */
/* watch.h - profile --watch=DIR: counts each file that is finished in a folder. */
#ifndef CSTRACE_OUTPUTS_CMD_WATCH_H
#define CSTRACE_OUTPUTS_CMD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
	const char *dir;	/* NULL: not given */
	bool remove;		/* files that are counted */
	uint64_t interval;	/* seconds between two sums */
	const char *output;	/* the sum; the state is in `output`.watch */
	uint32_t max_loss;	/* in millionths */
	/*
	 * Counts a recording into a count file, in a process of its own. Returns the exit code of the
	 * command.
	 */
	int (*count)(void *data, const char *input, const char *output);
	void *data;
};

#define CMD_WATCH_OPTS(w)									\
	{ 0, "watch", CMD_OPT_FOLDER, &(w).dir, "DIR",						\
	  "with --format=cstrace: count each file that is finished in DIR, until a signal", NULL }, \
	{ 0, "delete", CMD_OPT_FLAG, &(w).remove, NULL,						\
	  "with --watch: delete what is counted", NULL },					\
	{ 0, "interval", CMD_OPT_NUMBER, &(w).interval, "SECONDS",				\
	  "with --watch: write the sum so often (default: 60); with -i -: write it so often", NULL }

/* Runs until SIGINT, SIGTERM or SIGHUP, or until the folder is gone. Returns the exit code. */
int watch_run(const struct watch *w);

#endif
