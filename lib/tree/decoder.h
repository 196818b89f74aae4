/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decoder.h - inside a decoder: one trace ID's way from bytes to generic elements.
 */
#ifndef CST_LIB_DECODER_H
#define CST_LIB_DECODER_H

#include <cstrace/tree.h>

#include "etmv4/etmv4.h"
#include "flow/flow.h"

/* Where a run of the input bytes came from. */
struct seg {
	uint32_t pos;		/* in the input */
	uint64_t offset;	/* trace offset of that byte */
};

/*
 * Reading position in the stream. A packet that the input cuts is kept in `carry` until the next
 * input completes it. Plain data: a copy reads ahead.
 */
struct cursor {
	struct etmv4_parser ps;
	const uint8_t *data;
	size_t len, pos;
	const struct seg *seg;
	uint32_t seg_count, seg_i;
	uint64_t carry_index;	/* trace offset of carry[0] */
	uint64_t carry_last;	/* and of its last byte */
	uint64_t piece_next;	/* listing: the offset that the next unsynchronised piece is shown with, or 0 */
	const struct cst_config *next;	/* configuration from the next A-sync on; NULL: no new one */
	uint32_t carry_len;
	uint8_t carry[2 * ETMV4_MAX_PACKET];
};

/* What looking ahead found, as long as the stream has not come to it. */
struct peek {
	uint8_t known, found;
	size_t pos;		/* input position after the packet that ended the search */
	uint64_t fed, ts;
};

struct cst_decoder {
	struct cst_config cfg;
	struct cst_config next;	/* with cur.next, and while `switching` */
	struct cst_stats stats;
	struct cursor cur;
	struct etmv4_queue queue;
	struct cst_flow flow;
	struct seg one;		/* the segment of cst_decoder_feed() */
	enum cst_stop stopped;
	uint8_t manual;		/* packets are taken one by one */
	uint8_t ended;
	uint8_t switching;	/* the A-sync was met; `next` replaces `cfg` once all before it was taken */
	struct cst_tree *tree;	/* owner, or NULL */
	void *cookie;
	uint64_t fed;		/* number of feeds: what peek remembers is void after one */
	struct peek peek, stretch;
};

int cst_decoder_feed_segs(struct cst_decoder *dec, const uint8_t *data, size_t len,
			  const struct seg *seg, uint32_t seg_count);
/* All input was taken. */
int cst_decoder_idle(const struct cst_decoder *dec);
/* Give a cursor more input; the last one must be used up. */
void cst_cursor_feed(struct cursor *c, const uint8_t *data, size_t len, const struct seg *seg,
		     uint32_t seg_count);
/*
 * The next timestamp that a cursor meets in its input; moves the cursor. With `stretch` -1 at what ends a
 * stretch, else 0 when there is none.
 */
int cst_cursor_find_timestamp(struct cursor *c, int stretch, uint64_t *ts);
/* Go on looking in what the tree has not fed yet. */
int cst_tree_find_timestamp(const struct cst_tree *tree, struct cursor *c, uint8_t id, int stretch,
			    uint64_t *ts);

#endif
