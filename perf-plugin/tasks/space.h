/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * space.h - address spaces for the decoder: the maps of a process in one epoch as a cst_space. Made when
 * a stream first needs one, kept while somebody uses it, and moved on in place when nobody does.
 */
#ifndef CSTRACE_TASKS_SPACE_H
#define CSTRACE_TASKS_SPACE_H

#include <cstrace/image.h>

#include "images/dso.h"
#include "tasks/threads.h"

struct version {
	struct process *process;
	uint32_t epoch;
	uint64_t applied;	/* events before this one are in it */
	uint64_t seen;		/* process.nr_maps when it was last brought up to date */
	unsigned int users;
	uint64_t serial;	/* changes with the maps; no two spaces of a session have the same */
	struct maplist *maps;
	struct cst_space *space;
	struct version *next;	/* of the same process; most recently used first */
};

struct spaces {
	struct cst_image *image;
	struct cst_counts *counts;	/* of its code, or NULL */
	struct dso_table *dsos;
	struct kernel_images *kernel;
	struct process *kernel_process;
	uint64_t last_serial;
	uint64_t bad_maps;	/* maps whose file offset does not fit the address */
};

int spaces_init(struct spaces *sp, struct dso_table *dsos, size_t cache_limit);
void spaces_free(struct spaces *sp, struct threads *ts);

/*
 * The address space of a process at a moment, with a reference for the caller. `have` (may be NULL) is
 * what the caller uses now; its reference is given up or passed on. NULL: no memory.
 */
struct version *version_get(struct spaces *sp, struct process *p, uint64_t limit, struct version *have);
void version_put(struct version *v);
/* Free all of a process that nobody uses. False: some are in use. */
bool versions_release(struct process *p);

/* The decoder needs the bytes of a lazy section. */
int space_load_section(struct spaces *sp, struct cst_section *sec);

/* Code bytes; loads sections as needed. */
size_t space_read(struct spaces *sp, struct version *v, uint64_t addr, void *buf, size_t len);

#endif
