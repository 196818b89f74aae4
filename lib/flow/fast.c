/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fast.c - the loop over atom packets where the time goes: a walk over the graph of decoded blocks.
 * It knows only what is common; anything else is left, atom by atom, to flow.c and walk.c.
 */
#include <stddef.h>
#include <string.h>

#include <cstrace/isa.h>
#include <cstrace/tree.h>

#include "flow/analyze.h"
#include "flow/fast_out.h"
#include "image/counts.h"

/* Bytes from here on are atom packets. */
#define ATOM_HEADER 0xc0

/* Atoms of one packet byte at most. */
#define PACKET_ATOMS 24

/* An atom N of a block that ends without a condition. */
static __attribute__((noinline)) int forbidden(struct cst_flow *f, const struct blk *b)
{
	if (f->cfg->checks && cst_flow_forbids_n(f, b->type, b->isa, (int64_t)b->step[1] - (b->step[0] - b->last_size),
						 b->last_size))
		return 1;
	f->stats->image_conflicts += b->isa == CST_ISA_A64;
	return 0;
}

static inline int is_branch(const struct blk *b)
{
	return b->type - 1u <= 1;
}

_Static_assert(CST_INSN_BRANCH == 1 && CST_INSN_INDIRECT == 2, "the two that may go elsewhere");

/* What following the link of a block after atom `e` would leave out, and what it is. */
static inline uint32_t link_kind(const struct blk *b, unsigned int e)
{
	if (!is_branch(b))
		return LINK_CAREFUL;
	if (!e)
		return (b->flags & BLK_ALWAYS ? LINK_CAREFUL : 0) | LINK_BRANCH;
	if (b->type == CST_INSN_INDIRECT)
		return LINK_CAREFUL | LINK_TAKEN | LINK_BRANCH | LINK_INDIRECT;
	return (b->flags & BLK_LINK ? LINK_CAREFUL : 0) | LINK_TAKEN | LINK_BRANCH;
}

