/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.h - trace elements after speculation and transactions are resolved: the common language
 * between the protocol stages (etmv4 now; etmv3, ptm later) and the instruction-flow stage.
 * Arm ARM "trace element descriptions"; K10.5.3 and K10.5.4 say how they are resolved.
 */
#ifndef CSTRACE_ELEMENT_H
#define CSTRACE_ELEMENT_H

#include <cstrace/types.h>

enum cst_element_kind {
	CST_EL_ATOMS,		/* n atoms, oldest in bit 0 of bits; first_e: as first traced; cc, ETMv3: num for each but the first */
	CST_EL_ADDRESS,		/* Target Address: addr, is */
	CST_EL_CONTEXT,		/* ctx; flags of ctx say what the packet carried; cc */
	CST_EL_EXCEPTION,	/* num, addr = preferred return address, flags */
	CST_EL_EXC_RETURN,	/* ETMv4 Exception Return packet */
	CST_EL_Q,		/* count in value; CST_EL_F_COUNT; addr when CST_EL_F_ADDRESS */
	CST_EL_SOURCE_ADDRESS,	/* addr, is */
	CST_EL_TRACE_ON,	/* num: enum cst_trace_on_reason; cc */
	CST_EL_TRACE_INFO,	/* return stack is cleared */
	CST_EL_TIMESTAMP,	/* value; cc with CST_EL_F_CC */
	CST_EL_CYCLE_COUNT,	/* cc; CST_EL_F_CC when known; num: 1 if atoms could have come with it (ETMv3) */
	CST_EL_EVENT,		/* num: mask of events, or CST_EVENT_TRIGGER */
	CST_EL_TS_MARKER,	/* num: enum cst_sync_marker, value */
	CST_EL_INSTRUMENTATION,	/* value, num = EL */
	CST_EL_TRANS_START,	/* num 0 init, 1 start */
	CST_EL_TRANS_COMMIT,
	CST_EL_TRANS_FAIL,
	CST_EL_FUNC_RETURN,
	CST_EL_NO_SYNC,		/* num: enum cst_unsync_reason; value: error */
	CST_EL_END,		/* end of trace */
	CST_EL_READY,		/* `ready` is put out as it stands, but for trace ID and context; not program flow */
	/* waypoint traces (PTM); `is` is an enum cst_isa */
	CST_EL_BRANCH,		/* an atom E, and addr, is: where the waypoint led to; cc */
	CST_EL_WAYPOINT,	/* all up to and including the instruction at addr was executed */
	CST_EL_VECTOR,		/* exception num, taken where execution has come to, leads to addr, is; cc */
	CST_EL_DATA,		/* data transfer: num: enum cst_data_flags; addr, value, n: bytes, is: tag */
	CST_EL_FINDING,		/* num: enum cst_finding, for the log (log.h); puts nothing out */
	CST_EL_COND_INSN,	/* a conditional instruction of the range that follows: key in value */
	CST_EL_COND_RESULT,	/* result of those with this key: num, enum cst_cond_flags */
	CST_EL_COND_FLUSH,	/* results that are to come do not come; num 1: nor does the range */
};

enum cst_element_flags {
	CST_EL_F_CC = 1,
	CST_EL_F_COUNT = 2,		/* Q: count known */
	CST_EL_F_ADDRESS = 4,		/* Q: address known; Exception: return address known; Context: `is` known */
	CST_EL_F_LSIP = 4,		/* Address: `value` is the load or store in progress there (ETMv3) */
	CST_EL_F_BR_TARGET = 8,		/* Exception E1:E0 = 10: addr is also the target of the branch before */
	CST_EL_F_DOUBTFUL = 16,		/* after Discard or Overflow: the last atom may be wrong */
	CST_EL_F_TAIL_CHAIN = 32,	/* M profile: no return address */
	CST_EL_F_SAME = 64,		/* Context: its packet says "the same as last" */
	CST_EL_F_CONFIG = 128,		/* NO_SYNC: a new configuration holds from here on */
	/* the same bits for other kinds */
	CST_EL_F_SYNC = 8,		/* Address: by a synchronisation, without a branch; the return stack is void */
	CST_EL_F_ISA = 16,		/* Address, Context: `is` is an enum cst_isa */
	CST_EL_F_QUIET = 32,		/* Context: holds, but is not put out */
};

struct cst_generic;

struct cst_element {
	uint64_t index;		/* trace offset of the packet */
	uint8_t kind;		/* enum cst_element_kind */
	uint8_t flags;		/* enum cst_element_flags */
	uint8_t n;		/* atoms */
	uint8_t is;		/* sub-ISA of addr: 0 IS0, 1 IS1 */
	uint16_t num;
	uint16_t pad;
	uint32_t bits;		/* atoms: 1 = E */
	uint32_t first_e;	/* atoms: 1 = traced as E at first, whatever a Mispredict made of it */
	uint64_t addr;
	union {
		uint64_t value;
		const struct cst_generic *ready; /* READY: the stage's, until its next call */
	};
	uint32_t cc;
	struct cst_context ctx;
};

#endif
