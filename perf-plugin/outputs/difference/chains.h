/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chains.h - which functions are inlined at each place of a binary: pieces of code, each with the
 * chain of inlined calls around it.
 */
#ifndef CSTRACE_OUTPUTS_DIFFERENCE_CHAINS_H
#define CSTRACE_OUTPUTS_DIFFERENCE_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "outputs/sources/source.h"

struct chain_range {
	uint64_t begin, end;
	uint32_t name;	/* a number in `names` */
	uint32_t depth;
};

/* Code in which the same calls are inlined. */
struct chain_piece {
	uint64_t begin, end;
	uint32_t n;	/* calls around it, from the outermost one on */
	size_t names;	/* index of the first one in chain_names */
};

struct chains {
	struct strings *names;	/* the caller's */
	struct chain_piece *pieces;	/* by begin; no two overlap */
	uint32_t *chain_names;
	size_t nr_pieces, cap_pieces, nr_names, cap_names;
};

/* Reads the inlined calls of a binary. Names are added to `names`. chains_free() is to follow. */
void chains_init(struct chains *c, struct source *source, struct strings *names);
void chains_free(struct chains *c);

/* Returns the first piece that ends behind a place; NULL: there is none. */
const struct chain_piece *chains_from(const struct chains *c, uint64_t offset);

#endif
