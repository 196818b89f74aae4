/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cursor.h - reading position in the bytes of one trace ID, which arrive in several inputs and are returned as packets.
 */
#ifndef CST_LIB_BYTES_READER_CURSOR_H
#define CST_LIB_BYTES_READER_CURSOR_H

#include <cstrace/protocol.h>

/* A run of input bytes with consecutive trace offsets. */
struct seg {
	uint32_t pos;		/* position of its first byte in the input */
	uint64_t offset;	/* trace offset of that byte */
};

/*
 * Size of the carry in bytes. A parser needs at most CST_MAX_PACKET bytes to find the size of a packet; of a bad packet
 * that ends before them, the others stay in the carry. It is twice that size, so that a parser that breaks this rule
 * is noticed before the carry is full.
 */
#define CURSOR_CARRY (2 * CST_MAX_PACKET)

/*
 * The first bytes of a packet that the end of the input cuts are kept in `carry` until the next input completes it. A
 * copy of the cursor, with a copy of the parser's state, reads ahead (cst_cursor_copy).
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
	uint64_t lead_index;	/* sub_byte: last + 1, the index of a packet that began in the byte at `last` */
	uint64_t piece_next;	/* listing: index of the next unsynchronised piece if it follows a full one, or 0 */
	const struct cst_config *next;	/* configuration from the next A-sync on; NULL: no new one */
	uint32_t carry_len;
	uint8_t listing;
	uint8_t no_byte;	/* the last packet had no byte of its own */
	/* the last members, so that cst_cursor_copy() copies no more than is in use */
	uint8_t carry[CURSOR_CARRY];
	uint64_t carry_at[CURSOR_CARRY];	/* trace offsets of these bytes: other IDs may lie between */
};

void cst_cursor_init(struct cursor *c, const struct cst_protocol_ops *ops, void *parser,
		     const struct cst_config *cfg, void *user);
/* Drops the input and the carry and initialises the parser with `cfg`. Returns the number of bytes dropped. */
size_t cst_cursor_reset(struct cursor *c, const struct cst_config *cfg);
void cst_cursor_listing(struct cursor *c);
/* Sets the next input; the one before must be used up. */
void cst_cursor_feed(struct cursor *c, const uint8_t *data, size_t len, const struct seg *seg,
		     uint32_t seg_count);
/* Makes `to` a copy of `from`, with a copy of its parser's state at `parser`. */
void cst_cursor_copy(struct cursor *to, const struct cursor *from, void *parser);
/* Parses the next packet. Returns 0 if more input is needed. With `keep` it has its bytes, and the index of listings. */
int cst_cursor_next(struct cursor *c, struct cst_packet *pkt, int keep);
/* Makes a packet of the bytes, or the nibble, that are left at the end of the trace. Returns 0 if there are none. */
int cst_cursor_rest(struct cursor *c, struct cst_packet *pkt, int keep);
/* Called after an A-sync: packets from here on are parsed with c->next. */
void cst_cursor_switch(struct cursor *c);

static inline enum cst_packet_role cst_cursor_role(const struct cursor *c, const struct cst_packet *pkt)
{
	return pkt->type < c->ops->n_types ? c->ops->roles[pkt->type] : CST_ROLE_OTHER;
}

/* Returns the trace offset of the input byte at `pos`, which must not be before that of the last call. */
static inline uint64_t cst_cursor_index(struct cursor *c, size_t pos)
{
	while (c->seg_i + 1 < c->seg_count && pos >= c->seg[c->seg_i + 1].pos)
		c->seg_i++;
	return c->seg[c->seg_i].offset + (pos - c->seg[c->seg_i].pos);
}

#endif
