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
