/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * walk.h - the walk over the graph of decoded blocks, which turns atoms into ranges or counts. It is the hottest loop
 * of the library. One source serves all protocols whose atoms stand for P0 instructions (ETMv4, ETE, PTM) and all
 * consumers: each includer compiles an instance with a constant struct walk_how. All functions here are inline, so that
 * struct walk stays in registers; rare steps are in walk.c and work on struct loop.
 */
#ifndef CST_LIB_FLOW_WALK_H
#define CST_LIB_FLOW_WALK_H

#include <cstrace/decoder.h>

#include "flow/analyze.h"
#include "flow/image/counts_int.h"
#include "flow/samples.h"
#include "flow/step.h"

/* Maximum number of atoms in one packet. */
#define PACKET_ATOMS 24

/* Atoms of an element that one walk takes: fewer than the bits of cst_element.bits, so that shifts are defined. */
#define ATOM_BITS 31

/*
 * A run of counted ranges ends at this many instructions, since cst_generic.n_insn has 32 bits. It is checked once per
 * RUN_BYTES of input, which add less: PACKET_ATOMS blocks per byte.
 */
#define RUN_INSNS (1u << 31)
#define RUN_BYTES 1024

/* A list of branches is full when it has no room for those of this many bytes. */
#define LIST_BYTES 32
_Static_assert(CST_LIST_MIN > LIST_BYTES * (PACKET_ATOMS + 1), "the smallest list has room");

/* Input bytes p[pos..len) and their trace offsets. */
struct atom_input {
	const uint8_t *p;
	size_t pos, len;
	const struct seg *seg;
	uint32_t seg_i, seg_count;	/* index of the run of trace offsets that contains `pos`, or precedes it */
	void *parser;
	size_t more;		/* bytes consumed that are not the first byte of their packet */
	uint64_t last;		/* trace offset of the last packet consumed */
	const uint8_t *last_packet; /* its first byte, for protocols that set it */
};

/* Content of a packet besides the atoms themselves. */
struct atoms {
	uint32_t cc;		/* cycle count of each of its ranges */
	uint8_t given;		/* the packet is one atom E that leads to `target` */
	uint8_t isa;		/* instruction set of `target` */
	uint32_t target;
};

/* State that the walk uses less often than once per atom. It stays in memory to leave the registers to struct walk. */
struct loop {
	struct cst_flow *f;
	struct atom_input *in;
	const uint8_t *p, *stop, *end_of_input;
	const struct cst_generic *limit, *end_of_room; /* output end; before `limit` there is room for any packet */
	uint64_t bias;		/* trace offset of an input byte minus its address; not with runs */
	uint64_t rest;		/* atoms without room in the output, with a terminating 1; 0: none */
	uint64_t branches, others; /* taken branches; elements that are not ranges or are counted elsewhere */
	uint64_t map;		/* struct cst_flow.map_id of `linked` and `ids`; 0: none */
	int64_t linked;		/* LINK_MASK; 0: links are not valid in this map */
	struct ids ids;
	uint8_t stack;		/* calls push a return address */
	uint8_t moved;		/* enum walk_moved */
	uint8_t mispredicted;	/* the only atom of the element was corrected by a Mispredict */
	uint32_t flags;		/* enum cst_generic_flags of ranges, in addition to those of the context */
	struct atoms now;	/* the packet in work */
	/*
	 * A run is a sequence of counted ranges: from the first range after a taken branch (with
	 * RUNS_EACH from any range) to the last one walked. `ranges` counts them; their elements
	 * (cst_generic_is_run()) are in `others`.
	 */
	uint64_t ranges;
	uint64_t atoms;		/* atoms of all packets */
	uint64_t run_insns, run_atoms, run_conflicts; /* totals at the begin of the run */
	uint64_t section_insns;	/* instructions before the run came to its section */
	const struct seg *seg, *last_seg;	/* the run of trace offsets used last, and the last one of the input */
	uint64_t run_addr;	/* RUNS_SAMPLED, RUNS_LISTED: address at which the run begins */
	struct cst_branch *run_list; /* RUNS_LISTED: place of its first branch */
	/* RUNS_SAMPLED: image of its blocks; its end, which becomes elements at `at` */
	struct cst_image *run_img;
	struct sampled_end {
		struct cst_generic *at;
		uint64_t index, bits, branches, e;
		size_t n;	/* elements written; 0: none yet */
	} run_end;
};

/* A run ends when it has as many contradictions as its element can count. */
#define RUN_CONFLICTS UINT16_MAX

/* What the last search changed. */
enum walk_moved {
	MOVED_NOT,
	MOVED_SECTION,
	MOVED_BLOCKS,	/* it emptied the block cache, or went to another image */
};

