/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet_itm.h - packets of an Instrumentation Trace Macrocell and its Data Watchpoint and Trace unit
 * (Armv7-M Architecture Reference Manual, "Debug ITM and DWT Packet Protocol").
 */
#ifndef CSTRACE_PACKET_ITM_H
#define CSTRACE_PACKET_ITM_H

/* Packet types. The payload is in `value`, its size in bytes in `vsize`, unless stated otherwise. */
enum cst_itm_packet_type {
	CST_ITM_PKT_NOT_SYNC,
	CST_ITM_PKT_INCOMPLETE,
	CST_ITM_PKT_BAD_SEQUENCE, /* `bad_type` is the type of its header */
	CST_ITM_PKT_RESERVED,
	CST_ITM_PKT_ASYNC,
	CST_ITM_PKT_OVERFLOW,
	CST_ITM_PKT_SWIT,	/* event: stimulus port 0..31 */
	CST_ITM_PKT_DWT,	/* event: discriminator */
	CST_ITM_PKT_LOCAL_TS,	/* event: TC; vsize 1 for the one-byte form */
	CST_ITM_PKT_GLOBAL_TS1,	/* low bits */
	CST_ITM_PKT_GLOBAL_TS2,	/* bits from 26 on */
	CST_ITM_PKT_EXTENSION,	/* count: bits of value */
	CST_ITM_PKT_TYPES
};

/* Packet flags of its own (see enum cst_packet_flags). */
enum cst_itm_packet_flags {
	CST_ITM_PF_CLOCK = 0x100000,	/* global timestamp 1: the clock has changed */
	CST_ITM_PF_WRAP = 0x200000, /* global timestamp 1: bits from 26 on have changed */
	CST_ITM_PF_HARDWARE = 0x400000, /* extension: of a hardware source */
};

#endif
