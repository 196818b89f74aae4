/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdarg.h>
#include <stdio.h>

#include "convert/convert.h"

void convert_dropped(struct convert_losses *l, uint64_t count, const char *fmt, ...)
{
	va_list ap;

	l->dropped += count;
	fprintf(stderr, "cstrace convert: %s: dropped: ", l->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
