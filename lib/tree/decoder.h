/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decoder.h - inside a decoder: one trace ID's way from bytes to generic elements.
 */
#ifndef CST_LIB_DECODER_H
#define CST_LIB_DECODER_H

#include <cstrace/tree.h>

#include "flow/flow.h"
#include "protocol/protocol.h"

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
	const struct protocol *pr;
	struct protocol *custom;	/* pr, when it is the caller's */
	void *user;
	struct cursor cur;
	void *parser;		/* cur's state, and a copy's that reads ahead */
	void *ahead;
	void *stage;
	struct cst_log *log;	/* or NULL; the flow has it, too */
	struct cst_flow flow;
	struct seg one;		/* the segment of cst_decoder_feed() */
	uint8_t manual;		/* packets are taken one by one */
	uint8_t ended;
	uint8_t finished;	/* the element stage was told of the end */
	uint8_t tail;		/* since then nothing was pulled, nor did cst_decoder_next_packet() return for it */
	uint8_t switching;	/* the A-sync was met; `next` replaces `cfg` once all before it was taken */
	struct cst_tree *tree;	/* owner, or NULL */
	void *cookie;
	uint64_t start;		/* bytes before this trace offset are passed over */
	uint64_t fed;		/* number of feeds: what peek remembers is void after one */
	struct peek peek, stretch;
};

int cst_decoder_feed_segs(struct cst_decoder *dec, const uint8_t *data, size_t len,
			  const struct seg *seg, uint32_t seg_count);
/* All input was taken. */
int cst_decoder_idle(const struct cst_decoder *dec);
/*
 * The next timestamp that a cursor meets in its input; moves the cursor. With `stretch` -1 at what ends a
 * stretch, else 0 when there is none.
 */
int cst_cursor_find_timestamp(const struct protocol *pr, struct cursor *c, int stretch, uint64_t *ts);
/* Go on looking in what the tree has not fed yet. */
int cst_tree_find_timestamp(const struct cst_tree *tree, struct cursor *c, uint8_t id, int stretch,
			    uint64_t *ts);

#endif
