/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.h - generic trace elements, the output of the instruction-flow stage and the only input of its consumers
 * (listings, samples, counts).
 */
#ifndef CSTRACE_FLOW_H
#define CSTRACE_FLOW_H

#include <cstrace/error.h>
#include <cstrace/types.h>

/* The values are those of the reference decoder's interface, so that elements can be compared with its own. */
enum cst_generic_kind {
	CST_GEN_UNKNOWN,
	CST_GEN_NO_SYNC,	/* reason; error */
	CST_GEN_TRACE_ON,	/* reason */
	CST_GEN_EO_TRACE,	/* reason */
	CST_GEN_PE_CONTEXT,
	CST_GEN_RANGE,		/* the instructions [addr, end) were executed */
	CST_GEN_NOPATH,		/* n_insn instructions ran between addr and end, path unknown (Q) */
	CST_GEN_NACC,		/* no code at addr; num = enum cst_memspace */
	/* the address is unknown until the next range; error: why; addr, with CST_ERR_BAD_IMAGE: of the code at fault */
	CST_GEN_ADDR_UNKNOWN,
	CST_GEN_EXCEPTION,	/* num; end = preferred return address with CST_GF_RET_ADDR */
	CST_GEN_EXCEPTION_RET,
	CST_GEN_TIMESTAMP,	/* addr: the time in ticks of the trace */
	/*
	 * cc: cycles since the last one; unknown without CST_GF_CC. num: CST_CYCLES_GAP for those
	 * of an ETMv3 Cycle count packet, which passed before the last CST_GEN_TRACE_ON (IHI 0014Q
	 * 7.3.4).
	 */
	CST_GEN_CYCLE_COUNT,
	CST_GEN_EVENT,		/* num = mask of events 0..3, or CST_EVENT_TRIGGER */
	CST_GEN_SWTRACE,
	CST_GEN_SYNC_MARKER,	/* num = enum cst_sync_marker */
	CST_GEN_MEMTRANS,	/* num = enum cst_memtrans */
	CST_GEN_INSTRUMENTATION, /* addr: the value; el: its exception level */
	CST_GEN_ITMTRACE,
	CST_GEN_CUSTOM,		/* of a custom decoder, which defines the fields */
	/* these have no counterpart in the reference decoder's interface */
	CST_GEN_DATA = 0x40,	/* a data transfer */
	CST_GEN_COND,		/* result of a conditional instruction; num = enum cst_cond_flags, end = its key */
	/*
	 * Of CST_EMIT_COUNTS (cst_decoder_emit()), directly after a RANGE that completed a range of
	 * the counts: `runs` consecutive ranges were executed and counted, the first of them in the
	 * section of that RANGE. section, addr, end, sect_off, flags, isa and last_* are those of
	 * the last one. Not counted yet: the open range, from offset `start` to the end of this
	 * element, and its last branch if that was taken. n_insn: their instructions since
	 * execution came to `section`; cst_counts_exits() has those before. num: atoms that
	 * contradicted the image (stats.image_conflicts), all in `section`; the run ends before
	 * they are more than 65535.
	 */
	CST_GEN_COUNTED,
	/*
	 * Of CST_EMIT_SAMPLES: ranges that were left out, from `addr` on, with n_insn instructions.
	 * end, flags, isa and last_* are those of the last one, which ends with a taken branch.
	 * They have no section. runs: number of ranges that are in no element, also between the
	 * next ones.
	 */
	CST_GEN_SKIPPED,
	/*
	 * Of CST_EMIT_BRANCHES: `runs` consecutive ranges, from `addr` on, with n_insn
	 * instructions, directly after a RANGE. They have no section. end, flags, isa and last_*
	 * are those of the last one. list.v[first] and the branches after it, `branches` in number,
	 * are those taken before the last range's own. num: contradictions as above, at most 1, of
	 * the last range.
	 */
	CST_GEN_LISTED,
	/*
	 * From the tree, with trace_id CST_ID_UNKNOWN: all its decoders were reset here, because of a barrier in the
	 * frames (CST_FRAME_RESET_4X) or of lost frames; error: why. The next element of each decoder is a NO_SYNC.
	 */
	CST_GEN_BARRIER,
};

