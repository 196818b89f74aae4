/* SPDX-License-Identifier: GPL-2.0-only */
/* perfetto.h - a timeline in Perfetto's own format. */
#ifndef CSTRACE_OUTPUTS_TIMELINE_PERFETTO_H
#define CSTRACE_OUTPUTS_TIMELINE_PERFETTO_H

#include "outputs/timeline/internal.h"

/* As write() of struct timeline_format. */
uint64_t timeline_perfetto(const struct timeline *t, struct pd_output *out);

#endif
