/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet_stm.h - packets of the STPv2 stream of a System Trace Macrocell (Arm DDI 0444, MIPI STP 2). Packets consist of
 * nibbles and may begin and end within a byte.
 *
 * Fields: value and vsize (bits) have the payload, ts and ts_bits (bits in the packet) the timestamp with
 * CST_STM_PF_TS; cid is the master and vmid the channel in effect after the packet.
 */
#ifndef CSTRACE_PACKET_STM_H
#define CSTRACE_PACKET_STM_H

enum cst_stm_packet_type {
	CST_STM_PKT_NOT_SYNC,
	CST_STM_PKT_INCOMPLETE,
	CST_STM_PKT_BAD_SEQUENCE, /* `bad_type` is the type of its header */
	CST_STM_PKT_RESERVED,	/* value: the opcode's nibbles, first one lowest */
	CST_STM_PKT_ASYNC,
	CST_STM_PKT_VERSION,
	CST_STM_PKT_NULL,
	CST_STM_PKT_FREQ,	/* value: frequency of timestamps in Hz */
	CST_STM_PKT_TRIG,
	CST_STM_PKT_XSYNC,
	CST_STM_PKT_GERR,	/* error of an unknown master */
	CST_STM_PKT_MERR,	/* error of this master */
	CST_STM_PKT_M8,
	CST_STM_PKT_M16,
	CST_STM_PKT_C8,
	CST_STM_PKT_C16,
	CST_STM_PKT_FLAG,
	CST_STM_PKT_D4,
	CST_STM_PKT_D8,
	CST_STM_PKT_D16,
	CST_STM_PKT_D32,
	CST_STM_PKT_D64,
	CST_STM_PKT_TYPES
};

/* Packet flags of its own (see enum cst_packet_flags). */
enum cst_stm_packet_flags {
	CST_STM_PF_TS = 0x100000,
	CST_STM_PF_MARKER = 0x200000,
};

#endif
