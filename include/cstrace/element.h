/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * element.h - trace elements after speculation and transactions are resolved (Arm ARM K10.5.3, K10.5.4): the interface
 * between the element stage of each protocol and the instruction-flow stage.
 */
#ifndef CSTRACE_ELEMENT_H
#define CSTRACE_ELEMENT_H

#include <cstrace/types.h>

enum cst_element_kind {
	/* n atoms in `bits`, oldest in bit 0; first_e; cc. ETMv3: cc is of the first atom, num of each other one */
	CST_EL_ATOMS,
	CST_EL_ADDRESS,		/* Target Address: addr, is */
	CST_EL_CONTEXT,		/* ctx, with the fields that the packet carried in ctx.flags; cc */
	CST_EL_EXCEPTION,	/* num, addr = preferred return address, flags */
	CST_EL_EXC_RETURN,	/* ETMv4 Exception Return packet */
	CST_EL_Q,		/* count in value; CST_EL_F_COUNT; addr when CST_EL_F_ADDRESS */
	CST_EL_SOURCE_ADDRESS,	/* addr, is */
	CST_EL_TRACE_ON,	/* num: enum cst_trace_on_reason; cc */
	CST_EL_TRACE_INFO,	/* the return stack is cleared (K10.5.5.9) */
	CST_EL_TIMESTAMP,	/* value; addr: as it was sent (ETMv3, PTM); cc with CST_EL_F_CC */
	CST_EL_CYCLE_COUNT,	/* cc, valid with CST_EL_F_CC; num: 1 if the packet could have carried atoms (ETMv3) */
	CST_EL_EVENT,		/* num: mask of events, or CST_EVENT_TRIGGER */
	CST_EL_TS_MARKER,	/* num: enum cst_sync_marker, value */
	CST_EL_INSTRUMENTATION,	/* value; num: exception level */
	CST_EL_TRANS_START,	/* num: CST_TRANS_INIT or CST_TRANS_START. This and the next two, n: 1 if a transaction is open before it */
	CST_EL_TRANS_COMMIT,
	CST_EL_TRANS_FAIL,
	CST_EL_FUNC_RETURN,
	CST_EL_NO_SYNC,		/* num: enum cst_unsync_reason; value: error */
	CST_EL_END,		/* end of trace */
	/* the flow stage emits `ready` unchanged but for trace ID and context; it is not program flow */
	CST_EL_READY,
	/* waypoint traces (PTM); `is` is an enum cst_isa */
	CST_EL_BRANCH,		/* atom E of a waypoint that led to addr, is; cc */
	CST_EL_WAYPOINT,	/* all instructions up to and including the one at addr were executed */
	CST_EL_VECTOR,		/* exception num, taken at the current address; addr, is: its vector; cc */
	CST_EL_DATA,		/* data transfer: num: enum cst_data_flags; addr, value, n: bytes, is: tag */
	CST_EL_FINDING,		/* num: enum cst_finding, recorded in the log (log.h); emits nothing */
	CST_EL_COND_INSN,	/* value: key of a conditional instruction in the next range */
	CST_EL_COND_RESULT,	/* value: key; num: enum cst_cond_flags, the result of the instructions with this key */
	CST_EL_COND_FLUSH,	/* outstanding results are not traced; num 1: the range is not traced either */
};

enum cst_element_flags {
	CST_EL_F_CC = 1,
	CST_EL_F_COUNT = 2,		/* Q: count known */
	CST_EL_F_ADDRESS = 4,		/* Q: address known; Exception: return address known; Context: `is` known */
	CST_EL_F_LSIP = 4,		/* Address: value is the address of the load or store in progress (ETMv3) */
	CST_EL_F_BR_TARGET = 8,		/* Exception E1:E0 = 10: addr is also the target of the branch before */
	CST_EL_F_DOUBTFUL = 16,		/* after Discard or Overflow: the last atom may be wrong */
	CST_EL_F_TAIL_CHAIN = 32,	/* M profile: no return address */
	CST_EL_F_SAME = 64,		/* Context: the packet repeats the last context */
	CST_EL_F_CONFIG = 128,		/* NO_SYNC: a new configuration is in effect */
	/* bits that mean something else for other kinds */
	CST_EL_F_GAP = 8,		/* Cycle count: passed before the last Trace On (ETMv3) */
	CST_EL_F_SYNC = 8,		/* Address: given by a synchronisation, not by a branch; clears the return stack */
	CST_EL_F_ISA = 16,		/* Address, Context: `is` is an enum cst_isa */
	CST_EL_F_QUIET = 32,		/* Context: updates the state without an element */
};

struct cst_generic;

struct cst_element {
	uint64_t index;		/* trace offset of the packet */
	uint8_t kind;		/* enum cst_element_kind */
	uint8_t flags;		/* enum cst_element_flags */
	uint8_t n;		/* number of atoms */
	uint8_t is;		/* sub-ISA of addr: 0 IS0, 1 IS1; with CST_EL_F_ISA and for waypoint traces enum cst_isa */
	uint16_t num;
	uint16_t pad;
	uint32_t bits;		/* atoms, oldest in bit 0: 1 = E, 0 = N */
	uint32_t first_e;	/* atoms: 1 = first traced as E, before a Mispredict corrected it */
	uint64_t addr;
	union {
		uint64_t value;
		const struct cst_generic *ready; /* READY: owned by the stage, valid until its next call */
	};
	uint32_t cc;
	struct cst_context ctx;
};

#endif
