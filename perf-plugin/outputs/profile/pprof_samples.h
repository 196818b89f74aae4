/* SPDX-License-Identifier: GPL-2.0-only */
/* pprof_samples.h - the samples of a profile.proto: calls and instructions of each stack. */
#ifndef CSTRACE_OUTPUTS_PROFILE_PPROF_SAMPLES_H
#define CSTRACE_OUTPUTS_PROFILE_PPROF_SAMPLES_H

#include "outputs/profile/gzip.h"
#include "outputs/profile/locations.h"
#include "outputs/profile/whole.h"

/*
 * Writes the samples, each as a message Profile of its own, and adds the places of their stacks to `places`, which is empty.
 */
void pprof_samples(const struct whole *w, struct locations *places, struct gzip *to);

#endif
