/* SPDX-License-Identifier: GPL-2.0-only */
/* pd_error.c - fills in a struct pd_error, with names from files made harmless. */
#include <stdarg.h>
#include <stdio.h>

#include "base/name.h"
#include "base/pd_error.h"

int pd_fail(struct pd_error *err, int code, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->offset = offset;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	/* it names files, and what stands in them */
	name_escape(err->msg, sizeof(err->msg));
	return code;
}
