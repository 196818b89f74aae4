/* SPDX-License-Identifier: GPL-2.0-only */
/* format.c - text on the heap, made as printf() makes it. */
#include "base/format.h"

#include <errno.h>
#include <stdio.h>

char *format_args(const char *fmt, va_list ap)
{
	char *text;

	/* vasprintf() leaves the pointer undefined after an error */
	if (vasprintf(&text, fmt, ap) >= 0)
		return text;
	errno = ENOMEM;
	return NULL;
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
