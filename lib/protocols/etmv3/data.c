/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * data.c - data packets (IHI 0014Q 7.4): addresses, of which a packet has the low bits that differ from the last one,
 * and values, in order or out of order.
 */
#include "base/bits.h"
#include "base/log_int.h"
#include "protocols/etmv3/etmv3.h"

static const uint8_t value_bytes[4] = { 0, 1, 2, 4 };

struct data_addr {
	uint32_t value;
	uint8_t bits, full, big_endian;
};

static void get_address(struct data_addr *a, struct reader *r, struct cst_packet *pkt)
{
	unsigned int i;
	uint8_t b;

	for (i = 0; i < 4; i++) {
		b = get8(r);
		a->value |= (uint32_t)(b & 0x7f) << a->bits;
		a->bits += 7;
		if (!BIT(b, 7))
			return;
	}
	b = get8(r);
	a->value |= (uint32_t)(b & 0x0f) << 28;
	a->bits = 32;
	a->full = 1;
	a->big_endian = BIT(b, 4);
	if (BITS(b, 7, 5))
		packet_finding(pkt, CST_FIND_ETMV3_RESERVED_BITS);
}

/* Header bit 5 is set if an address follows, provided that addresses are traced; bits 3:2 are the size or the tag. */
void cst_etmv3_parse_data(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt)
{
	const struct cst_config *cfg = ps->cfg;
	unsigned int h = pkt->header, size = value_bytes[BITS(h, 3, 2)], address, value = 0;
	struct data_addr a = { 0 };

	/* 0x6a and 0x7a differ in bit 4 only */
	address = pkt->type == CST_ETMV3_PKT_NOT_TRACED ? BIT(h, 4) : BIT(h, 5);
	address &= cfg->data_addr && pkt->type != CST_ETMV3_PKT_OOO_DATA;
	if (address)
		get_address(&a, r, pkt);
	pkt->vsize = 0;
	pkt->value = 0;
	pkt->tag = 0;
	switch (pkt->type) {
	case CST_ETMV3_PKT_DATA:
		value = cfg->data_value;
		break;
	case CST_ETMV3_PKT_OOO_DATA:
		pkt->tag = BITS(h, 6, 5);
		value = 1;
		break;
	case CST_ETMV3_PKT_OOO_PLACE:
		pkt->tag = BITS(h, 3, 2);
		break;
	}
	if (value) {
		pkt->value = get_le(r, size);
		pkt->vsize = size;
		pkt->flags |= CST_ETMV3_PF_VALUE;
	}
	if (r->more || (pkt->finding[0] && cfg->strict))
		return;
	if (address) {
		uint32_t mask = a.bits < 32 ? (1u << a.bits) - 1 : ~0u;

		ps->data_addr = (ps->data_addr & ~mask) | a.value;
		if (a.bits > ps->data_known)
			ps->data_known = a.bits;
		if (a.full)
			ps->big_endian = a.big_endian;
		pkt->flags |= CST_PF_ADDR;
		pkt->addr = ps->data_addr;
		pkt->addr_bits = a.bits;
		pkt->match = ps->data_known;
	}
	if (ps->big_endian)
		pkt->flags |= CST_ETMV3_PF_BIG_ENDIAN;
}
