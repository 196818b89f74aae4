/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet_etmv4d.h - packets of the ETMv4 data trace stream (Arm IHI 0064, "Data trace stream packets").
 * lib/protocols/etmv4d/packets.def lists the packets whose format is public.
 */
#ifndef CSTRACE_PACKET_ETMV4D_H
#define CSTRACE_PACKET_ETMV4D_H

enum cst_etmv4d_packet_type {
	CST_ETMV4D_PKT_NOT_SYNC,
	CST_ETMV4D_PKT_INCOMPLETE,
	CST_ETMV4D_PKT_BAD_SEQUENCE, /* `bad_type` is the type of its header */
	CST_ETMV4D_PKT_RESERVED,
	CST_ETMV4D_PKT_ASYNC,
	CST_ETMV4D_PKT_TRACE_INFO, /* info, key, spec, cyct as in the instruction stream */
	CST_ETMV4D_PKT_DISCARD,
	CST_ETMV4D_PKT_OVERFLOW,
	CST_ETMV4D_PKT_SYNC_NUM, /* event: number 0..7 */
	CST_ETMV4D_PKT_SYNC,
	CST_ETMV4D_PKT_TIMESTAMP, /* ts, ts_bits */
	CST_ETMV4D_PKT_SUPPRESSION,
	CST_ETMV4D_PKT_EVENT,	/* event: mask */
	/*
	 * Data address and data value elements: the header gives the format, `event` its other bits. The size of the
	 * payload is not public, so decoding restarts at the next alignment synchronisation.
	 */
	CST_ETMV4D_PKT_P1_F1,
	CST_ETMV4D_PKT_P1_F2,
	CST_ETMV4D_PKT_P1_F3,
	CST_ETMV4D_PKT_P1_F4,
	CST_ETMV4D_PKT_P1_F5,
	CST_ETMV4D_PKT_P1_F6,
	CST_ETMV4D_PKT_P1_F7,
	CST_ETMV4D_PKT_P2_F1,
	CST_ETMV4D_PKT_P2_F2,
	CST_ETMV4D_PKT_P2_F3,
	CST_ETMV4D_PKT_P2_F4,
	CST_ETMV4D_PKT_P2_F5,
	CST_ETMV4D_PKT_P2_F6,
	CST_ETMV4D_PKT_TYPES
};

#endif
