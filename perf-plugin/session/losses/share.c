/* SPDX-License-Identifier: GPL-2.0-only */
/* share.c - the losses of a recording as one share of its trace. */
#include "session/losses/share.h"

#include <string.h>

#include "base/wide.h"

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Bytes for a cause that happened, and whose trace is in the file. */
static uint64_t bytes_of(enum loss cause, const struct loss_amount *a)
{
	if (a->bytes)
		return a->bytes;
	/* they lie in a gap, whose bytes are those of its own cause */
	if (cause == LOSS_ATOMS || cause == LOSS_UNSYNCED)
		return 1;
	return a->count;
}

/* The same share of `bytes` as `part` is of `whole`; at least 1 of a part that is not 0. */
static uint64_t scaled(uint64_t part, uint64_t whole, uint64_t bytes)
{
	uint64_t n;

	if (!part || part >= whole)
		return part ? bytes : 0;
	n = wide_mul_div(bytes, part, whole);
	return n ? n : 1;
}

static uint64_t greatest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct loss_share losses_share(const struct losses *ls, const struct loss_base *base)
{
	struct loss_share s = { .lost = 0, .of = base->bytes ? base->bytes : 1 };
	uint64_t flagged = 0, unread = 0;
	bool unknown = false;
	int i;

	for (i = 0; i < NR_LOSSES; i++) {
		const struct loss_amount *a = &ls->cause[i];

		if (!a->count && !a->bytes)
			continue;
		switch ((enum loss)i) {
		case LOSS_TRUNCATED:
		case LOSS_PARTIAL:
		case LOSS_COLLISION:
			flagged = add(flagged, a->count);
			break;
		case LOSS_LOST:
		case LOSS_BAD_RECORD:
			unread = add(unread, a->count);
			break;
		case LOSS_CUT:
		case LOSS_EXPAND:
		case LOSS_JITDUMP:
			unknown = true;
			break;
		default:
			s.lost = add(s.lost, bytes_of((enum loss)i, a));
		}
	}
	s.lost = greatest(s.lost, scaled(flagged, base->aux_records, s.of));
	s.lost = greatest(s.lost, scaled(unread, add(base->records, unread), s.of));
	if (unknown || s.lost > s.of)
		s.lost = s.of;
	return s;
}

void loss_share_add(struct loss_share *s, uint64_t count)
{
	s->lost = add(s->lost, count);
	if (s->lost > s->of)
		s->lost = s->of;
}

bool loss_share_above(const struct loss_share *s, uint32_t max)
{
	return s->lost && wide_mul_div(s->of, max, LOSS_SHARE_ALL) < s->lost;
}

void loss_share_print(const struct loss_share *s, uint32_t max, FILE *out)
{
	if (s->lost)
		fprintf(out, "cstrace: %.4f %% of the trace is lost; --max-loss accepts %.4f %%\n",
			100.0 * (double)s->lost / (double)s->of,
			100.0 * (double)max / LOSS_SHARE_ALL);
}

bool loss_share_read(const char *text, uint32_t *max)
{
	uint32_t value = 0, unit = LOSS_SHARE_ALL / 100;
	size_t whole = strspn(text, "0123456789"), i;

	if (!whole || whole > 3)
		return false;
	for (i = 0; i < whole; i++)
		value = value * 10 + (uint32_t)(text[i] - '0');
	value *= unit;
	if (text[i] == '.') {
		for (i++; text[i] >= '0' && text[i] <= '9' && unit > 1; i++)
			value += (uint32_t)(text[i] - '0') * (unit /= 10);
		if (i == whole + 1)
			return false;
	}
	if (strcmp(text + i, "%") || value > LOSS_SHARE_ALL)
		return false;
	*max = value;
	return true;
}
