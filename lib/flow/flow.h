/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.h - inside the instruction-flow stage: trace elements and code to generic elements
 * (Arm ARM K10.5.5 "Stage 3, analysis"). One engine for every protocol and every consumer.
 */
#ifndef CST_LIB_FLOW_FLOW_H
#define CST_LIB_FLOW_FLOW_H

#include <cstrace/config.h>
#include <cstrace/element.h>
#include <cstrace/flow.h>
#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "image/image.h"
#include "protocol/cursor.h"

struct cst_stats;
struct cst_log;

/* The analyzer needs at least 15 entries (K10.5.5.3 RXSVZC). */
#define RETURN_STACK 16

/* A range longer than this without a P0 instruction is not code. */
#define MAX_RANGE_INSNS (1u << 20)

/* Nor does a Source Address element pass so many P0 instructions that were not taken. */
#define MAX_PASSED (1u << 13)

/* Maps that are found without a search. */
#define NEAR_MAPS 64

/* An element makes at most so many generic elements (one atom at a time). */
#define FLOW_ROOM CST_PULL_MIN

/* Conditional instructions whose result is to come. */
#define COND_MAX 64

struct cond_insn {
	uint64_t addr;
	uint32_t key;
	uint8_t cond, isa;
	uint8_t known;		/* addr, cond and isa are */
	uint8_t done;		/* the result has come (what, of the packet at index), but the range has not */
	uint16_t what;
	uint64_t index;
};

/*
 * Code that execution went over, as a block: one that is not in the graph, because it lies in several maps, inside an IT
 * block, or ends before its P0 instruction does.
 */
struct span {
	struct blk b;		/* its off and n_insn are not set; step[] is modulo 2^32 */
	uint64_t end;		/* address behind the last instruction */
	uint64_t last;		/* address of the last instruction */
	uint32_t n_insn;
	uint32_t section, sect_off; /* of the first instruction; section 0: it lies in several */
	int32_t disp;		/* of the last instruction: its target minus its address */
	uint8_t it;		/* instructions that an IT block still has behind it */
};

struct cst_flow {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct cst_log *log;	/* or NULL */
	struct cst_counts *counts; /* ranges and branches are counted there, or NULL */
	struct cst_space *space;
	const struct cst_images *images; /* where spaces come from at each context, or NULL */
	struct cst_context ctx;	/* the last one, for them */
	uint32_t images_gen;
	uint8_t chosen;		/* `space` is what they have for ctx, at images_gen */
	unsigned int isa_flags;
	unsigned int stop_mask;	/* enum cst_stop */
	unsigned int stopped;
	struct cst_section *lazy;	/* with CST_STOP_SECTION; NULL: nothing is mapped at `wanted` */
	uint64_t wanted;

	uint64_t addr;		/* next instruction, when need_addr is 0 */
	uint8_t isa;		/* enum cst_isa of it */
	uint8_t is;		/* sub-ISA last traced */
	/* the walk over blocks tests all of these at once */
	union {
		struct {
			uint8_t need_addr, need_ctx;
			uint8_t it;	/* T32: the instructions from addr on that an IT block still has */
			uint8_t no_graph; /* no block of the graph is used: C elements belong to instructions inside ranges */
		};
		uint32_t off_graph;
	};
	uint8_t pop_pending;	/* the last P0 was an indirect branch: its target may be on the return stack */
	uint8_t gap_pending;	/* need_addr, and the consumer has not yet received a CST_GEN_ADDR_UNKNOWN for it */
	uint8_t popped;		/* Trace Info took addr from the return stack, and nothing has run there yet */
	uint8_t no_push;	/* after Trace Info, until an address */
	uint8_t q_pending;	/* a Q element waits for its address */
	uint8_t pop_first;	/* PTM: an atom E on an indirect branch pops at once, before a call pushes */
	uint8_t splitting;	/* a Source Address element is put out in parts */
	uint8_t after_n;	/* CST_CHECK_CONTINUE: the last element was an atom N, and what follows is at next_n */
	uint64_t next_n;

