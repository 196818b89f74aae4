/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * v7_roundtrip.h - what a model of an ETMv3 or a PTM says was executed, and what the decoder makes of its bytes:
 * whole, with a loss, with damage.
 *
 * CST_SEEDS=N sets the number of streams (default 10000, see unit/seeds.h), CST_SEED=N
 * runs one and shows both sides.
 */
#ifndef CSTRACE_TESTS_V7_ROUNDTRIP_H
#define CSTRACE_TESTS_V7_ROUNDTRIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cstrace/cstrace.h>
#include <cstrace/log.h>

#include "gen_event.h"
#include "random.h"
#include "util.h"
#include "v7.h"

enum { V7_DATA = 0x80 };	/* a kind of its own, beside those of enum gen_event_kind */

/* What is compared: one line of either side. */
struct v7_item {
	uint8_t kind;
	char atom;
	uint8_t isa, el, sec, size, tag;
	bool gap;		/* cc: before the last Trace On; not compared */
	uint16_t num;
	uint32_t n, tid, vmid, cc;
	uint64_t a, b, insn;
};

/* A stream of the model. */
struct v7_case {
	uint64_t seed;
	const void *model;
	const struct prog_opts *prog;
	const struct prog_region *regions;
	size_t nregions, nevents;
	const struct gbuf *trace;
	const struct v7_marks *packets, *syncs;
	uint32_t first;		/* offset from which on a bad packet is a loss: before it nothing is in step */
	uint8_t reserved;	/* a header that no packet has */
	bool has_cid;
	bool zeros_before;	/* an A-sync takes the zeros before it */
	bool same_contexts;	/* a context that says what is known may be there or not */
	bool gaps_uncounted;	/* cycles of a gap are unknown if it may have been an overflow */
	bool per_insn;		/* each instruction has an event; the decoder may join them to ranges */
	unsigned int allowed;	/* finding that is among what the model draws, 0: none */
	struct cst_config cfg;
	/* event `i` as the decoder is to report it */
	void (*event)(const void *model, size_t i, struct v7_item *it);
};

/* How much was decoded: so that a test that compares nothing is seen. */
struct v7_sum {
	uint64_t ranges, joined;	/* joined: of several instructions, per_insn */
};

/* The whole and in frames, with a loss, with damage. 0: all comes back as it must. */
int v7_one_case(const struct v7_case *c, struct v7_sum *sum);
/* `one` for each seed: it returns what v7_one_case() does. Returns the number of seeds. */
uint64_t v7_all_seeds(int (*one)(uint64_t seed, struct v7_sum *sum), struct v7_sum *sum);
/* The configuration of the model's registers, but for the protocol's own function. */
struct cst_etmv3_regs v7_regs_of(const struct v7_regs *regs);

#endif
