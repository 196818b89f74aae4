/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * level.c - the level of a client: which interface it was built with (enum client in internal.h).
 * Nothing in the interface states it, so that it is taken from signs. levels.md lists what the
 * level decides.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* The levels of the process, as enum client: 0 is none. */
#define UNREAD 3u
static _Atomic unsigned int forced = UNREAD;	/* by the environment, when a tree was made last */
static _Atomic unsigned int last;	/* by the last sign in any tree */

static unsigned int from_environment(void)
{
	const char *level = getenv("CSTRACE_OCSD");

	if (!level)
		return CLIENT_UNKNOWN;
	return !strcmp(level, "1.3") ? CLIENT_1_3 :
	       !strcmp(level, "1.8") ? CLIENT_1_8 :
				       CLIENT_UNKNOWN;
}

/*
 * Of clients that were compiled with our headers; the address of a weak symbol is NULL where
 * nothing defines it.
 */
extern uint32_t cstrace_ocsd_client __attribute__((weak));

static bool compiled_for_1_8(void)
{
	return &cstrace_ocsd_client && cstrace_ocsd_client >= 0x10800;
}

static unsigned int known(void)
{
	unsigned int f = atomic_load_explicit(&forced, memory_order_relaxed);

	if (f == UNREAD) {
		f = from_environment();
		atomic_store_explicit(&forced, f, memory_order_relaxed);
	}
	if (f)
		return f;
	return compiled_for_1_8() ? (unsigned int)CLIENT_1_8 :
				    atomic_load_explicit(&last, memory_order_relaxed);
}

enum client level_known(void)
{
	return (enum client)known();
}

enum client level_of_process(void)
{
	unsigned int level = known();

	return level ? (enum client)level : CLIENT_1_8;
}

void level_begin(struct ocsd_tree *t)
{
	atomic_store_explicit(&forced, from_environment(), memory_order_relaxed);
	t->level.fixed = atomic_load_explicit(&forced, memory_order_relaxed) != CLIENT_UNKNOWN;
	t->level.proven = compiled_for_1_8();
	t->client = level_of_process();
}

unsigned int level_space(enum client client, unsigned int space)
{
	if (client == CLIENT_1_8)
		return space;
	return (space & SPACES_1_3) | (space & CST_MEM_EL1R ? CST_MEM_EL1N : 0) |
	       (space & CST_MEM_EL2R ? CST_MEM_EL2N : 0) | (space & CST_MEM_ROOT ? CST_MEM_EL3 : 0);
}

void level_sign(struct ocsd_tree *t, enum client client)
{
	unsigned int i;

	if (t->level.fixed || (t->level.proven && client != CLIENT_1_8))
		return;
	t->level.proven |= client == CLIENT_1_8;
	t->client = client;
	atomic_store_explicit(&last, client, memory_order_relaxed);
	for (i = 0; i < t->nr_all; i++)
		t->all[i]->space = level_space(client, t->all[i]->space);
}

void level_sign_space(struct ocsd_tree *t, unsigned int space)
{
	if (space & ~SPACES_1_3)
		level_sign(t, CLIENT_1_8);
	else if (space == SPACES_1_3)
		level_sign(t, CLIENT_1_3);
}
