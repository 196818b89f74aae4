/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * analyze.h - steps that the atom loop and the other elements share.
 */
#ifndef CST_LIB_FLOW_ANALYZE_H
#define CST_LIB_FLOW_ANALYZE_H

#include "flow/flow.h"

/* A generic element with the context as it is. */
struct cst_generic *cst_flow_emit(struct cst_flow *f, struct cst_generic *out, size_t *n,
				  enum cst_generic_kind kind);
/* The range that goes on, or the cycles that wait, come before what is put out next. */
void cst_flow_close(struct cst_flow *f, struct cst_generic *out, size_t *n);
/* Does a range go on with an instruction there? */
static inline int cst_flow_continues(const struct cst_generic *g, uint64_t addr, uint8_t isa, uint32_t section,
				     uint32_t sect_off)
{
	return g->end == addr && g->isa == isa && g->section == section &&
	       g->sect_off + (uint32_t)(addr - g->addr) == sect_off;
}
/* CheckForReturnStackMatch: the target of the indirect branch before, if it was left to the return stack. */
void cst_flow_pop(struct cst_flow *f);
/*
 * `atoms` P0 elements cannot be followed. Once for each gap an element says so: the next range does not
 * continue the last one.
 */
void cst_flow_lost(struct cst_flow *f, struct cst_generic *out, size_t *n, unsigned int atoms);
/* Atoms of single instructions, as far as there is room (insn.c). */
void cst_flow_insns(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap);
/* Cycles of f->el without an instruction, where ranges are joined. */
void cst_flow_wait(struct cst_flow *f);
/* The instruction at `a`, of f->isa, ran: transfers belong to it, if it loads or stores. */
void cst_flow_loaded(struct cst_flow *f, uint64_t a);
/* A data transfer. */
void cst_flow_data(struct cst_flow *f, struct cst_generic *g);
/* Emits the range of a span, which begins at f->addr; `exec`: its last instruction was executed, or taken. */
void cst_flow_range(struct cst_flow *f, struct cst_generic *out, size_t *n, const struct span *s, int exec);
/* Execution goes on behind a span, whose last instruction led nowhere else. */
void cst_flow_behind(struct cst_flow *f, const struct span *s);
/* Emits the range of f->span and goes on where its last instruction leads, as after an atom E. */
void cst_flow_pass(struct cst_flow *f, struct cst_generic *out, size_t *n);
/* A span that could not be collected: its range, why, and no address until the next one traced. */
void cst_flow_broken(struct cst_flow *f, struct cst_generic *out, size_t *n, enum span_end end,
		     const struct span *s);
/* The trace contradicts the code, which is taken for right up to f->addr. */
void cst_flow_conflict(struct cst_flow *f, struct cst_generic *out, size_t *n, unsigned int finding);
/* The indirect branch at `addr` finds no entry on the return stack. */
void cst_flow_stack_empty(struct cst_flow *f, uint64_t addr);
/* A Q element whose address has come (known), or will not. */
void cst_flow_finish_q(struct cst_flow *f, struct cst_generic *out, size_t *n, int known,
		       uint64_t next);
/* A finding at an address, for the log. */
void cst_flow_report(struct cst_flow *f, unsigned int finding, uint64_t addr);
/*
 * One that each packet repeats until something is executed again: the first goes to the log, the others are counted, and
 * the count goes there at the end.
 */
void cst_flow_report_lasting(struct cst_flow *f, unsigned int finding, uint64_t addr);
/* The next range does not continue the last one; `error` says why. Not for comparing listings. */
void cst_flow_unknown(struct cst_flow *f, struct cst_generic *out, size_t *n, int error);
/* Where execution goes on, as far as the trace and the last opcode tell. */
void cst_flow_set_next(const struct cst_flow *f, struct cst_generic *g);

/* The element's cycle count goes to what it puts out. */
static inline void cst_flow_add_cycles(const struct cst_flow *f, struct cst_generic *g)
{
	if (f->el.flags & CST_EL_F_CC) {
		g->flags |= CST_GF_CC;
		g->cc = f->el.cc;
	}
}

/* Waypoint traces (waypoint.c): f->el by its kind. 1: a section must be loaded first, nothing was done. */
int cst_flow_branch(struct cst_flow *f, struct cst_generic *out, size_t *n);
int cst_flow_waypoint(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_vector(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_state(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_resync(struct cst_flow *f, struct cst_generic *out, size_t *n);
/* ETE has no Exception Return packet: the element follows the instruction. */
void cst_flow_eret(struct cst_flow *f, struct cst_generic *out, size_t *n);

/* Conditional instructions (cond.c): one more; a result or a flush, 1 when it is not done yet; a range is put out. */
void cst_flow_cond_insn(struct cst_flow *f, struct cst_generic *out, size_t *n);
int cst_flow_cond_result(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_cond_range(struct cst_flow *f, const struct span *s);

#endif
