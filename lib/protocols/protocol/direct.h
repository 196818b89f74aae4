/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * direct.h - single packets in the fast path of a protocol (struct protocol.run). The functions are called with
 * constants, so that the compiler makes an instance for each protocol.
 */
#ifndef CST_LIB_PROTOCOLS_PROTOCOL_DIRECT_H
#define CST_LIB_PROTOCOLS_PROTOCOL_DIRECT_H

#include <cstrace/decoder.h>

#include "base/log_int.h"
#include "protocols/protocol/protocol_int.h"

typedef unsigned int direct_parse(void *parser, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt);

/*
 * Parses the packet at the cursor, whose carry is empty, and logs its findings. Returns 0, with the cursor where it was,
 * if the packet is incomplete or a new configuration waits for the next A-sync.
 */
static inline __attribute__((always_inline)) int direct_packet(const struct fast *x, direct_parse *parse, struct cst_packet *pkt)
{
	struct cursor *c = x->c;
	unsigned int size;

	if (c->next || c->pos == c->len)
		return 0;
	pkt->finding[0] = pkt->finding[1] = 0;
	size = parse(c->ps, c->data + c->pos, c->data + c->len, pkt);
	if (!size)
		return 0;
	c->no_byte = size == CST_PARSE_NO_BYTE;
	pkt->size = c->no_byte ? 0 : size;
	if (!(pkt->flags & CST_PF_LEAD))
		pkt->index = cst_cursor_index(c, c->pos);
	else
		pkt->index = (c->pos ? cst_cursor_index(c, c->pos - 1) : c->last) + 1;
	c->pos += pkt->size;
	if (c->pos == c->len)
		c->last = cst_cursor_index(c, c->len - 1);
	x->stats->packets++;
	if (pkt->finding[0] && x->log)
		cst_log_packet(x->log, x->f->emit.tmpl.trace_id, pkt, x->f->cfg->strict);
	return 1;
}

/*
 * Passes the packet at the cursor through parser, element stage and flow. Returns 0 as direct_packet() does, or if
 * cst_flow_run() has set f->busy or f->stopped.
 */
static inline __attribute__((always_inline)) int
direct_elements(const struct fast *x, direct_parse *parse, void (*packet)(void *stage, const struct cst_packet *pkt),
		const struct cst_element *(*take)(void *stage), struct cst_generic *out, size_t *n, size_t cap)
{
	const struct cst_element *elem;
	struct cst_packet pkt;

	if (!direct_packet(x, parse, &pkt))
		return 0;
	packet(x->stage, &pkt);
	while ((elem = take(x->stage))) {
		cst_flow_give(x->f, elem);
		cst_flow_run(x->f, out, n, cap);
		if (x->f->work.busy | x->f->stop.stopped)
			return 0;
	}
	return 1;
}

#endif
