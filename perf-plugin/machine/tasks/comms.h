/* SPDX-License-Identifier: GPL-2.0-only */
/* comms.h - names of threads over time, from COMM and FORK records. */
#ifndef CSTRACE_MACHINE_TASKS_COMMS_H
#define CSTRACE_MACHINE_TASKS_COMMS_H

#include "perfdata/reader.h"

struct comms;

/* Reads all records and resets the position to the start. */
struct comms *comms_new(struct perfdata *pd);
/* Returns an object for another thread with the same names; it must be freed before `c`. */
struct comms *comms_share(const struct comms *c);
void comms_free(struct comms *c);
/* Returns the name of a thread at a time; ":TID" if it has none, as perf prints it. */
const char *comms_at(struct comms *c, int tid, uint64_t time);
/* As comms_at(), and sets the span [*from, *until) in which the thread has this name. */
const char *comms_span(struct comms *c, int tid, uint64_t time, uint64_t *from, uint64_t *until);

#endif
