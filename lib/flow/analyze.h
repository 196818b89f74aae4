/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * analyze.h - steps that the atom loop and the other elements share.
 */
#ifndef CST_LIB_ANALYZE_H
#define CST_LIB_ANALYZE_H

#include "flow/flow.h"

/* Any element but atoms; needs room for FLOW_ROOM elements. Clears f->busy when done. */
void cst_flow_analyze(struct cst_flow *f, struct cst_generic *out, size_t *n);
/* CheckForReturnStackMatch: the target of the indirect branch before, if it was left to the return stack. */
void cst_flow_pop(struct cst_flow *f);
/*
 * `atoms` P0 elements cannot be followed. Once for each gap an element says so: the next range does not
 * continue the last one.
 */
void cst_flow_lost(struct cst_flow *f, struct cst_generic *out, size_t *n, unsigned int atoms);
/* Go on after a P0 instruction. */
void cst_flow_leave(struct cst_flow *f, const struct walk *w, int taken, int first_e);
/* Put out the range of a walk. */
void cst_flow_range(struct cst_flow *f, struct cst_generic *out, size_t *n, const struct walk *w,
		    int exec);
/* A walk that could not be finished: its range, why, and no address until the next one traced. */
void cst_flow_broken(struct cst_flow *f, struct cst_generic *out, size_t *n, enum walk_end end,
		     const struct walk *w);
/* A Q element whose address has come (known), or will not. */
void cst_flow_finish_q(struct cst_flow *f, struct cst_generic *out, size_t *n, int known,
		       uint64_t next);
/* Something for the log, at an address; out of the way of those who have none. */
void cst_flow_tell(const struct cst_flow *f, unsigned int finding, uint64_t addr);
/* ETE has no Exception Return packet: the element follows the instruction. */
void cst_flow_eret(struct cst_flow *f, struct cst_generic *out, size_t *n);

#endif