	/* cached map around addr, and block at addr (0: not known) */
	uint64_t map_start, map_len;	/* map_len 0: nothing cached */
	uint64_t map_bias;		/* address minus section offset */
	struct cst_section *map_sec;
	struct cst_space *map_space;
	uint32_t map_gen, img_gen;
	/* maps used before, by page of the address: where each page is a map of its own, code goes to and fro */
	struct near_map {
		uint64_t start, len, bias;
		struct cst_section *sec;
	} near_maps[NEAR_MAPS];
	struct cst_space *near_space;	/* they hold in this space, at this generation */
	uint32_t near_gen;
	const struct cst_image *img;	/* that blk, from and stack[].call are of, at img_gen */
	uint32_t blk;		/* place of the block */
	uint32_t from;		/* block of the indirect branch that execution comes from, 0 not known ... */
	const struct cst_section *from_sec; /* ... in this section, of img_gen */

	struct return_entry {
		uint64_t addr;
		/* the call's block, 0 not known, whose successor is the return block as long as execution is in `sec` */
		const struct cst_section *sec;
		uint32_t call;
		uint8_t isa;
	} stack[RETURN_STACK];
	unsigned int stack_top, stack_count;

	/* an atom for every instruction (ETMv3) */
	uint8_t join;		/* instructions that follow each other make one range, which goes on in ... */
	uint8_t open_any;	/* ... this one; without instructions, cycles that are not told yet */
	struct cst_generic open;
	uint8_t gap_reported;	/* need_addr, and the consumer has received a CST_GEN_ADDR_UNKNOWN for it */
	uint8_t transfer_known;	/* the last instruction that loaded or stored: transfers belong to it */
	uint64_t transfer;
	struct data_place {
		uint64_t addr, insn;
		uint16_t flags;	/* enum cst_data_flags: what of them is known */
		uint8_t open;	/* a placeholder came, and no value yet */
	} place[4];		/* of out-of-order data, by tag */

	/* element being worked on: atoms that are left, or one to be tried again */
	struct cst_element el;
	uint8_t busy;
	struct span span;	/* the block that it is about, where that is not in the graph */

	/* Q element waiting for its address, and its context */
	struct cst_generic q;
	uint64_t q_end;
	uint32_t q_count;
	uint8_t q_exact, q_p0;

	struct cst_generic tmpl;	/* context fields of every element */

	/* a finding that repeats as long as its cause lasts; see cst_flow_report_lasting() */
	struct lasting {
		uint64_t more;		/* times since then */
		uint64_t index;		/* of the last one */
		uint64_t ranges;	/* stats->ranges then */
		uint16_t finding;	/* 0: none */
	} lasting;

	/* conditional instructions, oldest first; the last cond_new of them are of the range that comes */
	uint8_t cond_count, cond_new;
	uint8_t cond_done;
	uint8_t cond_it;	/* state of the IT block that addr is in; 0: not known */
	uint8_t cond_dropped;	/* one of those was dropped */
	struct cond_insn cond[COND_MAX];
};

void cst_flow_init(struct cst_flow *f, const struct cst_config *cfg, struct cst_stats *stats);
/* The configuration has changed. */
void cst_flow_configure(struct cst_flow *f);
/* State of a stream that is out of step. */
void cst_flow_reset(struct cst_flow *f);
void cst_flow_set_space(struct cst_flow *f, struct cst_space *space);
void cst_flow_set_images(struct cst_flow *f, const struct cst_images *images);
/* Memory spaces that code is fetched from, a mask. */
unsigned int cst_flow_memspace(const struct cst_flow *f);
/* With a table of spaces: take the one for this context, which f->tmpl has already. */
void cst_flow_choose_space(struct cst_flow *f, const struct cst_context *ctx);

/*
 * Give one element (f->busy must be 0); then call _run until busy is 0. _run appends to out[*n],
 * never beyond cap, and returns early with busy set when there is no room, or with f->stopped set.
 */
static inline void cst_flow_give(struct cst_flow *f, const struct cst_element *el)
{
	f->el = *el;
	f->busy = 1;
}

/* f->el by its kind, as far as there is room: atoms; any other element, with room for FLOW_ROOM; results that are late. */
void cst_flow_atoms(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap);
void cst_flow_analyze(struct cst_flow *f, struct cst_generic *out, size_t *n);
int cst_flow_cond_late(struct cst_flow *f, struct cst_generic *out, size_t *n);

static inline void cst_flow_run(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	f->stopped = 0;
	if (__builtin_expect(f->cond_done, 0) && (cap - *n < FLOW_ROOM || cst_flow_cond_late(f, out, n)))
		return;
	if (f->el.kind == CST_EL_ATOMS) {
		cst_flow_atoms(f, out, n, cap);
		return;
	}
	while (cap - *n >= FLOW_ROOM) {
		cst_flow_analyze(f, out, n);
		if (!f->busy || f->stopped)
			return;
	}
}

