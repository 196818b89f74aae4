/* SPDX-License-Identifier: GPL-2.0-only */
/* guests.h - counts stretches of trace in virtual machines, whose code is not decoded. */
#ifndef CSTRACE_SESSION_LOSSES_GUESTS_H
#define CSTRACE_SESSION_LOSSES_GUESTS_H

#include <stdint.h>

/* machines counted separately: by VMID, with host_el2 by the host's thread */
#define NR_GUESTS 16

struct guest_count {
	uint32_t id;
	uint64_t stretches;
};

struct guests {
	struct guest_count v[NR_GUESTS];
	unsigned int nr;
	uint64_t rest;		/* stretches of further machines */
};

/* Adds `n` stretches of a machine. */
void guests_add(struct guests *gs, uint32_t id, uint64_t n);
/* Adds the counts of a later part, whose `rest` is 0. */
void guests_join(struct guests *gs, const struct guests *more);

#endif
