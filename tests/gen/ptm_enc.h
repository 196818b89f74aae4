/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ptm_enc.h - a model of a PTM (Program Flow Trace 1.0, 1.1), and complete test cases made with it.
 *
 * It takes what a processor executed (flow.h) and gives the bytes that a PTM sends, and what a trace
 * analyzer must report (gen_event.h). Of the events' fields, cycle counts are in cc with GEN_F_CC (ranges,
 * exceptions, trace on, timestamps); trace on has the reason in num (0 normal, 1 overflow, 2 debug); `el` is 2 in
 * Hyp mode, else 0. GEN_EVENTS with num 0 is a trigger. A range that a waypoint update ends has atom '-'.
 */
#ifndef CSTRACE_TESTS_GEN_PTM_ENC_H
#define CSTRACE_TESTS_GEN_PTM_ENC_H

#include "gen_event.h"
#include "random.h"
#include "util.h"
#include "v7.h"

struct ptm_opts {
	uint64_t seed;
	uint8_t minor;		/* PFT 1.minor */
	uint8_t trace_id;
	uint8_t cid_bytes;	/* 0, 1, 2, 4 */
	uint8_t vmid, ts, ts64, ts_gray, cycles, broadcast, barriers;
	uint8_t live;		/* a recording: times and exceptions are those of the flow */
	uint8_t stack;		/* entries of the return stack, 0: off */
	uint32_t sync_every;	/* bytes between synchronisations, 0: only at the start */
	/* per mille */
	uint16_t p_flush;	/* atom packets shorter than possible */
	uint16_t p_long;	/* addresses, timestamps and counts longer than needed */
	uint16_t p_broadcast;	/* taken direct branch inside a broadcast range */
	uint16_t p_state;	/* exception bytes without an exception: security state, Hyp mode */
	uint16_t p_waypoint;	/* a waypoint update after some instruction */
	uint16_t p_ts, p_trigger, p_ignore, p_vmid, p_overflow;
};

struct ptm_case {
	uint64_t seed;
	struct ptm_opts opts;
	struct prog_opts prog;
	uint32_t insns;
	struct v7_regs regs;
	struct gbuf trace;
	struct gen_event *events;
	size_t nevents, cap;
	struct v7_marks packets;	/* where each packet begins */
	struct v7_marks syncs;		/* where each alignment synchronisation begins */
	const struct prog_region *regions;
	size_t nregions;
	struct prog *program;
};

void ptm_case_new(uint64_t seed, struct ptm_case *c);
void ptm_case_free(struct ptm_case *c);

/*
 * The trace unit of a recording, fed record by record. The case holds its options (live), and receives the registers,
 * the trace and the events, which the caller takes away as often as it likes. Of a FLOW_EXC num is the number that
 * the packet has. The unit is freed with free().
 */
struct ptm_tu;

struct ptm_tu *ptm_unit_new(struct ptm_case *c);
void ptm_unit_flow(struct ptm_tu *t, const struct flow_rec *r);
void ptm_unit_stop(struct ptm_tu *t);	/* all is sent; the next instruction begins a trace */
void ptm_unit_taken(struct ptm_tu *t);	/* trace and events are empty again */

#endif
