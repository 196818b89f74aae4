/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error.c - texts of the error codes.
 */
#include <cstrace/error.h>

const char *cst_strerror(int err)
{
	static const char *const text[] = {
#define CST_ERROR(name, value, words) [value] = words,
#include <cstrace/errors.def>
#undef CST_ERROR
	};
	/* Through unsigned, for INT_MIN has no positive counterpart. */
	unsigned code = err < 0 ? 0u - (unsigned)err : (unsigned)err;

	if (code >= sizeof(text) / sizeof(text[0]) || !text[code])
		return "unknown error";
	return text[code];
}
