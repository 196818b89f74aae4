/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.c - bytes of the ETMv4 data trace stream to packets, as far as they are publicly described (packets.def).
 */
#include <string.h>

#include "bytes/reader/async.h"
#include "bytes/reader/packet_bytes.h"
#include "protocols/etmv4d/etmv4d.h"

/* enum cst_packet_role by type */
#define TYPE(t, role) [CST_ETMV4D_PKT_##t] = CST_ROLE_##role,
const uint8_t cst_etmv4d_roles[CST_ETMV4D_PKT_TYPES] = {
#include "protocols/etmv4d/packets.def"
};

void cst_etmv4d_parser_init(void *parser, const struct cst_config *cfg, void *user)
{
	struct etmv4d_parser *ps = parser;

	(void)user;
	static const struct {
		uint8_t first, last, type;
	} headers[] = {
#define PKT(f, l, t) { f, l, CST_ETMV4D_PKT_##t },
#include "protocols/etmv4d/packets.def"
	};
	unsigned int i, h;

	memset(ps, 0, sizeof(*ps));
	ps->cfg = cfg;
	memset(ps->type, CST_ETMV4D_PKT_RESERVED, sizeof(ps->type));
	for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		for (h = headers[i].first; h <= headers[i].last; h++)
			ps->type[h] = headers[i].type;
}

static void timestamp(struct etmv4d_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	pkt->ts_bits = get_timestamp(r, 64, &ps->ts);
	pkt->ts = ps->ts;
}

static void event(struct reader *r, struct cst_packet *pkt)
{
	uint8_t b = get8(r);

	pkt->event = b & 15;
	if (b & 0xf0)
		pkt->finding[0] = CST_FIND_RESERVED_BITS;
}

static void extension(struct etmv4d_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	static const uint8_t types[256] = {
#define EXT(c, t) [c] = CST_ETMV4D_PKT_##t,
#include "protocols/etmv4d/packets.def"
	};
	uint8_t b = get8(r);
	unsigned int i;

	if (r->more)
		return;
	pkt->type = types[b];
	switch (pkt->type) {
	case CST_ETMV4D_PKT_ASYNC:
		for (i = 2; i < ETMV4D_ASYNC_SIZE && !r->more && !r->bad; i++)
			if (get8(r) != (i == ETMV4D_ASYNC_SIZE - 1 ? 0x80 : 0) && !r->more)
				r->bad = 1;
		/* the byte may end an A-sync with more zeros, or with zeros of the packet before: hunt() searches from it */
		r->p -= r->bad;
		break;
	case CST_ETMV4D_PKT_TRACE_INFO:
		if (get_trace_info(r, pkt))
			ps->ts = 0;
		break;
	case CST_ETMV4D_PKT_SYNC_NUM:
		pkt->event = b >> 1 & 7;
		break;
	case 0:
		pkt->type = CST_ETMV4D_PKT_RESERVED;
		r->p--;
		break;
	}
}

/* Searches for an A-sync. Returns the bytes before it, or the A-sync if p is in it. */
static unsigned int hunt(struct etmv4d_parser *ps, const uint8_t *p, const uint8_t *end, struct cst_packet *pkt)
{
	unsigned int size = cst_async_hunt(p, end, &ps->zeros, ETMV4D_ASYNC_SIZE - 1,
					   ETMV4D_ASYNC_SIZE - 1, &ps->synced);

	pkt->type = ps->synced ? CST_ETMV4D_PKT_ASYNC : CST_ETMV4D_PKT_NOT_SYNC;
	return size;
}

static void begin(const struct etmv4d_parser *ps, struct cst_packet *pkt, uint8_t header)
{
	packet_start(pkt, ps->cfg->protocol, header, 0);
	pkt->event = 0;
}

unsigned int cst_etmv4d_parse(void *parser, const uint8_t *p, const uint8_t *end,
			      struct cst_packet *pkt)
{
	struct etmv4d_parser *ps = parser;
	struct reader r = { p + 1, end, 0, 0, 0 };
	uint64_t ts = ps->ts;

	if (p >= end)
		return 0;
	begin(ps, pkt, *p);
	if (!ps->synced)
		return hunt(ps, p, end, pkt);
	pkt->type = ps->type[*p];
	switch (pkt->type) {
	case CST_ETMV4D_PKT_TIMESTAMP:
		timestamp(ps, &r, pkt);
		break;
	case CST_ETMV4D_PKT_EVENT:
		event(&r, pkt);
		break;
	case CST_ETMV4D_PKT_RESERVED:
		if (!*p)
			extension(ps, &r, pkt);
		break;
	default:
		pkt->event = *p;
	}
	if (r.more && !r.bad) {
		ps->ts = ts;
		pkt->finding[0] = 0;
		return 0;
	}
	if (r.bad || (pkt->finding[0] && ps->cfg->strict)) {
		pkt->bad_type = pkt->type;
		pkt->type = CST_ETMV4D_PKT_BAD_SEQUENCE;
	}
	if (cst_etmv4d_roles[pkt->type] == CST_ROLE_BAD)
		ps->synced = 0;
	ps->zeros = zeros_after(p, r.p, ps->zeros, ETMV4D_ASYNC_SIZE);
	return r.p - p;
}

void cst_etmv4d_parse_rest(void *parser, const uint8_t *p, const uint8_t *end,
			   struct cst_packet *pkt)
{
	struct etmv4d_parser *ps = parser;

	(void)end;
	begin(ps, pkt, *p);
	pkt->bad_type = ps->type[*p];
	pkt->type = ps->synced ? CST_ETMV4D_PKT_INCOMPLETE : CST_ETMV4D_PKT_NOT_SYNC;
}
