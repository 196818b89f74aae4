/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packet_ptm.h - packets of the Program Flow Trace architecture (Arm IHI 0035B section 4.5, "PFT packet formats"):
 * types, and the fields of struct cst_packet that they use.
 */
#ifndef CSTRACE_PACKET_PTM_H
#define CSTRACE_PACKET_PTM_H

enum cst_ptm_packet_type {
	CST_PTM_PKT_NOT_SYNC,	/* bytes before the first A-sync */
	CST_PTM_PKT_INCOMPLETE,	/* cut by the end of the trace; `bad_type` as it began */
	CST_PTM_PKT_BAD_SEQUENCE, /* `bad_type` is the type of its header */
	CST_PTM_PKT_RESERVED,	/* reserved header */
	CST_PTM_PKT_ASYNC,
	CST_PTM_PKT_ISYNC,	/* event: enum cst_ptm_isync_reason; addr, isa, security; cid, cc with their flags */
	CST_PTM_PKT_BRANCH,	/* addr, addr_bits, isa; with CST_PF_CONTEXT security; cc with its flag */
	CST_PTM_PKT_EXCEPTION,	/* branch address packet with an exception, exc_type: no atom is implied */
	CST_PTM_PKT_ATOM,	/* atoms, n_atoms; cc with its flag */
	CST_PTM_PKT_WAYPOINT,	/* waypoint update: addr, addr_bits, isa */
	CST_PTM_PKT_TRIGGER,
	CST_PTM_PKT_CONTEXT_ID,	/* cid */
	CST_PTM_PKT_VMID,	/* vmid */
	CST_PTM_PKT_TIMESTAMP,	/* ts, ts_bits; cc with its flag */
	CST_PTM_PKT_EXC_RETURN,
	CST_PTM_PKT_IGNORE,
	CST_PTM_PKT_TYPES
};

/*
 * Packet flags of its own (see enum cst_packet_flags). `info` is the number of low address bits that are
 * known since the trace began: less than 32 only before the first I-sync.
 */
enum cst_ptm_packet_flags {
	CST_PTM_PF_ISA = 0x100000,	/* isa is another one than in the packet before */
	CST_PTM_PF_HYP = 0x200000,	/* in Hyp mode */
	CST_PTM_PF_EXCEPTION = 0x400000, /* exc_type is present, 0 is none */
	CST_PTM_PF_CLOCK = 0x800000,	/* timestamp: the processor's clock has changed */
	CST_PTM_PF_LATE = 0x1000000,	/* A-sync: the packet before was damaged and took some of its zeros */
	CST_PTM_PF_TIME_PART = 0x2000000, /* timestamp: upper bits are not known since a loss; ts is 0 */
};

enum cst_ptm_isync_reason {
	CST_PTM_ISYNC_PERIODIC,
	CST_PTM_ISYNC_TRACE_ON,
	CST_PTM_ISYNC_OVERFLOW,	/* trace continues after an overflow */
	CST_PTM_ISYNC_DEBUG,	/* the processor has left debug state */
};

#endif
