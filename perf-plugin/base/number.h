/* SPDX-License-Identifier: GPL-2.0-only */
/* number.h - numbers that a user wrote. */
#ifndef CSTRACE_BASE_NUMBER_H
#define CSTRACE_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads the number that `text` begins with: decimal digits, or 0x and hexadecimal digits; zeros in front of decimal digits
 * do not make it octal. Returns what is behind it, NULL if there is no number or it has more than 64 bits.
 */
const char *number_read(const char *text, uint64_t *value);

#endif