/* CYCLE_COUNT: `num` */
#define CST_CYCLES_GAP 1

/* EVENT: `num` of the trigger, the only event of ETMv3 and PTM */
#define CST_EVENT_TRIGGER 0x8000

enum cst_trace_on_reason { CST_ON_NORMAL, CST_ON_OVERFLOW, CST_ON_DEBUG };

enum cst_unsync_reason {
	CST_UNSYNC_UNKNOWN,
	CST_UNSYNC_INIT,	/* decoder starts */
	CST_UNSYNC_RESET,	/* decoder was reset */
	CST_UNSYNC_OVERFLOW,
	CST_UNSYNC_DISCARD,
	CST_UNSYNC_BAD_PACKET,	/* error says which */
	CST_UNSYNC_BAD_IMAGE,
	CST_UNSYNC_END,		/* end of trace */
};

/* SWTRACE and ITMTRACE: `num`. */
enum cst_sw_flags {
	CST_SW_ID = 0x01,	/* STM: master and channel are known */
	CST_SW_MARKER = 0x02,
	CST_SW_TRIGGER = 0x04,
	CST_SW_FREQ = 0x08,	/* payload is the frequency of the timestamps in Hz */
	CST_SW_MASTER_ERR = 0x10, /* payload is the error's code */
	CST_SW_GLOBAL_ERR = 0x20,
	CST_SW_OVERFLOW = 0x40,	/* ITM: packets were lost before this one */
	CST_SW_CLOCK = 0x80,	/* ITM: the global timestamp's clock has changed */
};

/* ITMTRACE: `last_type`; numbered as in the reference decoder's interface. */
enum cst_itm_kind {
	CST_ITM_SWIT,		/* stimulus port write */
	CST_ITM_DWT,		/* hardware source */
	CST_ITM_TS_SYNC,	/* local timestamps: payload is the delta, ts the sum */
	CST_ITM_TS_DELAY,
	CST_ITM_TS_PKT_DELAY,
	CST_ITM_TS_PKT_TS_DELAY,
	CST_ITM_TS_GLOBAL,
};

/* DATA: `num`. */
enum cst_data_flags {
	CST_DATA_ADDR = 0x01,	/* addr is known */
	CST_DATA_VALUE = 0x02,	/* value is known; `size` bytes */
	CST_DATA_INSN = 0x04,	/* insn is valid */
	CST_DATA_LATE = 0x08,	/* the value came out of order */
	CST_DATA_PENDING = 0x10, /* the value follows in another element with the tag `channel` */
	CST_DATA_STORE_FAILED = 0x20,
	CST_DATA_NOT_TRACED = 0x40, /* the value was filtered */
	CST_DATA_SUPPRESSED = 0x80, /* transfers were lost here */
	CST_DATA_BIG_ENDIAN = 0x100,
	CST_DATA_STACKING = 0x200, /* M profile: transfers of an exception's entry or exit begin */
};

/* COND: `num`. If neither PASS nor FAIL is set, the result is unknown. */
enum cst_cond_flags {
	CST_COND_PASSED = 1,
	CST_COND_FAILED = 2,
	CST_COND_INSN = 4,	/* addr is the instruction's address */
	CST_COND_FLAGS = 8,	/* the result is given as condition flags: N, Z, C, V in bits 15 to 12 */
};
#define CST_COND_FLAGS_SHIFT 12

/* SYNC_MARKER: `num`. */
enum cst_sync_marker {
	CST_MARK_TIMESTAMP,	/* the next timestamp was taken here */
	CST_MARK_DATA_NUMBERED,	/* a common point of both streams of an ETMv4 with data trace; addr: its number */
	CST_MARK_DATA,		/* the same without a number; addr, in the instruction stream: atoms since that point */
};

enum cst_memtrans { CST_TRANS_INIT, CST_TRANS_START, CST_TRANS_COMMIT, CST_TRANS_FAIL };

