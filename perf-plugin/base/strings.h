/* SPDX-License-Identifier: GPL-2.0-only */
/* strings.h - numbers for strings: equal ones have one number, from 0 in the order of their first use. */
#ifndef CSTRACE_BASE_STRINGS_H
#define CSTRACE_BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

struct strings {
	char **v;
	size_t n, cap;
	struct slots slots;
};

uint64_t strings_hash(const char *text);
/* Returns the number of a string, which is copied. */
uint32_t strings_number(struct strings *s, const char *text);
/* Returns the number of a string; UINT32_MAX: it has none. */
uint32_t strings_find(const struct strings *s, const char *text);
void strings_free(struct strings *s);

#endif
