/* SPDX-License-Identifier: GPL-2.0-only */
/* guest_opts.h - what the user gives of virtual machines whose code is to be decoded. */
#ifndef CSTRACE_MACHINE_GUESTS_GUEST_OPTS_H
#define CSTRACE_MACHINE_GUESTS_GUEST_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arguments of --guest that one command may have. */
#define GUESTS_GIVEN 16u

/* Arguments of the options; NULL: not given. */
struct guests_given {
	const char *guest[GUESTS_GIVEN];	/* ID:KEY=VALUE,...; checked by guest_check() */
	unsigned int nr;
	const char *mount;	/* directory with a file system for each guest: struct guest_set */
	/* of the guests that are not named otherwise */
	const char *vmlinux, *kallsyms, *modules;
};

/* The keys whose values are files or directories. */
enum guest_file {
	GUEST_VMLINUX,		/* kernel image with code */
	GUEST_KALLSYMS,		/* copy of /proc/kallsyms */
	GUEST_MODULES,		/* copy of /proc/modules */
	GUEST_SYMFS,		/* its file system */
	GUEST_DATA,		/* perf.data of the guest's own perf */
	NR_GUEST_FILES,
};

/* One guest, as given. */
struct guest_opts {
	bool any;		/* every guest that is not named otherwise */
	/*
	 * VMID; where the trace has the host's threads in place of it, the process or thread that
	 * runs the guest
	 */
	uint32_t id;
	char *file[NR_GUEST_FILES];	/* NULL: not given */
	int pid;		/* the host's process that runs it; -1: not given */
	bool has_offset;
	int64_t offset;		/* guest's perf time minus the host's, in ns */
};

/*
 * Parses ID:KEY=VALUE,... into `o`, whose strings are new. Returns false with a message that has
 * the text found and the form expected.
 */
bool guest_parse(struct guest_opts *o, const char *text, char *msg, size_t len);
/* As guest_parse(), for the check at the command line. */
bool guest_check(const char *text, char *msg, size_t len);
void guest_opts_free(struct guest_opts *o);

#endif
