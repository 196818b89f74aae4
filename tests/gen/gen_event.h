/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gen_event.h - what a trace analyzer must report, in the order in which it must report it.
 *
 * Order: elements leave the analyzer when they are committed, oldest first. Elements that are not
 * P0 (context, timestamp, cycle count, event, marker, instrumentation, trace on, transaction
 * marks) keep their place in the element stream: they come out with the commit of the next P0
 * element behind them. Cancel removes P0 elements, contexts, exception returns and trace on;
 * timestamps, cycle counts, events, markers and instrumentation survive at their place. Discard
 * and Overflow remove the same, let the survivors out at once and are reported after them. At the
 * end of the trace what stands before the first uncommitted P0 element is reported if it would
 * survive a Cancel, the rest is not.
 */
#ifndef CSTRACE_TESTS_GEN_GEN_EVENT_H
#define CSTRACE_TESTS_GEN_GEN_EVENT_H

#include <stdint.h>

enum gen_event_kind {
	GEN_NONE,
	/* the trace unit was started; a new AUX fragment where the file has those */
	GEN_FRAGMENT,
	/* start, end, n, isa, atom, last_pc, klass, flags, size; next: where execution went */
	GEN_RANGE,
	/* Q element over a path that cannot be walked: start, n (0: not counted), next */
	GEN_NOPATH,
	GEN_EXCEPTION,	/* num, start: preferred return address */
	GEN_EXC_RETURN,	/* the packet of ETMv4; ETE has none, there it follows from the opcode */
	GEN_TRACE_ON,	/* start when GEN_F_TARGET */
	GEN_CONTEXT,	/* tid, vmid, el, sec, sf */
	GEN_TIMESTAMP,	/* value; cc when GEN_F_CC */
	GEN_CYCLES,	/* value; GEN_F_UNKNOWN: the count is unknown */
	GEN_EVENTS,	/* num: mask of events 0..3 */
	GEN_OVERFLOW,
	GEN_DISCARD,
	GEN_TS_MARKER,
	GEN_ITE,	/* num: exception level, value */
	GEN_TX_INIT,	/* the first Trace Info said that a transaction is open */
	GEN_TX_START,
	GEN_TX_COMMIT,
	GEN_TX_FAIL,	/* GEN_F_IMPLIED: by Discard or Overflow, no packet of its own */
	GEN_END,	/* end of trace */
	/* conditional instruction: start (0: place unknown), num 1 passed, 2 failed, 0 unknown; value: its key */
	GEN_COND,
	GEN_COND_I,	/* the model's own: an instruction, a result, a flush */
	GEN_COND_R,
	GEN_COND_F,
};

enum gen_event_flags {
	GEN_F_CC = 1,		/* timestamp with a cycle count */
	GEN_F_UNKNOWN = 2,
	/* exception: the return address is also the target of the branch before (E1:E0 = 10) */
	GEN_F_BR_TGT = 4,
	/*
	 * exception without a return address (ETE PE reset); the instructions before it are not
	 * known
	 */
	GEN_F_NO_ADDR = 8,
	GEN_F_CTX_SAME = 0x10,	/* context by the one-byte packet without payload */
	/* this context packet carried the context ID, the virtual context ID */
	GEN_F_HAS_CID = 0x20,
	GEN_F_HAS_VMID = 0x40,
	GEN_F_AFTER_OVERFLOW = 0x80, /* trace on */
	/* range covered by one Source Address element; atom N: not the last of it */
	GEN_F_SRC = 0x100,
	/* inside a transaction that failed later or never ended: the architecture drops it */
	GEN_F_TX_DEAD = 0x200,
	GEN_F_IMPLIED = 0x400,
	/* stands between the alignment synchronisation and the first Trace Info */
	GEN_F_PRE_INFO = 0x800,
		GEN_F_UNSYNCED = 0x1000, /* exception while context or address is not known */
	/*
	 * Q element whose address is a packet of its own: when no P0 element follows, an analyzer
	 * may report it late and without the address
	 */
	GEN_F_Q_LATE = 0x8000,
	/*
	 * trace on: the last branch before it was traced with its target (start), though no
	 * instruction there
	 */
	GEN_F_TARGET = 0x10000,
	/* came out because the trace ended (or was lost), not by a commit */
	GEN_F_TAIL = 0x4000,
	GEN_F_MISPREDICTED = 0x2000, /* range whose atom was first traced with the other outcome */
};

struct gen_event {
	uint8_t kind;		/* enum gen_event_kind */
	uint8_t isa;		/* enum flow_isa */
	char atom;		/* 'E', 'N', 'Q', '-' (cut by an exception) */
	uint8_t klass;		/* enum flow_class of the last instruction */
	uint8_t iflags;		/* enum flow_flags of the last instruction */
	uint8_t size;		/* bytes of the last instruction */
	uint8_t el, sec, sf;
	uint16_t num;
	uint32_t flags;		/* enum gen_event_flags */
	uint32_t n;
	uint32_t tid;		/* context ID as the trace tells it, 0 when not traced */
	uint32_t thread;	/* who executed it */
	uint32_t vmid;
	uint32_t cc;
	uint64_t start, end, next, last_pc;
	uint64_t value;
	/* offset of the packet in the bytes of the trace unit since it was started */
	uint64_t off;
};

#endif
