/* SPDX-License-Identifier: GPL-2.0-only */
/* comms.h - names of threads over time, from COMM and FORK records. */
#ifndef CSTRACE_TASKS_COMMS_H
#define CSTRACE_TASKS_COMMS_H

#include "perfdata/reader.h"

struct comms;

/* Reads all records and puts the position back to the start. NULL when memory is short. */
struct comms *comms_new(struct perfdata *pd);
/* The same names for another thread; to be freed before `c`. NULL when memory is short. */
struct comms *comms_share(const struct comms *c);
void comms_free(struct comms *c);
/* The name of a thread at a time; ":TID" for one without a name, as perf prints it. */
const char *comms_at(struct comms *c, int tid, uint64_t time);
/* The same name, and that it is the thread's at all times in [*from, *until). */
const char *comms_span(struct comms *c, int tid, uint64_t time, uint64_t *from, uint64_t *until);

#endif
