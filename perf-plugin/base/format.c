/* SPDX-License-Identifier: GPL-2.0-only */
/* format.c - text on the heap, made as printf() makes it. */
#include "base/format.h"

#include <stdio.h>

#include "base/alloc.h"

char *format_args(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		mem_refused(0);
	return text;
}

char *format_text(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = format_args(fmt, ap);
	va_end(ap);
	return text;
}
