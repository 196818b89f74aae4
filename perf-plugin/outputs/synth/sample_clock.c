/* SPDX-License-Identifier: GPL-2.0-only */
/* sample_clock.c - when the next sample is due, as a number of instructions at the current rate. */
#include "outputs/synth/sample_clock.h"

#include "base/wide.h"

#define RATE_MAX	(1ull << 40)

static uint64_t now_of(const struct sampled_stream *ln)
{
	return ln->clock.anchor + wide_mul_shift(ln->counts.insns - ln->clock.anchor_insns,
						 ln->clock.rate, RATE_SHIFT);
}

/* Converts the time of the next sample to a number of instructions. */
static void arm(struct sampled_stream *ln, uint64_t period)
{
	uint64_t now = now_of(ln), n;

	if (ln->clock.due <= now) {
		ln->counts.next = ln->counts.insns + 1;
		return;
	}
	if (ln->clock.due - now > period)
		ln->clock.due = now + period;
	n = wide_mul_div(ln->clock.due - now, (uint64_t)1 << RATE_SHIFT, ln->clock.rate);
	ln->counts.next = ln->counts.insns + (n < 1 ? 1 : n > INT64_MAX ? INT64_MAX : n);
}

/* Takes over the rate of time from the stream for this batch. */
static void take_rate(const struct sampler *sp, struct sampled_stream *ln, const struct stream *s)
{
	uint64_t now = s->time, left, rate;

	if (!ln->clock.clock_set) {
		ln->clock.due = now + sp->o.period;
	} else if (ln->after_gap) {
		left = ln->clock.due - now_of(ln);
		ln->clock.due = now + (left <= sp->o.period ? left : 0);
	} else if (ln->clock.due < now) {
		ln->clock.due = now;
	}
	rate = wide_mul_div(s->time_end - now, (uint64_t)1 << RATE_SHIFT, s->n_insn);
	ln->clock.rate = rate < 1 ? 1 : rate > RATE_MAX ? RATE_MAX : rate;
	ln->clock.clock_set = true;
	ln->clock.anchor = now;
	ln->clock.anchor_insns = ln->counts.insns;
	arm(ln, sp->o.period);
}

void sample_clock_set(const struct sampler *sp, struct sampled_stream *ln, uint64_t now)
{
	uint64_t insns = ln->counts.insns - ln->clock.anchor_insns;
	uint64_t left, rate;

	if (!ln->clock.clock_set || now < ln->clock.anchor) {
		ln->clock.due = now + sp->o.period;
	} else if (ln->after_gap) {
		/* nothing was traced in the gap, so it has no samples */
		left = ln->clock.due - now_of(ln);
		ln->clock.due = now + (left <= sp->o.period ? left : 0);
	} else if (insns && now > ln->clock.anchor) {
		rate = wide_mul_div(now - ln->clock.anchor, (uint64_t)1 << RATE_SHIFT, insns);
		ln->clock.rate = rate < 1 ? 1 : rate > RATE_MAX ? RATE_MAX : rate;
	}
	ln->clock.clock_set = true;
	ln->clock.anchor = now;
	ln->clock.anchor_insns = ln->counts.insns;
	arm(ln, sp->o.period);
}

void sample_clock_next(const struct sampler *sp, struct sampled_stream *ln)
{
	if (sp->o.unit == ITRACE_INSNS) {
		ln->counts.next += sp->o.period;
	} else {
		ln->clock.due += sp->o.period;
		arm(ln, sp->o.period);
	}
}

void sample_clock_begin(const struct sampler *sp, const struct stream *s,
			struct sampled_stream *ln)
{
	if (!sp->want_i || sp->o.unit != ITRACE_NS || sp->o.tiles)
		return;
	if (s->time_known && s->n_insn)
		take_rate(sp, ln, s);
	else if ((!ln->clock.clock_set || s->time != ln->clock.anchor) &&
		 (s->time_known || !ln->clock.clock_set))
		sample_clock_set(sp, ln, s->time);
}
