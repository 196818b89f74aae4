/* SPDX-License-Identifier: GPL-2.0-only */
/* format.h - text on the heap, made as printf() makes it. */
#ifndef CSTRACE_BASE_FORMAT_H
#define CSTRACE_BASE_FORMAT_H

#include <stdarg.h>

/* The caller frees the text. */
char *format_text(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *format_args(const char *fmt,
		  va_list ap) __attribute__((format(printf, 1, 0), returns_nonnull));

#endif
