/* SPDX-License-Identifier: GPL-2.0-only */
/* near.h - which of the known names a mistyped word was probably meant to be. */
#ifndef CSTRACE_BASE_NEAR_H
#define CSTRACE_BASE_NEAR_H

#include <stddef.h>

/* Longest words that are compared; longer ones are near to nothing. */
#define NEAR_MAX 31u

struct near {
	const char *word;	/* `len` bytes */
	size_t len;
	const char *best;	/* the nearest name so far, NULL: none is near */
	size_t best_len, distance;
	char hint[NEAR_MAX + 24];
};

/* Starts the search for a word, of which `len` bytes count. */
void near_begin(struct near *n, const char *word, size_t len);
/* Compares it with a name of `len` bytes, which must stay until the hint is made. */
void near_try(struct near *n, const char *name, size_t len);
/*
 * Returns "; did you mean 'NAME'?", with `before` in front of the name, or "" if none is near.
 * Valid as long as *n.
 */
const char *near_hint(struct near *n, const char *before);
/* The hint for a word among the names of a text, which have letters, digits, '-' and '_'. */
const char *near_hint_among(struct near *n, const char *word, const char *names);

#endif
