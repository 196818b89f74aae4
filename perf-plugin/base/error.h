/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * error.h - what the functions of session/ return when they fail: -CST_ERR_x, as the library does, never
 * -errno. One channel, so that a cause keeps its name on the way to the user; no memory is -CST_ERR_NOMEM.
 * (perfdata/ has struct pd_error with a complete message instead.)
 */
#ifndef CSTRACE_BASE_ERROR_H
#define CSTRACE_BASE_ERROR_H

#include <cstrace/error.h>

/* Outside of enum cst_error: the cause is on stderr already. */
#define SESSION_TOLD	(-1000)

#endif
