/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * range.h - a part of a listing: from one place to another, in each stream, found with an index if there is one.
 */
#ifndef CSTRACE_OUTPUTS_DUMP_RANGE_H
#define CSTRACE_OUTPUTS_DUMP_RANGE_H

#include "session/indexes/index_book.h"

/* The first element, or packet, that is like this. */
struct dump_place {
	bool set;
	uint8_t kind;		/* enum cst_index_kind; CST_INDEX_KINDS: an offset */
	uint64_t value;
};

enum dump_lister { DUMP_LIST_ELEMENTS, DUMP_LIST_PACKETS, DUMP_LISTERS };

struct dump_range {
	struct dump_place from, to;
	struct index_book book;
	uint64_t valid[128];	/* elements before this offset may differ from those of a full decode */
	uint8_t on[DUMP_LISTERS][128], off[DUMP_LISTERS][128];
	bool found;		/* some stream came to `from` */
};

/* A stream begins: nothing of it was seen. */
void dump_range_reset(struct dump_range *r);
/* True if the element or packet is to be listed. */
bool dump_range_element(struct dump_range *r, const struct cst_generic *g);
bool dump_range_packet(struct dump_range *r, const struct cst_decoder *dec, const struct cst_packet *pkt);
/* Nothing more is to be listed of any stream of the tree (only_id: of that one). */
bool dump_range_done(const struct dump_range *r, const struct cst_tree *tree, int only_id, bool packets);
/*
 * Returns the offset at which to begin feeding: that of the section, or with an index a later one; the section's end
 * if none of it is listed. The tree must be new or reset.
 */
uint64_t dump_range_start(struct dump_range *r, const struct index_section *s, int only_id);

#endif
