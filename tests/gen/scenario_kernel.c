/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_kernel.c - the kernel is traced, and changes. */
#include "scenario.h"

const struct scenario_row scenario_kernel[] = {
	{ NULL, NULL, NULL, NULL },
};
