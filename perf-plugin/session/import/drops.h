/* SPDX-License-Identifier: GPL-2.0-only */
/* drops.h - items that an output has no form for: reported on stderr where they are found, and counted. */
#ifndef CSTRACE_SESSION_IMPORT_DROPS_H
#define CSTRACE_SESSION_IMPORT_DROPS_H

#include <stdint.h>

struct drops {
	const char *name;	/* of the output, for messages */
	const char *who;	/* begins messages; NULL: "cstrace convert" */
	uint64_t count;
};

void drops_add(struct drops *drops, uint64_t count, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The profile of a core, M or R: readers of the output take it for one of the A profile. */
void drops_profile(struct drops *drops, uint32_t cpu);

#endif
