/* SPDX-License-Identifier: GPL-2.0-only */
/* longest.h - which entries stay when there are too many: the longest ones. */
#ifndef CSTRACE_BASE_LONGEST_H
#define CSTRACE_BASE_LONGEST_H

#include <stddef.h>
#include <stdint.h>

/* The length before which `nth` others stand where the longest is first; `nth` is less than `n`. */
uint64_t longest_nth(const uint64_t *length, size_t n, size_t nth);

/*
 * Returns the length from which on entries stay, so that about `max` of more than twice as many do: at most half as many
 * again. If too many have the same length, all of those go.
 */
uint64_t longest_limit(const uint64_t *length, size_t n, size_t max);

#endif
