/* SPDX-License-Identifier: GPL-2.0-only */
/* drops.c - the message for an item that is dropped. */
#include <stdarg.h>
#include <stdio.h>

#include "base/messages.h"
#include "base/name.h"
#include "session/import/drops.h"

void drops_add(struct drops *drops, uint64_t count, const char *fmt, ...)
{
	char what[2048];
	va_list ap;

	drops->count += count;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	fprintf(message_stream(), "%s: %s: dropped: %s\n", drops->who ? drops->who : "cstrace convert", name_shown(drops->name), name_shown(what));
}

void drops_profile(struct drops *drops, uint32_t cpu)
{
	drops_add(drops, 1, "the profile of CPU %u, which is not A: its trace is decoded wrongly from here", cpu);
}
