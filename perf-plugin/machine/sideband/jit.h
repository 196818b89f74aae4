/* SPDX-License-Identifier: GPL-2.0-only */
/* jit.h - the jitdump files of a recording: finds them and makes them sources of events. */
#ifndef CSTRACE_MACHINE_SIDEBAND_JIT_H
#define CSTRACE_MACHINE_SIDEBAND_JIT_H

#include <stddef.h>
#include <stdint.h>

struct side_events;

/* A map of a jitdump file, which compilers make so that the recording mentions the file. */
struct jit_marker {
	char *path;
	int pid;
	uint64_t time, seq;
};

struct jit_files {
	struct jit_marker *v;
	size_t nr, cap;
	uint64_t bad_records;	/* damaged or cut records of all files */
	uint64_t missing;	/* files that were not found or not usable */
};

void jit_files_free(struct jit_files *jf);
/* Notes a map of `path` if it is a jitdump file. */
void jit_note(struct jit_files *jf, const char *path, int pid, uint64_t time, uint64_t seq);
/* After the first pass: makes each file a source of events. Returns 0 or ERR_REPORTED. */
int jit_finish(struct side_events *se);

/*
 * Returns the next file in the list of --jitdump; *pid: the process given with it, or -1. False at
 * the end.
 */
bool jit_next_given(const char **list, char *path, size_t size, int *pid);

#endif
