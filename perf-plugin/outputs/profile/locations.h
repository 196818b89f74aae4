/* SPDX-License-Identifier: GPL-2.0-only */
/* locations.h - the places that samples of a profile.proto refer to. The id of a place is its index + 1. */
#ifndef CSTRACE_OUTPUTS_PROFILE_LOCATIONS_H
#define CSTRACE_OUTPUTS_PROFILE_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

struct location {
	uint32_t binary;	/* CST_COUNT_NO_BINARY: `offset` is a function's index */
	uint64_t offset;
	uint64_t uses;		/* samples that have it, counted by the caller */
};

struct locations {
	struct location *v;
	size_t nr, cap;
	struct slots slots;	/* by place */
};

void locations_free(struct locations *l);

/* Returns the id of a place. */
uint32_t locations_id(struct locations *l, uint32_t binary, uint64_t offset);
/*
 * Gives the places that are used most the lowest ids, which need the fewest bytes. Returns the new ids, by old id - 1, in
 * an array that the caller frees. Ids of further places follow.
 */
uint32_t *locations_by_use(struct locations *l);

#endif
