/* SPDX-License-Identifier: GPL-2.0-only */
/* sample_clock.h - periods of samples, in time or in ticks of the trace as well. */
#ifndef CSTRACE_OUTPUTS_SYNTH_SAMPLE_CLOCK_H
#define CSTRACE_OUTPUTS_SYNTH_SAMPLE_CLOCK_H

#include "outputs/synth/sampler_int.h"

/* Times per instruction are kept with 16 fraction bits. */
#define RATE_SHIFT	16
#define RATE_DEFAULT	(1u << RATE_SHIFT)	/* one unit per instruction */

/* Sets the time given by the trace. */
void sample_clock_set(const struct sampler *sp, struct sampled_stream *ln, uint64_t now);
/* At the begin of a batch: with periods in time, its times change the place of the next sample. */
void sample_clock_begin(const struct sampler *sp, const struct stream *s,
			struct sampled_stream *ln);
/* Finds the sample after that at ln->counts.insns, with any period. */
void sample_clock_next(const struct sampler *sp, struct sampled_stream *ln);

#endif
