/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.c - atoms, and branches with their targets, to generic elements (Arm ARM K10.5.5). Other elements are in
 * analyze.c, the walk over blocks is in walk.h.
 */
#include <string.h>

#include <cstrace/decoder.h>
#include <cstrace/isa.h>

#include "flow/walk.h"

void cst_flow_reset(struct cst_flow *f)
{
	f->need_addr = f->need_ctx = 1;
	f->ret.pop_pending = f->ret.no_push = f->path.q_pending = f->path.q_context = f->gap =
		f->origin = 0;
	f->path.splitting = f->check.after_n = 0;
	step_empty_stack(f);
	f->it = 0;
	f->results.cond_count = f->results.cond_new = f->results.cond_done =
		f->results.cond_dropped = 0;
	f->cache.blk = 0;
	f->each.gap_reported = f->each.transfer_known = 0;
	f->each.open_any = 0;
}

void cst_flow_restart(struct cst_flow *f)
{
	cst_flow_reset(f);
	/* a context before the first address does not state the instruction set of AArch32 */
	f->isa = CST_ISA_UNKNOWN;
	f->is = 0;
	memset(f->each.place, 0, sizeof(f->each.place));
}

/* Drops all that refers to decoded blocks. */
static void forget_blocks(struct cst_flow *f)
{
	step_forget_calls(f);
	f->cache.near_tag += NEAR_TAG;
	if (!f->cache.near_tag) {
		memset(f->cache.near_blocks, 0, sizeof(f->cache.near_blocks));
		f->cache.near_tag = NEAR_TAG;
	}
	f->ret.from = f->cache.blk = 0;
}

/* True if the trace has ThumbEE state: AltISA, in ETMv3 from version 3.3 on (IHI 0014Q 7.10.5). */
static int has_thumbee(const struct cst_config *cfg)
{
	if (cfg->protocol == CST_PROTO_ETMV3)
		return cfg->version >= 0x33 && cfg->profile != CST_PROFILE_M;
	return cfg->protocol == CST_PROTO_PTM;
}

void cst_flow_configure(struct cst_flow *f)
{
	/* isa_flags may change; without a return stack the walk must find it empty */
	forget_blocks(f);
	if (!f->cfg->ret_stack)
		step_empty_stack(f);
	f->no_graph = f->cfg->cond_trace;
	f->each.join = f->cfg->atom_per_insn && !f->cfg->insn_ranges && !f->cfg->data_trace;
	f->ret.pop_first = f->cfg->protocol == CST_PROTO_PTM;
	f->isa_flags = (f->cfg->atom_per_insn ? CST_ISA_RUNS : 0) |
		       (f->cfg->wfx_p0 ? CST_ISA_WFX_P0 : 0) |
		       (f->cfg->barrier_p0 ? CST_ISA_BARRIER_P0 : 0) |
		       (has_thumbee(f->cfg) ? CST_ISA_THUMBEE : 0) |
		       (f->cfg->profile == CST_PROFILE_M ? CST_ISA_M_PROFILE : 0) |
		       (f->cfg->load_p0 ? CST_ISA_LOAD_P0 : 0) | (f->cfg->store_p0 ? CST_ISA_STORE_P0 : 0);
}

void cst_flow_init(struct cst_flow *f, const struct cst_config *cfg, struct cst_stats *stats)
{
	memset(f, 0, sizeof(*f));
	f->cfg = cfg;
	f->stats = stats;
	cst_flow_configure(f);
	f->cache.map_id = UINT64_MAX;
	f->cache.map_tag = 1;
	f->emit.tmpl.trace_id = cfg->trace_id;
	cst_flow_restart(f);
}

static void use_space(struct cst_flow *f, struct cst_space *space)
{
	f->code.space = space;
	cst_flow_forget_maps(f);
	f->cache.map_len = 0;
	f->cache.blk = 0;
	f->code.chosen = 0;
}

void cst_flow_set_space(struct cst_flow *f, struct cst_space *space)
{
	/* the image of the last space may have been freed, and another one may have its address */
	forget_blocks(f);
	f->cache.img = NULL;
	use_space(f, space);
}

/* Without a traced exception level: all spaces of the security state. */
unsigned int cst_flow_memspace(const struct cst_flow *f)
{
	if (f->emit.tmpl.flags & CST_GF_EL)
		return cst_memspace_of(f->emit.tmpl.el, f->emit.tmpl.security);
	return f->emit.tmpl.security == CST_SEC_SECURE ? CST_MEM_EL1S | CST_MEM_EL2S | CST_MEM_EL3 :
						    CST_MEM_EL1N | CST_MEM_EL2N;
}

/*
 * Spaces to fetch code from. Of the exception levels ETMv3 and PTM trace Hyp mode (tmpl.el is 2)
 * only, which has a translation of its own (DDI 0406, B3.1).
 */
