/* SPDX-License-Identifier: GPL-2.0-only */
/* callindent.h - the field "callindent": the function that a branch calls or leaves, indented by the depth of calls. */
#ifndef CSTRACE_OUTPUTS_LISTING_CALLINDENT_H
#define CSTRACE_OUTPUTS_LISTING_CALLINDENT_H

#include "outputs/listing/line.h"
#include "session/decode/branch.h"

/* `depth`: open calls after the branch. `spacing`: of this output so far, 0 at first. */
void callindent_put(struct line *l, const struct stream *s, const struct branch *b, unsigned int depth,
		    unsigned int *spacing);

#endif
