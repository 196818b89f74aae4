/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet.h - protocol packets, as parsed from the bytes of one trace ID, for listings and checks. Consumers of program
 * flow do not need them.
 */
#ifndef CSTRACE_PACKET_H
#define CSTRACE_PACKET_H

#include <cstrace/packet_etmv3.h>
#include <cstrace/packet_etmv4d.h>
#include <cstrace/packet_itm.h>
#include <cstrace/packet_ptm.h>
#include <cstrace/packet_stm.h>
#include <cstrace/types.h>

CST_BEGIN

/* ETMv4 and ETE packets (Arm ARM "ETE packet descriptions"; header values in lib/protocols/etmv4/packets.def). */
enum cst_etmv4_packet_type {
	CST_PKT_NOT_SYNC,	/* bytes before the first A-sync */
	CST_PKT_INCOMPLETE,	/* cut by the end of the trace */
	CST_PKT_BAD_SEQUENCE,	/* `bad_type` is the type of its header */
	CST_PKT_RESERVED,	/* reserved header */
	CST_PKT_RESERVED_CFG,	/* header reserved in this configuration */
	CST_PKT_ASYNC,
	CST_PKT_DISCARD,
	CST_PKT_OVERFLOW,
	CST_PKT_TRACE_INFO,
	CST_PKT_TIMESTAMP,
	CST_PKT_TRACE_ON,
	CST_PKT_FUNC_RETURN,
	CST_PKT_EXCEPTION,	/* the address that follows is a packet of its own */
	CST_PKT_EXC_RETURN,
	CST_PKT_ITE,
	CST_PKT_TRANS_START,
	CST_PKT_TRANS_COMMIT,
	CST_PKT_TRANS_FAIL,	/* Exception packet with the bytes 06 31 70 */
	CST_PKT_PE_RESET,	/* ETE: Exception packet with the byte 70 */
	CST_PKT_CCNT_F1,
	CST_PKT_CCNT_F2,
	CST_PKT_CCNT_F3,
	CST_PKT_DATA_SYNC_NUM,
	CST_PKT_DATA_SYNC,
	CST_PKT_COMMIT,
	CST_PKT_CANCEL_F1,
	CST_PKT_CANCEL_F1_MISP,	/* with a mispredict */
	CST_PKT_CANCEL_F2,
	CST_PKT_CANCEL_F3,
	CST_PKT_MISPREDICT,
	CST_PKT_COND_I_F1,
	CST_PKT_COND_I_F2,
	CST_PKT_COND_I_F3,
	CST_PKT_COND_FLUSH,
	CST_PKT_COND_R_F1,
	CST_PKT_COND_R_F2,
	CST_PKT_COND_R_F3,
	CST_PKT_COND_R_F4,
	CST_PKT_IGNORE,
	CST_PKT_EVENT,
	CST_PKT_CONTEXT,
	CST_PKT_ADDR_CTXT_32,	/* context; addr with its sub-ISA `is` */
	CST_PKT_ADDR_CTXT_64,
	CST_PKT_TS_MARKER,
	CST_PKT_ADDR_MATCH,
	CST_PKT_ADDR_SHORT,
	CST_PKT_ADDR_32,
	CST_PKT_ADDR_64,
	CST_PKT_Q,
	CST_PKT_SRC_MATCH,
	CST_PKT_SRC_SHORT,
	CST_PKT_SRC_32,
	CST_PKT_SRC_64,
	CST_PKT_ATOM_F1,
	CST_PKT_ATOM_F2,
	CST_PKT_ATOM_F3,
	CST_PKT_ATOM_F4,
	CST_PKT_ATOM_F5,
	CST_PKT_ATOM_F6,
	CST_PKT_BF_FLUSH,	/* extension 07 of v8.1-M: branch futures are dropped */
	CST_PKT_TYPES
};

enum cst_packet_flags {
	CST_PF_CC = 0x0001,	/* cc is present */
	CST_PF_CC_UNKNOWN = 0x0002, /* cycle count format 1 with U = 1 */
	CST_PF_COMMIT = 0x0004,	/* commit is present */
	CST_PF_CONTEXT = 0x0008, /* context payload is present (81, 82, 83, 85, 86) */
	CST_PF_VMID = 0x0010,
	CST_PF_CID = 0x0020,
	CST_PF_COUNT = 0x0040,	/* Q: count known */
	CST_PF_ADDR = 0x0080,	/* addr is present */
	CST_PF_E0 = 0x0100,	/* exception bits E0, E1 */
	CST_PF_E1 = 0x0200,
	CST_PF_P = 0x0400,	/* M profile: a serious fault is pending */
	CST_PF_MISPREDICT = 0x0800, /* packet ends with a mispredict */
	CST_PF_SYNC_POINT = 0x1000, /* Trace Info: first after A-sync, decoding starts here */
	CST_PF_INFO = 0x2000,	/* Trace Info: info, spec, cyct sections present */
	CST_PF_KEY = 0x4000,
	CST_PF_SPEC = 0x8000,
	CST_PF_CYCT = 0x10000,
	CST_PF_WNDW = 0x20000,
	CST_PF_M_PROFILE = 0x40000, /* exception: exc_type is of the M profile */
	CST_PF_LEAD = 0x80000,	/* lead is valid; it is the first of bytes[], but does not count in size */
	/* first bit of the flags that each protocol defines */
	CST_PF_OWN = 0x100000,
};

