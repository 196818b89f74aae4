/* SPDX-License-Identifier: BSD-3-Clause */
/* decoder_int.h - internals of a decoder, which turns the bytes of one trace ID into generic elements. */
#ifndef CST_LIB_DECODER_TREE_DECODER_INT_H
#define CST_LIB_DECODER_TREE_DECODER_INT_H

#include <cstrace/tree.h>

#include "flow/flow_int.h"
#include "flow/image/counts_int.h"
#include "flow/samples.h"
#include "protocols/protocol/protocol_int.h"

struct cst_decoder {
	struct cst_config cfg;
	struct cst_config next;	/* configuration of cst_decoder_reconfigure(); valid with cur.next and while `switching` */
	struct cst_stats stats;
	const struct protocol *pr;
	struct protocol *custom;	/* copy of the caller's protocol, to which `pr` points; NULL: one of the library */
	void *user;
	struct cursor cur;
	void *parser;		/* state of the parser of `cur`, and of a copy of it that reads ahead */
	void *ahead;
	void *stage;
	struct cst_log *log;	/* log that the flow stage has, too, or NULL */
	struct cst_flow flow;
	struct seg one;		/* the segment of cst_decoder_feed() */
	struct {
		uint8_t manual;		/* the caller takes packets one by one */
		uint8_t ended;
		uint8_t finished;	/* the element stage was given the end of the stream */
		/*
		 * finished or leaving, and neither a pull nor cst_decoder_next_packet() has
		 * returned the end yet
		 */
		uint8_t tail;
		/* cst_decoder_leave() was called, and the open range was not emitted yet */
		uint8_t leaving;
		/* an A-sync was parsed; `next` replaces `cfg` after all elements before it */
		uint8_t switching;
	} phase;
	struct cst_tree *tree;	/* owner, or NULL */
	void *cookie;
	uint64_t start;		/* bytes before this trace offset are skipped */
	struct count_open counted;	/* state of cst_counts_add() */
};

int cst_decoder_feed_segs(struct cst_decoder *dec, const uint8_t *data, size_t len,
			  const struct seg *seg, uint32_t seg_count);
/* True if all input was consumed. */
int cst_decoder_idle(const struct cst_decoder *dec);
/*
 * Called before the memory of the input is freed: an idle decoder refers to its last input until the next one, since a
 * packet of less than a byte gets the trace offset of the byte before it.
 */
void cst_decoder_forget_input(struct cst_decoder *dec);
/* True if the library can decode with `cfg`, whatever its fields mean together. */
int cst_config_is_valid(const struct cst_config *cfg);
/*
 * Before a reset in the middle of the trace, when all input was consumed: makes the elements final that wait for more
 * packets, and ends the open range. Returns 1 if there are any, which the next pulls return.
 */
int cst_decoder_leave(struct cst_decoder *dec);
/* As cst_tree_digest(), for one decoder. */
uint64_t cst_decoder_digest(const struct cst_decoder *dec, uint64_t digest);
/* As cst_tree_scan(), for the input of one decoder. */
int cst_decoder_scan(struct cst_decoder *dec, struct cst_scan *found);

#endif
