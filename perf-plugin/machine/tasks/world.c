/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * world.c - distinguishes the recorded system from guests, firmware and Secure state by exception level, VMID and
 * security state.
 */
#include <cstrace/types.h>

#include "machine/tasks/learned.h"
#include "machine/tasks/world.h"

/*
 * The security state of Linux: Non-secure where there are two. Until it is proved, the state of the first context is
 * assumed, since a system without Secure state may run in it.
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

/* VMID 0 is a host's. A recording inside a virtual machine has the machine's VMID throughout. */
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
 * True if EL0, entered from EL2 in a thread that runs a guest, is the guest's program: it was interrupted before, and
 * continues at the same address or at the next instruction, which the host has emulated.
 */
static bool guest_goes_on(const struct vcpu *v, const struct world_entry *e)
{
	if (!v || !v->in_user)
		return false;
	return !v->pc_known || !e->to_known || e->to == v->pc || e->to == v->pc + 4;
}

/* With the host's kernel at EL2: EL1 is a guest's kernel, EL0 entered from it a guest's program. */
static bool guest_below_el2(struct world_state *w, const struct cst_generic *g, const struct world_entry *e)
{
	bool other = w->known && g->vmid != w->thread;
	struct vcpu *v;

	/* the guest's program was left without a trace of EL2, so its address is unknown */
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
	/* only at a change: a repeated context is not an entry to EL0 */
	if (w->known && (w->el != 0 || other))
		w->guest_user = (w->el == 1 && !other) || guest_goes_on(find_vcpu(w, g->vmid), e);
	return w->guest_user;
}

enum world world_of(struct own_world *own, struct world_state *w, const struct cst_generic *g,
		    const struct world_entry *e)
{
	enum world world = WORLD_OWN;

	if (e->one_world)
		world = WORLD_OWN;
	else if (g->el == 3)
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
