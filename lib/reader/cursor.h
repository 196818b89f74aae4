/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cursor.h - reading position in one trace ID's bytes: packets out of input that comes in pieces.
 */
#ifndef CST_LIB_READER_CURSOR_H
#define CST_LIB_READER_CURSOR_H

#include <cstrace/protocol.h>

/* Where a run of the input bytes came from. */
struct seg {
	uint32_t pos;		/* in the input */
	uint64_t offset;	/* trace offset of that byte */
};

/*
 * Room for the bytes of a packet that the input cuts. A parser finds with at most CST_MAX_PACKET bytes how long a
 * packet is. If those show that the packet is bad, it ends before them, and they stay in the carry as the first bytes
 * of the next one. Twice as many, so that a parser that breaks this rule is noticed before the carry is full.
 */
#define CURSOR_CARRY (2 * CST_MAX_PACKET)

/*
 * A packet that the input cuts is kept in `carry` until the next input completes it. A copy, with a copy of
 * the parser's state, reads ahead (cst_cursor_copy).
 */
struct cursor {
	const struct cst_protocol_ops *ops;
	void *ps;		/* parser state, ops->parser_size bytes; not owned */
	void *user;
	const uint8_t *data;
	size_t len, pos;
	const struct seg *seg;
	uint32_t seg_count, seg_i;
	uint64_t last;		/* trace offset of the last byte used */
	uint64_t lead_index;	/* sub_byte: the one after it, index of a packet that began in that byte */
	uint64_t piece_next;	/* listing: the offset that the next unsynchronised piece is shown with, or 0 */
	const struct cst_config *next;	/* configuration from the next A-sync on; NULL: no new one */
	uint32_t carry_len;
	uint8_t listing;
	uint8_t no_byte;	/* the last packet had no byte of its own */
	/* last, so that a copy of the cursor is no larger than what they hold */
	uint8_t carry[CURSOR_CARRY];
	uint64_t carry_at[CURSOR_CARRY];	/* trace offsets of these bytes: other IDs may lie between */
};

void cst_cursor_init(struct cursor *c, const struct cst_protocol_ops *ops, void *parser,
		     const struct cst_config *cfg, void *user);
/* Forget the input; what was not used is returned. */
size_t cst_cursor_reset(struct cursor *c, const struct cst_config *cfg);
void cst_cursor_listing(struct cursor *c);
/* Give more input; the last one must be used up. */
void cst_cursor_feed(struct cursor *c, const uint8_t *data, size_t len, const struct seg *seg,
		     uint32_t seg_count);
/* `to` reads ahead from where `from` is, with parser state of its own at `parser`. */
void cst_cursor_copy(struct cursor *to, const struct cursor *from, void *parser);
/* Next packet: 1, or 0 when more input is needed. `keep`: its bytes, too, and the index as listings have it. */
int cst_cursor_next(struct cursor *c, struct cst_packet *pkt, int keep);
/* The trace ended: the packet that was cut, if there is one. */
int cst_cursor_rest(struct cursor *c, struct cst_packet *pkt, int keep);
/* After an A-sync: packets from here on have the layout of the configuration that has been waiting. */
void cst_cursor_switch(struct cursor *c);

static inline enum cst_packet_role cst_cursor_role(const struct cursor *c, const struct cst_packet *pkt)
{
	return pkt->type < c->ops->n_types ? c->ops->roles[pkt->type] : CST_ROLE_OTHER;
}

/* Trace offset of the input byte at `pos`; `pos` never goes back. */
static inline uint64_t cst_cursor_index(struct cursor *c, size_t pos)
{
	while (c->seg_i + 1 < c->seg_count && pos >= c->seg[c->seg_i + 1].pos)
		c->seg_i++;
	return c->seg[c->seg_i].offset + (pos - c->seg[c->seg_i].pos);
}

#endif
