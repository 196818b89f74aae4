/* SPDX-License-Identifier: BSD-3-Clause */
/* analyze.h - steps that the atom loops and the analysis of other elements share. */
#ifndef CST_LIB_FLOW_ANALYZE_H
#define CST_LIB_FLOW_ANALYZE_H

#include "flow/flow_int.h"

/* Appends a generic element of `kind` with the current context. */
struct cst_generic *cst_flow_emit(struct cst_flow *f, struct cst_generic *out, size_t *n,
				  enum cst_generic_kind kind);
/* Appends the open range or the unreported cycles, which precede the next element. */
void cst_flow_close(struct cst_flow *f, struct cst_generic *out, size_t *n);
/* True if the instruction at `addr` continues range `g`. */
static inline int cst_flow_continues(const struct cst_generic *g, uint64_t addr, uint8_t isa, uint32_t section,
				     uint32_t sect_off)
{
	return g->end == addr && g->isa == isa && g->section == section &&
	       g->sect_off + (uint32_t)(addr - g->addr) == sect_off;
}
/*
 * CheckForReturnStackMatch (K10.5.5.3): pops the target of the last indirect branch if the trace left it to the return
 * stack.
 */
void cst_flow_pop(struct cst_flow *f);
/*
 * Counts `atoms` P0 elements that cannot be followed. Appends one CST_GEN_ADDR_UNKNOWN per gap: the next range does not
 * continue the last one.
 */
void cst_flow_lost(struct cst_flow *f, struct cst_generic *out, size_t *n, unsigned int atoms);
/* Walks atoms of single instructions as far as there is room (insn.c). */
void cst_flow_insns(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap);
/* Joined ranges: adds the cycles of f->elem, which has no instruction, to the open range. */
void cst_flow_wait(struct cst_flow *f);
/* Records the instruction at `a`, which was executed, as the owner of data transfers if it loads or stores. */
void cst_flow_loaded(struct cst_flow *f, uint64_t a);
/* Fills `g` from the data transfer f->elem. */
void cst_flow_data(struct cst_flow *f, struct cst_generic *g);
/* Emits the range of a span, which begins at f->addr; `exec`: its last instruction was executed, or taken. */
void cst_flow_range(struct cst_flow *f, struct cst_generic *out, size_t *n, const struct span *s, int exec);
/* Sets the state after a span whose last instruction did not branch. */
void cst_flow_behind(struct cst_flow *f, const struct span *s);
/* Emits the range of f->span and continues where its last instruction leads after an atom E. */
void cst_flow_pass(struct cst_flow *f, struct cst_generic *out, size_t *n);
/* Handles a span that could not be collected: emits its range and the reason `end`; the address is then unknown. */
void cst_flow_broken(struct cst_flow *f, struct cst_generic *out, size_t *n, enum span_end end,
		     const struct span *s);
/* The trace contradicts the code at `addr`: reports `finding`, and the address is then unknown. */
void cst_flow_conflict(struct cst_flow *f, struct cst_generic *out, size_t *n, unsigned int finding, uint64_t addr);
/* Counts and reports a return at `addr` with an empty return stack. */
void cst_flow_stack_empty(struct cst_flow *f, uint64_t addr);
/*
 * Emits the pending Q element, and the Context element after it, at which f->stopped may be set. `known`: `next` is the
 * address after the Q element.
 */
void cst_flow_finish_q(struct cst_flow *f, struct cst_generic *out, size_t *n, int known,
		       uint64_t next);
/* Logs a finding at an address. */
void cst_flow_report(struct cst_flow *f, unsigned int finding, uint64_t addr);
/*
 * Logs a finding that repeats with each packet until an instruction is executed. Only the first one is logged at once;
 * the repetitions are counted and logged when the cause ends.
 */
void cst_flow_report_lasting(struct cst_flow *f, unsigned int finding, uint64_t addr);
/* Sets the next address in `g` (CST_GF_NEXT) if the trace and the last opcode determine it. */
void cst_flow_set_next(const struct cst_flow *f, struct cst_generic *g);

/* Stops the pull behind this element if the caller asked for that. */
static inline void cst_flow_stop_at(struct cst_flow *f, enum cst_stop why)
{
	if (f->stop.stop_mask & why)
		f->stop.stopped = why;
}

/* Gives the elements from here on a context, without its flags. */
static inline void cst_flow_set_context(struct cst_flow *f, const struct cst_context *c)
{
	f->emit.tmpl.el = c->el;
	f->emit.tmpl.security = c->security;
	f->emit.tmpl.context_id = c->context_id;
	f->emit.tmpl.vmid = c->vmid;
}

/* Adds the element's cycle count to the generic element. */
static inline void cst_flow_add_cycles(const struct cst_flow *f, struct cst_generic *g)
{
	if (f->work.elem.flags & CST_EL_F_CC) {
		g->flags |= CST_GF_CC;
		g->cc = f->work.elem.cc;
	}
}

/*
 * Elements of waypoint traces (waypoint.c): analyze f->elem by its kind. Return 1 if a section must be loaded first; then
 * the state is unchanged.
 */
int cst_flow_branch(struct cst_flow *f, struct cst_generic *out, size_t *n);
int cst_flow_waypoint(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_vector(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_state(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_resync(struct cst_flow *f, struct cst_generic *out, size_t *n);
/* ETE has no Exception Return packet: the element is emitted after the instruction. */
void cst_flow_eret(struct cst_flow *f, struct cst_generic *out, size_t *n);

/*
 * Conditional instructions (cond.c): add one; resolve a result or a flush (returns 1 if there was not enough room);
 * match those of a range that is emitted.
 */
void cst_flow_cond_insn(struct cst_flow *f, struct cst_generic *out, size_t *n);
int cst_flow_cond_result(struct cst_flow *f, struct cst_generic *out, size_t *n);
void cst_flow_cond_range(struct cst_flow *f, const struct span *s);

#endif
