/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * encode.h - a model of an ETMv4 / ETE trace unit.
 *
 * It takes what a processor executed (flow.h), one record at a time, and gives two things: the
 * bytes the trace unit sends, and the events a trace analyzer must report for them (gen_event.h).
 * Memory use does not grow with the length of the flow.
 *
 * The model chooses among the packets the architecture allows; the probabilities below are in
 * 1/1000.
 */
#ifndef CSTRACE_TESTS_GEN_ENCODE_H
#define CSTRACE_TESTS_GEN_ENCODE_H

#include <stddef.h>

#include "flow.h"
#include "gen_event.h"

/* the trace units of Armv7: see unit.h */
enum tu_v7 { TU_V8, TU_ETMV3, TU_PTM };

struct tu_opts {
	uint64_t seed;
	/* the implementation */
	uint8_t v7;		/* enum tu_v7 */
	uint8_t ete;		/* 1: ETE 1.minor (0..3), else ETMv4.minor (0..6) */
	uint8_t minor;
	uint8_t trace_id;
	uint8_t mprofile;	/* exceptions in the numbering of M profile cores */
	uint8_t rprofile;
	uint8_t load_p0, store_p0;
	uint8_t cond_mode;	/* TRCCONFIGR.COND */
	uint8_t cond_flags;	/* TRCIDR0.CONDTYPE */
	uint32_t cond_keys;	/* ordinary keys */
	uint8_t ia32;		/* 32-bit instruction addresses (ETMv4 only) */
	uint8_t vmid_bytes;	/* 0, 1, 2, 4 */
	uint8_t commopt;
	uint8_t comm_trans;	/* 1: Transaction Start is not a P0 element */
	uint8_t wfxmode;
	uint8_t ccsize;		/* bits of the cycle counter, 12..20 */
	uint8_t qsupp;		/* TRCIDR0.QSUPP: 1 counted, 2 not counted, 3 both */
	uint8_t ts48;		/* timestamps of 48 bits (ETMv4 only) */
	uint8_t tsmark;
	uint8_t ite;
	uint8_t nevents;	/* 1..4 */
	uint32_t maxspec;
	/* how it is programmed */
	uint8_t cid, vmid, vmidopt, ts, cci, retstack, bb;
	uint8_t vmid_is_tid;	/* CONTEXTIDR_EL2 holds the thread: the VMID field carries it */
	uint32_t vmid_value;
	uint32_t cc_threshold;
	uint32_t ts_every;	/* P0 elements between timestamps, 0: only after Trace Info */
	uint8_t ts_context;	/* a timestamp with each Trace On, change of context, and ISB */
	uint32_t sync_every;	/* bytes between alignment synchronisations, 0: only at the start */
	uint32_t ticks_per_insn; /* used when the flow has no times; 0: random small steps */
	uint64_t first_tick;
	/* choices, per mille */
	uint16_t p_atom;	/* atom packets shorter than possible */
	uint16_t p_addr_form;	/* address packets longer than possible */
	uint16_t p_addr_more;	/* an address although it is known */
	uint16_t p_ctx_more;	/* a context although it is known */
	uint16_t p_bb;		/* taken direct branch inside a broadcast range (with bb) */
	uint16_t p_cc;
	uint16_t p_event;
	uint16_t p_ignore;
	uint16_t p_marker;
	uint16_t p_ite;
	uint16_t p_e10;		/* the form E1:E0 = 10 where it is possible */
	uint16_t p_q;
	uint16_t p_src;
	uint16_t p_commit;	/* commit after a P0 element */
	uint16_t p_mispredict;
	/* speculation past an instruction, cancelled without a mispredict */
	uint16_t p_phantom;
	uint16_t p_ovf;
	uint16_t p_disc;	/* Discard when tracing stops */
	uint16_t p_soft;	/* context and address some elements after a Trace Info */
	uint16_t p_off_commit;	/* commit everything when tracing stops */
	uint16_t p_ts_zero;	/* a timestamp that says the time is unknown */
	uint16_t p_cond_flush;
	uint16_t p_fret;	/* a Function Return after a return (v8-M) */
	uint16_t p_no_rs;	/* an address although the return stack has it */
	/* n > 0: throw away everything before the n-th Trace Info, as a wrapped buffer does */
	uint32_t cut_sync;
	/* what CONTEXTIDR holds while r->tid executes; NULL: the thread ID itself */
	uint32_t (*contextidr)(void *ctx, uint32_t tid);
	/*
	 * what the VMID, or CONTEXTIDR_EL2, is meanwhile; NULL: as vmid_is_tid and vmid_value say
	 */
	uint32_t (*vmidr)(void *ctx, uint32_t tid);
	void *ctx;
};

struct tu_regs {
	uint32_t configr, traceidr, idr0, idr1, idr2, idr8, idr12, idr13, devarch, authstatus;
	int ete;
	int v7;			/* enum tu_v7; then only traceidr and these */
	uint32_t cr, ccer, idr;
};

/*
 * where the results go, and what the model needs to know to speculate down a path that is not
 * taken
 */
struct tu_sink {
	void *ctx;
	void (*bytes)(void *ctx, const uint8_t *p, size_t n);
	void (*event)(void *ctx, const struct gen_event *ev);
	/* bytes and events so far are lost (cut_sync) */
	void (*restart)(void *ctx);
	/*
	 * the instruction at pc; 0 if unknown. Fills isa, size, klass, flags; of a
	 * direct branch next = target and num = instruction set at the target
	 */
	int (*insn)(void *ctx, uint64_t pc, uint8_t isa, uint32_t tid, uint8_t el,
		    struct flow_rec *out);
};

struct tu_stats {
	uint64_t insns, p0, bytes, cancelled, mispredicts, q, src, excs, syncs, overflows, discards;
};

struct tu;

void tu_opts_init(struct tu_opts *o);		/* a plain ETMv4.2, as Linux programs it */
void tu_get_regs(const struct tu_opts *o, struct tu_regs *r);
struct tu *tu_new(const struct tu_opts *o, const struct tu_sink *sink);
void tu_start(struct tu *t);			/* enabled: synchronisation comes first */
void tu_flow(struct tu *t, const struct flow_rec *r);
void tu_stop(struct tu *t);			/* disabled: everything is sent, end of trace */
void tu_flush(struct tu *t);			/* hand over the bytes produced so far */
void tu_set_ticks(struct tu *t, uint64_t ticks);
uint64_t tu_ticks(const struct tu *t);
const struct tu_stats *tu_stats(const struct tu *t);
void tu_free(struct tu *t);

#endif
