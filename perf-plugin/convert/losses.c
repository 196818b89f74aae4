/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdio.h>

#include "convert/convert.h"
#include "perfdata/name.h"

void convert_dropped(struct convert_losses *l, uint64_t count, const char *fmt, ...)
{
	char what[2048];
	va_list ap;

	l->dropped += count;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	fprintf(stderr, "cstrace convert: %s: dropped: %s\n", name_shown(l->name), name_shown(what));
}
