/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * once.h - lines of messages that were printed before, as far as their words go: numbers may
 * differ.
 */
#ifndef CSTRACE_OUTPUTS_CMD_ONCE_H
#define CSTRACE_OUTPUTS_CMD_ONCE_H

#include <stdbool.h>

#include "base/intmap.h"

struct once {
	struct intmap lines;	/* digests of the lines without their digits, a set */
};

/* Whether a line was passed before. */
bool once_said(struct once *o, const char *line);
void once_free(struct once *o);

#endif
