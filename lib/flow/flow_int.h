/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow_int.h - internal interface of the instruction-flow stage, which turns trace elements and code into generic elements
 * (Arm ARM K10.5.5 "Stage 3, analysis"). All protocols and all consumers use the same engine.
 */
#ifndef CST_LIB_FLOW_FLOW_INT_H
#define CST_LIB_FLOW_FLOW_INT_H

#include <cstrace/config.h>
#include <cstrace/decoder.h>
#include <cstrace/element.h>
#include <cstrace/flow.h>
#include <cstrace/isa.h>

#include "bytes/reader/cursor.h"
#include "flow/image/image_int.h"

struct cst_samples;
struct cst_stats;
struct cst_log;

/* The analyzer needs at least 15 entries (K10.5.5.3 RXSVZC). */
#define RETURN_STACK 16

/* A range with more instructions and no P0 instruction is not code: the span ends with SPAN_LOST. */
#define MAX_RANGE_INSNS (1u << 20)

/*
 * Most instructions of a span that no block has: those of an IT block, and of a block that continues behind the limit or the end of
 * the map. They are decoded again for each atom; with more, which a single block does not have, the span ends with SPAN_LOST.
 */
#define MAX_ALONE (BLK_SPAN + BLK_MORE)

/* A Source Address element that passes more P0 instructions than this is not followed (SPAN_LOST). */
#define MAX_PASSED (1u << 13)

/* Entries of the cache of maps that were used before. */
#define NEAR_MAPS 256

/* Entries of the cache of blocks that were searched. */
#define NEAR_BLOCKS 2048
#define NEAR_TAG 16u
_Static_assert(CST_ISA_UNKNOWN < NEAR_TAG, "a tag has room for the instruction set");

/* Free entries of `out` that one element, or one atom, needs. */
#define FLOW_ROOM CST_PULL_MIN

/* Gaps in the addresses: execution continued after a known address, but where is not known (need_addr). */
enum flow_gap {
	GAP_NONE,
	GAP_PENDING,		/* the consumer has not yet received a CST_GEN_ADDR_UNKNOWN for it */
	GAP_REPORTED,		/* it has, or a CST_GEN_NACC; only with QUIRK_WALKS_TO_EXCEPTION, which walks from there */
};

/* Where the current address came from if no instruction was executed there yet. */
enum flow_origin {
	ORIGIN_NONE,		/* instructions led there, or were executed there */
	ORIGIN_TRACED,		/* a Target Address element */
	ORIGIN_POPPED,		/* the return stack, at Trace Info (K10.5.5.9) */
};

/* Conditional instructions that wait for their result. */
#define COND_MAX 64

struct cond_insn {
	uint64_t addr;
	uint32_t key;
	uint8_t cond, isa;
	uint8_t known;		/* addr, cond and isa are valid */
	/* the result is known (`what`, of the packet at `index`), the range of the instruction is not */
	uint8_t done;
	uint16_t what;
	uint64_t index;
};

/*
 * A stretch of executed code as a block of its own. It is used for code that the graph has no block for: code in
 * several maps, inside an IT block, or up to an address before the next P0 instruction.
 */
struct span {
	struct blk b;		/* its off and n_insn are not set; step[] is modulo 2^32 */
	uint64_t end;		/* address after the last instruction */
	uint64_t last;		/* address of the last instruction */
	uint32_t n_insn;
	uint32_t section, sect_off; /* of the first instruction; section 0: the span covers several */
	int32_t disp;		/* of the last instruction: its target minus its address */
	uint8_t it;		/* instructions after the span that are still in its IT block */
};

struct cst_flow {
	const struct cst_config *cfg;
	struct cst_stats *stats;
	struct {
		struct cst_log *log;	/* error log, or NULL */
		/* what cst_decoder_emit() has chosen: one of the three at most */
		struct cst_counts *counts; /* COUNTS, or NULL */
		struct cst_samples *samples; /* SAMPLES, with a period; NULL: never chosen */
		struct cst_branch_list *list; /* BRANCHES, or NULL */
		/* template of an emitted element: its context fields are current */
		struct cst_generic tmpl;
	} emit;
	struct {
		struct cst_space *space;
		/* table that gives the space of each context, or NULL */
		const struct cst_images *images;
		struct cst_context ctx;	/* context for which `space` was looked up in `images` */
		uint32_t images_gen;
		/* `space` is the result for `ctx` at generation images_gen */
		uint8_t chosen;
		/* with CST_STOP_SECTION; NULL: nothing is mapped at `wanted` */
		struct cst_section *lazy;
		uint64_t wanted;
	} code;
	unsigned int isa_flags;
	struct {
		unsigned int stop_mask;	/* enum cst_stop */
		unsigned int stopped;
	} stop;