/* What a walk makes of a range. */
enum runs {
	RUNS_NONE,	/* an element */
	RUNS_EACH,	/* a count of its block in f->counts */
	RUNS_JOINED,	/* a part of a counted range from the target of a taken branch to the next taken branch */
	RUNS_SAMPLED,	/* as RUNS_JOINED, without counts: the last branches are kept, in f->samples */
	RUNS_LISTED,	/* as RUNS_JOINED, without counts: taken branches are added to f->list */
};

/* Properties of an instance; all members are compile-time constants. */
struct walk_how {
	enum runs runs;
	uint8_t element;	/* input is f->elem, through any code: handles speculation, cycle counts, CST_EL_BRANCH */
	uint8_t given;		/* packets may carry a target */
	uint8_t cycles;		/* packets may carry a cycle count */
	/*
	 * Parses the packet at l->p. Returns 1, with its atoms and a terminating 1 in *bits and l->p after it; 0 if it
	 * is not an atom packet.
	 */
	int (*packet)(struct loop *l, uint64_t *bits);
	/* True if the packet at l->p has atoms. NULL: an atom E on an indirect branch pops at once (PTM). */
	int (*atom_follows)(const struct loop *l);
	/*
	 * Parses a Target Address packet at l->p after an indirect branch; returns as `packet`, with *addr and f->isa.
	 */
	int (*target)(struct loop *l, uint64_t *addr);
};

/* Why a walk ended. */
enum walk_on {
	WALK_GO,
	WALK_COUNTED,	/* as WALK_GO, and the last atom is counted */
	WALK_OUT,	/* before block `next`: no packet, or no room */
	WALK_GONE,	/* the code at f->addr is not in the graph */
	WALK_AWAY,	/* after an indirect branch whose target is not known yet */
	WALK_MISMATCH,	/* a check of cfg->checks failed: the last range is void */
};

/* State of each atom, in registers: its address must not be passed to a function that is not inlined. */
struct walk {
	struct cst_flow *f;
	struct loop *l;
	struct cst_generic *g;	/* the next element */
	struct blk *base, *b;	/* all blocks; the last block walked, by atom `e` */
	uint64_t e, bias;	/* bias: address of a block minus its section offset */
	uint64_t addr;		/* of an element: address of block b or, after it, of the next block */
	uint64_t bits;		/* atoms of the packet that are left, with a terminating 1 */
	/* index: trace offset of the last packet; with runs, which seldom need it, what cst_walk_offset() takes */
	uint64_t index, insns;
	/* next: the link followed, negative with LINK_SLOW; linked: LINK_MASK, 0 where links are not valid */
	int64_t next, linked;
	struct ids ids;
	uint32_t flags;
	/*
	 * counting: the link out of block b (without links its kind only); first block of the open range; its section.
	 * RUNS_SAMPLED: `start` is not 0 while a run is open
	 */
	uint32_t raw, start, section;
	uint64_t branches, until; /* RUNS_SAMPLED: taken branches of the run; instructions at the next sample */
	struct cst_branch *list;  /* RUNS_LISTED: place of the next branch */
};

/*
 * Rare steps of the walk (walk.c). cst_walk_begin() prepares the loop for out[0..cap) and the input; it returns 0 if
 * execution is not at a block of the graph.
 */
int cst_walk_begin(struct loop *l, const struct cst_generic *out, size_t cap);
/*
 * Called at l->stop, the end of the input that was taken, or of the room for output. Return 0 if no input can be taken.
 * cst_walk_next_run() takes a run of trace offsets, cst_walk_next_bytes() at most `bytes`, whatever their offsets are.
 */
int cst_walk_next_run(struct loop *l);
int cst_walk_next_bytes(struct loop *l, size_t bytes);
/* Returns the trace offset of a packet by the address of its first byte; 0: that of the last packet of an earlier walk. */
uint64_t cst_walk_offset(struct loop *l, uint64_t index);
uint64_t cst_walk_what_fits(struct loop *l, uint64_t bits, const struct cst_generic *g);
uint64_t cst_walk_after(struct cst_flow *f, const struct blk *b, uint64_t e, uint64_t addr);
uint32_t cst_walk_near(struct loop *l, uint64_t addr, struct blk *b, uint64_t e);
uint32_t cst_walk_search(struct loop *l, uint64_t addr, struct blk *b, uint64_t e);
int cst_walk_forbidden(struct cst_flow *f, const struct blk *b);
void cst_walk_span(struct loop *l, struct cst_generic *g, uint64_t e);
struct cst_generic *cst_walk_conflict(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b,
				      uint64_t addr);
