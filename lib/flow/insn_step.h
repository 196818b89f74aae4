/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * insn_step.h - the graph of blocks of one instruction each, for a fast way whose packets have an atom for every
 * instruction (ETMv3): from its bytes to elements (insn_fast.c), and what there is to do between.
 */
#ifndef CST_LIB_INSN_STEP_H
#define CST_LIB_INSN_STEP_H

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/fast_out.h"

/* What a byte means that is a packet with atoms, with cycles, or with both. */
struct insn_code {
	uint32_t first, later;	/* cycles of the first atom (of none: all), of each that follows */
	uint16_t bits;		/* 1 = E, oldest in bit 0 */
	uint8_t n;
	uint8_t fast;		/* n + 1; 0: leave it to the careful way */
	uint8_t cycles;		/* they are told; always, where there is no atom */
	uint8_t form;		/* the protocol's own */
};

/* Put out by one packet at most. */
#define INSN_ATOMS_MAX 16

/* What the loop keeps out of struct cst_flow while it runs. */
struct insns {
	struct cst_flow *f;
	const struct insn_code *code;	/* by byte */
	/* the input: the next byte, the end of its run and of all; the trace offset that the byte at NULL would have */
	const uint8_t *p, *stop, *data, *end;
	uint64_t bias;
	const struct seg *seg, *last_seg;
	/* the output */
	struct cst_generic *g, *limit;
	struct ids ids;
	struct ids none;	/* of elements that only tell cycles */
	uint32_t tflags;
	/* where execution is; b NULL: not looked for yet, f->isa and f->it say how */
	struct blk *base, *b;
	uint64_t addr;
	uint32_t linked;
	/* atoms of the packet at p that are left, 0 none; the link that was not known */
	uint32_t left, bits;
	uint32_t *link;
	/*
	 * Where the loop was before the last packet with atoms: the place to go back to when one of them is
	 * cancelled. mark NULL: nowhere.
	 */
	const uint8_t *mark;
	struct cst_generic *mark_from;	/* the first element that it made */
	struct blk *mark_blk;		/* where execution was, or ... */
	unsigned int mark_key;		/* ... its key, when mark_blk is NULL */
	uint64_t mark_transfer;		/* with data trace: as struct cst_flow has it */
	uint8_t mark_transfer_known;
	uint64_t insns, branches;
};

static inline void insns_map(struct insns *s)
{
	s->base = s->f->map_sec->img->blk;
	s->linked = links_hold(s->f) ? ~0u : 0;
	s->ids = ids_of(s->f);
}

/* Go over to the loop. */
static inline void insns_enter(struct insns *s)
{
	struct cst_flow *f = s->f;

	if (!f->map_len || f->map_space != f->space || f->map_gen != f->space->generation ||
	    f->img_gen != f->map_sec->img->generation)
		f->blk = 0;
	s->addr = f->addr;
	s->none = ids_of_kind(f, CST_GEN_CYCLE_COUNT, 0);
	s->tflags = f->tmpl.flags | (f->cfg->cycle_count ? CST_GF_CC : 0);
	s->b = NULL;
	if (!f->blk)
		return;
	insns_map(s);
	s->b = BLK_AT(s->base, f->blk);
}

/* Leave it. */
static inline void insns_leave(struct insns *s)
{
	struct cst_flow *f = s->f;

	f->addr = s->addr;
	f->blk = 0;
	if (!s->b)
		return;
	f->blk = blk_place(f->map_sec->img, s->b);
	f->isa = s->b->isa;
	f->it = blk_key_it(blk_own_key(s->b));
}

enum insns_end {
	INSNS_OTHER,	/* at p is something else, or the input ends, or there is no room */
	INSNS_BLOCK,	/* the code at addr is not known, and a packet with atoms comes */
	INSNS_LINK,	/* nor here, where s->left atoms of the packet at p go on (without any, p is behind it) */
	INSNS_TORN,	/* an indirect branch, and atoms behind it: for insns_back() */
};

/* Bytes from s->p on, as far as the graph goes. */
enum insns_end cst_flow_insns_fast(struct insns *s);
/* INSNS_BLOCK: the code at s->addr. 0: it is for the careful way. */
int cst_flow_insns_find(struct insns *s);
/* INSNS_LINK: the code behind s->b, which the link is to lead to from now on. As cst_flow_insns_find(). */
int cst_flow_insns_follow(struct insns *s);
/* Back to the mark: what was put out since is void. */
void cst_flow_insns_back(struct insns *s);

#endif
