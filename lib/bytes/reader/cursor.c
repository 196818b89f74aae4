/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cursor.c - splits the bytes of one trace ID, which arrive in several inputs, into packets.
 */
#include <stddef.h>
#include <string.h>

#include "bytes/reader/cursor.h"

/* Bytes of a full unsynchronised piece in the reference's listings. */
#define UNSYNCED_PIECE 8

void cst_cursor_init(struct cursor *c, const struct cst_protocol_ops *ops, void *parser,
		     const struct cst_config *cfg, void *user)
{
	static const uint8_t nothing[1];

	memset(c, 0, sizeof(*c));
	c->data = nothing;
	c->ops = ops;
	c->ps = parser;
	c->user = user;
	ops->parser_init(parser, cfg, user);
}

size_t cst_cursor_reset(struct cursor *c, const struct cst_config *cfg)
{
	size_t left = c->carry_len + (c->len - c->pos);

	c->ops->parser_init(c->ps, cfg, c->user);
	if (c->listing)
		cst_cursor_listing(c);
	c->len = c->pos = 0;
	c->seg_count = c->seg_i = 0;
	c->carry_len = 0;
	c->piece_next = 0;
	return left;
}

void cst_cursor_listing(struct cursor *c)
{
	c->listing = 1;
	if (c->ops->parser_listing)
		c->ops->parser_listing(c->ps);
}

void cst_cursor_feed(struct cursor *c, const uint8_t *data, size_t len, const struct seg *seg,
		     uint32_t seg_count)
{
	c->data = data;
	c->len = len;
	c->pos = 0;
	c->seg = seg;
	c->seg_count = seg_count;
	c->seg_i = 0;
}

void cst_cursor_copy(struct cursor *to, const struct cursor *from, void *parser)
{
	memcpy(to, from, offsetof(struct cursor, carry));
	memcpy(to->carry, from->carry, from->carry_len);
	memcpy(to->carry_at, from->carry_at, from->carry_len * sizeof(from->carry_at[0]));
	to->ps = parser;
	memcpy(parser, from->ps, from->ops->parser_size);
}

void cst_cursor_switch(struct cursor *c)
{
	if (!c->ops->sub_byte)
		c->ops->parser_init(c->ps, c->next, c->user);
	c->ops->parser_synced(c->ps);
	if (c->listing)
		cst_cursor_listing(c);
	c->next = NULL;
}

static void keep_bytes(struct cst_packet *pkt, const uint8_t *p, size_t size)
{
	unsigned int lead = !!(pkt->flags & CST_PF_LEAD);

	if (size > CST_PACKET_BYTES - lead)
		size = CST_PACKET_BYTES - lead;
	if (lead)
		pkt->bytes[0] = pkt->lead;
	if (size)
		memcpy(pkt->bytes + lead, p, size);
	pkt->nbytes = size + lead;
}

/*
 * Sets bytes and index of a packet for a listing; `last` is the trace offset of its last byte. As in the reference's
 * listings, the index of an unsynchronised piece after a full one is `last` of that one plus 1, though an ID byte of
 * the frame may lie between.
 */
static void keep_packet(struct cursor *c, struct cst_packet *pkt, const uint8_t *p, unsigned int size, uint64_t last)
{
	uint64_t next = c->piece_next;

	c->piece_next = 0;
	keep_bytes(pkt, p, size);
	if (cst_cursor_role(c, pkt) != CST_ROLE_NOT_SYNC || c->ops->piece_by_run)
		return;
	if (next && size && *p)
		pkt->index = next;
	if (size >= UNSYNCED_PIECE)
		c->piece_next = last + 1;
}

/* Sets the trace offsets of the carry's bytes from `old` on, which were copied from the reading position. */
static void carry_input(struct cursor *c, uint32_t old)
{
	uint32_t i;

	for (i = old; i < c->carry_len; i++)
		c->carry_at[i] = cst_cursor_index(c, c->pos + (i - old));
}

/*
 * Makes one byte an incomplete packet, since a custom parser broke a rule of struct cst_protocol_ops: it returned a size
 * beyond the input, or 0 for more bytes than a packet may have.
 */
static unsigned int give_up(struct cursor *c, const uint8_t *p, struct cst_packet *pkt)
{
	c->ops->parse_rest(c->ps, p, p + 1, pkt);
	return 1;
}

