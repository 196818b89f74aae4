/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.c - fast path for runs of ETMv4 atom and address packets whose elements are final at once: from the bytes through
 * the walk over blocks, without the queue.
 */
#include "flow/walk.h"
#include "protocols/etmv4/address_fields.h"
#include "protocols/protocol/protocol_int.h"

STEP_INLINE int etmv4_atom_packet(struct loop *l, uint64_t *bits)
{
	const struct atom_code *code;

	if (*l->p < ETMV4_ATOMS)
		return 0;
	code = &cst_etmv4_atoms[*l->p++ % (256 - ETMV4_ATOMS)];
	*bits = code->bits;
	l->branches += code->taken;
	return 1;
}

STEP_INLINE int etmv4_atom_follows(const struct loop *l)
{
	return l->p != l->end_of_input && *l->p >= ETMV4_ATOMS;
}

/*
 * Parses a Target Address without a reserved value. It is final with the next P0 element: an atom packet after it must be
 * in the input.
 */
STEP_INLINE int etmv4_target(struct loop *l, uint64_t *addr)
{
	struct etmv4_parser *ps = l->in->parser;
	struct cst_flow *f = l->f;
	struct etmv4_address a;
	const uint8_t *p = l->p;

	if (f->path.q_pending || p == l->end_of_input || !(ps->address[*p] & ADDRESS_TARGET))
		return 0;
	p = etmv4_read_address(ps, *p, p + 1, l->end_of_input, &a);
	if (!p || p == l->end_of_input || *p < ETMV4_ATOMS || a.odd)
		return 0;
	etmv4_push_history(ps, &a);
	*addr = a.value;
	f->is = a.is;
	f->isa = step_address_isa(f, a.is);
	f->ret.no_push = 0;
	l->stack = f->cfg->ret_stack;
	l->in->more += (size_t)(p - l->p) - 1;
	l->p = p;
	/* the atom packet after it may be in another run of trace offsets */
	if (p > l->stop)
		l->stop = p;
	return 1;
}

#define HOW(r) { .runs = r, .packet = etmv4_atom_packet, .atom_follows = etmv4_atom_follows, .target = etmv4_target }

#define INSTANCE(name, runs)												\
	static __attribute__((noinline)) int name(struct cst_flow *f, struct atom_input *in, struct cst_generic *out,	\
						  size_t *n, size_t cap)						\
	{														\
		static const struct walk_how how = HOW(runs);								\
															\
		return walk_input(f, in, 0, out, n, cap, &how);								\
	}

INSTANCE(etmv4_walk_ranges, RUNS_NONE)
INSTANCE(etmv4_walk_each, RUNS_EACH)
INSTANCE(etmv4_walk_joined, RUNS_JOINED)
INSTANCE(etmv4_walk_sampled, RUNS_SAMPLED)
INSTANCE(etmv4_walk_listed, RUNS_LISTED)

/* True if branches are listed and the list has no room. */
static int is_full(const struct cst_branch_list *list)
{
	return list && !walk_list_room(list, list->v + list->n);
}

static int etmv4_walk(struct cst_flow *f, struct atom_input *in, struct cst_generic *out, size_t *n, size_t cap)
{
	/* the log, and checks of each atom, need single ranges */
	if (f->emit.log || f->cfg->checks)
		return etmv4_walk_ranges(f, in, out, n, cap);
	if (f->emit.samples && f->emit.samples->period)
		return etmv4_walk_sampled(f, in, out, n, cap);
	if (!f->emit.counts)
		return f->emit.list && !is_full(f->emit.list) ?
			       etmv4_walk_listed(f, in, out, n, cap) :
			       etmv4_walk_ranges(f, in, out, n, cap);
	return f->emit.counts->joined ? etmv4_walk_joined(f, in, out, n, cap) :
					etmv4_walk_each(f, in, out, n, cap);
}

/* Decodes packets from the cursor on, up to one that is left to the parser. */
static void etmv4_packets(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	struct etmv4_parser *ps = x->c->ps;
	struct etmv4_queue *q = x->stage;
	struct cursor *c = x->c;
	struct cst_flow *f = x->f;
	struct atom_input in = { .p = c->data, .len = c->len, .seg = c->seg, .seg_count = c->seg_count, .parser = ps,
				 .last = q->last_index };
	const struct atom_code *code;
	const size_t first = c->pos;

	while (c->pos < c->len && c->data[c->pos] >= ETMV4_ATOMS) {
		ps->zeros = 0;
		cst_cursor_index(c, c->pos);
		in.pos = c->pos;
		in.seg_i = c->seg_i;
		if (etmv4_walk(f, &in, out, n, cap)) {
			c->pos = in.pos;
			c->seg_i = in.seg_i;
		} else {
			in.last = cst_cursor_index(c, c->pos);
			code = &cst_etmv4_atoms[c->data[c->pos++] - ETMV4_ATOMS];
			cst_flow_give_atoms(f, code->bits & ~(1u << code->n), code->n, in.last);
		}
		if (f->work.busy)
			cst_flow_run(f, out, n, cap);
		if (f->work.busy | f->stop.stopped || is_full(f->emit.list))
			break;
	}
	x->stats->packets += c->pos - first - in.more;
	q->last_index = in.last;
}

enum fast_end cst_etmv4_run(const struct fast *x, struct cst_generic *out, size_t *n, size_t cap)
{
	if (x->c->pos < x->c->len && x->c->data[x->c->pos] >= ETMV4_ATOMS && cst_etmv4_queue_settle(x->stage))
		return FAST_STAGED;
	if (cst_etmv4_queue_direct(x->stage)) {
		x->f->stop.stopped = 0;
		etmv4_packets(x, out, n, cap);
	}
	return *n && is_full(x->f->emit.list) ? FAST_FULL : FAST_LEFT;
}
