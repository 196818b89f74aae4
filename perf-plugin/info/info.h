/* SPDX-License-Identifier: GPL-2.0-only */
/* info.h - what a recording holds, how it was made, and what was lost of it: on stdout, in words or as JSON. */
#ifndef CSTRACE_INFO_INFO_H
#define CSTRACE_INFO_INFO_H

#include <stdbool.h>

struct session;

/* `decoded`: also what decoding shows. `all`: long lists are not cut. 0, or negative: decoding failed, as was reported. */
int info_text(struct session *ss, bool decoded, bool all);
/* For programs: what was decoded and what was lost. 0, or negative: decoding failed, and nothing was written. */
int info_json(struct session *ss);

#endif
