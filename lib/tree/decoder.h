/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decoder.h - inside a decoder: one trace ID's way from bytes to generic elements.
 */
#ifndef CST_LIB_TREE_DECODER_H
#define CST_LIB_TREE_DECODER_H

#include <cstrace/tree.h>

#include "flow/flow.h"
#include "image/counts.h"
#include "protocol/protocol.h"

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
	struct count_open counted;	/* cst_counts_add() */
};

int cst_decoder_feed_segs(struct cst_decoder *dec, const uint8_t *data, size_t len,
			  const struct seg *seg, uint32_t seg_count);
/* All input was taken. */
int cst_decoder_idle(const struct cst_decoder *dec);
/* As cst_tree_scan(), of one decoder's input. */
int cst_decoder_scan(struct cst_decoder *dec, struct cst_scan *found);

#endif
