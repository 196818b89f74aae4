/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * code.h - which code ran where, as a snapshot has to hold it: one image, in which each address has one
 * content from start to end. What ran is compared in granules; what is kept is whole maps.
 */
#ifndef CSTRACE_OUTPUTS_EXPORT_CODE_H
#define CSTRACE_OUTPUTS_EXPORT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/decode/stream.h"

/* A map of which something ran. */
struct code_region {
	uint64_t start, end;
	uint64_t offset;	/* of start in the file of the dso */
	const struct dso *dso;
	const char *refused;	/* why its bytes are not kept; NULL: they are */
	bool kernel;
	bool shared;		/* overlaps another region: only what ran is certain */
	uint8_t *bytes;
	size_t len;		/* from start; less than the map where code is missing */
};

struct code_granule {
	uint64_t number;	/* address / CODE_GRANULE */
	uint32_t region;	/* index + 1; 0: free slot */
	uint32_t section;
	uint32_t offset;	/* of the granule in its section */
};

#define CODE_GRANULE 64
#define CODE_REGIONS 16384	/* readers of snapshots take no more dumps */

struct code {
	struct code_region *regions;
	size_t nr_regions, cap_regions;
	struct code_granule *slots;	/* open addressing; a power of two */
	size_t nr_slots, used;
	size_t last;		/* region that was found last */
	uint64_t conflicts;	/* granules that ran with another content than before */
	uint64_t conflict_addr;	/* the first one */
	uint64_t bytes, limit;	/* of all regions */
	bool over_limit;
	const struct copy_origin *origin;
};

/* `limit` bounds the bytes of all regions; what copying.h refuses has none. */
void code_init(struct code *c, uint64_t limit, const struct copy_origin *origin);
void code_free(struct code *c);
/* An executed range, while it is being delivered. */
void code_range(struct code *c, const struct stream *s, const struct cst_generic *g);

/* A stretch of memory to be kept. */
struct code_piece {
	uint64_t address;
	const uint8_t *bytes;
	size_t len;
	bool kernel;
};

/*
 * The pieces in order of address, none overlapping another; *pieces is for the caller to free.
 * Returns their number.
 */
size_t code_pieces(struct code *c, struct code_piece **pieces);

#endif