/* RANGE: `num`. */
enum cst_range_flags {
	CST_RANGE_IT = 1,	/* the last instruction stands in an IT block, which makes it conditional */
	/*
	 * An exception interrupted the last instruction, which was executed in part: it is continued or executed again after
	 * the return. T32 instructions of four bytes, such as LDM; `end` is the end of the whole instruction.
	 */
	CST_RANGE_PART = 2,
};

enum cst_generic_flags {
	CST_GF_EXEC = 0x0001,	/* RANGE: the last instruction was executed (atom E) */
	CST_GF_COND = 0x0002,	/* RANGE: the last instruction is conditional */
	CST_GF_LINK = 0x0004,	/* RANGE: the last instruction is a branch with link */
	CST_GF_CC = 0x0008,	/* cc is valid */
	CST_GF_RET_ADDR = 0x0010,	/* EXCEPTION: end is the preferred return address */
	CST_GF_BR_TARGET = 0x0020,	/* EXCEPTION: end is also the target of the branch before */
	CST_GF_TAIL_CHAIN = 0x0040,
	CST_GF_CID = 0x0080,	/* PE_CONTEXT: context_id was traced, by this packet or one before it */
	CST_GF_VMID = 0x0100,	/* PE_CONTEXT: vmid was traced, by this packet or one before it */
	CST_GF_EL = 0x0200,	/* el and security are known */
	CST_GF_BITS64 = 0x0400,
	CST_GF_WAYPOINT = 0x0800,	/* RANGE ends with the P0 instruction that an atom belongs to; clear: cut by an exception, missing memory or a Q */
	/*
	 * TRACE_ON, NO_SYNC, EO_TRACE, EXCEPTION: `addr` is the next address, which the last opcode determines (its
	 * branch target or the next instruction); never set with a doubtful atom
	 */
	CST_GF_NEXT = 0x1000,
	CST_GF_DOUBTFUL = 0x2000,	/* NO_SYNC, TRACE_ON: the last atom before it may be wrong (Discard, Overflow, error, barrier) */
	CST_GF_TS = 0x4000,	/* SWTRACE, ITMTRACE: ts is valid */
};

/*
 * One generic trace element of 64 bytes. The context fields are set in every element and hold the context in which it
 * committed.
 */
struct cst_generic {
	uint64_t index;		/* trace offset of the packet that caused it */
	union {
		uint64_t addr;	/* RANGE, NOPATH: start; NACC, ADDR_UNKNOWN, DATA: address; TIMESTAMP, INSTRUMENTATION: value */
		uint64_t payload; /* SWTRACE, ITMTRACE: the payload */
	};
	union {
		uint64_t end;	/* RANGE: exclusive end; NOPATH: next address; EXCEPTION: return address */
		uint64_t ts;	/* SWTRACE, ITMTRACE with CST_GF_TS: the timestamp */
		uint64_t value;	/* DATA: the value; TIMESTAMP of ETMv3 and PTM: addr as sent (Gray coded, upper bits as before) */
	};
	union {
		uint32_t n_insn; /* RANGE, NOPATH and runs: number of instructions */
		uint32_t size;	/* SWTRACE: bits of the payload; ITMTRACE, DATA: bytes */
	};
	union {
		uint32_t cc;	/* cycles since the last CYCLE_COUNT element */
		uint32_t runs;	/* COUNTED, SKIPPED and LISTED, which are runs: number of ranges */
	};
	union {
		uint32_t context_id;
		uint32_t master; /* SWTRACE with CST_SW_ID: STP master */
	};
	union {
		uint32_t vmid;
		uint32_t channel; /* SWTRACE with CST_SW_ID; ITMTRACE: stimulus port or DWT discriminator */
	};
	uint32_t section;	/* RANGE: section number (image.h) of addr, 0 when the range is not in one section */
	uint8_t kind;		/* enum cst_generic_kind */
	uint8_t trace_id;
	uint8_t el;
	uint8_t security;
	uint16_t flags;		/* enum cst_generic_flags */
	uint16_t num;		/* exception number, event mask, memory space, transaction, reason; RANGE: enum cst_range_flags; SWTRACE, ITMTRACE: enum cst_sw_flags; DATA: enum cst_data_flags */
	uint8_t isa;		/* enum cst_isa of the range; else of the current address */
	uint8_t last_type;	/* enum cst_insn_type */
	uint8_t last_subtype;	/* enum cst_insn_subtype */
	uint8_t last_size;	/* bytes of the last instruction */
	CST_EXTENSION union {
		CST_EXTENSION struct {
			CST_EXTENSION union {
				uint32_t error;	/* NO_SYNC, ADDR_UNKNOWN, BARRIER: enum cst_error (positive), 0 none */
				uint32_t start;	/* COUNTED: section offset of the open range */
				uint32_t first;	/* LISTED: index of the first branch */
			};
			CST_EXTENSION union {
				uint32_t sect_off; /* RANGE: offset of addr in its section (low 32 bits) */
				uint32_t branches; /* LISTED: number of branches */
			};
		};
		uint64_t insn;	/* DATA: address of the instruction that made the transfer, with CST_DATA_INSN */
	};
};

