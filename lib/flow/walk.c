/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * walk.c - rare steps of the walk over blocks (walk.h): entry and exit of the loop, code that no link leads to yet,
 * runs of counted ranges.
 */
#include "flow/walk.h"

int cst_walk_forbidden(struct cst_flow *f, const struct blk *b)
{
	if (f->cfg->checks && cst_flow_forbids_n(f, b->type, b->isa, (int64_t)b->step[1] - (b->step[0] - b->last_size),
						 b->last_size))
		return 1;
	f->stats->image_conflicts += b->isa == CST_ISA_A64;
	return 0;
}

/* Loads what depends on the map and section of f->addr. */
static void load(struct loop *l)
{
	l->linked = links_hold(l->f) ? LINK_MASK : 0;
	l->ids = ids_of(l->f);
	l->map = l->f->cache.map_id;
}

int cst_walk_begin(struct loop *l, const struct cst_generic *out, size_t cap)
{
	struct cst_flow *f = l->f;

	l->p = l->stop = l->in->p + l->in->pos;
	l->end_of_input = l->in->p + l->in->len;
	if (l->in->seg_count) {
		l->seg = l->in->seg + l->in->seg_i;
		l->last_seg = l->in->seg + l->in->seg_count - 1;
	}
	l->end_of_room = out + cap;
	l->limit = cap < PACKET_ATOMS + FLOW_ROOM ? out : out + cap - (PACKET_ATOMS + FLOW_ROOM - 1);
	l->stack = f->cfg->ret_stack && !f->ret.no_push;
	if (f->off_graph)
		return 0;
	drop_void_blocks(f);
	if (!f->cache.blk) {
		f->cache.blk = cst_flow_target_block(f);
		f->ret.from = 0;
		if (!f->cache.blk)
			return 0;
	}
	f->origin = ORIGIN_NONE;
	load(l);
	return 1;
}

/* Returns the run of trace offsets with the byte at `pos`, which is not before the one asked for last. */
static inline const struct seg *run_at(struct loop *l, size_t pos)
{
	const struct seg *seg = l->seg;

	while (seg < l->last_seg && pos >= seg[1].pos)
		seg++;
	l->seg = seg;
	return seg;
}

int cst_walk_next_run(struct loop *l)
{
	const uint8_t *p = l->in->p;
	const struct seg *seg;

	if (l->rest || l->p == l->end_of_input)
		return 0;
	seg = run_at(l, (size_t)(l->p - p));
	l->stop = seg < l->last_seg ? p + seg[1].pos : l->end_of_input;
	l->bias = seg->offset - seg->pos - (uintptr_t)p;
	return 1;
}

int cst_walk_next_bytes(struct loop *l, size_t bytes)
{
	const size_t left = (size_t)(l->end_of_input - l->p);

	if (l->rest || !left || !bytes)
		return 0;
	l->stop = l->p + (left < bytes ? left : bytes);
	return 1;
}

uint64_t cst_walk_offset(struct loop *l, uint64_t index)
{
	const size_t pos = index - (uintptr_t)l->in->p;
	const struct seg *seg;

	if (!index)
		return l->in->last;
	seg = run_at(l, pos);
	return seg->offset + (pos - seg->pos);
}

/* Returns the first atoms of `bits`, as many as there is room for after `g`, and moves the others to l->rest. */
uint64_t cst_walk_what_fits(struct loop *l, uint64_t bits, const struct cst_generic *g)
{
	unsigned int n = l->end_of_room - g - (FLOW_ROOM - 1);

	if (atoms_in(bits) <= n)
		return bits;
	l->rest = bits >> n;
	l->stop = l->p;
	return (bits & ((1ull << n) - 1)) | 1ull << n;
}

/* Sets f->isa to the instruction set after atom `e` of block b, and returns the address `addr` in it. */
uint64_t cst_walk_after(struct cst_flow *f, const struct blk *b, uint64_t e, uint64_t addr)
{
	f->isa = step_isa(b, e);
	return step_wrap(addr, f->isa);
}

/* As cst_walk_search(), at an address in the current map, for a block that was searched before; 0: it was not. */
uint32_t cst_walk_near(struct loop *l, uint64_t addr, struct blk *b, uint64_t e)
{
	const uint32_t place = step_near_block(l->f, addr);

	if (place && b && l->linked)
		b->link[e] = place | blk_link_bits(b, (unsigned int)e);
	return place;
}

