/* SPDX-License-Identifier: GPL-2.0-only */
/* software.h - commands whose trace is of an ITM or STM alone, which no recording of perf has: there is no session. */
#ifndef CSTRACE_OUTPUTS_CMD_SOFTWARE_H
#define CSTRACE_OUTPUTS_CMD_SOFTWARE_H

#include <stdbool.h>

#include "outputs/verify/verify.h"

struct bare_opts;

/* True if all sources of --trace are of software: ITM, STM. */
bool software_only(const struct bare_opts *bare);
/* Prints what `info` can say of it. Returns the exit code. */
int software_info(const struct bare_opts *bare);
/* As verify_run(). */
int software_verify(const struct bare_opts *bare, bool strict, const struct verify_opts *opts, struct verify_result *result,
		    bool *incomplete);

#endif
