/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard.h - what signals do to the program. An end by SIGINT, SIGTERM and the like removes temporary outputs
 * first, and so does the end at a refused allocation (base/alloc.h). A SIGBUS in a mapped file
 * (mapped.h) becomes a message that names the file, and exit code 1; a SIGSEGV of a library that
 * was refused memory becomes the message of alloc.h, and exit code 1.
 *
 * The table of temporary names belongs to the process. Its functions work without guard_install(), too: a
 * program that only links these files keeps its own signal handlers.
 */
#ifndef CSTRACE_BASE_FILES_GUARD_H
#define CSTRACE_BASE_FILES_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* Only main() calls this. Signals that the caller of the program ignores (nohup) stay ignored. */
void guard_install(void);

/*
 * Creates the file and records its name, with the signals blocked between the two; `path` must be free.
 * The descriptor, or -1 with errno.
 */
int guard_create(const char *path, mode_t mode);
/* The same for a folder: 0, or -1 with errno. */
int guard_mkdir(const char *path, mode_t mode);
/* Gives the file behind `fd`, which has no name, a recorded name: 0, or -1 with errno. */
int guard_link(int fd, const char *path);
/* Records a name that will be created inside a recorded folder. */
void guard_name(const char *path);

/* rename(2); `from` and the names below it are no longer temporary. */
int guard_rename(const char *from, const char *to);
/*
 * Gives two names each other's files at once; recorded names stay recorded. 0, or -1 with errno:
 * not all file systems can do it.
 */
int guard_exchange(const char *a, const char *b);
/* unlink(2), or rmdir(2) for a folder; the name is no longer recorded. */
void guard_remove(const char *path);
/* The same for a folder and all recorded names in it; it needs no descriptor. */
void guard_remove_below(const char *path);
/* In a new process: the recorded names are left to the process that it was made by. */
void guard_leave(void);

/*
 * A new file without a name in `dir`; NULL: in $TMPDIR, /var/tmp or /tmp, the first one where that is possible. -1 with
 * errno.
 */
int guard_temp(const char *dir);

/*
 * The calling thread enters (true) or leaves calls of a library that does not check all its allocations (libdw): a SIGSEGV
 * there at an address near 0 is taken for a refused allocation.
 */
void guard_unchecked(bool inside);

#endif
