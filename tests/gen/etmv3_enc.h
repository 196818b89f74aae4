/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * etmv3_enc.h - a model of an ETMv3 trace unit (ETMv3.0 to 3.5), instruction and data trace, and complete test
 * cases made with it: from what a processor executed (flow.h) the bytes that are sent, and what a trace
 * analyzer must report.
 */
#ifndef CSTRACE_TESTS_GEN_ETMV3_ENC_H
#define CSTRACE_TESTS_GEN_ETMV3_ENC_H

#include "random.h"
#include "util.h"
#include "v7.h"

enum etmv3_event_kind {
	EV3_NONE,
	EV3_RANGE,	/* one instruction: a, b; atom, isa; cc */
	EV3_CONTEXT,	/* tid, vmid, sec, el; cc, gap, as below */
	EV3_TRACE_ON,	/* num: 0 normal, 1 overflow, 2 debug */
	EV3_EXCEPTION,	/* num, a: preferred return address */
	EV3_EXC_RETURN,
	EV3_TIMESTAMP,	/* a */
	EV3_CYCLES,	/* cc; 0: unknown; gap: they passed before the last Trace On */
	EV3_TRIGGER,
	EV3_DATA,	/* a address, b value, insn, size, num: what is known of it, tag */
	EV3_END,
};

/* What is known of a transfer: numbered as the decoder's flags. */
enum etmv3_data {
	DT3_ADDR = 1, DT3_VALUE = 2, DT3_INSN = 4, DT3_LATE = 8, DT3_PENDING = 0x10, DT3_FAILED = 0x20,
	DT3_NOT_TRACED = 0x40, DT3_SUPPRESSED = 0x80, DT3_BIG_ENDIAN = 0x100, DT3_STACKING = 0x200,
};

struct etmv3_event {
	uint8_t kind, isa, sec, el, size, tag, gap;
	uint8_t klass, iflags;	/* of recordings: enum flow_class, flow_flags; next, too */
	char atom;
	uint16_t num;
	uint32_t tid, vmid, cc;
	uint64_t a, b, insn, next;
};

struct etmv3_opts {
	uint64_t seed;
	uint8_t minor, alt, cid_bytes, vmid, ts, ts64, ts_gray, cycles, broadcast, mprofile, virt;
	uint8_t data_addr, data_value, data_only;
	uint8_t live;		/* a recording: times, exceptions and instruction sets are those of the flow */
	uint32_t sync_every;	/* bytes between synchronisations, 0: only at the start */
	/* per mille */
	uint16_t p_flush, p_long, p_state, p_ts, p_aside, p_overflow, p_cancel, p_data, p_twice;
};

struct etmv3_case {
	uint64_t seed;
	struct etmv3_opts opts;
	struct prog_opts prog;
	uint32_t insns;
	struct v7_regs regs;
	struct gbuf trace;
	struct etmv3_event *events;
	size_t nevents, cap;
	uint32_t first;			/* offset after the first I-sync: from here on all is in step */
	struct v7_marks packets;	/* where packets begin, but for those between an instruction and its cancel */
	struct v7_marks syncs;	/* where each alignment synchronisation begins */
	const struct prog_region *regions;
	size_t nregions;
	struct prog *program;
};

void etmv3_case_new(uint64_t seed, struct etmv3_case *c);
void etmv3_case_free(struct etmv3_case *c);

/*
 * The trace unit of a recording, fed record by record. The case holds its options (live) and the trace ID, and
 * receives the other registers, the trace and the events, which the caller takes away as often as it likes. Of a
 * FLOW_INSN num is the instruction set where it went, of a FLOW_EXC the number that the packet has. The unit is freed
 * with free().
 */
struct tu3;

struct tu3 *etmv3_unit_new(struct etmv3_case *c);
void etmv3_unit_flow(struct tu3 *t, const struct flow_rec *r);
void etmv3_unit_stop(struct tu3 *t);	/* all is sent; the next instruction begins a trace */
void etmv3_unit_taken(struct tu3 *t);	/* trace and events are empty again */

#endif
