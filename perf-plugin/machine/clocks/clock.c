/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.c - converts timestamps to time by TIME_CONV, or by a rate and one pair of timestamp and time that is fitted to
 * records.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/clocks/clock.h"

/* maximum relative error of a measured rate; above it the default rate is used if it is possible */
#define RATE_SPREAD	0.02

/* Linux steers a clock by at most 500 ppm against the counter (NTP); a search for such a rate takes a few steps. */
#define MAX_STEER	0.001
#define MAX_STEPS	50

void clock_init(struct trace_clock *c, const struct clock_facts *facts)
{
	const struct pd_time_conv *conv = facts->conv;

	memset(c, 0, sizeof(*c));
	c->error_ns = UINT64_MAX;
	c->bits = facts->bits ? facts->bits : 64;
	if (!facts->timestamps)
		return;
	if (conv)
		c->conv = *conv;
	if (conv && conv->usable && facts->virtual_counter && !facts->freq) {
		c->kind = CLOCK_CONVERTED;
		return;
	}
	c->kind = CLOCK_ESTIMATED;
	if (facts->freq) {
		c->rate = CLOCK_RATE_GIVEN;
		c->ns_per_tick = 1e9 / (double)facts->freq;
	} else if (conv && conv->mult && conv->shift < 64 && facts->counter) {
		c->rate = CLOCK_RATE_FILE;
		c->ns_per_tick = (double)conv->mult / (double)(1ull << conv->shift);
	} else {
		c->ns_per_tick = 1e9 / (double)CLOCK_DEFAULT_FREQ;
	}
}

/* Difference b - a of a counter that wraps. */
static int64_t distance(const struct trace_clock *c, uint64_t a, uint64_t b)
{
	unsigned int shift = 64 - c->bits;

	return (int64_t)((b - a) << shift) >> shift;
}

static int by_time(const void *pa, const void *pb)
{
	const struct clock_bracket *a = pa, *b = pb;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->ticks < b->ticks ? -1 : a->ticks > b->ticks;
}

/* Measures the rate and its bounds from the first bracket that has both ends, and the last one. */
static void measure(struct trace_clock *c, const struct clock_bracket *w, size_t n)
{
	const struct clock_bracket *a = &w[0], *b = &w[n - 1];
	double ticks, low, high;

	while (a < b && !a->from)
		a++;
	ticks = (double)distance(c, a->ticks, b->ticks);
	if (ticks < 1 || b->from <= a->to)
		return;
	low = (double)(b->from - a->to) / ticks;
	high = (double)(b->to - a->from) / ticks;
	if (high - low > RATE_SPREAD * high && c->ns_per_tick >= low && c->ns_per_tick <= high)
		return;
	c->ns_per_tick = (low + high) / 2;
	c->rate = CLOCK_RATE_MEASURED;
}

/* Saturates: damaged timestamps and rates can give distances beyond any time. */
static uint64_t to_ns(double d)
{
	return d < 0 ? 0 : d < (double)(UINT64_MAX / 2) ? (uint64_t)d : UINT64_MAX / 2;
}

/*
 * Bounds of the time of the first timestamp, relative to the end of its bracket, and the brackets
 * that they are from.
 */
struct bounds {
	double low, high;
	size_t low_at, high_at;
	bool has_low;
};

static struct bounds bounds_of(const struct trace_clock *c, const struct clock_bracket *w, size_t n)
{
	struct bounds b = { .has_low = false };
	double t, at;
	size_t i;

	for (i = 0; i < n; i++) {
		t = (double)distance(c, w[0].ticks, w[i].ticks) * c->ns_per_tick;
		at = (double)(int64_t)(w[i].to - w[0].to) - t;
		if (!i || at < b.high) {
			b.high = at;
			b.high_at = i;
		}
		if (!w[i].from)
			continue;
		at = (double)(int64_t)(w[i].from - w[0].to) - t;
		if (!b.has_low || at > b.low) {
			b.low = at;
			b.low_at = i;
		}
		b.has_low = true;
	}
	return b;
}

/*
 * The clock of the records may be steered against the counter, whose rate the file has. Finds the rate next to that which
 * no record contradicts: the contradiction is a convex function of the rate, so each step is a tangent's.
 */
