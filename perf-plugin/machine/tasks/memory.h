/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memory.h - what a map event leaves of the code that was there: generated code, and text that
 * moved to other memory.
 */
#ifndef CSTRACE_MACHINE_TASKS_MEMORY_H
#define CSTRACE_MACHINE_TASKS_MEMORY_H

#include <stdint.h>

struct process;
struct side_event;
struct threads;

/* Applies a SIDE_MAP or SIDE_UNMAP of a process. */
void memory_event(struct threads *ts, struct process *p, const struct side_event *e,
		  uint64_t order);

#endif
