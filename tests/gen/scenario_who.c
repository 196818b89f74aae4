/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_who.c - the trace tells little or nothing of who is running. */
#include "scenario.h"

const struct scenario_row scenario_who[] = {
	{ NULL, NULL, NULL, NULL },
};
