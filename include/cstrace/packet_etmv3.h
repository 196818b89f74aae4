/* SPDX-License-Identifier: BSD-3-Clause */
/* packet_etmv3.h - packets of ETMv3.0 to 3.5 (IHI 0014Q, chapter 7): types, and their flags in struct cst_packet. */
#ifndef CSTRACE_PACKET_ETMV3_H
#define CSTRACE_PACKET_ETMV3_H

enum cst_etmv3_packet_type {
	CST_ETMV3_PKT_NOT_SYNC,		/* bytes before the first A-sync */
	CST_ETMV3_PKT_INCOMPLETE,	/* cut by the end of the trace */
	CST_ETMV3_PKT_BAD_SEQUENCE,	/* `bad_type` is the type of its header */
	CST_ETMV3_PKT_BAD_TRACEMODE,	/* a data packet that this configuration cannot send; `bad_type` which */
	CST_ETMV3_PKT_RESERVED,		/* reserved header */
	CST_ETMV3_PKT_BRANCH,		/* branch address, without exception information */
	CST_ETMV3_PKT_BRANCH_INFO,	/* with it: state, exception, cancel */
	CST_ETMV3_PKT_ASYNC,
	CST_ETMV3_PKT_CYCLE_COUNT,
	CST_ETMV3_PKT_ISYNC,
	CST_ETMV3_PKT_ISYNC_CYCLE,	/* I-sync with cycle count */
	CST_ETMV3_PKT_TRIGGER,
	CST_ETMV3_PKT_PHDR,		/* atoms, cycles */
	CST_ETMV3_PKT_STORE_FAILED,
	CST_ETMV3_PKT_OOO_DATA,		/* out-of-order data */
	CST_ETMV3_PKT_OOO_PLACE,	/* placeholder of out-of-order data */
	CST_ETMV3_PKT_DATA,		/* normal data */
	CST_ETMV3_PKT_SUPPRESSED,
	CST_ETMV3_PKT_NOT_TRACED,	/* value not traced */
	CST_ETMV3_PKT_IGNORE,
	CST_ETMV3_PKT_CONTEXT_ID,
	CST_ETMV3_PKT_VMID,
	CST_ETMV3_PKT_EXC_ENTRY,	/* v7-M */
	CST_ETMV3_PKT_EXC_EXIT,
	CST_ETMV3_PKT_TIMESTAMP,
	CST_ETMV3_PKT_TYPES
};

/*
 * Fields: branch, I-sync: addr, addr_bits (carried), match (low bits of addr known so far), isa, security,
 * el (2: hypervisor); exception information: exc_type, event (v7-M: resume); I-sync: count (reason), cid, cc,
 * value (with LSIP: address of the load or store in progress); P-header: atoms, n_atoms, cc (all its cycles),
 * count (form 0 to 4); data: addr, addr_bits, value, vsize, tag.
 */
enum cst_etmv3_packet_flags {
	CST_ETMV3_PF_ISA = 0x100000,	/* the instruction set changes with this packet */
	CST_ETMV3_PF_STATE = 0x200000,	/* the packet has security and el */
	CST_ETMV3_PF_EXCEPTION = 0x400000, /* the packet has exc_type; 0 is none */
	CST_ETMV3_PF_CANCEL = 0x800000,	/* the instruction before did not run */
	CST_ETMV3_PF_LSIP = 0x1000000,	/* I-sync: a load or store was in progress */
	CST_ETMV3_PF_VALUE = 0x2000000,	/* data: the packet has a value */
	CST_ETMV3_PF_BIG_ENDIAN = 0x4000000,
	CST_ETMV3_PF_CLOCK = 0x8000000,	/* timestamp: the clock's frequency has changed */
	CST_ETMV3_PF_STATE_NEWS = 0x10000000, /* with STATE: another one than before */
	CST_ETMV3_PF_TIME_PART = 0x20000000, /* timestamp: upper bits are not known since a loss; ts is 0 */
};

#endif
