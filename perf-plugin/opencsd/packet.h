/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.h - packets of every protocol in the client's structures. _to fills from the library's, and what
 * belongs to more than one packet stays; _from gives what a text is made of, in a packet that is all zero;
 * _reset is before the first packet, in a structure that is all zero.
 */
#ifndef CSTRACE_OPENCSD_PACKET_H
#define CSTRACE_OPENCSD_PACKET_H

#include "internal.h"

/* A table of types, by the library's type, the other way round; of two the first one. */
static inline uint8_t packet_type_from(const uint8_t *types, unsigned int n, unsigned int ocsd,
				       unsigned int none)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (types[i] == ocsd)
			return (uint8_t)i;
	return (uint8_t)none;
}

void packet_etmv3_to(ocsd_etmv3_pkt *o, const struct cst_packet *p);
void packet_etmv3_from(struct cst_packet *p, const ocsd_etmv3_pkt *o);
void packet_etmv3_reset(ocsd_etmv3_pkt *o);
void packet_ptm_to(ocsd_ptm_pkt *o, const struct cst_packet *p);
void packet_ptm_from(struct cst_packet *p, const ocsd_ptm_pkt *o);
void packet_ptm_reset(ocsd_ptm_pkt *o);
void packet_stm_to(ocsd_stm_pkt *o, const struct cst_packet *p);
void packet_stm_from(struct cst_packet *p, const ocsd_stm_pkt *o);
void packet_stm_reset(ocsd_stm_pkt *o);
void packet_itm_to(ocsd_itm_pkt *o, const struct cst_packet *p);
void packet_itm_from(struct cst_packet *p, const ocsd_itm_pkt *o);

#endif
