/* SPDX-License-Identifier: GPL-2.0-only */
/* places.h - places and functions of a session's code, for calls.h. */
#ifndef CSTRACE_COUNTING_CALLS_PLACES_H
#define CSTRACE_COUNTING_CALLS_PLACES_H

#include "counting/calls/calls.h"

struct session;

/*
 * What calls_new() takes. Binaries have the numbers of their files (dso.number), which are the same
 * in a replica.
 */
struct calls_code calls_places_code(struct session *ss);

#endif
