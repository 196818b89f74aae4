/* SPDX-License-Identifier: GPL-2.0-only */
/* guests.c - counts stretches of trace per virtual machine. */
#include "session/losses/guests.h"

void guests_add(struct guests *gs, const struct guest_count *more)
{
	unsigned int i;

	for (i = 0; i < gs->nr && gs->v[i].id != more->id; i++)
		;
	if (i == NR_GUESTS) {
		gs->rest += more->stretches;
		return;
	}
	if (i == gs->nr)
		gs->v[gs->nr++] = (struct guest_count){ .id = more->id };
	gs->v[i].number = more->number;
	gs->v[i].stretches += more->stretches;
	gs->v[i].bare_kernel += more->bare_kernel;
	gs->v[i].bare_user += more->bare_user;
}

void guests_join(struct guests *gs, const struct guests *more)
{
	unsigned int i;

	for (i = 0; i < more->nr; i++)
		guests_add(gs, &more->v[i]);
}
