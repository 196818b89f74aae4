/* SPDX-License-Identifier: GPL-2.0-only */
/* quote.h - words of command lines for people, who give them to a shell. */
#ifndef CSTRACE_BASE_QUOTE_H
#define CSTRACE_BASE_QUOTE_H

/*
 * The word as a POSIX shell reads it, in quotes where it needs them; to be freed. In a word that
 * text cannot show (name.h) bytes that are not printable ASCII are written as $(printf '\033'), so
 * that a terminal does not obey them, and no name begins a line.
 */
char *quote_word(const char *word);

#endif
