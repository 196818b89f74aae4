/* SPDX-License-Identifier: GPL-2.0-only */
/* put.c - writes text and numbers on standard error without stdio. */
#include "base/put.h"

#include <string.h>
#include <unistd.h>

void put_text(const char *s)
{
	ssize_t n = write(STDERR_FILENO, s, strlen(s));

	(void)n;
}

void put_number(uint64_t v)
{
	char text[24], *p = text + sizeof(text) - 1;

	*p = 0;
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	put_text(p);
}
