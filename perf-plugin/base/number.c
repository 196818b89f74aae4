/* SPDX-License-Identifier: GPL-2.0-only */
/* number.c - see number.h. */
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>

const char *number_read(const char *text, uint64_t *value)
{
	const bool hex = text[0] == '0' && (text[1] | 32) == 'x';
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*value = strtoull(text, &end, hex ? 16 : 10);
	return errno ? NULL : end;
}
