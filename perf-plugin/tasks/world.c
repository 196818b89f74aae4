/* SPDX-License-Identifier: GPL-2.0-only */
/* world.c - tells the recorded system from guests, firmware and the secure world by EL, VMID and security state. */
#include <string.h>

#include <cstrace/types.h>

#include "tasks/learned.h"
#include "tasks/world.h"

void world_restart(struct world_state *w)
{
	memset(w, 0, sizeof(*w));
}

/*
 * Linux runs in the Non-secure state where there are two. That of the first context is taken until one is
 * proved: a system without a secure world may well run in it.
 */
bool own_world_security(struct own_world *own, uint8_t security, bool proof)
{
	struct learn_entry e = { .kind = LEARN_SECURITY, .value = security, .proof = proof };

	if (!own->security_known || (proof && !own->security_proved) ||
	    (!own->security_proved && security == CST_SEC_NONSECURE)) {
		own->security_known = true;
		own->security_proved = proof;
		own->security = security;
	}
	e.answer = security == own->security;
	learn_note(own->log, &e);
	return e.answer;
}

/* VMID 0 is a host's. A recording made inside a machine has that machine's VMID throughout. */
bool own_world_vmid(struct own_world *own, uint32_t vmid, bool proof)
{
	struct learn_entry e = { .kind = LEARN_VMID, .value = vmid, .proof = proof };

	if (!vmid)
		own->vmid_proved = own->vmid_known = true, own->vmid = 0;
	else if (!own->vmid_known || (proof && !own->vmid_proved))
		own->vmid_known = true, own->vmid_proved = proof, own->vmid = vmid;
	e.answer = vmid == own->vmid;
	learn_note(own->log, &e);
	return e.answer;
}

static struct vcpu *find_vcpu(struct world_state *w, uint32_t thread)
{
	unsigned int i;

	for (i = 0; i < w->nr_vcpus && i < NR_VCPUS; i++)
		if (w->vcpus[i].thread == thread)
			return &w->vcpus[i];
	return NULL;
}

static struct vcpu *get_vcpu(struct world_state *w, uint32_t thread)
{
	struct vcpu *v = find_vcpu(w, thread);

	if (!v) {
		v = &w->vcpus[w->nr_vcpus++ % NR_VCPUS];
		v->thread = thread;
	}
	return v;
}

/*
 * EL0 is entered from EL2, in a thread that runs a guest. It is the guest's program when that was left
 * before and goes on where it was, or behind an instruction that the host carried out for it.
 */
static bool guest_goes_on(const struct vcpu *v, const struct world_entry *e)
{
	if (!v || !v->in_user)
		return false;
	return !v->pc_known || !e->to_known || e->to == v->pc || e->to == v->pc + 4;
}

/* The host's kernel at EL2: EL1 is a guest's kernel, EL0 entered from there a guest's program. */
static bool guest_below_el2(struct world_state *w, const struct cst_generic *g, const struct world_entry *e)
{
	bool other = w->known && g->vmid != w->thread;
	struct vcpu *v;

	/* A guest's program that was left without EL2 being traced: where is not known. */
	if (other && w->el == 0 && w->guest_user && g->el != 2) {
		v = get_vcpu(w, w->thread);
		v->in_user = true;
		v->pc_known = false;
	}
	w->thread = g->vmid;
	switch (g->el) {
	case 1:
		get_vcpu(w, g->vmid)->in_user = false;
		return true;
	case 2:
		if (w->known && w->el == 0 && w->guest_user) {
			v = get_vcpu(w, g->vmid);
			v->in_user = true;
			v->pc_known = e->from_known;
			v->pc = e->from;
		}
		return false;
	}
	/* Not where it is only said again. */
	if (w->known && (w->el != 0 || other))
		w->guest_user = (w->el == 1 && !other) || guest_goes_on(find_vcpu(w, g->vmid), e);
	return w->guest_user;
}

enum world world_of(struct own_world *own, struct world_state *w, const struct cst_generic *g,
		    const struct world_entry *e)
{
	enum world world = WORLD_OWN;

	if (g->el == 3)
		world = WORLD_FIRMWARE;
	else if (!own_world_security(own, g->security, e->thread_known))
		world = WORLD_SECURE;
	else if (e->host_el2)
		world = guest_below_el2(w, g, e) ? WORLD_GUEST : WORLD_OWN;
	else if (g->flags & CST_GF_VMID && g->el < 2 && !own_world_vmid(own, g->vmid, e->thread_known))
		world = WORLD_GUEST;
	w->el = g->el;
	w->known = true;
	w->world = world;
	return world;
}
