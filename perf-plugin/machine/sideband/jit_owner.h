/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * jit_owner.h - whose code a jitdump file holds. A file states a process number, which is another
 * one than in the recording if its process ran in a PID namespace. Evidence is where processes had
 * memory for generated code, and when they lived.
 */
#ifndef CSTRACE_MACHINE_SIDEBAND_JIT_OWNER_H
#define CSTRACE_MACHINE_SIDEBAND_JIT_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

struct jitdump;
struct pd_record;
struct side_event;

/* Executable memory for generated code, from its first map on. */
struct jit_memory {
	uint64_t start, end;
	uint64_t time, seq;
};

struct jit_process {
	int pid;
	size_t index;		/* in jit_processes.v */
	struct jit_memory *v;
	size_t nr, cap;
	struct maplist *known;	/* all of v */
	/* times of its first record and of its exit; 0 and UINT64_MAX: unknown */
	uint64_t begin, end;
	/* in the first PID namespace, in which all have the numbers of the host */
	bool of_host;
};

struct jit_processes {
	struct jit_process **v;	/* without those that ended and had no memory */
	size_t nr, cap;
	struct intmap by_pid;
};

void jit_processes_free(struct jit_processes *ps);
/* Takes an event of the first pass over the records. */
void jit_processes_event(struct jit_processes *ps, const struct side_event *e);
/* Takes a record of the first pass; others than NAMESPACES are ignored. */
void jit_processes_record(struct jit_processes *ps, const struct pd_record *rec);
const struct jit_process *jit_process(const struct jit_processes *ps, int pid);

/*
 * Returns the memory of the process that was there first of all in which the file has code, NULL if
 * there is none.
 */
const struct jit_memory *jit_memory_first(const struct jit_process *p, const struct jitdump *jd);
/* Returns the number of the file's loads and moves to memory of the process. */
size_t jit_fits(const struct jit_process *p, const struct jitdump *jd);

struct jit_owner {
	const struct jit_process *process;	/* NULL: none may be */
	/* another one that it may be as well; NULL: no other */
	const struct jit_process *other;
};

/*
 * Finds the process of a file that no record mentions: that of its number, if this has memory for
 * its code, or the only one that has. `convert` gives the time of an event of the file on the time
 * line of the recording; NULL: its times say nothing.
 */
struct jit_owner jit_owner(const struct jit_processes *ps, const struct jitdump *jd,
			   uint64_t (*convert)(void *data, uint64_t ticks), void *data);

#endif