/*
 * For the log: those of `n` generic elements whose atom N contradicts the image. The atom loops only count them,
 * as asking for a log there would cost more than the rest of this does.
 */
void cst_flow_report_conflicts(const struct cst_flow *f, const struct cst_generic *g, size_t n);
/* A lasting finding ends: its count goes to the log. */
void cst_flow_report_rest(struct cst_flow *f);
/* The same if something was executed since. */
void cst_flow_report_over(struct cst_flow *f);
/* Execution goes on there, in a certain instruction set. */
void cst_flow_at(struct cst_flow *f, uint64_t addr, enum cst_isa isa);
/* The same, said of where execution may be already: then an IT block goes on. */
void cst_flow_come_to(struct cst_flow *f, uint64_t addr, enum cst_isa isa);
/* Target Address element: execution goes on there. */
void cst_flow_address(struct cst_flow *f, uint64_t addr, uint8_t is);

/*
 * f->stopped: by cfg->checks the code is not what ran. The element is done; what else the protocol's stage has is
 * to be dropped, and nothing followed before the next synchronisation.
 */
#define FLOW_MISMATCH 0x8000
void cst_flow_mismatch(struct cst_flow *f);
/* An atom N of this unconditional P0 instruction, which was walked to: by cfg->checks, it cannot be. */
int cst_flow_forbids_n(const struct cst_flow *f, unsigned int type, unsigned int isa, int64_t disp, unsigned int size);
/* Atoms of a packet that is one byte. */
struct atom_code {
	uint32_t bits;		/* 1 = E, oldest in bit 0; above them a 1 that ends them */
	uint8_t n;
	uint8_t taken;		/* atoms E */
};

/* Short cut of _give for atoms. */
static inline void cst_flow_give_atoms(struct cst_flow *f, uint32_t bits, uint8_t count, uint64_t index)
{
	f->el.kind = CST_EL_ATOMS;
	f->el.flags = 0;
	f->el.bits = bits;
	f->el.first_e = bits;
	f->el.n = count;
	f->el.index = index;
	f->busy = 1;
}

/* How far cst_flow_span() goes. */
enum span_mode {
	SPAN_P0,	/* up to and including the next P0 instruction */
	SPAN_TO,	/* up to, not including, `limit`; stops after a P0 instruction */
	SPAN_THROUGH,	/* up to and including the instruction at `limit`, over P0 instructions */
	SPAN_INTO,	/* up to and including the instruction at `limit`; stops after a P0 instruction before that */
	SPAN_COUNT,	/* `limit` instructions; stops after a P0 instruction */
};

/* Why it ended. */
enum span_end {
	SPAN_DONE,	/* the limit was reached */
	SPAN_STOPPED,	/* a P0 instruction came before the limit */
	SPAN_NACC,	/* no memory at `end` */
	SPAN_LAZY,	/* f->lazy must be loaded first: nothing is valid */
	SPAN_LOST,	/* too long, or past the limit: the image does not fit the trace */
	SPAN_UNDEFINED,	/* CST_CHECK_UNDEFINED has found something at `end` */
};

/* Collects the code from f->addr on. */
enum span_end cst_flow_span(struct cst_flow *f, enum span_mode mode, uint64_t limit, struct span *s);
/* The instruction at `a`, of f->isa. */
enum span_end cst_flow_fetch(struct cst_flow *f, uint64_t a, struct cst_insn *in, uint32_t *op);
/* Without an address for what they transfer: the instruction at `a` may load or store. */
int cst_flow_is_transfer(struct cst_flow *f, uint64_t a);
/* Does f->map_* hold for address `a`? */
static inline int cst_flow_in_map(const struct cst_flow *f, uint64_t a)
{
	return f->map_len && a - f->map_start < f->map_len && f->map_space == f->space &&
	       f->map_gen == f->space->generation;
}

/* Place of the block at f->addr; 0: it is not in the graph. Sets f->map_*, f->img and f->img_gen. */
uint32_t cst_flow_block(struct cst_flow *f);
/* Fill f->map_* for f->addr-like address `a`. 0, SPAN_NACC or SPAN_LAZY. */
enum span_end cst_flow_map(struct cst_flow *f, uint64_t a);

#endif
