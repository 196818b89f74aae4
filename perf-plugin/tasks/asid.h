/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asid.h - which process an address space identifier belongs to, when that is all the trace tells about
 * the context. It is declared (trace packages do), or learned where a switch shows who runs when an ASID
 * comes up; what was learned holds until something contradicts it, since identifiers are reused.
 */
#ifndef CSTRACE_TASKS_ASID_H
#define CSTRACE_TASKS_ASID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intmap.h"

struct asid_owner {
	uint64_t time;		/* from then on; 0: from the beginning */
	int pid;		/* -1: nobody, until the next entry */
};

struct asid {
	struct asid_owner *v;	/* declared, in order of time after asids_finish() */
	size_t nr, cap;
	int learned;		/* -1: nobody */
};

struct asids {
	struct intmap map;	/* asid -> struct asid */
	struct asid **all;
	size_t nr, cap;
	uint64_t learned;	/* owners that were learned */
	uint64_t changed;	/* of these, in place of another one: reuse */
};

/* A declaration: from `time` on the process has it (pid -1: nobody has). 0, or ERR_NOMEM. */
int asids_declare(struct asids *as, uint32_t asid, uint64_t time, int pid);
/* One that holds since the beginning unless an earlier one says otherwise. */
int asids_declare_current(struct asids *as, uint32_t asid, uint64_t time, int pid);
/* It is given up: whoever does that had it, since the beginning unless something else was said. */
int asids_declare_end(struct asids *as, uint32_t asid, uint64_t time, int pid);
/* To be called once, after the last declaration. */
void asids_finish(struct asids *as);
void asids_free(struct asids *as);
/* What was learned is forgotten: decoding starts again. */
void asids_restart(struct asids *as);

/* Was it declared whose it is at some time? */
bool asids_any_declared(const struct asids *as, uint32_t asid);
/* The declared owner at a time (UINT64_MAX: the last one), -1: none. */
int asids_declared(const struct asids *as, uint32_t asid, uint64_t time);
int asids_learned(const struct asids *as, uint32_t asid);
/* 0, or ERR_NOMEM. */
int asids_learn(struct asids *as, uint32_t asid, int pid);

#endif