void cst_walk_begin_run(struct loop *l, uint64_t insns, uint64_t bits);
void cst_walk_put_run(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b, uint64_t e,
		      uint32_t start, uint64_t insns, uint64_t bits);
struct cst_generic *cst_walk_end_run(struct loop *l, struct cst_generic *g);
/* RUNS_LISTED: begins a run at block `place`; makes the element of cst_walk_put_run() that of a run with branches up to `list`. */
void cst_walk_begin_list(struct loop *l, uint64_t place, struct cst_branch *list);
void cst_walk_put_list(const struct loop *l, struct cst_generic *g, const struct cst_branch *list);
/*
 * The same for RUNS_SAMPLED (samples.c), from block `place` on. cst_samples_begin() returns where the next sample is, as
 * `insns`.
 */
uint64_t cst_samples_begin(struct loop *l, uint64_t insns, uint64_t place);
void cst_samples_put(struct loop *l, const struct blk *b, uint64_t insns, const struct sampled_end *end);
struct cst_generic *cst_samples_end(struct loop *l);
struct cst_generic *cst_walk_drop_range(struct loop *l, struct cst_generic *g);
struct crossing *cst_walk_crossing(const struct loop *l, uint32_t from, uint64_t addr);
uint32_t cst_walk_cross(struct loop *l, struct crossing *x, uint64_t insns);
void cst_walk_note_crossing(const struct cst_flow *f, uint32_t section, uint32_t from);
struct cst_generic *cst_walk_away(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b,
				  uint64_t end);
size_t cst_walk_finish(struct loop *l, uint64_t bits, uint64_t index, uint64_t insns, const struct cst_generic *first,
		       const struct cst_generic *g);

/* Number of atoms before the terminating 1. */
static inline unsigned int atoms_in(uint64_t bits)
{
	return 63 - __builtin_clzll(bits);
}

static inline unsigned int atoms_taken(uint64_t bits)
{
	unsigned int n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n - 1;
}

STEP_INLINE uint32_t walk_place(const struct walk *w)
{
	return (uint32_t)((unsigned char *)w->b - (unsigned char *)w->base);
}

/* True if block b is f->span and not in the graph. */
STEP_INLINE int walk_in_span(const struct walk *w, const struct walk_how *how)
{
	return how->element && w->b == &w->f->work.span.b;
}

/* Address of block b before it is left. */
STEP_INLINE uint64_t walk_addr(const struct walk *w, const struct walk_how *how)
{
	return how->element ? w->addr : blk_off(w->b) + w->bias;
}

/* Address after block b. */
STEP_INLINE uint64_t walk_end(const struct walk *w, const struct walk_how *how)
{
	return walk_in_span(w, how) ? w->f->work.span.end :
				      walk_addr(w, how) + (uint32_t)w->b->step[0];
}

/* True if runs keep addresses of their branches, which are valid in one map. */
STEP_INLINE int walk_has_addresses(const struct walk_how *how)
{
	return how->runs == RUNS_SAMPLED || how->runs == RUNS_LISTED;
}

/* Trace offset of the last packet. */
STEP_INLINE uint64_t walk_index(const struct walk *w, const struct walk_how *how)
{
	return how->runs ? cst_walk_offset(w->l, w->index) : w->index;
}

/* Notes how the run ends, with block b, for walk_end_run(). */
STEP_INLINE void walk_put_run(const struct walk *w, const enum runs runs)
{
	const struct sampled_end end = { .at = w->g, .index = w->index, .bits = w->bits, .branches = w->branches, .e = w->e };

	if (runs == RUNS_SAMPLED)
		cst_samples_put(w->l, w->b, w->insns, &end);
	else
		cst_walk_put_run(w->l, w->g, w->index, w->b, w->e, runs == RUNS_EACH ? walk_place(w) : w->start, w->insns,
				 w->bits);
	if (runs == RUNS_LISTED)
		cst_walk_put_list(w->l, w->g, w->list);
}

/* Ends the open run as noted. */
STEP_INLINE void walk_end_run(struct walk *w, const enum runs runs)
{
	w->g = runs == RUNS_SAMPLED ? cst_samples_end(w->l) : cst_walk_end_run(w->l, w->g);
	w->start = w->raw = 0;
}

/* Ends the open run with block b. */
STEP_INLINE void walk_stop_run(struct walk *w, const enum runs runs)
{
	walk_put_run(w, runs);
	walk_end_run(w, runs);
}

/* Counters of block b. */
STEP_INLINE struct blk_count *walk_counters(const struct walk *w)
{
	return cst_blk_counters(w->b);
}