/*
 * Returns the offset of the block at `addr` in f->isa, 0 if none, and links it to `b` after atom `e` if `b` is not
 * NULL.
 */
uint32_t cst_walk_search(struct loop *l, uint64_t addr, struct blk *b, uint64_t e)
{
	struct cst_flow *f = l->f;
	const struct cst_section *sec = f->cache.map_sec;
	const struct cst_image *img = f->cache.img;
	const uint32_t gen = f->cache.img_gen;

	f->addr = addr;
	f->cache.blk = b && l->linked ?
			       link_block(f, &b->link[e], blk_link_bits(b, (unsigned int)e)) :
			       cst_flow_block(f);
	l->moved = f->cache.img != img || f->cache.img_gen != gen ? MOVED_BLOCKS :
		   f->cache.map_sec != sec			  ? MOVED_SECTION :
								    MOVED_NOT;
	if (f->cache.blk && (l->moved || l->map != f->cache.map_id))
		load(l);
	return f->cache.blk;
}

/* Writes the range of f->span, which ends with atom `e`. */
void cst_walk_span(struct loop *l, struct cst_generic *g, uint64_t e)
{
	size_t n = 0;

	cst_flow_range(l->f, g, &n, &l->f->work.span, (int)e);
	l->others++;
}

/*
 * Reports that the branch at the end of block b, which begins at `addr`, has a traced target that contradicts its
 * opcode.
 */
struct cst_generic *cst_walk_conflict(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b,
				      uint64_t addr)
{
	struct cst_flow *f = l->f;
	size_t n = 0;

	f->isa = b->isa;
	f->work.elem.index = index;
	cst_flow_conflict(f, g, &n, CST_FIND_IMAGE_CONFLICT, addr + (uint32_t)b->step[0] - b->last_size);
	l->others += n;
	return g + n;
}

/* Writes the element of a run that ends with block b, and with the packet `index` (cst_walk_offset()). */
void cst_walk_put_run(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b, uint64_t e,
		      uint32_t start, uint64_t insns, uint64_t bits)
{
	struct cst_flow *f = l->f;
	const uint64_t ranges = l->atoms - atoms_in(bits) - l->run_atoms;

	g->index = index;
	g->addr = blk_off(b) + f->cache.map_bias;
	g->end = g->addr + (uint32_t)b->step[0];
	store8(&g->n_insn, pair((uint32_t)(insns - l->section_insns), (uint32_t)ranges));
	memcpy(&g->context_id, &l->ids, sizeof(l->ids));
	store8(&g->flags, flags_word(b, f->emit.tmpl.flags) | flag_exec(e));
	store8(&g->error,
	       pair((uint32_t)blk_off(BLK_AT(f->cache.img->blocks.blk, start)), b->off * 2));
	g->kind = CST_GEN_COUNTED;
	g->num = (uint16_t)(f->stats->image_conflicts - l->run_conflicts);
}

/* Ends the run whose element was written to `g`. Returns the place after it. */
struct cst_generic *cst_walk_end_run(struct loop *l, struct cst_generic *g)
{
	g->index = cst_walk_offset(l, g->index);
	l->others++;
	l->ranges += g->runs;
	return g + 1;
}

/* Removes the range before `g`, which is void. Returns its place. */
struct cst_generic *cst_walk_drop_range(struct loop *l, struct cst_generic *g)
{
	l->f->stats->insns -= g[-1].n_insn;
	return g - 1;
}

/*
 * Returns the entry of the branch of the block at `from` to `addr` in f->isa, which has led to another section before.
 * NULL: it has not, its map is not cached, or the run has contradictions, which belong to the section of its element.
 */
struct crossing *cst_walk_crossing(const struct loop *l, uint32_t from, uint64_t addr)
{
	struct cst_flow *f = l->f;
	struct crossing *x =
		f->cache.img->crossings ? crossing_at(f->cache.img->crossings, from, addr) : NULL;

	if (!x || x->from != from || x->addr != addr || x->isa != f->isa || f->stats->image_conflicts != l->run_conflicts)
		return NULL;
	return step_near_map(f, addr)->id == x->map ? x : NULL;
}

