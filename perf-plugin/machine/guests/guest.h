/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guest.h - a virtual machine whose code is decoded: its files, kernel, threads and maps, beside
 * those of the host. With its own perf.data they come from the records there, otherwise the guest
 * has a kernel only, from the files that are given. The guest's files are numbered with those of
 * the host (dso_table.host), and its address spaces belong to the same image.
 */
#ifndef CSTRACE_MACHINE_GUESTS_GUEST_H
#define CSTRACE_MACHINE_GUESTS_GUEST_H

#include "machine/guests/guest_opts.h"
#include "machine/sideband/side_events.h"
#include "machine/tasks/space.h"
#include "machine/tasks/threads.h"

struct guest {
	struct guest_opts o;
	unsigned int number;	/* from 1, in the order in which they are given */
	char *name;		/* for messages */
	char *kernel_name;	/* [guest.kernel.kallsyms.ID] */
	char *osrelease;	/* NULL: not known, or that of the guest's perf.data */
	struct perfdata *pd;	/* its own recording; NULL: none, and its threads are unknown */
	struct dso_table dsos;
	struct kernel_images kernel;
	struct side_events side;
	struct threads threads;
	struct spaces spaces;
	uint64_t bad_records;	/* of its recording, left out */
	int64_t offset;		/* guest's perf time minus the host's, in ns */
};

/* The guests of a session. */
struct guest_set {
	struct guest **v;
	size_t nr, cap;
};

/* What a guest shares with its host. */
struct guest_host {
	struct dso_table *dsos;
	struct spaces *spaces;
};

/*
 * Opens the files of all guests that are given; `like` (NULL: none) is an open set of the same
 * guests, whose recordings and clock offsets are used. Returns 0, or ERR_REPORTED after a message.
 */
int guests_open(struct guest_set *gs, const struct guests_given *given,
		const struct guest_host *host, const struct guest_set *like);
/* Frees the address spaces, before the image that they belong to. */
void guests_free_spaces(struct guest_set *gs);
/* Frees the rest, after the host's table of files. */
void guests_free(struct guest_set *gs);

/*
 * Returns the files of a guest by its VMID (`has_vmid`), or the host's process or thread that runs
 * it (-1: not known); NULL: none are given.
 */
struct guest *guests_find(const struct guest_set *gs, bool has_vmid, uint32_t vmid, int pid,
			  int tid);

/* True if files of the guest's kernel, or of its programs, are given. `g` may be NULL. */
bool guest_is_given(const struct guest *g, bool kernel);

/* Returns the moment in the guest's history at the host's time, as threads_limit() does. */
uint64_t guest_limit(const struct guest *g, uint64_t time);
/* Returns the host's time of the guest's last event before a moment; 0: none. */
uint64_t guest_time(const struct guest *g, uint64_t limit);
/* Converts a time of the guest's clock to the host's. */
uint64_t guest_to_host(const struct guest *g, uint64_t time);

/*
 * guest_kernel.c: adds the guest's kernel and modules as they are given, where no record has them.
 * Returns 0 or negative.
 */
int guest_add_kernel(struct guest *g);

#endif
