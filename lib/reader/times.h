/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * times.h - timestamp packets of ETMv3 and PTM. They leave out the upper bits that have not changed since they were sent
 * the last time (IHI 0014Q 7.7.4, IHI 0035B 4.5.9). What was lost in between may have sent others: after a loss there
 * is no time until all of them have come, which trace units send regularly (IHI 0035B 4.14, T-sync).
 */
#ifndef CST_LIB_READER_TIMES_H
#define CST_LIB_READER_TIMES_H

#include <cstrace/config.h>
#include <cstrace/packet.h>

#include "bits.h"
#include "reader/packet_bytes.h"

struct times {
	uint64_t sent;	/* as it is sent: Gray coded where it is */
	uint8_t known;	/* low bits that were sent since the last loss */
};

/* Reads the bytes behind the header; pkt->value is the time as sent. 0: only part of it is known, and pkt->ts is 0. */
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
