/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * world.h - whose exception levels a context is about: those of the system that was recorded, a virtual
 * machine's, or the secure world's. Only of the first kind there are images; the others are counted.
 */
#ifndef CSTRACE_TASKS_WORLD_H
#define CSTRACE_TASKS_WORLD_H

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

struct learn_log;

/* What is its own of the recorded system; learned from contexts whose thread the file knows. */
struct own_world {
	struct learn_log *log;	/* of questions and answers; NULL: none is kept */
	bool security_known, security_proved;
	uint8_t security;
	bool vmid_known, vmid_proved;
	uint32_t vmid;
};

#define NR_VCPUS 64

/* A thread of the host that runs a guest. */
struct vcpu {
	uint32_t thread;
	bool in_user;		/* the guest was left while its program ran ... */
	bool pc_known;
	uint64_t pc;		/* ... here */
};

/* Per stream: where EL0 was entered from. */
struct world_state {
	uint8_t world;		/* enum world of now */
	uint8_t el;
	bool known;
	bool guest_user;	/* the last EL0 was a guest's */
	uint32_t thread;	/* of the host */
	struct vcpu vcpus[NR_VCPUS]; /* the latest ones */
	unsigned int nr_vcpus;
};

/* Around a context element, as far as it is known. */
struct world_entry {
	bool thread_known;	/* its context ID is a thread of the file, of this very system then */
	bool host_el2;		/* the kernel runs at EL2, its threads are in CONTEXTIDR_EL2: EL1 is a guest's */
	bool from_known, to_known;
	uint64_t from;		/* return address of the exception right before */
	uint64_t to;		/* where execution goes on */
};

/* Is this the system's own security state, or VMID? `proof`: a thread of the file ran in it. */
bool own_world_security(struct own_world *own, uint8_t security, bool proof);
bool own_world_vmid(struct own_world *own, uint32_t vmid, bool proof);

void world_restart(struct world_state *w);
enum world world_of(struct own_world *own, struct world_state *w, const struct cst_generic *g,
		    const struct world_entry *e);

#endif
