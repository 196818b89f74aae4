/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asid.h - owners of address space identifiers, for trace that identifies a context by its ASID only. An owner is
 * declared (by trace packages), or learned from a switch at the time when an ASID is first traced. A learned owner is
 * valid until something contradicts it, since identifiers are reused.
 */
#ifndef CSTRACE_MACHINE_TASKS_ASID_H
#define CSTRACE_MACHINE_TASKS_ASID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

struct asid_owner {
	uint64_t time;		/* begin of the ownership; 0: from the beginning */
	int pid;		/* -1: no owner until the next entry */
};

struct asid {
	struct asid_owner *v;	/* declared owners, sorted by time after asids_finish() */
	size_t nr, cap;
	int learned;		/* owner learned; -1: none */
};

struct asids {
	struct intmap map;	/* key: ASID, value: struct asid */
	uint64_t learned;	/* owners learned */
	uint64_t changed;	/* owners learned in place of another one */
};

/* Declares the owner of an ASID from `time` on (pid -1: none). */
void asids_declare(struct asids *as, uint32_t asid, uint64_t time, int pid);
/* Declares an owner that was the owner from the beginning unless there is an earlier declaration. */
void asids_declare_current(struct asids *as, uint32_t asid, uint64_t time, int pid);
/* Declares the end of an ownership, which lasted from the beginning unless there is an earlier declaration. */
void asids_declare_end(struct asids *as, uint32_t asid, uint64_t time, int pid);
/* Completes the declarations; must be called once, after the last one. */
void asids_finish(struct asids *as);
void asids_free(struct asids *as);
/* Drops all learned owners, for a new run of decoding. */
void asids_restart(struct asids *as);

/* True if an owner of the ASID was declared for any time. */
bool asids_any_declared(const struct asids *as, uint32_t asid);
/* Returns the declared owner at a time (UINT64_MAX: the last one), -1 if there is none. */
int asids_declared(const struct asids *as, uint32_t asid, uint64_t time);
int asids_learned(const struct asids *as, uint32_t asid);
/* Records a learned owner. */
void asids_learn(struct asids *as, uint32_t asid, int pid);

#endif
