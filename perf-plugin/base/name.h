/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * name.h - names that somebody else chose (of threads, files, symbols, hosts) in text that people read. A recording can
 * hold any byte in them; written to a terminal as they are, control characters move the cursor, change the title or
 * pretend to be lines of this program.
 */
#ifndef CSTRACE_BASE_NAME_H
#define CSTRACE_BASE_NAME_H

#include <stddef.h>

/*
 * The name for text: `name` itself when it is UTF-8 without control characters, else a copy in which each byte of a
 * control character (C0, DEL, C1) and each byte that is no UTF-8 is written as \xNN. The copy is valid until this
 * thread's eighth call after this one; one of more than NAME_SHOWN_MAX bytes is cut and ends in "...".
 */
const char *name_shown(const char *name);
/* Bytes of a name that is shown as it is; 0: it is empty, or text needs name_shown(). */
size_t name_plain_len(const char *name);

#define NAME_SHOWN_MAX 16384u

/* The same in place, in `size` bytes; what does not fit is cut. */
void name_escape(char *text, size_t size);

/*
 * A name as one word of a line whose words are between tabs, to be freed: a tab, a newline and a
 * backslash are \t, \n and \\, all other bytes are as they are, so that a program can get the name
 * back.
 */
char *name_word(const char *name);

/*
 * A name as a JSON string with its quotes, at `out`; what does not fit before `end` is cut. Returns where the string
 * ends, where no 0 is written. A name is bytes: those that are not ASCII are taken for Latin-1, so that a reader gets
 * each of them back. Needs two bytes at least.
 */
char *name_json(char *out, const char *end, const char *name);

#endif
