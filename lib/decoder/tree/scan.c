/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scan.c - finds the timestamps of a stream, and the points at which another program may run, in its packets without
 * decoding elements.
 */
#include "decoder/tree/decoder_int.h"

/* True if another program may run after a packet of this role. */
static int is_break(enum cst_packet_role role)
{
	switch (role) {
	case CST_ROLE_EXCEPTION:
	case CST_ROLE_TRACE_ON:
	case CST_ROLE_LOSS:
	case CST_ROLE_DISCARD:
	case CST_ROLE_NOT_SYNC:
	case CST_ROLE_BAD:
		return 1;
	default:
		return 0;
	}
}

/* Applies the pending configuration at an A-sync packet. Returns 0 if there is none. */
static int switch_config(struct cst_decoder *dec)
{
	if (!dec->cur.next)
		return 0;
	cst_cursor_switch(&dec->cur);
	dec->cfg = dec->next;
	return 1;
}

int cst_decoder_scan(struct cst_decoder *dec, struct cst_scan *found)
{
	const struct protocol *pr = dec->pr;
	struct cursor *c = &dec->cur;
	enum cst_packet_role role;
	struct cst_packet pkt;

	pkt.struct_size = 0;
	for (;;) {
		if (pr->skip && !c->carry_len)
			c->pos += pr->skip(c->ps, c->data + c->pos, c->len - c->pos);
		if (!cst_cursor_next(c, &pkt, 0))
			return 0;
		role = cst_cursor_role(c, &pkt);
		found->index = pkt.index;
		found->trace_id = dec->cfg.trace_id;
		if (role == CST_ROLE_TIMESTAMP && pkt.ts) {
			found->kind = CST_SCAN_TIMESTAMP;
			found->ts = pkt.ts;
			return 1;
		}
		if (is_break(role) || (role == CST_ROLE_ASYNC && switch_config(dec))) {
			found->kind = CST_SCAN_BREAK;
			found->ts = 0;
			return 1;
		}
	}
}
