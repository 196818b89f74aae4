/* SPDX-License-Identifier: GPL-2.0-only */
/* guest.c - the option that gives the files of a virtual machine. */
#include <stdio.h>

#include "machine/guests/guest_opts.h"
#include "outputs/cmd/options.h"

int cmd_guest(void *data, const char *arg)
{
	struct guests_given *given = data;
	char msg[512];

	if (!guest_check(arg, msg, sizeof(msg))) {
		fprintf(stderr, "cstrace: --guest: %s\n", msg);
		return -1;
	}
	if (given->nr == GUESTS_GIVEN) {
		fprintf(stderr, "cstrace: --guest: at most %u guests\n", GUESTS_GIVEN);
		return -1;
	}
	given->guest[given->nr++] = arg;
	return 0;
}
