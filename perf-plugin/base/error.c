/* SPDX-License-Identifier: GPL-2.0-only */
/* error.c - texts of error codes, and messages with names from files made harmless. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/format.h"
#include "base/name.h"

#define GAP " ... "

const char *error_text(int code)
{
	switch (code) {
#define ERROR(name, value, text) case ERR_##name: return text;
#include "base/errors.def"
#undef ERROR
	}
	return cst_strerror(code);
}

/* Copies a text; of a long one, without its middle: a long file name at its begin leaves room for the reason at its end. */
static void shorten(char *msg, size_t size, const char *text)
{
	const char *shown = name_shown(text);
	size_t len = strlen(shown), half = (size - sizeof(GAP)) / 2, end = len - half;

	if (len < size) {
		memmove(msg, shown, len + 1);
		return;
	}
	/* not within a character of several bytes */
	while (half && ((unsigned char)shown[half] & 0xc0) == 0x80)
		half--;
	while (end < len && ((unsigned char)shown[end] & 0xc0) == 0x80)
		end++;
	snprintf(msg, size, "%.*s" GAP "%s", (int)half, shown, shown + end);
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	char *whole = NULL;
	va_list ap;
	int n;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(err->msg)) {
		va_start(ap, fmt);
		whole = format_args(fmt, ap);
		va_end(ap);
	}
	/* it names files, and what stands in them */
	shorten(err->msg, sizeof(err->msg), whole ? whole : err->msg);
	free(whole);
	return code;
}
