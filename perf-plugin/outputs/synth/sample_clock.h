/* SPDX-License-Identifier: GPL-2.0-only */
/* sample_clock.h - periods of samples in time or in ticks of the trace. */
#ifndef CSTRACE_OUTPUTS_SYNTH_SAMPLE_CLOCK_H
#define CSTRACE_OUTPUTS_SYNTH_SAMPLE_CLOCK_H

#include "outputs/synth/sampler_int.h"

/* Times per instruction are kept with 16 fraction bits. */
#define RATE_SHIFT	16
#define RATE_DEFAULT	(1u << RATE_SHIFT)	/* one unit per instruction */

/* Converts the time of the next sample to a number of instructions. */
void sample_clock_arm(struct sampled_stream *ln, uint64_t period);
/* Takes over the rate of time from the stream for this batch. */
void sample_clock_batch(const struct sampler *sp, struct sampled_stream *ln,
			const struct stream *s);
/* Sets the time given by the trace. */
void sample_clock_set(const struct sampler *sp, struct sampled_stream *ln, uint64_t now);

#endif
