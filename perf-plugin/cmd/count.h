/* SPDX-License-Identifier: GPL-2.0-only */
/* count.h - profile --format=cstrace: count files as output. The functions return the exit code of the command. */
#ifndef CSTRACE_CMD_COUNT_H
#define CSTRACE_CMD_COUNT_H

struct session;

/* Counts a recording into a count file. */
int count_recording(struct session *ss, const char *output);
/* Writes a count file again. */
int count_again(const char *input, const char *output);

#endif
