/* SPDX-License-Identifier: GPL-2.0-only */
/* stack.h - branch stacks and call chains as text. */
#ifndef CSTRACE_OUTPUTS_LISTING_STACK_H
#define CSTRACE_OUTPUTS_LISTING_STACK_H

#include "outputs/listing/line.h"
#include "outputs/synth/ring.h"

/* The entries of a branch stack, the newest one first: brstack as addresses, brstacksym as symbols. */
void stack_entries(struct line *l, const struct stream *s, const struct ring *r);
/* The entries of a call chain in perf's form, the innermost one first, a line for each. */
void stack_chain(struct line *l, const struct stream *s, const uint64_t *chain, unsigned int n);

#endif
