/* SPDX-License-Identifier: GPL-2.0-only */
/* put.h - text on standard error by async-signal-safe functions only (signal-safety(7)), for the end of the process. */
#ifndef CSTRACE_BASE_PUT_H
#define CSTRACE_BASE_PUT_H

#include <stdint.h>

void put_text(const char *s);
void put_number(uint64_t v);	/* decimal */

#endif
