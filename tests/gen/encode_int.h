/* SPDX-License-Identifier: BSD-3-Clause */
/* encode_int.h - inside of the trace unit model, shared by encode_*.c. */
#ifndef CSTRACE_TESTS_GEN_ENCODE_INT_H
#define CSTRACE_TESTS_GEN_ENCODE_INT_H

#include "encode.h"
#include "util.h"

#define TU_ATOMS 32	/* atoms waiting for a packet; a packet holds at most 24 */
#define TU_RS_DEPTH 3	/* entries of the trace unit's return stack */
#define TU_RECENT 16	/* branch targets seen lately, for wrongly predicted indirect branches */
#define TU_CONDS 60	/* conditional instructions whose result is to come */
#define TU_SRC_MAX 8	/* not taken branches that a Source Address element may cover */

struct tu_addr {
	uint64_t addr;
	uint8_t isa;
};

struct tu_ctx {
	uint32_t tid, vmid;
	uint8_t el, sec, sf;
};

/* an element on its way to the analyzer, not yet committed */
struct tu_item {
	struct gen_event ev;
	uint8_t p0, keep, wrong;
};

/*
 * What the analyzer knows when it has processed all elements that survive. Speculation down a
 * wrong path works on a copy which is thrown away with the path.
 */
struct tu_view {
	struct tu_ctx ctx;
	uint8_t ctx_ok, addr_ok;
	uint8_t pop_pending;	/* the next P0 or Trace Info element pops the return stack */
	/* after Trace Info and Trace On: push nothing before the next address ... */
	uint8_t rs_block;
	uint8_t rs_first;	/* ... nor with the first P0 element */
	uint8_t rsn;
	uint8_t soft;		/* context and address are still due after a Trace Info */
	uint8_t blind;		/* ... and the analyzer that begins there cannot follow yet */
	uint32_t soft_left;
	struct tu_addr rs[TU_RS_DEPTH];
};

/* a conditional instruction on its way out */
struct tu_cond {
	uint64_t pc;
	uint32_t key;
	uint8_t cond, pass, flags;
};

struct tu {
	struct tu_opts o;
	struct tu_sink sink;
	struct rng rng;
	struct gbuf out;
	uint64_t off;			/* bytes since tu_start */
	struct tu_stats st;

	/* state of the packet layer */
	struct tu_addr hist[3];
	struct tu_ctx pctx;
	uint64_t ts_sent;
	uint32_t depth;			/* uncommitted P0 elements sent */
	struct tu_item atoms[TU_ATOMS];
	uint32_t natoms;

	struct tu_item *q;		/* element queue; q[qhead .. qhead + qlen) */
	size_t qhead, qlen, qcap;

	struct tu_view v;
	struct tu_addr cur;		/* where execution goes on after the last P0 element */

	/* execution since the last P0 element */
	uint32_t thread;		/* who executes */
	uint8_t running;		/* between tu_start and tu_stop */
	uint8_t on;			/* between FLOW_ON and FLOW_OFF */
	uint8_t expect_valid;
	uint8_t owe_on;			/* a Trace On element must come first */
	uint8_t owe_sync;		/* an alignment synchronisation must come first */
	uint8_t after_overflow;
	uint8_t at_cur;			/* cur is where the last P0 element led to */
	uint8_t told;			/* the target of the last branch before tracing stopped ... */
	uint64_t told_addr;		/* ... was sent */
	uint8_t br_tgt_ok;		/* the last P0 element was a taken branch or an exception */
	/* an indirect branch was taken, its target is in the next record */
	uint8_t ind_pending;
	uint8_t ind_link;
	uint8_t bb_pending;		/* a direct branch was taken inside a broadcast range */
	uint32_t lost_left;		/* P0 elements still lost after an overflow */
	uint64_t expect;		/* address of the next record */
	uint64_t range_start, last_pc;
	uint32_t range_n;
	uint8_t range_isa;
	uint64_t p0_since_ts, sync_mark;
	uint64_t ticks;
	uint64_t cycles;		/* since the last cycle count element */
	uint8_t cc_unknown;
	uint8_t ts_due;
	uint8_t marker_seen;

	/* Q element under construction */
	uint8_t q_on;
	uint32_t q_left, q_n, q_first_br;
	struct flow_rec q_last;
	uint64_t q_start;
	uint8_t q_isa;
	struct tu_ctx q_ctx;

	/* not taken branches held back for a Source Address element */
	uint8_t src_on;
	uint32_t nsrc;
	struct tu_item src[TU_SRC_MAX];
	struct tu_ctx src_ctx;

	/* transactions */
	uint8_t in_tx;			/* the trace says so */
	uint8_t pe_tx;			/* the processor is in one */
	struct tu_ctx tx_ctx;		/* what the analyzer goes back to when it fails */
	uint8_t tx_ctx_ok;
	/* the analyzer holds events back until the transaction ends */
	uint8_t tx_hold;
	struct gen_event *txev;
	size_t ntx, txcap;

	/* speculation */
	uint8_t wrong;			/* elements now pushed belong to a wrong path */
	uint32_t wrong_p0;		/* of them P0 */
	uint8_t unsafe;			/* the newest correct atom still awaits its Mispredict */
	uint8_t wrong_sync;		/* a Trace Info was sent inside the wrong path */
	struct tu_addr recent[TU_RECENT];
	uint32_t nrecent;
	uint32_t syncs;

