/* SPDX-License-Identifier: GPL-2.0-only */
/* direct.h - puts the counts of counts.h into the model, as records. */
#ifndef CSTRACE_PROFILE_DIRECT_H
#define CSTRACE_PROFILE_DIRECT_H

#include "profile/counts.h"
#include "profile/model.h"

/*
 * Adds all binaries with their counts, and the total "instructions.elsewhere", to an empty model. Binaries are in the
 * order of counts_binaries(), not by id: two files with one build-id remain two binaries. The number of instructions of
 * a range is not known here; that of each binary is. Returns 0 or ERR_NOMEM.
 */
int direct_model(struct counts *c, struct model *m);

#endif
