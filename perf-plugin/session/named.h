/* SPDX-License-Identifier: GPL-2.0-only */
/* named.h - checks that the files which options name are of the kind that the option is for. */
#ifndef CSTRACE_SESSION_NAMED_H
#define CSTRACE_SESSION_NAMED_H

struct session_opts;

/*
 * Checks --vmlinux, --kcore, --kallsyms and --jitdump by the first bytes of the files. Returns 0,
 * or ERR_REPORTED after a message with file, offset, what was found and what is expected.
 */
int named_check(const struct session_opts *o);

#endif