/* Counts block b, which was a range of its own. */
STEP_INLINE void walk_count_block(struct walk *w)
{
	if (__builtin_expect(!++walk_counters(w)->atoms[w->e], 0))
		cst_counts_atoms_full(w->f->emit.counts, w->section, walk_place(w), w->e);
}

/* Counts the edge from block b to `next`. */
STEP_INLINE void walk_count_edge(struct walk *w)
{
	const uint32_t from = walk_place(w), to = (uint32_t)w->next;

	if (!(w->raw & LINK_INDIRECT && count_pair(&cst_blk_counters(BLK_AT(w->base, to))->from, from)) &&
	    !count_pair(&walk_counters(w)->to, to))
		cst_counts_edge_slow(w->f->emit.counts, w->section, from, to);
}

/* Counts the open range, which ends with block b. */
STEP_INLINE void walk_count_range(struct walk *w, const enum runs runs)
{
	if (runs == RUNS_EACH)
		walk_count_block(w);
	else if (!count_pair(&cst_blk_counters(BLK_AT(w->base, w->start))->range, walk_place(w)))
		cst_counts_range_slow(w->f->emit.counts, w->section, w->start, walk_place(w));
}

/* Keeps the branch at the end of block b, if it was taken to `next`. */
STEP_INLINE void walk_keep_branch(struct walk *w)
{
	struct cst_samples *s = w->f->emit.samples;
	const uint64_t i = (w->branches + 1) % SAMPLED_RING;

	/* without a jump, which could not be predicted: a branch that was not taken is overwritten */
	s->from[i] = w->b;
	s->to[i] = (uint64_t)w->next;
	s->bias[i] = w->bias;
	s->insns[i] = w->insns;
	w->branches += w->raw & LINK_TAKEN;
}

/* As walk_count(), for a run around samples, which begins where there is room for its end. */
STEP_INLINE void walk_sample(struct walk *w, const int open)
{
	struct loop *l = w->l;

	if (!open && w->start && w->insns >= w->until) {
		walk_stop_run(w, RUNS_SAMPLED);
	} else if (open || w->start) {
		walk_keep_branch(w);
	} else if (w->raw && l->end_of_room - w->g >= (ptrdiff_t)(SAMPLED_ROOM + PACKET_ATOMS + FLOW_ROOM)) {
		cst_walk_begin_run(l, w->insns, w->bits);
		w->until = cst_samples_begin(l, w->insns, (uint64_t)w->next);
		w->branches = 0;
		w->start = 1;
	}
}

/* Adds the branch from the end of block b at `end` to `next`, if it was taken. */
STEP_INLINE void walk_list_branch(struct walk *w, uint64_t end)
{
	const struct blk *b = w->b;

	/* without a jump, as in walk_keep_branch() */
	w->list->from = end - b->last_size;
	w->list->to = blk_off(BLK_AT(w->base, w->next)) + w->bias;
	store8(&w->list->flags, flags_word(b, w->flags) | flag_exec(1));
	w->list += w->raw & LINK_TAKEN;
}

/* As walk_count(), for a list of branches. */
STEP_INLINE void walk_listed(struct walk *w, const struct walk_how *how, const int open)
{
	if (open || w->start) {
		walk_list_branch(w, walk_end(w, how));
	} else if (w->raw) {
		cst_walk_begin_run(w->l, w->insns, w->bits);
		cst_walk_begin_list(w->l, (uint64_t)w->next, w->list);
		w->start = (uint32_t)w->next;
	}
}

/* Counts the last atom, which led from block b to `next`. `open`: a run is open, which the compiler may not know. */
STEP_INLINE void walk_count(struct walk *w, const struct walk_how *how, const int open)
{
	const enum runs runs = how->runs;

	if (runs == RUNS_SAMPLED) {
		walk_sample(w, open);
	} else if (runs == RUNS_LISTED) {
		walk_listed(w, how, open);
	} else if (runs == RUNS_EACH && (open || w->start)) {
		walk_count_range(w, runs);
		if (__builtin_expect(w->raw & LINK_INDIRECT, 0))
			walk_count_edge(w);
	} else if (w->raw & (runs == RUNS_JOINED ? LINK_TAKEN : LINK_BRANCH)) {
		/* the branch at the end of block b ends a range */
		if (w->raw & LINK_TAKEN)
			walk_count_edge(w);
		if (!open && !w->start)
			cst_walk_begin_run(w->l, w->insns, w->bits);
		else
			walk_count_range(w, runs);
		w->start = (uint32_t)w->next;
	}
}

/*
 * Walks one atom through the block at `next`, which becomes block b, and looks up its link. Emits
 * its range unless it is counted.
 */
