/* SPDX-License-Identifier: GPL-2.0-only */
/* pd_error.h - what can go wrong with perf.data, as a code and a message that is complete. */
#ifndef CSTRACE_BASE_PD_ERROR_H
#define CSTRACE_BASE_PD_ERROR_H

#include <stdint.h>

/* What went wrong, by what the user can do about it. */
enum pd_code {
	PD_E_NOMEM	= -1,	/* not enough memory */
	PD_E_IO		= -2,	/* the system refused an operation on a file */
	PD_E_FORMAT	= -3,	/* not perf.data, or a form of it that is not supported */
	PD_E_CUT	= -4,	/* the file ends inside something */
	PD_E_RECORD	= -5,	/* a record contradicts its own type or size */
	PD_E_ZSTD	= -6,	/* a compressed record does not decompress */
	PD_E_AUXINFO	= -7,	/* the trace metadata cannot be used */
	PD_E_USAGE	= -8,	/* the caller asked for something impossible */
	PD_E_EXPAND	= -9,	/* compressed records expand to more than the limit */
};

/* The message is complete: file, offset, what was found, what was expected, what to do. */
struct pd_error {
	int code;
	uint64_t offset;
	char msg[512];
};

/* Fill @err (may be NULL) and return @code. */
int pd_fail(struct pd_error *err, int code, uint64_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* CSTRACE_BASE_PD_ERROR_H */
