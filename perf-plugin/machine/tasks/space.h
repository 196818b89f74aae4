/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * space.h - address spaces for the decoder: the maps of a process in one epoch as a cst_space. A space is built when a
 * stream first needs it, kept while it has users, and updated in place when it has none.
 */
#ifndef CSTRACE_MACHINE_TASKS_SPACE_H
#define CSTRACE_MACHINE_TASKS_SPACE_H

#include <cstrace/image.h>

#include "machine/images/dso_table.h"
#include "machine/tasks/threads.h"

struct version {
	struct process *process;
	uint32_t epoch;
	uint64_t applied;	/* number of events applied */
	uint64_t seen;		/* process.nr_maps at the last update */
	unsigned int users;
	uint64_t serial;	/* changes with the maps; unique among the spaces of a session */
	struct maplist *maps;
	struct cst_space *space;
	struct version *next;	/* next version of the process; most recently used first */
};

struct spaces {
	struct cst_image *image;
	struct cst_counts *counts;	/* counts of the code, or NULL */
	struct kernel_images *kernel;
	struct process *kernel_process;
	uint64_t *last_serial;	/* of all spaces in the image */
	uint64_t own_serial;	/* of the host: that number */
	uint64_t bad_maps;	/* maps whose file offset is not congruent to the address */
};

void spaces_init(struct spaces *sp, size_t cache_limit);
/*
 * Those of a guest: they belong to the image of the host, and are freed with spaces_release()
 * before that.
 */
void spaces_init_guest(struct spaces *sp, struct spaces *host);
void spaces_free(struct spaces *sp, struct threads *ts);
/* Frees the address spaces of all processes. */
void spaces_release(struct threads *ts);

/*
 * Returns the address space of a process at a moment, with a reference for the caller. `have` (may be NULL) is the
 * caller's current version, whose reference is released or passed on.
 */
struct version *version_get(struct spaces *sp, struct process *p, uint64_t limit, struct version *have);
/* Adds a reference; `v` may be NULL. version_put() releases one. */
void version_hold(struct version *v);
void version_put(struct version *v);
/* Frees all versions of a process that have no user. False: some have. */
bool versions_release(struct process *p);

/* Loads the bytes of a lazy section for the decoder. */
int space_load_section(struct spaces *sp, struct cst_section *sec);

/* Reads code bytes; loads sections as needed. Returns the number of bytes. */
size_t space_read(struct spaces *sp, struct version *v, uint64_t addr, void *buf, size_t len);

#endif
