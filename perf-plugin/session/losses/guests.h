/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guests.h - counts stretches of trace in virtual machines, and those whose code is in no file that
 * is given.
 */
#ifndef CSTRACE_SESSION_LOSSES_GUESTS_H
#define CSTRACE_SESSION_LOSSES_GUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* machines counted separately: by VMID, with host_el2 by the host's process */
#define NR_GUESTS 16

struct guest_count {
	uint32_t id;
	unsigned int number;	/* of the guest whose files are given (struct guest); 0: none */
	uint64_t stretches;
	uint64_t bare_kernel, bare_user;	/* stretches of which no files are given */
};

struct guests {
	struct guest_count v[NR_GUESTS];
	unsigned int nr;
	uint64_t rest;		/* stretches of further machines */
};

/* Adds the counts of a machine. */
void guests_add(struct guests *gs, const struct guest_count *more);
/* Adds the counts of a later part, whose `rest` is 0. */
void guests_join(struct guests *gs, const struct guests *more);

#endif
