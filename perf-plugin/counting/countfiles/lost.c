/* SPDX-License-Identifier: GPL-2.0-only */
/* lost.c - the share of trace that the recordings of a count file lost. */
#include "counting/countfiles/lost.h"

#include <string.h>

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

void count_lost_add(struct count_lost *l, const char *name, uint64_t value)
{
	const struct {
		const char *name;
		uint64_t *where;
	} totals[] = {
		{ "bytes.traced", &l->traced },
		{ LOST_ABSENT, &l->absent },
		{ LOST_BYTES, &l->lost },
		{ LOST_MEASURED, &l->measured },
		{ LOST_UNKNOWN, &l->unknown },
	};
	size_t i;

	for (i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		if (!strcmp(name, totals[i].name))
			*totals[i].where = sum(*totals[i].where, value);
	if (!strncmp(name, "loss.", 5))
		l->losses = sum(l->losses, value);
}

struct loss_share count_lost_share(const struct count_lost *l)
{
	struct loss_share s = {
		.lost = l->lost, .of = sum(l->traced, l->absent), .unknown = l->unknown
	};

	if (!s.of)
		s.of = 1;
	if (s.lost > s.of || l->measured < l->losses)
		s.lost = s.of;
	else if (l->losses && !s.lost)
		s.lost = 1;
	return s;
}