/* A taken branch. The last fields are those of struct cst_generic for the range that it ends. */
struct cst_branch {
	uint64_t from, to;	/* addresses of the branch instruction and of its target */
	uint16_t flags, num;
	uint8_t isa, last_type, last_subtype, last_size;
};

/* Memory for taken branches, which the caller provides: v[0] to v[cap - 1], of which the first n are in use. */
struct cst_branch_list {
	struct cst_branch *v;
	uint32_t n, cap;
};

CST_BEGIN

/*
 * Finds the taken branches of elements[0..n) of one stream, in order, and writes those whose target
 * is known to `out`, which has room for n. Returns their number. The target is the begin of the
 * next range, the return address of an exception at the target, the address of missing code or of
 * an unknown path, or, where a traced stretch ends, what the opcode says; exceptions are no
 * branches. The branch at the end of the elements, whose target follows, is in *open for the next
 * call; a struct of zeros is none. Pure but for *open and `out`.
 */
CST_API size_t cst_branches_find(struct cst_branch *open, const struct cst_generic *elements,
				 size_t n, struct cst_branch *out);

CST_END

/* True if the next range after an element of this kind does not continue the last one: the flow is lost. */
static inline int cst_generic_loses_flow(unsigned int kind)
{
	const unsigned int kinds = 1u << CST_GEN_NO_SYNC | 1u << CST_GEN_TRACE_ON | 1u << CST_GEN_EO_TRACE |
				   1u << CST_GEN_NOPATH | 1u << CST_GEN_NACC | 1u << CST_GEN_ADDR_UNKNOWN;

	return kind <= CST_GEN_ADDR_UNKNOWN && kinds >> kind & 1;
}

/*
 * True if an element of this kind stands for several ranges, `runs` in number (cst_decoder_emit()).
 */
static inline int cst_generic_is_run(unsigned int kind)
{
	return kind - CST_GEN_COUNTED <= CST_GEN_LISTED - CST_GEN_COUNTED;
}

/*
 * Returns the address up to which a range was executed: `end`, or with CST_RANGE_PART the return address of the exception,
 * inside the last instruction.
 */
static inline uint64_t cst_generic_reached(const struct cst_generic *g)
{
	return g->end - (g->kind == CST_GEN_RANGE && g->num & CST_RANGE_PART ? g->last_size / 2 : 0);
}

/*
 * Returns how many contradictions of the image (stats.image_conflicts) `g` stands for, all in the section of its last
 * instruction, or of ADDR_UNKNOWN's address. One that stops the decoding because of cst_config.checks has no element.
 */
static inline unsigned int cst_generic_conflicts(const struct cst_generic *g)
{
	switch (g->kind) {
	case CST_GEN_COUNTED:
	case CST_GEN_LISTED:
		return g->num;
	case CST_GEN_RANGE:
		/* an atom N of an unconditional P0 instruction */
		return g->isa == CST_ISA_A64 && g->flags & CST_GF_WAYPOINT && !(g->flags & (CST_GF_EXEC | CST_GF_COND));
	case CST_GEN_ADDR_UNKNOWN:
		return g->error == CST_ERR_BAD_IMAGE;
	}
	return 0;
}

#endif
