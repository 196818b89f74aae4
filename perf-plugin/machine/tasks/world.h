/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * world.h - the software to which a context belongs: the recorded system, a virtual machine, firmware or Secure state.
 * Only the recorded system has images, and guests of which files are given (machine/guests);
 * stretches of the others are counted.
 */
#ifndef CSTRACE_MACHINE_TASKS_WORLD_H
#define CSTRACE_MACHINE_TASKS_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include <cstrace/config.h>
#include <cstrace/flow.h>

enum world {
	WORLD_OWN,
	WORLD_GUEST,
	WORLD_SECURE,	/* a security state other than that of the recorded system */
	WORLD_FIRMWARE,	/* EL3 */
};

struct learn_log;

/* Security state and VMID of the recorded system, learned from contexts with threads that the file has. */
struct own_world {
	struct learn_log *log;	/* log of queries and answers (learned.h); NULL: none */
	bool security_known, security_proved;
	uint8_t security;
	bool vmid_known, vmid_proved;
	uint32_t vmid;
};

#define NR_VCPUS 64

/* A host thread that runs a guest. */
struct vcpu {
	uint32_t thread;
	bool in_user;		/* the guest was left while its program ran ... */
	bool pc_known;
	uint64_t pc;		/* ... at this address */
};

/* State per stream: where EL0 was entered from. */
struct world_state {
	uint8_t world;		/* enum world of the last context */
	uint8_t el;
	bool known;
	bool guest_user;	/* the last EL0 was a guest's program */
	uint32_t thread;	/* host thread */
	struct vcpu vcpus[NR_VCPUS]; /* the most recent ones */
	unsigned int nr_vcpus;
};

/* Facts about a context element that are known. */
struct world_entry {
	bool thread_known;	/* its context ID is a thread of the file, so it is the recorded system */
	bool host_el2;		/* the kernel runs at EL2 with its threads in CONTEXTIDR_EL2, so EL1 is a guest */
	bool one_world;		/* M profile: handler and thread mode of both security states run one program */
	bool from_known, to_known;
	uint64_t from;		/* return address of the exception directly before */
	uint64_t to;		/* next address */
};

/* True if this is the recorded system's own security state, or VMID. `proof`: a thread of the file ran in it. */
bool own_world_security(struct own_world *own, uint8_t security, bool proof);
bool own_world_vmid(struct own_world *own, uint32_t vmid, bool proof);

enum world world_of(struct own_world *own, struct world_state *w, const struct cst_generic *g,
		    const struct world_entry *e);

#endif