STEP_INLINE void walk_block(struct walk *w, const struct walk_how *how, int counted)
{
	/*
	 * Each place waits for the link before it, so the way from one to the next is as short as
	 * can be: what the atom adds to the address of the link is formed apart, before the place
	 * is known. Where ranges or branches are written, there is no register left for it.
	 */
	const int apart = how->runs && how->runs != RUNS_LISTED;
	const unsigned char *link = (const unsigned char *)w->base + offsetof(struct blk, link) +
				    sizeof(w->b->link[0]) * (w->bits & 1);
	const int64_t place = w->next;
	const struct blk *b = w->b = BLK_AT(w->base, place);
	const uint32_t n_insn = b->n_insn;

	if (apart)
		__asm__("" : "+r"(link));
	w->e = w->bits & 1;
	w->bits >>= 1;
	if (walk_in_span(w, how)) {
		cst_walk_span(w->l, w->g++, w->e);
	} else {
		if (!counted)
			step_range(w->g++, b, w->e, walk_addr(w, how), walk_end(w, how), n_insn,
				   how->cycles ? w->l->now.cc : 0, (uint32_t)blk_off(b), &w->ids, walk_index(w, how), w->flags);
		w->insns += n_insn;
	}
	w->raw = apart ? *(const uint32_t *)(link + place) : b->link[w->e];
	w->next = (int32_t)w->raw & w->linked;
}

/* LINK_MASK if links lead on. After a packet with a target each of them is compared with that. */
STEP_INLINE int64_t walk_usable_links(const struct loop *l, const struct walk_how *how)
{
	return how->given && l->now.given ? 0 : l->linked;
}

/* Bytes of input to take, whose branches fit into the rest of a list, from the place of the next one on; 0: it is full. */
STEP_INLINE size_t walk_list_room(const struct cst_branch_list *list, const struct cst_branch *next)
{
	/* walk_list_branch() writes behind the last one */
	const size_t bytes = (size_t)(list->v + list->cap - next) / (PACKET_ATOMS + 1);

	return bytes < LIST_BYTES ? 0 : bytes < RUN_BYTES ? bytes : RUN_BYTES;
}

/* Returns 0 if no input can be taken, or if the run is to end. */
STEP_INLINE int walk_more_input(struct walk *w, const struct walk_how *how)
{
	if (!how->runs)
		return cst_walk_next_run(w->l);
	return !(w->start && w->insns - w->l->run_insns >= RUN_INSNS) &&
	       cst_walk_next_bytes(w->l, how->runs == RUNS_LISTED ?
						 walk_list_room(w->f->emit.list, w->list) :
						 RUN_BYTES);
}

/* Parses the next packet if it has atoms and there is room for them. Returns 0 otherwise. */
STEP_INLINE int walk_packet(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	const uint8_t *at;

	if (how->element || (l->p == l->stop && !walk_more_input(w, how)))
		return 0;
	at = l->p;
	if (w->g >= l->limit && l->end_of_room - w->g < FLOW_ROOM)
		return 0;
	if (!how->packet(l, &w->bits))
		return 0;
	w->index = how->runs ? (uintptr_t)at : l->bias + (uintptr_t)at;
	if (how->given)
		w->linked = walk_usable_links(l, how);
	if (w->g >= l->limit)
		w->bits = cst_walk_what_fits(l, w->bits, w->g);
	if (how->runs)
		l->atoms += atoms_in(w->bits);
	return 1;
}

/* Continues at the block `next`, at `addr`, which a search has found. */
STEP_INLINE void walk_arrive(struct walk *w, const struct walk_how *how, uint64_t addr)
{
	struct loop *l = w->l;

	w->addr = addr;
	w->linked = walk_usable_links(l, how);
	w->ids = l->ids;
	w->section = w->f->cache.map_sec->id;
	w->bias = w->f->cache.map_bias;
	w->base = w->f->cache.img->blocks.blk;
}

/*
 * Continues a run at `addr` in f->isa if that is in another section, and the branch of block b has led there before.
 * The last atom is counted then.
 */
STEP_INLINE int walk_cross(struct walk *w, const struct walk_how *how, uint64_t addr)
{
	const uint64_t end = walk_end(w, how);
	struct loop *l = w->l;
	struct crossing *x;

	/* a run around samples ends with the range in which one is */
	if (how->runs == RUNS_SAMPLED && w->insns >= w->until)
		return 0;
	x = w->raw & LINK_INDIRECT ? cst_walk_crossing(l, walk_place(w), addr) : NULL;
	/* without a next atom the run ends with block b */
	if (!x || (w->bits == 1 && !walk_packet(w, how)))
		return 0;
	if (how->runs == RUNS_EACH || how->runs == RUNS_JOINED)
		walk_count_range(w, how->runs);
	w->next = w->start = cst_walk_cross(l, x, w->insns);
	walk_arrive(w, how, addr);
	if (how->runs == RUNS_SAMPLED)
		walk_keep_branch(w);
	else if (how->runs == RUNS_LISTED)
		walk_list_branch(w, end);
	return 1;
}

