/* SPDX-License-Identifier: GPL-2.0-only */
/* error.c - texts of error codes, and messages with names from files made harmless. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/name.h"

const char *error_text(int code)
{
	switch (code) {
#define ERROR(name, value, text) case ERR_##name: return text;
#include "base/errors.def"
#undef ERROR
	}
	return cst_strerror(code);
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	/* it names files, and what stands in them */
	name_escape(err->msg, sizeof(err->msg));
	return code;
}
