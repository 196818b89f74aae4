/* SPDX-License-Identifier: GPL-2.0-only */
/* build_id.c - compares build-ids, and writes them as text. */
#include "machine/finder/build_id.h"

#include <string.h>

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	size_t n = a->len < b->len ? a->len : b->len;
	const struct build_id *longer = a->len < b->len ? b : a;

	if (!n || memcmp(a->id, b->id, n))
		return false;
	/* perf's header feature pads short build-ids to 20 bytes with zeroes */
	for (; n < longer->len; n++)
		if (longer->id[n])
			return false;
	return true;
}

const char *build_id_text(const struct build_id *id, char *out)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < id->len; i++) {
		out[2 * i] = hex[id->id[i] >> 4];
		out[2 * i + 1] = hex[id->id[i] & 15];
	}
	out[2 * i] = 0;
	return out;
}
