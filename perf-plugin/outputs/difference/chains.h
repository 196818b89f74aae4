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

/* An inlined call. */
struct chain_call {
	uint32_t name;	/* a number in `names` */
	uint32_t around;	/* index of the call that it is in + 1; 0: none */
};

/* Code in which the same calls are inlined. */
struct chain_piece {
	uint64_t begin, end;
	uint32_t call;	/* index of the innermost one */
};

struct chains {
	struct strings *names;	/* the caller's */
	struct chain_piece *pieces;	/* by begin; no two overlap */
	struct chain_call *calls;
	size_t nr_pieces, cap_pieces, nr_calls, cap_calls;
};

/* Reads the inlined calls of a binary. Names are added to `names`. chains_free() is to follow. */
void chains_init(struct chains *c, struct source *source, struct strings *names);
void chains_free(struct chains *c);

/*
 * The names of the calls around a piece, the outermost one first, in `names`. Returns their number.
 */
unsigned int chains_names(const struct chains *c, const struct chain_piece *piece,
			  uint32_t names[SOURCE_INLINED_DEPTH]);
/* Returns the first piece that ends behind a place; NULL: there is none. */
const struct chain_piece *chains_from(const struct chains *c, uint64_t offset);

#endif