	uint64_t addr;		/* next instruction, when need_addr is 0 */
	uint8_t isa;		/* enum cst_isa of the instruction at addr */
	uint8_t is;		/* last sub-ISA traced */
	/* conditions that make the walk leave the graph, tested as one word */
	union {
		struct {
			uint8_t need_addr, need_ctx;
			uint8_t it;	/* T32: instructions from addr on that are inside an IT block */
			uint8_t no_graph; /* the graph is not used: C elements belong to instructions inside its blocks */
		};
		uint32_t off_graph;
	};
	struct {
		/*
		 * the last P0 element was a taken indirect branch whose target may be on the return
		 * stack (K10.5.5.3)
		 */
		uint8_t pop_pending;
		/* calls are not pushed: set by Trace Info, cleared by an address */
		uint8_t no_push;
		/*
		 * PTM: an indirect branch pops at its atom E, before a call pushes (IHI 0035B
		 * B.3.2)
		 */
		uint8_t pop_first;
		/* offset of the last indirect branch's block, 0: unknown; valid at img_gen ... */
		uint32_t from;
		const struct cst_section *from_sec; /* ... and in this section */
		struct return_entry {
			uint64_t addr;	/* not truncated: step_wrap() */
			uint64_t map;	/* map_id at the call; 0: there is no entry */
			/*
			 * offset of the call's block in the block cache, 0: unknown. The link of
			 * that block after an atom N leads to the return address while execution is
			 * in that map.
			 */
			uint32_t call;
			uint8_t isa;
		} stack[RETURN_STACK];
		unsigned int stack_top;	/* index of the newest entry */
	} ret;	/* calls and returns */
	uint8_t gap;		/* enum flow_gap */
	uint8_t origin;		/* enum flow_origin of addr */
	struct {
		uint8_t q_pending;	/* `q` waits for the address that ends its Q element */
		uint8_t q_context;	/* q_next is the Context element of that address */
		/* the Source Address element in `el` is emitted in several ranges */
		uint8_t splitting;
		/* Q element that waits for its address, with the context in which it was traced */
		struct cst_generic q;
		uint64_t q_end;
		struct cst_element q_next;
		uint32_t q_count;
		uint8_t q_exact, q_p0;
	} path;
	struct {
		/*
		 * CST_CHECK_CONTINUE: the last element was an atom N, and execution must continue
		 * at next_n
		 */
		uint8_t after_n;
		uint64_t next_n;
	} check;

	struct {
		/* cache of the map around addr and of the block at addr; 0: not looked up */
		uint64_t map_start, map_len;	/* map_len 0: nothing cached */
		uint64_t map_bias;		/* address minus section offset */
		struct cst_section *map_sec;
		struct cst_space *map_space;
		uint32_t map_gen, img_gen;
		uint64_t map_id;	/* struct map.id; UINT64_MAX: no map was looked up yet */
		/*
		 * cache of maps used before, indexed by page: in spaces with one map per page
		 * execution alternates between them
		 */
		struct near_map {
			uint64_t start, len, bias;
			struct cst_section *sec;
			uint64_t id;	/* struct map.id */
			uint32_t tag;	/* map_tag when the entry was made */
		} near_maps[NEAR_MAPS];
		/*
		 * not 0; changes when all entries become void: with `space`, and when its
		 * generation is not near_gen any more
		 */
		uint32_t map_tag, near_gen;
		/*
		 * cache of blocks that were searched, indexed by address: targets of branches that
		 * change their targets, or lead to another map
		 */
		struct near_block {
			uint64_t addr, map;	/* map: struct map.id */
			uint32_t place;
			/*
			 * near_tag when the entry was made, plus the instruction set of the block
			 */
			uint32_t tag;
		} near_blocks[NEAR_BLOCKS];
		/* a multiple of NEAR_TAG, not 0; changes when all entries become void */
		uint32_t near_tag;
		/* image of blk, from and stack[].call, at generation img_gen */
		const struct cst_image *img;
		uint32_t blk;		/* offset of the block at addr in the image's block cache */
	} cache;


