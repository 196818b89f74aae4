/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * error.h - the one channel of errors in perf-plugin. A function that can fail returns 0, or a count, or a negative
 * code: -CST_ERR_x of the library, passed on as it came, or ERR_x of errors.def. Codes never overlap, so a cause keeps its
 * name on the way to the user. errno stays in the file that made the system call: what is passed on is ERR_IO, and
 * the reason in words. Where the user needs more than a cause, a struct error has a complete message.
 */
#ifndef CSTRACE_BASE_ERROR_H
#define CSTRACE_BASE_ERROR_H

#include <cstrace/error.h>

enum error_code {
#define ERROR(name, value, text) ERR_##name = -(value),
#include "base/errors.def"
#undef ERROR
};

/* The text of a code, of the library's as well; never NULL. */
const char *error_text(int code);

/* The message is complete: file, offset, what was found, what was expected, what to do. */
struct error {
	int code;
	char msg[512];
};

/* Fills in *err (may be NULL) and returns `code`. Names in the message are escaped (name.h). */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
