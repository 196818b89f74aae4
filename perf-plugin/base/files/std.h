/* SPDX-License-Identifier: GPL-2.0-only */
/* std.h - standard input, output and error at the program's beginning and end. */
#ifndef CSTRACE_BASE_FILES_STD_H
#define CSTRACE_BASE_FILES_STD_H

/*
 * Opens descriptors 0 to 2 that the program was started without, so that no file that is opened later gets their
 * numbers: messages would be written into an output. They stay useless, as closed ones are: reading standard input
 * and writing standard output or error fails with EBADF. 0, or -1 with errno.
 */
int std_open(void);

/* Something other than stdio writes to standard output. */
void std_use_output(void);
/*
 * Writes what stdio holds for standard output and closes it. 0, or the errno of a write that failed in the
 * run (-1: an earlier one, for a reason that is gone by now).
 */
int std_close_output(void);

#endif
