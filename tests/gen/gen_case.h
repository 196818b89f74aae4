/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gen_case.h - one seed, one complete test case in memory: configuration, trace, code, expected
 * events.
 *
 * The options of the trace unit and of the program are drawn from the seed, all of them can be
 * reached; a case executes 200 to 5000 instructions. gen_event.h says in which order events are
 * expected. Choices beyond that:
 *
 * - The trace begins with an alignment synchronisation. With tu.cut_sync it begins at a later
 *   one, with P0 elements in flight (Trace Info SPEC); those never show up in the events.
 * - GEN_FRAGMENT is the first event, GEN_END the last. There is no event for "not synchronised".
 * - GEN_RANGE covers the instructions up to and including one P0 instruction. A Source Address
 *   element gives one range per not taken branch it passes (GEN_F_SRC, atom N) and one for the
 *   branch it names (GEN_F_SRC, atom E); an analyzer that reports a single range joins them:
 *   start of the first, end of the last, sum of n.
 * - A Q element is a range with atom Q when its instructions can be walked exactly: it has a
 *   count, and no branch lies in it before the last instruction, and either the last instruction
 *   is a branch or the address it gives follows the last instruction. Otherwise it is GEN_NOPATH
 *   with start, n and next. Q elements never contain ISB, WFI/WFE (as P0), TSTART or exception
 *   returns.
 * - The range before an exception (atom '-') comes before the GEN_EXCEPTION; none if no
 *   instruction ran. A context given in an exception packet comes before it as well.
 * - In a failed transaction (and in one still open when the trace ends) what the architecture
 *   drops is flagged GEN_F_TX_DEAD; an analyzer that does not unwind reports it nevertheless.
 * - Events, timestamps and cycle counts between two P0 elements stand in the order of the packets.
 * - The context of a range is the one the analyzer knows when the element commits; a Context
 *   element in the middle of a range is not generated, it stands before the P0 element of its
 *   range.
 * - An E atom of ISB, WFI and TSTART is a range with atom E.
 */
#ifndef CSTRACE_TESTS_GEN_GEN_CASE_H
#define CSTRACE_TESTS_GEN_GEN_CASE_H

#include "encode.h"
#include "random.h"
#include "tarmac_w.h"

/* features a test may exclude; everything else is always possible */
enum gen_feature {
	GEN_X_SPEC = 1,		/* speculation: MAXSPEC > 0 */
	GEN_X_Q = 2,
	GEN_X_SRC = 4,
	GEN_X_TX = 8,
	GEN_X_OVERFLOW = 0x10,	/* overflow and discard */
	GEN_X_AARCH32 = 0x20,
	GEN_X_THREADS = 0x40,	/* several threads with different code at the same addresses */
	GEN_X_E10 = 0x80,
	GEN_X_TIME = 0x100,	/* timestamps, cycle counts, markers */
	GEN_X_EVENTS = 0x200,	/* events, instrumentation, ignore packets */
	GEN_X_SYNC = 0x400,	/* periodic synchronisation, wrapped buffers */
	GEN_X_NEWEST = 0x800,	/* PAuth_LR, CMPBR, WFET, A32 ERET */
	GEN_X_MPROFILE = 0x1000,
	GEN_X_RETSTACK = 0x2000,
	GEN_X_BB = 0x4000,
	GEN_X_FORMS = 0x8000,	/* packets longer or more than needed */
	GEN_X_RESET = 0x10000,	/* PE reset */
	GEN_X_ETE = 0x20000,
	GEN_X_CUT = 0x40000,	/* wrapped buffers only */
};

struct gen_case {
	uint64_t seed;
	struct tu_opts tu;
	struct prog_opts prog;
	uint64_t insns;			/* asked for */
	struct tu_regs regs;
	uint8_t *trace;			/* one stream without frames */
	size_t len;
	/* the same under regs.traceidr in 16-byte frames, with padding */
	uint8_t *framed;
	size_t framed_len;
	const struct prog_region *regions;	/* code: of a thread, or of all (the kernel) */
	size_t nregions;
	struct gen_event *events;
	size_t nevents;
	struct tu_stats stats;
	struct prog *program;
	struct tarmac_w *tarmac;	/* gets the flow, too; NULL: none */
};

/* the bytes of an instruction of the case, for struct tarmac_opts */
int gen_case_bytes(void *gen_case, const struct flow_rec *r, uint8_t *bytes);
/* draws the options only */
void gen_case_opts(uint64_t seed, unsigned int exclude, struct gen_case *c);
/* builds the case from the options in c */
void gen_case_build(struct gen_case *c);
void gen_random_case(uint64_t seed, struct gen_case *c);
void gen_random_case_without(uint64_t seed, unsigned int exclude, struct gen_case *c);
/* the code of an address for a thread and exception level: bytes available there, 0: none */
size_t gen_case_read(const struct gen_case *c, uint32_t tid, int el, uint64_t va,
		     const uint8_t **p);
/*
 * Trace units of the R and M profile: loads and stores as P0 elements, conditional tracing, low overhead loops,
 * tail chains. `plain`: no speculation, everything known right after a synchronisation, and many of these.
 */
void gen_profile_case(uint64_t seed, int plain, struct gen_case *c);
void gen_case_free(struct gen_case *c);
const char *gen_event_text(const struct gen_event *ev, char *buf, size_t n);

#endif