	struct {
		/* the following fields are used if every instruction has an atom (ETMv3) */
		uint8_t join;		/* consecutive instructions are merged into one range */
		/* `open` is a range that may grow or, with n_insn 0, unreported cycles */
		uint8_t open_any;
		struct cst_generic open;
		/* need_addr, and the consumer has received a CST_GEN_ADDR_UNKNOWN for it */
		uint8_t gap_reported;
		/* `transfer` is the last load or store, to which data transfers belong */
		uint8_t transfer_known;
		uint64_t transfer;
		struct data_place {
			uint64_t addr, insn;
			uint16_t flags;	/* enum cst_data_flags: which of addr and insn are known */
			uint8_t open;	/* a placeholder was traced and its value was not */
		} place[4];		/* placeholders of out-of-order data, by tag */
	} each;

	struct {
		/*
		 * element in work: the atoms that are left, or an element that is retried after a
		 * stop
		 */
		struct cst_element elem;
		uint8_t busy;
		struct span span;	/* block in work that is not in the graph */
	} work;



	/* a finding that is counted while its cause lasts; see cst_flow_report_lasting() */
	struct lasting {
		uint64_t more;		/* repetitions that are not in the log yet */
		uint64_t index;		/* trace offset of the last repetition */
		uint64_t ranges;	/* stats->ranges at the first one: any range ends the cause */
		uint16_t finding;	/* 0: none */
	} lasting;

	struct {
		/*
		 * conditional instructions, oldest first; the last cond_new are of the next range
		 */
		uint8_t cond_count, cond_new;
		uint8_t cond_done;
		uint8_t cond_it;	/* state of the IT block that contains addr; 0: unknown */
		/* an instruction of the next range was dropped for want of space */
		uint8_t cond_dropped;
		struct cond_insn cond[COND_MAX];
	} results;
};

void cst_flow_init(struct cst_flow *f, const struct cst_config *cfg, struct cst_stats *stats);
/* Updates what was derived from the configuration after a change. */
void cst_flow_configure(struct cst_flow *f);
/* Sets the state after a loss of synchronisation: address and context unknown, return stack empty. */
void cst_flow_reset(struct cst_flow *f);
/* Sets the state of a new stream: as cst_flow_reset(), and nothing of the trace before is left. */
void cst_flow_restart(struct cst_flow *f);
/*
 * Extends a digest by the state between two elements: what is emitted for further ones is the same if the states of two
 * flow stages are equal. Without what needs an option with which cst_protocol_resumes() is false.
 */
uint64_t cst_flow_digest(const struct cst_flow *f, uint64_t digest);
void cst_flow_set_space(struct cst_flow *f, struct cst_space *space);
void cst_flow_set_images(struct cst_flow *f, const struct cst_images *images);
/* Returns the mask of memory spaces that the current context fetches code from. */
unsigned int cst_flow_memspace(const struct cst_flow *f);
/* Selects the space for context `ctx` if a table of spaces is set. f->tmpl holds the context already. */
void cst_flow_choose_space(struct cst_flow *f, const struct cst_context *ctx);

/*
 * Starts one element (f->busy must be 0). The caller then calls cst_flow_run() until busy is 0. cst_flow_run() appends
 * to out[*n], never beyond cap, and returns with busy set if there is no room, or with f->stopped set.
 */
static inline void cst_flow_give(struct cst_flow *f, const struct cst_element *elem)
{
	f->work.elem = *elem;
	f->work.busy = 1;
}

/*
 * Continue f->elem: cst_flow_atoms() atoms, as far as there is room; cst_flow_analyze() any other element, with room for
 * FLOW_ROOM; cst_flow_cond_late() results of earlier conditional instructions.
 */
void cst_flow_atoms(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap);
void cst_flow_analyze(struct cst_flow *f, struct cst_generic *out, size_t *n);
int cst_flow_cond_late(struct cst_flow *f, struct cst_generic *out, size_t *n);

static inline void cst_flow_run(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	f->stop.stopped = 0;
	if (__builtin_expect(f->results.cond_done, 0) &&
	    (cap - *n < FLOW_ROOM || cst_flow_cond_late(f, out, n)))
		return;
	if (f->work.elem.kind == CST_EL_ATOMS) {
		cst_flow_atoms(f, out, n, cap);
		return;
	}
	while (cap - *n >= FLOW_ROOM) {
		cst_flow_analyze(f, out, n);
		if (!f->work.busy || f->stop.stopped)
			return;
	}
}