static void steer(struct trace_clock *c, const struct clock_bracket *w, size_t n, struct bounds *b)
{
	const double rate = c->ns_per_tick;
	const struct bounds was = *b;
	double ticks;
	unsigned int i;

	for (i = 0; i < MAX_STEPS && b->has_low && b->low > b->high; i++) {
		ticks = (double)distance(c, w[b->high_at].ticks, w[b->low_at].ticks);
		if (ticks > -1 && ticks < 1)
			break;
		/* by a nanosecond more, so that rounding leaves no contradiction */
		c->ns_per_tick += (b->low - b->high + 1) / ticks;
		if (c->ns_per_tick > rate * (1 + MAX_STEER) || c->ns_per_tick < rate * (1 - MAX_STEER))
			break;
		*b = bounds_of(c, w, n);
	}
	if (b->has_low && b->low > b->high) {
		c->ns_per_tick = rate;
		*b = was;
	} else if (i) {
		c->rate = CLOCK_RATE_MEASURED;
	}
}

void clock_fit(struct trace_clock *c, struct clock_bracket *w, size_t n)
{
	struct bounds b;
	double at;

	if (c->kind != CLOCK_ESTIMATED || !n)
		return;
	qsort(w, n, sizeof(*w), by_time);
	if (c->rate == CLOCK_RATE_ASSUMED || c->rate == CLOCK_RATE_MEASURED)
		measure(c, w, n);
	b = bounds_of(c, w, n);
	if (c->rate == CLOCK_RATE_FILE)
		steer(c, w, n, &b);
	c->contradicted = b.has_low && b.low > b.high;
	/* the trace begins when it is enabled, but may end long before its record was written */
	at = !b.has_low ? b.high : c->contradicted ? (b.low + b.high) / 2 : b.low;
	c->error_ns = !b.has_low ? UINT64_MAX : to_ns(c->contradicted ? b.low - b.high : b.high - b.low);
	c->paired = true;
	c->brackets = n;
	c->pair_ticks = w[0].ticks;
	if (at < 0)
		c->pair_ns = w[0].to - (to_ns(-at) < w[0].to ? to_ns(-at) : w[0].to);
	else
		c->pair_ns = to_ns(at) < UINT64_MAX - w[0].to ? w[0].to + to_ns(at) : UINT64_MAX - 1;
}

void clock_alone(struct trace_clock *c)
{
	if (c->kind != CLOCK_ESTIMATED || c->paired)
		return;
	c->paired = true;
	c->error_ns = UINT64_MAX;
	c->bits = 64;	/* no other time says how often a narrow counter has wrapped */
}

static uint64_t estimate(const struct trace_clock *c, uint64_t ticks)
{
	int64_t n = distance(c, c->pair_ticks, ticks);
	double d = (n < 0 ? -(double)n : (double)n) * c->ns_per_tick;

	if (c->bits == 64) {
		/* a counter of 64 bits does not wrap */
		n = ticks < c->pair_ticks ? -1 : 1;
		d = (double)(n < 0 ? c->pair_ticks - ticks : ticks - c->pair_ticks) * c->ns_per_tick;
	}
	if (n < 0)
		return d < (double)c->pair_ns ? c->pair_ns - (uint64_t)d : 0;
	return d < (double)(UINT64_MAX / 2 - c->pair_ns / 2) ? c->pair_ns + (uint64_t)d : UINT64_MAX - 1;
}

bool clock_ns(const struct trace_clock *c, uint64_t ticks, uint64_t hint, uint64_t *ns)
{
	uint64_t near;

	switch (c->kind) {
	case CLOCK_NONE:
		return false;
	case CLOCK_CONVERTED:
		if (c->bits < 64 && hint != UINT64_MAX && hint >= c->conv.zero) {
			near = pd_ns_to_ticks(&c->conv, hint);
			ticks = near + (uint64_t)distance(c, near, ticks);
		}
		*ns = pd_ticks_to_ns(&c->conv, ticks);
		return true;
	case CLOCK_ESTIMATED:
		break;
	}
	if (!c->paired)
		return false;
	*ns = estimate(c, ticks);
	return true;
}
