/* SPDX-License-Identifier: GPL-2.0-only */
/* comms.h - names of threads over time, from COMM and FORK records. */
#ifndef CSTRACE_MACHINE_TASKS_COMMS_H
#define CSTRACE_MACHINE_TASKS_COMMS_H

#include "perfdata/reader.h"

struct comms;

/* Reads all records and resets the position to the start. */
struct comms *comms_new(struct perfdata *pd);
/*
 * Adds the names in the recording of guest `vm`, from 1 on, whose times are `ahead` ns ahead of the
 * host's.
 */
void comms_add_guest(struct comms *c, struct perfdata *pd, uint16_t vm, int64_t ahead);
/* Returns an object for another thread with the same names; it must be freed before `c`. */
struct comms *comms_share(const struct comms *c);
void comms_free(struct comms *c);
/* Returns the name of a thread of the host at a time; ":TID" if it has none, as perf prints it. */
const char *comms_at(struct comms *c, int tid, uint64_t time);
/*
 * The same for a thread of guest `vm` (0: the host); sets the span [*from, *until) in which it has
 * this name.
 */
const char *comms_span(struct comms *c, uint16_t vm, int tid, uint64_t time, uint64_t *from,
		       uint64_t *until);

#endif
