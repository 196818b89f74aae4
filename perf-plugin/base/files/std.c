/* SPDX-License-Identifier: GPL-2.0-only */
/* std.c - standard descriptors: opened where the caller closed them, and flushed with a check at the end. */
#include "base/files/std.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <unistd.h>

int std_open(void)
{
	int fd, got;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* the direction that nobody uses; the lowest free number is this one */
		got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		if (got < 0 && fd != STDIN_FILENO)
			got = open("/", O_RDONLY | O_DIRECTORY);	/* a chroot without /dev */
		if (got < 0)
			return -1;
	}
	return 0;
}

static bool used;

void std_use_output(void)
{
	used = true;
}

int std_close_output(void)
{
	int failed_before = ferror(stdout);

	/* nothing was written: the outputs of this run are files, whatever happens to standard output */
	if (!used && !__fbufsize(stdout))
		return 0;
	if (fflush(stdout))
		return errno;
	/* stdio does not keep errno: another write, after output that is incomplete anyway, sets it again */
	if (failed_before)
		return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : -1;
	/* some file systems report a full disk only now; what was closed from the start has nothing to report */
	if (fclose(stdout) && errno != EBADF)
		return errno;
	return 0;
}
