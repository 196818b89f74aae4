/* SPDX-License-Identifier: GPL-2.0-only */
/* quote.h - words of command lines for people, who give them to a shell. */
#ifndef CSTRACE_BASE_QUOTE_H
#define CSTRACE_BASE_QUOTE_H

/*
 * The word as a POSIX shell reads it, in quotes where it needs them; to be freed. Control
 * characters are shown
 * (name.h), not quoted: such a line is to be read, not to be run.
 */
char *quote_word(const char *word);

#endif