/* Searches the code at `addr` in f->isa and links it to block `by` after atom `e`, if `by` is given. */
STEP_INLINE enum walk_on walk_search(struct walk *w, const struct walk_how *how, uint64_t addr, struct blk *by,
				     uint64_t e)
{
	struct loop *l = w->l;

	if (how->runs && addr - w->f->cache.map_start < w->f->cache.map_len) {
		w->next = cst_walk_near(l, addr, by, e);
		if (w->next) {
			w->addr = addr;
			return WALK_GO;
		}
	} else if (how->runs && w->start && walk_cross(w, how, addr)) {
		return WALK_COUNTED;
	}
	/* the search may empty the block cache */
	if (how->runs && w->start)
		walk_put_run(w, how->runs);
	w->next = cst_walk_search(l, addr, by, e);
	if (how->runs && (!w->next || l->moved ||
			  (walk_has_addresses(how) && w->bias != w->f->cache.map_bias))) {
		/* the run ends: another section or, with addresses, another map, or an empty block cache */
		if (w->start && w->next && w->raw & LINK_INDIRECT && l->moved == MOVED_SECTION)
			cst_walk_note_crossing(w->f, w->section, walk_place(w));
		if (w->start)
			walk_end_run(w, how->runs);
		w->raw = 0;
	}
	if (!w->next)
		return WALK_GONE;
	walk_arrive(w, how, addr);
	return WALK_GO;
}

/* Continues at `addr` in f->isa, by the link of block `by` after atom `e` if it leads there, else by a search. */
STEP_INLINE enum walk_on walk_to(struct walk *w, const struct walk_how *how, uint64_t addr, struct blk *by, uint64_t e)
{
	/* with a target in the packet, w->linked is 0 to make each link be checked */
	const int64_t linked = how->given ? w->l->linked : w->linked;
	const int64_t next = by ? (int32_t)by->link[e] & linked & ~LINK_NOT_PLACE : 0;

	/* a span has no links, and links are not valid before the first search */
	if (next && step_leads_to(w->f, w->base, (uint32_t)next, addr, w->f->isa)) {
		w->next = next;
		w->addr = addr;
		return WALK_GO;
	}
	return walk_search(w, how, addr, by, e);
}

/*
 * Pushes the return address of a call. The atom counts as first traced: a Mispredict does not undo the push
 * (K10.5.5.3).
 */
STEP_INLINE void walk_push(const struct walk *w, const struct walk_how *how)
{
	if (w->b->flags & BLK_LINK && w->l->stack && (!how->element || w->e != w->l->mispredicted))
		step_push(w->f, walk_end(w, how), w->b->isa, walk_in_span(w, how) ? 0 : walk_place(w));
}

/*
 * Continues after an indirect branch without a push, in the map of the call to which it returns, by the link of the
 * call's block after atom N, which leads to the return address (K10.5.5.3). Returns 0 if it takes more.
 */
STEP_INLINE int walk_linked_return(struct walk *w, const struct walk_how *how)
{
	struct cst_flow *f = w->f;
	const struct return_entry *r = &f->ret.stack[f->ret.stack_top];
	int64_t next;

	/* without a P0 element next, its target may be traced; PTM's atom E says that it is not (IHI 0035B B.3.2) */
	if (r->map != f->cache.map_id ||
	    (how->atom_follows && w->bits == 1 && (w->l->rest || !how->atom_follows(w->l))))
		return 0;
	next = (int32_t)BLK_AT(w->base, r->call)->link[0] & w->linked & ~LINK_NOT_PLACE;
	if (!next)
		return 0;
	step_drop(f);
	w->next = next;
	return 1;
}

/* Continues at the address on top of the return stack (K10.5.5.3). */
STEP_INLINE enum walk_on walk_return(struct walk *w, const struct walk_how *how, int push)
{
	const struct return_entry r = step_pop(w->f);
	const uint32_t call = r.map == w->f->cache.map_id ? r.call : 0;
	struct blk *by =
		call ? BLK_AT(how->element ? w->f->cache.img->blocks.blk : w->base, call) : NULL;

	/* the push may overwrite the popped entry, which is copied above */
	if (push)
		walk_push(w, how);
	w->f->isa = r.isa;
	/* the link of a call after atom N leads to its return address */
	return walk_to(w, how, step_wrap(r.addr, r.isa), by, 0);
}