#define CST_PACKET_BYTES 48	/* longest packet kept for listing */

struct cst_packet {
	size_t struct_size;	/* sizeof the struct, or 0 (cstrace.h, "Sizes of structs") */
	uint64_t index;		/* trace offset of the first byte */
	uint16_t size;		/* bytes of the packet; NOT_SYNC: bytes skipped (saturates) */
	uint8_t protocol;	/* enum cst_protocol */
	uint8_t type;		/* enum cst_etmv4_packet_type, or the enum in the protocol's header packet_*.h */
	/* BAD_SEQUENCE, INCOMPLETE: type of the header; RESERVED_CFG: its type in a trace unit that implements it */
	uint8_t bad_type;
	uint8_t header;		/* first byte of the packet */
	uint8_t is;		/* sub-ISA of addr: 0 IS0, 1 IS1 */
	uint8_t addr_bits;	/* number of low address bits that the packet carried; exact match: its history entry */
	uint8_t match;		/* exact match: history entry */
	uint8_t n_atoms;	/* atoms; mispredict and cancel packets may carry some too */
	uint8_t q_type;		/* Q: TYPE field */
	uint8_t ts_bits;	/* timestamp: number of low bits the packet carried */
	uint8_t el;		/* exception level of the context; ITE: EL byte */
	uint8_t sf, security;	/* 1: AArch64; enum cst_security */
	uint32_t flags;		/* enum cst_packet_flags */
	uint32_t atoms;		/* bit 0 oldest, 1 = E */
	uint16_t exc_type;	/* exception TYPE */
	uint16_t event;		/* event mask, marker number, conditional packet token */
	uint32_t vmid, cid;
	uint64_t addr;		/* full address: history and the bits in the packet */
	uint64_t ts;		/* full timestamp; ITE: value */
	uint32_t cc;		/* cycle count, with the threshold added */
	uint32_t commit;	/* commit; CANCEL_*: number of elements cancelled */
	/* Q count; data-trace and conditional keys; ETMv4 NOT_SYNC: its first bytes that are Ignore packets, no loss */
	uint32_t count;
	uint32_t info, key, spec, cyct; /* sections of a Trace Info packet */
	uint64_t value;		/* data value, or payload; timestamp of ETMv3 and PTM: ts as sent */
	uint8_t isa;		/* enum cst_isa of addr, if the packet carries it */
	uint8_t tag;		/* data packets: tag */
	uint8_t vsize;		/* bytes of value; STM: bits */
	/* STM with CST_PF_LEAD: the packet's first nibble, the upper half of the byte before, here << 4 */
	uint8_t lead;
	uint16_t finding[2];	/* enum cst_finding (log.h): reserved or unexpected values in the packet, 0 none */
	uint8_t nbytes;		/* bytes kept in bytes[] */
	uint8_t bytes[CST_PACKET_BYTES]; /* raw bytes, cut at CST_PACKET_BYTES */
};

/* Role of a packet for code that does not know its protocol: indexes, scans, counts. */
enum cst_packet_role {
	CST_ROLE_OTHER,
	CST_ROLE_NOT_SYNC,	/* bytes skipped before the alignment synchronisation */
	CST_ROLE_BAD,		/* reserved, malformed, cut */
	CST_ROLE_ASYNC,		/* alignment synchronisation: parsing can start here */
	CST_ROLE_SYNC,		/* complete state: Trace Info, I-sync */
	CST_ROLE_TIMESTAMP,	/* pkt->ts */
	CST_ROLE_CONTEXT,
	CST_ROLE_ADDRESS,	/* the next address only: pkt->addr */
	CST_ROLE_ADDRESS_CONTEXT, /* the next address and the context */
	CST_ROLE_FLOW,		/* atoms, waypoints: executed instructions */
	CST_ROLE_EXCEPTION,
	CST_ROLE_TRACE_ON,
	CST_ROLE_LOSS,		/* overflow, or an error packet of an STM: trace is missing */
	CST_ROLE_DISCARD,	/* discard: outstanding elements are not traced */
	CST_ROLE_EVENT,		/* event, trigger */
	CST_ROLE_ASIDE,		/* may be between a branch and its target without separating them: cycle counts and others */
};

/* Returns the role of a packet of one of the library's own protocols. */
CST_EXPERIMENTAL
CST_API enum cst_packet_role cst_packet_role(const struct cst_packet *pkt);

/*
 * Writes the text of a packet as the reference lister prints it after the byte list: "I_ASYNC : Alignment
 * Synchronisation." and so on. At most `cap` bytes with a terminating zero are written; the length of the whole text is
 * returned, as by snprintf(). Pure.
 */
CST_API size_t cst_packet_text(const struct cst_packet *pkt, char *out, size_t cap);

struct cst_generic;
/*
 * Writes the text of a generic element as the reference lister prints it: "OCSD_GEN_TRC_ELEM_...(...)". Returns as
 * cst_packet_text().
 */
CST_API size_t cst_generic_text(const struct cst_generic *gen, char *out, size_t cap);

CST_END

#endif
