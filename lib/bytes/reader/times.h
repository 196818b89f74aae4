/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * times.h - timestamp packets of ETMv3 and PTM. A packet omits the upper bits that have not changed since the last one
 * (IHI 0014Q 7.7.4, IHI 0035B 4.5.9). A loss may have dropped a packet that changed them, so that after it the time is
 * unknown until every bit has been sent again, which trace units do periodically (IHI 0035B 4.11, T-sync).
 */
#ifndef CST_LIB_BYTES_READER_TIMES_H
#define CST_LIB_BYTES_READER_TIMES_H

#include <cstrace/config.h>
#include <cstrace/packet.h>

#include "base/bits.h"
#include "bytes/reader/packet_bytes.h"

struct times {
	uint64_t sent;	/* last timestamp as sent: Gray code if cfg->ts_gray */
	uint8_t known;	/* number of low bits that were sent since the last loss */
};

/* Reads the bytes after the header. pkt->value is the time as sent. Returns 0, with pkt->ts 0, if bits are unknown. */
static inline int get_time(struct reader *r, const struct cst_config *cfg, struct times *t, struct cst_packet *pkt)
{
	const unsigned int full = cfg->ts64 ? 64 : 48;

	pkt->ts_bits = get_timestamp(r, full, &t->sent);
	if (pkt->ts_bits > t->known)
		t->known = pkt->ts_bits;
	pkt->value = t->sent;
	if (t->known < full)
		pkt->ts = 0;
	else
		pkt->ts = cfg->ts_gray ? gray_to_binary(t->sent) : t->sent;
	return t->known == full;
}

#endif