/* Continues at the target that the packet of an atom E carries (IHI 0035B 4.5.4). */
STEP_INLINE enum walk_on walk_given(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	struct blk *b = w->b;

	walk_push(w, how);
	if (!cst_insn_is_branch(b->type))
		l->branches--;
	w->f->isa = l->now.isa;
	if (b->type == CST_INSN_INDIRECT)
		return walk_to(w, how, l->now.target, walk_in_span(w, how) ? NULL : b, 1);
	/* branch broadcast: a direct branch must lead where its opcode says */
	if ((uint32_t)step_next(b, 1, walk_addr(w, how)) == l->now.target)
		return walk_to(w, how, l->now.target, walk_in_span(w, how) || step_isa(b, 1) != l->now.isa ? NULL : b, 1);
	w->g = cst_walk_conflict(l, w->g, walk_index(w, how), b, walk_addr(w, how));
	w->f->isa = l->now.isa;
	return walk_to(w, how, l->now.target, NULL, 1);
}

/* Continues after a taken indirect branch. */
STEP_INLINE enum walk_on walk_indirect(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	struct cst_flow *f = w->f;
	uint64_t target;

	/* IHI 0035B 4.13, B.3.2: an atom E means that the target is on the return stack; it is popped before a call pushes */
	if (how->element ? f->ret.pop_first : !how->atom_follows) {
		if (!step_stack_empty(f))
			return walk_return(w, how, 1);
		walk_push(w, how);
		return WALK_AWAY;
	}
	walk_push(w, how);
	if (w->b->subtype == CST_INSN_ERET || how->element)
		return WALK_AWAY;
	/* a P0 element without an address before it: the target is on the return stack */
	if (!step_stack_empty(f) && f->cfg->ret_stack && (w->bits != 1 || (!l->rest && how->atom_follows(l))))
		return walk_return(w, how, 0);
	if (w->bits != 1 || l->rest || !how->target(l, &target))
		return WALK_AWAY;
	return walk_to(w, how, target, w->b, 1);
}

/* Leaves block b if that takes more than following its link. */
STEP_INLINE enum walk_on walk_exit(struct walk *w, const struct walk_how *how)
{
	struct loop *l = w->l;
	struct cst_flow *f = w->f;
	struct blk *b = w->b;
	const int64_t next = w->next & ~LINK_NOT_PLACE;

	if (walk_in_span(w, how))
		f->it = step_it(f, w->e);
	if (how->given && l->now.given)
		return walk_given(w, how);
	/* with runs walk_linked() has tried it */
	if (how->runs == RUNS_NONE && !how->element && w->next & LINK_POP && walk_linked_return(w, how))
		return WALK_GO;
	if (step_indirect(b, w->e))
		return walk_indirect(w, how);
	if (w->e || how->element)
		walk_push(w, how);
	if (!w->e && b->flags & BLK_ALWAYS) {
		if (cst_walk_forbidden(f, b))
			return WALK_MISMATCH;
		/* an element with addresses has one contradiction, that of its last instruction */
		if (how->runs && w->start && f->stats->image_conflicts - l->run_conflicts ==
		    (walk_has_addresses(how) ? 1 : RUN_CONFLICTS))
			walk_stop_run(w, how->runs);
	}
	if (!cst_insn_is_branch(b->type)) {
		l->branches -= w->e;
		/* the range does not end with this block */
		if (how->runs == RUNS_EACH && w->start)
			walk_stop_run(w, how->runs);
	}
	w->addr = step_next(b, w->e, walk_addr(w, how));
	if (next) {
		w->next = next;
		return WALK_GO;
	}
	return walk_search(w, how, cst_walk_after(f, b, w->e, w->addr), walk_in_span(w, how) ? NULL : b, w->e);
}

/*
 * Walks blocks from `next` on as long as leaving one takes no more than following its link, a push, or a pop; with
 * how->runs inside a run. It is a loop of its own since it needs few registers: without runs, whose ranges are written
 * here, there is none left for pops, which walk_exit() then does. Returns 0 if there is no atom left.
 */
STEP_INLINE int walk_linked(struct walk *w, const struct walk_how *how)
{
	for (;;) {
		walk_block(w, how, how->runs != RUNS_NONE);
		/* a sample */
		if (how->runs == RUNS_SAMPLED && __builtin_expect(w->insns >= w->until, 0))
			return 1;
		if (__builtin_expect(w->next <= 0, 0)) {
			if (w->next & LINK_CALL) {
				walk_push(w, how);
				w->next &= ~LINK_NOT_PLACE;
			} else if (!how->runs || !(w->next & LINK_POP) || !walk_linked_return(w, how)) {
				return 1;
			}
			if (how->runs) {
				if (w->bits == 1 && !walk_packet(w, how))
					return 0;
				walk_count(w, how, 1);
				continue;
			}
		}
		if (w->bits == 1 && !walk_packet(w, how))
			return 0;
		if (how->runs == RUNS_EACH)
			walk_count_block(w);
		else if (how->runs)
			walk_count(w, how, 1);
	}
}

