/* SPDX-License-Identifier: GPL-2.0-only */
/* contextid.c - the option that says what context IDs hold. */
#include <stdio.h>

#include "machine/tasks/contextid.h"
#include "outputs/cmd/options.h"

int cmd_contextid(void *data, const char *arg)
{
	if (contextid_parse(arg, data))
		return 0;
	fprintf(stderr, "cstrace: --contextid: found '%s', expected auto, tid, tid-asid, asid or none\n", arg);
	return -1;
}