	/* conditional instructions: of this range; sent without a result; keys; as the analyzer has them */
	struct tu_cond cp[TU_CONDS], co[TU_CONDS + 4];
	uint32_t ncp, nco, ck, rk;
	uint8_t it_seen;		/* the analyzer has seen what comes before the next range */
	uint8_t it_torn;		/* the range began inside an IT block that it has not seen, and is still there */
	uint8_t cp_torn;		/* one of cp is from there */
	struct {
		struct gen_event ev;
		uint8_t fresh, done, unknown;
	} cl[TU_CONDS];
	uint32_t ncl;
	uint64_t pkt_off;		/* offset of the packet being built */
};

/* encode_queue.c: elements from the packet layer to the analyzer */
struct tu_item *tu_item_new(struct tu_item *it, int kind);
void tu_push(struct tu *t, const struct tu_item *it);
/* atoms know themselves whether they are wrong */
void tu_push_raw(struct tu *t, const struct tu_item *it);
void tu_commit_items(struct tu *t, uint32_t n);
void tu_cancel_items(struct tu *t, uint32_t n);
void tu_drop_all(struct tu *t);		/* Discard, Overflow */
void tu_drain(struct tu *t);		/* end of trace */
void tu_context_of(const struct tu *t, struct gen_event *ev);

/* encode_pkt.c: packets without addresses */
void tu_begin(struct tu *t);		/* a packet begins: pending atoms go first */
void tu_uleb(struct tu *t, uint64_t v);
void tu_sync(struct tu *t);
void tu_trace_on(struct tu *t);
void tu_timestamp(struct tu *t);
void tu_cycle_count(struct tu *t, uint32_t commit);
void tu_simple(struct tu *t, unsigned int header, int kind, int keep);
void tu_event_packet(struct tu *t, uint32_t flags);
void tu_ite_packet(struct tu *t, uint32_t flags);
void tu_overflow(struct tu *t);
void tu_discard(struct tu *t);
void tu_extras(struct tu *t);		/* optional packets at an element boundary */
int tu_has_marker(const struct tu *t);

/* encode_cond.c */
void tu_cond_insn(struct tu *t, const struct flow_rec *r);
void tu_cond_send(struct tu *t);
void tu_cond_results(struct tu *t);
void tu_cond_flush(struct tu *t);
int tu_cond_report(struct tu *t, const struct gen_event *ev);
void tu_cond_range(struct tu *t);
void tu_cond_lose(struct tu *t);

/* encode_atom.c */
void tu_atom(struct tu *t, const struct tu_item *it);
void tu_atoms_flush(struct tu *t, uint32_t keep);
/* the last n atoms go into the packet being built */
void tu_atoms_take(struct tu *t, uint32_t n);

/* encode_addr.c */
void tu_address(struct tu *t, uint64_t addr, uint8_t isa);
void tu_context(struct tu *t, const struct tu_ctx *c, int same_ok);
void tu_address_context(struct tu *t, uint64_t addr, uint8_t isa, const struct tu_ctx *c);
void tu_address_bytes(struct tu *t, uint64_t addr, uint8_t isa);
void tu_source_bytes(struct tu *t, uint64_t addr, uint8_t isa);
void tu_address_context_bytes(struct tu *t, uint64_t addr, uint8_t isa, const struct tu_ctx *c,
			      struct tu_item *it);
void tu_short_payload(struct tu *t, uint64_t addr, uint8_t isa);
void tu_long_payload(struct tu *t, uint64_t addr, uint8_t isa, int bytes);
int tu_hist_find(const struct tu *t, uint64_t addr, uint8_t isa);
int tu_short_ok(const struct tu *t, uint64_t addr, uint8_t isa);
int tu_long32_ok(const struct tu *t, uint64_t addr);
void tu_hist_push(struct tu *t, uint64_t addr, uint8_t isa);
void tu_settle(struct tu *t, const struct tu_ctx *want);
int tu_same_ctx(const struct tu_ctx *a, const struct tu_ctx *b);
void tu_want_ctx(const struct tu *t, const struct flow_rec *r, struct tu_ctx *c);

/* encode_spec.c */
void tu_commit_policy(struct tu *t);
void tu_commit_packet(struct tu *t, uint32_t n);
void tu_cancel_packet(struct tu *t, uint32_t n, int mispredict);
uint32_t tu_safe_commit(const struct tu *t);
int tu_may_speculate(const struct tu *t);
void tu_wrong_path(struct tu *t, struct tu_addr from, const struct tu_ctx *c, uint32_t max);
void tu_phantom(struct tu *t, const struct flow_rec *r);
void tu_mispredicted(struct tu *t, const struct flow_rec *r, struct tu_item *it);

/* encode_p0.c: elements made of executed instructions */
void tu_p0_begin(struct tu *t);
void tu_rs_push(struct tu *t, uint64_t addr, uint8_t isa);
void tu_rs_clear(struct tu *t);
void tu_branch(struct tu *t, const struct flow_rec *r);
void tu_boundary(struct tu *t, const struct flow_rec *r);
void tu_range_item(struct tu *t, const struct flow_rec *r, struct tu_item *it, char atom);
void tu_src_flush(struct tu *t);
void tu_q_close(struct tu *t, uint64_t next, uint8_t isa);
void tu_exception(struct tu *t, const struct flow_rec *r);
void tu_tx_start(struct tu *t);
void tu_tx_fail(struct tu *t);
void tu_tx_commit(struct tu *t);

#endif
