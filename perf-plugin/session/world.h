/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * world.h - whose exception levels a context is about: those of the system that was recorded, a virtual
 * machine's, or the secure world's. Only of the first kind there are images; the others are counted.
 */
#ifndef CSTRACE_SESSION_WORLD_H
#define CSTRACE_SESSION_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include <cstrace/config.h>
#include <cstrace/flow.h>

enum world {
	WORLD_OWN,
	WORLD_GUEST,
	WORLD_SECURE,	/* a security state other than the system's own */
	WORLD_FIRMWARE,	/* EL3 */
};

/* What is its own of the recorded system; learned from contexts whose thread the file knows. */
struct own_world {
	bool security_known, security_proved;
	uint8_t security;
	bool vmid_known, vmid_proved;
	uint32_t vmid;
};

#define NR_VCPUS 64

/* Per stream: where EL0 was entered from. */
struct world_state {
	uint8_t world;		/* enum world of now */
	uint8_t el;
	bool known;
	bool guest_user;	/* the last EL0 was a guest's */
	bool left_guest_user;	/* EL2 was entered from there: EL0 after it may be either's */
	uint32_t thread;	/* of the host */
	uint32_t vcpus[NR_VCPUS]; /* threads that ran a guest, the latest ones */
	unsigned int nr_vcpus;
};

void world_restart(struct world_state *w);
/*
 * A context element. `thread_known`: its context ID is a thread of the file, of this very system then.
 * `host_el2`: the kernel runs at EL2 (its thread is in CONTEXTIDR_EL2), so that EL1 is a guest's.
 */
enum world world_of(struct own_world *own, struct world_state *w, const struct cst_generic *g, bool thread_known,
		    bool host_el2);

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

#endif
