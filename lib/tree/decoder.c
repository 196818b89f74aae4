/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decoder.c - one trace ID: bytes to packets to elements to generic elements, pulled by the caller.
 */
#include <stdlib.h>
#include <string.h>

#include <cstrace/error.h>

#include "tree/decoder.h"

/* Packets that may stand between an indirect branch and its target. */
#define PEEK_PACKETS 16

int cst_decoder_new(struct cst_decoder **out, const struct cst_config *cfg)
{
	struct cst_decoder *dec;
	int err;

	if (cfg->protocol != CST_PROTO_ETMV4 && cfg->protocol != CST_PROTO_ETE)
		return -CST_ERR_PROTOCOL;
	dec = calloc(1, sizeof(*dec));
	if (!dec)
		return -CST_ERR_NOMEM;
	dec->cfg = *cfg;
	cst_etmv4_parser_init(&dec->cur.ps, &dec->cfg);
	cst_flow_init(&dec->flow, &dec->cfg, &dec->stats);
	err = cst_etmv4_queue_init(&dec->queue, &dec->cfg, &dec->stats);
	if (err) {
		free(dec);
		return err;
	}
	*out = dec;
	return 0;
}

void cst_decoder_free(struct cst_decoder *dec)
{
	if (!dec)
		return;
	cst_etmv4_queue_free(&dec->queue);
	free(dec);
}

int cst_decoder_reconfigure(struct cst_decoder *dec, const struct cst_config *cfg)
{
	if (cfg->protocol != CST_PROTO_ETMV4 && cfg->protocol != CST_PROTO_ETE)
		return -CST_ERR_PROTOCOL;
	if (cfg->trace_id != dec->cfg.trace_id)
		return -CST_ERR_INVAL;
	if (dec->switching)	/* what has been waiting holds already */
		return -CST_ERR_BUSY;
	dec->next = *cfg;
	dec->cur.next = &dec->next;
	dec->peek.known = dec->stretch.known = 0;
	return 0;
}

/* Nothing is left that was made under the old configuration. */
static void apply_config(struct cst_decoder *dec)
{
	uint8_t id = dec->flow.tmpl.trace_id;

	dec->cfg = dec->next;
	dec->cur.ps.cfg = &dec->cfg;
	dec->cur.next = NULL;
	dec->switching = 0;
	cst_flow_configure(&dec->flow);
	memset(&dec->flow.tmpl, 0, sizeof(dec->flow.tmpl));
	dec->flow.tmpl.trace_id = id;
	dec->peek.known = dec->stretch.known = 0;
}

/* After an A-sync: packets from here on have the layout of the configuration that has been waiting. */
static void switch_parser(struct cursor *c)
{
	uint8_t listing = c->ps.listing;

	cst_etmv4_parser_init(&c->ps, c->next);
	c->ps.synced = 1;
	c->ps.listing = listing;
	c->next = NULL;
}

void cst_decoder_reset(struct cst_decoder *dec, enum cst_unsync_reason reason)
{
	struct cst_generic tmpl = dec->flow.tmpl;
	uint8_t config = dec->cur.next || dec->switching;

	if (config)
		apply_config(dec);
	dec->stats.unsynced += dec->cur.carry_len + (dec->cur.len - dec->cur.pos);
	cst_etmv4_parser_init(&dec->cur.ps, &dec->cfg);
	dec->cur.len = dec->cur.pos = 0;
	dec->cur.seg_count = dec->cur.seg_i = 0;
	dec->cur.carry_len = 0;
	dec->stats.uncommitted += dec->queue.depth - dec->queue.unseen;
	cst_etmv4_queue_reset(&dec->queue, reason);
	cst_flow_reset(&dec->flow);
	dec->flow.busy = 0;
	memset(&dec->flow.tmpl, 0, sizeof(tmpl));
	dec->flow.tmpl.trace_id = tmpl.trace_id;
	dec->ended = 0;
	dec->stopped = CST_STOP_NONE;
	dec->peek.known = dec->stretch.known = 0;
	dec->queue.config = config;
}

void cst_decoder_set_space(struct cst_decoder *dec, struct cst_space *space)
{
	cst_flow_set_space(&dec->flow, space);
}

void cst_decoder_set_stop(struct cst_decoder *dec, unsigned mask)
{
	dec->flow.stop_mask = mask;
}

const struct cst_config *cst_decoder_config(const struct cst_decoder *dec)
{
	return &dec->cfg;
}

const struct cst_stats *cst_decoder_stats(const struct cst_decoder *dec)
{
	return &dec->stats;
}

void cst_decoder_set_cookie(struct cst_decoder *dec, void *cookie)
{
	dec->cookie = cookie;
}

void *cst_decoder_cookie(const struct cst_decoder *dec)
{
	return dec->cookie;
}

