/* SPDX-License-Identifier: GPL-2.0-only */
/* propeller.h - writes counts for Propeller's profile generator. */
#ifndef CSTRACE_OUTPUTS_PROFILE_PROPELLER_H
#define CSTRACE_OUTPUTS_PROFILE_PROPELLER_H

#include "base/files/output.h"
#include "outputs/profile/address.h"

/*
 * Writes a BranchFrequenciesProto: taken branches inside of the binary, and conditional branches
 * that were not taken, by virtual address.
 */
void propeller_write(struct pd_output *out, const struct flat *f, const struct profile_address *w);

#endif