/*
 * Logs those of `n` generic elements whose atom N contradicts the image. The atom loops only count them: a test for a
 * log in the loop would cost more than this second pass.
 */
void cst_flow_report_conflicts(const struct cst_flow *f, const struct cst_generic *g, size_t n);
/* Ends a lasting finding and logs its count. */
void cst_flow_report_rest(struct cst_flow *f);
/* Ends a lasting finding if instructions were executed since. */
void cst_flow_report_over(struct cst_flow *f);
/* Sets the address and instruction set of the next instruction. */
void cst_flow_at(struct cst_flow *f, uint64_t addr, enum cst_isa isa);
/* As cst_flow_at(), but keeps the state of the IT block if addr and isa are the current ones. */
void cst_flow_come_to(struct cst_flow *f, uint64_t addr, enum cst_isa isa);

/*
 * Value of f->stopped if a check of cfg->checks failed. The element is done. The protocol's stage drops its remaining
 * elements and decodes nothing before the next synchronisation.
 */
#define FLOW_MISMATCH 0x8000
void cst_flow_mismatch(struct cst_flow *f);
/* True if cfg->checks forbids an atom N on this unconditional P0 instruction. */
int cst_flow_forbids_n(const struct cst_flow *f, unsigned int type, unsigned int isa, int64_t disp, unsigned int size);
/* Atoms of a one-byte packet. */
struct atom_code {
	uint32_t bits;		/* 1 = E, oldest in bit 0, followed by a terminating 1 */
	uint8_t n;
	uint8_t taken;		/* number of atoms E */
};

/* As cst_flow_give() for atoms. */
static inline void cst_flow_give_atoms(struct cst_flow *f, uint32_t bits, uint8_t count, uint64_t index)
{
	f->work.elem.kind = CST_EL_ATOMS;
	f->work.elem.flags = 0;
	f->work.elem.bits = bits;
	f->work.elem.first_e = bits;
	f->work.elem.n = count;
	f->work.elem.index = index;
	f->work.busy = 1;
}

/* End condition of cst_flow_span(). */
enum span_mode {
	SPAN_P0,	/* up to and including the next P0 instruction */
	SPAN_TO,	/* up to, not including, `limit`; stops after a P0 instruction */
	SPAN_THROUGH,	/* up to and including the instruction at `limit`, over P0 instructions that were not taken */
	SPAN_INTO,	/* up to and including the instruction at `limit`; stops after a P0 instruction before that */
	SPAN_COUNT,	/* `limit` instructions; stops after a P0 instruction */
};

/* Result of cst_flow_span(). */
enum span_end {
	SPAN_DONE,	/* the limit was reached */
	SPAN_STOPPED,	/* a P0 instruction came before the limit */
	SPAN_NACC,	/* no memory at `end` */
	SPAN_LAZY,	/* the code of section f->lazy must be loaded first; the span is not valid */
	SPAN_LOST,	/* a limit was passed, or the address is not aligned: the image does not fit the trace */
	SPAN_UNDEFINED,	/* CST_CHECK_UNDEFINED failed for the instruction at `end` */
};

/* Collects the code from f->addr on in *s. */
enum span_end cst_flow_span(struct cst_flow *f, enum span_mode mode, uint64_t limit, struct span *s);
/* Reads and classifies the instruction at `a` of instruction set f->isa. */
enum span_end cst_flow_fetch(struct cst_flow *f, uint64_t a, struct cst_insn *in, uint32_t *op);
/* True if the instruction at `a` may load or store. */
int cst_flow_is_transfer(struct cst_flow *f, uint64_t a);
/* True if address `a` is in the cached map f->map_*. */
static inline int cst_flow_in_map(const struct cst_flow *f, uint64_t a)
{
	return f->cache.map_len && a - f->cache.map_start < f->cache.map_len &&
	       f->cache.map_space == f->code.space && f->cache.map_gen == f->code.space->generation;
}

/*
 * Returns the offset of the block at f->addr in the block cache; 0 if the graph has none. Sets f->map_*, f->img and
 * f->img_gen.
 */
uint32_t cst_flow_block(struct cst_flow *f);
/* Makes the cache of maps void. */
void cst_flow_forget_maps(struct cst_flow *f);
/* Fills f->map_* with the map around address `a`. Returns 0, SPAN_NACC or SPAN_LAZY. */
enum span_end cst_flow_map(struct cst_flow *f, uint64_t a);

#endif
