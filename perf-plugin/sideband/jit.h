/* SPDX-License-Identifier: GPL-2.0-only */
/* jit.h - the jitdump files of a recording: which were written, where they are now, and their use. */
#ifndef CSTRACE_SIDEBAND_JIT_H
#define CSTRACE_SIDEBAND_JIT_H

#include <stddef.h>
#include <stdint.h>

struct side_events;

/* A process mapped its jitdump file: that is how compilers leave a note in the recording. */
struct jit_marker {
	char *path;
	int pid;
	uint64_t time, seq;
};

struct jit_files {
	struct jit_marker *v;
	size_t nr, cap;
	uint64_t bad_records;	/* of all files: damaged or cut */
	uint64_t missing;	/* files that were not found or not usable */
};

void jit_files_free(struct jit_files *jf);
/* A map of `path` was recorded; remembered when it is a jitdump file. 0, or ERR_NOMEM. */
int jit_note(struct jit_files *jf, const char *path, int pid, uint64_t time, uint64_t seq);
/* After the first pass: each file becomes a source of events. 0, or ERR_NOMEM. */
int jit_finish(struct side_events *se);

/* The next of the files in the list of --jitdump; false: no more. */
bool jit_next_given(const char **list, char *path, size_t size);

#endif
