/* SPDX-License-Identifier: GPL-2.0-only */
/* guests.h - virtual machines, whose code is not decoded, and how often each of them ran. */
#ifndef CSTRACE_LOSSES_GUESTS_H
#define CSTRACE_LOSSES_GUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* Stretches in virtual machines, by VMID; with host_el2 by the thread that runs the machine. */
#define NR_GUESTS 16

struct guest_count {
	uint32_t id;
	uint64_t stretches;
};

struct guests {
	struct guest_count v[NR_GUESTS];
	unsigned int nr;
	uint64_t rest;		/* stretches of further ones */
};

void guests_count(struct guests *gs, uint32_t id);
/* The counts of a later piece. False: it has had more guests than are told apart, and nothing was added. */
bool guests_join(struct guests *gs, const struct guests *more);

#endif
