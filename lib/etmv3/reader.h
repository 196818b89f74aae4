/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reader.h - bytes of one ETMv3 packet, and the payloads that are files by themselves.
 */
#ifndef CST_LIB_ETMV3_READER_H
#define CST_LIB_ETMV3_READER_H

#include "etmv3/etmv3.h"
#include "log/log.h"

/*
 * A reader over [p, end): `more` is set when bytes past the end are needed, `bad` after something that no packet
 * has. Nothing is read after that, so that the size of a bad packet does not depend on how much is there.
 */
struct reader {
	const uint8_t *p, *end;
	uint8_t more, bad;
};

static inline uint8_t get8(struct reader *r)
{
	if (r->bad)
		return 0;
	if (r->p >= r->end) {
		r->more = 1;
		return 0;
	}
	return *r->p++;
}

static inline uint32_t get_le(struct reader *r, unsigned int bytes)
{
	uint32_t v = 0;
	unsigned int i;

	for (i = 0; i < bytes; i++)
		v |= (uint32_t)get8(r) << (8 * i);
	return v;
}

/* What follows the header; nothing in *ps changes when the packet is not complete, or is bad. */
void cst_etmv3_parse_branch(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
void cst_etmv3_parse_isync(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);
void cst_etmv3_parse_data(struct etmv3_parser *ps, struct reader *r, struct cst_packet *pkt);

#endif
