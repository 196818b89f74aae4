/* SPDX-License-Identifier: GPL-2.0-only */
/* pace.c - interpolates between timestamps by cycles or instructions. */
#include "machine/clocks/pace.h"
#include "base/wide.h"

#include <string.h>

#define FRACTION	20
/* default rate: ten instructions per nanosecond */
#define DEFAULT_INSN	((1ull << FRACTION) / 10)
#define MAX_RATE	(1ull << 50)

void pace_begin(struct pace *p)
{
	memset(p, 0, sizeof(*p));
	p->now = PACE_UNKNOWN;
}

static uint64_t rate(uint64_t time, uint64_t work)
{
	uint64_t r = wide_mul_div(time, (uint64_t)1 << FRACTION, work);

	return r < 1 ? 1 : r > MAX_RATE ? MAX_RATE : r;
}

static void restart(struct pace *p, uint64_t time, bool whole)
{
	uint64_t floor = p->loose ? p->start : p->now;

	if (p->now == PACE_UNKNOWN || time > floor)
		p->now = time;
	else
		p->now = floor;
	p->start = p->now;
	p->insns = p->cycles = 0;
	p->whole = whole;
}

void pace_until(struct pace *p, uint64_t insns, uint64_t cycles, uint64_t next)
{
	insns += p->insns;
	cycles += p->cycles;
	/* repeated timestamps of a slow counter do not show the rate */
	if (!p->whole || next <= p->start)
		return;
	if (insns)
		p->per_insn = rate(next - p->start, insns);
	if (cycles)
		p->per_cycle = rate(next - p->start, cycles);
}

void pace_timestamp(struct pace *p, uint64_t time)
{
	pace_until(p, 0, 0, time);
	restart(p, time, true);
}

void pace_gap(struct pace *p, uint64_t next)
{
	if (next != PACE_UNKNOWN)
		restart(p, next, false);
	else if (p->now != PACE_UNKNOWN)
		restart(p, p->now, false);
}

void pace_advance(struct pace *p, uint64_t insns, uint64_t cycles, uint64_t limit)
{
	uint64_t time, d;

	p->insns += insns;
	p->cycles += cycles;
	if (p->now == PACE_UNKNOWN || limit <= p->now)
		return;
	if (p->cycles && p->per_cycle)
		d = wide_mul_shift(p->cycles, p->per_cycle, FRACTION);
	else
		d = wide_mul_shift(p->insns, p->per_insn ? p->per_insn : DEFAULT_INSN, FRACTION);
	time = d < limit - p->start ? p->start + d : limit;
	if (time > p->now)
		p->now = time;
}
