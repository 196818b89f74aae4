/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * address_fields.h - addresses in Target Address, Source Address and Q packets, and the address history (Arm ARM K10.5.2.14,
 * K10.5.2.18.4). Inline for the fast path.
 */
#ifndef CST_LIB_PROTOCOLS_ETMV4_ADDRESS_FIELDS_H
#define CST_LIB_PROTOCOLS_ETMV4_ADDRESS_FIELDS_H

#include "protocols/etmv4/etmv4.h"

/* Forms of an address: the `address` column of packets.def. */
enum address_form { ADDRESS_NONE, ADDRESS_MATCH, ADDRESS_SHORT, ADDRESS_LONG32, ADDRESS_LONG64 };

/* struct etmv4_parser.address: the form, ADDRESS_TARGET of a Target Address packet without a context, ADDRESS_IS1. */
#define ADDRESS_IS1 1u
#define ADDRESS_TARGET 2u
#define ADDRESS_FORM_SHIFT 2

static inline uint32_t etmv4_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

struct etmv4_address {
	uint64_t value;
	uint8_t bits, is;
	uint8_t odd;		/* long address: a value is reserved */
	uint8_t match;		/* exact match: the entry of the address history */
};

/* Reads the address after header `h`, at `p`. Returns its end, or NULL if the input ends in it. */
static inline const uint8_t *etmv4_read_address(const struct etmv4_parser *ps, unsigned int h, const uint8_t *p,
					  const uint8_t *end, struct etmv4_address *a)
{
	const enum address_form form = ps->address[h] >> ADDRESS_FORM_SHIFT;
	const unsigned int is = ps->address[h] & ADDRESS_IS1, low = is ? 1 : 2;
	uint64_t v;
	uint32_t w;

	if (form == ADDRESS_MATCH) {
		a->match = h & 3;
		a->value = ps->hist[a->match].addr;
		a->bits = ps->hist[a->match].bits;
		a->is = ps->hist[a->match].is;
		a->odd = 0;
		return p;
	}
	a->is = (uint8_t)is;
	if (form == ADDRESS_SHORT) {
		if (p == end || (*p & 0x80 && end - p < 2))
			return NULL;
		a->bits = (uint8_t)((*p & 0x80 ? 15 : 7) + low);
		a->odd = 0;
		v = *p & 0x7f;
		if (*p++ & 0x80)
			v |= (uint64_t)*p++ << 7;
		a->value = (ps->hist[0].addr & ~((1ull << a->bits) - 1)) | v << low;
		return p;
	}
	a->bits = form == ADDRESS_LONG64 ? 64 : 32;
	if (end - p < a->bits / 8)
		return NULL;
	w = etmv4_le32(p);
	a->odd = (w & (is ? 0x80 : 0x8080)) || (form == ADDRESS_LONG64 && !ps->cfg->ia64);
	v = is ? (w & 0x7f) << 1 | (w & ~0xffu) : (w & 0x7f) << 2 | (w & 0x7f00) << 1 | (w & ~0xffffu);
	v |= form == ADDRESS_LONG64 ? (uint64_t)etmv4_le32(p + 4) << 32 : ps->hist[0].addr & ~0xffffffffull;
	a->value = v;
	return p + a->bits / 8;
}

/* Adds an address to the address history buffer (K10.5.2.18.4). */
static inline void etmv4_push_history(struct etmv4_parser *ps, const struct etmv4_address *a)
{
	ps->hist[2] = ps->hist[1];
	ps->hist[1] = ps->hist[0];
	ps->hist[0].addr = a->value;
	ps->hist[0].is = a->is;
	ps->hist[0].bits = a->bits;
}

#endif
