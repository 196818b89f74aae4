/* SPDX-License-Identifier: GPL-2.0-only */
/* info.h - what a recording holds, how it was made, and what was lost of it: on stdout, in words or as JSON. */
#ifndef CSTRACE_OUTPUTS_INFO_INFO_H
#define CSTRACE_OUTPUTS_INFO_INFO_H

#include <stdbool.h>
#include <stdio.h>

struct session;

/* `decoded`: also what decoding shows. `all`: long lists are not cut. 0, or negative: decoding failed, as was reported. */
int info_text(struct session *ss, bool decoded, bool all);
/* The begin of that text: what was recorded, how, of which processes. `all` as for info_text(). */
void info_print_recording(struct session *ss, bool all, FILE *out);
/* The end of that text, after decoding: missing code, losses with their remedies, the commands that come next. */
void info_print_result(const struct session *ss, bool all, FILE *out);
/* What a file of branch lists holds, in words or as JSON. 0, or negative after a message. */
int info_branch_lists(const char *path, bool json);
/* For programs: what was decoded and what was lost. 0, or negative: decoding failed, and nothing was written. */
int info_json(struct session *ss);

#endif
