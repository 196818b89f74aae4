/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * truth_w.h - expected events as text files: what a decoder of the trace must find.
 *
 * DIR/ranges.cpuC: one line per event (gen_event_text), ~ before what a failed transaction takes
 * back. DIR/branches.cpuC.tidT: `from to` of the taken branches, in hex. The target is the start of
 * the next range, or the return address of an exception taken right there, or, where a traced
 * stretch ends, what the opcode of a direct branch says; never across Discard and Overflow. An
 * exception into traced code is a branch from the last instruction executed to the first one traced
 * after it; `0 to` is the first instruction after Trace On. DIR/windows: `cpu tid time n` of the
 * samples with AUX windows, n being the branches of that thread on that CPU so far, but those from
 * 0. DIR/summary: counts.
 */
#ifndef CSTRACE_TESTS_GEN_TRUTH_W_H
#define CSTRACE_TESTS_GEN_TRUTH_W_H

#include "gen_event.h"

struct truth;

/* dir NULL: only counts */
struct truth *truth_new(const char *dir);
void truth_event(struct truth *t, int cpu, const struct gen_event *ev);
/* a sample with an AUX window is taken on a CPU, whose trace is flushed */
void truth_window(struct truth *t, int cpu, uint32_t tid, uint64_t time);
/* total of bytes and instructions of a CPU, for the summary */
void truth_totals(struct truth *t, int cpu, uint64_t insns, uint64_t bytes);
uint64_t truth_branches(const struct truth *t);
/* writes the rest; 0, or -1 with errno */
int truth_close(struct truth *t);

#endif
