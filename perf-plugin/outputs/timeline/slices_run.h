/* SPDX-License-Identifier: GPL-2.0-only */
/* slices_run.h - decodes a recording for its calls in time alone. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_SLICES_RUN_H
#define CSTRACE_OUTPUTS_TIMELINE_SLICES_RUN_H

#include "counting/calls/slices.h"

struct session;

/*
 * Returns the calls, with slices as `o` has it, for calls_slices() and calls_free(). *rc: 0, or
 * negative after a message.
 */
struct calls *slices_run(struct session *ss, const struct calls_code *code,
			 const struct calls_slice_opts *o, int *rc);

#endif