static unsigned int count_e(uint64_t bits)
{
	unsigned int n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

/* Atoms in front of the 1 that ends them. */
static inline unsigned int atoms_in(uint64_t bits)
{
	return 63 - __builtin_clzll(bits);
}

/* Two groups of atoms, the second of which may be missing (0), as one. */
static inline uint64_t together(uint64_t bits, uint64_t rest)
{
	return rest ? (bits & ~(1ull << atoms_in(bits))) | rest << atoms_in(bits) : bits;
}

/*
 * What the loop over packets needs less often than at each atom. It is shown to functions that are not inlined, so
 * that all of it stays in memory, and the registers are left to what each atom needs.
 */
struct loop {
	struct cst_flow *f;
	struct atom_input *in;
	const struct atom_code *codes;
	const uint8_t *p, *stop, *end_of_input;
	const struct cst_generic *limit, *end_of_room; /* before `limit` there is room for any packet */
	uint64_t bias;		/* trace offsets minus addresses of the input's bytes */
	uint64_t rest;		/* atoms that there is no room for, with a 1 behind them; or 0 */
	uint64_t branches, others;
	int64_t linked;		/* the bits of a link that are its place and LINK_CAREFUL; 0: links do not hold */
	struct ids ids;
	int stack;		/* calls are pushed */
	int undo;		/* the last range is void */
	int moved;		/* the last search() led to another section, or the places of blocks are void */
	/*
	 * Runs are ranges that are counted, in one section: from the first behind a taken branch (or any, if counts are not
	 * joined) up to the last one walked over. Ranges in them; their elements count among `others`.
	 */
	uint64_t ranges;
	uint64_t atoms;		/* of all packets */
	uint64_t run_insns, run_atoms, run_conflicts; /* where the run began */
};

/* Execution is at f->addr, in the block f->blk of the map around it. */
static inline void load(struct loop *l)
{
	l->linked = links_hold(l->f) ? ~(int64_t)LINK_BITS : 0;
	l->ids = ids_of(l->f);
}

/* Go over to the loop: 0 when the code at f->addr is not known so far, or there is none. */
static __attribute__((noinline)) int enter(struct loop *l)
{
	struct cst_flow *f = l->f;

	if (f->not_fast)
		return 0;
	/* the careful way finds out */
	if (f->after_n && f->addr != f->next_n)
		return 0;
	forget_stale(f);
	if (!f->blk) {
		f->blk = cst_flow_target_block(f);
		f->from = 0;
		if (!f->blk)
			return 0;
	}
	f->popped = 0;
	l->stack = f->cfg->ret_stack && !f->no_push;
	l->p = l->stop = l->in->p + l->in->pos;
	l->end_of_input = l->in->p + l->in->len;
	l->codes = l->in->code;
	l->bias = l->rest = l->branches = l->others = l->ranges = l->atoms = 0;
	l->undo = 0;
	load(l);
	return 1;
}

/* At l->stop, where a run of trace offsets ends, or the input, or what there is room for: 0 when that is all. */
static __attribute__((noinline)) int next_run(struct loop *l)
{
	struct atom_input *in = l->in;

	if (l->rest || l->p == l->end_of_input)
		return 0;
	while (in->seg_i + 1 < in->seg_count && l->p >= in->p + in->seg[in->seg_i + 1].pos)
		in->seg_i++;
	l->stop = in->seg_i + 1 < in->seg_count ? in->p + in->seg[in->seg_i + 1].pos : l->end_of_input;
	l->bias = in->seg[in->seg_i].offset - in->seg[in->seg_i].pos - (uintptr_t)in->p;
	return 1;
}

/* The first atoms of `bits`, as many as there is room for behind `g`; the others into l->rest. */
static __attribute__((noinline)) uint64_t what_fits(struct loop *l, uint64_t bits, const struct cst_generic *g)
{
	unsigned int n = l->end_of_room - g - (FLOW_ROOM - 1);

	if (atoms_in(bits) <= n)
		return bits;
	l->rest = bits >> n;
	l->stop = l->p;
	return (bits & ((1ull << n) - 1)) | 1ull << n;
}

/* The packet at l->p says where an indirect branch leads: 1 and *addr, with f->isa; as cst_flow_address(). */
static inline int take_target(struct loop *l, uint64_t *addr)
{
	struct atom_input *in = l->in;
	struct cst_flow *f = l->f;
	unsigned int used;
	uint8_t is;

	if (!in->target || l->rest)
		return 0;
	used = in->target(in->parser, l->p, l->end_of_input, addr, &is);
	if (!used)
		return 0;
	f->is = is;
	f->isa = f->cfg->profile == CST_PROFILE_M ? CST_ISA_T32 :
		 f->tmpl.flags & CST_GF_BITS64 ? CST_ISA_A64 : is ? CST_ISA_T32 : CST_ISA_A32;
	f->no_push = 0;
	l->stack = f->cfg->ret_stack;
	in->targets++;
	in->target_bytes += used;
	/* the atom packet behind it may be in another run */
	l->p += used;
	if (l->p > l->stop)
		l->stop = l->p;
	return 1;
}

/*
 * The place of the block at `addr`, of f->isa; it becomes the link of `b` after atom `e` where
 * there is a `b`.
 */
static __attribute__((noinline)) uint32_t search(struct loop *l, uint64_t addr, struct blk *b, unsigned int e)
{
	struct cst_flow *f = l->f;
	const struct cst_section *sec = f->map_sec;
	const uint32_t gen = f->img_gen;

	f->addr = addr;
	f->blk = b && l->linked ? link_block(f, &b->link[e], link_kind(b, e)) : cst_flow_block(f);
	if (f->blk)
		load(l);
	l->moved = f->map_sec != sec || f->img_gen != gen;
	return f->blk;
}

/* The loop ends with an indirect branch from `b`, at `addr`: where it leads is to come. */
static __attribute__((noinline)) void leave_indirect(struct loop *l, const struct blk *b, uint64_t addr)
{
	struct cst_flow *f = l->f;

	f->isa = b->isa;
	f->addr = addr + (uint32_t)b->step[0];
	if (f->isa != CST_ISA_A64)
		f->addr = (uint32_t)f->addr;
	f->need_addr = f->stale = 1;
	f->pop_pending = f->cfg->ret_stack;
	f->blk = 0;
	f->from = l->linked ? blk_place(f->img, b) : 0;
	f->from_sec = f->map_sec;
}

/*
 * What was put out, from `first` to `g`, is counted; atoms that are left, and have not run, wait in f->el. Returns
 * the number of elements.
 */
static __attribute__((noinline)) size_t finish(struct loop *l, uint64_t bits, uint64_t index, uint64_t insns,
					       const struct cst_generic *first, const struct cst_generic *g)
{
	struct cst_flow *f = l->f;

	if (l->undo) {
		g--;
		insns -= g->n_insn;
	}
	bits = together(bits, l->rest);
	if (bits > 1) {
		l->branches -= count_e(bits) - 1;
		if (!l->undo)
			cst_flow_give_atoms(f, (uint32_t)(bits & ~(1ull << atoms_in(bits))), atoms_in(bits), index);
	}
	l->in->pos = l->p - l->in->p;
	l->in->last = index;
	f->stats->insns += insns;
	f->stats->ranges += g - first - l->others + l->ranges;
	f->stats->branches += l->branches;
	if (f->cfg->checks & CST_CHECK_CONTINUE && g != first) {
		f->after_n = g[-1].kind == CST_GEN_RANGE && !(g[-1].flags & CST_GF_EXEC);
		f->next_n = g[-1].isa == CST_ISA_A64 ? g[-1].end : (uint32_t)g[-1].end;
	}
	return g - first;
}

/* So many instructions end a run: an element has 32 bits for them, and a packet a few million. */
#define RUN_INSNS (1u << 31)

/* What walk() does with ranges. */
enum runs {
	RUNS_NONE,	/* each is an element */
	RUNS_EACH,	/* each is counted in f->counts */
	RUNS_JOINED,	/* they are counted from the target of a branch that is taken to the next one */
};

/* The element of a run that ends here. */
static __attribute__((noinline)) struct cst_generic *put_run(struct loop *l, struct cst_generic *g, uint64_t index,
							     const struct blk *b, uint64_t e, uint32_t start, uint64_t insns,
							     uint64_t bits)
{
	struct cst_flow *f = l->f;
	const uint64_t conflicts = f->stats->image_conflicts - l->run_conflicts;
	const uint64_t ranges = l->atoms - atoms_in(bits) - l->run_atoms;

	g->index = index;
	g->addr = blk_off(b) + f->map_bias;
	g->end = g->addr + (uint32_t)b->step[0];
	store8(&g->n_insn, pair((uint32_t)(insns - l->run_insns), (uint32_t)ranges));
	memcpy(&g->context_id, &l->ids, sizeof(l->ids));
	store8(&g->flags, flags_word(b, f->tmpl.flags) | flag_exec(e));
	store8(&g->error, pair((uint32_t)blk_off(BLK_AT(f->img->blk, start)), b->off * 2));
	g->kind = CST_GEN_RUN;
	g->num = (uint16_t)(conflicts < UINT16_MAX ? conflicts : UINT16_MAX);
	l->others++;
	l->ranges += ranges;
	return g + 1;
}

/* The run goes on: the element at `g` is void. */
static void take_back_run(struct loop *l, const struct cst_generic *g)
{
	l->others--;
	l->ranges -= g->runs;
}

/* A run begins behind the atoms walked over so far. `bits`: those that are left of the packet. */
static __attribute__((noinline)) void begin_run(struct loop *l, uint64_t insns, uint64_t bits)
{
	l->run_insns = insns;
	l->run_atoms = l->atoms - atoms_in(bits);
	l->run_conflicts = l->f->stats->image_conflicts;
}

/*
 * `bits`: atoms to begin with, of the packet at `index`, with a 1 behind them; 0: begin with the input. Whatever is
 * not a branch between linked blocks is below `careful`. `runs`, a constant: as enum runs, where that can be done.
 */
static inline __attribute__((always_inline)) int
walk(struct cst_flow *f, struct atom_input *in, uint64_t bits, uint64_t index, struct cst_generic *out, size_t *pn,
     size_t cap, const enum runs runs)
{
	struct loop l = { .f = f, .in = in, .end_of_room = out + cap,
			  .limit = cap < PACKET_ATOMS + FLOW_ROOM ? out : out + cap - (PACKET_ATOMS + FLOW_ROOM - 1) };
	struct cst_generic *g = out + *pn;
	const uint32_t tflags = f->tmpl.flags;
	const struct atom_code *code;
	uint64_t insns = 0, addr, e = 0;
	/* signed: a link that says LINK_CAREFUL is negative, and 0 where links do not hold */
	int64_t next, linked;
	struct blk *base, *b, *by;
	struct ids ids;
	struct blk_count *const counters = runs ? f->counts->blk : NULL;
	/* the link, or what it would be, that leads out of block b; which of them end a range; the open one's first block */
	uint32_t raw = 0, start = 0, section;
	const uint32_t closing = runs == RUNS_JOINED ? LINK_TAKEN : LINK_BRANCH;
	unsigned int by_e;

	if (!enter(&l))
		return 0;
	base = f->img->blk;
	next = f->blk;
	b = BLK_AT(base, next);
	linked = l.linked;
	ids = l.ids;
	section = f->map_sec->id;
	addr = f->addr;
	if (bits) {
		l.branches = count_e(bits) - 1;
		bits = what_fits(&l, bits, g);
		l.atoms = atoms_in(bits);
	} else {
		goto packet;
	}
	for (;;) {
		uint64_t end;
		uint32_t n_insn;

		if (runs == RUNS_EACH && start) {
			/* block b was a range, and led to `next` */
			const uint32_t place = (uint32_t)((unsigned char *)b - (unsigned char *)base);

			if (__builtin_expect(!++count_at(counters, place)->atoms[e], 0))
				cst_counts_atoms_full(f->counts, section, place, e);
			if (raw & LINK_INDIRECT && !count_pair(&count_at(counters, place)->edge[0], (uint32_t)next))
				cst_counts_edge_slow(f->counts, section, place, (uint32_t)next);
		} else if (runs && raw & closing) {
			/* the branch at the end of block b ended a range, and led to `next` */
			const uint32_t place = (uint32_t)((unsigned char *)b - (unsigned char *)base);

			if (raw & LINK_TAKEN && !count_pair(&count_at(counters, place)->edge[0], (uint32_t)next))
				cst_counts_edge_slow(f->counts, section, place, (uint32_t)next);
			if (!start)
				begin_run(&l, insns, bits);
			else if (!count_pair(&count_at(counters, start)->range[0], place))
				cst_counts_range_slow(f->counts, section, start, place);
			start = (uint32_t)next;
		}
		b = BLK_AT(base, next);
		e = bits & 1;
		end = addr + (uint32_t)b->step[0];
		n_insn = b->n_insn;
		if (!runs || !start) {
			g->index = index;
			g->addr = addr;
			g->end = end;
			store8(&g->n_insn, pair(n_insn, 0));
			memcpy(&g->context_id, &ids, sizeof(ids));
			store8(&g->flags, flags_word(b, tflags) | flag_exec(e));
			store8(&g->error, pair(0, b->off * 2));
			g++;
		}
		insns += n_insn;
		bits >>= 1;
		raw = b->link[e];
		next = (int32_t)raw & linked;
		if (__builtin_expect(next <= 0, 0))
			goto careful;
		/* blocks that are linked are in one map: no wrap at 4 GiB between them */
		addr += (int64_t)b->step[e];
go:
		if (bits != 1)
			continue;
packet:
		if (l.p == l.stop && !next_run(&l))
			goto out;
		if (*l.p < ATOM_HEADER)
			goto out;
		if (g >= l.limit && l.end_of_room - g < FLOW_ROOM)
			goto out;
		if (runs && start && insns - l.run_insns >= RUN_INSNS)
			goto out;
		code = &l.codes[*l.p - ATOM_HEADER];
		index = l.bias + (uintptr_t)l.p;
		bits = code->bits;
		l.branches += code->taken;
		l.p++;
		if (g >= l.limit)
			bits = what_fits(&l, bits, g);
		if (runs)
			l.atoms += atoms_in(bits);
		continue;
careful:
		next &= ~LINK_CAREFUL;
		raw = link_kind(b, (unsigned int)e);
		if (e && b->type == CST_INSN_INDIRECT) {
			if (b->flags & BLK_LINK && l.stack)
				push_call(f, end, b->isa, blk_place(f->img, b));
			goto indirect;
		}
		if (e && b->type == CST_INSN_BRANCH) {
			if (b->flags & BLK_LINK && l.stack)
				push_call(f, end, b->isa, blk_place(f->img, b));
			f->isa = b->next_isa;
		} else {
			if (!e && b->flags & BLK_ALWAYS && forbidden(f, b))
				goto mismatch;
			l.branches -= e;
			f->isa = b->isa;
			if (runs == RUNS_EACH && start && !is_branch(b)) {
				/* this range goes on */
				g = put_run(&l, g, index, b, e, blk_place(f->img, b), insns, bits);
				start = raw = 0;
			}
		}
		addr += (int64_t)b->step[e];
		if (next)
			goto go;
		if (f->isa != CST_ISA_A64)
			addr = (uint32_t)addr;
		by = b;
		by_e = (unsigned int)e;
		goto search;
indirect:
		if (b->subtype == CST_INSN_ERET)
			goto away;
		/* the target is on the return stack if a P0 element follows without an address */
		if (f->stack_count && f->cfg->ret_stack &&
		    (bits != 1 || (l.p != l.end_of_input && *l.p >= ATOM_HEADER && !l.rest))) {
			unsigned int t = f->stack_top;
			uint32_t call = f->stack[t].call;

			f->stack_count--;
			f->stack_top = (t - 1) % RETURN_STACK;
			addr = f->stack[t].addr;
			f->isa = f->stack[t].isa;
			next = 0;
			by = NULL;
			if (call && f->stack[t].sec == f->map_sec) {
				by = BLK_AT(base, call);
				next = (int32_t)by->link[0] & linked & ~LINK_CAREFUL;
			}
			if (next && blk_off(BLK_AT(base, next)) == addr - f->map_bias)
				goto go;
			/* behind a call comes what an atom N would lead to */
			by_e = 0;
		} else {
			uint64_t target;

			if (bits != 1 || !take_target(&l, &target))
				goto away;
			addr = target;
			if (next && blk_off(BLK_AT(base, next)) == addr - f->map_bias &&
			    BLK_AT(base, next)->isa == f->isa)
				goto go;
			by = b;
			by_e = 1;
		}
search:
		/* afterwards its blocks may be gone */
		if (runs && start)
			put_run(&l, g, index, b, e, runs == RUNS_EACH ? blk_place(f->img, b) : start, insns, bits);
		next = search(&l, addr, by, by_e);
		if (runs && (!next || l.moved)) {
			/* what comes is in another section, or where the places of blocks are void */
			g += start != 0;
			start = raw = 0;
		} else if (runs && start) {
			take_back_run(&l, g);
		}
		if (!next)
			goto done;
		linked = l.linked;
		ids = l.ids;
		section = f->map_sec->id;
		base = f->img->blk;
		goto go;
	}
out:
	f->addr = addr;
	f->blk = (uint32_t)next;
	f->isa = BLK_AT(base, next)->isa;
	goto done;
mismatch:
	f->addr = addr;
	f->blk = 0;
	f->el.index = index;
	cst_flow_mismatch(f);
	l.undo = 1;
	goto done;
away:
	if (runs && start)
		g = put_run(&l, g, index, b, e, runs == RUNS_EACH ? blk_place(f->img, b) : start, insns, bits);
	start = 0;
	leave_indirect(&l, b, addr);
	if (b->subtype == CST_INSN_ERET) {
		size_t n = g - out;

		f->el.index = index;
		cst_flow_eret(f, out, &n);
		l.others += n - (g - out);
		g = out + n;
	}
done:
	if (runs && start)
		g = put_run(&l, g, index, b, e, runs == RUNS_EACH ? blk_place(f->img, b) : start, insns, bits);
	*pn += finish(&l, bits, index, insns, out + *pn, g);
	return 1;
}

#define INSTANCE(name, runs)									\
	static __attribute__((noinline)) int name(struct cst_flow *f, struct atom_input *in, uint64_t bits, uint64_t index, \
						  struct cst_generic *out, size_t *n, size_t cap)		\
	{												\
		return walk(f, in, bits, index, out, n, cap, runs);					\
	}

INSTANCE(walk_ranges, RUNS_NONE)
INSTANCE(walk_each, RUNS_EACH)
INSTANCE(walk_joined, RUNS_JOINED)

static int walk_any(struct cst_flow *f, struct atom_input *in, uint64_t bits, uint64_t index, struct cst_generic *out,
		    size_t *n, size_t cap)
{
	/* single ranges are for the log, and for checks of each atom */
	if (!f->counts || f->log || f->cfg->checks)
		return walk_ranges(f, in, bits, index, out, n, cap);
	return f->counts->joined ? walk_joined(f, in, bits, index, out, n, cap) : walk_each(f, in, bits, index, out, n, cap);
}

int cst_flow_fast(struct cst_flow *f, struct atom_input *in, struct cst_generic *out, size_t *n, size_t cap)
{
	const size_t pos = in->pos;

	return walk_any(f, in, 0, in->last, out, n, cap) && in->pos != pos;
}

int cst_flow_fast_rest(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	static const uint8_t nothing[1];
	struct atom_input in = { .p = nothing };

	const uint64_t end = 1ull << f->el.n;

	return walk_any(f, &in, (f->el.bits & (end - 1)) | end, f->el.index, out, n, cap);
}
