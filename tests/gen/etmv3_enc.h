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

enum etmv3_event_kind {
	EV3_NONE,
	EV3_RANGE,	/* one instruction: a, b; atom, isa; cc */
	EV3_CONTEXT,	/* tid, vmid, sec, el; cc */
	EV3_TRACE_ON,	/* num: 0 normal, 1 overflow, 2 debug */
	EV3_EXCEPTION,	/* num */
	EV3_EXC_RETURN,
	EV3_TIMESTAMP,	/* a */
	EV3_CYCLES,	/* cc */
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
	uint8_t kind, isa, sec, el, size, tag;
	char atom;
	uint16_t num;
	uint32_t tid, vmid, cc;
	uint64_t a, b, insn;
};

struct etmv3_opts {
	uint64_t seed;
	uint8_t minor, alt, cid_bytes, vmid, ts, ts64, ts_gray, cycles, broadcast, mprofile, virt;
	uint8_t data_addr, data_value, data_only;
	uint32_t sync_every;	/* bytes between synchronisations, 0: only at the start */
	/* per mille */
	uint16_t p_flush, p_long, p_state, p_ts, p_aside, p_overflow, p_cancel, p_data, p_twice;
};

struct etmv3_regs_made {
	uint32_t cr, ccer, idr, traceidr;
};

/* A place in the bytes, and the number of events that all bytes before it tell of. */
struct etmv3_mark {
	uint32_t off, events;
};

struct etmv3_marks {
	struct etmv3_mark *v;
	uint32_t n, cap;
};

struct etmv3_case {
	uint64_t seed;
	struct etmv3_opts opts;
	struct prog_opts prog;
	uint32_t insns;
	struct etmv3_regs_made regs;
	struct gbuf trace;
	struct etmv3_event *events;
	size_t nevents, cap;
	uint32_t first;			/* offset after the first I-sync: from here on all is in step */
	struct etmv3_marks packets;	/* where packets begin, but for those between an instruction and its cancel */
	struct etmv3_marks syncs;	/* where each alignment synchronisation begins */
	const struct prog_region *regions;
	size_t nregions;
	struct prog *program;
};

void etmv3_case_new(uint64_t seed, struct etmv3_case *c);
void etmv3_case_free(struct etmv3_case *c);

#endif
