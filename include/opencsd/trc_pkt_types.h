/* SPDX-License-Identifier: BSD-3-Clause */
/* trc_pkt_types.h - parts that packets of several protocols have. */
#ifndef CSTRACE_OPENCSD_TRC_PKT_TYPES_H
#define CSTRACE_OPENCSD_TRC_PKT_TYPES_H

#include <stdint.h>

#include <opencsd/ocsd_if_types.h>

typedef enum _ocsd_pkt_va_size {
	VA_32BIT,
	VA_64BIT
} ocsd_pkt_va_size;

/* An address, of which packets may send the lower bits only. */
typedef struct _ocsd_pkt_vaddr {
	ocsd_pkt_va_size size;
	ocsd_vaddr_t val;
	uint8_t pkt_bits;		/* number of bits in this packet */
	uint8_t valid_bits;		/* number of bits that are known */
} ocsd_pkt_vaddr;

typedef struct _ocsd_pkt_byte_sz_val {
	uint32_t val;
	uint8_t size_bytes;
	uint8_t valid_bytes;
} ocsd_pkt_byte_sz_val;

typedef enum _ocsd_pkt_atm_type {
	ATOM_PATTERN,			/* as in the packet */
	ATOM_REPEAT			/* one atom several times */
} ocsd_pkt_atm_type;

typedef enum _ocsd_atm_val {
	ATOM_N,
	ATOM_E
} ocsd_atm_val;

typedef struct _ocsd_pkt_atom {
	uint32_t En_bits;		/* 1: E; the lowest bit is the oldest atom */
	uint8_t num;			/* number of atoms */
} ocsd_pkt_atom;

/* Reason of an I-sync packet (ETMv3, PTM). */
typedef enum _ocsd_iSync_reason {
	iSync_Periodic = 0,
	iSync_TraceEnable,
	iSync_TraceRestartAfterOverflow,
	iSync_DebugExit
} ocsd_iSync_reason;

/* Exceptions of ETMv3 and PTM; those with CM are of the M profile. */
typedef enum _ocsd_armv7_exception {
	Excp_Reserved,
	Excp_NoException,
	Excp_Reset,
	Excp_IRQ,
	Excp_FIQ,
	Excp_AsyncDAbort,
	Excp_DebugHalt,
	Excp_Jazelle,
	Excp_SVC,
	Excp_SMC,
	Excp_Hyp,
	Excp_Undef,
	Excp_PrefAbort,
	Excp_Generic,
	Excp_SyncDataAbort,
	Excp_CMUsageFault,
	Excp_CMNMI,
	Excp_CMDebugMonitor,
	Excp_CMMemManage,
	Excp_CMPendSV,
	Excp_CMSysTick,
	Excp_CMBusFault,
	Excp_CMHardFault,
	Excp_CMIRQn,
	Excp_ThumbEECheckFail,
} ocsd_armv7_exception;

#endif
