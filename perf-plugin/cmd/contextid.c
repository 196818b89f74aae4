/* SPDX-License-Identifier: GPL-2.0-only */
/* contextid.c - the option that says what context IDs hold. */
#include "cmd/options.h"
#include "session/contextid.h"

int cmd_contextid(void *data, const char *arg)
{
	return contextid_parse(arg, data) ? 0 : -1;
}
