/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * executed.h - what a recording's instruction streams executed, as Tarmac text. What the trace does not show is left out: physical
 * addresses, registers but for CONTEXTIDR, and data accesses of trace units that do not trace them.
 */
#ifndef CSTRACE_OUTPUTS_EXECUTED_EXECUTED_H
#define CSTRACE_OUTPUTS_EXECUTED_EXECUTED_H

#include <stdbool.h>

#include <cstrace/files/tarmac.h>

#include "session/decode/stream.h"
#include "session/decode/locate.h"
#include "outputs/insns/insns.h"

struct executed_opts {
	enum cst_tarmac_dialect dialect;
	bool disassemble;	/* instructions have their text, if libcapstone is there */
	int only_id;		/* trace ID, -1: all */
	const char *output;	/* "-": standard output */
	const char *who;	/* begins messages: "cstrace dump" */
};

struct executed_result {
	bool refused;		/* the dialect could not express records, which was reported with their number */
	bool has_id;		/* there is a stream of executed_opts.only_id */
};

/* Writes the recording. 0, or ERR_REPORTED after a message on stderr. */
int executed_dump(struct session *ss, const struct executed_opts *opts, struct executed_result *result);

/*
 * describe.c: elements in Tarmac's terms.
 */

/* Name of what executed: "cpu2", or "cpu_tid123" of a thread's buffer whose CPU is not known. */
void executed_cpu_name(const struct stream *s, char *name, size_t size);
/*
 * Processor mode of an element. Trace shows the exception level but neither SPSel nor the modes of an AArch32 EL1:
 * "h" stands for both stacks above EL0, svc for the modes of EL1 and EL3. Without a known level, text "unknown".
 */
void executed_mode_of(const struct stream *s, const struct cst_generic *g, struct cst_tarmac_mode *mode);
/* An instruction, but for its index, mode and text. */
void executed_insn_of(const struct insn *insn, struct cst_tarmac_insn *out);
/*
 * The event of an exception; `last`: address of the last instruction before it; `next`: the range behind it, NULL: there is
 * none. AArch64 events are numbered by their vectors, which only `next` shows. False: the event has no number, or the
 * vector contradicts the type of the exception or the exception levels, as in a table that is not the architecture's.
 */
bool executed_event_of(const struct stream *s, const struct cst_generic *exception, uint64_t last, const struct cst_generic *next,
		       enum cst_tarmac_dialect dialect, struct cst_tarmac_event *event);
/* A transfer of the data trace; false: its address, its value, or its direction is not known. */
bool executed_memory_of(const struct stream *s, const struct cst_generic *data, struct cst_tarmac_memory *memory);
/* What interrupts the instructions, in words: "overflow of the trace unit"; NULL: nothing does. */
const char *executed_gap_of(const struct cst_generic *g);

#endif