/*
 * Returns the size of a packet for which the parser returned a size beyond the input. CST_PARSE_NO_BYTE is valid with
 * `sub_byte`, but not twice in a row, since only one nibble of a byte can be left.
 */
static unsigned int beyond_input(struct cursor *c, const uint8_t *p, const uint8_t *end, unsigned int size,
				 struct cst_packet *pkt)
{
	if (size == CST_PARSE_NO_BYTE && c->ops->sub_byte && !c->no_byte) {
		c->no_byte = 1;
		return size;
	}
	if (p == end)
		return 0;
	c->no_byte = 0;
	return give_up(c, p, pkt);
}

/* Calls the parser, which adds to pkt->finding: findings of an earlier call, with less input, are dropped. */
static unsigned int parse(struct cursor *c, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	unsigned int size;

	memset(pkt->finding, 0, sizeof(pkt->finding));
	size = c->ops->parse(c->ps, p, end, pkt);
	if (size > (size_t)(end - p))
		return beyond_input(c, p, end, size, pkt);
	if (size)
		c->no_byte = 0;
	return size;
}

static int is_zero(const uint8_t *p, size_t n)
{
	while (n && !p[n - 1])
		n--;
	return !n;
}

/* Returns how many of the `size` unsynchronised bytes at the reading position are in its run of trace offsets. */
static unsigned int cut_at_run(const struct cursor *c, unsigned int size)
{
	size_t end = c->seg_i + 1 < c->seg_count ? c->seg[c->seg_i + 1].pos : c->len;

	return end - c->pos < size ? end - c->pos : size;
}

/* True if the input byte at `pos` begins a run of trace offsets. */
static int begins_run(struct cursor *c, size_t pos)
{
	cst_cursor_index(c, pos);
	return c->seg[c->seg_i].pos == pos;
}

/*
 * For a listing: extends an unsynchronised piece in carry[0..size) by the input up to the next zero, or to the end of
 * the run of trace offsets, as the reference lists it. A piece whose run is used up continues in the next run and gets
 * that run's offset. Returns the size, or 0 if the input of the next run has not arrived.
 */
static unsigned int extend_piece(struct cursor *c, struct cst_packet *pkt, unsigned int size, uint32_t old)
{
	size_t pos = c->pos + (c->carry_len - old);
	int fresh = pos >= c->len || begins_run(c, pos);

	if (size != c->carry_len || size >= c->ops->piece_max)
		return size;
	if (fresh && pos >= c->len)
		return 0;
	if (fresh)
		c->carry_at[0] = cst_cursor_index(c, pos);
	while (c->carry_len < c->ops->piece_max && pos < c->len && c->data[pos] && (fresh || !begins_run(c, pos))) {
		c->carry[c->carry_len++] = c->data[pos++];
		fresh = 0;
	}
	pkt->size = c->carry_len;
	return c->carry_len;
}

/* Takes the first `size` bytes out of the carry. */
static void drop_carry(struct cursor *c, uint32_t size)
{
	c->carry_len -= size;
	memmove(c->carry, c->carry + size, c->carry_len);
	memmove(c->carry_at, c->carry_at + size, c->carry_len * sizeof(c->carry_at[0]));
}

