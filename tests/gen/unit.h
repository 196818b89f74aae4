/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unit.h - the trace unit of one CPU in a recording, whatever architecture it has: an ETMv4 or ETE (encode.h), or
 * one of the two that perf records on Armv7, an ETMv3 (etmv3_enc.h) or a PTM (ptm_enc.h).
 *
 * Of struct tu_opts those of Armv7 know: seed, trace_id, cid, ts, cci, retstack (PTM), bb, sync_every, ts_every,
 * ts48 (an older one: 48 bits, Gray code; PFT 1.0; ETMv3 with the alternative branch encoding), and of the choices
 * p_atom, p_addr_form, p_addr_more, p_bb, p_event, p_ignore, p_phantom (ETMv3), p_ovf.
 */
#ifndef CSTRACE_TESTS_GEN_UNIT_H
#define CSTRACE_TESTS_GEN_UNIT_H

#include "encode.h"

struct unit;

void unit_get_regs(const struct tu_opts *o, struct tu_regs *r);
struct unit *unit_new(const struct tu_opts *o, const struct tu_sink *sink);
void unit_start(struct unit *u);
void unit_flow(struct unit *u, const struct flow_rec *r);
void unit_stop(struct unit *u);
void unit_flush(struct unit *u);
void unit_set_ticks(struct unit *u, uint64_t ticks);
uint64_t unit_ticks(const struct unit *u);
const struct tu_stats *unit_stats(const struct unit *u);
void unit_free(struct unit *u);

#endif
