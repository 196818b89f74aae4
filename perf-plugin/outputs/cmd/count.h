/* SPDX-License-Identifier: GPL-2.0-only */
/* count.h - profile --format=cstrace: count files as output. */
#ifndef CSTRACE_OUTPUTS_CMD_COUNT_H
#define CSTRACE_OUTPUTS_CMD_COUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct session;
struct summary;

/* Counts a recording into a count file. `calls`: with calls in their contexts, down to `depth` (0: default). Returns the exit code. */
int count_recording(struct session *ss, const char *output, bool calls, uint32_t depth);

/* How a piece of a recording is counted. */
struct count_piece {
	bool calls;
	uint32_t depth;
	bool first;	/* it stands for the recording in the total of recordings */
};

/*
 * Counts a piece into a count file, the open file `fd`. `report` gets messages. Returns 0 or
 * CMD_ERROR.
 */
int count_piece_of(struct session *ss, const struct count_piece *how, int fd, FILE *report);
/*
 * Writes the count file of a piece of which nothing was counted, with `bytes` of trace. Returns 0
 * or CMD_ERROR.
 */
int count_lost_piece(int fd, uint64_t bytes, bool first);
/* Prints a line to stderr if the order of some stretches of threads is not known (struct calls_totals). */
void count_print_order(const char *command, uint64_t estimated, uint64_t unordered, uint64_t unjoined);
/*
 * Writes a count file again. `name`: what messages call it; `max_loss`: the share of losses that is
 * accepted. Returns the exit code.
 */
int count_again(const char *input, const char *name, const char *output, uint32_t max_loss,
		struct summary *sum);
/*
 * Reports executions of ranges that are not counted (collect_sums.undecoded), if there are any.
 * Returns whether there are.
 */
bool count_undecoded(const char *command, const char *name, uint64_t n);

#endif
