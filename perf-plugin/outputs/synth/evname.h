/* SPDX-License-Identifier: GPL-2.0-only */
/* evname.h - names of the synthesised events, with the modifiers that perf prints. */
#ifndef CSTRACE_OUTPUTS_SYNTH_EVNAME_H
#define CSTRACE_OUTPUTS_SYNTH_EVNAME_H

#include <stddef.h>

#include "perfdata/reader.h"

#define EVNAME_MAX	32u

/* Returns the attribute of the event of PMU `type`, NULL if the file has none. */
const struct perf_event_attr *evname_find(const struct perfdata *pd, uint32_t type);
/* Makes "branches:u" from "branches" and so on; `like` may be NULL. */
void evname_make(char *name, size_t len, const char *base, const struct perf_event_attr *like);

#endif
