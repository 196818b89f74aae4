/* SPDX-License-Identifier: BSD-3-Clause */
/* check.h - what must hold after any command, whatever it was given. */
#ifndef CSTRACE_TESTS_FUZZ_COMMAND_CHECK_H
#define CSTRACE_TESTS_FUZZ_COMMAND_CHECK_H

#include "fuzz/command/options.h"

/* Text for people: UTF-8, and no control character but the end of a line and a tab. Else a message, and abort(). */
void check_text(const char *what, const uint8_t *text, size_t len);
/*
 * The output of a command that ended with 0 or 3. `out` is the file or folder that it wrote, or NULL; `fd` has what came to
 * standard output.
 */
void check_output(const struct command_line *l, const char *out, int fd);

#endif
