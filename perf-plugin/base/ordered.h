/* SPDX-License-Identifier: GPL-2.0-only */
/* ordered.h - numbers of files in the byte order that the file states. */
#ifndef CSTRACE_BASE_ORDERED_H
#define CSTRACE_BASE_ORDERED_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the number in 1 to 8 bytes; `big`: the first one is the highest. */
static inline uint64_t ordered_number(const uint8_t *p, unsigned int bytes, bool big)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << 8 * (big ? bytes - 1 - i : i);
	return v;
}

#endif