enum cst_stop cst_decoder_stopped(const struct cst_decoder *dec)
{
	return dec->stopped;
}

struct cst_section *cst_decoder_section(const struct cst_decoder *dec)
{
	return dec->flow.lazy;
}

uint64_t cst_decoder_wanted(const struct cst_decoder *dec)
{
	return dec->flow.wanted;
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

int cst_decoder_feed_segs(struct cst_decoder *dec, const uint8_t *data, size_t len,
			  const struct seg *seg, uint32_t seg_count)
{
	if (dec->cur.pos < dec->cur.len || dec->ended)
		return -CST_ERR_BUSY;
	cst_cursor_feed(&dec->cur, data, len, seg, seg_count);
	dec->stats.bytes += len;
	dec->fed++;
	return 0;
}

int cst_decoder_feed(struct cst_decoder *dec, const uint8_t *data, size_t len, uint64_t offset)
{
	if (dec->cur.pos < dec->cur.len)
		return -CST_ERR_BUSY;
	dec->one.pos = 0;
	dec->one.offset = offset;
	return cst_decoder_feed_segs(dec, data, len, &dec->one, 1);
}

void cst_decoder_end(struct cst_decoder *dec)
{
	dec->ended = 1;
}

int cst_decoder_idle(const struct cst_decoder *dec)
{
	return dec->cur.pos >= dec->cur.len;
}

/* Trace offset of the input byte at `pos`; `pos` never goes back. */
static inline uint64_t index_of(struct cursor *c, size_t pos)
{
	while (c->seg_i + 1 < c->seg_count && pos >= c->seg[c->seg_i + 1].pos)
		c->seg_i++;
	return c->seg[c->seg_i].offset + (pos - c->seg[c->seg_i].pos);
}

static void keep_bytes(struct cst_packet *pkt, const uint8_t *p, unsigned int size)
{
	pkt->nbytes = size < CST_PACKET_BYTES ? size : CST_PACKET_BYTES;
	memcpy(pkt->bytes, p, pkt->nbytes);
}

/*
 * Bytes and place of a packet for a listing. As in the reference's listings, a piece of unsynchronised
 * bytes that was full stands right before the next one, though an ID byte of the frame may lie between.
 */
static void keep_packet(struct cursor *c, struct cst_packet *pkt, const uint8_t *p, unsigned int size)
{
	uint64_t next = c->piece_next;

	c->piece_next = 0;
	keep_bytes(pkt, p, size);
	if (pkt->type != CST_PKT_NOT_SYNC)
		return;
	if (next && *p)
		pkt->index = next;
	if (size >= ETMV4_UNSYNCED_PIECE)
		c->piece_next = (c->pos ? index_of(c, c->pos - 1) : c->carry_last) + 1;
}

/* Next packet while bytes of a cut one are waiting. */
static int next_from_carry(struct cursor *c, struct cst_packet *pkt, int keep)
{
	uint32_t old = c->carry_len, take;
	unsigned int size;

	for (;;) {
		size = cst_etmv4_parse(&c->ps, c->carry, c->carry + c->carry_len, pkt);
		if (size || c->pos + (c->carry_len - old) >= c->len || c->carry_len == sizeof(c->carry))
			break;
		take = sizeof(c->carry) - c->carry_len;
		if (take > c->len - c->pos - (c->carry_len - old))
			take = c->len - c->pos - (c->carry_len - old);
		/* a byte at a time would do; more would only be put back */
		if (take > 1)
			take = 1;
		memcpy(c->carry + c->carry_len, c->data + c->pos + (c->carry_len - old), take);
		c->carry_len += take;
	}
	if (!size) {
		c->pos = c->len;
		if (c->len)
			c->carry_last = index_of(c, c->len - 1);
		return 0;
	}
	pkt->index = c->carry_index;
	pkt->size = size;
	if (size >= old)
		c->pos += size - old;
	if (keep)
		keep_packet(c, pkt, c->carry, size);
	if (size >= old) {
		c->carry_len = 0;
	} else {
		/* the packet was shorter than what waited (a bad one): the rest waits on */
		memmove(c->carry, c->carry + size, old - size);
		c->carry_len = old - size;
		c->carry_index = c->carry_len == 1 ? c->carry_last : c->carry_index + size;
	}
	return 1;
}

static int next_packet(struct cursor *c, struct cst_packet *pkt, int keep)
{
	unsigned int size;

	if (c->carry_len)
		return next_from_carry(c, pkt, keep);
	if (c->pos >= c->len)
		return 0;
	pkt->index = index_of(c, c->pos);
	size = cst_etmv4_parse(&c->ps, c->data + c->pos, c->data + c->len, pkt);
	if (!size) {
		c->carry_len = c->len - c->pos;
		c->carry_index = pkt->index;
		c->carry_last = index_of(c, c->len - 1);
		memcpy(c->carry, c->data + c->pos, c->carry_len);
		c->pos = c->len;
		return 0;
	}
	pkt->size = size;
	c->pos += size;
	if (keep)
		keep_packet(c, pkt, c->data + c->pos - size, size);
	return 1;
}

/* The end of the stream: a cut packet first, then the end itself. */
static int finish(struct cst_decoder *dec, struct cst_packet *pkt, int keep)
{
	struct cursor *c = &dec->cur;

	if (!dec->ended || dec->queue.ended)
		return 0;
	if (c->carry_len) {
		cst_etmv4_parse_rest(&c->ps, c->carry, c->carry + c->carry_len, pkt);
		pkt->index = c->carry_index;
		if (keep)
			keep_bytes(pkt, c->carry, c->carry_len);
		c->carry_len = 0;
		return 1;
	}
	cst_etmv4_queue_end(&dec->queue);
	return 0;
}

static int take_packet(struct cst_decoder *dec, struct cst_packet *pkt, int keep)
{
	if (dec->switching)	/* a caller that lists packets took none of the elements */
		apply_config(dec);
	if (!next_packet(&dec->cur, pkt, keep) && !finish(dec, pkt, keep))
		return 0;
	dec->stats.packets++;
	cst_etmv4_queue_packet(&dec->queue, pkt);
	if (pkt->type == CST_PKT_ASYNC && dec->cur.next) {
		cst_etmv4_queue_restart(&dec->queue, pkt->index);
		switch_parser(&dec->cur);
		dec->switching = 1;
	}
	return 1;
}

int cst_decoder_next_packet(struct cst_decoder *dec, struct cst_packet *pkt)
{
	dec->manual = 1;
	dec->cur.ps.listing = 1;
	return take_packet(dec, pkt, 1);
}

/*
 * Runs of atom and address packets whose elements are final at once: the common case gets no queue.
 * An address is final with the P0 element that follows, so that must be in the input as well.
 */
static void run_direct(struct cst_decoder *dec, struct cst_generic *out, size_t *n, size_t cap)
{
	struct cursor *c = &dec->cur;
	struct cst_flow *f = &dec->flow;
	uint64_t index = dec->queue.last_index;
	size_t first = c->pos, used, end;
	struct cst_packet pkt;
	uint64_t addresses = 0, bytes = 0;

	while (c->pos < c->len) {
		uint8_t h = c->data[c->pos];

		index = index_of(c, c->pos);
		if (h >= 0xc0) {
			end = c->seg_i + 1 < c->seg_count ? c->seg[c->seg_i + 1].pos : c->len;
			used = cst_flow_fast(f, cst_etmv4_atoms, c->data + c->pos, end - c->pos,
					     index, out, n, cap);
			c->pos += used;
			if (used) {
				index += used - 1;
			} else {
				cst_flow_give_atoms(f, cst_etmv4_atoms[h - 0xc0].bits,
						    cst_etmv4_atoms[h - 0xc0].n, index);
				c->pos++;
			}
			if (f->busy) {
				cst_flow_run(f, out, n, cap);
				if (f->busy | f->stopped)
					break;
			}
			continue;
		}
		switch (dec->cur.ps.type[h]) {
		case CST_PKT_ADDR_MATCH: case CST_PKT_ADDR_SHORT: case CST_PKT_ADDR_32:
		case CST_PKT_ADDR_64:
			break;
		default:
			goto out;
		}
		if (c->len - c->pos < 10 || f->q_pending)
			break;
		used = cst_etmv4_parse(&c->ps, c->data + c->pos, c->data + c->len, &pkt);
		c->pos += used;
		pkt.index = index;
		pkt.size = used;
		addresses++;
		bytes += used;
		if (c->data[c->pos] < 0xc0) {
			cst_etmv4_queue_packet(&dec->queue, &pkt);
			break;
		}
		cst_flow_address(f, pkt.addr, pkt.is);
	}
out:
	dec->stats.packets += c->pos - first - bytes + addresses;
	dec->queue.last_index = index;
}

int cst_decoder_pull(struct cst_decoder *dec, struct cst_generic *out, size_t cap)
{
	struct cst_flow *f = &dec->flow;
	const struct cst_element *el;
	struct cst_packet pkt;
	size_t n = 0;

	if (cap < FLOW_ROOM || cap > INT32_MAX)
		return -CST_ERR_INVAL;
	dec->stopped = CST_STOP_NONE;
	for (;;) {
		if (f->busy) {
			cst_flow_run(f, out, &n, cap);
			if (f->stopped || f->busy)
				break;
		}
		el = cst_etmv4_queue_take(&dec->queue);
		if (el) {
			cst_flow_give(f, el);
			continue;
		}
		if (dec->manual)
			break;
		if (!dec->cur.carry_len && dec->cur.pos < dec->cur.len &&
		    dec->cur.data[dec->cur.pos] >= 0xc0 && cst_etmv4_queue_settle(&dec->queue))
			continue;
		if (!dec->cur.carry_len && cst_etmv4_queue_direct(&dec->queue)) {
			f->stopped = 0;
			run_direct(dec, out, &n, cap);
			if (f->stopped || f->busy)
				break;
		}
		if (!take_packet(dec, &pkt, 0)) {
			/* the end of the trace may have made elements final */
			el = cst_etmv4_queue_take(&dec->queue);
			if (!el)
				break;
			cst_flow_give(f, el);
		}
	}
	dec->stopped = f->stopped;
	f->stopped = 0;
	if (dec->stopped == CST_STOP_CONFIG && dec->switching)
		apply_config(dec);
	dec->stats.elements += n;
	return n;
}

/* A program is interrupted here, or what it did is not known. */
static int ends_stretch(uint8_t type)
{
	switch (type) {
	case CST_PKT_EXCEPTION:
	case CST_PKT_PE_RESET:
	case CST_PKT_TRACE_ON:
	case CST_PKT_OVERFLOW:
	case CST_PKT_DISCARD:
	case CST_PKT_NOT_SYNC:
	case CST_PKT_BAD_SEQUENCE:
	case CST_PKT_RESERVED:
	case CST_PKT_RESERVED_CFG:
		return 1;
	}
	return 0;
}

int cst_cursor_find_timestamp(struct cursor *c, int stretch, uint64_t *ts)
{
	struct cst_packet pkt;

	for (;;) {
		if (!c->carry_len && c->ps.synced)
			while (c->pos < c->len && c->data[c->pos] >= 0xc0)
				c->pos++;
		if (!next_packet(c, &pkt, 0))
			return 0;
		if (pkt.type == CST_PKT_TIMESTAMP && pkt.ts) {
			*ts = pkt.ts;
			return 1;
		}
		if (pkt.type == CST_PKT_ASYNC && c->next)
			switch_parser(c);
		else if (!stretch || !ends_stretch(pkt.type))
			continue;
		if (stretch)
			return -1;
	}
}

static int look_ahead(struct cst_decoder *dec, struct peek *p, int stretch, uint64_t *ts)
{
	struct cursor c;
	int r;

	if (dec->flow.busy && dec->flow.el.kind == CST_EL_TIMESTAMP && dec->flow.el.value) {
		*ts = dec->flow.el.value;
		return 1;
	}
	r = cst_etmv4_queue_timestamp(&dec->queue, stretch, ts);
	if (r)
		return r > 0;
	/* what was found the last time holds as long as the stream has not come to it */
	if (!p->known || p->fed != dec->fed || (p->pos != SIZE_MAX && dec->cur.pos >= p->pos)) {
		c = dec->cur;
		p->known = 1;
		p->fed = dec->fed;
		r = cst_cursor_find_timestamp(&c, stretch, &p->ts);
		p->pos = r ? c.pos : SIZE_MAX;
		if (!r && dec->tree)
			r = cst_tree_find_timestamp(dec->tree, &c, dec->cfg.trace_id, stretch, &p->ts);
		p->found = r > 0;
	}
	if (p->found)
		*ts = p->ts;
	return p->found;
}

int cst_decoder_peek_timestamp(struct cst_decoder *dec, uint64_t *ts)
{
	return look_ahead(dec, &dec->peek, 0, ts);
}

int cst_decoder_peek_stretch(struct cst_decoder *dec, uint64_t *ts)
{
	return look_ahead(dec, &dec->stretch, 1, ts);
}

int cst_decoder_peek_address(struct cst_decoder *dec, uint64_t *addr)
{
	struct cursor c = dec->cur;
	struct cst_packet pkt;
	unsigned int i;
	int r = cst_etmv4_queue_address(&dec->queue, addr);

	if (r)
		return r > 0;
	if (!dec->flow.need_addr) {
		*addr = dec->flow.addr;
		return 1;
	}
	/* a context, a timestamp and the like may come first */
	for (i = 0; i < PEEK_PACKETS && next_packet(&c, &pkt, 0); i++)
		switch (pkt.type) {
		case CST_PKT_ADDR_MATCH: case CST_PKT_ADDR_SHORT: case CST_PKT_ADDR_32: case CST_PKT_ADDR_64:
		case CST_PKT_ADDR_CTXT_32: case CST_PKT_ADDR_CTXT_64:
			*addr = pkt.addr;
			return 1;
		case CST_PKT_CONTEXT: case CST_PKT_TIMESTAMP: case CST_PKT_CCNT_F1: case CST_PKT_CCNT_F2:
		case CST_PKT_CCNT_F3: case CST_PKT_EVENT: case CST_PKT_IGNORE: case CST_PKT_TS_MARKER:
			break;
		default:
			return 0;
		}
	return 0;
}
