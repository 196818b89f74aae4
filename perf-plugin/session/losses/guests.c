/* SPDX-License-Identifier: GPL-2.0-only */
/* guests.c - counts stretches of trace per virtual machine. */
#include "session/losses/guests.h"

void guests_add(struct guests *gs, uint32_t id, uint64_t n)
{
	unsigned int i;

	for (i = 0; i < gs->nr && gs->v[i].id != id; i++)
		;
	if (i == NR_GUESTS) {
		gs->rest += n;
		return;
	}
	if (i == gs->nr) {
		gs->v[i].id = id;
		gs->v[i].stretches = 0;
		gs->nr++;
	}
	gs->v[i].stretches += n;
}

void guests_join(struct guests *gs, const struct guests *more)
{
	unsigned int i;

	for (i = 0; i < more->nr; i++)
		guests_add(gs, more->v[i].id, more->v[i].stretches);
}
