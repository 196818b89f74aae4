/* SPDX-License-Identifier: GPL-2.0-only */
/* pairs.h - adds tables of pairs of offsets that were filled apart: by threads, of sections, of files of one identity. */
#ifndef CSTRACE_COUNTING_COUNTS_PAIRS_H
#define CSTRACE_COUNTING_COUNTS_PAIRS_H

#include <cstrace/counts.h>

/* Moves all pairs of `from`, which is empty then, to `to`. If both have pairs, both are sorted. */
void pairs_move(struct cst_pairs *to, struct cst_pairs *from);

#endif
