/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "session/clock.h"

void clock_init(struct trace_clock *c, const struct pd_time_conv *conv, bool timestamps, bool virtual_counter,
		bool counter, uint64_t freq)
{
	memset(c, 0, sizeof(*c));
	if (!timestamps)
		return;
	if (conv)
		c->conv = *conv;
	if (conv && conv->usable && virtual_counter && !freq) {
		c->kind = CLOCK_CONVERTED;
		return;
	}
	c->kind = CLOCK_ESTIMATED;
	/* The physical counter ticks like the virtual one, only from another zero. */
	if (conv && conv->mult && conv->shift < 64 && counter && !freq)
		c->ns_per_tick = (double)conv->mult / (double)(1ull << conv->shift);
	else
		c->ns_per_tick = 1e9 / (double)(freq ? freq : CLOCK_DEFAULT_FREQ);
}

void clock_pair(struct trace_clock *c, uint64_t ticks, uint64_t ns)
{
	if (c->kind != CLOCK_ESTIMATED || c->paired)
		return;
	c->paired = true;
	c->pair_ticks = ticks;
	c->pair_ns = ns;
}

bool clock_ns(const struct trace_clock *c, uint64_t ticks, uint64_t *ns)
{
	double d;

	switch (c->kind) {
	case CLOCK_NONE:
		return false;
	case CLOCK_CONVERTED:
		*ns = pd_ticks_to_ns(&c->conv, ticks);
		return true;
	case CLOCK_ESTIMATED:
		break;
	}
	if (!c->paired)
		return false;
	if (ticks >= c->pair_ticks) {
		d = (double)(ticks - c->pair_ticks) * c->ns_per_tick;
		*ns = d < (double)(UINT64_MAX / 2 - c->pair_ns / 2) ? c->pair_ns + (uint64_t)d : UINT64_MAX - 1;
	} else {
		d = (double)(c->pair_ticks - ticks) * c->ns_per_tick;
		*ns = d < (double)c->pair_ns ? c->pair_ns - (uint64_t)d : 0;
	}
	return true;
}