/* As cst_cursor_next(), with the beginning of the packet in the carry. */
static int next_from_carry(struct cursor *c, struct cst_packet *pkt, int keep)
{
	uint32_t old = c->carry_len;
	unsigned int size;

	for (;;) {
		size = parse(c, c->carry, c->carry + c->carry_len, pkt);
		if (!size && c->carry_len == sizeof(c->carry))
			size = give_up(c, c->carry, pkt);
		if (size || c->pos + (c->carry_len - old) >= c->len)
			break;
		/* one byte at a time, since bytes after the packet must stay in the input */
		c->carry[c->carry_len] = c->data[c->pos + (c->carry_len - old)];
		c->carry_len++;
	}
	if (size && c->listing && c->ops->piece_max && cst_cursor_role(c, pkt) == CST_ROLE_NOT_SYNC)
		size = extend_piece(c, pkt, size, old);
	if (!size) {
		carry_input(c, old);
		c->pos = c->len;
		c->last = c->carry_at[c->carry_len - 1];
		return 0;
	}
	pkt->index = c->carry_at[0];
	if (size == CST_PARSE_NO_BYTE || (c->ops->sub_byte && pkt->flags & CST_PF_LEAD))
		pkt->index = c->lead_index;
	if (size == CST_PARSE_NO_BYTE)
		size = 0;
	pkt->size = size;
	if (size >= old)
		c->pos += size - old;
	if (c->pos == c->len && c->len)
		c->last = cst_cursor_index(c, c->len - 1);
	if (keep)
		keep_packet(c, pkt, c->carry, size,
			    size > old ? cst_cursor_index(c, c->pos - 1) : c->carry_at[size ? size - 1 : 0]);
	if (size >= old) {
		c->carry_len = 0;
	} else {
		/* a bad packet that ends before the end of the carry: the rest stays there */
		if (size)
			c->lead_index = c->carry_at[size - 1] + 1;
		c->carry_len = old;
		drop_carry(c, size);
	}
	return 1;
}

int cst_cursor_next(struct cursor *c, struct cst_packet *pkt, int keep)
{
	unsigned int size;

	if (c->carry_len)
		return next_from_carry(c, pkt, keep);
	if (c->pos >= c->len && !c->ops->sub_byte)
		return 0;
	if (c->ops->sub_byte)
		c->lead_index = (c->pos ? cst_cursor_index(c, c->pos - 1) : c->last) + 1;
	pkt->index = c->pos < c->len ? cst_cursor_index(c, c->pos) : c->lead_index;
	if (!c->len)	/* no input, or an empty one */
		size = parse(c, c->carry, c->carry, pkt);
	else
		size = parse(c, c->data + c->pos, c->data + c->len, pkt);
	if (!size && c->len - c->pos > sizeof(c->carry))
		size = give_up(c, c->data + c->pos, pkt);
	if (!size) {
		if (c->pos == c->len)
			return 0;
		c->carry_len = c->len - c->pos;
		memcpy(c->carry, c->data + c->pos, c->carry_len);
		carry_input(c, 0);
		c->last = c->carry_at[c->carry_len - 1];
		c->pos = c->len;
		return 0;
	}
	if (size == CST_PARSE_NO_BYTE) {
		/* the same index whether the next input has arrived or not */
		pkt->index = c->lead_index;
		size = 0;
	}
	if (c->listing && c->ops->piece_by_run && cst_cursor_role(c, pkt) == CST_ROLE_NOT_SYNC) {
		unsigned int cut = cut_at_run(c, size);

		if (cut < size && c->ops->piece_max && is_zero(c->data + c->pos, cut)) {
			/* zeros up to the end of the run may begin an A-sync */
			c->carry_len = cut;
			memcpy(c->carry, c->data + c->pos, cut);
			carry_input(c, 0);
			c->pos += cut;
			return next_from_carry(c, pkt, keep);
		}
		size = cut;
	}
	if (c->ops->sub_byte && pkt->flags & CST_PF_LEAD)
		pkt->index = c->lead_index;
	pkt->size = size;
	c->pos += size;
	if (c->pos == c->len && size)
		c->last = cst_cursor_index(c, c->pos - 1);
	if (keep)
		keep_packet(c, pkt, c->data + c->pos - size, size, c->pos ? cst_cursor_index(c, c->pos - 1) : c->last);
	return 1;
}

int cst_cursor_rest(struct cursor *c, struct cst_packet *pkt, int keep)
{
	if (!c->carry_len && !c->ops->sub_byte)
		return 0;
	memset(pkt->finding, 0, sizeof(pkt->finding));
	pkt->flags = 0;
	pkt->size = 0;
	c->ops->parse_rest(c->ps, c->carry, c->carry + c->carry_len, pkt);
	if (!c->carry_len && !(pkt->flags & CST_PF_LEAD))
		return 0;
	pkt->index = pkt->flags & CST_PF_LEAD ? c->lead_index : c->carry_at[0];
	if (!pkt->size || pkt->size > c->carry_len)
		pkt->size = c->carry_len;
	if (keep)
		keep_bytes(pkt, c->carry, pkt->size);
	drop_carry(c, pkt->size);
	return 1;
}