static unsigned int fetch_spaces(const struct cst_flow *f)
{
	return f->emit.tmpl.el == 2 ? cst_memspace_of(2, f->emit.tmpl.security) :
				      cst_flow_memspace(f);
}

static void choose(struct cst_flow *f, unsigned int spaces)
{
	struct cst_space *space = cst_images_find(f->code.images, spaces, &f->code.ctx);

	if (f->code.images_gen != cst_images_generation(f->code.images))
		cst_flow_set_space(f, space);
	else if (space != f->code.space)
		use_space(f, space);
}

void cst_flow_choose_space(struct cst_flow *f, const struct cst_context *ctx)
{
	/* most contexts repeat the last one */
	if (f->code.chosen && !memcmp(&f->code.ctx, ctx, sizeof(*ctx)) &&
	    f->code.images_gen == cst_images_generation(f->code.images))
		return;
	f->code.ctx = *ctx;
	if (!f->code.images)
		return;
	choose(f, fetch_spaces(f));
	f->code.images_gen = cst_images_generation(f->code.images);
	f->code.chosen = 1;
}

void cst_flow_set_images(struct cst_flow *f, const struct cst_images *images)
{
	f->code.images = images;
	cst_flow_set_space(f, f->code.space);
	if (images)
		choose(f, f->need_ctx ? CST_MEM_EL1N : fetch_spaces(f));
}

void cst_flow_stack_empty(struct cst_flow *f, uint64_t addr)
{
	f->stats->stack_empty++;
	cst_flow_report(f, CST_FIND_STACK_EMPTY, addr);
}

void cst_flow_pop(struct cst_flow *f)
{
	struct return_entry r;

	if (!f->ret.pop_pending)
		return;
	f->ret.pop_pending = 0;
	if (step_stack_empty(f)) {
		cst_flow_stack_empty(f, f->addr);
		return;
	}
	r = step_pop(f);
	f->addr = step_wrap(r.addr, r.isa);
	f->isa = r.isa;
	f->need_addr = 0;
	f->cache.blk = 0;
}

void cst_flow_mismatch(struct cst_flow *f)
{
	f->stats->image_conflicts++;
	cst_flow_report(f, CST_FIND_IMAGE_CONFLICT, f->addr);
	f->stop.stopped = FLOW_MISMATCH;
	f->work.busy = 0;
}

int cst_flow_forbids_n(const struct cst_flow *f, unsigned int type, unsigned int isa, int64_t disp, unsigned int size)
{
	unsigned int checks = f->cfg->checks;

	if (isa == CST_ISA_T32 && checks & CST_CHECK_N_NOT_T32)
		return 0;
	if (checks & CST_CHECK_N_ANY && cst_insn_is_branch(type))
		return 1;
	return checks & CST_CHECK_N_DIRECT && type == CST_INSN_BRANCH && disp != size;
}

/* As cst_flow_block(), for a block that the cache of searched blocks lacks, and outside IT blocks adds it. */
static __attribute__((noinline)) uint32_t search_block(struct cst_flow *f)
{
	struct cst_image *img;
	struct near_block *near;
	unsigned int key;
	struct blk *b;
	uint32_t place;

	if (f->no_graph || (f->it && (f->isa != CST_ISA_T32 || !f->cfg->atom_per_insn)))
		return 0;
	if (cst_flow_map(f, f->addr) != SPAN_DONE)
		return 0;
	img = f->cache.map_sec->img;
	key = blk_key(f->isa, f->it);
	place = cst_block_known(f->cache.map_sec, f->addr - f->cache.map_bias, key, f->isa_flags);
	b = place ? BLK_AT(img->blocks.blk, place) :
		    cst_block(f->cache.map_sec, f->addr - f->cache.map_bias, key, f->addr,
			      f->isa_flags);
	if (f->cache.img != img || f->cache.img_gen != img->generation) {
		forget_blocks(f);
		f->cache.img = img;
		f->cache.img_gen = img->generation;
	}
	/* the instructions after such a block depend on its IT block: it is not linked */
	if (!b || (b->flags & (BLK_P0 | BLK_IT)) != BLK_P0 ||
	    f->addr - f->cache.map_start + b->step[0] > f->cache.map_len)
		return 0;
	place = blk_place(img, b);
	if (!f->it) {
		near = step_block_slot(f, f->addr);
		*near = (struct near_block){ .addr = f->addr, .map = f->cache.map_id,
					     .place = place, .tag = f->cache.near_tag | f->isa };
	}
	return place;
}

uint32_t cst_flow_block(struct cst_flow *f)
{
	const uint32_t place = step_near_block(f, f->addr);

	return place ? place : search_block(f);
}

