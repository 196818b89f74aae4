/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scan.c - the timestamps of a stream and the places where a program can have been interrupted, found in its packets
 * without decoding elements.
 */
#include "tree/decoder.h"

/* A program is interrupted here, or what it did is not known. */
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

/* The packet is an A-sync: the configuration of cst_decoder_reconfigure() takes effect. 0: none waits. */
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