STEP_INLINE enum walk_on walk_blocks(struct walk *w, const struct walk_how *how)
{
	enum walk_on on = WALK_GO;

	for (;;) {
		if (w->bits == 1 && !walk_packet(w, how))
			return WALK_OUT;
		if (how->runs && on != WALK_COUNTED)
			walk_count(w, how, 0);
		if (how->element || (how->runs && !w->start)) {
			walk_block(w, how, how->runs && w->start);
			if (w->next > 0) {
				/* linked blocks are in one map: no wrap at 4 GiB between them */
				w->addr = how->element ? step_next(w->b, w->e, w->addr) : w->addr;
				continue;
			}
		} else if (!walk_linked(w, how)) {
			return WALK_OUT;
		}
		on = walk_exit(w, how);
		if (on > WALK_COUNTED)
			return on;
	}
}

/*
 * Walks the atoms of the input, or of an element those in l->rest, from the block f->blk (for an element also from
 * f->span) on, and appends to out[*n]. Returns why it ended, with the atoms that are left in l->rest.
 */
STEP_INLINE enum walk_on walk_run(struct loop *l, struct cst_generic *out, size_t *n, const struct walk_how *how)
{
	struct cst_flow *f = l->f;
	struct walk w = {
		.f = f,
		.l = l,
		.g = out + *n,
		.base = f->cache.blk ? f->cache.img->blocks.blk : &f->work.span.b,
		.next = f->cache.blk,
		.addr = f->addr,
		.linked = l->linked,
		.ids = l->ids,
		.section = f->cache.blk ? f->cache.map_sec->id : 0,
		.index = how->runs ? 0 : l->in->last,
		.bias = f->cache.map_bias,
		.flags = f->emit.tmpl.flags | l->flags,
		.bits = how->element ? l->rest : 1,
	};
	enum walk_on why;

	if (how->element) {
		l->rest = 0;
		w.bits = cst_walk_what_fits(l, w.bits, w.g);
	}
	if (how->runs == RUNS_LISTED)
		w.list = f->emit.list->v + f->emit.list->n;
	why = walk_blocks(&w, how);

	if (how->runs && w.start)
		walk_stop_run(&w, how->runs);
	if (how->runs == RUNS_LISTED)
		f->emit.list->n = (uint32_t)(w.list - f->emit.list->v);
	if (why == WALK_OUT) {
		f->addr = how->element ? w.addr : blk_off(BLK_AT(w.base, w.next)) + w.bias;
		f->cache.blk = (uint32_t)w.next;
		f->isa = BLK_AT(w.base, w.next)->isa;
	} else if (why == WALK_AWAY) {
		w.g = cst_walk_away(l, w.g, walk_index(&w, how), w.b, walk_end(&w, how));
	} else if (why == WALK_MISMATCH) {
		f->addr = walk_addr(&w, how);
		f->isa = w.b->isa;
		f->cache.blk = 0;
		w.g = cst_walk_drop_range(l, w.g);
	}
	*n += cst_walk_finish(l, w.bits, walk_index(&w, how), w.insns, out + *n, w.g);
	return why;
}

/*
 * Runs an instance over packets: appends to out[*n] ranges with `flags` besides those of the context, and moves
 * in->pos. Returns 0 if nothing was consumed. If f->busy is set afterwards, cst_flow_run() must complete the last
 * packet. Only for streams whose atoms need no commit, and with f->busy 0.
 */
STEP_INLINE int walk_input(struct cst_flow *f, struct atom_input *in, uint32_t flags, struct cst_generic *out, size_t *n,
			   size_t cap, const struct walk_how *how)
{
	struct loop l = { .f = f, .in = in, .flags = flags };
	const size_t pos = in->pos;
	enum walk_on why;

	if ((f->check.after_n && f->addr != f->check.next_n) || !cst_walk_begin(&l, out, cap))
		return 0;
	why = walk_run(&l, out, n, how);
	if (why == WALK_MISMATCH) {
		f->work.elem.index = in->last;
		cst_flow_mismatch(f);
	} else if (l.rest > 1) {
		cst_flow_give_atoms(f, (uint32_t)(l.rest & ~(1ull << atoms_in(l.rest))), atoms_in(l.rest), in->last);
	}
	return in->pos != pos;
}

#endif