/*
 * Moves to the section of crossing `x`, whose map is cached, and counts it and `insns`, of the run, in the section
 * before. Returns the place of the block.
 */
uint32_t cst_walk_cross(struct loop *l, struct crossing *x, uint64_t insns)
{
	if (l->f->emit.counts) {
		l->f->cache.img->crossings->crossed = 1;
		x->count++;
		x->insns += insns - l->section_insns;
		l->section_insns = insns;
	}
	step_take_map(l->f, step_map_slot(l->f, x->addr));
	load(l);
	return x->to;
}

/* Remembers that the branch of the block at `from`, in `section`, has led to the block f->blk in another one. */
void cst_walk_note_crossing(const struct cst_flow *f, uint32_t section, uint32_t from)
{
	const struct crossing x = { .addr = f->addr,
				    .map = f->cache.map_id,
				    .from = from,
				    .to = f->cache.blk,
				    .section = section,
				    .to_section = f->cache.map_sec->id,
				    .isa = f->isa };

	if (f->cache.img->counts)
		cst_counts_enter(f->cache.img->counts, &x);
	else if (f->cache.img->crossings)
		*crossing_at(f->cache.img->crossings, from, f->addr) = x;
}

/* Begins a run after the atoms walked so far. `bits`: atoms of the packet that are left. */
void cst_walk_begin_run(struct loop *l, uint64_t insns, uint64_t bits)
{
	l->run_insns = l->section_insns = insns;
	l->run_atoms = l->atoms - atoms_in(bits);
	l->run_conflicts = l->f->stats->image_conflicts;
}

void cst_walk_begin_list(struct loop *l, uint64_t place, struct cst_branch *list)
{
	struct cst_image *img = l->f->cache.map_sec->img;

	/* without memory for the table a run ends where execution goes to another section */
	cst_crossings_new(img);
	l->run_addr = blk_off(BLK_AT(img->blocks.blk, place)) + l->f->cache.map_bias;
	l->run_list = list;
}

void cst_walk_put_list(const struct loop *l, struct cst_generic *g, const struct cst_branch *list)
{
	g->kind = CST_GEN_LISTED;
	g->addr = l->run_addr;
	g->section = 0;
	g->first = (uint32_t)(l->run_list - l->f->emit.list->v);
	g->branches = (uint32_t)(list - l->run_list);
}

/* Ends the walk after the indirect branch of block b, at `end`, whose target is not known yet. */
struct cst_generic *cst_walk_away(struct loop *l, struct cst_generic *g, uint64_t index, const struct blk *b,
				  uint64_t end)
{
	struct cst_flow *f = l->f;
	size_t n = 0;

	step_await(f, b, end);
	f->ret.from = l->linked && b != &f->work.span.b ? blk_place(f->cache.img, b) : 0;
	f->ret.from_sec = f->cache.map_sec;
	f->work.elem.index = index;
	if (f->ret.pop_first)
		cst_flow_stack_empty(f, end - b->last_size);
	if (b->subtype == CST_INSN_ERET)
		cst_flow_eret(f, g, &n);
	l->others += n;
	return g + n;
}

/*
 * Updates the statistics for the elements from `first` to `g`. Atoms that were not walked become l->rest. Returns the
 * number of elements.
 */
size_t cst_walk_finish(struct loop *l, uint64_t bits, uint64_t index, uint64_t insns, const struct cst_generic *first,
		       const struct cst_generic *g)
{
	struct cst_flow *f = l->f;

	/* append the atoms without room in the output to those that were not walked */
	if (l->rest)
		bits = (bits & ~(1ull << atoms_in(bits))) | l->rest << atoms_in(bits);
	l->rest = bits;
	l->branches -= atoms_taken(bits);
	l->in->pos = (size_t)(l->p - l->in->p);
	l->in->seg_i = (uint32_t)(l->seg - l->in->seg);
	l->in->last = index;
	f->stats->insns += insns;
	f->stats->ranges += (uint64_t)(g - first) - l->others + l->ranges;
	f->stats->branches += l->branches;
	if (f->cfg->checks & CST_CHECK_CONTINUE && g != first) {
		f->check.after_n = g[-1].kind == CST_GEN_RANGE && !(g[-1].flags & CST_GF_EXEC);
		f->check.next_n = step_wrap(g[-1].end, g[-1].isa);
	}
	return (size_t)(g - first);
}
