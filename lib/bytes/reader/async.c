/* SPDX-License-Identifier: BSD-3-Clause */
/* async.c - searches for an A-sync packet. */
#include <string.h>

#include "bytes/reader/async.h"

struct async_place cst_async_find(const uint8_t *p, const uint8_t *end, unsigned int before, unsigned int least,
				  unsigned int most)
{
	const uint8_t *q, *hit;
	unsigned int zeros;

	for (q = p; q < end && (hit = memchr(q, ASYNC_END, end - q)); q = hit + 1) {
		zeros = zeros_before(p, hit, most);
		if (zeros >= least || ((size_t)(hit - p) == zeros && zeros + before >= least))
			return (struct async_place){ hit - p - zeros, zeros + 1 };
	}
	return (struct async_place){ end - p - zeros_before(p, end, most), 0 };
}

unsigned int cst_async_hunt(const uint8_t *p, const uint8_t *end, uint8_t *zeros,
			    unsigned int least, unsigned int most, uint8_t *synced)
{
	struct async_place at;

	if (end - p > UINT16_MAX)
		end = p + UINT16_MAX;
	at = cst_async_find(p, end, *zeros, least, most);
	if (!at.skip && !at.size)
		return 0;
	*synced = !at.skip;
	*zeros = 0;
	return (unsigned int)(at.skip ? at.skip : at.size);
}