/* The instance for elements, and for atoms that the instances over packets leave: through any code. */
static const struct walk_how element = { .element = 1, .given = 1, .cycles = 1 };

/*
 * Walks the first atoms of f->elem, or the branch that it is, as far as the code is known and there is room. Returns the
 * number of atoms walked. 0: *end is why f->span does not reach the first P0 instruction, or a check of cfg->checks
 * failed.
 */
static unsigned int walk_element(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap, enum span_end *end)
{
	static const uint8_t nothing[1];
	const struct cst_element *elem = &f->work.elem;
	struct atom_input in = { .p = nothing, .last = elem->index };
	struct loop l = { .f = f, .in = &in, .flags = elem->flags & CST_EL_F_CC ? CST_GF_CC : 0 };
	const int given = elem->kind == CST_EL_BRANCH, single = given || elem->first_e != elem->bits;
	const unsigned int count = single ? 1 : elem->n < ATOM_BITS ? elem->n : ATOM_BITS;

	*end = SPAN_DONE;
	if (!cst_walk_begin(&l, out, cap))
		*end = cst_flow_span(f, SPAN_P0, 0, &f->work.span);
	if (*end != SPAN_DONE)
		return 0;
	if (f->check.after_n && f->addr != f->check.next_n) {
		cst_flow_mismatch(f);
		return 0;
	}
	f->origin = ORIGIN_NONE;
	/* a corrected atom, or one with a target, needs more than following a link */
	if (single) {
		l.linked = 0;
		l.mispredicted = !given && (elem->first_e ^ elem->bits) & 1;
	}
	l.rest = given ? 3 : (elem->bits & ((1ull << count) - 1)) | 1ull << count;
	l.now.cc = l.flags ? elem->cc : 0;
	l.now.given = given;
	l.now.isa = elem->is;
	l.now.target = (uint32_t)elem->addr;
	l.branches = atoms_taken(l.rest);
	if (walk_run(&l, out, n, &element) == WALK_MISMATCH)
		cst_flow_mismatch(f);
	return count - atoms_in(l.rest);
}

void cst_flow_pass(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	static const uint8_t nothing[1];
	struct atom_input in = { .p = nothing, .last = f->work.elem.index };
	struct loop l = { .f = f,
			  .in = &in,
			  .rest = 3,
			  .branches = 1,
			  .end_of_room = out + *n + FLOW_ROOM,
			  .stack = f->cfg->ret_stack && !f->ret.no_push };

	f->cache.blk = 0;
	f->origin = ORIGIN_NONE;
	walk_run(&l, out, n, &element);
}

int cst_flow_branch(struct cst_flow *f, struct cst_generic *out, size_t *n)
{
	const struct cst_element *elem = &f->work.elem;
	enum span_end end;

	if (f->need_addr | f->need_ctx) {
		cst_flow_lost(f, out, n, 1);
	} else if (!walk_element(f, out, n, *n + FLOW_ROOM, &end)) {
		if (end == SPAN_LAZY)
			return 1;
		if (end != SPAN_DONE)
			cst_flow_broken(f, out, n, end, &f->work.span);
	}
	cst_flow_at(f, elem->addr, elem->is);
	return 0;
}

/* Walks the atoms of f->elem as far as there is room. */
static void run_atoms(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	struct cst_element *elem = &f->work.elem;
	unsigned int done;
	enum span_end end;

	for (; elem->n; elem->n -= done, elem->bits >>= done, elem->first_e >>= done) {
		if (cap - *n < FLOW_ROOM)
			return;
		if (f->results.cond_done && (cst_flow_cond_late(f, out, n) || cap - *n < FLOW_ROOM))
			return;
		if (f->need_addr && !f->need_ctx)
			cst_flow_pop(f);
		if (f->need_addr | f->need_ctx) {
			/* an address without a context is void after an atom (K10.5.6.2.2) */
			cst_flow_lost(f, out, n, elem->n);
			elem->n = 0;
			break;
		}
		done = walk_element(f, out, n, cap, &end);
		if (end == SPAN_LAZY) {
			f->stop.stopped = CST_STOP_SECTION;
			return;
		}
		if (end != SPAN_DONE) {
			cst_flow_broken(f, out, n, end, &f->work.span);
			done = 1;
		}
		if (f->stop.stopped)
			return;
	}
	f->work.busy = 0;
}

void cst_flow_atoms(struct cst_flow *f, struct cst_generic *out, size_t *n, size_t cap)
{
	if (f->path.q_pending) {
		if (cap - *n < FLOW_ROOM)
			return;
		cst_flow_finish_q(f, out, n, 0, 0);
		if (f->stop.stopped)
			return;
	}
	if (f->cfg->atom_per_insn)
		cst_flow_insns(f, out, n, cap);
	else
		run_atoms(f, out, n, cap);
}
