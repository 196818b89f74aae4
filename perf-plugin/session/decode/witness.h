/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * witness.h - searches the trace, before it is decoded, for evidence of whose IDs it has (tasks/identity.h): EL0 contexts
 * with an ID between two timestamps between which one thread ran according to switches, or at the end of an AUX record
 * that names its thread. No code is needed, and little of the trace, unless the IDs are of another PID namespace: then
 * all of it, so that each ID gets its thread.
 */
#ifndef CSTRACE_SESSION_DECODE_WITNESS_H
#define CSTRACE_SESSION_DECODE_WITNESS_H

struct session;

/*
 * Collects the witnesses, once per session, and corrects which ID identifies threads (trace_unit.pid) where the trace
 * contradicts the metadata.
 */
void witness_collect(struct session *ss);

#endif
